import { familyOf, type Family } from '../../invoices/documents.ts';
import { formatDecimal, negateDecimal, type Decimal } from '../../json/decimal.ts';
import { NumberTable, type Texts } from './tables.ts';

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
  readonly #texts: Texts;
  readonly #numbers = new NumberTable(Float64Array);
  readonly #types = new NumberTable(Int32Array);
  readonly #fiscalIds = new NumberTable(Int32Array);
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
    this.#fiscalIds.set(index, this.#texts.numberOf(document.fiscalId));
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

  /** A number that is equal for documents of one number, on both sides. */
  numberKeyOf(index: number): number {
    return this.#numbers.get(index);
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

  /** The number of the text of the fiscal ID as it is compared; 0 for a document without one. */
  partyOf(index: number): number {
    return this.#texts.bareFiscalIdOf(this.#fiscalIds.get(index));
  }

  /** The number of the text that is the counterparty's name; 0 for a document without one. */
  nameNumberOf(index: number): number {
    return this.#names.get(index);
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

  /** A number that is equal for documents of equal totals, and for hardly any others; undefined for one without a total. */
  totalKeyOf(index: number): number | undefined {
    return this.#amounts.total.nearest(index);
  }
}

/** Digits that a number of JavaScript holds exactly and writes in the same way. */
const PLAIN_NUMBER = /^(?:0|[1-9]\d{0,14})$/;
/** What a document without a number has for one. */
export const NO_NUMBER = -1;
const NO_DAY = -(2 ** 31);

/** What `#scales` has for an amount that is not there, and for one that needs more digits than a number has. */
const ABSENT = 0;
const LONG = 255;
/** Powers of ten up to this one are exact, so that the nearest number to a fraction of them is. */
const MAX_POWER = 22;

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

  /** The number that is nearest to the amount. */
  nearest(index: number): number | undefined {
    const scale = this.#scales.get(index);
    if (scale === ABSENT) return undefined;
    if (scale - 1 > MAX_POWER) return Number(formatDecimal(this.get(index)!));
    return this.#coefficients.get(index) / 10 ** (scale - 1);
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
