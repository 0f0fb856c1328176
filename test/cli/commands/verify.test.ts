import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../src/cli/program.ts';
import { formats } from '../../../src/output/formats.ts';
import { describeDatabases } from '../../support/databases.ts';
import { status } from '../../support/faults.ts';
import { fakeContext } from '../../support/fake-context.ts';
import { TRIES_ALL } from '../../support/random-runs.ts';
import { runOrganizations } from '../../support/run-model.ts';
import { pageOf, runScripted, nobody, type Answer } from '../../support/scripted-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const RECORDS = [
  '{"id":1,"name":"a, \\"quoted\\"\\nname over two lines","net":1190.10}',
  '{"id":2,"name":"Ñandú","net":1E2,"late":[1,{"a":"]"}]}',
  '{"id":3}',
];

/** Bytes from one change to the next. */
const STEP = TRIES_ALL ? 11 : 37;

const DELIVERED_AT = '2026-11-20 12:00';

/** What `folio verify` says, so many hours after the runs of these tests. */
async function saidAt(hours: number, ...argv: string[]) {
  const now = Date.UTC(2026, 10, 20, 12 + hours);
  const context = fakeContext({ argv: ['verify', ...argv], clock: { now } });
  const code = await runCommandLine(context);
  return { code, stdout: context.stdout.text, stderr: context.stderr.text };
}

const verify = (...argv: string[]) => saidAt(0, ...argv);

/** Expects the exit code, and what one of the streams has: standard output for 0, else standard error. */
async function expectVerified(argv: readonly string[], code: number, says: string | RegExp = '', hours = 0) {
  const { stdout, stderr, ...outcome } = await saidAt(hours, ...argv);
  expect({ ...outcome, argv }).toEqual({ code, argv });
  expect(code === 0 ? stdout : stderr).toMatch(says);
  if (code === 0) expect(stderr).toBe('');
}

/** An export and its receipt beside it; runs again where the file is there. */
async function runInto(file: string, flags: readonly string[], answer: Answer): Promise<string> {
  await runScripted(['issued', '-o', file, '--receipt', `${file}.receipt.json`, ...flags], [answer]);
  return file;
}

function exported(name: string, flags: readonly string[] = [], records = RECORDS): Promise<string> {
  return runInto(join(temporaryFolder(), name), flags, pageOf(records));
}

describe('folio verify of a file', () => {
  it.each<[name: string, flags: readonly string[]]>([
    ['out.csv', []],
    ['out.csv', ['--no-header']],
    ['out.csv', ['--excel']],
    ['out.txt', ['--format', 'csv', '--delimiter', ';']],
    ['out.csv', ['--columns', 'name']],
    ['out.jsonl', []],
    ['out.json', []],
  ])('knows %s %j again, and notices any change of it', async (name, flags) => {
    const file = await exported(name, flags);
    const says = `: as delivered at ${DELIVERED_AT}, 3 records, \\d+ bytes, sha256 [0-9a-f]{64}\\n$`;
    await expectVerified([file], 0, new RegExp(says));
    const good = readFileSync(file);
    for (let at = 0; at < good.length; at += STEP) {
      const bad = Buffer.from(good);
      bad[at]! ^= 1;
      writeFileSync(file, bad);
      expect(await verify(file)).toMatchObject({ code: 6, stdout: '' });
      writeFileSync(file, good.subarray(0, at));
      await expectVerified([file], 6, `${at} byte${at === 1 ? '' : 's'} instead of ${good.length}`);
    }
  });

  it.each(['out.csv', 'out.jsonl'])('counts what is left of the records of %s', async (name) => {
    const file = await exported(name);
    const lines = readFileSync(file, 'utf8').split('\n');
    writeFileSync(file, `${lines.slice(0, -2).join('\n')}\n`);
    await expectVerified([file], 6, 'is not what was delivered: 2 records instead of 3; ');
  });

  it.each(formats)('says how many records %s has', async (format) => {
    const file = await exported('out', ['--format', format]);
    await expectVerified([file], 0, ' 12:00, 3 records, ');
  });

  const DOCUMENTS = ['statement --all --from', 'report --from'];
  it.each(DOCUMENTS)('says of no records in the document of %s', async (line) => {
    const record = '{"id":1,"dueBy":"2026-11-10","currency":"CLP","receiverFiscalId":"1-9","totalAmount":10,';
    const from = await exported('issued.jsonl', [], [`${record}"amountToBePaid":10}`]);
    const file = join(dirname(from), 'document.json');
    const argv = [...line.split(' '), from, '-o', file, '--receipt', 'beside'];
    expect(await runScripted(argv, [])).toMatchObject({ code: 0 });
    await expectVerified([file], 0, / 12:00, \d+ bytes, sha256 /);
    writeFileSync(file, readFileSync(file, 'utf8').replace('10', '11'));
    await expectVerified([file], 6, 'is not what was delivered: sha256 ');
  });

  it('says so when the run did not deliver all, and tells its receipt from that of a run that failed', async () => {
    const flags = ['--strict', '--customer-fiscal-id', '1-9,2-7'];
    const file = join(temporaryFolder(), 'out.csv');
    await runInto(file, flags, pageOf(RECORDS, { errors: [nobody('27')] }));
    await expectVerified(['-q', file], 6, /out\.csv is not whole \(.*2-7\)\n/);
    utimesSync(file, new Date(), new Date(Date.UTC(2026, 10, 19, 6, 30)));
    await runInto(file, ['--retries', '0', '--where', "name='a b'"], [500, '{}']);
    await expectVerified([file], 6, 'not delivered (');
    await expectVerified([file], 6, `; ${file} is of an earlier run, of 2026-11-19 06:30\n`);
    const { stderr } = await verify(file);
    const again = `-o ${file} --receipt ${file}.receipt.json --retries 0 --where 'name='\\''a b'\\'''\`.`;
    expect(stderr).toMatch(/\n {2}[A-Z].*\. Then run it again: `folio issued /);
    expect(stderr).toContain(again);
  });

  it('finds the one of several profiles that is missing in a file of all, without --max-age', async () => {
    const folder = temporaryFolder();
    const organizations = {
      north: { records: { issued: RECORDS } },
      south: { records: {}, script: () => status(403) },
    };
    const line = 'issued --all-profiles -o FOLDER/all.csv --receipt beside';
    const { code, stderr } = await runOrganizations(line, { organizations, folder });
    expect([code, stderr]).toEqual([6, expect.stringMatching(/\nsouth: .*\ndelivered: north\n/)]);
    const says =
      /^folio: north, south issued: .*all.csv is not whole \(.*south: .*\)\n {2}.*Log in with a new one: `folio auth login --profile south`\. Then run it again: `folio issued --all-profiles /;
    await expectVerified(['-q', join(folder, 'all.csv')], 6, says);
    await expectVerified(['-q', folder], 6, says);
  });

  it('says whose the records are that were read from a database', async () => {
    const folder = temporaryFolder();
    const records = { issued: RECORDS };
    const organizations = { north: { records }, south: { records } };
    const run = async (line: string) => (await runOrganizations(line, { organizations, folder })).code;
    expect(await run('sync FOLDER/books.db issued --all-profiles')).toBe(0);
    const from = '--from FOLDER/books.db --profile south --receipt beside';
    expect(await run(`issued ${from} -o FOLDER/out.csv`)).toBe(0);
    expect(await run(`issued --count ${from} -o FOLDER/count.csv`)).toBe(0);
    for (const name of ['out.csv', 'count.csv'])
      await expectVerified([join(folder, name)], 0, new RegExp(`^south issued: .*${name}: as delivered`));
  });

  it('says which file is lost', async () => {
    const file = await exported('out.csv');
    rmSync(file);
    for (const argv of [[file], [dirname(file)], ['--receipt', `${file}.receipt.json`]]) {
      expect(await verify(...argv)).toMatchObject({ code: 6, stdout: '' });
      await expectVerified(argv, 6, `${file} is lost: it was delivered at ${DELIVERED_AT}\n`);
    }
    const { stdout } = await verify(file, await exported('other.csv'));
    expect(stdout).toContain('other.csv: as delivered');
    await runInto(file, ['--retries', '0'], [500, '{}']);
    await expectVerified([file], 6, 'not delivered (');
  });

  it('is silent with -q where all is well, and only there', async () => {
    const file = await exported('out.csv');
    expect(await verify('-q', file, '--max-age', '1h')).toEqual({ code: 0, stdout: '', stderr: '' });
    writeFileSync(file, 'x');
    await expectVerified(['-q', file], 6, 'is not what was delivered');
  });
});

describe('folio verify without a receipt', () => {
  it('has nothing to compare it with', async () => {
    const copy = join(temporaryFolder(), 'copy.csv');
    copyFileSync(await exported('out.csv'), copy);
    await expectVerified([copy], 2, /there is no receipt .*copy.csv.receipt.json\n/);
    await expectVerified([copy], 2, 'The next run writes one with --receipt beside.');
  });

  it('is a usage error where file or receipt are missing, and a fault where they cannot be read', async () => {
    const file = await exported('out.csv');
    await expectVerified([`${file}.nowhere`], 2, /there is no receipt .*nowhere.receipt.json\n/);
    const says = /there is no receipt .*nowhere\n {2}Where it has another name, say --receipt/;
    await expectVerified([file, '--receipt', `${file}.nowhere`], 2, says);
    await expectVerified([], 2);
    const folder = temporaryFolder();
    const unread = /cannot read the receipt .*\n {2}Name a receipt that/;
    await expectVerified([file, '--receipt', folder], 1, unread);
    const ofFolder = [folder, '--receipt', `${file}.receipt.json`];
    await expectVerified(ofFolder, 1, /cannot read .*\n {2}Name a file that you may read/);
  });

  const figures = { records: 3, bytes: 1, sha256: null };
  const written = { ...figures, finishedAt: '', complete: true, errors: [], format: null };
  it.each([
    ['records', [-1, 1.5, '2', null]],
    ['bytes', [-1, 1.5, '2', 2 ** 53]],
    ['sha256', ['x', 7, 'a'.repeat(63), 'A'.repeat(64)]],
    ['finishedAt', [7, null]],
    ['complete', ['yes', 1]],
    ['errors', ['none', { length: 0 }]],
    ['format', [7, {}]],
  ])('is a fault where the "%s" of the receipt is none', async (member, values) => {
    const file = await exported('out.csv');
    const says = `is not a receipt, or a broken one: its "${member}" is not what a receipt has there\n  Name the file that`;
    for (const value of values) {
      writeFileSync(`${file}.receipt.json`, JSON.stringify({ ...written, [member]: value }));
      await expectVerified([file], 1, says);
    }
  });

  it.each(['', '{"records":3', '[1]', '"x"', 'null'])('is a fault where the receipt is %j', async (text) => {
    const file = await exported('out.csv');
    writeFileSync(`${file}.receipt.json`, text);
    await expectVerified([file], 1, 'or a broken one: it is not a JSON object');
  });
});

describe('folio verify of several files', () => {
  it('compares each with its own receipt, and a folder with all in it', async () => {
    const path = temporaryFolder();
    for (const file of [await exported('one.csv'), await exported('other.jsonl')])
      for (const name of [file, `${file}.receipt.json`]) copyFileSync(name, join(path, basename(name)));
    const notes = join(path, 'notes.txt');
    writeFileSync(notes, 'x');
    const one = join(path, 'one.csv');
    const says = /^\S+one.csv: as delivered at .*\n\S+other.jsonl: as delivered at .*\n$/;
    await expectVerified([one, join(path, 'other.jsonl')], 0, says);
    await expectVerified([path], 0, says);
    // A receipt that is copied is of the file whose name it has now.
    const receipts = ['one.csv', 'other.jsonl'].map((name) => join(path, `${name}.receipt.json`));
    const [ofOne, ofOther] = receipts.map((name) => readFileSync(name));
    writeFileSync(receipts[1]!, ofOne!);
    await expectVerified([path], 6, /1 of 2 files .*\n.*other.jsonl is not what was delivered: /);
    writeFileSync(receipts[1]!, ofOther!);
    await expectVerified([one, '--receipt', `${one}.receipt.json`], 0);
    const shorter = await exported('one.csv', [], RECORDS.slice(0, 1));
    await expectVerified([one, '--receipt', `${shorter}.receipt.json`], 6, 'is not what was delivered: ');
    expect((await verify(one, notes)).stdout).toContain('one.csv: as delivered at');
    await expectVerified([one, notes], 2, '1 of 2 files is not in order\nthere is no receipt ');
    await expectVerified([temporaryFolder()], 2);
    // It tells of one that is another, and goes on.
    writeFileSync(one, 'x');
    expect((await verify(path)).stdout).toContain('other.jsonl: as delivered at');
    await expectVerified([path], 6, /1 of 2 files is not in order\n.*one.csv is not what was delivered/);
    // Nor do a broken receipt and a folder without any hide what is lost.
    writeFileSync(receipts[0]!, '{');
    await expectVerified([path], 1, /1 of 2 files is not in order\n.*one.csv.receipt.json is not a receipt/);
    rmSync(join(path, 'other.jsonl'));
    const all = / 3 of 3 files .*\n.* is not a receipt.*\n.*other.jsonl is lost.*\nthere is no receipt in /;
    await expectVerified([path, temporaryFolder()], 6, all);
  });

  it('compares each page of a folder of statements with the receipt, wherever that is', async () => {
    const folder = temporaryFolder();
    const pages = join(folder, 'pages');
    const records = ['1-9', '2-7'].map(
      (id, at) =>
        `{"id":${at},"number":${at},"documentType":"INVOICE","dueBy":"2026-11-10","currency":"CLP",` +
        `"receiverFiscalId":"${id}","customer":{"name":"C${at}"},"totalAmount":10,"amountToBePaid":10}`,
    );
    const argv = ['statement', '--all', '--output-dir', pages, '--receipt', 'beside'];
    expect(await runScripted(argv, [pageOf(records)])).toMatchObject({ code: 0 });
    const moved = join(temporaryFolder(), 'moved');
    renameSync(folder, moved);
    const names = ['1-9 C0.html', '2-7 C1.html', 'index.html'].map((name) => join(moved, 'pages', name));
    const receipt = join(moved, 'pages.receipt.json');
    for (const argv of [[receipt], [join(moved, 'pages')], [...names, '--receipt', receipt]]) {
      const { code, stdout } = await verify(...argv);
      expect([code, stdout.split('\n').map((line) => line.split(':')[0])]).toEqual([0, [...names, '']]);
    }
    // The age of the run is told once, be its pages many.
    const old = `${receipt} is older than 1h: its run ended at ${DELIVERED_AT}`;
    const { stderr } = await saidAt(2, receipt, '--max-age', '1h');
    expect(stderr).toContain(`folio: 1 of 4 files is not in order\n${old}\n`);
    rmSync(names[0]!);
    writeFileSync(names[2]!, 'another');
    const says = /2 of 3 files are not in order\n.*1-9 C0.html is lost.*\n.*index.html is not what was/;
    await expectVerified(['-q', receipt], 6, says);
    const other = join(moved, 'west.csv');
    writeFileSync(other, 'a\n');
    await expectVerified([other, '--receipt', receipt], 2, 'does not name');
    const none = join(temporaryFolder(), 'pages');
    const failing = ['statement', '--all', '--output-dir', none, '--receipt', 'beside'];
    await runScripted([...failing, '--retries', '0'], [[500, '{}']]);
    await expectVerified([none], 6, 'not delivered (');
  });
});

describe('folio verify from anywhere', () => {
  it('goes by the path in the receipt, as seen from it, and never out of its folder', async () => {
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
    const receipt = join(folder, 'receipts/issued.csv.receipt.json');
    const text = readFileSync(receipt, 'utf8');
    const { file, ...old } = JSON.parse(text) as Record<string, unknown>;
    expect([old['output'], file]).toEqual(['books/issued.csv', '../books/issued.csv']);
    const books = join(folder, 'books/issued.csv');
    const elsewhere = ['../../etc/passwd', '/etc/passwd', 'a/../../books/issued.csv'];
    for (const named of [String(file), books, ...elsewhere]) {
      writeFileSync(receipt, JSON.stringify({ ...old, file: named }));
      for (const path of [receipt, dirname(receipt)]) {
        await expectVerified([path], 2, `${receipt} names ${named}, which is not in its folder\n`);
        expect((await verify(path)).stderr).not.toMatch(/sha256|byte/);
      }
      await expectVerified([books, '--receipt', receipt], 0, `${books}: as delivered`);
    }
    const moved = join(temporaryFolder(), 'moved');
    renameSync(folder, moved);
    renameSync(join(moved, 'books/issued.csv'), join(moved, 'receipts/issued.csv'));
    await expectVerified([join(moved, 'receipts')], 0, 'receipts/issued.csv: as delivered');
  });
});

describe('folio verify --max-age', () => {
  it('finds the run that never started, and names its file', async () => {
    const [file, other] = [await exported('out.csv'), await exported('other.csv')];
    await expectVerified([file, '--max-age', '26h'], 0, '', 26);
    const { code, stdout, stderr } = await saidAt(27, file, other, '--max-age', '26h');
    const old = [file, other].map((one) => `${one} is older than 26h: its run ended at ${DELIVERED_AT}\n`);
    expect({ code, stdout }).toEqual({ code: 6, stdout: '' });
    expect(stderr).toBe(
      `folio: 2 of 2 files are not in order\n${old.join('')}` +
        '  Find out why no run has ended since: whether it was started, and what it printed. If it is not to run any more, as after folio auth logout, remove the file and its receipt.\n',
    );
    const receipt = `${file}.receipt.json`;
    const text = readFileSync(receipt, 'utf8');
    // A run of today that read a database of last month.
    writeFileSync(receipt, text.replace('{', '{"readAt":"2026-10-20T12:00:00.000Z",'));
    const of = ['-q', file, '--max-age', '26h'];
    await expectVerified(of, 6, `${file} is older than 26h: its records were read at 2026-10-20 12:00`);
    writeFileSync(receipt, text.replaceAll('2026-11-20T12', '2099-11-20T12'));
    await expectVerified(of, 6, `${file} is dated in the future: its run`);
    await expectVerified(of, 6, 'Set the clock of this machine, or of the one that ran it');
    writeFileSync(receipt, text.replace('"complete": true', '"complete": false'));
    await expectVerified(of, 6, `${file} is not whole (`);
    writeFileSync(receipt, text);
    for (const age of ['1619m', '1d']) await expectVerified([file, '--max-age', age], 6, '', 27);
    for (const age of ['1620M', '2 d', '1w']) await expectVerified([file, '--max-age', age], 0, '', 27);
  });

  it('goes by the receipt of a run that wrote no file, too', async () => {
    const receipt = join(temporaryFolder(), 'stdout.receipt.json');
    await runScripted(['issued', '--receipt', receipt], [pageOf(RECORDS)]);
    const young = [receipt, '--max-age', '1h'];
    await expectVerified([receipt], 2);
    await expectVerified(young, 0, `${receipt}: a run that ended at ${DELIVERED_AT}\n`);
    await expectVerified(young, 6, '', 2);
    writeFileSync(receipt, readFileSync(receipt, 'utf8').replaceAll('2026-11-20T12', 'yesterday'));
    await expectVerified(young, 6);
  });

  it.each(['', '26', '0h', '-1h', '26 hours', '1y', 'h'])('is a usage error as %j', async (age) => {
    await expectVerified(['x.csv', '--max-age', age], 2, 'such as 90m, 26h, 2d or 1w');
  });
});

describeDatabases('folio verify --max-age of a database in %s', (newAddress) => {
  it('goes by the last whole sync of each listing', async () => {
    const address = await newAddress();
    const records = { issued: RECORDS, received: RECORDS };
    const sync = async (hours: number, line: string, south: object = {}): Promise<number> => {
      const organizations = { north: { records }, south: { records: { issued: RECORDS }, ...south } };
      const clock = { now: Date.UTC(2026, 10, 20, 12 + hours) };
      return (await runOrganizations(`sync ${address} ${line}`, { clock, organizations })).code;
    };
    const age = [address, '--max-age', '26h'];
    expect(await sync(0, 'issued received --profile north')).toBe(0);
    expect(await sync(1, 'issued --profile south')).toBe(0);
    await expectVerified(age, 6, /is dated in the future[^]*\n {2}Set the clock/, 0);
    await expectVerified(age, 0, /: 3 listings, none synced before 2026-11-20 12:00\n$/, 26);
    expect(await saidAt(26, ...age, '-q')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await sync(2, 'issued --all-profiles', { script: () => status(403) })).toBe(6);
    const south = 'south issued: last whole at 2026-11-20 13:00 \\(.+\\)';
    const north = 'north received: last whole at 2026-11-20 12:00';
    await expectVerified(age, 6, new RegExp(`^folio: .* is older than 26h\\n${south}\\n${north}\\n`), 28);
    await expectVerified([...age, '--profile', 'south'], 6, /^[^]*south issued(?![^]*north)/, 28);
    await expectVerified(age, 6, 'name the other profiles with --profile', 28);
    const other = 'has nothing of a profile west\n  It has those of north, south.';
    await expectVerified([...age, '--profile', 'west'], 2, other, 28);
    await expectVerified([address], 2, 'is a database, and has no receipt');
  });
});
