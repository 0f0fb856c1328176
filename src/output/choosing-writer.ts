import { CellReader } from '../json/cells.ts';
import type { RecordBatch } from '../json/records.ts';
import { chooseColumns, onlyLeavesOut } from './column-choice.ts';
import { RecordSpool } from './spool.ts';
import type { OpenWriter, Writer } from './writer.ts';

/**
 * Makes a writer take columns that are chosen among those that there are, as `*,-files` is: it is opened when all records have
 * come, since only then all columns are known.
 */
export function choosingWriter(openWriter: OpenWriter, asked: readonly string[]): OpenWriter {
  return (sink, layout) => {
    const spool = new RecordSpool();
    const columns = new ColumnsSeen();
    return {
      async write(batch) {
        columns.see(batch);
        await spool.append(batch);
      },
      async end() {
        try {
          const chosen = chooseColumns(asked, layout.columns ?? columns.names);
          const writer: Writer = openWriter(sink, {
            ...layout,
            columns: chosen,
            unordered: onlyLeavesOut(asked),
          });
          for await (const batch of spool.read()) await writer.write(batch);
          await writer.end();
        } finally {
          await spool.close();
        }
      },
    };
  };
}

/** Gathers the columns of records. */
class ColumnsSeen {
  readonly #reader = new CellReader();
  readonly #filled = new Set<string>();

  see(batch: RecordBatch): void {
    for (let index = 0; index < batch.count; index++) {
      const cells = this.#reader.read(batch, index);
      if (this.#filled.size === cells.length) continue;
      for (const [column, cell] of cells.entries())
        if (cell !== undefined) this.#filled.add(this.#reader.columns[column]!);
    }
  }

  /**
   * Without those that are an object in some records and null in all others: named as a column, such a one would show the whole
   * object beside the columns of its members.
   */
  get names(): string[] {
    const names = this.#reader.columns;
    const objects = new Set(names.flatMap(outerNames));
    return names.filter((name) => this.#filled.has(name) || !objects.has(name));
  }
}

/** `a` and `a.b` of `a.b.c`. */
function outerNames(name: string): string[] {
  return [...name.matchAll(/\./g)].map(({ index }) => name.slice(0, index));
}
