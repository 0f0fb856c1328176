import { OutputError, ServiceError } from '../errors.ts';

/** The value of a cell in a database. PostgreSQL uses text for all; SQLite has its own numbers. */
export type StoredValue = string | number | bigint | null;

export type StoredRow = readonly StoredValue[];

/** Rows, some at a time. */
export type RowGroups = Iterable<readonly StoredRow[]> | AsyncIterable<readonly StoredRow[]>;

/** The types of columns. `null` is a column without values so far, which may become any other type. */
export const columnTypes = ['null', 'text', 'numeric', 'boolean', 'json'] as const;

export type ColumnType = (typeof columnTypes)[number];

export interface Relation {
  readonly kind: 'table' | 'view';
  /** The names of its columns, each with its type as the engine writes it; undefined where each cell has a type of its own. */
  readonly columns: ReadonlyMap<string, string | undefined>;
}

/** Where the SQL and the limits of the engines differ. */
export interface Dialect {
  readonly engine: 'SQLite' | 'PostgreSQL';
  /** Bytes of UTF-8 that a name may have. */
  readonly nameBytes: number;
  /** Names, in lower case, that no column may have. */
  readonly reservedNames: ReadonlySet<string>;
  readonly types: Readonly<
    Record<ColumnType | 'key' | 'integer' | 'flag' | 'instant' | 'day' | 'raw', string>
  >;
  /** The stored value: a number's literal, a text, the JSON of an array; null for a day that the engine cannot store. */
  value(type: ColumnType | 'day', text: string): StoredValue;
  /** The SQL of an instant as text, as `Date.toISOString` writes it. */
  instant(column: string): string;
}

/**
 * A connection to one database. In statements `?` stands for a parameter. Methods reject with OutputError, or ServiceError
 * where a server is not there, and with the reason of the signal that the connection was opened with.
 */
export interface Database {
  readonly dialect: Dialect;
  readonly shown: string;
  /** The name of a table or column as it is written in SQL; a table's with its schema. */
  table(name: string): string;
  /** Undefined where nothing of that name is there. */
  relation(name: string): Promise<Relation | undefined>;
  query(sql: string, parameters?: StoredRow): Promise<StoredRow[]>;
  /** The rows of a large result, in groups. Only one result is read at a time. */
  stream(sql: string, parameters?: StoredRow): AsyncGenerator<StoredRow[]>;
  /** Runs the statement once for each row of parameters. */
  each(sql: string, rows: readonly StoredRow[]): Promise<void>;
  /** Inserts groups of rows, which have a value for each of the columns. No other statement may run meanwhile. */
  insert(table: string, columns: readonly string[], groups: RowGroups): Promise<void>;
  /**
   * Locks these tables of records and their views until the transaction ends. Throws OutputError if other sessions
   * use them for too long.
   */
  lockTables(tables: readonly string[]): Promise<void>;
  /** Begins a transaction that keeps other runs out. Throws OutputError, with the other run, if one is writing. */
  begin(): Promise<void>;
  /** Rejects with CommitUnknown where the answer did not come. */
  commit(): Promise<void>;
  /** Never rejects: if it fails, the connection and its transaction are gone. */
  rollback(): Promise<void>;
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

/** A conflict with another transaction. Nothing of this one was done, and all of it may be tried again. */
export class Conflict extends OutputError {}

/** The connection was lost before the answer to COMMIT came. */
export class CommitUnknown extends ServiceError {}

export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** NUL, and surrogates, which may form a pair. */
const UNSTORABLE = /[\0\uD800-\uDFFF]/;

/** The text in a form that every database can store. */
export function storableText(text: string): string {
  return UNSTORABLE.test(text) ? Buffer.from(text).toString('utf8').replaceAll('\0', '\uFFFD') : text;
}

/** The statement, limited to the rows of these keys, which are its last parameters. It has to end with a condition. */
export function ofKeys(sql: string, keys: readonly string[]): string {
  return `${sql} AND _key IN (${keys.map(() => '?').join(', ')})`;
}
