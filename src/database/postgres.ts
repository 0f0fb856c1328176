import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Client } from 'pg';
import { OutputError, ServiceError, UsageError, errorCode } from '../errors.ts';
import type { PostgresAddress } from './address.ts';
import {
  CommitUnknown,
  quoteName,
  type Database,
  type Dialect,
  type Relation,
  type RowGroups,
  type StoredRow,
  type StoredValue,
} from './database.ts';
import { LOCK_TIMEOUT, explainPostgres, isConnectionFailure } from './postgres-failure.ts';
import { ROW_COLUMN } from './tables.ts';
import { connect, loadDriver, type PostgresContext } from './postgres-connection.ts';

/** The class of folio's locks among the advisory locks of a database: `foli`. */
const LOCK_CLASS = 0x666f6c69;

/** How long a statement waits for locks of other sessions. */
const LOCK_PATIENCE = '60s';

/** Times that all tables are tried to be locked at once, and the seconds between two tries. */
const LOCK_TRIES = 200;
const LOCK_PAUSE = 0.05;

/** Rows that are read at a time. */
const ROWS_TOGETHER = 500;

/** Milliseconds that the server may take to end a connection. */
const MAX_FAREWELL = 2_000;

/** The key of folio's lock on a schema. A transaction holds it, since a pooler shares sessions among clients. */
const LOCK_KEY = `${LOCK_CLASS}, hashtext(current_schema())`;

const postgresDialect: Dialect = {
  engine: 'PostgreSQL',
  nameBytes: 63,
  reservedNames: new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid', ROW_COLUMN]),
  types: {
    null: 'text',
    text: 'text',
    numeric: 'numeric',
    boolean: 'boolean',
    json: 'json',
    key: 'text',
    integer: 'integer',
    flag: 'boolean',
    instant: 'timestamptz',
    day: 'date',
    raw: 'json',
  },
  // It has no year 0.
  value: (type, text) => (type === 'day' && text.startsWith('0000') ? null : text),
  // Its own form depends on the session.
  instant: (column) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
};

/** Connects. Rejects with ServiceError where no server answers, and with UsageError where it refuses the login. */
export async function openPostgres(address: PostgresAddress, context: PostgresContext): Promise<Database> {
  const database = new PostgresDatabase(address, context);
  await database.reconnect();
  return database;
}

class PostgresDatabase implements Database {
  readonly dialect = postgresDialect;
  readonly shown: string;
  readonly #address: PostgresAddress;
  readonly #context: PostgresContext;
  #client: Client | undefined;
  #schema = '';
  #isInTransaction = false;

  constructor(address: PostgresAddress, context: PostgresContext) {
    this.shown = address.shown;
    this.#address = address;
    this.#context = context;
    context.signal.addEventListener('abort', this.#stop, { once: true });
  }

  table(name: string): string {
    return `${quoteName(this.#schema)}.${quoteName(name)}`;
  }

  async relation(name: string): Promise<Relation | undefined> {
    const rows = await this.query(
      `SELECT c.relkind, a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_catalog.pg_class c
       JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       WHERE n.nspname = ? AND c.relname = ? ORDER BY a.attnum`,
      [this.#schema, name],
    );
    if (rows.length === 0) return undefined;
    const kind = /^[rp]$/.test(String(rows[0]![0])) ? 'table' : 'view';
    const columns = rows.filter(([, column]) => column !== null);
    return { kind, columns: new Map(columns.map(([, column, type]) => [String(column), String(type)])) };
  }

  async query(sql: string, parameters: StoredRow = []): Promise<StoredRow[]> {
    return this.#explained(async (client) => {
      const text = withParameters(sql, parameters);
      return (await client.query<StoredValue[]>({ text, rowMode: 'array' })).rows;
    });
  }

  async *stream(sql: string, parameters: StoredRow = []): AsyncGenerator<StoredRow[]> {
    const isAlone = !this.#isInTransaction;
    if (isAlone) await this.#beginTransaction('BEGIN READ ONLY');
    try {
      await this.query(`DECLARE folio NO SCROLL CURSOR FOR ${sql}`, parameters);
      for (;;) {
        const rows = await this.query(`FETCH ${ROWS_TOGETHER} FROM folio`);
        if (rows.length === 0) return;
        yield rows;
      }
    } finally {
      if (isAlone) await this.rollback();
      // In a transaction that failed, and with it its cursor, there is nothing to close.
      else await this.query('CLOSE folio').catch(() => undefined);
    }
  }

  /** All in one message, since each message costs a round trip. */
  async each(sql: string, rows: readonly StoredRow[]): Promise<void> {
    if (rows.length === 0) return;
    const statements = rows.map((row) => withParameters(sql, row));
    await this.#explained((client) => client.query(statements.join(';\n')));
  }

  async insert(table: string, columns: readonly string[], groups: RowGroups): Promise<void> {
    const { from } = (await loadDriver()).copyStreams;
    const sql = `COPY ${this.table(table)} (${columns.map(quoteName).join(', ')}) FROM STDIN`;
    await this.#explained((client) => pipeline(Readable.from(copyChunks(groups)), client.query(from(sql))));
  }

  /**
   * Waits for the lock of one table, in turn, and takes the others only without waiting: a reader that has one table and
   * wants another one would be the victim of a deadlock.
   */
  async lockTables(tables: readonly string[]): Promise<void> {
    const lock = (names: readonly string[], mode = ''): Promise<unknown> => {
      const all = names.map((name) => this.table(name)).join(', ');
      return this.query(`LOCK TABLE ${all} IN ACCESS EXCLUSIVE MODE${mode}`);
    };
    const all = tables.flatMap((table) => [table, `${table}_current`]);
    for (let tries = 0; tries < LOCK_TRIES; tries++) {
      await this.query('SAVEPOINT unlocked');
      await lock([tables[tries % tables.length]!]);
      try {
        await lock(all, ' NOWAIT');
        return void (await this.query('RELEASE SAVEPOINT unlocked'));
      } catch (error) {
        if (!(error instanceof Error && errorCode(error.cause) === LOCK_TIMEOUT)) throw error;
      }
      await this.query('ROLLBACK TO SAVEPOINT unlocked');
      await this.query(`SELECT pg_sleep(${LOCK_PAUSE})`);
    }
    throw new OutputError(`${this.shown} is in use: others always read its tables`, {
      hint: 'Their columns have to change. Run folio sync again when they are done.',
    });
  }

  async begin(): Promise<void> {
    const begin = (): Promise<void> => this.#beginTransaction('BEGIN ISOLATION LEVEL REPEATABLE READ');
    try {
      // The connection may have been idle for hours, and then lost.
      await begin().catch(async (error: unknown) => {
        if (!(error instanceof ServiceError)) throw error;
        await this.reconnect();
        await begin();
      });
      const [row] = await this.query(`SELECT pg_try_advisory_xact_lock(${LOCK_KEY})`);
      if (row![0] !== 't') throw await this.#heldByAnother();
    } catch (error) {
      await this.rollback();
      throw error;
    }
  }

  /** Settings hold until the transaction ends: with a pooler, the session then belongs to another client. */
  async #beginTransaction(sql: string): Promise<void> {
    await this.query(sql);
    this.#isInTransaction = true;
    await this.query('SET LOCAL statement_timeout = 0');
    await this.query(`SET LOCAL lock_timeout = '${LOCK_PATIENCE}'`);
  }

  async commit(): Promise<void> {
    try {
      await this.#connected().query('COMMIT');
    } catch (error) {
      if (!isConnectionFailure(error) || this.#context.signal.aborted) throw this.#explain(error);
      throw new CommitUnknown(
        `the connection to ${this.shown} was lost before it confirmed that the sync was committed`,
        { hint: 'Run folio sync again: it finds out and does what is left.', cause: error },
      );
    }
    this.#isInTransaction = false;
  }

  async rollback(): Promise<void> {
    await this.#client?.query('ROLLBACK').catch(() => undefined);
    this.#isInTransaction = false;
  }

  async reconnect(): Promise<void> {
    await this.#disconnect();
    this.#context.signal.throwIfAborted();
    try {
      this.#client = await connect(this.#address, this.#context, (client) => (this.#client = client));
    } catch (error) {
      // A server that is not PostgreSQL may never end the connection.
      this.#client?.connection.stream.destroy();
      await this.#disconnect();
      throw this.#explain(error);
    }
    await this.#findSchema().catch(async (error: unknown) => {
      await this.#disconnect();
      throw error;
    });
  }

  async close(): Promise<void> {
    this.#context.signal.removeEventListener('abort', this.#stop);
    await this.#disconnect();
  }

  /** Throws UsageError where folio cannot work in the schema. */
  async #findSchema(): Promise<void> {
    const [row] = await this.query('SELECT current_schema()');
    const [schema] = row!;
    if (schema === null || schema === undefined) {
      throw new UsageError(`${this.shown} has no schema for folio’s tables`, {
        hint:
          'Make one with CREATE SCHEMA, or name one in the address, as in `?options=-csearch_path%3Dbooks`. ' +
          'Of one that is there, have its owner run: GRANT USAGE ON SCHEMA <schema> TO <user>.',
      });
    }
    this.#schema = String(schema);
  }

  /** Only a superuser sees who the sessions of other users are. */
  async #heldByAnother(): Promise<OutputError> {
    const [holder] = await this.query(
      `SELECT a.application_name, a.usename, coalesce(host(a.client_addr), 'this machine'), to_char(a.backend_start, 'HH24:MI:SS')
       FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
       WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()
         AND l.classid = ${LOCK_CLASS} AND l.objid::int8::bit(32)::int4 = hashtext(current_schema())`,
    );
    const who =
      holder === undefined || holder.includes(null)
        ? 'another session'
        : `${holder[0]} (${holder[1]}, from ${holder[2]}, since ${holder[3]})`;
    return new OutputError(`${this.shown} is being synced by ${who}`, {
      hint: 'Run folio sync again when that run is done.',
    });
  }

  #connected(): Client {
    this.#context.signal.throwIfAborted();
    if (this.#client !== undefined) return this.#client;
    throw new OutputError(`${this.shown} is closed`);
  }

  async #disconnect(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#isInTransaction = false;
    const cut = setTimeout(() => client?.connection.stream.destroy(), MAX_FAREWELL).unref();
    await client?.end().catch(() => undefined);
    clearTimeout(cut);
  }

  /** Cuts the connection: the server then rolls back what was not committed. */
  readonly #stop = (): void => {
    this.#client?.connection.stream.destroy();
  };

  async #explained<T>(action: (client: Client) => Promise<T>): Promise<T> {
    try {
      return await action(this.#connected());
    } catch (error) {
      throw this.#explain(error);
    }
  }

  #explain(error: unknown): unknown {
    const { signal } = this.#context;
    const role = this.#client?.user ?? this.#address.settings.user ?? '';
    const session = { role, schema: this.#schema, writes: this.#context.writes };
    return signal.aborted ? (signal.reason as unknown) : explainPostgres(error, this.shown, session);
  }
}

/** The statement with the values in place of its question marks, except those in names and texts. */
function withParameters(sql: string, parameters: StoredRow): string {
  let next = 0;
  return sql.replaceAll(/"(?:[^"]|"")*"|'(?:[^']|'')*'|\?/g, (found) =>
    found === '?' ? literal(parameters[next++]!) : found,
  );
}

/** A value as SQL writes it. A backslash is written so that it means the same whatever `standard_conforming_strings` is. */
function literal(value: StoredValue): string {
  if (value === null) return 'NULL';
  const quoted = `'${String(value).replaceAll("'", "''")}'`;
  return quoted.includes('\\') ? `E${quoted.replaceAll('\\', '\\\\')}` : quoted;
}

/* Rows as COPY reads them: a line each, tabs between cells, a backslash before characters with another meaning. */

const NULL_CELL = '\\N';
const SPECIAL = /[\\\n\r\t\b\f\v]/;
const EACH_SPECIAL = new RegExp(SPECIAL, 'g');
const LETTERS = new Map([...'\n\r\t\b\f\v'].map((character, at) => [character, 'nrtbfv'[at]!]));

async function* copyChunks(groups: RowGroups): AsyncGenerator<Buffer> {
  for await (const rows of groups)
    yield Buffer.from(rows.map((row) => `${row.map(copyCell).join('\t')}\n`).join(''));
}

function copyCell(value: StoredValue): StoredValue {
  if (value === null) return NULL_CELL;
  if (typeof value !== 'string' || !SPECIAL.test(value)) return value;
  return value.replaceAll(EACH_SPECIAL, (character) => `\\${LETTERS.get(character) ?? character}`);
}
