import { columnsNamed, type ColumnNames } from '../invoices/column-names.ts';
import { DocumentReader } from '../invoices/document-reader.ts';
import { ofAny } from '../invoices/fields.ts';
import { ABSENT, CellReader, cellJson } from '../json/cells.ts';
import type { ChosenColumns } from '../output/chosen-columns.ts';
import { RecordSpool } from '../output/spool.ts';
import type { OpenWriter } from '../output/writer.ts';
import { batchOfRows, type Row } from './result-rows.ts';

/** Makes a writer take the columns of --columns: by any of their names, and chosen among all columns of the records. */
export function writerOfChosen(
  plain: OpenWriter,
  chosen: ChosenColumns,
  names: ColumnNames | undefined,
): OpenWriter {
  const writer = names === undefined ? plain : writerByNames(plain, names);
  if (!chosen.isOpen) return writer;
  // `-open` is `-amountToBePaid` as well.
  const meant = (name: string) => (names && columnsNamed(name, names, names.fields.usual)) ?? [];
  return choosingWriter(writer, chosen.leavingOut(meant));
}

/** Columns by names that stand for others: `open`, or a heading of the table, for the cell as sent. */
function writerByNames(openWriter: OpenWriter, names: ColumnNames): OpenWriter {
  return (sink, layout) => {
    const writer = openWriter(sink, layout);
    const { columns } = layout;
    if (columns === undefined || !columns.some((column) => isName(column, names))) return writer;
    const wanted = [...new Set(columns)];
    const reader = new DocumentReader(names, { roles: [], names: wanted });
    return {
      write: (batch) => {
        const rows: Row[] = [];
        reader.fold(batch, () => {
          rows.push(wanted.map((column, at) => [column, cellJson(reader.named(at))]));
        });
        return writer.write(batchOfRows(rows));
      },
      end: () => writer.end(),
    };
  };
}

/**
 * Whether a name stands for another column. The name of a role that is also the first of its columns, such as `number`, is
 * taken for the column: then records are written as they are.
 */
function isName(column: string, names: ColumnNames): boolean {
  return ofAny(names.fields).some((fields) => {
    const meant = columnsNamed(column, names, fields);
    return meant !== undefined && meant[0] !== column;
  });
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

/** Leaves out columns that are an object or null: as a column, one would show the whole object beside its members. */
function columnsOf(columns: readonly string[], filled: ReadonlySet<number>): string[] {
  const objects = new Set(columns.flatMap(outerNames));
  return columns.filter((name, column) => filled.has(column) || !objects.has(name));
}

/** `a` and `a.b` of `a.b.c`. */
function outerNames(name: string): string[] {
  return [...name.matchAll(/\./g)].map(({ index }) => name.slice(0, index));
}
