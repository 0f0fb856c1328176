import type { RecordBatch } from '../json/record-batch.ts';
import { Spool } from './spool.ts';

/** Bytes that are kept in memory before there is a file: little, since there may be many at a time. */
const MEMORY = 256 * 1024;

/** Batches of records put aside until it is their turn: memory does not grow with them. Methods reject with OutputError. */
export class RecordSpool {
  readonly #spool: Spool;
  readonly #spaced: boolean[] = [];

  constructor(spool = new Spool({ memory: MEMORY })) {
    this.#spool = spool;
  }

  /** Takes a batch, which must not change afterwards. */
  async append(batch: RecordBatch): Promise<void> {
    if (batch.count === 0) return;
    this.#spaced.push(batch.spaced);
    const { places, bytes } = packed(batch);
    await this.#spool.append(new Uint8Array(places.buffer));
    await this.#spool.append(bytes);
  }

  /** The batches as they were appended. To be read once, when all are there. */
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

  async close(): Promise<void> {
    await this.#spool.close();
  }
}

/** The records of a batch without what stands between them, and their bounds and ids there, one after the other. */
function packed({ bytes, bounds, ids, count }: RecordBatch): { places: Int32Array; bytes: Buffer } {
  const places = new Int32Array(4 * count).fill(-1);
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
