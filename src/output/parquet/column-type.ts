import type { DeclaredType } from '../../invoices/fields.ts';
import { DIGIT_NINE, DIGIT_ZERO, MINUS, POINT } from '../../json/ascii.ts';
import { parseCalendarDay, parseDayAlone } from '../../json/calendar-day.ts';
import { cellJson, type Cell } from '../../json/cells.ts';
import type { Span } from '../../json/checked-text.ts';
import { EXACT_DIGITS, fitsInt64, parseDecimal } from '../../json/decimal.ts';

/**
 * How Parquet stores a column:
 * - `whole`: whole numbers within 64 bits
 * - `decimal`: `precision` digits, `scale` of them after the point
 * - `date`: days since 1970-01-01
 * - `timestamp`: a day and a time as they are written, in no zone
 * - `text`: strings, and the texts of whatever else the column holds
 * - `json`: each value as JSON text
 */
export type ParquetType =
  | { readonly kind: 'whole' | 'boolean' | 'date' | 'timestamp' | 'text' | 'json' }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number };

/** Of every amount of money, in every file: BigQuery's NUMERIC, which other engines have room for. */
const MONEY: ParquetType = { kind: 'decimal', precision: 38, scale: 9 };

const STORED: Readonly<Record<DeclaredType, ParquetType>> = {
  money: MONEY,
  date: { kind: 'timestamp' },
  boolean: { kind: 'boolean' },
  count: { kind: 'whole' },
  list: { kind: 'text' },
  text: { kind: 'text' },
};

/** The type in which a column is stored: text where nobody declares it. Never guessed from values, so all files of a folder agree. */
export function storedType(declared: DeclaredType | undefined): ParquetType {
  return STORED[declared ?? 'text'];
}

/** Digits that a decimal of Parquet has room for in every engine. */
const MAX_DIGITS = 38;

/** Most numbers: whole, and surely within 64 bits. */
const SHORT_WHOLE = /^-?\d{1,18}$/;

export function describeType(type: ParquetType): string {
  if (type.kind === 'decimal') {
    const { precision, scale } = type;
    return `a number of at most ${precision - scale} digits before and ${scale} after the point`;
  }
  return {
    whole: 'a whole number of 64 bits',
    boolean: 'true or false',
    date: 'a day such as 2026-11-21',
    timestamp: 'a date such as 2026-11-21 or 2026-11-21T10:00:00Z',
    text: 'a text',
    json: 'a text',
  }[type.kind];
}

export type ParquetValue = bigint | boolean | number | string;

/**
 * The value of a cell in a column of this type: whole numbers and the digits of decimals as bigint, dates as days since 1970-01-01,
 * points in time as microseconds since then. Empty text is null but in columns of text; undefined for what does not fit the type.
 */
export function storedValue(cell: Cell, type: ParquetType): ParquetValue | null | undefined {
  const { kind, text } = cell;
  if (type.kind === 'text') return text;
  if (type.kind === 'json') return cellJson(cell);
  if (kind === 'string' && text === '') return null;
  if (kind === 'number') {
    if (type.kind === 'whole') return whole(text);
    return type.kind === 'decimal' ? unscaled(text, type) : undefined;
  }
  if (kind === 'boolean') return type.kind === 'boolean' ? text === 'true' : undefined;
  if (kind !== 'string') return undefined;
  if (type.kind === 'date') return parseDayAlone(text);
  return type.kind === 'timestamp' ? microseconds(text) : undefined;
}

function whole(literal: string): bigint | undefined {
  if (SHORT_WHOLE.test(literal)) return BigInt(literal);
  const value = unscaled(literal, { precision: MAX_DIGITS, scale: 0 });
  return value !== undefined && fitsInt64(value) ? value : undefined;
}

/** The digits of the number without their point; undefined where it has more of them than fit. */
function unscaled(
  literal: string,
  { precision, scale }: { readonly precision: number; readonly scale: number },
): bigint | undefined {
  const value = parseDecimal(literal);
  if (typeof value === 'string') return undefined;
  let digits = value.coefficient;
  if (value.scale <= scale) digits *= 10n ** BigInt(scale - value.scale);
  else {
    const beyond = 10n ** BigInt(value.scale - scale);
    if (digits % beyond !== 0n) return undefined;
    digits /= beyond;
  }
  const limit = 10n ** BigInt(precision);
  return digits < limit && digits > -limit ? digits : undefined;
}

const POWERS_OF_TEN = Array.from({ length: MAX_DIGITS + 1 }, (_, power) => 10n ** BigInt(power));

/** The same for a number as it was sent; undefined also where it is long, or has an exponent. */
export function shortUnscaled(
  bytes: Buffer,
  [start, end]: Span,
  { precision, scale }: { readonly precision: number; readonly scale: number },
): bigint | undefined {
  let value = 0;
  let zeros = scale;
  let isFraction = false;
  const isNegative = bytes[start] === MINUS;
  for (let at = isNegative ? start + 1 : start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte === POINT) isFraction = true;
    else if (byte < DIGIT_ZERO || byte > DIGIT_NINE) return undefined;
    else {
      value = 10 * value + byte - DIGIT_ZERO;
      if (isFraction) zeros--;
    }
  }
  if (zeros < 0 || end - start > EXACT_DIGITS || EXACT_DIGITS + zeros > precision) return undefined;
  return BigInt(isNegative ? -value : value) * POWERS_OF_TEN[zeros]!;
}

const TIME = /^.{10}(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,6})0*)?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;
const MICROSECONDS_A_DAY = 86_400_000_000n;

/** The day and the time as they are written, whatever their zone, in microseconds since 1970-01-01T00:00. */
function microseconds(text: string): bigint | undefined {
  const match = TIME.exec(text);
  const day = match === null ? undefined : parseCalendarDay(text);
  if (match === null || day === undefined) return undefined;
  const [hours, minutes, seconds] = [match[1], match[2], match[3]].map((digits) => Number(digits ?? 0));
  if (hours! > 23 || minutes! > 59 || seconds! > 59) return undefined;
  const fraction = Number((match[4] ?? '').padEnd(6, '0'));
  return (
    BigInt(day) * MICROSECONDS_A_DAY +
    BigInt(((hours! * 60 + minutes!) * 60 + seconds!) * 1_000_000 + fraction)
  );
}
