import { DIGEST_WORDS } from './digest-identity.ts';

/** Words of 32 bits a record: those of its key's digest, then those of its content's. */
const WORDS = 2 * DIGEST_WORDS;
const FREE = -1;
/** Records in one piece of the index. It grows by pieces, so that nothing is copied. */
const PIECE = 4096;

/**
 * Finds records by the digest of their key, and knows that of their content: some 45 bytes a record, so that a million take
 * 45 MB. A record has the number in which it came, from 0 on.
 */
export class RecordIndex {
  readonly #pieces: Uint32Array[] = [];
  #slots = new Int32Array(2 * PIECE).fill(FREE);
  readonly #stride: number;
  #count = 0;

  /** @param more words of 32 bits that the caller keeps beside each record */
  constructor(more = 0) {
    this.#stride = WORDS + more;
  }

  get count(): number {
    return this.#count;
  }

  /** Adds a record by the words of its key and of its content, which the index copies, and the caller's. Returns its number. */
  add(words: Readonly<Uint32Array>, more: readonly number[] = []): number {
    const record = this.#count++;
    const at = (record % PIECE) * this.#stride;
    if (at === 0) this.#pieces.push(new Uint32Array(PIECE * this.#stride));
    this.#pieces.at(-1)!.set(words, at);
    this.#pieces.at(-1)!.set(more, at + WORDS);
    this.#place(record);
    if (2 * this.#count > this.#slots.length) this.#grow();
    return record;
  }

  /** The first record with this key, or -1. */
  find(words: Readonly<Uint32Array>): number {
    for (const record of this.candidates(words)) return record;
    return FREE;
  }

  /** The records with this key, in their order. */
  *candidates(words: Readonly<Uint32Array>): Generator<number> {
    const mask = this.#slots.length - 1;
    for (let slot = words[0]! & mask; this.#slots[slot] !== FREE; slot = (slot + 1) & mask) {
      const record = this.#slots[slot]!;
      if (this.#has(record, 0, words)) yield record;
    }
  }

  /** Whether the record has this content. */
  hasContent(record: number, words: Readonly<Uint32Array>): boolean {
    return this.#has(record, DIGEST_WORDS, words);
  }

  /** One of the words that the caller keeps beside the record. */
  more(record: number, word: number): number {
    return this.#word(record, WORDS + word);
  }

  /** The content's digest, as a database keeps it: 32 hexadecimal digits. */
  contentText(record: number): string {
    const at = (record % PIECE) * this.#stride + DIGEST_WORDS;
    const { buffer } = this.#pieces[Math.floor(record / PIECE)]!;
    return Buffer.from(buffer, 4 * at, 4 * DIGEST_WORDS).toString('hex');
  }

  #has(record: number, from: number, words: Readonly<Uint32Array>): boolean {
    const piece = this.#pieces[Math.floor(record / PIECE)]!;
    const at = (record % PIECE) * this.#stride;
    for (let word = from; word < from + DIGEST_WORDS; word++)
      if (piece[at + word] !== words[word]) return false;
    return true;
  }

  #word(record: number, word: number): number {
    return this.#pieces[Math.floor(record / PIECE)]![(record % PIECE) * this.#stride + word]!;
  }

  #place(record: number): void {
    const mask = this.#slots.length - 1;
    let slot = this.#word(record, 0) & mask;
    while (this.#slots[slot] !== FREE) slot = (slot + 1) & mask;
    this.#slots[slot] = record;
  }

  /** Half of the slots stay free, so that a search is short. */
  #grow(): void {
    this.#slots = new Int32Array(2 * this.#slots.length).fill(FREE);
    for (let record = 0; record < this.#count; record++) this.#place(record);
  }
}
