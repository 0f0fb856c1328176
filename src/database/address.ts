import { open, stat } from 'node:fs/promises';
import { UsageError } from '../errors.ts';
import { formatOfEnding } from '../output/formats.ts';

export type DatabaseAddress = SqliteAddress | PostgresAddress;

export interface SqliteAddress {
  readonly engine: 'SQLite';
  readonly path: string;
  /** How messages call it. */
  readonly shown: string;
}

export interface PostgresAddress {
  readonly engine: 'PostgreSQL';
  readonly settings: PostgresSettings;
  /** How messages call it: without a password. */
  readonly shown: string;
}

/**
 * What an address says of a connection, in the words of libpq. `host` may be a folder with a socket, `sslrootcert` is a file of
 * authorities or `system`, and `options` are settings of the session, such as `-c search_path=books`.
 */
export type PostgresSettings = Readonly<Partial<Record<Setting, string>>>;

type Setting = 'host' | 'port' | 'user' | 'password' | 'dbname' | 'sslmode' | 'sslrootcert' | 'options';

/** How a connection is encrypted, in the words of libpq. */
export const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof sslModes)[number];

/** The hint for another mode. */
export const SSL_MODES = `It may be ${sslModes.join(', ')}.`;

/** The parameters that an address may have. */
const PARAMETERS: readonly string[] = ['host', 'port', 'user', 'sslmode', 'sslrootcert', 'options'];

/** Further endings of exports, besides those of folio's formats. */
const EXPORT = /\.(?:tsv|tab|xls|pdf|gz|zip)$/i;

/** Of an address: `postgres://`, and `sqlite:`, which other programs write before a path. */
const SCHEME = /^(?:sqlite3?(?=:)|[a-z][a-z0-9+.-]*(?=:\/\/))/i;

/**
 * Reads what the user calls the database: `postgres://user@host/name`, or the path of a file. Throws UsageError, also for a
 * password in an address of the command line, which every user of the machine can read.
 *
 * @param variable the environment variable that it came from, which may hold a password
 */
export function parseDatabaseAddress(text: string, variable?: string): DatabaseAddress {
  const source = variable === undefined ? 'the database' : `the address in ${variable}`;
  if (text.trim() === '') throw new UsageError(`${source} is empty`, { hint: EXAMPLES });
  const scheme = SCHEME.exec(text)?.[0].toLowerCase();
  if (scheme === 'postgres' || scheme === 'postgresql')
    return parsePostgres(text, source, variable !== undefined);
  if (scheme !== undefined) {
    throw new UsageError(`${source} begins with ${scheme}:, which is not a database that folio knows`, {
      hint: EXAMPLES,
    });
  }
  if (isNamedLikeExport(text)) {
    throw new UsageError(`${text} is named like an export, not like a database`, {
      hint: 'Name a file such as books.db, or export with -o.',
    });
  }
  return { engine: 'SQLite', path: text, shown: text };
}

const SQLITE = Buffer.from('SQLite format 3\0');

/** Whether a text names a database to read from: an address, or a SQLite file. `-` is standard input, never a file. */
export async function isDatabase(from: string): Promise<boolean> {
  if (from === '-') return false;
  if (SCHEME.test(from)) return true;
  // Opening a pipe would block until another program writes to it.
  const isFile = await stat(from).then(
    (found) => found.isFile(),
    () => false,
  );
  const file = isFile ? await open(from).catch(() => undefined) : undefined;
  try {
    const start = await file?.read(Buffer.alloc(SQLITE.length), 0, SQLITE.length, 0);
    return start !== undefined && start.buffer.equals(SQLITE);
  } catch {
    // The code that reads it as an export reports why.
    return false;
  } finally {
    await file?.close();
  }
}

/** Whether the name of a database is probably a mistake: the name of an export. */
function isNamedLikeExport(path: string): boolean {
  const format = formatOfEnding(path);
  return EXPORT.test(path) || (format !== undefined && format !== 'table');
}

const EXAMPLES = 'Give a file such as books.db, or postgres://user@host/name.';

/** @param isSecret whether no other user can read the text, so that it may hold a password */
function parsePostgres(text: string, source: string, isSecret: boolean): PostgresAddress {
  const url = parseUrl(text, source);
  if ((url.password !== '' || url.searchParams.has('password')) && !isSecret) {
    throw new UsageError('a password in the address can be read by every user of this machine', {
      hint: 'Put it into PGPASSWORD or ~/.pgpass, or the whole address into a variable: --to-env DATABASE_URL.',
    });
  }
  for (const name of url.searchParams.keys()) {
    if (PARAMETERS.includes(name) || (name === 'password' && isSecret)) continue;
    throw new UsageError(`${source} has the parameter ${name}, which folio does not know`, {
      hint: `It knows ${PARAMETERS.join(', ')}.`,
    });
  }
  const named = withoutEmpty({
    user: decode(url.username),
    host: decode(url.hostname.replace(/^\[(.*)\]$/, '$1')),
    port: url.port,
    dbname: decode(url.pathname.slice(1)),
    password: decode(url.password),
  });
  const settings = { ...withoutEmpty(Object.fromEntries(url.searchParams)), ...named };
  const { user, host = 'localhost', port, dbname, sslmode } = settings;
  if (port !== undefined && !(/^\d+$/.test(port) && Number(port) > 0 && Number(port) < 65536))
    throw new UsageError(`${source} has the port ${port}`, { hint: 'A port is a number from 1 to 65535.' });
  if (sslmode !== undefined && !sslModes.some((name) => name === sslmode))
    throw new UsageError(`${source} has sslmode=${sslmode}`, { hint: SSL_MODES });
  const at = `${user === undefined ? '' : `${user}@`}${host}${port === undefined ? '' : `:${port}`}`;
  const shown = `postgres://${at}${dbname === undefined ? '' : `/${dbname}`}`;
  return { engine: 'PostgreSQL', settings, shown };
}

/** The settings without empty texts. */
export function withoutEmpty(settings: Readonly<Record<string, string | undefined>>): PostgresSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value));
}

function parseUrl(text: string, source: string): URL {
  try {
    return new URL(text);
  } catch (error) {
    const message = `${source} is not an address of a PostgreSQL database`;
    throw new UsageError(message, { hint: EXAMPLES, cause: error });
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
