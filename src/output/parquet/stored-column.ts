import type { ParquetWriter } from 'hyparquet-writer';
import { OutputError, UsageError } from '../../errors.ts';
import {
  ABSENT,
  BOOLEAN_LITERAL,
  cellJson,
  JSON_TEXT,
  NUMBER_LITERAL,
  type Cell,
  type CellReader,
} from '../../json/cells.ts';
import {
  describeType,
  shortUnscaled,
  storedValue,
  type ParquetType,
  type ParquetValue,
} from './column-type.ts';

export type SchemaElement = ParquetWriter['schema'][number];

/** After so many values of which nine in ten differ, a column is taken for one in which values do not repeat. */
const SAMPLE = 2_048;

/** A surrogate that stands alone: it has no bytes in UTF-8, and so no place in Parquet. */
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

  constructor(name: string, type: ParquetType) {
    this.#name = name;
    this.#type = type;
    this.element = { name, repetition_type: 'OPTIONAL', ...physicalType(type) };
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

  /** Whether a value that repeats is in `values` once for each way in which it was sent. */
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
    const value = storedValue(cell, this.#type);
    if (value !== undefined) return typeof value === 'string' ? Buffer.from(value).toString('latin1') : value;
    const text = cellJson(cell);
    const shown = text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
    throw new UsageError(
      `the column ${name} of record ${place} holds ${shown}, which is not ${describeType(this.#type)}`,
      {
        hint:
          `Write the column as text with \`folio config set 'types.${name}' text\`; ` +
          'all files of a folder need the same. Or use --format jsonl, which holds every value.',
      },
    );
  }
}

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
