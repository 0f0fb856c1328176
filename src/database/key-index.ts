import { hash } from 'node:crypto';

/** Words of 32 bits a record: four of its key's hash, four of its content's. */
const WORDS = 8;
const CONTENT = 4;
const FREE = -1;
/** Records in one piece of the index. It grows by pieces, so that nothing is copied. */
const PIECE = 4096;

/** 128 bits of SHA-256, as 16 characters of a byte each. */
export function hash128(content: string | Buffer): string {
  return hash('sha256', content, 'binary').slice(0, 16);
}

/** Keys and contents of records by 128 bits of each: some 50 bytes a record, so that a million take 50 MB. */
export class HashedKeyIndex {
  readonly #pieces: Int32Array[] = [];
  #slots = new Int32Array(2 * PIECE).fill(FREE);
  #count = 0;
  readonly #wanted = new Int32Array(CONTENT);

  get count(): number {
    return this.#count;
  }

  /** Adds a record and returns -1; where one has the same key, returns the number of that one instead, and adds none. */
  add(key: string, content: string): number {
    const slot = this.#slotOf(key);
    if (this.#slots[slot]! !== FREE) return this.#slots[slot]!;
    const record = this.#count++;
    const at = (record % PIECE) * WORDS;
    if (at === 0) this.#pieces.push(new Int32Array(PIECE * WORDS));
    const piece = this.#pieces.at(-1)!;
    for (let word = 0; word < CONTENT; word++) {
      piece[at + word] = wordOf(key, word);
      piece[at + CONTENT + word] = wordOf(content, word);
    }
    this.#slots[slot] = record;
    if (2 * this.#count > this.#slots.length) this.#grow();
    return FREE;
  }

  /** The number of the record that has the key, or -1. */
  find(key: string): number {
    return this.#slots[this.#slotOf(key)]!;
  }

  /** Whether that is the content of the record. */
  hasContent(record: number, content: string): boolean {
    const piece = this.#pieces[Math.floor(record / PIECE)]!;
    const at = (record % PIECE) * WORDS + CONTENT;
    for (let word = 0; word < CONTENT; word++) if (piece[at + word] !== wordOf(content, word)) return false;
    return true;
  }

  /** The content's hash, as a database keeps it: 32 hexadecimal digits. */
  contentText(record: number): string {
    const piece = this.#pieces[Math.floor(record / PIECE)]!;
    const at = (record % PIECE) * WORDS + CONTENT;
    const digest = Buffer.alloc(4 * CONTENT);
    for (let word = 0; word < CONTENT; word++) digest.writeInt32LE(piece[at + word]!, 4 * word);
    return digest.toString('hex');
  }

  /** The slot that has the key, or the free one where it belongs. */
  #slotOf(key: string): number {
    for (let word = 0; word < CONTENT; word++) this.#wanted[word] = wordOf(key, word);
    const mask = this.#slots.length - 1;
    let slot = this.#wanted[0]! & mask;
    while (this.#slots[slot] !== FREE && !this.#hasKey(this.#slots[slot]!)) slot = (slot + 1) & mask;
    return slot;
  }

  #hasKey(record: number): boolean {
    const piece = this.#pieces[Math.floor(record / PIECE)]!;
    const at = (record % PIECE) * WORDS;
    for (let word = 0; word < CONTENT; word++) if (piece[at + word] !== this.#wanted[word]) return false;
    return true;
  }

  /** Half of the slots stay free, so that a search is short. */
  #grow(): void {
    this.#slots = new Int32Array(2 * this.#slots.length).fill(FREE);
    const mask = this.#slots.length - 1;
    for (let record = 0; record < this.#count; record++) {
      let slot = this.#pieces[Math.floor(record / PIECE)]![(record % PIECE) * WORDS]! & mask;
      while (this.#slots[slot] !== FREE) slot = (slot + 1) & mask;
      this.#slots[slot] = record;
    }
  }
}

function wordOf(digest: string, word: number): number {
  const at = 4 * word;
  return (
    digest.charCodeAt(at) |
    (digest.charCodeAt(at + 1) << 8) |
    (digest.charCodeAt(at + 2) << 16) |
    (digest.charCodeAt(at + 3) << 24)
  );
}
