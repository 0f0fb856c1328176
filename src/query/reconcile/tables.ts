import { bareFiscalId } from '../../invoices/fiscal-ids.ts';

/** Kinds of numbers that a table may hold. */
type TableKind = Float64ArrayConstructor | Int32ArrayConstructor | Uint8ArrayConstructor;

/** A table of numbers that grows. What was never set is 0. */
export class NumberTable {
  #values: InstanceType<TableKind>;
  readonly #Kind: TableKind;

  constructor(Kind: TableKind) {
    this.#Kind = Kind;
    this.#values = new Kind(16);
  }

  get(index: number): number {
    return this.#values[index] ?? 0;
  }

  set(index: number, value: number): void {
    if (index >= this.#values.length) {
      if (value === 0) return;
      const longer = new this.#Kind(Math.max(index + 1, 2 * this.#values.length));
      longer.set(this.#values);
      this.#values = longer;
    }
    this.#values[index] = value;
  }
}

/** A number of two numbers, or more, that is equal where they are. */
export class Hash {
  readonly #doubles = new Float64Array(1);
  readonly #words = new Int32Array(this.#doubles.buffer);

  of(one: number, other: number): number {
    return this.#with(this.#with(0x811c9dc5, one), other);
  }

  #with(hash: number, value: number): number {
    this.#doubles[0] = value;
    const low = Math.imul(hash ^ this.#words[0]!, 0x85ebca6b);
    const both = Math.imul(low ^ (low >>> 15) ^ this.#words[1]!, 0xc2b2ae35);
    return both ^ (both >>> 13);
  }
}

/** Finds what has a hash, in little room. Others may have the same: the caller tells them apart. */
export class HashIndex {
  readonly #heads: Int32Array;
  readonly #next = new NumberTable(Int32Array);

  /** @param count how many there will be, about */
  constructor(count: number) {
    this.#heads = new Int32Array(2 ** Math.ceil(Math.log2(Math.max(count, 1))));
  }

  /** How many places there are. */
  get places(): number {
    return this.#heads.length;
  }

  add(hash: number, index: number): void {
    const place = this.#placeOf(hash);
    this.#next.set(index, this.#heads[place]!);
    this.#heads[place] = index + 1;
  }

  /** The first at the place of the hash for which it holds; undefined where there is none. */
  find(hash: number, holds: (index: number) => boolean): number | undefined {
    for (let at = this.#heads[this.#placeOf(hash)]!; at !== 0; at = this.#next.get(at - 1))
      if (holds(at - 1)) return at - 1;
    return undefined;
  }

  /** All at the place of the hash, the last that was added first; undefined where there are more than `most`. */
  of(hash: number, most: number): readonly number[] | undefined {
    const all = this.at(this.#placeOf(hash), most);
    return all.length > most ? undefined : all;
  }

  /** All at a place, no more than one over `most`. */
  at(place: number, most = Infinity): number[] {
    const all: number[] = [];
    for (let at = this.#heads[place]!; at !== 0 && all.length <= most; at = this.#next.get(at - 1))
      all.push(at - 1);
    return all;
  }

  #placeOf(hash: number): number {
    return (hash >>> 0) & (this.#heads.length - 1);
  }
}

/** Texts that come first are most often those that come again: they need not be made anew. */
const MADE = 10_000;

/**
 * Texts that many documents have, each kept once, one behind the other: a million of them as texts of the runtime, in a map, would
 * take 90 bytes each. They are known by their numbers; 0 stands for none.
 */
export class Texts {
  #count = 0;
  #units = new Uint16Array(1024);
  /** Where each text ends, and the next begins. */
  readonly #ends = new NumberTable(Int32Array);
  #index = new HashIndex(1024);
  readonly #made: (string | undefined)[] = [];
  /** By the number of a fiscal ID as it is written, that of the text by which it is compared. */
  readonly #bare = new NumberTable(Int32Array);

  of(number: number): string | undefined {
    if (number === 0) return undefined;
    const made = this.#made[number];
    if (made !== undefined) return made;
    const start = 2 * this.#ends.get(number - 1);
    return Buffer.from(this.#units.buffer, start, 2 * this.#ends.get(number) - start).toString('utf16le');
  }

  numberOf(text: string | undefined): number {
    if (text === undefined) return 0;
    const start = this.#ends.get(this.#count);
    const end = start + text.length;
    if (end > this.#units.length) {
      const longer = new Uint16Array(2 * end);
      longer.set(this.#units);
      this.#units = longer;
    }
    for (let at = 0; at < text.length; at++) this.#units[start + at] = text.charCodeAt(at);
    const hash = this.#hash(start, end);
    const known = this.#index.find(hash, (one) => this.#isAt(one, start, end));
    if (known !== undefined) return known;
    const number = ++this.#count;
    this.#ends.set(number, end);
    if (number < MADE) this.#made[number] = this.of(number);
    if (number > this.#index.places) this.#grow();
    else this.#index.add(hash, number);
    return number;
  }

  /** The number of the fiscal ID as it is compared, for that of the ID as it is written. */
  bareFiscalIdOf(fiscalId: number): number {
    if (fiscalId === 0) return 0;
    const known = this.#bare.get(fiscalId);
    if (known !== 0) return known;
    const bare = this.numberOf(bareFiscalId(this.of(fiscalId)!));
    this.#bare.set(fiscalId, bare);
    return bare;
  }

  #grow(): void {
    this.#index = new HashIndex(2 * this.#count);
    for (let number = 1; number <= this.#count; number++)
      this.#index.add(this.#hash(this.#ends.get(number - 1), this.#ends.get(number)), number);
  }

  #hash(start: number, end: number): number {
    const units = this.#units;
    let hash = 0x811c9dc5;
    for (let at = start; at < end; at++) hash = Math.imul(hash ^ units[at]!, 0x01000193);
    // The low bits alone depend on too little.
    return hash ^ (hash >>> 15);
  }

  /** Whether the text is the one that begins at `start`. */
  #isAt(number: number, start: number, end: number): boolean {
    const own = this.#ends.get(number - 1);
    if (this.#ends.get(number) - own !== end - start) return false;
    const units = this.#units;
    for (let at = start; at < end; at++) if (units[own + at - start] !== units[at]) return false;
    return true;
  }
}
