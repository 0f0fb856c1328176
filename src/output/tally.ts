import type { Hash } from 'node:crypto';

/** Counts the bytes that pass and, only if asked to, hashes them: hashing costs about as much as writing. */
export class Tally {
  bytes = 0;
  readonly #hash: Hash | undefined;

  private constructor(hash: Hash | undefined) {
    this.#hash = hash;
  }

  /** The runtime takes 3 ms to load its part for hashes, which only a run with a receipt needs. */
  static async open(digest: boolean): Promise<Tally> {
    return new Tally(digest ? (await import('node:crypto')).createHash('sha256') : undefined);
  }

  /** Adds the chunk and hands it back as bytes. */
  add(chunk: Uint8Array | string): Uint8Array {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk, 'utf8') : chunk;
    this.bytes += bytes.byteLength;
    this.#hash?.update(bytes);
    return bytes;
  }

  /** SHA-256 so far, in hex. */
  sha256(): string {
    if (this.#hash === undefined) throw new TypeError('opened without digest');
    return this.#hash.copy().digest('hex');
  }
}
