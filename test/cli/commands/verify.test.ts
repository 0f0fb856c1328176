import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../../src/cli/command-line.ts';
import { formats } from '../../../src/output/formats.ts';
import { fakeContext } from '../../support/fake-context.ts';
import { runOrganizations } from '../../support/run-organizations.ts';
import { pageOf, runScripted } from '../../support/scripted-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const RECORDS = [
  '{"id":1,"name":"a, \\"quoted\\"\\nname over two lines","net":1190.10}',
  '{"id":2,"name":"Ñandú","net":1E2,"late":[1,{"a":"]"}]}',
  '{"id":3}',
];

const COUNTED = new Set<string>(['csv', 'tsv', 'jsonl', 'json']);

async function verify(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const context = fakeContext({ argv: ['verify', ...argv] });
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
  ['out.tsv', []],
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
    for (let at = 0; at < good.length; at += 11) {
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

  it.each(['out.csv', 'out.tsv', 'out.jsonl'])('counts what is left of the records of %s', async (name) => {
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

  it.each(['out.csv', 'out.tsv', 'out.jsonl', 'out.json'])(
    'notices that %s was cut within a record',
    async (name) => {
      const file = await exported(name);
      const copy = join(temporaryFolder(), name);
      writeFileSync(copy, readFileSync(file).subarray(0, -6));
      expect(await verify(copy)).toMatchObject({ code: 6, stdout: '' });
    },
  );
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
    ['[1]', 'its "records" is not'],
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
