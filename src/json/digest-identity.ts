import { hash } from 'node:crypto';
import { IdentityReader, type KeyColumns, type RecordHash } from './identity.ts';

export const DIGEST_WORDS = 4;

const DIGEST: RecordHash = {
  width: DIGEST_WORDS,
  write: (words, to, { bytes }, start, end) => digestInto(words, to, bytes.subarray(start, end)),
};

/**
 * Reads identities as 128 bits of SHA-256 each: for listings whose records no total counts, and for what outlives a run. It is
 * loaded only there: the runtime takes 3 ms to load what makes digests.
 */
export class DigestReader extends IdentityReader {
  constructor(columns: KeyColumns = {}) {
    super(columns, DIGEST);
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
