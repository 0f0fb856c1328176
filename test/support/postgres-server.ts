import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { pathOf, runProgram, startProgram } from './programs.ts';
import type { Certificate } from './servers.ts';

/** A PostgreSQL in a temporary folder. */
export interface PostgresServer {
  readonly port: number;
  /** Makes an empty database and returns its address. */
  createDatabase(): Promise<string>;
  /** Resolves when no session of folio's is left in the database: the server ends that of a killed program when it finds out. */
  left(address: string): Promise<void>;
  stop(): Promise<void>;
}

/** Runs a server until standard input ends, which is when it is told to stop or when this process has ended, then clears up. */
const UNTIL_STOPPED =
  '"$@" </dev/null & server=$!; exec 2>&-; read -r _; kill -QUIT $server; wait $server; rm -rf "$PWD"';

/** Starts a server; with a certificate it lets in only who encrypts. It refuses to run as root: then it runs as another user. */
export async function startPostgres(encryption?: Certificate): Promise<PostgresServer> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'folio-postgres-'));
  const user = process.getuid?.() === 0 ? otherUser() : undefined;
  if (user !== undefined) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const initdb = join(dirname(realpathSync(pathOf('postgres'))), 'initdb');
  const initial = ['-D', data, '-U', 'books', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  runProgram('sh', ['-c', 'exec "$@"', 'sh', initdb, ...initial], { ...user, cwd: folder, stdio: 'ignore' });
  // What a power failure would lose is of no concern to a test.
  const settings = ['listen_addresses=127.0.0.1', 'fsync=off', 'full_page_writes=off', 'lc_messages=C'];
  if (encryption !== undefined) {
    writeFileSync(join(data, 'server.key'), encryption.key, { mode: 0o600 });
    writeFileSync(join(data, 'server.crt'), encryption.cert);
    writeFileSync(join(data, 'pg_hba.conf'), 'hostssl all all all trust\n');
    if (user !== undefined) chownSync(join(data, 'server.key'), user.uid, user.gid);
    settings.push('ssl=on');
  }
  const flags = settings.flatMap((setting) => ['-c', setting]);
  const args = [pathOf('postgres'), '-D', data, '-k', folder, ...flags];
  let port: number;
  let server: ChildProcess | undefined;
  do {
    server?.kill('SIGKILL');
    port = await freePort();
    server = startProgram('sh', ['-c', UNTIL_STOPPED, 'sh', ...args, '-p', `${port}`], {
      ...{ ...user, cwd: folder },
      stdio: ['pipe', 'ignore', 'pipe'],
    });
  } while (!(await hasPort(server)));
  const address = (name: string): string => `postgres://books@127.0.0.1:${port}/${name}`;
  let databases = 0;
  return {
    port,
    async createDatabase() {
      const name = `test_${++databases}`;
      await postgresRows(address('postgres'), `CREATE DATABASE ${name}`);
      return address(name);
    },
    async left(database) {
      const sql =
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'folio,%'";
      while ((await postgresRows(database, sql)).length > 0);
    },
    async stop() {
      const exit = once(server, 'exit');
      server.stdin!.end();
      await exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The cells of a query's rows, as the texts that the server sent. */
export async function postgresRows(address: string, sql: string): Promise<(string | null)[][]> {
  const types = { getTypeParser: () => (text: string) => text };
  const client = new pg.Client({ connectionString: address, types });
  await client.connect();
  try {
    // Of several statements, that of the last.
    return [await client.query<(string | null)[]>({ text: sql, rowMode: 'array' })].flat().at(-1)!.rows;
  } finally {
    await client.end();
  }
}

/** Who runs the servers of tests, since they refuse to run as root. */
export function otherUser(): { readonly uid: number; readonly gid: number } {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const line =
    lines.find((text) => text.startsWith('postgres:')) ?? lines.find((text) => text.startsWith('nobody:'));
  const [, , uid, gid] = line!.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/** A port of this machine that nobody listens on now. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, 'close');
  return port;
}

/** Resolves when the server takes connections, with false where another program has taken its port meanwhile. */
async function hasPort(server: ChildProcess): Promise<boolean> {
  const said: string[] = [];
  let isReady = false;
  for await (const line of createInterface({ input: server.stderr! })) {
    said.push(line);
    isReady = line.includes('ready to accept connections');
    if (isReady) break;
  }
  const text = said.join('\n');
  if (!isReady && !text.includes('Address already in use'))
    throw new Error(`PostgreSQL did not start: ${text}`);
  server.stderr!.resume();
  return isReady;
}
