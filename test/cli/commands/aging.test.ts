import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readWorkbook } from '../../output/xlsx/read-workbook.ts';
import { memoryStore } from '../../support/memory-store.ts';
import { runOrganizations } from '../../support/run-organizations.ts';
import { pageOf, runScripted, type ScriptedExit } from '../../support/scripted-run.ts';
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
  'counterparty,fiscalId,currency,invoices,not due,1 to 30,31 to 60,61 to 90,over 90,no due date,credits,total,' +
    'total.creditNotes,total.cancelled,total.missing',
  'Roble,1-9,CLP,2,7.0,100.5,0.0,0.0,0.0,0.0,0.0,107.5,0.0,0.0,0',
  'Lago,2-7,CLP,1,0.0,0.0,20.0,0.0,0.0,0.0,0.0,20.0,0.0,0.0,0',
  'Roble,1-9,USD,1,0.0,0.0,0.0,0.0,0.1,0.0,0.0,0.1,0.0,0.0,0',
  '',
].join('\n');

const age = (...flags: string[]): Promise<ScriptedExit> =>
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

  it('has totals as rows where they are asked for, told apart', async () => {
    expect((await age('--totals', '--columns', '_row,counterparty,currency,total')).stdout).toBe(
      '_row,counterparty,currency,total\ncounterparty,Roble,CLP,107.5\ncounterparty,Lago,CLP,20.0\n' +
        'total,Total,CLP,127.5\ncounterparty,Roble,USD,0.1\ntotal,Total,USD,0.1\n',
    );
  });

  it('sorts and limits the counterparties of each currency; totals are of all', async () => {
    const columns = ['--columns', 'counterparty,currency,total'];
    const { stdout } = await age('--sort', 'counterparty', ...columns);
    expect(stdout).toBe('counterparty,currency,total\nLago,CLP,20.0\nRoble,CLP,107.5\nRoble,USD,0.1\n');
    const first = await age('--limit', '1', '--totals', '-v', ...columns);
    expect(first.stdout).toBe(
      'counterparty,currency,total\nRoble,CLP,107.5\nTotal,CLP,127.5\nRoble,USD,0.1\nTotal,USD,0.1\n',
    );
    expect(first.stderr).toContain('2 of 3 shown; totals are of all\n');
    const wrong = await age('--sort', 'totl');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('--sort: the result has no column totl\n  Did you mean total?');
  });

  it('is of some counterparties, as the service or the file has them', async () => {
    const ids = ['--customer-fiscal-id', '2-7'];
    const { asked } = await age(...ids);
    expect(asked).toEqual(['/invoices/issued?options_page=0&options_pageSize=2000&customerFiscalIds=2-7']);
    const argv = ['aging', '--as-of', '2026-11-20', '--from', fileOf(INVOICES.join('\n')), ...ids];
    expect((await runScripted(argv, [])).stdout).toContain('\nLago,2-7,CLP,1,0,0,20,0,0,0,0,20,0,0,0\n');
  });

  it('has a column for what is not dated, and a row for what is in no currency', async () => {
    const more = [INVOICES[0]!.replace('"2026-11-10"', 'null'), INVOICES[1]!.replace('"CLP"', '""')];
    const { code, stdout } = await runScripted(
      ['aging', '--as-of', '2026-11-20'],
      [pageOf([...INVOICES, ...more])],
    );
    expect(code).toBe(0);
    expect(stdout).toContain('\nRoble,1-9,CLP,3,7.0,100.5,0.0,0.0,0.0,100.5,0.0,208.0,0.0,0.0,0\n');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('no currency,,,1,0,0,20,0,0,0,0,20,0,0,0');
  });

  it('leaves out what was issued after a past day, and says that later payments are not undone', async () => {
    const dated = INVOICES.map((invoice, at) =>
      invoice.replace('{', `{"date":"${at === 1 ? '2026-11-05' : '2026-09-01'}",`),
    );
    const argv = ['aging', '--as-of', '2026-10-31'];
    const columns = ['--columns', 'counterparty,currency,total,note'];
    const note = 'balances of 2026-11-20: payments after 2026-10-31 are not undone';
    const { stdout } = await runScripted([...argv, ...columns], [pageOf(dated)]);
    expect(stdout).toBe(`counterparty,currency,total,note\nRoble,CLP,107.5,${note}\nRoble,USD,0.1,${note}\n`);
    const screen = { terminal: true, columns: 120, env: { NO_COLOR: '1' } };
    const shown = await runScripted(argv, [pageOf(dated)], screen);
    expect(shown.stderr).toContain(`${note}; 1 open invoice issued later left out\n`);
    expect(shown.stdout).not.toContain('note');
  });

  it('keeps what adds up to the total on a narrow terminal, and says what is not shown', async () => {
    const screen = (columns: number) => ({
      terminal: true,
      columns,
      env: { LANG: 'C.UTF-8', NO_COLOR: '1' },
    });
    const at = async (columns: number) => runScripted(['aging'], [pageOf(INVOICES)], screen(columns));
    expect((await at(60)).stdout.split('\n')[0]!.trim()).toMatch(
      /^counterparty +currency +not due +overdue +total$/,
    );
    const narrow = await at(40);
    expect(narrow.stdout.split('\n')[0]!.trim().split(/ {2,}/)).toEqual([
      'counterparty',
      'currency',
      'overdue',
      'total',
    ]);
    expect(narrow.stderr.replaceAll('\n', ' ')).toContain(
      'Not shown: fiscalId, invoices, not due, 1 to 30, 31 to 60, 61 to 90, over 90. Choose with',
    );
  });

  it('is a sheet of that name in a workbook, without totals', async () => {
    const file = join(temporaryFolder(), 'aging.xlsx');
    expect(await age('-o', file)).toMatchObject({ code: 0, stdout: '' });
    const [sheet, ...others] = readWorkbook(readFileSync(file));
    expect(others).toEqual([]);
    expect(sheet).toMatchObject({ name: 'aging', rows: { length: 4 } });
  });

  it('is of several organizations, each in rows of its own', async () => {
    const organizations = {
      north: { records: { issued: INVOICES } },
      south: { records: { issued: INVOICES.slice(0, 1) } },
    };
    const { code, stdout } = await runOrganizations(
      `aging --profile north,south --as-of 2026-11-20 --columns _profile,counterparty,currency,total`,
      { organizations },
    );
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        '_profile,counterparty,currency,total\nnorth,Roble,CLP,107.5\nsouth,Roble,CLP,100.5\n' +
        'north,Lago,CLP,20.0\nnorth,Roble,USD,0.1\n',
    });
    const folder = temporaryFolder();
    await runOrganizations('issued --all-profiles -o FOLDER/group.jsonl', { organizations, folder });
    const line =
      'aging --from FOLDER/group.jsonl --as-of 2026-11-20 --columns _profile,counterparty,currency,total';
    expect((await runOrganizations(line, { organizations, folder })).stdout).toBe(stdout);
  });

  it('says that figures are not of all, by its exit code', async () => {
    const pages = Array.from({ length: 7 }, () => pageOf(INVOICES, { total: 9 }));
    const run = await runScripted(['aging', '--as-of', '2026-11-20'], pages);
    expect(run).toMatchObject({ code: 6, stdout: AGED });
  });
});

describe('aging --from', () => {
  const jsonl = `${INVOICES.join('\n')}\n`;

  it.each([
    ['jsonl', jsonl, AGED],
    ['json', `[${INVOICES.join(',')}]`, AGED],
  ])('ages %s, and asks nobody', async (_, content, expected) => {
    const argv = ['aging', '--as-of', '2026-11-20', '--from', fileOf(content)];
    const { code, stdout, stderr } = await runScripted(argv, [], { env: { FOLIO_TOKEN: undefined } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(expected);
  });

  it.each([
    ['{"dueBy":"2026', /is not a whole export/],
    [jsonl.replaceAll('amountToBePaid', 'amount'), /no record has an open amount in amountToBePaid/],
  ])('refuses %j', async (content, names) => {
    const { code, stdout, stderr } = await runScripted(['aging', '--from', fileOf(content)], []);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(names);
  });

  it('lists the columns that there are to map', async () => {
    const { stdout } = await runScripted(
      ['aging', '--from', fileOf('{"dueBy":1,"b":2}\n'), '--list-columns'],
      [],
    );
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
    expect(stderr).toContain('no figures: no record has a due date in dueBy or dueByDate or dueDate');
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

describe('--field of aging', () => {
  const invoice = (fields: object): string =>
    JSON.stringify({ currency: 'CLP', dueBy: '2026-11-01', customer: { name: 'Roble' }, ...fields });
  const records = [
    invoice({ id: 1, documentType: 33, status: 'NULLIFIED', amountToBePaid: 119_000, term: '2026-11-10' }),
    invoice({ id: 2, documentType: 61, amountToBePaid: 119_000, term: '2026-11-10' }),
    invoice({ id: 3, documentType: 33, amountToBePaid: 200_000, term: '2026-11-11' }),
  ];
  const agedBy = async (...flags: string[]): Promise<string> => {
    const argv = ['aging', '--columns', 'credits,total,total.cancelled', '--no-header', ...flags];
    return (await runScripted(argv, [pageOf(records)])).stdout;
  };

  it('says what a condition of --where means', async () => {
    expect(await agedBy('--field', 'due=term', '--where', 'due>2026-11-10')).toBe('0,200000,0\n');
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
    ['--from x --receipt y', /--from and --receipt do not go together/],
    ['--where x', /--where 'x' does not parse at character 2/],
    ['--issuer-fiscal-id 1-9', /--issuer-fiscal-id names nobody among the counterparties of issued invoices/],
    ['--payable --customer-fiscal-id 1-9', /--customer-fiscal-id names nobody among the counterparties/],
    ['--sum x', /unknown option '--sum'/],
  ])('%s', async (flags, names) => {
    const { code, stdout, stderr, asked } = await runScripted(['aging', ...flags.split(' ')], []);
    expect(stderr).toMatch(names);
    expect({ code, stdout, asked }).toEqual({ code: 2, stdout: '', asked: [] });
  });
});
