import { parseDayAlone } from '../../json/calendar-day.ts';
import type { Cell } from '../../json/cells.ts';
import { fitsInt64, parseDecimal } from '../../json/decimal.ts';

/**
 * How Parquet stores a column:
 * - `whole`: whole numbers within 64 bits
 * - `decimal`: `precision` digits, `scale` of them after the point
 * - `date`: days since 1970-01-01
 * - `text`: strings; also numbers of more digits than any decimal has, as they were sent
 * - `json`: values of several kinds in one column, each as JSON text
 */
export type ParquetType =
  | { readonly kind: 'whole' | 'boolean' | 'date' | 'text' | 'json' }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number };

/** Digits that a decimal of Parquet has room for in every engine. */
const MAX_DIGITS = 38;

/** Most numbers: whole, and surely within 64 bits. */
const SHORT_WHOLE = /^-?\d{1,18}$/;

/**
 * Gathers what all values of one column are, from which its type follows. Every value must come out as it went in: points in time
 * and empty text are strings here, though `--where` takes the ones for dates and the others for nothing.
 */
export class ColumnSurvey {
  readonly #kinds = new Set<Cell['kind']>();
  #onlyDates = true;
  #fits64Bits = true;
  #tooLong = false;
  /** The most digits before and after the point. */
  #before = 1;
  #after = 0;

  add({ kind, text }: Cell): void {
    this.#kinds.add(kind);
    if (kind === 'number') this.#addNumber(text);
    else if (kind === 'string' && this.#onlyDates) this.#onlyDates = parseDayAlone(text) !== undefined;
  }

  get type(): ParquetType {
    const [kind, ...others] = this.#kinds;
    if (others.length > 0) return { kind: 'json' };
    if (kind === 'boolean') return { kind };
    if (kind === 'string' && this.#onlyDates) return { kind: 'date' };
    return kind === 'number' ? this.#numberType() : { kind: 'text' };
  }

  #numberType(): ParquetType {
    if (this.#after === 0 && this.#fits64Bits && !this.#tooLong) return { kind: 'whole' };
    const precision = this.#before + this.#after;
    if (this.#tooLong || precision > MAX_DIGITS) return { kind: 'text' };
    return { kind: 'decimal', precision, scale: this.#after };
  }

  #addNumber(literal: string): void {
    if (SHORT_WHOLE.test(literal)) {
      this.#before = Math.max(this.#before, literal.length - (literal.startsWith('-') ? 1 : 0));
      return;
    }
    const value = parseDecimal(literal);
    if (typeof value === 'string') {
      this.#tooLong = true;
      return;
    }
    const { coefficient, scale } = value;
    const digits = (coefficient < 0n ? -coefficient : coefficient).toString().length;
    this.#before = Math.max(this.#before, digits - scale);
    this.#after = Math.max(this.#after, scale);
    this.#fits64Bits &&= fitsInt64(coefficient);
  }
}

/** A value in the form in which it is stored. */
export type ParquetValue = bigint | boolean | number | string;

/**
 * The value of a cell for a column of this type, as the library that writes Parquet takes it: whole numbers and the
 * digits of decimals as bigint, dates as days since 1970-01-01.
 *
 * @returns undefined where the value does not fit the type, which a survey of the same cells rules out
 */
export function storedValue(cell: Cell, type: ParquetType): ParquetValue | undefined {
  const { kind, text } = cell;
  switch (type.kind) {
    case 'whole':
      return unscaled(text, 0);
    case 'decimal':
      return unscaled(text, type.scale);
    case 'boolean':
      return text === 'true';
    case 'date':
      return parseDayAlone(text);
    case 'json':
      return kind === 'string' ? JSON.stringify(text) : text;
    case 'text':
      return text;
  }
}

function unscaled(literal: string, to: number): bigint | undefined {
  if (to === 0 && SHORT_WHOLE.test(literal)) return BigInt(literal);
  const value = parseDecimal(literal);
  if (typeof value === 'string' || value.scale > to) return undefined;
  return value.coefficient * 10n ** BigInt(to - value.scale);
}
