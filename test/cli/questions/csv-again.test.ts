import * as fc from 'fast-check';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../support/random-runs.ts';
import { pageOf, runScripted, type ScriptedExit } from '../../support/scripted-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const from = (file: string, ...flags: readonly string[]): Promise<ScriptedExit> =>
  runScripted(['issued', '--from', file, ...flags], []);

async function exported(
  records: readonly string[],
  flags: readonly string[],
  name = 'out.csv',
): Promise<string> {
  const file = join(temporaryFolder(), name);
  const argv = ['issued', '-o', file, '--receipt', `${file}.receipt.json`, ...flags];
  expect(await runScripted(argv, [pageOf(records)])).toMatchObject({ code: 0, stderr: '' });
  return file;
}

async function withoutReceipt(...args: Parameters<typeof exported>): Promise<string> {
  const file = await exported(...args);
  rmSync(`${file}.receipt.json`);
  return file;
}

const RECORDS = ['{"id":1,"name":"a;b","total":1.50}', '{"id":2,"name":"1.5","total":2}'];
const JSONL = `${RECORDS.join('\n')}\n`;

describe('csv that folio wrote', () => {
  it.each([
    ['out.csv', ['--no-header']],
    ['out.csv', ['--delimiter', ':']],
    ['out.csv', ['--delimiter', '~', '--no-header']],
    ['out.csv', ['--excel', '--delimiter', ';']],
    ['out.csv', ['--format', 'tsv']],
    ['out.tsv', ['--format', 'csv', '--delimiter', 'tab']],
    ['out.txt', ['--format', 'csv', '--columns', 'total,*', '--no-header']],
  ])('is read back as it was, by its receipt: %s %j', async (name, flags) => {
    const file = await exported(RECORDS, flags, name);
    expect(await from(file, '--columns', 'id,name,total', '--format', 'jsonl')).toMatchObject({
      code: 0,
      stdout: JSONL,
      stderr: '',
    });
  });

  it('tells texts from numbers by its receipt', async () => {
    const file = await exported(['{"id":1,"code":"1.50"}', '{"id":2,"code":"1.5"}'], []);
    const { stdout } = await from(file, '--group-by', 'code', '--count', '--no-header');
    expect(stdout.split('\n').toSorted()).toEqual(['', '1.5,1', '1.50,1']);
  });

  it('is asked whether digits are numbers where they are one group as numbers and two as texts', async () => {
    const records = ['{"id":1,"code":"1.50"}', '{"id":2,"code":"1.5"}'];
    const file = await withoutReceipt(records, []);
    const count = ['--group-by', 'code', '--no-header', '--format', 'csv'];
    expect(await from(file, ...count)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `folio: ${file} does not say whether code holds numbers or text: 1.50 and 1.5 are one number, or two texts
  Say it with --from-kind code=text or --from-kind code=number. A receipt beside the file, --receipt <file>.receipt.json, says it by itself.
`,
    });
    expect(await from(file, ...count, '--from-kind', 'code=text')).toMatchObject({
      stdout: '1.50,1\n1.5,1\n',
    });
    expect(await from(file, ...count, '--from-kind', 'code=number')).toMatchObject({ stdout: '1.50,2\n' });
    expect(await from(file, '--count')).toMatchObject({ code: 0, stdout: '2\n' });
    expect(await from(file, '--from-kind', 'code=date')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--from-kind "date": expected text, number'),
    });
    const mixed = await exported(['{"code":"1.50"}', '{"code":1.5}'], []);
    expect((await from(mixed, ...count)).stderr).toContain('does not say whether code holds numbers or text');
  });

  it('has lists beside texts in a column, by its receipt', async () => {
    const records = [
      '{"id":1,"refersTo":[{"number":7}]}',
      '{"id":2,"refersTo":"[7"}',
      '{"id":3,"refersTo":null}',
    ];
    const file = await exported(records, []);
    expect((await from(file, '--format', 'jsonl')).stdout).toBe(`${records.join('\n')}\n`);
  });

  it('has a column of any name', async () => {
    const file = await withoutReceipt(['{"a;b;c":1,"d":2}'], []);
    expect((await from(file, '--format', 'jsonl')).stdout).toBe('{"a;b;c":1,"d":2}\n');
  });

  it('has a header that says by itself what stands between cells', async () => {
    const file = await withoutReceipt(['{"a;b":"1;2","c":3}'], []);
    expect(readFileSync(file, 'utf8')).toBe('"a;b",c\n1;2,3\n');
    expect((await from(file, '--format', 'jsonl')).stdout).toBe('{"a;b":"1;2","c":3}\n');
    expect(await runScripted(['issued', '--delimiter', 'x'], [])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('one character that is no letter, digit, quote or line break'),
    });
  });

  it.each([
    ['--no-header', 'begins with a record, and does not name its columns', '--from-columns'],
    ['--delimiter :', 'does not say what stands between its cells: it may be ":"', '--from-delimiter'],
    ['--format tsv', 'may be csv with tabs, or tsv', '--from-format'],
  ])('asks for what neither the file nor a receipt says: %s', async (flags, says, flag) => {
    const file = await withoutReceipt(['{"id":1,"name":"a\\\\b"}', '{"id":2,"name":"c"}'], flags.split(' '));
    const { code, stdout, stderr } = await from(file, '--count');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
    expect(stderr).toContain(flag);
  });

  it('is read as the flags say', async () => {
    const names = ['--from-columns', 'id,name,total'];
    const bare = await withoutReceipt(RECORDS, ['--no-header', '--delimiter', ':']);
    const read = await from(bare, ...names, '--from-delimiter', ':', '--format', 'jsonl');
    expect(read).toMatchObject({ code: 0, stdout: JSONL.replace('"1.5"', '1.5') });
    const tabs = await withoutReceipt(RECORDS, ['--format', 'tsv', '--no-header']);
    expect(await from(tabs, ...names, '--from-format', 'tsv', '--count')).toMatchObject({
      code: 0,
      stdout: '2\n',
    });
    expect(await from(bare, '--from-columns', 'id,name', '--from-delimiter', ':')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('its rows have 3 cells, and 2 columns are named'),
    });
    expect(await runScripted(['issued', '--from-delimiter', ':'], [])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--from-delimiter is about an export, and none is read'),
    });
  });

  it('is not read by the receipt of another file', async () => {
    const file = await exported(RECORDS, ['--delimiter', ':']);
    writeFileSync(file, 'id,name\n1,x\n');
    const { code, stdout, stderr } = await from(file, '--format', 'jsonl');
    expect([code, stdout]).toEqual([0, '{"id":1,"name":"x"}\n']);
    expect(stderr).toContain('is not what its receipt');
  });

  it('is read back cell for cell in every form, and without a receipt never as anything else', async () => {
    const unit = fc.constantFrom(
      'a',
      'B',
      '"',
      ',',
      ';',
      '\t',
      '\n',
      '\r',
      '\\',
      '=',
      'ñ',
      ' ',
      ':',
      '|',
      '1',
      '.',
      '-',
    );
    const text = fc.string({ unit, maxLength: 5 });
    const number = fc.constantFrom('1.50', '1.5', '0', '-7', '1E2', '12345678901234567890');
    const cell = fc.oneof(
      text.map((value) => JSON.stringify(value)),
      number,
      fc.constantFrom('true', 'false', 'null', '[1,"a"]'),
    );
    const name = fc.string({
      unit: fc.constantFrom('a', 'b', ';', ':', '"', ',', ' ', '\t'),
      minLength: 1,
      maxLength: 4,
    });
    const form = fc.record({
      format: fc.constantFrom('csv', 'tsv'),
      delimiter: fc.constantFrom(undefined, ';', '\t', ':', '|', '~', ' '),
      excel: fc.boolean(),
      header: fc.boolean(),
      ending: fc.constantFrom('csv', 'tsv', 'txt'),
    });
    const table = fc.uniqueArray(name, { minLength: 1, maxLength: 4 }).chain((names) =>
      fc.record({
        names: fc.constant(names),
        rows: fc.array(fc.array(cell, { minLength: names.length, maxLength: names.length }), {
          minLength: 1,
          maxLength: 5,
        }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(table, form, async ({ names, rows }, { format, delimiter, excel, header, ending }) => {
        const records = rows.map(
          (row) => `{${row.map((json, at) => `${JSON.stringify(names[at])}:${json}`).join(',')}}`,
        );
        const flags = [
          ...['--format', format],
          ...(format === 'csv' && delimiter !== undefined ? ['--delimiter', delimiter] : []),
          ...(format === 'csv' && excel ? ['--excel'] : []),
          ...(header ? [] : ['--no-header']),
        ];
        const file = await exported(records, flags, `out.${ending}`);
        const again = await from(file, '--format', 'tsv');
        const direct = await runScripted(['issued', '--format', 'tsv'], [pageOf(records)]);
        expect([again.code, again.stdout]).toEqual([0, direct.stdout]);
        const bytes = readFileSync(file);
        rmSync(`${file}.receipt.json`);
        const guessed = await from(file, '--format', 'tsv');
        expect(readFileSync(file)).toEqual(bytes);
        // The ending decides where the file has tabs, or nothing that stands between cells.
        const isMisnamed =
          (format === 'tsv') !== (ending === 'tsv') &&
          (names.length === 1 || (format === 'csv' && delimiter === '\t'));
        if (header && !isMisnamed && guessed.code === 0) expect(guessed.stdout).toBe(direct.stdout);
      }),
      { numRuns: randomRuns(120) },
    );
  });
});
