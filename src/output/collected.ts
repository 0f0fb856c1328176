import { LINE_FEED } from '../json/ascii.ts';
import { wholeRecords, type RecordBatch } from '../json/records.ts';
import { scanLines } from '../json/scan-records.ts';
import { Spool } from './spool.ts';

/** Bytes that are kept in memory before there is a file. Little, since many such collections may be open. */
const MEMORY = 256 * 1024;

const BATCH = { bytes: 1_000_000, records: 4_000 };

/**
 * Records that were put aside until all have come, as they came or in any order. They wait as lines in a temporary file, with folio's
 * own column among their members. Methods reject with OutputError.
 */
export class Collected {
  readonly #spool: Spool;
  /** Where each record begins in the spool, and where the last one ends; undefined where nobody needs it. */
  readonly #starts: number[] | undefined;
  #count = 0;
  #size = 0;

  /**
   * @param anyOrder whether `inOrder` is going to be called: that takes 8 bytes of memory for each record
   * @param memory bytes that are kept in memory before there is a file
   */
  constructor({ anyOrder = false, memory = MEMORY } = {}) {
    this.#spool = new Spool({ memory });
    this.#starts = anyOrder ? [0] : undefined;
  }

  get count(): number {
    return this.#count;
  }

  async add(given: RecordBatch): Promise<void> {
    const { bytes, bounds, count } = wholeRecords(given);
    let size = count;
    for (let index = 0; index < count; index++) size += bounds[2 * index + 1]! - bounds[2 * index]!;
    const lines = Buffer.allocUnsafeSlow(size);
    let end = 0;
    for (let index = 0; index < count; index++) {
      end += bytes.copy(lines, end, bounds[2 * index], bounds[2 * index + 1]);
      lines[end++] = LINE_FEED;
      this.#starts?.push(this.#size + end);
    }
    this.#count += count;
    this.#size += size;
    if (count > 0) await this.#spool.append(lines);
  }

  /**
   * The batches as they came. May be called more than once, after the last `add`.
   *
   * @param reuse whether a batch need stand only until the next one is asked for
   */
  async *read({ reuse = false } = {}): AsyncGenerator<RecordBatch> {
    for await (const lines of this.#spool.read({ reuse })) yield scanLines(lines);
  }

  /** The records with these numbers, from 0, in the order in which the numbers come; after the last `add`. */
  async *inOrder(numbers: Iterable<number>): AsyncGenerator<RecordBatch> {
    let parts: Buffer[] = [];
    let bytes = 0;
    for (const number of numbers) {
      const record = this.#spool.slice(this.#starts![number]!, this.#starts![number + 1]!);
      parts.push(record);
      bytes += record.length;
      if (bytes < BATCH.bytes && parts.length < BATCH.records) continue;
      yield scanLines(Buffer.concat(parts));
      [parts, bytes] = [[], 0];
    }
    if (parts.length > 0) yield scanLines(Buffer.concat(parts));
  }

  async close(): Promise<void> {
    await this.#spool.close();
  }
}
