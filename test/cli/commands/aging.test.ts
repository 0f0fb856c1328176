import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../support/memory-store.ts';
import { pageOf, runScripted, type Outcome } from '../../support/scripted-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** As of 2026-11-20: 10 days overdue, 50 days, not due, 400 days in another currency, settled. */
const INVOICES = [
  ['2026-11-10', 100.5, 'CLP', '1-9', 'Roble'],
  ['2026-10-01', 20, 'CLP', '2-7', 'Lago'],
  ['2026-12-01', 7, 'CLP', '1-9', 'Roble'],
  ['2025-10-16', 0.1, 'USD', '1-9', 'Roble'],
  ['2026-11-10', 0, 'CLP', '3-5', 'Paid'],
].map(
  ([dueBy, amountToBePaid, currency, fiscalId, name], id) =>
    `{"id":${id},"dueBy":"${dueBy}","amountToBePaid":${amountToBePaid},"currency":"${currency}","customer":{"name":"${name}","fiscalId":"${fiscalId}"}}`,
);

const AGED = [
  'counterparty,fiscalId,currency,invoices,not due,1 to 30,31 to 60,61 to 90,over 90,total',
  'Roble,1-9,CLP,2,7.0,100.5,0.0,0.0,0.0,107.5',
  'Lago,2-7,CLP,1,0.0,0.0,20.0,0.0,0.0,20.0',
  'Roble,1-9,USD,1,0.0,0.0,0.0,0.0,0.1,0.1',
  '',
].join('\n');

const age = (...flags: string[]): Promise<Outcome> =>
  runScripted(['aging', '--as-of', '2026-11-20', ...flags], [pageOf(INVOICES)]);

function fileOf(content: string): string {
  const file = join(temporaryFolder(), 'export');
  writeFileSync(file, content);
  return file;
}

describe('aging', () => {
  it('has a row for each counterparty and currency', async () => {
    expect(await age()).toMatchObject({
      code: 0,
      stdout: AGED,
      stderr: '',
      asked: ['/invoices/issued?options_page=0&options_pageSize=2000'],
    });
  });

  it('counts to the day that it is, where --as-of names none', async () => {
    expect((await runScripted(['aging'], [pageOf(INVOICES)])).stdout).toBe(AGED);
  });

  it('takes other buckets, conditions and parameters', async () => {
    const flags = ['--buckets', '45', '--where', 'currency=CLP', '--param', 'status=OVERDUE'];
    const { stdout, asked } = await age(...flags, '--columns', 'counterparty,not due,1 to 45,over 45');
    expect(stdout).toBe('counterparty,not due,1 to 45,over 45\nRoble,7.0,100.5,0.0\nLago,0.0,0.0,20.0\n');
    expect(asked).toEqual(['/invoices/issued?options_page=0&options_pageSize=2000&status=OVERDUE']);
  });

  it('is of received invoices with --payable', async () => {
    const record = INVOICES[0]!.replace('customer', 'issuer');
    const { stdout, asked } = await runScripted(
      ['aging', '--payable', '--as-of', '2026-11-20'],
      [pageOf([record])],
    );
    expect(stdout).toContain('Roble,1-9,CLP,1,0.0,100.5,');
    expect(asked[0]).toContain('/invoices/received');
  });

  it('draws bars on a terminal, and says as of when', async () => {
    const screen = { terminal: true, columns: 120, env: { LANG: 'C.UTF-8', NO_COLOR: '1' } };
    const { stdout, stderr } = await runScripted(['aging'], [pageOf(INVOICES)], screen);
    expect(stdout).toMatch(/^counterparty +fiscalId +currency .* total +bar\n/);
    expect(stdout).toMatch(/Roble .* 107\.5 {2}█+\nLago .* 20\.0 {2}█+\S?\nTotal .* 127\.5 *\n/);
    expect(stderr).toContain('4 open invoices as of 2026-11-20');
  });

  it('says that figures are not of all, by its exit code', async () => {
    const pages = Array.from({ length: 6 }, () => pageOf(INVOICES, { total: 9 }));
    const run = await runScripted(['aging', '--as-of', '2026-11-20'], pages);
    expect(run).toMatchObject({ code: 6, stdout: AGED });
  });
});

describe('aging --from', () => {
  const header = 'dueBy,amountToBePaid,currency,customer.name,customer.fiscalId';
  const rows = '2026-11-10,100.50,CLP,"=Roble, 2",1-9\r\n2026-12-01,1E2,CLP,,1-9\r\n';
  const jsonl = `${INVOICES.join('\n')}\n`;

  it.each([
    ['jsonl', jsonl, AGED],
    ['json', `[${INVOICES.join(',')}]`, AGED],
    ['csv', `${header}\n${rows}`, '"=Roble, 2",1-9,CLP,2,100.00,100.50'],
    [
      'csv of --excel',
      `\uFEFF${header}\r\n${rows.replace('=', "'=")}`,
      '"=Roble, 2",1-9,CLP,2,100.00,100.50',
    ],
  ])('ages %s, and asks nobody', async (_, content, expected) => {
    const argv = ['aging', '--as-of', '2026-11-20', '--from', fileOf(content)];
    const { code, stdout, stderr } = await runScripted(argv, [], { env: { FOLIO_TOKEN: undefined } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(expected);
  });

  it.each([
    [`${header}\n2026-11-10,100.50,CLP`, /row 2 has 3 cells, its header 5/],
    [`${header}\n2026-11-10,1,CLP,"Rob`, /it ends within a row/],
    [`${header}\n2026-11-10,1,CLP,Ro"b",1\n`, /row 2 has a quote within a cell/],
    ['{"dueBy":"2026', /is not a whole export/],
    [
      `${header.replace('amountToBePaid', 'amount')}\n${rows}`,
      /record 1 is without an open amount in amountToBePaid/,
    ],
  ])('refuses %j', async (content, names) => {
    const { code, stdout, stderr } = await runScripted(['aging', '--from', fileOf(content)], []);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(names);
  });

  it('lists the columns that there are to map', async () => {
    const { stdout } = await runScripted(['aging', '--from', fileOf('dueBy;b\n1;2\n'), '--list-columns'], []);
    expect(stdout).toBe('dueBy\nb\n');
  });

  it('does not write over what it reads', async () => {
    const file = fileOf(jsonl);
    const outcome = await runScripted(['aging', '--from', file, '-o', file], []);
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining('would replace the export') });
  });
});

describe('the fields of aging', () => {
  const other = INVOICES.map((record) => record.replace('dueBy', 'term').replace('"currency":', '"money":'));

  it('says which is missing and how to map it, and gives no figure', async () => {
    const { code, stdout, stderr } = await runScripted(['aging'], [pageOf(other)]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('no figures: no open invoice has a due date in dueBy or dueByDate or dueDate');
    expect(stderr).toContain(
      'with --field due=<column>, or for good with `folio config set fields.due <column>`.',
    );
  });

  it('are mapped by --field, and by settings', async () => {
    const argv = ['aging', '--as-of', '2026-11-20'];
    const flags = ['--field', 'due=term', '--field', 'currency=money'];
    expect((await runScripted([...argv, ...flags], [pageOf(other)])).stdout).toBe(AGED);
    const config = async () =>
      memoryStore({ settings: { 'fields.due': 'term', 'fields.currency': 'nowhere' } });
    const [, , ...currency] = flags;
    expect((await runScripted([...argv, ...currency], [pageOf(other)], { config })).stdout).toBe(AGED);
    const offline = await runScripted([...argv, ...currency, '--from', fileOf(other.join('\n'))], [], {
      config,
    });
    expect(offline.stdout).toBe(AGED);
  });
});

describe('an aging that is wrong', () => {
  it.each([
    ['--as-of 2026-02-30', /--as-of "2026-02-30": expected a day, such as 2026-10-31/],
    ['--as-of yesterday', /--as-of "yesterday"/],
    ['--buckets 30,15', /--buckets '30,15' is not a list of days/],
    ['--buckets 0', /--buckets '0'/],
    ['--field dew=dueBy', /there is no field dew to map/],
    ['--field due', /--field "due": expected name=value/],
    ['--from /nowhere/x', /cannot read \/nowhere\/x: there is no such file/],
    ['--from x --param a=b', /--from and --param do not go together/],
    ['--from x --report y', /--from and --report do not go together/],
    ['--where x', /--where 'x' does not parse at character 2/],
    ['--sum x', /unknown option '--sum'/],
  ])('%s', async (flags, names) => {
    const { code, stdout, stderr, asked } = await runScripted(['aging', ...flags.split(' ')], []);
    expect(stderr).toMatch(names);
    expect({ code, stdout, asked }).toEqual({ code: 2, stdout: '', asked: [] });
  });
});
