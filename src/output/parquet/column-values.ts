import { WordView } from '../../json/bytes.ts';

/** After so many values of which nine in ten are different, none is looked for any more. */
const SAMPLE = 2_048;

/** The most places where a value is looked for: values may be made to share their place. */
const MAX_TRIES = 256;

/** The bytes before a value of any length that say it, in the encoding PLAIN. */
const LENGTH_BYTES = 4;

const NULL = -1;

/** How values are compared: as text, or as numbers with a sign, whose bytes begin with the highest or the lowest one. */
export type ByteOrder = 'text' | 'highest first' | 'lowest first';

const SIGN_BIT = 0x80;

/**
 * The values of a column in a group of rows. Their bytes stand one behind the other in the encoding PLAIN, each value once as long
 * as values repeat: a dictionary. It keeps tables of numbers, and no object for any cell.
 */
export class ColumnValues {
  /** How many different values there are; where `isShared` is false, some may be there more than once. */
  count = 0;
  rows = 0;
  nulls = 0;
  /** Whether each value is there once. */
  isShared = true;
  /** The bytes that the values of all rows have together in the encoding PLAIN. */
  plainSize = 0;
  #used = 0;
  #view = new WordView(Buffer.allocUnsafeSlow(64));
  /** For each row the number of its value. */
  #rowValues = new Int32Array(64);
  /** Where each value begins, and its hash. */
  #starts = new Int32Array(16);
  #hashes = new Int32Array(16);
  /** The number of a value plus 1 at the place that its hash says, or behind it. */
  #places = new Int32Array(32);
  readonly #prefix: number;

  /** @param hasLengths whether values are of any length, which stands before each */
  constructor(hasLengths: boolean) {
    this.#prefix = hasLengths ? LENGTH_BYTES : 0;
  }

  /** Forgets all rows. */
  clear(): void {
    this.#places.fill(0);
    this.count = this.rows = this.nulls = this.plainSize = this.#used = 0;
    this.isShared = true;
  }

  addNulls(count: number): void {
    this.#rowValues = withRoom(this.#rowValues, this.rows + count);
    this.#rowValues.fill(NULL, this.rows, this.rows + count);
    this.rows += count;
    this.nulls += count;
  }

  /** Adds a row with the value whose bytes are `source.bytes[start .. end)`. */
  add(source: WordView, start: number, end: number): void {
    this.#rowValues = withRoom(this.#rowValues, this.rows + 1);
    this.#rowValues[this.rows++] = this.isShared
      ? this.#find(source, start, end)
      : this.#append(source, start, end, 0);
    this.plainSize += this.#prefix + end - start;
    if (this.rows - this.nulls === SAMPLE && this.count > 0.9 * SAMPLE) this.isShared = false;
  }

  /** The bytes of the values, each once where `isShared`, in the encoding PLAIN. */
  get bytes(): Buffer {
    return this.#view.bytes.subarray(0, this.#used);
  }

  /** The bytes of a value. */
  valueAt(value: number): Buffer {
    return this.#view.bytes.subarray(this.#starts[value]! + this.#prefix, this.#endOf(value));
  }

  /** The least value and the greatest one, by their numbers; there is at least one. */
  extremes(order: ByteOrder): readonly [least: number, greatest: number] {
    let [least, greatest] = [0, 0];
    for (let value = 1; value < this.count; value++) {
      if (this.#isLess(value, least, order)) least = value;
      else if (this.#isLess(greatest, value, order)) greatest = value;
    }
    return [least, greatest];
  }

  /** For each row 0 where it has no value, else 1. */
  levels(): Uint8Array {
    const levels = new Uint8Array(this.rows).fill(1);
    if (this.nulls > 0)
      for (let row = 0; row < this.rows; row++) if (this.#rowValues[row] === NULL) levels[row] = 0;
    return levels;
  }

  /** The number of the value of each row that has one. */
  indices(): Int32Array {
    const all = this.#rowValues.subarray(0, this.rows);
    return this.nulls === 0 ? all : all.filter((value) => value !== NULL);
  }

  /** The values of all rows in the encoding PLAIN. */
  plain(): Buffer {
    if (this.count === this.rows - this.nulls) return this.bytes;
    const plain = Buffer.allocUnsafeSlow(this.plainSize);
    let at = 0;
    for (const value of this.indices())
      at += this.#view.bytes.copy(plain, at, this.#starts[value], this.#endOf(value));
    return plain;
  }

  #isLess(left: number, right: number, order: ByteOrder): boolean {
    const { bytes } = this.#view;
    const from = this.#starts[left]! + this.#prefix;
    const other = this.#starts[right]! + this.#prefix;
    const length = this.#endOf(left) - from;
    const otherLength = this.#endOf(right) - other;
    const last = Math.min(length, otherLength) - 1;
    for (let at = 0; at <= last; at++) {
      const place = order === 'lowest first' ? last - at : at;
      const sign = at === 0 && order !== 'text' ? SIGN_BIT : 0;
      const difference = (bytes[from + place]! ^ sign) - (bytes[other + place]! ^ sign);
      if (difference !== 0) return difference < 0;
    }
    return length < otherLength;
  }

  #endOf(value: number): number {
    return value + 1 < this.count ? this.#starts[value + 1]! : this.#used;
  }

  /** The number of the value, which may be a new one. */
  #find(source: WordView, start: number, end: number): number {
    const hash = hashOf(source, start, end);
    const last = this.#places.length - 1;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const place = (hash + tries) & last;
      const value = this.#places[place]! - 1;
      if (value < 0) {
        this.#places[place] = this.count + 1;
        const added = this.#append(source, start, end, hash);
        if (2 * this.count > this.#places.length) this.#spread();
        return added;
      }
      if (this.#hashes[value] === hash && this.#isAt(value, source, start, end)) return value;
    }
    this.isShared = false;
    return this.#append(source, start, end, 0);
  }

  #isAt(value: number, source: WordView, start: number, end: number): boolean {
    const from = this.#starts[value]! + this.#prefix;
    const length = end - start;
    if (this.#endOf(value) - from !== length) return false;
    const { words, bytes } = this.#view;
    let at = 0;
    for (; at + 4 <= length; at += 4)
      if (words.getInt32(from + at, true) !== source.words.getInt32(start + at, true)) return false;
    for (; at < length; at++) if (bytes[from + at] !== source.bytes[start + at]) return false;
    return true;
  }

  #append(source: WordView, start: number, end: number, hash: number): number {
    const length = end - start;
    const value = this.count++;
    this.#starts = withRoom(this.#starts, this.count);
    this.#hashes = withRoom(this.#hashes, this.count);
    this.#starts[value] = this.#used;
    this.#hashes[value] = hash;
    this.#reserve(this.#used + this.#prefix + length);
    const { words, bytes } = this.#view;
    if (this.#prefix > 0) words.setUint32(this.#used, length, true);
    const to = this.#used + this.#prefix;
    this.#used = to + length;
    let at = 0;
    for (; at + 4 <= length; at += 4) words.setInt32(to + at, source.words.getInt32(start + at, true), true);
    for (; at < length; at++) bytes[to + at] = source.bytes[start + at]!;
    return value;
  }

  #reserve(size: number): void {
    if (size <= this.#view.bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(size, 2 * this.#view.bytes.length));
    this.bytes.copy(larger);
    this.#view = new WordView(larger);
  }

  /** Gives the values twice as many places. */
  #spread(): void {
    const places = new Int32Array(2 * this.#places.length);
    for (let value = 0; value < this.count; value++) {
      let place = this.#hashes[value]!;
      while (places[place & (places.length - 1)] !== 0) place++;
      places[place & (places.length - 1)] = value + 1;
    }
    this.#places = places;
  }
}

function hashOf({ words, bytes }: WordView, start: number, end: number): number {
  let hash = end - start;
  let at = start;
  for (; at + 4 <= end; at += 4) hash = mix(hash ^ words.getInt32(at, true));
  for (; at < end; at++) hash = mix(hash ^ bytes[at]!);
  return hash;
}

function mix(word: number): number {
  const product = Math.imul(word, 0x9e3779b1);
  return product ^ (product >>> 15);
}

function withRoom(table: Int32Array<ArrayBuffer>, size: number): Int32Array<ArrayBuffer> {
  if (size <= table.length) return table;
  const larger = new Int32Array(Math.max(size, 2 * table.length));
  larger.set(table);
  return larger;
}
