import { WordView } from './bytes.ts';
import { CellReader } from './cells.ts';
import type { RecordBatch } from './records.ts';

/** The columns that tell records apart where they have no `id`, or where the user names other columns. */
export interface KeyColumns {
  /** The columns that the user named: they take the place of `id`. */
  readonly named?: readonly string[] | undefined;
  /** The columns to use where a record has no `id`; the first of them must have a value. */
  readonly natural?: readonly string[] | undefined;
  /** True where no total counts the records, so that equal fast hashes do not prove that two of them are one. */
  readonly exact?: boolean | undefined;
}

/** Contents in their order, as one value: equal for equal contents, and told apart as surely as contents are. */
export type Sequence = number | string;

/**
 * Reads the identity of records: the key (the columns that the user named, the `id`, or the natural key) and the content.
 * Links are no part of the content, since they are signed anew with each answer (spec 2.5).
 */
export interface IdentityReader {
  /** False where the record has no key: then the words of the key are those of the content. */
  readonly hasKey: boolean;
  /**
   * Two words of the key, then two of the content. They are comparable among the records of this reader. The next read
   * overwrites them.
   */
  readonly words: Readonly<Uint32Array>;
  /** Reads the identity of record `index`. */
  read(batch: RecordBatch, index: number): this;
  /** The key as text, which is comparable among the records of all readers of a kind. */
  key(): string;
  /** The content in the same way. */
  content(): string;
  /** Adds the content to a sequence, which begins with 0. */
  extend(sequence: Sequence): Sequence;
}

/**
 * Reads identities as hashes of 64 bits each, fast and not cryptographic. A caller that takes two records for one because of
 * them must be able to notice a collision, by a count or by reading again. Where it is not (`exact`), see `DigestReader`.
 */
export class HashReader implements IdentityReader {
  hasKey = false;
  readonly words = new Uint32Array(4);
  readonly #named: CellReader | undefined;
  readonly #natural: CellReader | undefined;
  readonly #links = new LinkSearch();
  #view: WordView = new WordView(Buffer.alloc(0));
  #one = 0;
  #two = 0;
  #three = 0;
  #four = 0;

  constructor({ named, natural }: KeyColumns = {}) {
    this.#named = named === undefined ? undefined : new CellReader(named);
    this.#natural = natural === undefined ? undefined : new CellReader(natural);
  }

  read(batch: RecordBatch, index: number): this {
    const { bytes, bounds, ids } = batch;
    if (this.#view.bytes !== bytes) this.#view = new WordView(bytes);
    this.#begin();
    let at = bounds[2 * index]!;
    const end = bounds[2 * index + 1]!;
    const links = linksOf(batch);
    for (let link = this.#links.firstBehind(at, links); links[link]! < end; link += 2) {
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

  key(): string {
    return `${this.words[0]} ${this.words[1]}`;
  }

  content(): string {
    return `${this.words[2]} ${this.words[3]}`;
  }

  extend(sequence: Sequence): Sequence {
    const state = Number(sequence);
    return Math.imul(state ^ this.words[2]!, 0x9e3779b1) ^ this.words[3]! ^ (state >>> 13);
  }

  #readNatural(batch: RecordBatch, index: number): void {
    const key = keyText(this.#natural, batch, index);
    if (key !== undefined) {
      this.#takeText(key);
      return;
    }
    this.hasKey = false;
    this.words[0] = this.words[2]!;
    this.words[1] = this.words[3]!;
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
    this.words[to] = mix(one ^ Math.imul(two, 0x85ebca77)) || 1;
    this.words[to + 1] = mix(two ^ Math.imul(one, 0xc2b2ae3d));
  }
}

/** Finds records' links in the table of a page's links. */
export class LinkSearch {
  /** Where the last record's links begin. */
  #link = 0;

  /** The place in the table of the first link at or behind `at`: usually that of the last record, or the next one. */
  firstBehind(at: number, links: Int32Array): number {
    let link = Math.min(this.#link, links.length);
    while (link > 0 && links[link - 2]! >= at) link -= 2;
    while (links[link]! < at) link += 2;
    this.#link = link;
    return link;
  }
}

/** The table of a page's links. Throws TypeError where nobody noted them. */
export function linksOf({ links }: RecordBatch): Int32Array {
  if (links === undefined)
    throw new TypeError('the links of these records were not noted, so they have no identity');
  return links;
}

/** The cells of a key as one text, different for different cells; undefined where the first of them is missing. */
export function keyText(
  reader: CellReader | undefined,
  batch: RecordBatch,
  index: number,
): string | undefined {
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
