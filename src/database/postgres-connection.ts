import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { ConnectionOptions } from 'node:tls';
import type { Client } from 'pg';
import type { Context, Environment } from '../context.ts';
import { UsageError, systemReason } from '../errors.ts';
import {
  SSL_MODES,
  sslModes,
  withoutEmpty,
  type PostgresAddress,
  type PostgresSettings,
  type SslMode,
} from './address.ts';
import { refusesEncryption } from './postgres-failure.ts';

export interface PostgresContext extends Pick<Context, 'env' | 'signal' | 'processes'> {
  /** Whether tables are to be changed, and not only read. */
  readonly writes: boolean;
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1)$/i;

/** Loads the optional packages. Throws UsageError where they are not installed. */
export async function loadDriver() {
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

/**
 * Connects, encrypted by `sslmode` as in libpq: `prefer` encrypts if the server can, `require`
 * keeps listeners out, `verify-ca` servers of other authorities, `verify-full` servers of other names as well. Rejects with the
 * driver's error, or with UsageError for settings that cannot be used.
 *
 * @param onClient gets each client before it connects, so that a signal can cut its connection
 */
export async function connect(
  address: PostgresAddress,
  { env, signal, processes }: PostgresContext,
  onClient: (client: Client) => void,
): Promise<Client> {
  const { pg } = await loadDriver();
  const ofEnvironment = withoutEmpty({
    host: env['PGHOST'],
    port: env['PGPORT'],
    user: env['PGUSER'],
    password: env['PGPASSWORD'],
    dbname: env['PGDATABASE'],
    sslmode: env['PGSSLMODE'],
    sslrootcert: env['PGSSLROOTCERT'],
  });
  const settings = { host: 'localhost', ...ofEnvironment, ...address.settings };
  const { host, port = 5432, user = systemUser(), dbname = user, password, options } = settings;
  const mode = sslModeOf(settings);
  const attempt = async (ssl: ConnectionOptions | false): Promise<Client> => {
    signal.throwIfAborted();
    const client = new pg.Client({
      ...{ host, user, database: dbname, port: Number(port), ssl },
      ...(password === undefined ? {} : { password }),
      ...(options === undefined ? {} : { options }),
      // In the server's list of sessions.
      application_name: `folio, process ${processes.pid} on ${processes.host}`,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      // All values as the server writes them.
      types: { getTypeParser: () => (text: string) => text },
    });
    // An error of an idle connection shows at its next use.
    client.on('error', () => undefined);
    onClient(client);
    await client.connect();
    return client;
  };
  if (mode === 'disable') return attempt(false);
  const encrypted = encryption(mode, settings, env);
  if (mode !== 'prefer') return attempt(encrypted);
  try {
    return await attempt(encrypted);
  } catch (error) {
    if (!refusesEncryption(error)) throw error;
    return attempt(false);
  }
}

/** In place of a file, as in libpq: the authorities that everybody trusts. */
const PUBLIC = 'system';

type HostSettings = PostgresSettings & { readonly host: string };

/** Connections to other machines are encrypted unless the user chose otherwise. */
function sslModeOf({ host, sslmode, sslrootcert }: HostSettings): SslMode {
  // A socket in the file system is never encrypted.
  if (host.startsWith('/')) return 'disable';
  // Whoever owns any name has a certificate of a public authority, so the name has to be verified.
  if (sslrootcert === PUBLIC) return 'verify-full';
  if (sslmode === undefined) return LOOPBACK.test(host) ? 'disable' : 'require';
  const mode = sslModes.find((name) => name === sslmode);
  if (mode !== undefined) return mode;
  throw new UsageError(`PGSSLMODE is ${sslmode}`, { hint: SSL_MODES });
}

/**
 * As with libpq, `require` verifies the authority if there is a file of trusted ones. Unlike libpq, folio lets
 * `verify-full` without such a file trust the public authorities, which check the owner of a name.
 */
function encryption(mode: SslMode, { host, sslrootcert }: HostSettings, env: Environment): ConnectionOptions {
  const file = sslrootcert === PUBLIC ? undefined : (sslrootcert ?? usualAuthorities(env));
  if (mode === 'verify-ca' && file === undefined) {
    throw new UsageError('sslmode=verify-ca needs the certificates of the authorities that you trust', {
      hint: 'Name their file: ?sslrootcert=FILE in the address, PGSSLROOTCERT, or ~/.postgresql/root.crt.',
    });
  }
  const verifies = mode.startsWith('verify') || (mode === 'require' && file !== undefined);
  return {
    rejectUnauthorized: verifies,
    ...(verifies && file !== undefined && { ca: readCertificates(file) }),
    // The driver checks the certificate against host names, but not against IP addresses.
    ...(isIP(host) !== 0 && { host }),
    ...(verifies && mode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
}

/** The default file of authorities, as in libpq; undefined if it does not exist. */
function usualAuthorities(env: Environment): string | undefined {
  const file = join(env['HOME'] || homedir(), '.postgresql', 'root.crt');
  return existsSync(file) ? file : undefined;
}

function readCertificates(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read the certificates in ${file}: ${systemReason(error)}`, {
      hint: 'Name a file of the authorities that you trust, in PEM, with sslrootcert in the address or PGSSLROOTCERT.',
      cause: error,
    });
  }
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    return 'postgres';
  }
}
