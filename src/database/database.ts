import { OutputError, ServiceError } from '../errors.ts';
import type { CellSpan } from '../json/cells.ts';
import type { WordView } from '../json/bytes.ts';

/** What a database holds in a cell. PostgreSQL takes and gives text; SQLite its own numbers. */
export type StoredValue = string | number | bigint | null;

export type StoredRow = readonly StoredValue[];

/** What a column may hold; `null` is one that has held nothing yet, so that any other may follow. */
export const columnTypes = ['null', 'text', 'numeric', 'boolean', 'json'] as const;

export type ColumnType = (typeof columnTypes)[number];

/** What a record holds in a field. */
export type CellContent = Exclude<ColumnType, 'null'>;

/** A table, and the columns of it that rows are given for. */
export interface RowTarget {
  readonly table: string;
  readonly columns: readonly string[];
}

/** Takes rows, cell by cell, from the first column to the last. */
export interface RowSink {
  put(value: StoredValue): void;
  /** Puts the text at `text.bytes[start .. end)`, which is UTF-8. */
  putText(text: WordView, start: number, end: number): void;
  /** Puts a cell of a record in the form that a column of this type keeps; no text with NUL. The caller reuses the span. */
  putCell(type: ColumnType, cell: CellSpan): void;
  endRow(): void;
}

/** Puts rows, and yields whenever it has put some. */
export type FillRows = (rows: RowSink) => AsyncIterable<unknown>;

/** Puts these rows. */
export function fillWith(rows: readonly StoredRow[]): FillRows {
  return async function* (sink) {
    for (const row of rows) {
      for (const value of row) sink.put(value);
      sink.endRow();
    }
    yield;
  };
}

/** The new cells of the row that a profile has under a key. */
export interface RowUpdate {
  readonly profile: string;
  readonly key: string;
  readonly values: StoredRow;
}

/** A table or a view that is there. */
export interface Relation {
  readonly kind: 'table' | 'view';
  readonly columns: readonly string[];
}

/** Where the SQL and the limits of the engines differ. */
export interface Dialect {
  readonly engine: 'SQLite' | 'PostgreSQL';
  /** Bytes of UTF-8 that a name may have. */
  readonly nameBytes: number;
  /** Names, in lower case, that no column may have. */
  readonly reservedNames: ReadonlySet<string>;
  readonly types: Readonly<Record<ColumnType | 'key' | 'integer' | 'flag' | 'instant' | 'raw', string>>;
  /** Whether ALTER TABLE takes several changes in one statement, and gives a table of rows its primary key. */
  readonly altersTogether: boolean;
  /** Behind the closing bracket of CREATE TABLE. */
  readonly tableOptions: string;
  /** What is stored for a value: of a number its literal, of a text its characters, of an array its JSON. */
  value(type: ColumnType, text: string): StoredValue;
  flag(value: boolean): StoredValue;
}

/**
 * A connection to one database. In statements `?` stands for a parameter. Methods reject with OutputError, or ServiceError
 * where a server is not there, and with the reason of the signal that the connection was opened with.
 */
export interface Database {
  readonly dialect: Dialect;
  /** How messages call it. */
  readonly shown: string;
  /** The name of a table or column as it is written in SQL; a table's with its schema. */
  table(name: string): string;
  /** Undefined where nothing of that name is there. */
  relation(name: string): Promise<Relation | undefined>;
  /** The types of a table's or a view's columns, by name; none where they have no types, or nothing of that name is there. */
  columnTypes(name: string): Promise<ReadonlyMap<string, string>>;
  query(sql: string, parameters?: StoredRow): Promise<StoredRow[]>;
  /** The rows of a large result, in groups. No other statement may run until all are read. */
  stream(sql: string, parameters?: StoredRow): AsyncGenerator<StoredRow[]>;
  /** Runs the statement for each key. It must end in a condition, to which ` AND _key = …` is added. */
  forKeys(sql: string, parameters: StoredRow, keys: readonly string[]): Promise<void>;
  insert(target: RowTarget, fill: FillRows): Promise<void>;
  update(target: RowTarget, groups: AsyncIterable<readonly RowUpdate[]>): Promise<void>;
  /** Views of the user that read the table's column itself, so that its type cannot change. */
  dependentViews(table: string, column: string): Promise<readonly string[]>;
  /** Makes sure that no other run writes now. Throws OutputError naming who does. */
  refuseOthers(): Promise<void>;
  /** Begins a transaction and keeps other runs out until it ends. Throws OutputError where another run writes now. */
  begin(): Promise<void>;
  /** Begins a transaction as soon as a session that was lost has ended, which has its lock until then. */
  beginAfterLostSession(): Promise<void>;
  /** Rejects with CommitUnknown where the answer did not come. */
  commit(): Promise<void>;
  /** Never rejects: where it fails the connection is gone, and with it the transaction. */
  rollback(): Promise<void>;
  /** Connects again after the connection was lost. */
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

/** Another transaction got in the way. Nothing of this one was done, and the whole of it may be tried again. */
export class Conflict extends OutputError {}

/** The connection was lost before the answer to COMMIT came. */
export class CommitUnknown extends ServiceError {}

/** A name as SQL writes it. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
