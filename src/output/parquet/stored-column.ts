import type { ParquetWriter } from 'hyparquet-writer';
import { OutputError, UsageError } from '../../errors.ts';
import { WordView } from '../../json/bytes.ts';
import {
  ABSENT,
  BOOLEAN_LITERAL,
  cellJson,
  JSON_TEXT,
  NUMBER_LITERAL,
  type Cell,
  type Projection,
} from '../../json/cells.ts';
import {
  describeType,
  shortUnscaled,
  storedValue,
  type ParquetType,
  type ParquetValue,
} from './column-type.ts';
import { ColumnValues } from './column-values.ts';

export type SchemaElement = ParquetWriter['schema'][number];

/** A surrogate that stands alone: it has no bytes in UTF-8, and so no place in Parquet. */
const HALF_CHARACTER = /\p{Cs}/u;

/** Characters of a value that an error shows. */
const SHOWN = 40;

/** Bytes of a decimal of more than 18 digits, which hold 38 of them. */
const WIDE = 16;

/** One column of the file, and its values in the group of rows at hand. */
export class StoredColumn {
  readonly element: SchemaElement;
  readonly values: ColumnValues;
  readonly #name: string;
  readonly #type: ParquetType;
  /** The bytes of a value that is no text. */
  readonly #short: WordView;

  constructor(name: string, type: ParquetType) {
    this.#name = name;
    this.#type = type;
    this.element = { name, repetition_type: 'OPTIONAL', ...physicalType(type) };
    this.#short = new WordView(Buffer.alloc(WIDTHS[this.element.type!] ?? 0));
    this.values = new ColumnValues(this.element.type === 'BYTE_ARRAY');
  }

  /**
   * Takes the value of the next row; null and missing are null.
   *
   * @param at the index of the column in the record at hand
   * @param place the record's number, from 1
   * @throws UsageError for a value that the type cannot hold, OutputError for half a character
   */
  add(record: Projection, at: number, place: number): void {
    const { view, cells, spaced } = record;
    const kind = cells.kinds[at]!;
    if (kind === ABSENT) return this.values.addNulls(1);
    const start = cells.starts[at]!;
    const end = cells.ends[at]!;
    const type = this.#type;
    // Most texts stand in the file as they were sent, and most amounts are short: no string is made for these.
    if (type.kind === 'text' && (kind <= BOOLEAN_LITERAL || (kind === JSON_TEXT && !spaced)))
      return this.values.add(view, start, end);
    const amount =
      type.kind === 'decimal' && kind === NUMBER_LITERAL
        ? shortUnscaled(view.bytes, [start, end], type)
        : undefined;
    if (amount === undefined) this.#addCell(record.cell(at)!, place);
    else this.#addValue(amount);
  }

  #addCell(cell: Cell, place: number): void {
    const name = this.#name;
    if (cell.kind === 'string' && HALF_CHARACTER.test(cell.text)) {
      throw new OutputError(
        `the column ${name} of record ${place} holds text with half a character in it, which Parquet cannot hold`,
        {
          hint: `Leave the column out with --columns '*,-${name}', or use --format jsonl, which holds every value.`,
        },
      );
    }
    const value = storedValue(cell, this.#type);
    if (value === undefined) throw this.#unfitError(cellJson(cell), place);
    if (value === null) this.values.addNulls(1);
    else this.#addValue(value);
  }

  #addValue(value: ParquetValue): void {
    if (typeof value === 'string') {
      const text = new WordView(Buffer.from(value));
      return this.values.add(text, 0, text.bytes.length);
    }
    const { words, bytes } = this.#short;
    if (typeof value === 'boolean') words.setUint8(0, value ? 1 : 0);
    else if (bytes.length === 4) words.setInt32(0, Number(value), true);
    else if (bytes.length === 8) words.setBigInt64(0, BigInt(value), true);
    else {
      words.setBigInt64(0, BigInt(value) >> 64n);
      words.setBigInt64(8, BigInt(value));
    }
    this.values.add(this.#short, 0, bytes.length);
  }

  #unfitError(value: string, place: number): UsageError {
    const name = this.#name;
    const shown = value.length <= SHOWN ? value : `${value.slice(0, SHOWN)}…`;
    return new UsageError(
      `the column ${name} of record ${place} holds ${shown}, which is not ${describeType(this.#type)}`,
      {
        hint:
          `Write the column as text with \`folio config set 'types.${name}' text\`; ` +
          'all files of a folder need the same. Or use --format jsonl, which holds every value.',
      },
    );
  }
}

/** Bytes of a value of a type that is no text. */
const WIDTHS: Readonly<Partial<Record<NonNullable<SchemaElement['type']>, number>>> = {
  BOOLEAN: 1,
  INT32: 4,
  INT64: 8,
  FIXED_LEN_BYTE_ARRAY: WIDE,
};

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;

/** Decimals take the narrowest integer that holds them, or 16 bytes, which hold 38 digits. */
function physicalType(type: ParquetType): Omit<SchemaElement, 'name'> {
  if (type.kind === 'decimal') {
    const { precision, scale } = type;
    const logical_type = { type: 'DECIMAL', precision, scale } as const;
    const decimal = { converted_type: 'DECIMAL', precision, scale, logical_type } as const;
    if (precision <= 18) return { type: precision <= 9 ? 'INT32' : 'INT64', ...decimal };
    return { type: 'FIXED_LEN_BYTE_ARRAY', type_length: WIDE, ...decimal };
  }
  const others: Record<typeof type.kind, Omit<SchemaElement, 'name'>> = {
    whole: { type: 'INT64' },
    boolean: { type: 'BOOLEAN' },
    // Without the older converted type, which would say that it is in UTC.
    timestamp: {
      type: 'INT64',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' },
    },
    date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
    text: TEXT,
    json: TEXT,
  };
  return others[type.kind];
}

/** The value of bytes of a type, as the library takes it for statistics: of texts the bytes themselves. */
export function readStored(bytes: Buffer, { type, converted_type }: SchemaElement): ParquetValue | Buffer {
  if (type === 'BOOLEAN') return bytes[0] === 1;
  if (type === 'INT32')
    return converted_type === 'DECIMAL' ? BigInt(bytes.readInt32LE()) : bytes.readInt32LE();
  if (type === 'INT64') return bytes.readBigInt64LE();
  if (type === 'BYTE_ARRAY') return Buffer.from(bytes);
  return (bytes.readBigInt64BE() << 64n) + bytes.readBigUInt64BE(8);
}
