import { CellReader } from '../json/cells.ts';
import type { RecordBatch } from '../json/records.ts';
import { isChoice, isOfAll, OTHERS } from './formats.ts';
import { RecordSpool } from './spool.ts';
import type { OpenWriter, Writer } from './writer.ts';

/** The same, with one column before all others. */
export function withColumnBefore(column: string, asked: readonly string[]): string[] {
  return [column, ...(isOfAll(asked) ? [OTHERS] : []), ...asked];
}

/** The columns that are named, be it to leave them out. */
export function namedColumns(asked: readonly string[]): string[] {
  return asked.filter((column) => column !== OTHERS).map((column) => column.replace(/^-/, ''));
}

/**
 * The columns that are asked for, of those that there are: `number,*,-files` is `number`, then all others but `files`. What is in
 * a column that is named, as `customer.name` is in `customer`, is named with it. Only names to leave out are of all.
 */
export function chosenOf(asked: readonly string[], there: readonly string[]): string[] {
  const left = asked.filter((column) => column.startsWith('-')).map((column) => column.slice(1));
  const named = asked.filter((column) => !isChoice(column));
  const isIn = (names: readonly string[], column: string): boolean =>
    names.some((name) => column === name || column.startsWith(`${name}.`));
  const others = there.filter((column) => !isIn(named, column) && !isIn(left, column));
  const parts = isOfAll(asked) ? [OTHERS] : asked;
  return parts.flatMap((column) => {
    if (column === OTHERS) return others;
    return isIn(left, column) || isChoice(column) ? [] : [column];
  });
}

/** Opens the writer when all records have come: only then it is known which columns there are to choose from. */
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
          const chosen = chosenOf(asked, layout.columns ?? columns.names);
          const writer: Writer = openWriter(sink, { ...layout, columns: chosen, unordered: isOfAll(asked) });
          for await (const batch of spool.read()) await writer.write(batch);
          await writer.end();
        } finally {
          await spool.close();
        }
      },
    };
  };
}

/** The columns of records as they come. */
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
   * Without those that were nothing but null where they were no object: named as a column, they would show the object whole
   * beside its members.
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
