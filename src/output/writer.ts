import type { DeclaredType, FieldsOf } from '../invoices/fields.ts';
import type { RecordBatch } from '../json/records.ts';
import type { KnownColumn } from './column-looks.ts';
import type { ParquetType } from './parquet/stored-column.ts';

/** Where bytes go. A write resolves when their buffer may be used again; rejects with OutputError. */
export interface Sink {
  write(bytes: Uint8Array | string): Promise<void>;
  /** Returns a path beside the file for rows that wait: the next run removes files with such names that a killed run left. */
  readonly spare?: (() => string) | undefined;
}

/** A file, device or stream that is being written. */
export interface OpenTarget {
  readonly isTerminal: boolean;
  write(bytes: Uint8Array): Promise<void>;
  /** Undefined but for a file. */
  readonly spare?: Sink['spare'];
  /** Ends writing; a file appears. */
  commit?(): Promise<void>;
  /** Ends writing; a file stays unchanged. Does nothing after `commit`. */
  discard?(): Promise<void>;
}

export interface Writer {
  write(batch: RecordBatch): Promise<void>;
  /** Completes the document. Does not close the sink. */
  end(): Promise<void>;
}

export interface Layout {
  /** The columns in order; undefined for the union of all records' columns, by first appearance. */
  readonly columns?: readonly string[] | undefined;
  /** The headings of columns, if they differ from the names. Throws UsageError if two headings are the same. */
  readonly headings?: ((columns: readonly string[]) => readonly string[]) | undefined;
  /** table, xlsx: whether the user chose the columns: then they keep their order, and in a table have equal rank. */
  readonly isChosen?: boolean | undefined;
  readonly delimiter?: string | undefined;
  /** csv: whether the first line names the columns. */
  readonly header: boolean;
  /** csv: byte order mark, CRLF, and text that a spreadsheet would run as a formula made inert. */
  readonly excel: boolean;
  /** json, table: the only record itself, instead of an array, or as a sheet of its fields. */
  readonly single: boolean;
  /** table: display cells across, or undefined off a terminal. */
  readonly width?: number | undefined;
  /** table: whether colour may be used. */
  readonly color: boolean;
  /** table: every column whole, even if the terminal is narrower. */
  readonly wide?: boolean | undefined;
  /** table: numbers as they were sent, not grouped. */
  readonly raw?: boolean | undefined;
  /** table: whose separators group the digits, such as `es-CL`; undefined for `en-US`. */
  readonly locale?: string | undefined;
  /** table, xlsx: the columns that people look for, in the order in which a table shows them. */
  readonly known?: readonly KnownColumn[] | undefined;
  /** table: what columns mean, to mark what is overdue. */
  readonly fields?: FieldsOf | undefined;
  /** parquet: the types that listings declare. */
  readonly declared?: DeclaredTypes | undefined;
  /** parquet: the types of columns that the user set. */
  readonly types?: ReadonlyMap<string, ParquetType> | undefined;
  /** table: today, in days since 1970-01-01; undefined if no date is to be marked as overdue. */
  readonly today?: number | undefined;
  /** xlsx: the name of the sheet, at most 31 letters, spaces and hyphens; `records` by default. */
  readonly sheet?: string | undefined;
}

export interface DeclaredTypes {
  readonly names: readonly string[];
  /** Undefined for an undeclared column. */
  readonly typeOf: (column: string) => DeclaredType | undefined;
}

export type OpenWriter = (sink: Sink, layout: Layout) => Writer;
