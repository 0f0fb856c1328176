import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { userInfo } from 'node:os';
import type { Client, ClientConfig } from 'pg';
import type { Environment } from '../context.ts';
import { OutputError, UsageError } from '../errors.ts';
import type { PostgresAddress } from './address.ts';
import { CopyRows, readCopyLine } from './copy-text.ts';
import {
  CommitUnknown,
  quoteName,
  type Database,
  type Dialect,
  type FillRows,
  type Relation,
  type RowTarget,
  type RowUpdate,
  type StoredRow,
  type StoredValue,
} from './database.ts';
import {
  explainConnecting,
  explainPostgres,
  isConnectionFailure,
  isLockTimeout,
} from './postgres-failure.ts';

export interface PostgresContext {
  readonly env: Environment;
  readonly signal: AbortSignal;
  /** The name of the session in the server's list of sessions. */
  readonly application: string;
}

/** Keys of one statement, and updates of one message. */
const GROUP = 500;

/** What makes a lock folio's among the advisory locks of a database: `foli`. */
const LOCK_CLASS = 0x666f6c69;

/** How long other sessions may have what a statement locks. */
const LOCK_PATIENCE = '60s';
/** How long the server may take to end a lost session, which has the lock until then. */
const LOST_SESSION_PATIENCE = '10s';

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1)$/i;

export const postgresDialect: Dialect = {
  engine: 'PostgreSQL',
  nameBytes: 63,
  reservedNames: new Set(['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']),
  types: {
    ...{ null: 'text', text: 'text', numeric: 'numeric', boolean: 'boolean', json: 'json' },
    ...{ key: 'text', integer: 'integer', flag: 'boolean', instant: 'timestamptz', raw: 'json' },
  },
  altersTogether: true,
  tableOptions: '',
  value: (_type, text) => text,
  flag: (value) => String(value),
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
  #isLocked = false;

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
      `SELECT c.relkind, a.attname FROM pg_catalog.pg_class c
       JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       WHERE n.nspname = ? AND c.relname = ? ORDER BY a.attnum`,
      [this.#schema, name],
    );
    if (rows.length === 0) return undefined;
    const kind = /^[rp]$/.test(String(rows[0]![0])) ? 'table' : 'view';
    return { kind, columns: rows.flatMap(([, column]) => (column === null ? [] : [String(column)])) };
  }

  async query(sql: string, parameters: StoredRow = []): Promise<StoredRow[]> {
    return this.#explained(async (client) => {
      const values = parameters.map((value) => (value === null ? null : String(value)));
      const { rows } = await client.query<StoredValue[]>({
        text: numbered(sql, values),
        values,
        rowMode: 'array',
      });
      return rows;
    });
  }

  async *stream(sql: string, parameters: StoredRow = []): AsyncGenerator<StoredRow[]> {
    const { to } = (await loadDriver()).copyStreams;
    let next = 0;
    const text = sql.replaceAll('?', () => literal(parameters[next++]!));
    const client = this.#connected();
    try {
      let rest = '';
      const decoder = new TextDecoder();
      for await (const chunk of client.query(to(`COPY (${text}) TO STDOUT`)) as AsyncIterable<Buffer>) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = lines.pop()!;
        if (lines.length > 0) yield lines.map(readCopyLine);
      }
    } catch (error) {
      throw this.#explain(error);
    }
  }

  async forKeys(sql: string, parameters: StoredRow, keys: readonly string[]): Promise<void> {
    for (let from = 0; from < keys.length; from += GROUP) {
      const some = keys.slice(from, from + GROUP);
      await this.#explained((client) =>
        client.query(numbered(`${sql} AND _key = ANY(?::text[])`, parameters), [
          ...parameters.map(String),
          some,
        ]),
      );
    }
  }

  async insert({ table, columns }: RowTarget, fill: FillRows): Promise<void> {
    const { from } = (await loadDriver()).copyStreams;
    const sql = `COPY ${this.table(table)} (${columns.map(quoteName).join(', ')}) FROM STDIN`;
    await this.#explained((client) => pipeline(Readable.from(copyChunks(fill)), client.query(from(sql))));
  }

  async update({ table, columns }: RowTarget, groups: AsyncIterable<readonly RowUpdate[]>): Promise<void> {
    for await (const updates of groups) {
      // Each is a statement of its own, by key; many go in one message, since each message costs a round trip.
      for (let from = 0; from < updates.length; from += GROUP) {
        const statements = updates.slice(from, from + GROUP).map(({ profile, key, values }) => {
          const set = columns.map((name, at) => `${quoteName(name)} = ${literal(values[at]!)}`).join(', ');
          return `UPDATE ${this.table(table)} SET ${set} WHERE _profile = ${literal(profile)} AND _key = ${literal(key)}`;
        });
        await this.#explained((client) => client.query(statements.join(';\n')));
      }
    }
  }

  async dependentViews(table: string, column: string): Promise<readonly string[]> {
    const own = `${table}_current`;
    const rows = await this.query(
      `SELECT DISTINCT v.oid::regclass::text FROM pg_catalog.pg_depend d
       JOIN pg_catalog.pg_rewrite r ON r.oid = d.objid AND d.classid = 'pg_catalog.pg_rewrite'::regclass
       JOIN pg_catalog.pg_class v ON v.oid = r.ev_class
       JOIN pg_catalog.pg_class t ON t.oid = d.refobjid
       JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
       LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = t.oid AND a.attnum = d.refobjsubid
       WHERE n.nspname = ? AND NOT (v.relname = ? AND v.relnamespace = n.oid)
         AND ((t.relname = ? AND a.attname = ?) OR t.relname = ?) ORDER BY 1`,
      [this.#schema, own, table, column, own],
    );
    return rows.map(([name]) => String(name));
  }

  async lock(): Promise<void> {
    const [row] = await this.query(`SELECT pg_try_advisory_lock(${LOCK_CLASS}, hashtext(current_schema()))`);
    if (row![0] !== 't') throw await this.#heldByAnother();
    this.#isLocked = true;
  }

  async begin(): Promise<void> {
    await this.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
  }

  async commit(): Promise<void> {
    try {
      await this.#connected().query('COMMIT');
    } catch (error) {
      if (!isConnectionFailure(error) || this.#context.signal.aborted) throw this.#explain(error);
      throw new CommitUnknown(
        `the connection to ${this.shown} was lost before it confirmed that the sync was committed`,
        {
          hint: 'Run folio sync again: it finds out and does what is left.',
          cause: error,
        },
      );
    }
  }

  async rollback(): Promise<void> {
    await this.#client?.query('ROLLBACK').catch(() => undefined);
  }

  async reconnect(): Promise<void> {
    await this.#disconnect();
    this.#client = await this.#makeClient();
    try {
      this.#context.signal.throwIfAborted();
      await this.#client.connect();
    } catch (error) {
      await this.#disconnect();
      throw this.#explain(error, explainConnecting);
    }
    try {
      await this.#setUpSession();
      if (this.#isLocked) await this.#lockAgain();
    } catch (error) {
      await this.#disconnect();
      throw this.#explain(error);
    }
  }

  async close(): Promise<void> {
    this.#context.signal.removeEventListener('abort', this.#stop);
    await this.#disconnect();
  }

  async #makeClient(): Promise<Client> {
    const { pg } = await loadDriver();
    const client = new pg.Client(clientConfig(this.#address, this.#context));
    // An error of an idle connection shows at its next use.
    client.on('error', () => undefined);
    return client;
  }

  /** Sets what the statements here rely on, and finds the schema. Throws UsageError where folio cannot work in it. */
  async #setUpSession(): Promise<void> {
    await this.query('SET standard_conforming_strings = on');
    await this.query('SET statement_timeout = 0');
    await this.query(`SET lock_timeout = '${LOCK_PATIENCE}'`);
    const [row] = await this.query("SELECT current_schema(), current_setting('server_encoding')");
    const [schema, encoding] = row!;
    if (schema === null || schema === undefined) {
      throw new UsageError(`${this.shown} has no schema for folio’s tables`, {
        hint: 'Make one with CREATE SCHEMA, or name one in the address, as in `?options=-csearch_path%3Dbooks`.',
      });
    }
    if (encoding !== 'UTF8') {
      throw new UsageError(
        `${this.shown} keeps its text as ${String(encoding)}, which has not all characters that invoices may have`,
        {
          hint: "Make a database with CREATE DATABASE books ENCODING 'UTF8' TEMPLATE template0.",
        },
      );
    }
    this.#schema = String(schema);
  }

  /** Takes the lock again after the session that had it was lost. */
  async #lockAgain(): Promise<void> {
    await this.query(`SET lock_timeout = '${LOST_SESSION_PATIENCE}'`);
    try {
      await this.#connected().query(`SELECT pg_advisory_lock(${LOCK_CLASS}, hashtext(current_schema()))`);
    } catch (error) {
      throw isLockTimeout(error) ? await this.#heldByAnother() : error;
    }
    await this.query(`SET lock_timeout = '${LOCK_PATIENCE}'`);
  }

  async #heldByAnother(): Promise<OutputError> {
    const [holder] = await this.query(
      `SELECT a.application_name, a.usename, coalesce(host(a.client_addr), 'this machine'), to_char(a.backend_start, 'HH24:MI:SS')
       FROM pg_catalog.pg_locks l JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
       WHERE l.locktype = 'advisory' AND l.granted AND l.classid = ${LOCK_CLASS} AND l.objid::int8::bit(32)::int4 = hashtext(current_schema())`,
    );
    const who =
      holder === undefined
        ? 'another run'
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
    await client?.end().catch(() => undefined);
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

  #explain(error: unknown, explain = explainPostgres): unknown {
    const { signal } = this.#context;
    return signal.aborted ? (signal.reason as unknown) : explain(error, this.shown);
  }
}

/** Loads the optional packages. Throws UsageError where they are not installed. */
async function loadDriver() {
  try {
    const [pg, copyStreams] = await Promise.all([import('pg'), import('pg-copy-streams')]);
    return { pg: pg.default, copyStreams: copyStreams.default };
  } catch (error) {
    throw new UsageError('PostgreSQL needs the packages pg and pg-copy-streams', {
      hint: 'Install them beside folio with npm install pg pg-copy-streams.',
      cause: error,
    });
  }
}

function clientConfig(address: PostgresAddress, { env, application }: PostgresContext): ClientConfig {
  const host = address.host ?? env['PGHOST'] ?? 'localhost';
  const user = address.user ?? env['PGUSER'] ?? systemUser();
  const password = address.password ?? env['PGPASSWORD'];
  const isLocal = host.startsWith('/') || LOOPBACK.test(host);
  const sslMode = address.sslMode ?? env['PGSSLMODE'] ?? (isLocal ? 'disable' : 'require');
  return {
    ...{ host, user },
    port: address.port ?? Number(env['PGPORT'] ?? 5432),
    database: address.database ?? env['PGDATABASE'] ?? user,
    ...(password === undefined ? {} : { password }),
    ...(address.options === undefined ? {} : { options: address.options }),
    // As psql reads the word: `require` keeps listeners out, `verify-full` impostors too.
    ssl:
      isLocal && sslMode === 'prefer'
        ? false
        : sslMode !== 'disable' && { rejectUnauthorized: sslMode.startsWith('verify') },
    application_name: application,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    // All values as the server writes them.
    types: { getTypeParser: () => (text: string) => text },
  };
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return 'postgres';
  }
}

/** With `$1`, `$2` and so on for the question marks. Without parameters these are part of names. */
function numbered(sql: string, parameters: StoredRow): string {
  let next = 0;
  return parameters.length === 0 ? sql : sql.replaceAll('?', () => `$${++next}`);
}

/** A value as SQL writes it; backslashes mean themselves, as `#setUpSession` sees to. */
function literal(value: StoredValue): string {
  return value === null ? 'NULL' : `'${String(value).replaceAll("'", "''")}'`;
}

async function* copyChunks(fill: FillRows): AsyncGenerator<Buffer> {
  const rows = new CopyRows();
  for await (const _ of fill(rows)) yield* rows.takeFull();
  yield* rows.takeRest();
}
