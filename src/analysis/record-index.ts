/** Entries per record: two words of the key's hash, two of the content's, the length, and the offset in two words. */
const WORDS = 7;
const OFFSET_LOW = 5;
const OFFSET_HIGH = 6;
const LENGTH = 4;
const FREE = -1;
const WORD = 2 ** 32;

/**
 * Where the records of a file are, found by the hash of their key: about 40 bytes each, so that a million take 40 MB
 * and nothing of the file itself stays in memory. Records of one key are kept in their order.
 */
export class RecordIndex {
  #entries = new Uint32Array(WORDS * 1024);
  #slots = new Int32Array(2048).fill(FREE);
  #taken = new Uint8Array(1024);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Takes the four words of the hashes and where the record is; says whether its key was there before. */
  add(hashes: Uint32Array, start: number, length: number): boolean {
    if (this.#count === this.#taken.length) this.#grow();
    const at = this.#count * WORDS;
    this.#entries.set(hashes, at);
    this.#entries[at + LENGTH] = length;
    this.#entries[at + OFFSET_LOW] = start % WORD;
    this.#entries[at + OFFSET_HIGH] = Math.floor(start / WORD);
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
    const at = record * WORDS;
    return this.#entries[at + 2] === hashes[2] && this.#entries[at + 3] === hashes[3];
  }

  /** The record has found its counterpart. */
  take(record: number): void {
    this.#taken[record] = 1;
  }

  isTaken(record: number): boolean {
    return this.#taken[record] === 1;
  }

  /** Where the record is in the file. */
  span(record: number): [start: number, end: number] {
    const at = record * WORDS;
    const start = this.#entries[at + OFFSET_HIGH]! * WORD + this.#entries[at + OFFSET_LOW]!;
    return [start, start + this.#entries[at + LENGTH]!];
  }

  #hasKey(record: number, hashes: Uint32Array): boolean {
    const at = record * WORDS;
    return this.#entries[at] === hashes[0] && this.#entries[at + 1] === hashes[1];
  }

  #place(record: number): boolean {
    const mask = this.#slots.length - 1;
    const hashes = this.#entries.subarray(record * WORDS, record * WORDS + 2);
    let known = false;
    let slot = hashes[0]! & mask;
    for (; this.#slots[slot] !== FREE; slot = (slot + 1) & mask)
      known ||= this.#hasKey(this.#slots[slot]!, hashes);
    this.#slots[slot] = record;
    return known;
  }

  /** Half of the slots stay free, so that a search is short. */
  #grow(): void {
    const [entries, taken] = [this.#entries, this.#taken];
    this.#entries = new Uint32Array(entries.length * 2);
    this.#entries.set(entries);
    this.#taken = new Uint8Array(taken.length * 2);
    this.#taken.set(taken);
    this.#slots = new Int32Array(this.#slots.length * 2).fill(FREE);
    for (let record = 0; record < this.#count; record++) this.#place(record);
  }
}
