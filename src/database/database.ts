import { OutputError, ServiceError } from '../errors.ts';
import type { CellSpan } from '../json/cells.ts';
import type { WordView } from '../json/bytes.ts';

/** What a database holds in a cell. PostgreSQL takes and gives text; SQLite its own numbers. */
export type StoredValue = string | number | bigint | null;

export type StoredRow = readonly StoredValue[];

/** What a column holds; `null` is one that has held nothing yet, so that any other may follow. */
export type ColumnType = 'null' | 'text' | 'numeric' | 'boolean' | 'json';

/** A table, and the columns of it that rows are given for. */
export interface RowTarget {
  readonly table: string;
  readonly columns: readonly string[];
}

/** Takes rows, cell by cell, from the first column to the last. */
export interface RowSink {
  put(value: StoredValue): void;
  /** The text that stands there in UTF-8. */
  putText(text: WordView, start: number, end: number): void;
  /** What a record holds, as a column of the type keeps it; no text with NUL in it. The span is another one afterwards. */
  putCell(type: ColumnType, cell: CellSpan): void;
  endRow(): void;
}

/** Puts rows, and yields whenever it has put some. */
export type FillRows = (rows: RowSink) => AsyncIterable<unknown>;

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

/** In what the engines' SQL and limits differ. */
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

/** What a record holds in a field. */
export type CellContent = 'text' | 'numeric' | 'boolean' | 'json';

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
  query(sql: string, parameters?: StoredRow): Promise<StoredRow[]>;
  /** A large result, in groups; nothing else may be asked meanwhile. */
  stream(sql: string, parameters?: StoredRow): AsyncGenerator<StoredRow[]>;
  /** For each key: the statement, whose last condition then is that the row has it. */
  forKeys(sql: string, parameters: StoredRow, keys: readonly string[]): Promise<void>;
  insert(target: RowTarget, fill: FillRows): Promise<void>;
  update(target: RowTarget, groups: AsyncIterable<readonly RowUpdate[]>): Promise<void>;
  /** Views of the user that stand in the way when the type of a column changes. */
  hinderingViews(table: string, column: string): Promise<readonly string[]>;
  /** Throws OutputError naming who holds it when another run does. */
  lock(): Promise<void>;
  begin(): Promise<void>;
  /** Rejects with CommitUnknown where the answer did not come. */
  commit(): Promise<void>;
  /** Never rejects: where it fails the connection is gone, and with it the transaction. */
  rollback(): Promise<void>;
  /** Once more, after the connection was lost. */
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

/** The transaction met another one: nothing of it was done, and it may be tried again, whole. */
export class Conflict extends OutputError {}

/** The connection was lost before the answer to COMMIT came. */
export class CommitUnknown extends ServiceError {}

/** A name as SQL writes it. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
