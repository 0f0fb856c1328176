/** Entries per record: two words of the key's hash, two of the content's, the length, and the offset in two words. */
const WORDS = 7;
const LENGTH = 4;
const OFFSET_LOW = 5;
const OFFSET_HIGH = 6;
const FREE = -1;
const WORD = 2 ** 32;
/** Records that are kept in one piece: what grows by pieces is never copied, and leaves nothing behind. */
const PIECE = 1024;

/**
 * Where the records of a file are, found by the hash of their key: about 40 bytes each, so that a million take 40 MB
 * and nothing of the file itself stays in memory. Records of one key are kept in their order.
 */
export class RecordIndex {
  readonly #pieces: Uint32Array[] = [];
  readonly #taken: Uint8Array[] = [];
  #slots = new Int32Array(2 * PIECE).fill(FREE);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Takes the four words of the hashes and where the record is; says whether its key was there before. */
  add(hashes: Uint32Array, start: number, length: number): boolean {
    const at = (this.#count % PIECE) * WORDS;
    if (at === 0) this.#grow();
    const piece = this.#pieces.at(-1)!;
    piece.set(hashes, at);
    piece[at + LENGTH] = length;
    piece[at + OFFSET_LOW] = start % WORD;
    piece[at + OFFSET_HIGH] = Math.floor(start / WORD);
    return this.#place(this.#count++);
  }

  /** The records with the key's hash, in their order. */
  *candidates(hashes: Uint32Array): Generator<number> {
    const mask = this.#slots.length - 1;
    for (let slot = hashes[0]! & mask; this.#slots[slot] !== FREE; slot = (slot + 1) & mask) {
      const record = this.#slots[slot]!;
      if (this.#hasKey(record, hashes)) yield record;
    }
  }

  /** Whether the record's content has the hash. */
  hasContent(record: number, hashes: Uint32Array): boolean {
    return this.#word(record, 2) === hashes[2] && this.#word(record, 3) === hashes[3];
  }

  /** The record has found its counterpart. */
  take(record: number): void {
    this.#taken[Math.floor(record / PIECE)]![record % PIECE] = 1;
  }

  isTaken(record: number): boolean {
    return this.#taken[Math.floor(record / PIECE)]![record % PIECE] === 1;
  }

  /** Where the record is in the file. */
  span(record: number): [start: number, end: number] {
    const start = this.#word(record, OFFSET_HIGH) * WORD + this.#word(record, OFFSET_LOW);
    return [start, start + this.#word(record, LENGTH)];
  }

  #word(record: number, word: number): number {
    return this.#pieces[Math.floor(record / PIECE)]![(record % PIECE) * WORDS + word]!;
  }

  #hasKey(record: number, hashes: ArrayLike<number>): boolean {
    return this.#word(record, 0) === hashes[0] && this.#word(record, 1) === hashes[1];
  }

  #place(record: number): boolean {
    const mask = this.#slots.length - 1;
    const hashes = [this.#word(record, 0), this.#word(record, 1)];
    let known = false;
    let slot = hashes[0]! & mask;
    for (; this.#slots[slot] !== FREE; slot = (slot + 1) & mask)
      known ||= this.#hasKey(this.#slots[slot]!, hashes);
    this.#slots[slot] = record;
    return known;
  }

  /** Half of the slots stay free, so that a search is short. */
  #grow(): void {
    this.#pieces.push(new Uint32Array(PIECE * WORDS));
    this.#taken.push(new Uint8Array(PIECE));
    if (this.#pieces.length * PIECE <= this.#slots.length / 2) return;
    this.#slots = new Int32Array(this.#slots.length * 2).fill(FREE);
    for (let record = 0; record < this.#count; record++) this.#place(record);
  }
}
