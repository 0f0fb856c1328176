import type { ColumnSurvey } from '../json/column-facts.ts';
import { recordBytes, wholeRecords, type RecordBatch } from '../json/records.ts';
import { scanLines } from '../json/scan-records.ts';
import { Spool } from './spool.ts';

/** Bytes that are kept in memory before there is a file. Little, since many such collections may be open. */
const MEMORY = 256 * 1024;

interface CollectedOptions {
  /** Notes of which kinds the columns are, as the records come. */
  readonly survey?: ColumnSurvey;
  /** Whether `inOrder` is going to be asked for, in place of `read`: that takes 8 bytes of memory for each record. */
  readonly anyOrder?: boolean;
  /** Bytes that are kept in memory before there is a file; 256 KiB unless given. */
  readonly memory?: number;
}

/**
 * Records that were put aside until all have come: their number, what a survey noted of their columns, and the records once more,
 * as they came or in any order. Their bytes wait in a temporary file. Methods reject with OutputError.
 */
export class Collected {
  readonly #spool: Spool;
  readonly #survey: ColumnSurvey | undefined;
  /** Where each record begins in the spool, and where the last one ends; undefined where nobody asks. */
  readonly #bounds: number[] | undefined;
  readonly #spaced: boolean[] = [];
  #count = 0;

  constructor({ survey, anyOrder = false, memory = MEMORY }: CollectedOptions = {}) {
    this.#spool = new Spool({ memory });
    this.#survey = survey;
    this.#bounds = anyOrder ? [0] : undefined;
  }

  /** How many records there are. */
  get count(): number {
    return this.#count;
  }

  /** Takes records. They wait with folio's own column among their members. */
  async add(given: RecordBatch): Promise<void> {
    const batch = wholeRecords(given);
    const { count } = batch;
    if (count === 0) return;
    if (this.#survey !== undefined)
      for (let index = 0; index < count; index++) this.#survey.add(batch, index);
    this.#count += count;
    if (this.#bounds !== undefined) {
      await this.#spool.append(linesOf(batch, this.#bounds));
      return;
    }
    this.#spaced.push(batch.spaced);
    const { places, bytes } = packed(batch);
    await this.#spool.append(new Uint8Array(places.buffer));
    await this.#spool.append(bytes);
  }

  /** The batches as they came. May be called more than once, after the last `add`. */
  async *read(): AsyncGenerator<RecordBatch> {
    let places: Int32Array | undefined;
    let index = 0;
    for await (const chunk of this.#spool.read()) {
      if (places === undefined) {
        places = new Int32Array(chunk.buffer, chunk.byteOffset, chunk.length / 4);
        continue;
      }
      const count = places.length / 4;
      const [bounds, ids] = [places.subarray(0, 2 * count), places.subarray(2 * count)];
      places = undefined;
      yield { bytes: chunk, count, bounds, ids, spaced: this.#spaced[index++]! };
    }
  }

  /** The records with these numbers, from 0, in the order in which the numbers come; after the last `add`. */
  async *inOrder(numbers: Iterable<number>): AsyncGenerator<RecordBatch> {
    await this.#spool.settle();
    let parts: Buffer[] = [];
    let bytes = 0;
    for (const number of numbers) {
      const record = this.#spool.slice(this.#bounds![number]!, this.#bounds![number + 1]!);
      parts.push(record);
      bytes += record.length;
      if (bytes < BATCH.bytes && parts.length < BATCH.records) continue;
      yield scanLines(Buffer.concat(parts));
      [parts, bytes] = [[], 0];
    }
    if (parts.length > 0) yield scanLines(Buffer.concat(parts));
  }

  /** Gives the temporary file back. */
  async close(): Promise<void> {
    await this.#spool.close();
  }
}

/** The most records in another order that are passed on together. */
const BATCH = { bytes: 1_000_000, records: 4_000 };
const NEWLINE = Buffer.from('\n');

/** The records, each with a line end, which is added to the bounds of those before. */
function linesOf(batch: RecordBatch, bounds: number[]): Buffer {
  const parts: Uint8Array[] = [];
  let end = bounds.at(-1)!;
  for (let index = 0; index < batch.count; index++) {
    const bytes = recordBytes(batch, index);
    parts.push(bytes, NEWLINE);
    bounds.push((end += bytes.length + 1));
  }
  return Buffer.concat(parts);
}

/** The bytes of the records alone, without those between them; and the bounds and ids of each in these bytes. */
function packed(batch: RecordBatch): { places: Int32Array; bytes: Buffer } {
  const { bytes, bounds, ids, count } = batch;
  const places = new Int32Array(4 * count).fill(-1);
  if (isPacked(batch)) {
    places.set(bounds);
    places.set(ids, 2 * count);
    return { places, bytes };
  }
  let size = 0;
  for (let slot = 0; slot < 2 * count; slot += 2) size += bounds[slot + 1]! - bounds[slot]!;
  const close = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (let slot = 0; slot < 2 * count; slot += 2) {
    const shift = at - bounds[slot]!;
    places[slot] = at;
    at += bytes.copy(close, at, bounds[slot], bounds[slot + 1]);
    places[slot + 1] = at;
    if (ids[slot]! >= 0) places.set([ids[slot]! + shift, ids[slot + 1]! + shift], 2 * count + slot);
  }
  return { places, bytes: close };
}

function isPacked({ bytes, bounds }: RecordBatch): boolean {
  let end = 0;
  for (let slot = 0; slot < bounds.length; slot += 2) {
    if (bounds[slot] !== end) return false;
    end = bounds[slot + 1]!;
  }
  return end === bytes.length;
}
