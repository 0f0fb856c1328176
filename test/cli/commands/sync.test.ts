import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { databaseQueries } from '../../../src/cli/help-topics.ts';
import { listings } from '../../../src/resources/listings.ts';
import { always, status, type FaultScript } from '../../support/faults.ts';
import { needingTerminal, terminalsForTests } from '../../support/in-terminal.ts';
import { modelRecords } from '../../support/model-service.ts';
import { ask, postgresForTests } from '../../support/databases.ts';
import { needing, runProgram, tryProgram } from '../../support/programs.ts';
import { runHere, NO_SETTINGS } from '../../support/run-here.ts';
import { runOrganizations } from '../../support/run-model.ts';
import { runSync } from '../../support/run-against.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { withSettings } from '../../support/settings-folder.ts';
import { expectRefused } from '../../support/expect-exit.ts';

const show = terminalsForTests();

const server = postgresForTests();

const ROOT = join(import.meta.dirname, '../../..');
const DATABASE = { FOLIO_CONFIG_DIR: NO_SETTINGS };

const invoice = (id: number, more = ''): string =>
  `{"id":${id},"number":${10_000 + id},"customer":{"name":"Roble ${id % 2}"},"currency":"CLP","totalAmount":1.10,"amountToBePaid":${id}.10${more}}`;

/** The rows of a query, with a blank between them. */
const rowsOf = async (path: string, sql: string): Promise<string> => (await ask(path, sql)).join(' ');

describe('folio sync', () => {
  it('makes a database of the sandbox without any set-up, and keeps it', async () => {
    const path = join(temporaryFolder(), 'books.db');
    const first = await runHere(['--sandbox', 'sync', path]);
    expect([first.code, first.stderr]).toEqual([0, '']);
    const counts = first.stdout.toString().replaceAll(/,([1-9]\d*),\1,0,0,0,\d+\.\d,/g, ',N,N,0,0,0,S,');
    expect(counts).toBe(
      'profile,resource,total,added,changed,gone,back,seconds,error\n' +
        listings.map(({ name }) => `sandbox,${name},N,N,0,0,0,S,\n`).join(''),
    );
    expect(await rowsOf(path, 'SELECT count(*) FROM issued_current')).toBe('120');
    const before = await ask(path, 'SELECT * FROM issued');
    const again = await runHere(['--sandbox', 'sync', path, 'issued', '--format', 'json']);
    expect(JSON.parse(again.stdout.toString())).toEqual([
      {
        ...{ profile: 'sandbox', resource: 'issued', total: 120, added: 0, changed: 0, gone: 0, back: 0 },
        ...{ seconds: expect.any(Number), error: null },
      },
    ]);
    expect(await ask(path, 'SELECT * FROM issued')).toEqual(before);
    expect(await rowsOf(path, 'SELECT run, resource, complete FROM _runs WHERE run = 2')).toBe('2|issued|1');
  });

  it('holds the documents of every fund, with the fund of each', async () => {
    const path = join(temporaryFolder(), 'books.db');
    const { code } = await runHere(['--sandbox', 'sync', path, 'fund-documents']);
    expect(code).toBe(0);
    const counts = await rowsOf(path, 'SELECT count(*), count(DISTINCT "fundId") FROM fund_documents');
    expect(counts).toBe('1560|12');
  });

  it('sees no change where links are signed anew, however they are spelt, and keeps none of them', async () => {
    const path = join(temporaryFolder(), 'books.db');
    const signed = (signature: string): string =>
      invoice(1, `,"pdf":"https:\\/\\/files.example\\/1?signature=${signature}","site":"https://acme.test"`);
    for (const signature of ['aaaa', 'bbbb'])
      expect((await runSync({ issued: [signed(signature)] }, [path, 'issued'])).code).toBe(0);
    expect(await rowsOf(path, 'SELECT added, changed FROM _runs ORDER BY run')).toBe('1|0 0|0');
    expect(await rowsOf(path, 'SELECT pdf, site FROM issued')).toBe('|https://acme.test');
    expect((await ask(path, 'SELECT _raw FROM issued')).join()).not.toContain('signature');
  });

  const nested = '{"id":1,"customer":{"name":"nested"},"customer.name":"flat"}';
  const turned = '{"id":2,"customer.name":"flat","customer":{"name":"nested"}}';
  const withRowids = (ref: string): string[] =>
    Array.from({ length: 5 }, (_, at) => `{"id":${at},"rowid":${5 - at},"ref":${at === 4 ? ref : at}}`);
  it.each<[what: string, runs: readonly string[][], columns: string, rows: string]>([
    [
      'gives a column the same field in every run, though a record has a member of its dotted name',
      [[nested], [nested, turned]],
      '"customer.name", "customer\\.name"',
      'nested|flat nested|flat',
    ],
    [
      'rewrites a column of a table with a field called rowid',
      [withRowids('4'), withRowids('"4-A"')],
      'typeof(ref), ref, rowid_2',
      'text|0|5 text|1|4 text|2|3 text|3|2 text|4-A|1',
    ],
  ])('%s', async (_, runs, columns, rows) => {
    const path = join(temporaryFolder(), 'books.db');
    for (const issued of runs) expect((await runSync({ issued }, [path, 'issued'])).code).toBe(0);
    expect(await rowsOf(path, `SELECT ${columns} FROM issued ORDER BY _key`)).toBe(rows);
  });

  it('plans without a trace, with the numbers of documents digit for digit', async () => {
    const path = join(temporaryFolder(), 'books.db');
    const plan = async (issued: string[]): Promise<unknown> =>
      JSON.parse((await runSync({ issued }, [path, 'issued', '--plan', '--format', 'json'])).text);
    const added = { added: 3, 'first.added': 'F-0 (0), F-1 (1), F-2 (2)', 'first.gone': null };
    expect(await plan(modelRecords(3))).toMatchObject([added]);
    expect(existsSync(path)).toBe(false);
    await runSync({ issued: modelRecords(3) }, [path, 'issued']);
    const bytes = readFileSync(path);
    const number = '12345678901234567890';
    const first = { 'first.added': 'F-3 (3)', 'first.changed': `${number} (1)`, 'first.gone': 'F-0 (0)' };
    const changed = [...modelRecords(2, 2), `{"id":1,"number":${number}}`];
    expect(await plan(changed)).toMatchObject([{ added: 1, changed: 1, gone: 1, ...first }]);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  it('shows people a table, and below it the first records of each change', needingTerminal, async () => {
    const path = join(temporaryFolder(), 'books.db');
    const { code, screen } = await show([
      '--sandbox',
      'sync',
      path,
      'issued',
      'funds',
      '--plan',
      '--no-progress',
    ]);
    const plain = screen.replaceAll(/\x1b\[[0-9;?]*[A-Za-z]|\r/g, '').replaceAll(/\d+\.\d/g, 'S');
    expect(code).toBe(0);
    expect(plain).toBe(
      'profile  resource  total  added  changed  gone  back  seconds  error\n' +
        '───────  ────────  ─────  ─────  ───────  ────  ────  ───────  ─────\n' +
        'sandbox  issued      120    120        0     0     0      S\n' +
        'sandbox  funds        12     12        0     0     0      S\n' +
        'issued: first added: 10001 (aa720b5d2ff6a3e07e5a4487), 10002 (22dc41daa5fc06297e5a4486), 10003\n' +
        '(cd841dfcd79d5ad17e5a4485), 10004 (b47a1a2a7b85d1c67e5a4484), 10005 (3bb3bca0f635f3a37e5a4483)\n' +
        'funds: first added: 12 (d35e87b9057b54dffabdf6d5), 11 (04afc6f04b33623bfabdf6d4), 10\n' +
        '(be6725d6d7c41162fabdf6d7), 9 (9a0dc5939925ecc8fabdf6d6), 8 (00a6f6c924798947fabdf6d9)\n',
    );
  });

  it('writes a receipt with a row a listing', async () => {
    const folder = temporaryFolder();
    const receipt = join(folder, 'sync.json');
    const line = [join(folder, 'b.db'), 'issued', 'received', '--receipt', receipt];
    const receiptOf = async (records: number): Promise<unknown> => {
      await runSync({ issued: modelRecords(records) }, line);
      return JSON.parse(readFileSync(receipt, 'utf8')) as unknown;
    };
    const received = { profile: 'default', resource: 'received', total: 0, added: 0 };
    expect(await receiptOf(30)).toMatchObject({
      ...{ resource: 'sync', complete: true, records: 30, recordsRead: 30 },
      listings: [{ profile: 'default', resource: 'issued', total: 30, added: 30 }, received],
    });
    // So many may not be gone.
    expect(await receiptOf(5)).toMatchObject({
      ...{ complete: false, records: 0, recordsRead: 5 },
      listings: [{ total: 5, gone: 0 }, received],
    });
  });

  it('writes nothing of what is not served whole, and names the fund', async () => {
    const folder = temporaryFolder();
    const [path, receipt] = [join(folder, 'b.db'), join(folder, 'sync.json')];
    const documents = modelRecords(9);
    const missing = 'the service does not serve record 5 of the listing, even alone';
    const says = `read 8 records, but not all: ${missing} (fund 1); nothing of it was written`;
    const sync = async (...args: string[]) => {
      const script: FaultScript = ({ url }, { records }) =>
        url.pathname.endsWith('issued') || records.includes(documents[4]!) ? status(502) : undefined;
      const records = { funds: ['{"id":1}'], documents };
      return await runSync(records, [path, ...args, '--retries', '0', '--receipt', receipt], { script });
    };
    const { code, stderr } = await sync('fund-documents', '--debug');
    expect([code, stderr]).toEqual([6, expect.stringContaining(`folio: ${says}\n`)]);
    expect(stderr).toMatch(/ shrunk: 100 records [^]* given up: record 5 /);
    const { shrinks } = JSON.parse(readFileSync(receipt, 'utf8')) as { shrinks: number };
    expect([shrinks > 0, await rowsOf(path, 'SELECT error FROM _runs')]).toEqual([true, says]);
    const none = await sync('fund-documents', 'issued');
    expect([none.code, none.stderr]).toEqual([5, expect.stringContaining('none of 2 listings')]);
  });

  it('keeps the profiles apart, and writes those that could be read', async () => {
    const folder = temporaryFolder();
    const organizations = {
      north: { records: { issued: modelRecords(2) } },
      east: { records: {}, script: always(status(401)) },
      south: { records: { issued: modelRecords(3) } },
    };
    const line = 'sync FOLDER/books.db issued --all-profiles';
    const { code, stdout, stderr } = await runOrganizations(line, { organizations, folder });
    expect(code).toBe(6);
    expect(stdout).toContain('north,issued,2,2,0,0,0');
    expect(stdout).toContain('south,issued,3,3,0,0,0');
    expect(stderr).toMatch(/1 of 3 listings left as they were\neast issued: .+ \(401\)/);
    const path = join(folder, 'books.db');
    expect(await rowsOf(path, 'SELECT _profile, count(*) FROM issued GROUP BY 1')).toBe('north|2 south|3');
    const runs = await rowsOf(path, 'SELECT profile, complete, total FROM _runs');
    expect(runs).toBe('north|1|2 east|0| south|1|3');
  });

  it('records why it could not begin under the name of the profile, and under none that is not there', async () => {
    const folder = temporaryFolder();
    const codes: number[] = [];
    for (const profile of ['north', 'nroth']) {
      const env = { FOLIO_PROFILE: profile, FOLIO_BASE_URL: 'https://other.example' };
      const options = { organizations: { north: { records: {} } }, folder, env };
      codes.push((await runOrganizations('sync FOLDER/books.db issued', options)).code);
    }
    expect(codes).toEqual([3, 2]);
    expect(await rowsOf(join(folder, 'books.db'), 'SELECT profile FROM _runs')).toBe('north');
  });

  it('refuses the books of another organization under the name of a profile', async () => {
    const path = join(temporaryFolder(), 'books.db');
    const sync = () => runHere(['--sandbox', 'sync', path, 'funds', '--profile', 'one']);
    await sync();
    await ask(path, "UPDATE _runs SET organization = 'another'");
    await expectRefused(
      sync(),
      /the profile one is of the organization \w+ now, and the database holds the books of another under that name/,
    );
    expect(await rowsOf(path, 'SELECT count(*) FROM _runs')).toBe('1');
  });

  it.each([
    [['sync'], 2, 'sync needs a database'],
    [['sync', 'postgres://u:s3cret@h/x'], 2, 'a password in the address can be read by every user'],
    [['sync', 'mysql://h/x'], 2, 'begins with mysql:'],
    [['sync', 'postgres://u@127.0.0.1:1/x'], 5, '127.0.0.1:1/x: connection refused (ECONNREFUSED)'],
    [['sync', 'b.db', 'invoices'], 2, 'folio sync knows no resource "invoices"'],
    [['sync', 'b.db', 'issued', '--key', 'issued=number'], 2, "unknown flag '--key'"],
    [['sync', 'b.db', 'issued', '--tables', 'payments'], 2, "unknown flag '--tables'"],
    [['sync', 'b.db', '--max-gone', '10.5'], 2, '--max-gone "10.5": expected a share such as 10%'],
    [['sync', 'b.db', '--max-gone', '101%'], 2, 'expected a share'],
    [['sync', '--to-env', 'NO_SUCH'], 2, 'there is no such variable'],
    [['sync', '/nowhere/b.db'], 1, 'ENOENT'],
    [['sync', '/'], 1, '/ is not a file'],
    [['sync', 'books.csv'], 2, 'named like an export'],
  ])('%j ends with %i', async (args, code, words) => {
    const folder = temporaryFolder();
    const exit = await runHere(args, { cwd: folder, env: DATABASE });
    expect([exit.code, exit.stdout.length]).toEqual([code, 0]);
    expect(exit.stderr).toContain(words);
    expect(exit.stderr).not.toContain('s3cret');
    expect(existsSync(join(folder, 'b.db'))).toBe(false);
  });

  it('names the package that is missing', async () => {
    // A folder of its own, so that there are no packages beside the program.
    const folder = temporaryFolder();
    for (const part of ['bin', 'dist', 'package.json'])
      cpSync(join(ROOT, part), join(folder, part), { recursive: true });
    const sync = (address: string) => {
      const args = [join(folder, 'bin/folio.js'), '--sandbox', 'sync', address];
      const { status, stdout, stderr } = tryProgram('node', args, { cwd: folder });
      return { status, stdout, stderr };
    };
    const refused = (stderr: string) => ({ status: 2, stdout: '', stderr });
    const noPostgres =
      'folio: PostgreSQL needs the packages pg and pg-copy-streams\n' +
      '  Install them beside folio with npm install pg pg-copy-streams.\n';
    expect(sync('postgres://u@127.0.0.1/x')).toEqual(refused(noPostgres));
    const sqlite = sync('books.db');
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    if (major > 22 || (major === 22 && minor >= 13)) expect(sqlite.status).toBe(0);
    else {
      const noSqlite =
        'folio: SQLite needs Node 22.13 or later, or the package libsql\n' +
        '  Install it beside folio with npm install libsql, or use a later Node.\n';
      expect(sqlite).toEqual(refused(noSqlite));
      expect(existsSync(join(folder, 'books.db'))).toBe(false);
    }
  });

  it('leaves out a listing of records without a key, or of one key, and writes the others', async () => {
    const path = join(temporaryFolder(), 'books.db');
    const issued = ['{"id":1,"n":"a"}', '{"id":2,"n":"b"}', '{"id":3,"n":"a"}'];
    const twice = 'the records 1 and 3 of the issued invoices have the same n: a';
    const unnamed = 'record 2 of the received invoices has no id: {"number":5}…';
    const hint =
      '  Name the columns that tell records apart with the setting key.<listing>, as in folio config set key.issued number,documentType.\n';
    const alone = await runSync({ issued }, [path, 'issued'], { env: withSettings({ 'key.issued': 'n' }) });
    expect([alone.code, alone.stderr]).toEqual([2, `folio: ${twice}\n${hint}`]);
    const several = await runSync({ issued, received: ['{"id":1}', '{"number":5}'] }, [path]);
    expect([several.code, several.stderr]).toEqual([
      6,
      `folio: 1 of 4 listings left as they were\nreceived: ${unnamed}\n${hint}`,
    ]);
    expect(await ask(path, 'SELECT count(*) FROM issued')).toEqual(['3']);
    expect(await ask(path, 'SELECT error FROM _runs WHERE error IS NOT NULL')).toEqual([twice, unnamed]);
    const env = withSettings({ 'key.received': 'number' });
    const named = await runSync({ received: ['{"number":4}', '{"number":5}'] }, [path, 'received'], { env });
    expect([named.code, await ask(path, 'SELECT _key FROM received')]).toEqual([0, ['4', '5']]);
  });

  it('takes the address with its password from the environment', needing('postgres'), async () => {
    const address = await server().createDatabase();
    const env = { DATABASE_URL: address.replace('books@', 'books:s3cret@') };
    const line = ['--to-env', 'DATABASE_URL', 'issued', '--debug'];
    const exit = await runSync({ issued: modelRecords(3) }, line, { env });
    expect([exit.code, await ask(address, 'SELECT count(*) FROM issued')]).toEqual([0, ['3']]);
    expect(exit.stderr).not.toContain('s3cret');
  });
});

describe('the queries of the help', () => {
  const typed = (id: number, status: string): string =>
    invoice(id, `,"documentType":"INVOICE","status":"${status}","payments":[{"amount":1.50}]`);
  const before = [typed(1, 'OPEN'), typed(2, 'OPEN'), typed(3, 'OPEN')];
  const after = [typed(2, 'PAID'), typed(3, 'OPEN')];
  const expected = [
    [0, 1].map((at) => expect.stringMatching(new RegExp(`^default\\|"Roble ${at}"\\|CLP\\|${at + 2}.10?$`))),
    [expect.stringMatching(/^20[-0-9T:. Z+]+\|default\|10001\|Roble 1\|1.10?$/)],
    [expect.stringMatching(/^20[-0-9T:. Z+]+\|changed\|\{"id":2,.*"OPEN".*\}$/)],
    ['10002|1.50', '10003|1.50'],
  ];

  /** Those of both engines, and of this one. */
  const queriesIn = (engine: string): string[] =>
    databaseQueries.flatMap(([title, sql]) => (/SQL/.test(title) && !title.endsWith(engine) ? [] : [sql]));
  const linesOf = (text: string): string[] => text.trimEnd().split('\n');

  it('answer in sqlite3', needing('sqlite3'), async () => {
    const path = join(temporaryFolder(), 'books.db');
    await runSync({ issued: before }, [path, 'issued']);
    await runSync({ issued: after }, [path, 'issued']);
    const answers = queriesIn('SQLite').map((sql) => runProgram('sqlite3', [path, sql]));
    expect(answers.map(linesOf)).toEqual(expected);
  });

  it('answer in psql', needing('psql', 'postgres'), async () => {
    const address = await server().createDatabase();
    await runSync({ issued: before }, [address, 'issued']);
    await runSync({ issued: after }, [address, 'issued']);
    const answers = queriesIn('PostgreSQL').map((sql) =>
      runProgram('psql', [address, '-XAtq', '-v', 'ON_ERROR_STOP=1', '-c', sql]),
    );
    expect(answers.map(linesOf)).toEqual(expected);
  });
});
