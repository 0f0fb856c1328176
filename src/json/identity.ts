import { QUOTE } from './ascii.ts';
import { compactInto, endOfPlainText, type Span, WordView } from './bytes.ts';
import { CellReader } from './cells.ts';
import type { RecordBatch } from './records.ts';
import { signedLinks } from './signed-links.ts';

/** A hash: its length in words, and a function that writes the hash of `bytes[start .. end)`. The first word is never 0. */
export interface RecordHash {
  readonly width: number;
  readonly write: (words: Uint32Array, to: number, view: WordView, start: number, end: number) => void;
}

/** The placeholder for each signed link in a record's content. */
const NO_LINK = Buffer.from('null');

/**
 * Reads the identity of records: the key (`RecordKeys`) and the content, which is the record as one line, with null for its
 * signed links, since these are signed anew with each answer (spec 2.5). Both as hashes.
 *
 * Records of equal contents are equal. Others may be equal, too, if members changed places or are spelt with other escapes:
 * `FieldComparer` compares two such records.
 */
export class IdentityReader {
  /** False where the record has no key: then the words of the key are those of the content. */
  hasKey = false;
  /** How many words the key has, and how many the content. */
  readonly width: number;
  /** The words of the key, then of the content, comparable among readers with this hash. The next read overwrites them. */
  readonly words: Uint32Array;
  readonly #bytes: Buffer;
  readonly #keys: RecordKeys;
  readonly #hash: RecordHash;
  #batch: RecordBatch | undefined;
  #view = new WordView(NO_LINK);
  #links: Int32Array = new Int32Array(0);
  /** Where the last record's links begin in their table. */
  #link = 0;
  #scratch = new WordView(Buffer.allocUnsafe(4096));

  constructor(columns: KeyColumns = {}, hash = FAST_HASH) {
    this.width = hash.width;
    this.words = new Uint32Array(2 * hash.width);
    this.#bytes = Buffer.from(this.words.buffer);
    this.#keys = new RecordKeys(columns);
    this.#hash = hash;
  }

  read(batch: RecordBatch, index: number): this {
    if (this.#batch !== batch) {
      this.#batch = batch;
      this.#view = new WordView(batch.bytes);
      this.#links = signedLinks(batch);
    }
    this.#readContent(batch.bounds[2 * index]!, batch.bounds[2 * index + 1]!, batch.spaced);
    this.#readKey(batch, index);
    return this;
  }

  #readKey(batch: RecordBatch, index: number): void {
    const id = this.#keys.plainId(batch, index, this.#view);
    const key = id === undefined ? this.#keys.read(batch, index) : '';
    this.hasKey = key !== undefined;
    if (id !== undefined) this.#hash.write(this.words, 0, this.#view, ...id);
    else if (key === undefined) this.words.copyWithin(0, this.width);
    else {
      const { bytes } = this.#roomFor(3 * key.length);
      this.#hash.write(this.words, 0, this.#scratch, 0, bytes.write(key));
    }
  }

  key(): string {
    return this.#bytes.toString('latin1', 0, 4 * this.width);
  }

  content(): string {
    return this.#bytes.toString('latin1', 4 * this.width);
  }

  #readContent(start: number, end: number, spaced: boolean): void {
    const links = this.#links;
    let link = this.#firstLink(start);
    if (!spaced && !(links[link]! < end))
      return this.#hash.write(this.words, this.width, this.#view, start, end);
    const to = this.#roomFor(end - start + NO_LINK.length).bytes;
    let [from, length] = [start, 0];
    const take = (until: number): void => {
      length += spaced
        ? compactInto(this.#view.bytes, [from, until], to.subarray(length))
        : this.#view.bytes.copy(to, length, from, until);
    };
    for (; links[link]! < end; link += 2) {
      take(links[link]!);
      length += NO_LINK.copy(to, length);
      from = links[link + 1]!;
    }
    take(end);
    this.#hash.write(this.words, this.width, this.#scratch, 0, length);
  }

  #roomFor(size: number): WordView {
    if (this.#scratch.bytes.length < size) this.#scratch = new WordView(Buffer.allocUnsafe(2 * size));
    return this.#scratch;
  }

  /** The place in the table of the first link at or behind `at`: usually that of the last record, or the next one. */
  #firstLink(at: number): number {
    const links = this.#links;
    let link = Math.min(this.#link, links.length);
    while (link > 0 && links[link - 2]! >= at) link -= 2;
    while (links[link]! < at) link += 2;
    this.#link = link;
    return link;
  }
}

/**
 * 64 bits, fast and not cryptographic. A caller that takes records of one hash for one record must be able to notice a collision,
 * by a count or by reading again. Any other caller uses `DigestReader`.
 */
const FAST_HASH: RecordHash = {
  width: 2,
  /** Takes four bytes at a time. Two pairs of states take turns, because each step waits for the last one on its state. */
  write(hashed, to, { bytes, words }, start, end) {
    // The length tells "a" from "a\0".
    let one = step(0xdeadbeef | 0, end - start, 0x9e3779b1);
    let two = step(0x41c6ce57, end - start, 0x5f356495);
    let [three, four] = [one, two];
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
    // One state of each pair is mixed, so that equal states do not cancel each other.
    one = step(mix(one), three, 0x9e3779b1);
    two = step(mix(two), four, 0x5f356495);
    hashed[to] = mix(one ^ Math.imul(two, 0x85ebca77)) || 1;
    hashed[to + 1] = mix(two ^ Math.imul(one, 0xc2b2ae3d));
  },
};

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

/** What the user can do where records have no key that is theirs alone. */
export const KEY_HINT =
  'Name the columns that tell records apart with the setting key.<listing>, as in folio config set key.issued number,documentType.';

/** The columns that identify records without an `id`, or those that the user names instead. */
export interface KeyColumns {
  /** The columns that the user named: they take the place of `id`. */
  readonly named?: readonly string[] | undefined;
  /** The columns to use where a record has no `id`; the first of them must have a text. */
  readonly natural?: readonly string[] | undefined;
}

/**
 * Reads the key of records, the text that tells one from all others: of the columns that the user named; else the `id`; else of
 * the natural columns. Each named column must have a text, and the first natural one; of several the texts are put into a JSON
 * array. The number 7 and the text "7" are one key, since a database, csv and the next version of a service may have the one
 * for the other.
 */
export class RecordKeys {
  /** Undefined where the key is the `id`, which is found as records are scanned. */
  readonly #named: CellReader | undefined;
  readonly #natural: CellReader | undefined;

  constructor({ named, natural }: KeyColumns = {}) {
    const isId = named === undefined || (named.length === 1 && named[0] === 'id');
    this.#named = isId ? undefined : new CellReader(named);
    this.#natural = natural && new CellReader(natural);
  }

  /** The key of record `index`; undefined where it has none. */
  read(batch: RecordBatch, index: number): string | undefined {
    const key =
      this.#named === undefined
        ? (idOf(batch, index) ?? textsOf(this.#natural, batch, index, 1))
        : textsOf(this.#named, batch, index, Infinity);
    // PostgreSQL cannot hold NUL, and half a character has no UTF-8: there, keys that differ in nothing else would be equal.
    return key === undefined || /^[\x01-\xFF]*$/.test(key)
      ? key
      : Buffer.from(key.replaceAll('\0', '\uFFFD')).toString('utf8');
  }

  /** Where the key is in the batch, which `view` is of, if it is the `id` and written without escapes. */
  plainId({ ids }: RecordBatch, index: number, view: WordView): Span | undefined {
    const [start, end] = [ids[2 * index]!, ids[2 * index + 1]!];
    if (this.#named !== undefined || start < 0) return undefined;
    if (view.bytes[start] !== QUOTE) return [start, end];
    return endOfPlainText(view, start + 1) === end - 1 ? [start + 1, end - 1] : undefined;
  }
}

function idOf({ bytes, ids }: RecordBatch, index: number): string | undefined {
  const [start, end] = [ids[2 * index]!, ids[2 * index + 1]!];
  if (start < 0) return undefined;
  const literal = bytes.toString('utf8', start, end);
  if (bytes[start] !== QUOTE) return literal;
  return literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
}

/** @param needed how many of the columns, from the first on, must have a text */
function textsOf(
  reader: CellReader | undefined,
  batch: RecordBatch,
  index: number,
  needed: number,
): string | undefined {
  if (reader === undefined) return undefined;
  const texts: string[] = [];
  for (const cell of reader.read(batch, index)) {
    const { text } = cell ?? { text: '' };
    if (text === '' && texts.length < needed) return undefined;
    texts.push(text);
  }
  return texts.length === 1 ? texts[0] : JSON.stringify(texts);
}
