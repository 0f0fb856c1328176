import { UsageError } from '../errors.ts';
import { CellReader } from '../json/cells.ts';
import type { RecordBatch } from '../json/records.ts';
import { countOf } from '../output/terminal/number-text.ts';
import { namesMeaning, type ColumnNames } from './named-cells.ts';
import { nearestNames } from './nearest-names.ts';
import { groupColumn } from './question-syntax.ts';

/** How many records are read whole, to learn the names of columns that can be suggested. */
const RECORDS_SAMPLED = 500;

interface ColumnWatchOptions {
  readonly names?: ColumnNames | undefined;
  readonly what?: string | undefined;
}

/** Finds the columns that the user asked for and that had no value in any record. */
export class ColumnWatch {
  readonly #columns: readonly string[];
  readonly #what: string;
  readonly #names: ColumnNames | undefined;
  readonly #found: boolean[];
  readonly #sample = new CellReader();
  #sampled = 0;

  /**
   * @param options.names what names stand for besides columns: such a name may have been meant, too
   * @param options.what the name for one record in sentences
   */
  constructor(columns: readonly string[], { names, what = 'record' }: ColumnWatchOptions = {}) {
    this.#columns = columns;
    this.#names = names;
    this.#what = what;
    this.#found = columns.map(() => false);
  }

  /** Learns the columns of records. Call it with every batch until `isComplete`. */
  sample(batch: RecordBatch): void {
    const count = Math.min(batch.count, RECORDS_SAMPLED - this.#sampled);
    for (let index = 0; index < count; index++) this.#sample.read(batch, index);
    this.#sampled += Math.max(0, count);
  }

  /** Looks at the cells of a record: first those of the columns, in their order. */
  see(cells: readonly unknown[]): void {
    for (let index = 0; index < this.#found.length; index++)
      this.#found[index] ||= cells[index] !== undefined;
  }

  /** Whether each column had a value in some record. */
  get isComplete(): boolean {
    return this.#found.every(Boolean);
  }

  /** Whether the records that were sampled have the column, be it without a value. */
  has(column: string): boolean {
    return this.#sample.columns.includes(column);
  }

  /** The columns that no record had a value in; none when there were no records. */
  neverFound(): string[] {
    return this.#sampled === 0 ? [] : this.#columns.filter((_, index) => !this.#found[index]);
  }

  /** A sentence for each column that is not even there with null: its name may be misspelt. */
  complaints(): string[] {
    return this.#missing().map((column) => this.sentence(column));
  }

  /** Throws UsageError where a column that no record has was meant for one that is there. `flag` named it. */
  refuseNearMisses(flag: string): void {
    for (const column of this.#missing()) {
      const headed = this.#headed(column);
      if (headed !== undefined) {
        throw new UsageError(`${flag}: ${column} is the heading of ${headed}`, { hint: `Write ${headed}.` });
      }
      const { column: dated, unit } = groupColumn(column);
      const near = unit === undefined ? this.#near(column) : this.#known().filter((name) => name === dated);
      if (near.length === 0) continue;
      throw new UsageError(`${flag}: no ${this.#what} has a column ${column}`, {
        hint:
          unit === undefined
            ? `Did you mean ${near.join(' or ')}?`
            : `Only --group-by takes a unit: name ${dated} alone. --where ${dated}=2026-10 keeps a month.`,
      });
    }
  }

  /** Says that no record has a value in the column, and which names may have been meant. */
  sentence(column: string): string {
    const headed = this.#headed(column);
    const near = headed === undefined ? this.#near(column) : [headed];
    const suggestion = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
    return `no ${this.#what} has a value in ${column}${suggestion}`;
  }

  /** The columns that are not even there with null. */
  #missing(): string[] {
    return this.neverFound().filter((column) => !this.#sample.columns.includes(column));
  }

  #near(column: string): string[] {
    return nearestNames(column, this.#known()).filter((name) => name !== column);
  }

  /** The column that the user, or the export that is read, gave this heading. */
  #headed(column: string): string | undefined {
    return this.#names?.given?.get(column);
  }

  /** The names of the columns that there are. */
  #known(): string[] {
    const columns = this.#sample.columns;
    return [
      ...new Set([...columns, ...(this.#names === undefined ? [] : namesMeaning(columns, this.#names))]),
    ];
  }
}

interface WatchOptions {
  /** What named the columns, for the error. */
  readonly flag: string;
  readonly columns: readonly string[];
  /** Reads the cells of the columns. */
  readonly reader: Pick<CellReader, 'read'>;
  /** What names stand for besides columns. */
  readonly names?: ColumnNames | undefined;
  readonly tell: (sentence: string) => void;
}

/**
 * Passes the records on, and looks at them until each chosen column was found. At the end it tells which columns no record
 * had. Throws UsageError there for a column that is a near miss of one that is there.
 */
export async function* watchColumns(
  records: AsyncIterable<RecordBatch>,
  { flag, columns, reader, names, tell }: WatchOptions,
): AsyncGenerator<RecordBatch> {
  const watch = new ColumnWatch(columns, { names });
  let read = 0;
  for await (const batch of records) {
    read += batch.count;
    for (let index = 0; index < batch.count && !watch.isComplete; index++)
      watch.see(reader.read(batch, index));
    if (!watch.isComplete) watch.sample(batch);
    yield batch;
  }
  watch.refuseNearMisses(flag);
  for (const complaint of watch.complaints()) tell(`${complaint} (${countOf(read, 'record')} read)`);
}
