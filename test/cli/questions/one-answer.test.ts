import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runHere, type FolioExit } from '../../support/run-here.ts';
import { pageOf, runScripted } from '../../support/scripted-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

function fileOf(records: readonly string[]): string {
  const path = join(temporaryFolder(), 'records.jsonl');
  writeFileSync(path, `${records.join('\n')}\n`);
  return path;
}

describe('--changes-since --sort by an amount', () => {
  const invoice = (id: number, currency: string, totalAmount: number): string =>
    `{"id":${id},"currency":"${currency}","totalAmount":${totalAmount},"status":"PENDING"}`;
  const now = fileOf([invoice(1, 'USD', 500), invoice(2, 'CLP', 9000), invoice(3, 'CLP', 300)]);
  const before = fileOf([invoice(1, 'USD', 400), invoice(4, 'USD', 700)]);
  const within = 'is in order within each currency: CLP, USD\n';
  const line = ['issued', '--from', now, '--changes-since', before, '--format', 'csv', '--no-header'];

  it.each([
    ['-totalAmount', '_change,totalAmount'],
    ['-total', '_change,total'],
    ['-totalAmount', '_change,currency,totalAmount'],
    ['-record.totalAmount', '_change,record.id,record.totalAmount'],
  ])('--sort %s --columns %s keeps currencies apart, and says so', async (sort, columns) => {
    const { code, stdout, stderr } = await runHere([...line, '--sort', sort, '--columns', columns]);
    expect([code, stderr]).toEqual([0, expect.stringContaining(`--sort: ${sort.slice(1)} ${within}`)]);
    // A row of a change has no whole record: it comes last in its currency by a part of that.
    const changed = sort.includes('record') ? '' : '500';
    const amounts = stdout.toString().trimEnd().split('\n');
    expect(amounts.map((row) => row.split(',').at(-1))).toEqual(['9000', '300', '700', changed]);
  });
});

describe('an amount that is text', () => {
  const path = fileOf([
    '{"id":1,"number":11,"currency":"CLP","totalAmount":"119000"}',
    '{"id":2,"number":12,"currency":"CLP","totalAmount":119000}',
    '{"id":3,"number":13,"currency":"CLP","totalAmount":null}',
  ]);
  const ask = (...flags: string[]): Promise<FolioExit> =>
    runHere(['issued', '--from', path, '--columns', 'id', '--no-header', ...flags]);

  it('cannot be added up', async () => {
    expect((await runHere(['issued', '--from', path, '--sum', 'totalAmount'])).code).toBe(6);
  });

  it.each([
    ['totalAmount>0', '2\n'],
    ['total<=119000', '2\n'],
    ['totalAmount=119000', '2\n'],
    ['totalAmount=119000,5', '2\n'],
  ])('does not meet %s: it is left out and named', async (condition, ids) => {
    const { code, stdout, stderr } = await ask('--where', condition);
    expect([code, stdout.toString()]).toEqual([6, ids]);
    expect(stderr).toContain('1 record was left out, since it cannot be read');
    expect(stderr).toContain('of record 1 (number 11) is the text "119000"');
  });

  it.each([
    ['totalAmount!=5', '1\n2\n3\n'],
    ['totalAmount=', '3\n'],
    ['totalAmount!=', '1\n2\n'],
    ['totalAmount~19', '1\n2\n'],
    ['totalAmount==119000', '1\n2\n'],
  ])('is as it was sent for %s', async (condition, ids) => {
    const { code, stdout } = await ask('--where', condition);
    expect([code, stdout.toString()]).toEqual([0, ids]);
  });
});

it('the groups that --limit leaves out are counted on a terminal alone', async () => {
  const records = ['a', 'b', 'c'].map((status) => `{"status":"${status}","currency":"CLP","totalAmount":1}`);
  const ask = async (flags: string, terminal = true): Promise<string> => {
    const options = { terminal, env: { NO_COLOR: '1' } };
    return (await runScripted(['issued', ...flags.split(' ')], [pageOf(records)], options)).stderr;
  };
  expect(await ask('--group-by status --limit 2')).toBe('2 of 3 groups\n');
  expect(await ask('--sum totalAmount --group-by status --limit 1')).toContain('1 of 3 groups\n');
  expect(await ask('--group-by status --limit 3')).toBe('');
  expect(await ask('--group-by status --limit 2', false)).toBe('');
});
