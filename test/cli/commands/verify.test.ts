import { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../src/cli/command-line.ts';
import { formats } from '../../../src/output/formats.ts';
import { describeDatabases, postgresForTests } from '../../support/databases.ts';
import { status } from '../../support/faults.ts';
import { fakeContext } from '../../support/fake-context.ts';
import { TRIES_ALL } from '../../support/random-runs.ts';
import { runOrganizations } from '../../support/run-organizations.ts';
import { pageOf, runScripted } from '../../support/scripted-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const server = postgresForTests();

const RECORDS = [
  '{"id":1,"name":"a, \\"quoted\\"\\nname over two lines","net":1190.10}',
  '{"id":2,"name":"Ñandú","net":1E2,"late":[1,{"a":"]"}]}',
  '{"id":3}',
];

/** Bytes from one change to the next. */
const STEP = TRIES_ALL ? 11 : 37;

const COUNTED = new Set<string>(['csv', 'jsonl', 'json']);

async function verify(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return verifyAt(0, ...argv);
}

/** The same so many hours after the runs of these tests. */
async function verifyAt(
  hours: number,
  ...argv: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  const now = Date.UTC(2026, 10, 20, 12 + hours);
  const context = fakeContext({ argv: ['verify', ...argv], clock: { now } });
  const code = await runCommandLine(context);
  return { code, stdout: context.stdout.text, stderr: context.stderr.text };
}

/** An export of the records, and its receipt beside it. */
async function exported(name: string, flags: readonly string[] = [], records = RECORDS): Promise<string> {
  const file = join(temporaryFolder(), name);
  const argv = ['issued', '-o', file, '--receipt', `${file}.receipt.json`, ...flags];
  expect(await runScripted(argv, [pageOf(records)])).toMatchObject({ code: 0 });
  return file;
}

const EXPORTS: readonly (readonly [name: string, flags: readonly string[]])[] = [
  ['out.csv', []],
  ['out.csv', ['--no-header']],
  ['out.csv', ['--excel']],
  ['out.txt', ['--format', 'csv', '--delimiter', ';']],
  ['out.csv', ['--columns', 'name']],
  ['out.jsonl', []],
  ['out.json', []],
];

describe('folio verify', () => {
  it.each(EXPORTS)('knows %s %j again', async (name, flags) => {
    const file = await exported(name, flags);
    const { code, stdout, stderr } = await verify(file);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(
      /: as delivered at 2026-11-20T12:00:00.000Z, 3 records, \d+ bytes, sha256 [0-9a-f]{64}\n$/,
    );
  });

  it.each(EXPORTS)('notices any change of %s %j', async (name, flags) => {
    const file = await exported(name, flags);
    const good = readFileSync(file);
    for (let at = 0; at < good.length; at += STEP) {
      const bad = Buffer.from(good);
      bad[at]! ^= 1;
      writeFileSync(file, bad);
      expect(await verify(file)).toMatchObject({ code: 6, stdout: '' });
      writeFileSync(file, good.subarray(0, at));
      const { code, stderr } = await verify(file);
      expect(code).toBe(6);
      expect(stderr).toContain(`${at} byte${at === 1 ? '' : 's'} instead of ${good.length}`);
    }
  });

  it.each(['out.csv', 'out.jsonl'])('counts what is left of the records of %s', async (name) => {
    const file = await exported(name);
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, `${lines.slice(0, -2).join('\n')}\n`);
    expect((await verify(file)).stderr).toContain('is not what was delivered: 2 records instead of 3; ');
  });

  it.each(formats.filter((format) => !COUNTED.has(format)))(
    'holds %s against the hash alone',
    async (format) => {
      const file = await exported('out', ['--format', format]);
      const { code, stdout } = await verify(file);
      expect(code).toBe(0);
      expect(stdout).toContain(`Z, records not counted in ${format}, `);
    },
  );

  it('knows an export of nothing', async () => {
    for (const name of ['out.csv', 'out.jsonl', 'out.json']) {
      expect((await verify(await exported(name, [], []))).stdout).toContain(', 0 records, ');
    }
  });

  it('takes the receipt that it is given', async () => {
    const file = await exported('out.csv');
    const other = await exported('other.csv', [], RECORDS.slice(0, 1));
    expect(await verify(file, '--receipt', `${file}.receipt.json`)).toMatchObject({ code: 0 });
    expect(await verify(file, '--receipt', `${other}.receipt.json`)).toMatchObject({ code: 6 });
  });

  it('says so when the run did not deliver all', async () => {
    const file = join(temporaryFolder(), 'out.csv');
    const missing = {
      _type: 'EmptyResponseError',
      requestName: 'byFiscalId',
      requestParams: { fiscalId: '27' },
    };
    const argv = ['issued', '-o', file, '--receipt', `${file}.receipt.json`, '--strict'];
    await runScripted([...argv, '--customer-fiscal-id', '1-9,2-7'], [pageOf(RECORDS, { errors: [missing] })]);
    const { code, stdout } = await verify(file);
    expect(code).toBe(0);
    expect(stdout).toMatch(/\nthat run did not deliver all that was asked for: .*2-7\n$/);
  });

  it('does not take the receipt of a run that failed for that of the file', async () => {
    const file = await exported('out.csv');
    const argv = ['issued', '-o', file, '--receipt', `${file}.receipt.json`, '--retries', '0'];
    await runScripted(argv, [[500, '{}']]);
    const { code, stderr } = await verify(file);
    expect(code).toBe(6);
    expect(stderr).toContain('delivered no file');
  });
});

describe('folio verify without a receipt', () => {
  it('has nothing to compare it with, and says what is in the file', async () => {
    const file = await exported('out.csv');
    const copy = join(temporaryFolder(), 'copy.csv');
    writeFileSync(copy, readFileSync(file));
    const { code, stdout, stderr } = await verify(copy);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/there is no receipt to compare .*copy.csv with; it is whole, 3 records, /);
    expect(stderr).toContain('The next run writes one with --receipt <file>.receipt.json.');
  });

  it.each(['out.csv', 'out.jsonl', 'out.json'])('notices that %s was cut within a record', async (name) => {
    const file = await exported(name);
    const copy = join(temporaryFolder(), name);
    writeFileSync(copy, readFileSync(file).subarray(0, -6));
    expect(await verify(copy)).toMatchObject({ code: 6, stdout: '' });
  });
});

describe('folio verify of several files', () => {
  /** A folder with two exports and their receipts, and with a file of something else. */
  async function folder(): Promise<string> {
    const [one, other] = [await exported('one.csv'), await exported('other.jsonl')];
    const path = temporaryFolder();
    for (const file of [one, other]) {
      for (const name of [file, `${file}.receipt.json`]) copyFileSync(name, join(path, basename(name)));
    }
    writeFileSync(join(path, 'notes.txt'), 'x');
    return path;
  }

  it('holds each against its own receipt, and a folder against all in it', async () => {
    const path = await folder();
    const says = /^\S+one.csv: as delivered at .*\n\S+other.jsonl: as delivered at .*\n$/;
    const files = await verify(join(path, 'one.csv'), join(path, 'other.jsonl'));
    expect(files).toMatchObject({ code: 0, stdout: expect.stringMatching(says), stderr: '' });
    expect(await verify(path)).toEqual(files);
  });

  it('tells of each that is another, and goes on', async () => {
    const path = await folder();
    writeFileSync(join(path, 'one.csv'), 'x');
    const { code, stdout, stderr } = await verify(path);
    expect(code).toBe(6);
    expect(stdout).toContain('other.jsonl: as delivered at');
    expect(stderr).toContain('1 of 2 files: ');
    expect(stderr).toContain('one.csv is not what was delivered');
  });

  it('is a usage error where one has no receipt, or a folder has none', async () => {
    const path = await folder();
    const { code, stdout, stderr } = await verify(join(path, 'one.csv'), join(path, 'notes.txt'));
    expect(code).toBe(2);
    expect(stdout).toContain('one.csv: as delivered at');
    expect(stderr).toContain('1 of 2 files: there is no receipt to compare ');
    expect(await verify(temporaryFolder())).toMatchObject({ code: 2 });
  });

  it('takes all files that one receipt names', async () => {
    const path = temporaryFolder();
    mkdirSync(join(path, 'out'));
    const organizations = {
      north: { records: { issued: RECORDS } },
      south: { records: { issued: RECORDS } },
    };
    const run = await runOrganizations(
      'issued --all-profiles --output-dir FOLDER/out --receipt FOLDER/out/all.receipt.json',
      { organizations, folder: path },
    );
    expect(run.code).toBe(0);
    const says = /north.issued.csv: as delivered at .*\n\S+south.issued.csv: as delivered at .*\n$/;
    for (const argv of [
      [join(path, 'out')],
      [join(path, 'out', 'all.receipt.json')],
      ['--receipt', join(path, 'out', 'all.receipt.json')],
    ]) {
      expect(await verify(...argv)).toMatchObject({ code: 0, stdout: expect.stringMatching(says) });
    }
    writeFileSync(join(path, 'out', 'south.issued.csv'), 'x');
    expect(await verify(join(path, 'out'))).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('1 of 2 files: '),
    });
    const other = join(path, 'west.csv');
    writeFileSync(other, 'a\n');
    expect(await verify(other, '--receipt', join(path, 'out', 'all.receipt.json'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not name'),
    });
  });
});

describe('folio verify of a folder of statements', () => {
  it('holds each page against the receipt, wherever that is', async () => {
    const folder = temporaryFolder();
    const [pages, receipt] = [join(folder, 'pages'), join(folder, 'pages.receipt.json')];
    const records = ['1-9', '2-7'].map(
      (id, at) =>
        `{"id":${at},"number":${at},"documentType":"INVOICE","dueBy":"2026-11-10","currency":"CLP",` +
        `"receiverFiscalId":"${id}","customer":{"name":"C${at}"},"totalAmount":10,"amountToBePaid":10}`,
    );
    const argv = ['statement', '--all', '--output-dir', pages, '--receipt', receipt];
    expect(await runScripted(argv, [pageOf(records)])).toMatchObject({ code: 0 });
    const moved = join(temporaryFolder(), 'moved');
    renameSync(folder, moved);
    const [page, other, index] = ['1-9 C0.html', '2-7 C1.html', 'index.html'].map((name) =>
      join(moved, 'pages', name),
    );
    const all = [join(moved, 'pages.receipt.json')];
    for (const asked of [all, [join(moved, 'pages')], [page!, other!, index!, '--receipt', ...all]]) {
      const { code, stdout } = await verify(...asked);
      expect([code, stdout.split('\n').map((line) => line.split(':')[0])]).toEqual([
        0,
        [page, other, index, ''],
      ]);
    }
    rmSync(page!);
    writeFileSync(index!, 'another');
    expect(await verify('-q', ...all)).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/2 of 3 files: .*1-9 C0.html is lost.*index.html is not what was/),
    });
  });

  it('says that the run wrote none, where it failed', async () => {
    const folder = join(temporaryFolder(), 'pages');
    const argv = ['statement', '--all', '--output-dir', folder, '--receipt', `${folder}.receipt.json`];
    await runScripted([...argv, '--retries', '0'], [[500, '{}']]);
    expect(await verify(folder)).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('delivered no file'),
    });
  });
});

describe('folio verify with what it cannot use', () => {
  it('is a usage error where file or receipt are missing', async () => {
    const file = await exported('out.csv');
    expect(await verify(`${file}.nowhere`)).toMatchObject({ code: 2 });
    expect(await verify(file, '--receipt', `${file}.nowhere`)).toMatchObject({ code: 2 });
    expect(await verify()).toMatchObject({ code: 2 });
  });

  it.each([
    ['', 'it is not a JSON object'],
    ['{"records":3', 'it is not a JSON object'],
    ['[1]', 'it is not a JSON object'],
    ['{}', 'its "records" is not'],
    ['{"records":3,"bytes":-1}', 'its "bytes" is not'],
    ['{"records":3,"bytes":1,"sha256":"x"}', 'its "sha256" is not'],
    ['{"records":3,"bytes":1,"sha256":null}', 'its "finishedAt" is not'],
  ])('is a fault where the receipt is broken: %s', async (text, reason) => {
    const file = await exported('out.csv');
    writeFileSync(`${file}.receipt.json`, text);
    const { code, stderr } = await verify(file);
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
  });

  it('is a fault where file or receipt cannot be read', async () => {
    const file = await exported('out.csv');
    expect(await verify(file, '--receipt', temporaryFolder())).toMatchObject({ code: 1 });
  });
});

describe('folio verify from anywhere', () => {
  /** Two folders side by side, one with exports and one with receipts, written from within the folder above. */
  async function apart(): Promise<string> {
    const folder = temporaryFolder();
    for (const name of ['books', 'receipts']) mkdirSync(join(folder, name));
    const argv = ['issued', '-o', 'books/issued.csv', '--receipt', 'receipts/issued.csv.receipt.json'];
    const before = process.cwd();
    process.chdir(folder);
    try {
      expect(await runScripted(argv, [pageOf(RECORDS)])).toMatchObject({ code: 0 });
    } finally {
      process.chdir(before);
    }
    return folder;
  }

  it('goes by the path of the receipt, not by the working folder', async () => {
    const folder = await apart();
    const receipt = join(folder, 'receipts/issued.csv.receipt.json');
    expect(JSON.parse(readFileSync(receipt, 'utf8'))).toMatchObject({
      output: 'books/issued.csv',
      file: '../books/issued.csv',
    });
    for (const path of [receipt, join(folder, 'receipts')]) {
      const { code, stdout } = await verify(path);
      expect([code, stdout]).toEqual([
        0,
        expect.stringContaining(`${folder}/books/issued.csv: as delivered`),
      ]);
    }
    const moved = join(temporaryFolder(), 'moved');
    renameSync(folder, moved);
    expect((await verify(join(moved, 'receipts'))).stdout).toContain(
      `${moved}/books/issued.csv: as delivered`,
    );
    renameSync(join(moved, 'books/issued.csv'), join(moved, 'receipts/issued.csv'));
    expect((await verify(join(moved, 'receipts'))).stdout).toContain('receipts/issued.csv: as delivered');
  });

  it('finds in a receipt without such a path what it names, as seen from the receipt', async () => {
    const folder = await apart();
    const receipt = join(folder, 'receipts/issued.csv.receipt.json');
    const { file, ...old } = JSON.parse(readFileSync(receipt, 'utf8')) as Record<string, unknown>;
    writeFileSync(receipt, JSON.stringify({ ...old, output: file }));
    expect(await verify(receipt)).toMatchObject({ code: 0 });
    writeFileSync(receipt, JSON.stringify({ ...old, output: join(folder, 'books/issued.csv') }));
    expect(await verify(receipt)).toMatchObject({ code: 0 });
  });

  it('says which file is lost, with exit code 6', async () => {
    const file = await exported('out.csv');
    rmSync(file);
    for (const argv of [[file], [dirname(file)], ['--receipt', `${file}.receipt.json`]]) {
      const { code, stdout, stderr } = await verify(...argv);
      expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
      expect(stderr).toContain(`${file} is lost: it was delivered at 2026-11-20T12:00:00.000Z\n`);
    }
    const other = await exported('other.csv');
    expect(await verify(file, other)).toMatchObject({
      code: 6,
      stdout: expect.stringContaining('other.csv: as delivered'),
      stderr: expect.stringContaining('1 of 2 files: '),
    });
    await runScripted(
      ['issued', '-o', file, '--receipt', `${file}.receipt.json`, '--retries', '0'],
      [[500, '{}']],
    );
    expect(await verify(file)).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('delivered no file'),
    });
  });

  it('is silent with -q where all is well, and only there', async () => {
    const file = await exported('out.csv');
    expect(await verify('-q', file, '--max-age', '1h')).toEqual({ code: 0, stdout: '', stderr: '' });
    writeFileSync(file, 'x');
    expect(await verify('-q', file)).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('is not what was delivered'),
    });
  });
});

describe('folio verify --max-age', () => {
  it('finds the run that never started, and names its file', async () => {
    const [file, other] = [await exported('out.csv'), await exported('other.csv')];
    expect(await verifyAt(26, file, '--max-age', '26h')).toMatchObject({ code: 0, stderr: '' });
    const { code, stdout, stderr } = await verifyAt(27, file, other, '--max-age', '26h');
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toBe(
      `folio: 2 of 2 files: ${file} is older than 26h: its run ended at 2026-11-20T12:00:00.000Z; ` +
        `${other} is older than 26h: its run ended at 2026-11-20T12:00:00.000Z\n` +
        '  See why no run has ended since: whether it was started, and what it said.\n',
    );
    for (const [age, isOld] of [
      ['1619m', true],
      ['1620M', false],
      ['1d', true],
      ['2 d', false],
      ['1w', false],
    ] as const) {
      expect(await verifyAt(27, file, '--max-age', age)).toMatchObject({ code: isOld ? 6 : 0 });
    }
  });

  it('goes by the receipt of a run that wrote no file, too', async () => {
    const receipt = join(temporaryFolder(), 'stdout.receipt.json');
    await runScripted(['issued', '--receipt', receipt], [pageOf(RECORDS)]);
    expect(await verify(receipt)).toMatchObject({ code: 2 });
    expect(await verify(receipt, '--max-age', '1h')).toMatchObject({
      code: 0,
      stdout: `${receipt}: a run that ended at 2026-11-20T12:00:00.000Z\n`,
    });
    expect(await verifyAt(2, receipt, '--max-age', '1h')).toMatchObject({ code: 6 });
    writeFileSync(receipt, readFileSync(receipt, 'utf8').replaceAll('2026-11-20T12', 'yesterday'));
    expect(await verify(receipt, '--max-age', '1h')).toMatchObject({ code: 6 });
  });

  it.each(['', '26', '0h', '-1h', '26 hours', '1y', 'h'])('is a usage error as %j', async (age) => {
    const { code, stderr } = await verify('x.csv', '--max-age', age);
    expect([code, stderr]).toEqual([2, expect.stringContaining('such as 90m, 26h, 2d or 1w')]);
  });
});

describeDatabases('folio verify --max-age of a database in %s', (engine) => {
  it('goes by the last whole sync of each listing', async () => {
    const address =
      engine === 'SQLite' ? join(temporaryFolder(), 'books.db') : await server().createDatabase();
    const organizations = {
      north: { records: { issued: RECORDS, received: RECORDS } },
      south: { records: { issued: RECORDS } },
    };
    const sync = (line: string, hours: number, failing?: string): Promise<{ code: number }> =>
      runOrganizations(`sync ${address} ${line}`, {
        clock: { now: Date.UTC(2026, 10, 20, 12 + hours) },
        organizations: Object.fromEntries(
          Object.entries(organizations).map(([name, organization]) => [
            name,
            name === failing ? { ...organization, script: () => status(403) } : organization,
          ]),
        ),
      });
    const check = async (hours: number, ...flags: string[]): Promise<unknown> => {
      const now = Date.UTC(2026, 10, 20, 12 + hours);
      const context = fakeContext({ argv: ['verify', address, ...flags], clock: { now } });
      const code = await runCommandLine(context);
      return { code, stdout: context.stdout.text, stderr: context.stderr.text };
    };
    expect((await sync('issued received --profile north', 0)).code).toBe(0);
    expect((await sync('issued --profile south', 1)).code).toBe(0);
    expect(await check(26, '--max-age', '26h')).toEqual({
      code: 0,
      stdout: expect.stringMatching(/: 3 listings, none synced before 2026-11-20.12:00:00\S*\n$/),
      stderr: '',
    });
    expect(await check(26, '--max-age', '26h', '-q')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect((await sync('issued --all-profiles', 2, 'south')).code).toBe(6);
    expect(await check(28, '--max-age', '26h')).toEqual({
      code: 6,
      stdout: '',
      stderr: expect.stringMatching(
        /^folio: .* is older than 26h: issued of south: last whole at 2026-11-20.13:00:00\S* \(.+\); received of north: last whole at 2026-11-20.12:00:00\S*\n/,
      ),
    });
    expect(await check(28, '--max-age', '26h', '--profile', 'south')).toMatchObject({
      code: 6,
      stderr: expect.not.stringContaining('north'),
    });
    expect(await check(28, '--max-age', '26h', '--profile', 'west')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('has nothing of a profile west\n  It has those of north, south.'),
    });
    expect(await check(0)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is a database, and has no receipt'),
    });
  });
});
