import { viewWords, type WordView } from './bytes.ts';
import { CellReader } from './cells.ts';
import type { RecordBatch } from './records.ts';
import { createHash, hash } from 'node:crypto';

/** The columns that tell records apart where they have no `id`, or where the user names other columns. */
export interface KeyColumns {
  /** The columns that the user named: they take the place of `id`. */
  readonly named?: readonly string[] | undefined;
  /** The columns to use where a record has no `id`; the first of them must have a value. */
  readonly natural?: readonly string[] | undefined;
  /** True where no total counts the records, so that equal fast hashes do not prove that two of them are one. */
  readonly exact?: boolean | undefined;
}

/**
 * Reads the identity of records: the key (the columns that the user named, the `id`, or the natural key) and the content.
 * Links are no part of the content, since they are signed anew with each answer (spec 2.5).
 *
 * Usually these are hashes of 64 bits each, fast and not cryptographic. A caller that takes two records for one because of
 * them must be able to notice a collision, by a count or by reading again. Where it is not (`exact`), they are 128 bits of
 * SHA-256.
 */
export class IdentityReader {
  /** False where the record has no key: then the words of the key are those of the content. */
  hasKey = false;
  readonly #words = new Uint32Array(4);
  /** Digests are numbered, so that 64 bits hold them; undefined for the fast hashes. */
  readonly #numbers: DigestNumbers | undefined;
  #key = '';
  #content = '';
  readonly #named: CellReader | undefined;
  readonly #natural: CellReader | undefined;
  #view: WordView = viewWords(Buffer.alloc(0));
  /** Where the last record's links begin in the table of links. */
  #link = 0;
  #one = 0;
  #two = 0;
  #three = 0;
  #four = 0;

  constructor({ named, natural, exact = false }: KeyColumns = {}) {
    this.#numbers = exact ? new DigestNumbers() : undefined;
    this.#named = named === undefined ? undefined : new CellReader(named);
    this.#natural = natural === undefined ? undefined : new CellReader(natural);
  }

  /**
   * Two words of the key, then two of the content. They are comparable among the records of this reader. The next read
   * overwrites them.
   */
  get words(): Readonly<Uint32Array> {
    if (this.#numbers !== undefined) {
      this.#words[0] = this.#numbers.numberOf(this.#key);
      this.#words[2] = this.#numbers.numberOf(this.#content);
    }
    return this.#words;
  }

  /** Reads the identity of record `index`. */
  read(batch: RecordBatch, index: number): this {
    if (this.#numbers !== undefined) return this.#readExactly(batch, index);
    const { bytes, bounds, ids } = batch;
    if (this.#view.bytes !== bytes) this.#view = viewWords(bytes);
    this.#begin();
    let at = bounds[2 * index]!;
    const end = bounds[2 * index + 1]!;
    const links = linksOf(batch);
    for (let link = this.#firstLink(links, at); links[link]! < end; link += 2) {
      this.#take(at, links[link]!);
      at = links[link + 1]!;
    }
    this.#take(at, end);
    this.#finish(2);
    this.hasKey = true;
    const key = keyText(this.#named, batch, index);
    if (key !== undefined) this.#takeText(key);
    else if (ids[2 * index] !== -1) {
      this.#begin();
      this.#take(ids[2 * index]!, ids[2 * index + 1]!);
      this.#finish(0);
    } else this.#readNatural(batch, index);
    return this;
  }

  /** The key as text, which is comparable among the records of all readers. */
  key(): string {
    return this.#numbers === undefined ? `${this.#words[0]} ${this.#words[1]}` : this.#key;
  }

  /** The content in the same way. */
  content(): string {
    return this.#numbers === undefined ? `${this.#words[2]} ${this.#words[3]}` : this.#content;
  }

  #readExactly(batch: RecordBatch, index: number): this {
    const { bytes, bounds, ids } = batch;
    const parts: Buffer[] = [];
    let at = bounds[2 * index]!;
    const end = bounds[2 * index + 1]!;
    const links = linksOf(batch);
    for (let link = this.#firstLink(links, at); links[link]! < end; link += 2) {
      parts.push(bytes.subarray(at, links[link]));
      at = links[link + 1]!;
    }
    this.#content = digestOf(...parts, bytes.subarray(at, end));
    const id = ids[2 * index] === -1 ? undefined : bytes.subarray(ids[2 * index], ids[2 * index + 1]);
    const key = keyText(this.#named, batch, index) ?? id ?? keyText(this.#natural, batch, index);
    this.hasKey = key !== undefined;
    this.#key = key === undefined ? this.#content : digestOf(key);
    return this;
  }

  #readNatural(batch: RecordBatch, index: number): void {
    const key = keyText(this.#natural, batch, index);
    if (key !== undefined) {
      this.#takeText(key);
      return;
    }
    this.hasKey = false;
    this.#words[0] = this.#words[2]!;
    this.#words[1] = this.#words[3]!;
  }

  /** The place in the table of the first link at or behind `at`: usually that of the last record, or the next one. */
  #firstLink(links: Int32Array, at: number): number {
    let link = Math.min(this.#link, links.length);
    while (link > 0 && links[link - 2]! >= at) link -= 2;
    while (links[link]! < at) link += 2;
    this.#link = link;
    return link;
  }

  #begin(): void {
    this.#one = 0xdeadbeef | 0;
    this.#two = 0x41c6ce57;
    this.#three = this.#one;
    this.#four = this.#two;
  }

  /**
   * Takes bytes in, four at a time. Two pairs of states take turns, because a step on one state has to wait for the step
   * before it.
   */
  #take(start: number, end: number): void {
    const { bytes, words } = this.#view;
    // The length tells "a" from "a\0".
    let one = step(this.#one, end - start, 0x9e3779b1);
    let two = step(this.#two, end - start, 0x5f356495);
    let three = step(this.#three, end - start, 0x9e3779b1);
    let four = step(this.#four, end - start, 0x5f356495);
    let at = start;
    for (; at + 8 <= end; at += 8) {
      const word = words.getInt32(at, true);
      const next = words.getInt32(at + 4, true);
      one = step(one, word, 0x9e3779b1);
      two = step(two, word, 0x5f356495);
      three = step(three, next, 0x9e3779b1);
      four = step(four, next, 0x5f356495);
    }
    for (; at < end; at++) {
      const byte = bytes[at]!;
      one = step(one, byte, 0x9e3779b1);
      two = step(two, byte, 0x5f356495);
    }
    this.#one = one;
    this.#two = two;
    this.#three = three;
    this.#four = four;
  }

  #takeText(text: string): void {
    this.#begin();
    for (let at = 0; at < text.length; at++) {
      this.#one = step(this.#one, text.charCodeAt(at), 0x9e3779b1);
      this.#two = step(this.#two, text.charCodeAt(at), 0x5f356495);
    }
    this.#finish(0);
  }

  /**
   * Writes two words, the first of which is never 0: tables take 0 for a free slot. One state of each pair is mixed, so that
   * equal states do not cancel each other.
   */
  #finish(to: 0 | 2): void {
    const one = step(mix(this.#one), this.#three, 0x9e3779b1);
    const two = step(mix(this.#two), this.#four, 0x5f356495);
    this.#words[to] = mix(one ^ Math.imul(two, 0x85ebca77)) || 1;
    this.#words[to + 1] = mix(two ^ Math.imul(one, 0xc2b2ae3d));
  }
}

function linksOf({ links }: RecordBatch): Int32Array {
  if (links === undefined)
    throw new TypeError('the links of these records were not noted, so they have no identity');
  return links;
}

/** The cells of a key as one text, different for different cells; undefined where the first of them is missing. */
function keyText(reader: CellReader | undefined, batch: RecordBatch, index: number): string | undefined {
  if (reader === undefined) return undefined;
  const cells = reader.read(batch, index);
  if (cells[0] === undefined) return undefined;
  return cells
    .map((cell) => (cell === undefined ? '' : `${cell.kind} ${cell.text.length} ${cell.text}`))
    .join('\0');
}

/** Takes another word in. The step is reversible, so that two words never lead to the same state. */
function step(state: number, word: number, factor: number): number {
  const product = Math.imul(state ^ word, factor);
  return product ^ (product >>> 15);
}

/** Spreads each bit over all others (the finalizer of MurmurHash3). */
function mix(value: number): number {
  let bits = value;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return bits ^ (bits >>> 16);
}

/** Characters of a digest, of 8 bits each. */
const LENGTH = 16;
/** Between parts: no JSON text has this byte. */
const BETWEEN = Buffer.of(0);

/** 128 bits of the SHA-256 of the parts, with a byte between them: a text of 16 characters, each of which is one byte. */
export function digestOf(...parts: readonly (Buffer | string)[]): string {
  const [first = '', ...more] = parts;
  if (more.length === 0) return hash('sha256', first, 'binary').slice(0, LENGTH);
  const sum = createHash('sha256').update(first);
  for (const part of more) sum.update(BETWEEN).update(part);
  return sum.digest('binary').slice(0, LENGTH);
}

const FIRST_CAPACITY = 1024;

/**
 * Numbers digests, from 1 on, in the order in which they first come. Holds 16 bytes of each and a slot in a table that is
 * at least a third full.
 */
export class DigestNumbers {
  #count = 0;
  #mask = FIRST_CAPACITY - 1;
  /** Four words of each, in the order of the numbers. */
  #words = new Uint32Array(4 * FIRST_CAPACITY);
  /** Open addressing; a slot is free when it is 0. */
  #slots = new Uint32Array(FIRST_CAPACITY);
  readonly #wanted = new Uint32Array(4);

  /** The same number for the same digest. */
  numberOf(digest: string): number {
    const wanted = this.#wanted;
    for (let at = 0; at < 4; at++) wanted[at] = wordAt(digest, 4 * at);
    let slot = wanted[0]! & this.#mask;
    for (let number = this.#slots[slot]!; number !== 0; number = this.#slots[slot]!) {
      if (this.#isWanted(number)) return number;
      slot = (slot + 1) & this.#mask;
    }
    const number = ++this.#count;
    this.#slots[slot] = number;
    this.#words.set(wanted, 4 * (number - 1));
    if (this.#count * 3 > this.#slots.length * 2) this.#grow();
    return number;
  }

  #isWanted(number: number): boolean {
    const [from, words, wanted] = [4 * (number - 1), this.#words, this.#wanted];
    return (
      words[from] === wanted[0] &&
      words[from + 1] === wanted[1] &&
      words[from + 2] === wanted[2] &&
      words[from + 3] === wanted[3]
    );
  }

  #grow(): void {
    const words = this.#words;
    this.#words = new Uint32Array(2 * words.length);
    this.#words.set(words);
    this.#mask = 2 * this.#mask + 1;
    this.#slots = new Uint32Array(this.#mask + 1);
    for (let number = 1; number <= this.#count; number++) {
      let slot = words[4 * (number - 1)]! & this.#mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask;
      this.#slots[slot] = number;
    }
  }
}

function wordAt(digest: string, at: number): number {
  const low = digest.charCodeAt(at) | (digest.charCodeAt(at + 1) << 8);
  return (low | (digest.charCodeAt(at + 2) << 16) | (digest.charCodeAt(at + 3) << 24)) >>> 0;
}
