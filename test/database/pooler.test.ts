import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelRecords } from '../support/model-service.ts';
import { ask, postgresForTests } from '../support/databases.ts';
import { freePort, otherUser } from '../support/postgres-server.ts';
import { needing, startProgram } from '../support/programs.ts';
import { runHere } from '../support/run-here.ts';
import { runSync } from '../support/run-against.ts';

/** Starts PgBouncer with one connection that its clients share, each for a transaction. */
async function startPooler(postgresPort: number) {
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
    /** The address through it of a database that has this address. */
    through: (address: string) => address.replace(/:\d+\//, `:${port}/`),
    async stop() {
      const exit = once(server, 'exit');
      server.kill('SIGKILL');
      await exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

describe(
  'folio sync behind a pooler that lends connections for a transaction',
  needing('pgbouncer', 'postgres'),
  () => {
    const server = postgresForTests();
    let pooler: Awaited<ReturnType<typeof startPooler>>;
    beforeAll(async () => {
      pooler = await startPooler(server().port);
    });
    afterAll(() => pooler.stop());

    it('leaves no lock and no setting to the next client', async () => {
      const direct = await server().createDatabase();
      const name = new URL(direct).pathname.slice(1);
      await ask(direct, `ALTER ROLE books IN DATABASE ${name} SET statement_timeout = '33s'`);
      const address = pooler.through(direct);
      const first = await runSync({ issued: modelRecords(30) }, [address, 'issued']);
      expect([first.code, first.stderr]).toEqual([0, '']);
      const settings = "SELECT current_setting('statement_timeout'), current_setting('lock_timeout')";
      for (let tries = 0; tries < 3; tries++) {
        expect(await ask(address, settings)).toEqual(['33s|0']);
      }
      expect(await ask(direct, "SELECT * FROM pg_locks WHERE locktype = 'advisory'")).toEqual([]);
      const second = await runSync({ issued: modelRecords(31) }, [direct, 'issued']);
      expect([second.code, second.stderr]).toEqual([0, '']);
      const read = await runHere(['issued', '--from', address, '--count']);
      expect([read.code, read.stdout.toString(), read.stderr]).toEqual([0, '31\n', '']);
    });

    it('has one of two syncs at once into an empty database write, and the other say why not', async () => {
      const address = pooler.through(await server().createDatabase());
      const runs = await Promise.all(
        [1, 2, 3].map(() => runSync({ issued: modelRecords(500) }, [address, 'issued'])),
      );
      for (const { code, stderr } of runs) {
        if (code === 0) expect(stderr).toBe('');
        else {
          expect(code).toBe(1);
          expect(stderr).toMatch(/is being synced by|was synced into .* by another run, number \d+,/);
        }
      }
      expect(runs.filter(({ code }) => code === 0).length).toBeGreaterThan(0);
      const rows = await ask(address, 'SELECT count(*) FROM issued_current');
      expect(rows).toEqual(['500']);
    });
  },
);
