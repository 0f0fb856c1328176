import type { ParquetWriter } from 'hyparquet-writer';
import { OutputError, UsageError } from '../../errors.ts';
import type { DeclaredType } from '../../invoices/fields.ts';
import { DIGIT_NINE, DIGIT_ZERO, MINUS, POINT } from '../../json/ascii.ts';
import { parseCalendarDay, parseDayAlone } from '../../json/calendar-day.ts';
import {
  ABSENT,
  BOOLEAN_LITERAL,
  cellJson,
  JSON_TEXT,
  NUMBER_LITERAL,
  type Cell,
  type CellReader,
} from '../../json/cells.ts';
import type { Span } from '../../json/bytes.ts';
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
  | ({ readonly kind: 'decimal' } & Decimal);

interface Decimal {
  readonly precision: number;
  readonly scale: number;
}

/** The type of all money in every file: BigQuery's NUMERIC, which other engines support, too. */
const MONEY: ParquetType = { kind: 'decimal', precision: 38, scale: 9 };

const STORED: Readonly<Record<DeclaredType, ParquetType>> = {
  money: MONEY,
  date: { kind: 'timestamp' },
  boolean: { kind: 'boolean' },
  count: { kind: 'whole' },
  list: { kind: 'text' },
  text: { kind: 'text' },
};

/** The type in which a column is stored: the declared one, else text, never guessed, so that all files agree. */
export function storedType(declared: DeclaredType | undefined): ParquetType {
  return STORED[declared ?? 'text'];
}

export type SchemaElement = ParquetWriter['schema'][number];

/** After so many values of which nine in ten differ, a column is taken for one in which values do not repeat. */
const SAMPLE = 2_048;

/** A lone surrogate: it has no bytes in UTF-8, so Parquet cannot store it. */
const HALF_CHARACTER = /\p{Cs}/u;

const SHOWN = 40;

/** Bytes of a decimal of more than 18 digits: 38 of them. */
export const WIDE = 16;

const NULL = -1;

/** One column of the file, and its values in the current group of rows. A text is a string of its UTF-8 bytes (latin1). */
export class StoredColumn {
  readonly element: SchemaElement;
  /** The values, each once as long as they repeat. */
  values: ParquetValue[] = [];
  nulls = 0;
  #rows: number[] = [];
  /** By kind of cell, the index of the value of each text as it was sent; undefined where values do not repeat. */
  #indices: Map<string, number>[] | undefined = [];
  readonly #name: string;
  readonly #type: ParquetType;
  readonly #kind: StoredKind;

  constructor(name: string, type: ParquetType) {
    this.#name = name;
    this.#type = type;
    this.#kind = type.kind === 'decimal' ? decimalKind(type) : KINDS[type.kind];
    this.element = { name, repetition_type: 'OPTIONAL', ...this.#kind.element };
  }

  clear(): void {
    this.values = [];
    this.#rows = [];
    this.nulls = 0;
    this.#indices = [];
  }

  get rows(): number {
    return this.#rows.length;
  }

  /** Whether values are shared: `values` has a repeated value once for each spelling. */
  get isShared(): boolean {
    return this.#indices !== undefined;
  }

  /** The index of the value of each row that has one. */
  indices(): number[] {
    return this.nulls === 0 ? this.#rows : this.#rows.filter((index) => index !== NULL);
  }

  /** For each row 0 where it has no value, else 1. */
  levels(): Uint8Array {
    const levels = new Uint8Array(this.rows).fill(1);
    if (this.nulls > 0)
      for (let row = 0; row < this.rows; row++) if (this.#rows[row] === NULL) levels[row] = 0;
    return levels;
  }

  addNulls(count: number): void {
    for (let row = 0; row < count; row++) this.#rows.push(NULL);
    this.nulls += count;
  }

  /**
   * Takes the value of the next row; null and missing are null.
   *
   * @param at the index of the column in the current record
   * @param place the record's number, from 1
   * @throws UsageError for a value that the type cannot hold, OutputError for half a character
   */
  add(record: CellReader, at: number, place: number): void {
    const { view, spans, spaced } = record;
    const kind = spans.kinds[at]!;
    if (kind === ABSENT) return this.addNulls(1);
    const start = spans.starts[at]!;
    const end = spans.ends[at]!;
    const type = this.#type;
    const isAsSent = type.kind === 'text' && (kind <= BOOLEAN_LITERAL || (kind === JSON_TEXT && !spaced));
    const known = this.#indices && (this.#indices[kind] ??= new Map());
    const text = isAsSent || known !== undefined ? view.bytes.toString('latin1', start, end) : '';
    let index = known?.get(text);
    if (index === undefined) {
      // Most amounts are short: these need no cell.
      const amount =
        type.kind === 'decimal' && kind === NUMBER_LITERAL
          ? shortUnscaled(view.bytes, [start, end], type)
          : undefined;
      const value = isAsSent ? text : (amount ?? this.#valueOf(record.cell(at)!, place));
      index = value === null ? NULL : this.values.push(value) - 1;
      known?.set(text, index);
    }
    this.#rows.push(index);
    if (index === NULL) this.nulls++;
    if (this.#rows.length - this.nulls === SAMPLE && this.values.length > 0.9 * SAMPLE)
      this.#indices = undefined;
  }

  #valueOf(cell: Cell, place: number): ParquetValue | null {
    const name = this.#name;
    if (cell.kind === 'string' && HALF_CHARACTER.test(cell.text)) {
      throw new OutputError(
        `the column ${name} of record ${place} holds text with half a character in it, which Parquet cannot hold`,
        {
          hint: `Leave the column out with --columns '*,-${name}', or use --format jsonl, which holds every value.`,
        },
      );
    }
    if (cell.kind === 'string' && cell.text === '' && this.#kind.element !== TEXT) return null;
    const value = this.#kind.value(cell);
    if (value !== undefined) return typeof value === 'string' ? Buffer.from(value).toString('latin1') : value;
    const text = cellJson(cell);
    const shown = text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
    throw new UsageError(
      `the column ${name} of record ${place} holds ${shown}, which is not ${this.#kind.described}`,
      {
        hint:
          `Write the column as text with \`folio config set 'types.${name}' text\`; ` +
          'all files of a folder need the same. Or use --format jsonl, which holds every value.',
      },
    );
  }
}

export type ParquetValue = bigint | boolean | number | string;

interface StoredKind {
  readonly element: Omit<SchemaElement, 'name'>;
  /** Its values, for messages. */
  readonly described: string;
  /**
   * Whole numbers and the digits of decimals as bigint, dates as days since 1970-01-01, points in time as microseconds since
   * then; undefined for a cell that does not fit.
   */
  readonly value: (cell: Cell) => ParquetValue | undefined;
}

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;

const KINDS: Readonly<Record<Exclude<ParquetType['kind'], 'decimal'>, StoredKind>> = {
  whole: {
    element: { type: 'INT64' },
    described: 'a whole number of 64 bits',
    value: ({ kind, text }) => (kind === 'number' ? whole(text) : undefined),
  },
  boolean: {
    element: { type: 'BOOLEAN' },
    described: 'true or false',
    value: ({ kind, text }) => (kind === 'boolean' ? text === 'true' : undefined),
  },
  date: {
    element: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
    described: 'a day such as 2026-11-21',
    value: ({ kind, text }) => (kind === 'string' ? parseDayAlone(text) : undefined),
  },
  timestamp: {
    // Without the older converted type, which would say that it is in UTC.
    element: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' } },
    described: 'a date such as 2026-11-21 or 2026-11-21T10:00:00Z',
    value: ({ kind, text }) => (kind === 'string' ? microseconds(text) : undefined),
  },
  text: { element: TEXT, described: 'a text', value: ({ text }) => text },
  json: { element: TEXT, described: 'a text', value: cellJson },
};

/** Decimals take the narrowest integer that holds them, or 16 bytes, which hold 38 digits. */
function decimalKind({ precision, scale }: Decimal): StoredKind {
  const narrow = precision <= 9 ? 'INT32' : precision <= 18 ? 'INT64' : undefined;
  const wide = { type: 'FIXED_LEN_BYTE_ARRAY', type_length: WIDE } as const;
  const logical_type = { type: 'DECIMAL', precision, scale } as const;
  return {
    element: {
      ...(narrow === undefined ? wide : { type: narrow }),
      converted_type: 'DECIMAL',
      precision,
      scale,
      logical_type,
    },
    described: `a number of at most ${precision - scale} digits before and ${scale} after the point`,
    value: ({ kind, text }) => (kind === 'number' ? unscaled(text, { precision, scale }) : undefined),
  };
}

/** The most digits of a Parquet decimal in every engine. */
const MAX_DIGITS = 38;

function whole(literal: string): bigint | undefined {
  const value = unscaled(literal, { precision: MAX_DIGITS, scale: 0 });
  return value !== undefined && fitsInt64(value) ? value : undefined;
}

/** The digits of the number without the point; undefined if there are too many. */
function unscaled(literal: string, { precision, scale }: Decimal): bigint | undefined {
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
function shortUnscaled(bytes: Buffer, [start, end]: Span, { precision, scale }: Decimal): bigint | undefined {
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
