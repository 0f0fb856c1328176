import { DIGEST_WORDS } from './digest-identity.ts';

/** Words of 32 bits a record: those of its key's digest, and those of its content's. */
const WORDS = 2 * DIGEST_WORDS;
const FREE = -1;
/** Records in one piece of the index. It grows by pieces, so that nothing is copied. */
const PIECE = 4096;

/**
 * Finds records by the digest of their key, and keeps the digest of their content: some 45 bytes a record, so that a million take
 * 45 MB. Records are numbered in the order in which they come, from 0 on.
 *
 * The records of one key are a ring, so that 100,000 of one key take no longer than those of 100,000 keys.
 */
export class RecordIndex {
  readonly #pieces: Uint32Array[] = [];
  /** The next record of the same key; without an entry, it is the only one. */
  readonly #next = new Map<number, number>();
  /** The last record of each key. Half of the slots stay free, so that a search is short. */
  #slots = new Int32Array(2 * PIECE).fill(FREE);
  #keys = 0;
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
    const slot = this.#slotOf(words);
    const last = this.#slots[slot]!;
    this.#slots[slot] = record;
    if (last !== FREE) this.#next.set(record, this.#nextOf(last)).set(last, record);
    else if (2 * ++this.#keys > this.#slots.length) this.#grow();
    return record;
  }

  /** The first record with this key, or -1. */
  find(words: Readonly<Uint32Array>): number {
    const last = this.#slots[this.#slotOf(words)]!;
    return last === FREE ? FREE : this.#nextOf(last);
  }

  /** The first record with this key, or -1. It becomes the last one: the next call finds the next record. */
  rotate(words: Readonly<Uint32Array>): number {
    const first = this.find(words);
    if (first !== FREE) this.#slots[this.#slotOf(words)] = first;
    return first;
  }

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

  #nextOf(record: number): number {
    return this.#next.get(record) ?? record;
  }

  /** The slot that has the key, or the free one where it belongs. */
  #slotOf(words: Readonly<Uint32Array>): number {
    const mask = this.#slots.length - 1;
    let slot = words[0]! & mask;
    while (this.#slots[slot] !== FREE && !this.#has(this.#slots[slot]!, 0, words)) slot = (slot + 1) & mask;
    return slot;
  }

  #grow(): void {
    const lasts = this.#slots;
    this.#slots = new Int32Array(2 * lasts.length).fill(FREE);
    const mask = this.#slots.length - 1;
    for (const last of lasts) {
      if (last === FREE) continue;
      let slot = this.#word(last, 0) & mask;
      while (this.#slots[slot] !== FREE) slot = (slot + 1) & mask;
      this.#slots[slot] = last;
    }
  }
}
