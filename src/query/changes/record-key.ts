import { hash } from 'node:crypto';
import { CellReader, type Cell } from '../../json/cells.ts';
import { compact } from '../../json/checked-text.ts';
import { recordBytes, type RecordBatch } from '../../json/records.ts';

/** The identity of a record among exports: its key, and hashes that show whether it changed. */
export interface KeyedRecord {
  /** The cells of the key's columns, in their order. */
  readonly cells: readonly (Cell | undefined)[];
  /** The kinds and texts of the cells; undefined where one of them is missing: then the content takes its place. */
  readonly key: string | undefined;
  /** 64 bits of the key (or of the content, without one), then 64 of the content. Overwritten by the next read. */
  readonly hashes: Uint32Array;
}

/** Reads the key and the hashes of records. White space and the signatures of links do not count. */
export class KeyReader {
  readonly #reader: CellReader;
  readonly #hashes = new Uint32Array(4);

  constructor(columns: readonly string[]) {
    this.#reader = new CellReader(columns);
  }

  read(batch: RecordBatch, index: number): KeyedRecord {
    const cells = this.#reader.read(batch, index);
    const key = cells.includes(undefined)
      ? undefined
      : cells.map((cell) => cell!.kind + cell!.text).join('\0');
    const content = digest(contentToHash(compactRecord(batch, index)));
    this.#hashes[2] = word(content, 0);
    this.#hashes[3] = word(content, 4);
    // Other bits than those above, so that a record without a key is told apart by 128.
    const identity = key === undefined ? content : digest(key);
    this.#hashes[0] = word(identity, 8);
    this.#hashes[1] = word(identity, 12);
    return { cells, key, hashes: this.#hashes };
  }
}

/** A hash as text, a character for each byte: making a Buffer takes twice as long as the hash itself. */
function digest(content: string | Buffer): string {
  return hash('sha1', content, 'binary');
}

function word(digest: string, at: number): number {
  return (
    digest.charCodeAt(at) |
    (digest.charCodeAt(at + 1) << 8) |
    (digest.charCodeAt(at + 2) << 16) |
    (digest.charCodeAt(at + 3) << 24)
  );
}

/** The record as one line. */
export function compactRecord(batch: RecordBatch, index: number): Buffer {
  return batch.spaced
    ? compact(batch.bytes, batch.bounds[2 * index]!, batch.bounds[2 * index + 1]!)
    : recordBytes(batch, index);
}

/** A link to a file in a record, as JSON: its origin, its path, and what signs it. */
const LINK = /("fileUrl":")https?:\/\/[^"\\/?#]*([^"\\?#]*)(?:[^"\\]|\\.)*"/g;
const MEMBER = Buffer.from('"fileUrl"');

/**
 * The JSON text with only the paths of links to files: the links are signed anew with each answer (spec 2.5), so that no
 * record would ever be unchanged.
 */
export function withoutSignatures(json: string): string {
  return json.replace(LINK, '$1$2"');
}

/**
 * The content of a record to hash: its bytes. Where it has links, a text without their signatures, a character for each byte:
 * that takes half the time and memory of decoding.
 */
export function contentToHash(record: Buffer): Buffer | string {
  return record.includes(MEMBER) ? withoutSignatures(record.toString('latin1')) : record;
}
