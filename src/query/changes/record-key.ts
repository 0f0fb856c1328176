import { hash } from 'node:crypto';
import { CellReader, type Cell } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';
import { contentOf } from '../../json/signed-links.ts';

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
    const content = digest(contentOf(batch, index));
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
