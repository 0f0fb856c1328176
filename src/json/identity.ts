import { QUOTE } from './ascii.ts';
import { WordView, endOfPlainText } from './bytes.ts';
import { compactInto } from './checked-text.ts';
import type { RecordBatch } from './records.ts';
import { signedLinks } from './signed-links.ts';
import { CellReader } from './cells.ts';

/** What stands in a record's content for each signed link. */
const NO_LINK = new WordView(Buffer.from('null'));

/**
 * Reads the identity of records: the key (`RecordKeys`) and the content, which is the record as one line, with null for its
 * signed links, since these are signed anew with each answer (spec 2.5). Both as hashes; which hash, a subclass decides.
 *
 * Records of equal contents say the same. Others may do so, too, where members changed places or are spelt with other escapes:
 * `FieldComparer` compares two such records.
 */
export abstract class IdentityReader {
  /** False where the record has no key: then the words of the key are those of the content. */
  hasKey = false;
  /** How many words the key has, and how many the content. */
  readonly width: number;
  /**
   * The words of the key, then those of the content. The first of each is never 0. They are comparable among all readers of a
   * kind. The next read overwrites them.
   */
  readonly words: Uint32Array;
  readonly #bytes: Buffer;
  readonly #keys: RecordKeys;
  #batch: RecordBatch | undefined;
  #view: WordView = NO_LINK;
  #links: Int32Array | undefined;
  /** Where the last record's links begin in their table. */
  #link = 0;
  /** Has a part of a record without its white space. */
  #compacted: WordView = NO_LINK;

  protected constructor(columns: KeyColumns, width: number) {
    this.width = width;
    this.words = new Uint32Array(2 * width);
    this.#bytes = Buffer.from(this.words.buffer);
    this.#keys = new RecordKeys(columns);
  }

  read(batch: RecordBatch, index: number): this {
    const { bounds, spaced } = batch;
    this.#open(batch);
    const links = (this.#links ??= signedLinks(batch));
    let at = bounds[2 * index]!;
    const end = bounds[2 * index + 1]!;
    this.begin();
    for (let link = this.#firstLink(links, at); links[link]! < end; link += 2) {
      this.#takePart(at, links[link]!, spaced);
      this.take(NO_LINK, 0, NO_LINK.bytes.length);
      at = links[link + 1]!;
    }
    this.#takePart(at, end, spaced);
    this.finish(this.width);
    this.#readKey(batch, index);
    if (!this.hasKey) this.words.copyWithin(0, this.width);
    return this;
  }

  #readKey(batch: RecordBatch, index: number): void {
    this.begin();
    this.hasKey = true;
    if (this.#keys.isPlainId(batch, index, this.#view))
      this.#takeId(batch.ids[2 * index]!, batch.ids[2 * index + 1]!);
    else {
      const key = this.#keys.read(batch, index);
      this.hasKey = key !== undefined;
      if (key !== undefined) this.#takeText(key);
    }
    if (this.hasKey) this.finish(0);
  }

  key(): string {
    return this.#bytes.toString('latin1', 0, 4 * this.width);
  }

  content(): string {
    return this.#bytes.toString('latin1', 4 * this.width);
  }

  protected abstract begin(): void;
  protected abstract take(view: WordView, start: number, end: number): void;
  protected abstract finish(to: number): void;

  #open(batch: RecordBatch): void {
    if (this.#batch === batch) return;
    this.#batch = batch;
    this.#view = new WordView(batch.bytes);
    this.#links = undefined;
  }

  #takePart(start: number, end: number, spaced: boolean): void {
    if (!spaced) return this.take(this.#view, start, end);
    if (this.#compacted.bytes.length < end - start)
      this.#compacted = new WordView(Buffer.allocUnsafe(2 * (end - start)));
    const length = compactInto(this.#view.bytes, [start, end], this.#compacted.bytes);
    this.take(this.#compacted, 0, length);
  }

  #takeId(start: number, end: number): void {
    const quote = this.#view.bytes[start] === QUOTE ? 1 : 0;
    this.take(this.#view, start + quote, end - quote);
  }

  #takeText(text: string): void {
    const bytes = Buffer.from(text);
    this.take(new WordView(bytes), 0, bytes.length);
  }

  /** The place in the table of the first link at or behind `at`: usually that of the last record, or the next one. */
  #firstLink(links: Int32Array, at: number): number {
    let link = Math.min(this.#link, links.length);
    while (link > 0 && links[link - 2]! >= at) link -= 2;
    while (links[link]! < at) link += 2;
    this.#link = link;
    return link;
  }
}

/**
 * Reads identities as hashes of 64 bits each, fast and not cryptographic. A caller that takes two records for one because of
 * them must be able to notice a collision, by a count or by reading again. A caller that is not uses `DigestReader`.
 */
export class HashReader extends IdentityReader {
  #one = 0;
  #two = 0;
  #three = 0;
  #four = 0;

  constructor(columns: KeyColumns = {}) {
    super(columns, 2);
  }

  protected override begin(): void {
    this.#one = 0xdeadbeef | 0;
    this.#two = 0x41c6ce57;
    this.#three = this.#one;
    this.#four = this.#two;
  }

  /**
   * Takes bytes in, four at a time. Two pairs of states take turns, because a step on one state has to wait for the step
   * before it.
   */
  protected override take({ bytes, words }: WordView, start: number, end: number): void {
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

  /** One state of each pair is mixed, so that equal states do not cancel each other. */
  protected override finish(to: number): void {
    const one = step(mix(this.#one), this.#three, 0x9e3779b1);
    const two = step(mix(this.#two), this.#four, 0x5f356495);
    this.words[to] = mix(one ^ Math.imul(two, 0x85ebca77)) || 1;
    this.words[to + 1] = mix(two ^ Math.imul(one, 0xc2b2ae3d));
  }
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

/** What the user can do where records have no key that is theirs alone. */
export const KEY_HINT =
  'Name the columns that tell records apart with the setting key.<listing>, as in folio config set key.issued number,documentType.';

/** The columns that tell records apart where they have no `id`, or where the user names other columns. */
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

  /** Whether the key is the `id`, and this is written without escapes: then its text is in the bytes of the batch, which `view` is of. */
  isPlainId({ ids }: RecordBatch, index: number, view: WordView): boolean {
    const start = ids[2 * index]!;
    if (this.#named !== undefined || start < 0) return false;
    return view.bytes[start] !== QUOTE || endOfPlainText(view, start + 1) === ids[2 * index + 1]! - 1;
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
