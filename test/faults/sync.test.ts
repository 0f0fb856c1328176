import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { open } from '../database/try-sync.ts';
import { ask, describeDatabases, postgresForTests } from '../support/databases.ts';
import { cut, silence, type FaultScript } from '../support/faults.ts';
import { modelRecords, type ModelRecords } from '../support/model-service.ts';
import { needing, runProgram } from '../support/programs.ts';
import { duringSync, runSync } from '../support/run-against.ts';
import { listenOnLoopback } from '../support/servers.ts';
import { needingSmallDisk, onSmallDisk } from '../support/small-disk.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const server = postgresForTests();

const saying = (words: string) => expect.stringContaining(words) as string;

/** A database that is synced, and asked by a driver. */
function databaseAt(address: string) {
  return {
    address,
    ask: (sql: string) => ask(address, sql),
    /** Syncs those listings of which there are records; with how that ends. */
    sync: async (records: Partial<ModelRecords>, script?: FaultScript, ...flags: string[]) => {
      const args = [address, ...Object.keys(records), ...flags];
      const { code, stderr } = await runSync(records, args, script && { script });
      return [code, stderr];
    },
  };
}

describeDatabases('folio sync into %s', (newAddress, engine) => {
  const newDatabase = async () => databaseAt(await newAddress());

  it('leaves the rows of a listing that fails half-way, and writes the others', async () => {
    const { ask, sync } = await newDatabase();
    await sync({ issued: modelRecords(5), customers: modelRecords(2) });
    const script: FaultScript = ({ url }) =>
      url.pathname.endsWith('issued') && url.searchParams.get('options_page') !== '0' ? cut : undefined;
    const records = { issued: modelRecords(2_500), customers: modelRecords(3) };
    const says = saying('1 of 2 listings left as they were\nissued: ');
    expect(await sync(records, script, '--retries', '0')).toEqual([6, says]);
    expect(await ask('SELECT count(*) FROM issued')).toEqual(['5']);
    expect(await ask('SELECT count(*) FROM customers')).toEqual(['3']);
    const error = await ask("SELECT error FROM _runs WHERE run = 2 AND resource = 'issued'");
    expect(error[0]).toMatch(/127\.0\.0\.1/);
  });

  it('records a run in which nothing could be read, and changes nothing else', async () => {
    const { address, ask, sync } = await newDatabase();
    await sync({ issued: modelRecords(5) });
    const exit = await runSync({}, [address, 'issued', '--retries', '0'], { script: () => cut });
    expect([exit.code, exit.text]).toEqual([5, expect.stringContaining('default,issued,,0,0,0,0')]);
    expect(await ask('SELECT count(*) FROM issued')).toEqual(['5']);
    expect(await ask('SELECT run, total FROM _runs ORDER BY 1')).toEqual(['1|5', '2|']);
  });

  it('does not believe a listing that comes back empty, unless it is told to', async () => {
    const { ask, sync } = await newDatabase();
    await sync({ issued: modelRecords(30) });
    expect(await sync({ issued: [] })).toEqual([
      6,
      'folio: 30 of the 30 records of issued are no longer listed, more than 10 %: they were left as they were\n' +
        '  If they are really gone, run folio sync again with --allow-gone.\n',
    ]);
    expect(await ask('SELECT count(*) FROM issued WHERE _gone_run IS NULL')).toEqual(['30']);
    expect(await sync({ issued: modelRecords(27) })).toEqual([0, '']);
    expect(await sync({ issued: [] }, undefined, '--max-gone', '27')).toEqual([0, '']);
    const gone = await ask('SELECT _gone_run, count(*) FROM issued GROUP BY 1 ORDER BY 1');
    expect(gone).toEqual(['3|3', '4|27']);
    // What is small may well be emptied.
    await sync({ received: modelRecords(19) });
    expect(await sync({ received: [] })).toEqual([0, '']);
  });

  it('makes a column text when a number becomes one, and says so once', async () => {
    const { ask, sync } = await newDatabase();
    await sync({ issued: ['{"id":1,"n":1.10}', '{"id":2,"n":1E2}'] });
    const records = { issued: ['{"id":1,"n":"A-1"}', '{"id":2,"n":1E2}'] };
    expect(await sync(records)).toEqual([
      0,
      'warning: the column n of issued holds text from now on: not all of its values are of one kind\n' +
        (engine === 'SQLite'
          ? ''
          : 'warning: issued_current shows nothing in n for 1 new or changed record, where it is not a number; issued has it as sent\n'),
    ]);
    expect(await sync(records)).toEqual([0, '']);
    expect(await ask('SELECT n FROM issued ORDER BY _key')).toEqual(['A-1', '1E2']);
    expect(await ask(`SELECT type FROM _columns WHERE field = 'n'`)).toEqual(['text']);
  });

  it('says which column has a text with NUL, and keeps that in the record', async () => {
    const { ask, sync } = await newDatabase();
    const says = saying('the column t of issued has U+FFFD in place of the character NUL');
    expect(await sync({ issued: ['{"id":1,"t":"a\\u0000b"}'] })).toEqual([0, says]);
    expect(await ask('SELECT t, _raw FROM issued')).toEqual(['a\uFFFDb|{"id":1,"t":"a\\u0000b"}']);
  });

  it('refuses a table of others and the books of a newer folio, and touches nothing', async () => {
    const { ask, sync } = await newDatabase();
    await ask('CREATE TABLE customers (name text)');
    const elsewhere = engine === 'SQLite' ? 'file.' : 'database or schema.';
    const foreign = saying(
      `has a table or view customers that folio did not make\n  Nothing was touched. Rename it, or sync into another ${elsewhere}\n`,
    );
    expect(await sync({ customers: modelRecords(1) })).toEqual([2, foreign]);
    await sync({ issued: modelRecords(1) });
    await ask("UPDATE _runs SET folio_version = '99.0.0'");
    const newer = saying('was written by folio 99.0.0, which is newer');
    expect(await sync({ issued: modelRecords(2) })).toEqual([2, newer]);
    expect(await ask('SELECT count(*) FROM issued')).toEqual(['1']);
    await ask("UPDATE _runs SET folio_version = '0.0.1'");
    await ask("UPDATE _columns SET type = 'money'");
    const unknown = saying(
      'names the type money, which folio does not know\n  Sync into another database, or',
    );
    expect(await sync({ issued: modelRecords(2) })).toEqual([1, unknown]);
  });

  it('says how to go on where a table has lost a column', async () => {
    const { ask, sync } = await newDatabase();
    const records = { issued: ['{"id":1,"n":1}', '{"id":2,"n":2}'] };
    await sync(records);
    for (const sql of ['DROP VIEW issued_current', 'ALTER TABLE issued DROP COLUMN n']) await ask(sql);
    const [code, stderr] = await sync(records);
    expect([code, stderr]).toEqual([1, saying('has lost its column n\n  Run `')]);
    for (const sql of /`(.*);`/.exec(String(stderr))![1]!.split(';')) await ask(sql);
    expect(await sync(records)).toEqual([0, '']);
    expect(await ask('SELECT count(n) FROM issued_current')).toEqual(['2']);
  });

  it('leaves the tables, views and indexes of the user alone', async () => {
    const { ask, sync } = await newDatabase();
    await sync({ issued: ['{"id":1,"n":1}'] });
    for (const sql of [
      'CREATE TABLE notes (id integer, note text)',
      "INSERT INTO notes VALUES (1, 'mine')",
      'CREATE VIEW noted AS SELECT note, n FROM notes JOIN issued_current ON issued_current.n = notes.id',
      'CREATE INDEX by_number ON issued (n)',
    ])
      await ask(sql);
    expect(await sync({ issued: ['{"id":1,"n":1,"late":"x"}', '{"id":2,"n":2}'] })).toEqual([0, '']);
    expect(await ask('SELECT * FROM noted')).toEqual(['mine|1']);
    expect(await ask('SELECT count(late), count(*) FROM issued_current')).toEqual(['1|2']);
  });

  // In PostgreSQL only the transaction that writes keeps others out: sessions are not a run's own behind a pooler.
  it('lets no second run into SQLite while one goes on, and into PostgreSQL while none writes', async () => {
    const { address, sync } = await newDatabase();
    const records = { issued: modelRecords(1) };
    await sync(records);
    await duringSync({ records, args: [address, 'issued'], script: () => silence }, async (run, service) => {
      await service.received(1);
      const refused = [1, expect.stringMatching(/another run \(pid \d+/)];
      expect(await sync({ issued: modelRecords(2) })).toEqual(engine === 'SQLite' ? refused : [0, '']);
      run.process.kill('SIGTERM');
      expect((await run.exit).code).toBe(143);
      if (engine === 'PostgreSQL') await server().left(address);
    });
    expect(await sync(records)).toEqual([0, '']);
  });
});

describe('folio sync into SQLite', () => {
  it('leaves a file alone that is read-only, and asks for nothing', async () => {
    const path = join(temporaryFolder(), 'books.db');
    const { sync } = databaseAt(path);
    await sync({ issued: modelRecords(2) });
    chmodSync(path, 0o444);
    const bytes = readFileSync(path);
    let requests = 0;
    expect(await sync({ issued: modelRecords(3) }, () => void requests++)).toEqual([
      1,
      `folio: ${path} is read-only\n  Allow writing with chmod u+w ${path}, or sync into another file.\n`,
    ]);
    expect([requests, readFileSync(path).equals(bytes)]).toEqual([0, true]);
  });

  it('keeps what there was when the disk is full', needingSmallDisk, () =>
    onSmallDisk(temporaryFolder(), '600k', async (folder) => {
      const path = join(folder, 'books.db');
      const { sync } = databaseAt(path);
      await sync({ issued: modelRecords(20) });
      const before = readFileSync(path);
      const full = saying('disk is full\n  Free some space');
      // More than SQLite's cache: it writes some of them before they are committed.
      const many = modelRecords(5_000).map((record) => record.replace('{', `{"x":"${'x'.repeat(2_000)}",`));
      expect(await sync({ issued: many })).toEqual([1, full]);
      expect([readdirSync(folder), readFileSync(path).equals(before)]).toEqual([['books.db'], true]);
      expect(await sync({ issued: modelRecords(21) })).toEqual([0, '']);
    }),
  );
});

/** Between folio and its server: cuts the connection around the COMMIT of the sync. */
async function startCutter(port: number, when: 'before' | 'in' | 'after') {
  let cuts = 0;
  const proxy = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    for (const socket of [near, far]) socket.on('error', () => {});
    let isCommitting = false;
    const end = (): void => {
      cuts++;
      near.resetAndDestroy();
    };
    near.on('data', (chunk: Buffer) => {
      if (cuts === 0 && chunk.includes('COMMIT')) {
        isCommitting = true;
        if (when === 'before') {
          far.destroy();
          return end();
        }
      }
      far.write(chunk);
    });
    far.on('data', (chunk: Buffer) => {
      if (!isCommitting || cuts > 0) return near.write(chunk);
      if (when === 'after') near.write(chunk);
      end();
      return far.end();
    });
    near.on('close', () => far.end());
    far.on('close', () => near.destroy());
  });
  const { port: own } = await listenOnLoopback(proxy);
  return { port: own, cuts: () => cuts };
}

/** Run by Node: has PostgreSQL do something. */
const ASK_POSTGRES = `
  const { Client } = require('pg');
  const [address, sql] = process.argv.slice(1);
  const client = new Client(address);
  client.connect().then(() => client.query(sql)).then(() => client.end());`;

describe('folio sync into PostgreSQL', needing('postgres'), () => {
  it.each(['before', 'in', 'after'] as const)('whose connection is cut %s COMMIT', async (when) => {
    const { address, ask, sync } = databaseAt(await server().createDatabase());
    await sync({ issued: modelRecords(3) });
    const cutter = await startCutter(server().port, when);
    const through = databaseAt(address.replace(`:${server().port}/`, `:${cutter.port}/`));
    const exit = await through.sync({ issued: modelRecords(5) });
    const lost = saying('the connection was lost before the sync was committed');
    expect([exit, cutter.cuts()]).toEqual([when === 'before' ? [5, lost] : [0, ''], 1]);
    const runs = await ask('SELECT run, added FROM _runs ORDER BY 1');
    expect(runs).toEqual(when === 'before' ? ['1|3'] : ['1|3', '2|2']);
    await server().left(address);
    expect((await sync({ issued: modelRecords(5) }))[0]).toBe(0);
    expect(await ask('SELECT count(*) FROM issued')).toEqual(['5']);
  });

  it('whose server goes away while the listing is read finds it again, or says so', async () => {
    const { address, ask, sync } = databaseAt(await server().createDatabase());
    const end =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'folio,%'";
    // At once, while the listing waits for its answer.
    const script = () => void runProgram('node', ['-e', ASK_POSTGRES, address, end]);
    for (const flags of [[], ['--plan']])
      expect(await sync({ issued: modelRecords(3) }, script, ...flags)).toEqual([0, '']);
    expect(await ask('SELECT count(*) FROM issued')).toEqual(['3']);
  });

  it('that adds columns to several listings makes no reader of two of them the victim of a deadlock', async () => {
    const { address, ask, sync } = databaseAt(await server().createDatabase());
    const syncing = (...all: string[]) => sync({ issued: all, received: all, customers: all });
    await syncing('{"id":1}');
    const [reader, other] = [await open(address), await open(address)];
    for (const session of [reader, other]) await session.query('BEGIN');
    await reader.query('SELECT 1 FROM customers_current');
    await other.query('SELECT 1 FROM received_current');
    const synced = syncing('{"id":1,"new":2}');
    const waiting = (sessions: number): Promise<unknown> => {
      const sql = `SELECT count(DISTINCT pid) >= ${sessions} AS is FROM pg_locks WHERE NOT granted`;
      return vi.waitFor(async () => expect(await ask(sql)).toEqual(['t']), 10_000);
    };
    await waiting(1);
    const read = reader.query('SELECT count(*) FROM issued_current').catch((error: unknown) => error);
    await Promise.race([read, waiting(2)]);
    await other.query('COMMIT');
    expect(await read).toEqual([['1']]);
    await reader.query('COMMIT');
    expect(await synced).toEqual([0, '']);
    expect(await ask('SELECT new FROM issued_current NATURAL JOIN customers_current')).toEqual(['2']);
    for (const session of [reader, other]) await session.close();
  });
});
