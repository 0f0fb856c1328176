import { columnsNamed, type Meanings, ofAll } from '../invoices/fields.ts';
import { DocumentReader } from '../invoices/document-reader.ts';
import { ABSENT, CellReader, cellJson } from '../json/cells.ts';
import type { RecordBatch } from '../json/records.ts';
import type { ChosenColumns } from '../output/chosen-columns.ts';
import { RecordSpool } from '../output/spool.ts';
import type { OpenWriter } from '../output/writer.ts';
import { batchOfRows, type Row } from './result-rows.ts';

/** Wraps a writer so that it writes the columns of --columns: by any of their names, chosen among all columns. */
export function writerOfChosen(
  plain: OpenWriter,
  chosen: ChosenColumns,
  meanings: Meanings | undefined,
): OpenWriter {
  const meant = (name: string): readonly string[] =>
    meanings === undefined
      ? []
      : ofAll(meanings.fields).flatMap((own) => columnsNamed(name, meanings, own) ?? []);
  const writer =
    meanings === undefined ? plain : writerByNames(plain, meanings, { typed: chosen.names, meant });
  // `-open` is `-amountToBePaid` as well.
  return chosen.isOpen ? choosingWriter(writer, chosen.withMeanings(meant)) : writer;
}

interface TypedNames {
  /** The names as typed; the columns of `*` keep their own. */
  readonly typed: readonly string[];
  readonly meant: (name: string) => readonly string[];
}

/**
 * Writes columns by names that stand for others: `open`, or a table heading, for the cell as sent. Records that have none of
 * these others, such as `folio` where `number` is chosen, are written as they are.
 */
function writerByNames(openWriter: OpenWriter, meanings: Meanings, { typed, meant }: TypedNames): OpenWriter {
  return (sink, layout) => {
    const writer = openWriter(sink, layout);
    const chosen = [...new Set(layout.columns)];
    // An object of the name, such as the customer, may hold them.
    const othersOf = (name: string, columns: readonly string[]): readonly string[] =>
      columns.includes(name) || columns.length === 0
        ? columns.filter((one) => one !== name)
        : [...columns, name];
    const others = new Set(typed.flatMap((name) => othersOf(name, meant(name))));
    if (others.size === 0) return writer;
    const reader = new DocumentReader(meanings, { roles: [], names: typed });
    const typedAt = chosen.map((column) => typed.indexOf(column));
    const plain = new CellReader(chosen);
    const cells = new CellReader([...others]);
    const hasOther = (batch: RecordBatch, index: number): boolean => {
      cells.moveTo(batch, index);
      return cells.spans.kinds.subarray(0, others.size).some((kind) => kind !== ABSENT);
    };
    return {
      write: (batch) => {
        let index = 0;
        while (index < batch.count && !hasOther(batch, index)) index++;
        if (index === batch.count) return writer.write(batch);
        const rows: Row[] = [];
        reader.fold(batch, (index) => {
          plain.moveTo(batch, index);
          const read = typedAt.map((name, at) => (name < 0 ? plain.cell(at) : reader.named(name)));
          rows.push(chosen.map((column, at) => [column, cellJson(read[at])]));
        });
        return writer.write(batchOfRows(rows));
      },
      end: () => writer.end(),
    };
  };
}

/** Takes columns such as `*,-files`: opens the writer at the end of the records, when all columns are known. */
function choosingWriter(openWriter: OpenWriter, chosen: ChosenColumns): OpenWriter {
  return (sink, layout) => {
    const reader = new CellReader();
    /** The indexes of columns that some record has a value in. */
    const filled = new Set<number>();
    const records = new RecordSpool();
    return {
      write(batch) {
        for (let index = 0; index < batch.count; index++) {
          reader.moveTo(batch, index);
          for (let column = 0; column < reader.columns.length; column++)
            if (reader.spans.kinds[column] !== ABSENT) filled.add(column);
        }
        return records.add(batch);
      },
      async end() {
        try {
          const columns = chosen.of(layout.columns ?? columnsOf(reader.columns, filled));
          const writer = openWriter(sink, {
            ...layout,
            columns,
            isChosen: !chosen.onlyLeavesOut,
          });
          for await (const batch of records.read()) await writer.write(batch);
          await writer.end();
        } finally {
          await records.close();
        }
      },
    };
  };
}

/** Leaves out columns that are only objects or null: such a column would repeat its members. */
function columnsOf(columns: readonly string[], filled: ReadonlySet<number>): string[] {
  const objects = new Set(columns.flatMap(outerNames));
  return columns.filter((name, column) => filled.has(column) || !objects.has(name));
}

/** `a` and `a.b` of `a.b.c`. */
function outerNames(name: string): string[] {
  return [...name.matchAll(/\./g)].map(({ index }) => name.slice(0, index));
}
