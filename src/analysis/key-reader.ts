import { hash } from 'node:crypto';
import { CellReader } from '../json/cells.ts';
import { compact } from '../json/compact.ts';
import { recordBytes, type RecordBatch } from '../json/record-batch.ts';

/** What tells a record of one export which record of another is the same one, and whether it is still the same. */
export interface KeyedRecord {
  /** The kind and text of the key's cell; undefined where the record has none, so that its content must do. */
  readonly key: string | undefined;
  /** 64 bits each; the first two of the key (or of the content, without one), the others of the content. */
  readonly hashes: Uint32Array;
}

/** Reads the key and the hashes of records. Records that differ in nothing but white space are the same. */
export class KeyReader {
  readonly #reader: CellReader;

  constructor(column: string) {
    this.#reader = new CellReader([column]);
  }

  read(batch: RecordBatch, index: number): KeyedRecord {
    const [cell] = this.#reader.read(batch, index);
    const key = cell && cell.kind + cell.text;
    const content = hash('sha1', compactRecord(batch, index), 'buffer');
    const identity = key === undefined ? content : hash('sha1', key, 'buffer');
    const hashes = new Uint32Array(4);
    for (let word = 0; word < 2; word++) {
      // Apart from the content's own, so that a record without a key never passes for a key of the same hash.
      hashes[word] = identity.readUInt32LE(4 * word + (key === undefined ? 8 : 0));
      hashes[word + 2] = content.readUInt32LE(4 * word);
    }
    return { key, hashes };
  }
}

/** The record as one line. */
export function compactRecord(batch: RecordBatch, index: number): Buffer {
  return batch.spaced
    ? compact(batch.bytes, batch.bounds[2 * index]!, batch.bounds[2 * index + 1]!)
    : recordBytes(batch, index);
}
