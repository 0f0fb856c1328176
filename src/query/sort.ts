import type { Cell } from '../json/cells.ts';
import type { RecordBatch } from '../json/records.ts';
import { runCooperatively, type CooperativeTask } from '../json/cooperative-task.ts';
import { Collected } from '../output/collected.ts';
import { compareOrders, orderOf } from './cell-order.ts';
import { ColumnWatch } from './column-watch.ts';
import { NamedCells, type ColumnNames } from './named-cells.ts';
import type { SortColumn } from './question-syntax.ts';
import type { Question } from './questions.ts';

const MAX_TEXTS = 10_000;
/** Bytes of records that are kept in memory before there is a file. */
const MEMORY = 4 * 1024 * 1024;

/**
 * Sorts records by one or more columns: numbers by exact value, then text by its characters, then records without a value
 * (also when descending). Equal records keep their order. They wait put aside; memory holds their keys, about 100 bytes for each
 * record and column.
 */
export class RecordSorter {
  readonly #keys: readonly SortColumn[];
  readonly #reader: NamedCells;
  readonly #watch: ColumnWatch;
  readonly #records = new Collected({ anyOrder: true, memory: MEMORY });
  /** For each key, the order of every record's cell. */
  readonly #orders: (string | undefined)[][];
  /** Values such as dates and states repeat: records with the same value share one text. */
  readonly #texts = new Map<string, string>();

  constructor(keys: readonly SortColumn[], { what, names }: SortOptions = {}) {
    const columns = keys.map(({ column }) => column);
    this.#keys = keys;
    this.#reader = new NamedCells(columns, names);
    const watched = keys.filter(({ isKnown }) => !isKnown);
    this.#watch = new ColumnWatch(
      watched.map(({ column }) => column),
      { names, what },
    );
    this.#orders = keys.map(() => []);
  }

  async add(batch: RecordBatch): Promise<void> {
    this.#watch.sample(batch);
    for (let index = 0; index < batch.count; index++) {
      const cells = this.#reader.read(batch, index);
      this.#watch.see(cells);
      for (const [key, orders] of this.#orders.entries()) orders.push(this.#orderOf(cells[key]));
    }
    await this.#records.add(batch);
  }

  /** All records that were added, in order. Throws the signal's reason. */
  async *sorted(signal: AbortSignal): AsyncGenerator<RecordBatch> {
    const order = await runCooperatively(
      sortedNumbers(this.#records.count, (a, b) => this.#compare(a, b)),
      signal,
    );
    yield* this.#records.inOrder(order);
  }

  async close(): Promise<void> {
    await this.#records.close();
  }

  /** Throws UsageError where a column that no record had is a near miss of one that is there. */
  refuseNearMisses(): void {
    this.#watch.refuseNearMisses('--sort');
  }

  /** A sentence for each column that no record had a value in, with the names it may have meant. */
  complaints(): string[] {
    return this.#watch.complaints();
  }

  #compare(a: number, b: number): number {
    for (let key = 0; key < this.#keys.length; key++) {
      const orders = this.#orders[key]!;
      const order = compareOrders(orders[a], orders[b], this.#keys[key]!.descending);
      if (order !== 0) return order;
    }
    return a - b;
  }

  /** The order of a cell, as a text that equal cells share. */
  #orderOf(cell: Cell | undefined): string | undefined {
    const order = orderOf(cell);
    if (order === undefined) return undefined;
    const known = this.#texts.get(order);
    if (known === undefined && this.#texts.size < MAX_TEXTS) this.#texts.set(order, order);
    return known ?? order;
  }
}

/** How many numbers are sorted or merged in one step, which takes a few milliseconds. */
const STEP = 8_192;

/** The whole numbers from 0 up to, not including, `count`, in order: short runs are sorted, then merged by twos. */
export function* sortedNumbers(
  count: number,
  compare: (a: number, b: number) => number,
): CooperativeTask<Uint32Array> {
  let from = Uint32Array.from({ length: count }, (_, index) => index);
  for (let start = 0; start < count; start += STEP) {
    from.subarray(start, start + STEP).sort(compare);
    yield;
  }
  let to = new Uint32Array(count);
  for (let run = STEP; run < count; run *= 2) {
    for (let start = 0; start < count; start += 2 * run) {
      const middle = Math.min(start + run, count);
      const end = Math.min(middle + run, count);
      let [left, right] = [start, middle];
      for (let at = start; at < end; at++) {
        if (at % STEP === 0) yield;
        const isLeft = right === end || (left < middle && compare(from[left]!, from[right]!) <= 0);
        to[at] = isLeft ? from[left++]! : from[right++]!;
      }
    }
    [from, to] = [to, from];
  }
  return from;
}

interface SortOptions {
  /** The name for one of them in notes, where they are no records. */
  readonly what?: string | undefined;
  /** What the names of the columns stand for. */
  readonly names?: ColumnNames | undefined;
}

/** The question of --sort: all records in the order of the columns. Records that do not fit in memory wait in a temporary file. */
export function sortQuestion(
  keys: readonly SortColumn[],
  signal: AbortSignal,
  options?: SortOptions,
): Question {
  const sorter = new RecordSorter(keys, options);
  return {
    async *answer(records): AsyncGenerator<RecordBatch> {
      try {
        for await (const batch of records) await sorter.add(batch);
        sorter.refuseNearMisses();
        yield* sorter.sorted(signal);
      } finally {
        await sorter.close();
      }
    },
    findings: () => sorter.complaints().map((text) => ({ level: 'warning', text: `--sort: ${text}` })),
  };
}
