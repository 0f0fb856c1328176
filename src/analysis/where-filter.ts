import { CellReader } from '../json/cells.ts';
import { selectRecords, type RecordBatch } from '../json/record-batch.ts';
import { ColumnWatch } from './column-watch.ts';
import type { Condition } from './condition.ts';
import { conditionTest, type CellTest } from './condition-test.ts';

/** Lets through the records that meet every condition, in their order, batch by batch. */
export class WhereFilter {
  readonly #reader: CellReader;
  readonly #tests: readonly (readonly [column: number, test: CellTest])[];
  readonly #watch: ColumnWatch;
  #seen = 0;
  #kept = 0;
  /** Of the records of the last batch that were let through, their places in the listing. */
  #places: readonly number[] = [];

  constructor(conditions: readonly Condition[]) {
    const columns = [...new Set(conditions.map(({ column }) => column))];
    this.#reader = new CellReader(columns);
    this.#tests = conditions.map((condition) => [
      columns.indexOf(condition.column),
      conditionTest(condition),
    ]);
    this.#watch = new ColumnWatch(columns);
  }

  /** Records that came in so far. */
  get seen(): number {
    return this.#seen;
  }

  /** Records let through so far. */
  get kept(): number {
    return this.#kept;
  }

  /** The records of the batch that meet all conditions, sharing its bytes. Throws UsageError as `conditionTest` does. */
  apply(batch: RecordBatch): RecordBatch {
    this.#watch.sample(batch);
    const indices: number[] = [];
    const places: number[] = [];
    for (let index = 0; index < batch.count; index++) {
      const cells = this.#reader.read(batch, index);
      this.#watch.see(cells);
      const place = this.#seen + index + 1;
      if (!this.#tests.every(([column, test]) => test(cells[column], place))) continue;
      indices.push(index);
      places.push(place);
    }
    this.#places = places;
    this.#seen += batch.count;
    this.#kept += indices.length;
    return indices.length === batch.count ? batch : selectRecords(batch, indices);
  }

  /** The place in the listing, from 1, of the nth record let through, while its batch is the last one. */
  placeOf(nth: number): number {
    return this.#places[nth - 1 - (this.#kept - this.#places.length)]!;
  }

  /** At the end: a sentence for each column that no record had a value in, with the names it may have meant. */
  complaints(): string[] {
    return this.#watch.complaints();
  }
}
