import { hash } from 'node:crypto';
import type { WordView } from './bytes.ts';
import { IdentityReader, type KeyColumns } from './identity.ts';

export const DIGEST_WORDS = 4;

/**
 * Reads identities as 128 bits of SHA-256 each: for listings whose records no total counts, and for what outlives a run. It is
 * loaded only there: the runtime takes 3 ms to load what makes digests.
 */
export class DigestReader extends IdentityReader {
  #taken = Buffer.allocUnsafe(4096);
  #length = 0;

  constructor(columns: KeyColumns = {}) {
    super(columns, DIGEST_WORDS);
  }

  protected override begin(): void {
    this.#length = 0;
  }

  protected override take({ bytes }: WordView, start: number, end: number): void {
    const length = this.#length + end - start;
    if (length > this.#taken.length) {
      const larger = Buffer.allocUnsafe(2 * length);
      this.#taken.copy(larger, 0, 0, this.#length);
      this.#taken = larger;
    }
    bytes.copy(this.#taken, this.#length, start, end);
    this.#length = length;
  }

  protected override finish(to: number): void {
    digestInto(this.words, to, this.#taken.subarray(0, this.#length));
  }
}

/** Writes 128 bits of a text's SHA-256 as words. The first one is never 0. */
export function digestInto(words: Uint32Array, to: number, content: Buffer | string): void {
  // A character for each byte: making a Buffer takes twice as long as the hash itself.
  const digest = hash('sha256', content, 'binary');
  for (let word = 0; word < DIGEST_WORDS; word++) {
    const at = 4 * word;
    words[to + word] =
      digest.charCodeAt(at) |
      (digest.charCodeAt(at + 1) << 8) |
      (digest.charCodeAt(at + 2) << 16) |
      (digest.charCodeAt(at + 3) << 24);
  }
  words[to] ||= 1;
}
