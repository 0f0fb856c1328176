import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort, otherUser } from './postgres-server.ts';
import { startProgram } from './programs.ts';

/** A pooler in front of a PostgreSQL. */
export interface Pooler {
  /** The address through the pooler of a database that has this address. */
  through(address: string): string;
  stop(): Promise<void>;
}

/** Starts PgBouncer with one connection that its clients share, each for a transaction. */
export async function startPooler(postgresPort: number): Promise<Pooler> {
  const folder = mkdtempSync(join(tmpdir(), 'folio-pgbouncer-'));
  const user = process.getuid?.() === 0 ? otherUser() : undefined;
  const port = await freePort();
  const settings = [
    ...['[databases]', `* = host=127.0.0.1 port=${postgresPort} user=books`, '[pgbouncer]'],
    ...['listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = any'],
    ...['pool_mode = transaction', 'default_pool_size = 2', 'server_reset_query ='],
  ];
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, `${settings.join('\n')}\n`);
  for (const path of user === undefined ? [] : [folder, file]) chownSync(path, user!.uid, user!.gid);
  const server = startProgram('pgbouncer', [file], {
    ...{ ...user, cwd: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said: string[] = [];
  for await (const line of createInterface({ input: server.stderr! })) {
    said.push(line);
    if (line.includes('process up')) break;
  }
  if (server.exitCode !== null) throw new Error(`PgBouncer did not start: ${said.join('\n')}`);
  server.stderr!.resume();
  return {
    through: (address) => address.replace(/:\d+\//, `:${port}/`),
    async stop() {
      const exit = once(server, 'exit');
      server.kill('SIGKILL');
      await exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
