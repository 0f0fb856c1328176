import { familyOf, type Family } from '../../invoices/documents.ts';
import { bareFiscalId } from '../../invoices/fiscal-ids.ts';
import { negateDecimal, type Decimal } from '../../json/decimal.ts';

/** A document as one side has it. What that side does not say is undefined. */
export interface KeptDocument {
  /** Without leading zeros. */
  readonly number: string | undefined;
  /** A code or a word, as it is written. */
  readonly type: string | undefined;
  readonly fiscalId: string | undefined;
  readonly name: string | undefined;
  readonly currency: string | undefined;
  /** In days since 1970-01-01. */
  readonly day: number | undefined;
  /** What the document is worth: negative for a credit note. */
  readonly total: Decimal | undefined;
  readonly net: Decimal | undefined;
  readonly exempt: Decimal | undefined;
  readonly tax: Decimal | undefined;
  /** Taxes besides, which one side may count among the tax. */
  readonly furtherTax: Decimal | undefined;
  /** Where it is: the list and the line, or the place among the records, from 1. */
  readonly file: number;
  readonly line: number;
}

/** The amount with the sign that a document of the family gives it. */
export function signedAmount(amount: Decimal, family: Family): Decimal {
  return family === 'credit note' && amount.coefficient > 0n ? negateDecimal(amount) : amount;
}

/** A number as it is compared: without leading zeros. */
export function bareNumber(text: string): string {
  return text.trim().replace(/^0+(?=\d)/, '');
}

const AMOUNTS = ['total', 'net', 'exempt', 'tax', 'furtherTax'] as const;
type AmountName = (typeof AMOUNTS)[number];

/** Characters of which the runtime copies a part of a text. */
const SHORT = 13;

/** Texts that many documents have, each kept once. The number 0 stands for none. */
export class Texts {
  /** The fiscal IDs as they are compared, by the number of the ID as it is written. */
  readonly #parties = new NumberTable(Int32Array);
  readonly #texts: (string | undefined)[] = [undefined];
  readonly #numbers = new Map<string, number>();

  of(number: number): string | undefined {
    return this.#texts[number];
  }

  numberOf(text: string | undefined): number {
    if (text === undefined) return 0;
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    // A part of a longer text keeps all of that in memory, unless it is very short: this one does not.
    const own = text.length < SHORT ? text : Buffer.from(text).toString();
    const number = this.#texts.push(own) - 1;
    this.#numbers.set(own, number);
    return number;
  }

  /** The number of the fiscal ID as it is compared, for the number of the ID as it is written. */
  partyOf(fiscalId: number): number {
    if (fiscalId === 0) return 0;
    const known = this.#parties.get(fiscalId);
    if (known !== 0) return known;
    const party = this.numberOf(bareFiscalId(this.of(fiscalId)!));
    this.#parties.set(fiscalId, party);
    return party;
  }
}

/**
 * Documents in little room, since there may be a million: numbers in tables, texts that many have once. All are known by their
 * index, from 0.
 */
export class DocumentsKept {
  #count = 0;
  readonly #texts: Texts;
  readonly #numbers = new NumberTable(Float64Array);
  readonly #types = new NumberTable(Int32Array);
  readonly #fiscalIds = new NumberTable(Int32Array);
  /** The fiscal IDs as they are compared. */
  readonly #parties = new NumberTable(Int32Array);
  readonly #names = new NumberTable(Int32Array);
  readonly #currencies = new NumberTable(Int32Array);
  readonly #days = new NumberTable(Int32Array);
  readonly #files = new NumberTable(Int32Array);
  readonly #lines = new NumberTable(Int32Array);
  readonly #amounts: Readonly<Record<AmountName, AmountColumn>> = {
    total: new AmountColumn(),
    net: new AmountColumn(),
    exempt: new AmountColumn(),
    tax: new AmountColumn(),
    furtherTax: new AmountColumn(),
  };

  /** @param texts where the texts are kept: the same for both sides, which have most of them in common */
  constructor(texts: Texts) {
    this.#texts = texts;
  }

  get count(): number {
    return this.#count;
  }

  /** Keeps a document and returns its index. */
  add(document: KeptDocument): number {
    const index = this.#count++;
    const { number } = document;
    const isPlain = number !== undefined && PLAIN_NUMBER.test(number);
    // A number of digits is kept as itself, another as the text that it is, which no number below 0 can be.
    this.#numbers.set(index, isPlain ? Number(number) : -1 - this.#texts.numberOf(number));
    this.#types.set(index, this.#texts.numberOf(document.type));
    const fiscalId = this.#texts.numberOf(document.fiscalId);
    this.#fiscalIds.set(index, fiscalId);
    this.#parties.set(index, this.#texts.partyOf(fiscalId));
    this.#names.set(index, this.#texts.numberOf(document.name));
    this.#currencies.set(index, this.#texts.numberOf(document.currency));
    this.#days.set(index, document.day ?? NO_DAY);
    this.#files.set(index, document.file);
    this.#lines.set(index, document.line);
    for (const name of AMOUNTS) this.#amounts[name].set(index, document[name]);
    return index;
  }

  /** Adds a tax that a further row of the document has. */
  setFurtherTax(index: number, amount: Decimal): void {
    this.#amounts.furtherTax.set(index, amount);
  }

  /** Without leading zeros; undefined for a document without one. */
  numberOf(index: number): string | undefined {
    const number = this.#numbers.get(index);
    return number < 0 ? this.#texts.of(-1 - number) : String(number);
  }

  typeOf(index: number): string | undefined {
    return this.#texts.of(this.#types.get(index));
  }

  familyOf(index: number): Family {
    return familyOf(this.typeOf(index));
  }

  fiscalIdOf(index: number): string | undefined {
    return this.#texts.of(this.#fiscalIds.get(index));
  }

  /** The fiscal ID as it is compared. */
  partyOf(index: number): string | undefined {
    return this.#texts.of(this.#parties.get(index));
  }

  nameOf(index: number): string | undefined {
    return this.#texts.of(this.#names.get(index));
  }

  currencyOf(index: number): string | undefined {
    return this.#texts.of(this.#currencies.get(index));
  }

  dayOf(index: number): number | undefined {
    const day = this.#days.get(index);
    return day === NO_DAY ? undefined : day;
  }

  fileOf(index: number): number {
    return this.#files.get(index);
  }

  lineOf(index: number): number {
    return this.#lines.get(index);
  }

  amountOf(index: number, name: AmountName): Decimal | undefined {
    return this.#amounts[name].get(index);
  }
}

/** Digits that a number of JavaScript holds exactly and writes in the same way. */
const PLAIN_NUMBER = /^(?:0|[1-9]\d{0,14})$/;
const NO_DAY = -(2 ** 31);

/** A table of numbers that grows. What was never set is 0. */
export class NumberTable {
  #values: Int32Array | Float64Array | Uint8Array;
  readonly #Kind: Int32ArrayConstructor | Float64ArrayConstructor | Uint8ArrayConstructor;

  constructor(Kind: Int32ArrayConstructor | Float64ArrayConstructor | Uint8ArrayConstructor) {
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

/** What `#scales` has for an amount that is not there, and for one that needs more digits than a number has. */
const ABSENT = 0;
const LONG = 255;

/** A column of exact amounts. */
class AmountColumn {
  readonly #coefficients = new NumberTable(Float64Array);
  /** One more than the digits behind the point. */
  readonly #scales = new NumberTable(Uint8Array);
  readonly #long = new Map<number, Decimal>();

  get(index: number): Decimal | undefined {
    const scale = this.#scales.get(index);
    if (scale === ABSENT) return undefined;
    if (scale === LONG) return this.#long.get(index);
    return { coefficient: BigInt(this.#coefficients.get(index)), scale: scale - 1 };
  }

  set(index: number, amount: Decimal | undefined): void {
    if (amount === undefined) return this.#scales.set(index, ABSENT);
    const number = Number(amount.coefficient);
    if (Number.isSafeInteger(number) && amount.scale < LONG - 1) {
      this.#coefficients.set(index, number);
      this.#scales.set(index, amount.scale + 1);
    } else {
      this.#scales.set(index, LONG);
      this.#long.set(index, amount);
    }
  }
}

/** Finds documents by a key, in little room: those of one place may have other keys, too, which the caller tells apart. */
export class KeyIndex {
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

  add(key: string, index: number): void {
    const place = this.#placeOf(key);
    this.#next.set(index, this.#heads[place]!);
    this.#heads[place] = index + 1;
  }

  /** The documents at the place of the key, the last that was added first; undefined where there are more than `most`. */
  of(key: string, most: number): readonly number[] | undefined {
    const all = this.at(this.#placeOf(key), most);
    return all.length > most ? undefined : all;
  }

  /** The documents at a place, no more than one over `most`. */
  at(place: number, most = Infinity): number[] {
    const all: number[] = [];
    for (let at = this.#heads[place]!; at !== 0 && all.length <= most; at = this.#next.get(at - 1))
      all.push(at - 1);
    return all;
  }

  #placeOf(key: string): number {
    let hash = 0x811c9dc5;
    for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
    // The low bits alone depend on too little.
    hash ^= hash >>> 15;
    return (hash >>> 0) & (this.#heads.length - 1);
  }
}
