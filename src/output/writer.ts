import type { DeclaredType, FieldsOf } from '../invoices/fields.ts';
import type { RecordBatch } from '../json/records.ts';
import type { KnownColumn } from './column-roles.ts';
import type { ParquetType } from './parquet/column-type.ts';

/** Where bytes go. A write resolves when the bytes are out, so that their buffer may be used again; rejects with OutputError. */
export interface Sink {
  write(bytes: Uint8Array | string): Promise<void>;
  /**
   * Only of a file, which nobody reads before it is whole: begins it anew, and gives back what it had, in parts of these lengths in
   * bytes. Each stands until the next one is asked for.
   */
  readonly startOver?: (lengths: readonly number[]) => Promise<AsyncIterable<Buffer>>;
}

/** Turns batches of records into one format's bytes and passes them on to its sink. */
export interface Writer {
  write(batch: RecordBatch): Promise<void>;
  /** Completes the document (closing bracket, spooled rows, the last table rows). Does not close the sink. */
  end(): Promise<void>;
}

/** How records are laid out; each format reads the members that concern it. */
export interface Layout {
  /** The columns asked for, in order; undefined for the union of all records' columns, by first appearance. */
  readonly columns?: readonly string[] | undefined;
  /** What stands above each of these columns in place of its name. Throws UsageError where two have the same. */
  readonly headings?: ((columns: readonly string[]) => readonly string[]) | undefined;
  /** table: whether the user named the columns, which then stay in their order and matter alike. */
  readonly asked?: boolean | undefined;
  /** csv: one character between cells. */
  readonly delimiter?: string | undefined;
  /** csv: whether the first line names the columns. */
  readonly header: boolean;
  /** csv: byte order mark, CRLF, and text that a spreadsheet would run as a formula made inert. */
  readonly excel: boolean;
  /** json: print the only record itself instead of an array. */
  readonly single: boolean;
  /** table: display cells across, or undefined off a terminal. */
  readonly width?: number | undefined;
  /** table: whether colour may be used. */
  readonly color: boolean;
  /** table: every column at its full width, even if the terminal is narrower. */
  readonly wide?: boolean | undefined;
  /** table: numbers as they were sent, not grouped. */
  readonly raw?: boolean | undefined;
  /** table: whose separators group the digits, such as `es-CL`; undefined for `en-US`. */
  readonly locale?: string | undefined;
  /** table, xlsx, parquet: the columns that people look for, in the order in which a table shows them. */
  readonly known?: readonly KnownColumn[] | undefined;
  /** table: what the columns mean. */
  readonly fields?: FieldsOf | undefined;
  /** parquet: what the listing or the result declares of its columns. */
  readonly declared?: DeclaredTypes | undefined;
  /** parquet: the types of columns, as the user says. */
  readonly types?: ReadonlyMap<string, ParquetType> | undefined;
  /** table: the day that it is, in days since 1970-01-01; undefined where nothing is past due. */
  readonly today?: number | undefined;
  /** xlsx: the name of the sheet, which has at most 25 letters, spaces and hyphens; `records` unless given. */
  readonly sheet?: string | undefined;
}

/** The columns that records or rows are declared to have, and their types. */
export interface DeclaredTypes {
  readonly names: readonly string[];
  /** Undefined for a column that nobody declares. */
  readonly typeOf: (column: string) => DeclaredType | undefined;
}

export type OpenWriter = (sink: Sink, layout: Layout) => Writer;
