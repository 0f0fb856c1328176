import { CellReader, type Cell } from '../json/cells.ts';
import { recordBytes, type RecordBatch } from '../json/records.ts';
import { scanLines } from '../json/scan-records.ts';
import { inTurns, type Steps } from '../json/turns.ts';
import { Spool } from '../output/spool.ts';
import { compareOrders, orderOf } from './cell-order.ts';
import { ColumnWatch } from './column-watch.ts';
import type { SortColumn } from './question-syntax.ts';
import type { Question } from './questions.ts';

/** Keeps records until their order is known. Positions count the bytes that were appended. */
interface RecordStore {
  append(bytes: Uint8Array): Promise<void>;
  /** Called once, between the last append and the first slice. */
  settle(): Promise<void>;
  /** The bytes from `start` up to `end`. Synchronous, since a million small reads must not each wait for the event loop. */
  slice(start: number, end: number): Buffer;
}

/** The most sorted records that are passed on together. */
const BATCH = { bytes: 1_000_000, records: 4_000 };
const MAX_TEXTS = 10_000;
const NEWLINE = Buffer.from('\n');

/**
 * Sorts records by one or more columns: numbers by exact value, then text by its characters, then records without a value
 * (also when descending). Equal records keep their order. Their bytes wait in the store; memory holds their keys, about 100
 * bytes for each record and column.
 */
export class RecordSorter {
  readonly #keys: readonly SortColumn[];
  readonly #reader: CellReader;
  readonly #watch: ColumnWatch;
  readonly #store: RecordStore;
  /** For each key, the order of every record's cell. */
  readonly #orders: (string | undefined)[][];
  /** Values such as dates and states repeat: records with the same value share one text. */
  readonly #texts = new Map<string, string>();
  /** Record `i` is `store[bounds[i] .. bounds[i + 1])`. */
  readonly #bounds = [0];

  constructor(keys: readonly SortColumn[], store: RecordStore, what?: string) {
    const columns = keys.map(({ column }) => column);
    this.#keys = keys;
    this.#reader = new CellReader(columns);
    const watched = keys.filter(({ isKnown }) => !isKnown);
    this.#watch = new ColumnWatch(
      watched.map(({ column }) => column),
      what,
    );
    this.#store = store;
    this.#orders = keys.map(() => []);
  }

  async add(batch: RecordBatch): Promise<void> {
    this.#watch.sample(batch);
    const parts: Uint8Array[] = [];
    let end = this.#bounds.at(-1)!;
    for (let index = 0; index < batch.count; index++) {
      const cells = this.#reader.read(batch, index);
      this.#watch.see(cells);
      for (const [key, orders] of this.#orders.entries()) orders.push(this.#orderOf(cells[key]));
      const bytes = recordBytes(batch, index);
      parts.push(bytes, NEWLINE);
      this.#bounds.push((end += bytes.length + 1));
    }
    await this.#store.append(Buffer.concat(parts));
  }

  /** All records that were added, in order. Throws the signal's reason. */
  async *sorted(signal: AbortSignal): AsyncGenerator<RecordBatch> {
    await this.#store.settle();
    const order = await inTurns(
      sortedNumbers(this.#bounds.length - 1, (a, b) => this.#compare(a, b)),
      signal,
    );
    let parts: Buffer[] = [];
    let bytes = 0;
    for (const index of order) {
      const record = this.#store.slice(this.#bounds[index]!, this.#bounds[index + 1]!);
      parts.push(record);
      bytes += record.length;
      if (bytes < BATCH.bytes && parts.length < BATCH.records) continue;
      yield scanLines(Buffer.concat(parts));
      [parts, bytes] = [[], 0];
    }
    if (parts.length > 0) yield scanLines(Buffer.concat(parts));
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
export function* sortedNumbers(count: number, compare: (a: number, b: number) => number): Steps<Uint32Array> {
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

/**
 * The question of --sort: all records in the order of the columns. Records that do not fit in memory wait in a temporary file.
 *
 * @param what the name for one of them in notes, where they are no records
 */
export function sortQuestion(keys: readonly SortColumn[], signal: AbortSignal, what?: string): Question {
  const spool = new Spool();
  const sorter = new RecordSorter(keys, spool, what);
  return {
    async *answer(records): AsyncGenerator<RecordBatch> {
      try {
        for await (const batch of records) await sorter.add(batch);
        yield* sorter.sorted(signal);
      } finally {
        await spool.close();
      }
    },
    notes: () => sorter.complaints().map((text) => ({ kind: 'warning', text: `--sort: ${text}` })),
  };
}
