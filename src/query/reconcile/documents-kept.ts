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

/**
 * Documents in little room, since there may be a million: numbers in tables, texts that many have once. All are known by their
 * index, from 0.
 */
export class DocumentsKept {
  #count = 0;
  readonly #numbers: (string | undefined)[] = [];
  readonly #types = new TextColumn();
  readonly #fiscalIds = new TextColumn();
  readonly #names = new TextColumn();
  readonly #currencies = new TextColumn();
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
  /** The fiscal IDs without punctuation, by the number of the text. */
  readonly #parties = new Map<number, string>();

  get count(): number {
    return this.#count;
  }

  /** Keeps a document and returns its index. */
  add(document: KeptDocument): number {
    const index = this.#count++;
    this.#numbers.push(document.number);
    this.#types.set(index, document.type);
    this.#fiscalIds.set(index, document.fiscalId);
    this.#names.set(index, document.name);
    this.#currencies.set(index, document.currency);
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
    return this.#numbers[index];
  }

  typeOf(index: number): string | undefined {
    return this.#types.get(index);
  }

  familyOf(index: number): Family {
    return familyOf(this.typeOf(index));
  }

  fiscalIdOf(index: number): string | undefined {
    return this.#fiscalIds.get(index);
  }

  /** The fiscal ID as it is compared. */
  partyOf(index: number): string | undefined {
    const number = this.#fiscalIds.numberOf(index);
    const text = this.#fiscalIds.get(index);
    if (text === undefined) return undefined;
    const known = this.#parties.get(number);
    if (known !== undefined) return known;
    const party = bareFiscalId(text);
    this.#parties.set(number, party);
    return party;
  }

  nameOf(index: number): string | undefined {
    return this.#names.get(index);
  }

  currencyOf(index: number): string | undefined {
    return this.#currencies.get(index);
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

const NO_DAY = -(2 ** 31);

/** A table of numbers that grows. */
export class NumberTable {
  #values: Int32Array | Float64Array | Uint8Array;
  readonly #Kind: Int32ArrayConstructor | Float64ArrayConstructor | Uint8ArrayConstructor;

  constructor(Kind: Int32ArrayConstructor | Float64ArrayConstructor | Uint8ArrayConstructor) {
    this.#Kind = Kind;
    this.#values = new Kind(1024);
  }

  get(index: number): number {
    return this.#values[index] ?? 0;
  }

  set(index: number, value: number): void {
    if (index >= this.#values.length) {
      const longer = new this.#Kind(Math.max(index + 1, 2 * this.#values.length));
      longer.set(this.#values);
      this.#values = longer;
    }
    this.#values[index] = value;
  }
}

/** A column of texts, each kept once. */
class TextColumn {
  readonly #places = new NumberTable(Int32Array);
  readonly #texts: (string | undefined)[] = [undefined];
  readonly #known = new Map<string, number>();

  get(index: number): string | undefined {
    return this.#texts[this.#places.get(index)];
  }

  /** The number of the text at the index; 0 where there is none. */
  numberOf(index: number): number {
    return this.#places.get(index);
  }

  set(index: number, text: string | undefined): void {
    if (text === undefined) return this.#places.set(index, 0);
    let place = this.#known.get(text);
    if (place === undefined) {
      // A part of a text that was read keeps all of that in memory: this one does not.
      const own = Buffer.from(text).toString();
      place = this.#texts.push(own) - 1;
      this.#known.set(own, place);
    }
    this.#places.set(index, place);
  }
}

/** What `#scales` has for an amount that is not there, and for one that needs more digits than a number has. */
const ABSENT_SCALE = 255;
const LONG_SCALE = 254;

/** A column of exact amounts. */
class AmountColumn {
  readonly #coefficients = new NumberTable(Float64Array);
  readonly #scales = new NumberTable(Uint8Array);
  readonly #long = new Map<number, Decimal>();

  get(index: number): Decimal | undefined {
    const scale = this.#scales.get(index);
    if (scale === ABSENT_SCALE) return undefined;
    if (scale === LONG_SCALE) return this.#long.get(index);
    return { coefficient: BigInt(this.#coefficients.get(index)), scale };
  }

  set(index: number, amount: Decimal | undefined): void {
    if (amount === undefined) return this.#scales.set(index, ABSENT_SCALE);
    const number = Number(amount.coefficient);
    if (Number.isSafeInteger(number) && amount.scale < LONG_SCALE) {
      this.#coefficients.set(index, number);
      this.#scales.set(index, amount.scale);
    } else {
      this.#scales.set(index, LONG_SCALE);
      this.#long.set(index, amount);
    }
  }
}
