import { parseDayAlone } from '../../json/calendar-day.ts';
import type { Cell } from '../../json/cells.ts';
import type { ColumnFacts } from '../../json/column-facts.ts';
import { parseDecimal } from '../../json/decimal.ts';

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

/** The type of a column. Every value must come out as it went in: points in time and empty texts are strings. */
export function typeOf(facts: ColumnFacts): ParquetType {
  switch (facts.kind) {
    case 'mixed':
      return { kind: 'json' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'number':
      return numberType(facts);
    case 'string':
      return { kind: facts.days + facts.midnights === facts.texts ? 'date' : 'text' };
    case 'array':
    case 'none':
      return { kind: 'text' };
  }
}

function numberType({ before, after, fits64Bits, tooLong }: ColumnFacts): ParquetType {
  if (tooLong > 0) return { kind: 'text' };
  if (after === 0 && fits64Bits) return { kind: 'whole' };
  const precision = before + after;
  return precision > MAX_DIGITS ? { kind: 'text' } : { kind: 'decimal', precision, scale: after };
}

/** A value in the form in which it is stored. */
export type ParquetValue = bigint | boolean | number | string;

/**
 * The value of a cell for a column of this type, as the library that writes Parquet takes it: whole numbers and the
 * digits of decimals as bigint, dates as days since 1970-01-01.
 *
 * @returns undefined where the value does not fit the type, which the facts of the same cells rule out
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
