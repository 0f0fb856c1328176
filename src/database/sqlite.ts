import { accessSync, constants, statSync } from 'node:fs';
import { basename, dirname, resolve, toNamespacedPath } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { OutputError, UsageError, errorCode, systemReason } from '../errors.ts';
import { EXACT_DIGITS, fitsInt64 } from '../json/decimal.ts';
import { cannotWrite } from '../output/files/target.ts';
import type { SqliteAddress } from './address.ts';
import {
  quoteName,
  type Database,
  type Dialect,
  type Relation,
  type RowGroups,
  type StoredRow,
} from './database.ts';

type SqliteContext = Pick<Context, 'clock' | 'signal' | 'quietly'>;

interface Connection {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

interface Statement {
  run(...parameters: readonly unknown[]): unknown;
  iterate(...parameters: readonly unknown[]): Iterable<object>;
}

const [BUSY, READ_ONLY, FULL, CANNOT_OPEN, NO_DATABASE] = [5, 8, 13, 14, 26];

/** Milliseconds that a statement waits for other programs, in all and between two tries. */
const MAX_WAIT = 30_000;
const WAIT_STEP = 50;

/** Rows that are read at a time, before the event loop runs: few, since long-lived objects stay in memory. */
const ROWS_TOGETHER = 200;

const sqliteDialect: Dialect = {
  engine: 'SQLite',
  nameBytes: 10_000,
  // What rows are found by while a column is rewritten and while they are read.
  reservedNames: new Set(['rowid']),
  types: {
    null: 'ANY',
    text: 'ANY',
    numeric: 'ANY',
    boolean: 'ANY',
    json: 'ANY',
    key: 'TEXT',
    integer: 'INTEGER',
    flag: 'INTEGER',
    instant: 'TEXT',
    day: 'TEXT',
    raw: 'TEXT',
  },
  value(type, text) {
    if (type === 'numeric') return sqliteNumber(text);
    if (type === 'boolean') return text === 'true' ? 1n : 0n;
    return text;
  },
  instant: (column) => column,
};

/**
 * The value that SQLite stores for a number literal: an integer if it has 64 bits, a double if that keeps all digits,
 * else the literal as text, which no arithmetic rounds.
 */
function sqliteNumber(literal: string): bigint | number | string {
  if (/^-?\d+$/.test(literal)) {
    if (literal.length <= 18) return BigInt(literal);
    if (literal.length > 20) return literal;
    const integer = BigInt(literal);
    return fitsInt64(integer) ? integer : literal;
  }
  const digits = literal
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '');
  if (digits.length > EXACT_DIGITS) return literal;
  const value = Number(literal);
  // At the ends of their range doubles have fewer digits, or are infinite.
  const size = Math.abs(value);
  return digits === '' || (size > 1e-300 && size < 1e300) ? value : literal;
}

/** Whether there is a file to open. Throws OutputError for what is not a file. */
export function sqliteFileExists({ path, shown }: SqliteAddress): boolean {
  try {
    if (statSync(path).isFile()) return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw cannotOpen(shown, error);
  }
  throw new OutputError(`${shown} is not a file`, {
    hint: 'Name a file for the database, such as books.db.',
  });
}

/** Throws OutputError where the file cannot be written, or no file can be made in its folder. */
export function requireWritable(address: SqliteAddress): void {
  const { path, shown } = address;
  const ofFile = sqliteFileExists(address) ? [path] : [];
  try {
    for (const place of [...ofFile, dirname(resolve(path))]) accessSync(place, constants.W_OK);
  } catch (error) {
    throw cannotWrite(shown, error);
  }
  // The superuser may write any file, but a file that is read-only for all is left alone.
  if (ofFile.every((file) => (statSync(file).mode & 0o222) !== 0)) return;
  throw new OutputError(`${shown} is read-only`, {
    hint: `Allow writing with chmod u+w ${shown}, or sync into another file.`,
  });
}

/** Opens the file, which is made where it is not there. Rejects with OutputError, or UsageError where it is not a database. */
export async function openSqlite(address: SqliteAddress, context: SqliteContext): Promise<Database> {
  const { path, shown } = address;
  const connect = await loadDriver(context);
  const database = new SqliteDatabase(() => connect(resolve(path)), shown, context);
  try {
    await database.prepare();
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

/** The runtime's own SQLite, else the optional package libsql. */
async function loadDriver({ quietly }: SqliteContext): Promise<(path: string) => Connection> {
  try {
    // Node warns that its SQLite is experimental.
    const { DatabaseSync } = await quietly(() => import('node:sqlite'));
    return (path) => new DatabaseSync(toNamespacedPath(path));
  } catch {
    // Node 20 has none, and early versions of Node 22 have it only behind a flag.
  }
  try {
    const { default: LibsqlDatabase } = await import('libsql');
    return (path) => new LibsqlDatabase(path) as Connection;
  } catch (error) {
    throw new UsageError('SQLite needs Node 22.13 or later, or the package libsql', {
      hint: 'Install it beside folio with npm install libsql, or use a later Node.',
      cause: error,
    });
  }
}

class SqliteDatabase implements Database {
  readonly dialect = sqliteDialect;
  readonly shown: string;
  readonly #context: SqliteContext;
  readonly #connection: Connection;

  constructor(open: () => Connection, shown: string, context: SqliteContext) {
    this.shown = shown;
    this.#context = context;
    this.#connection = this.#explained(() => {
      const connection = open();
      // `#whenFree` waits instead: a signal ends that.
      connection.exec('PRAGMA busy_timeout = 0');
      return connection;
    });
  }

  /** Rejects where the file cannot be read. */
  async prepare(): Promise<void> {
    await this.#whenFree(() => this.#connection.exec('PRAGMA cache_size = -8192'));
    await this.query('SELECT count(*) FROM sqlite_schema');
  }

  table(name: string): string {
    return quoteName(name);
  }

  async relation(name: string): Promise<Relation | undefined> {
    const sql = "SELECT type FROM sqlite_schema WHERE lower(name) = lower(?) AND type IN ('table', 'view')";
    const [row] = await this.query(sql, [name]);
    if (row === undefined) return undefined;
    const names = await this.query('SELECT name FROM pragma_table_info(?)', [name]);
    const columns = new Map(names.map(([column]) => [String(column), undefined]));
    return { kind: row[0] === 'view' ? 'view' : 'table', columns };
  }

  async query(sql: string, parameters: StoredRow = []): Promise<StoredRow[]> {
    const rows = await this.#rowsWhenFree(sql, parameters, (all) => [...all]);
    return rows.map((row) => Object.values(row) as StoredRow);
  }

  async *stream(sql: string, parameters: StoredRow = []): AsyncGenerator<StoredRow[]> {
    // From its first row on, it has the file.
    let [rows, next] = await this.#rowsWhenFree(sql, parameters, (all) => {
      const iterator = all[Symbol.iterator]();
      return [iterator, iterator.next()] as const;
    });
    try {
      while (!next.done) {
        const group: StoredRow[] = [];
        this.#explained(() => {
          for (; !next.done && group.length < ROWS_TOGETHER; next = rows.next())
            group.push(Object.values(next.value) as StoredRow);
        });
        await this.#yieldToSignal();
        yield group;
      }
    } finally {
      rows.return?.();
    }
  }

  async each(sql: string, rows: readonly StoredRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.#yieldToSignal();
    this.#explained(() => {
      const statement = this.#connection.prepare(sql);
      for (const row of rows) statement.run(...row);
    });
  }

  async insert(table: string, columns: readonly string[], groups: RowGroups): Promise<void> {
    const marks = columns.map(() => '?').join(', ');
    const names = columns.map(quoteName).join(', ');
    const sql = `INSERT INTO ${this.table(table)} (${names}) VALUES (${marks})`;
    for await (const rows of groups) await this.each(sql, rows);
  }

  /** The transaction has the whole file. */
  async lockTables(): Promise<void> {}

  /** Waits while another program writes; other runs are kept out by a lock beside the file. */
  async begin(): Promise<void> {
    await this.#whenFree(() => this.#connection.exec('BEGIN IMMEDIATE'));
  }

  async commit(): Promise<void> {
    await this.#whenFree(() => this.#connection.exec('COMMIT'));
  }

  async rollback(): Promise<void> {
    try {
      this.#connection.exec('ROLLBACK');
    } catch {
      // A full disk, for one, has ended the transaction already. Its pages go with the next statement.
      await this.query('SELECT count(*) FROM sqlite_schema').catch(() => {});
    }
  }

  async reconnect(): Promise<void> {}

  async close(): Promise<void> {
    this.#connection.close();
  }

  /** All tries use one statement: a refused one stays active until it is used again, and keeps the locks of later ones. */
  async #rowsWhenFree<T>(
    sql: string,
    parameters: StoredRow,
    read: (rows: Iterable<object>) => T,
  ): Promise<T> {
    let statement: Statement | undefined;
    return this.#whenFree(() => read((statement ??= this.#connection.prepare(sql)).iterate(...parameters)));
  }

  /** Does what has to wait while another program reads or writes. */
  async #whenFree<T>(action: () => T): Promise<T> {
    const { clock, signal } = this.#context;
    for (let waited = 0; ; waited += WAIT_STEP) {
      await this.#yieldToSignal();
      try {
        return action();
      } catch (error) {
        if (codeOf(error) !== BUSY || waited >= MAX_WAIT) throw this.#explain(error);
      }
      await clock.sleep(WAIT_STEP, signal);
    }
  }

  /** Lets the event loop run, so that signals are handled. */
  async #yieldToSignal(): Promise<void> {
    await setImmediate();
    this.#context.signal.throwIfAborted();
  }

  #explained<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #explain(cause: unknown): unknown {
    const code = codeOf(cause);
    if (code === undefined) return cause;
    if (code === NO_DATABASE) {
      return new UsageError(`${this.shown} is not a SQLite database`, {
        hint: 'Name another file: folio makes one where there is none.',
        cause,
      });
    }
    if (code !== BUSY) return cannotOpen(this.shown, cause);
    return new OutputError(`${this.shown} is in use: another program has it locked`, {
      hint: 'Run it again when the other program is done.',
      cause,
    });
  }
}

function cannotOpen(shown: string, cause: unknown): OutputError {
  const code = codeOf(cause);
  const hints = new Map<number | undefined, string>([
    [CANNOT_OPEN, `Check that there is a folder for ${basename(shown)}, and that you may write there.`],
    [FULL, 'Free some space, or name a file on another disk; nothing was written.'],
  ]);
  const reason = code === READ_ONLY ? 'it is read-only' : systemReason(cause);
  return new OutputError(`cannot use ${shown}: ${reason}`, { hint: hints.get(code), cause });
}

/** SQLite's own number for an error; undefined for errors of anything else. */
function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { errcode, rawCode = errcode } = error as { errcode?: unknown; rawCode?: unknown };
  // The low byte is the kind of failure.
  if (typeof rawCode === 'number') return rawCode & 0xff;
  // The package's words for a file that cannot be opened.
  const failed = /^ConnectionFailed\(.*: (\d+)"\)$/.exec(error.message);
  return failed === null ? undefined : Number(failed[1]);
}
