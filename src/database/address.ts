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
  /** A name or an IP address, or a folder with the socket; undefined for that of PGHOST, else this machine. */
  readonly host: string | undefined;
  readonly port: number | undefined;
  readonly user: string | undefined;
  /** Only where the address came from the environment. */
  readonly password: string | undefined;
  readonly database: string | undefined;
  readonly sslMode: SslMode | undefined;
  /** A file of certificates of authorities, or `system` for those that Node knows. */
  readonly sslRootCertificate: string | undefined;
  /** Settings of the session, as in `-c search_path=books`. */
  readonly options: string | undefined;
  /** How messages call it: without a password. */
  readonly shown: string;
}

/** How a connection is encrypted, in the words of libpq. */
export const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
export type SslMode = (typeof sslModes)[number];

/** The parameters that an address may have. */
const PARAMETERS = ['host', 'port', 'user', 'sslmode', 'sslrootcert', 'options'];

/** Further endings of exports, besides those of folio's formats. */
const EXPORT = /\.(?:tsv|tab|xls|pdf|gz|zip)$/i;

/**
 * Reads what the user calls the database: `postgres://user@host/name`, or the path of a file. Throws UsageError, also for a
 * password in an address of the command line, which every user of the machine can read.
 *
 * @param variable the environment variable that it came from, which may hold a password
 */
export function parseDatabaseAddress(text: string, variable?: string): DatabaseAddress {
  const source = variable === undefined ? 'the database' : `the address in ${variable}`;
  if (text.trim() === '') throw new UsageError(`${source} is empty`, { hint: EXAMPLES });
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme === 'postgres' || scheme === 'postgresql')
    return parsePostgres(text, source, variable !== undefined);
  if (scheme !== undefined) {
    throw new UsageError(`${source} begins with ${scheme}://, which is no database that folio knows`, {
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

/** Whether a text names a database to read from: an address, or a SQLite file. */
export async function isDatabase(from: string): Promise<boolean> {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(from)) return true;
  // To open a pipe would wait for somebody who writes to it.
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

/** Whether the name of a database is probably a slip: that of an export. */
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
  const parameter = (name: string): string | undefined => url.searchParams.get(name) ?? undefined;
  const user = decode(url.username) ?? parameter('user');
  const host = decode(url.hostname.replace(/^\[(.*)\]$/, '$1')) ?? parameter('host');
  const port = url.port === '' ? parameter('port') : url.port;
  const database = decode(url.pathname.slice(1));
  const at = `${user === undefined ? '' : `${user}@`}${host ?? 'localhost'}${port === undefined ? '' : `:${port}`}`;
  return {
    engine: 'PostgreSQL',
    host,
    user,
    database,
    port: port === undefined ? undefined : parsePort(port, source),
    password: decode(url.password) ?? parameter('password'),
    sslMode: parseSslMode(parameter('sslmode'), source),
    sslRootCertificate: parameter('sslrootcert'),
    options: parameter('options'),
    shown: `postgres://${at}${database === undefined ? '' : `/${database}`}`,
  };
}

function parseUrl(text: string, source: string): URL {
  try {
    return new URL(text);
  } catch (error) {
    throw new UsageError(`${source} is no address of a PostgreSQL database`, {
      hint: EXAMPLES,
      cause: error,
    });
  }
}

function decode(part: string): string | undefined {
  if (part === '') return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function parsePort(text: string, source: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65536) return port;
  throw new UsageError(`${source} has the port ${text}`, { hint: 'A port is a number from 1 to 65535.' });
}

function parseSslMode(text: string | undefined, source: string): SslMode | undefined {
  const mode = sslModes.find((name) => name === text);
  if (mode !== undefined || text === undefined) return mode;
  throw new UsageError(`${source} has sslmode=${text}`, { hint: `It may be ${sslModes.join(', ')}.` });
}
