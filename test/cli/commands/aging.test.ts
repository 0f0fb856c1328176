import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readParquet } from '../../output/parquet/read-parquet.ts';
import { readWorkbook } from '../../output/xlsx/read-workbook.ts';
import { memoryStore } from '../../support/memory-store.ts';
import { pageOf, runScripted, type ScriptedExit } from '../../support/scripted-run.ts';
import { withReceipt } from '../../support/receipt-of.ts';
import { fileOf, temporaryFolder } from '../../support/temporary-folder.ts';
import { expectAnswer, expectPart, expectRefused } from '../../support/expect-exit.ts';

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

type Options = Parameters<typeof runScripted>[2];

/** Ages the records as of 2026-11-20, which is the day that it is in these tests. */
function age(line: string, records: readonly string[] = INVOICES, options?: Options): Promise<ScriptedExit> {
  return runScripted(['aging', ...line.split(' ').filter(Boolean)], [pageOf(records)], options);
}

/** The same of an export, which asks nobody. */
function ageFile(content: string, line = ''): Promise<ScriptedExit> {
  const flags = line.split(' ').filter(Boolean);
  return runScripted(['aging', '--from', withReceipt(fileOf(content)), ...flags], [], {
    env: { FOLIO_TOKEN: undefined },
  });
}

const screen = (columns: number): Options => ({
  terminal: true,
  columns,
  env: { LANG: 'C.UTF-8', NO_COLOR: '1' },
});

const TOTALS = '--columns counterparty,currency,total';

describe('aging', () => {
  const page = 'options_page=0&options_pageSize=2000';
  const ofIssuer = [INVOICES[0]!.replace('customer', 'issuer')];
  const undated = INVOICES[0]!.replace('"2026-11-10"', 'null');
  const inNone = INVOICES[1]!.replace('"CLP"', '""');
  it.each<[line: string, stdout: string | RegExp, asked?: string, records?: readonly string[]]>([
    ['', AGED, `/invoices/issued?${page}`],
    ['--as-of 2026-11-20', AGED],
    [
      '--buckets=+45+,+99999 --where currency=CLP --param status=OVERDUE --columns counterparty,not+due,1+to+45,46+to+99999',
      'counterparty,not due,1 to 45,46 to 99999\nRoble,7.0,100.5,0.0\nLago,0.0,0.0,20.0\n',
      `/invoices/issued?${page}&status=OVERDUE`,
    ],
    ['--buckets 45 --no-header --columns 1+to+45,over+45', '100.5,0.0\n0.0,20.0\n0.0,0.1\n'],
    ['--payable', /\nRoble,1-9,CLP,1,0\.0,100\.5,/, '/invoices/received?', ofIssuer],
    ['--customer-fiscal-id 1-9,2-7,3-5', AGED, `/invoices/issued?${page}&customerFiscalIds=1-9,2-7,3-5`],
    [
      '--totals --columns _row,counterparty,currency,total',
      '_row,counterparty,currency,total\ncounterparty,Roble,CLP,107.5\ncounterparty,Lago,CLP,20.0\n' +
        'total,Total,CLP,127.5\ncounterparty,Roble,USD,0.1\ntotal,Total,USD,0.1\n',
    ],
    [
      `--sort counterparty ${TOTALS}`,
      'counterparty,currency,total\nLago,CLP,20.0\nRoble,CLP,107.5\nRoble,USD,0.1\n',
    ],
    [
      `--limit 1 --totals ${TOTALS}`,
      'counterparty,currency,total\nRoble,CLP,107.5\nTotal,CLP,127.5\nRoble,USD,0.1\nTotal,USD,0.1\n',
    ],
    // A column for what is not dated, and a row for what is in no currency.
    [
      '',
      /\nRoble,1-9,CLP,3,7\.0,100\.5,0\.0,0\.0,0\.0,100\.5,0\.0,208\.0,0\.0,0\.0,0\n[^]*\nno currency,,,1,0,0,20,0,0,0,0,20,0,0,0\n$/,
      '',
      [...INVOICES, undated, inNone],
    ],
  ])('%s', async (line, expected, request = '', records = INVOICES) => {
    const argv = ['aging', ...line.split(' ').filter(Boolean)].map((word) => word.replaceAll('+', ' '));
    const { code, stdout, stderr, asked } = await runScripted(argv, [pageOf(records)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    if (typeof expected === 'string') expect(stdout).toBe(expected);
    else expect(stdout).toMatch(expected);
    expect(asked).toEqual([expect.stringContaining(request)]);
  });

  it('says how many of the counterparties are shown, and refuses to sort by what is not a column', async () => {
    expect((await age('--limit 1 --totals -v')).stderr).toContain('2 of 3 shown; totals are of all\n');
    await expectRefused(age('--sort totl'), '--sort: the result has no column totl\n  Did you mean total?');
  });

  it('draws bars on a terminal, and says as of when', async () => {
    const { stdout, stderr } = await age('', INVOICES, screen(120));
    expect(stdout).toMatch(/^counterparty +fiscalId +currency .* total +bar\n/);
    expect(stdout).toMatch(/Roble .* 107\.5 {2}█+\nLago .* 20\.0 {2}█+\S?\nTotal .* 127\.5 *\n/);
    expect(stderr).toContain('4 open documents as of 2026-11-20');
    // Those without a row are in the sum of the currency, and are not counted as rows.
    const cancelled = INVOICES[1]!.replace('{', '{"status":"NULLIFIED",').replaceAll('2-7', '4-3');
    const shown = await age('--limit 2 --wide', [...INVOICES, cancelled], screen(300));
    expect(shown.stdout).toMatch(/Lago .* 0\.0 *\S+\nTotal .* 127\.5 +20\.0\n/);
    expect(shown.stderr).not.toContain('shown');
  });

  it('has the sum of the late columns where it is chosen, on a terminal of any width or off one', async () => {
    for (const options of [{}, screen(80), screen(300)])
      expect((await age('--columns overdue,total --limit 1', INVOICES, options)).stdout).toMatch(
        /^ *100\.5[ ,]+107\.5$/m,
      );
  });

  it('has the days from one border to the next in a bucket', async () => {
    const days = [-400, 0, 1, 30, 31, 60, 61, 90, 91, 4000].map((late) => {
      const due = new Date(Date.UTC(2026, 10, 20 - late)).toISOString();
      return INVOICES[0]!.replace('2026-11-10', due).replace('100.5', '1');
    });
    const { stdout } = await age('--no-header', days);
    expect(stdout).toBe('Roble,1-9,CLP,10,2,2,2,2,2,0,0,10,0,0,0\n');
  });

  it.each([
    [200, 'counterparty fiscalId currency invoices not due 1 to 30 31 to 60 61 to 90 over 90 total bar'],
    [90, 'counterparty fiscalId currency not due 1 to 30 31 to 60 61 to 90 over 90 total'],
    [60, 'counterparty fiscalId currency not due overdue total'],
    [40, 'counterparty currency overdue total'],
    [30, 'counterparty currency total'],
  ])('has on a terminal of %i cells the columns that still add up', async (width, columns) => {
    const { stdout, stderr } = await age('', INVOICES, screen(width));
    expect(stdout.split('\n')[0]!.trim().split(/ {2,}/).join(' ')).toBe(columns);
    expect(/overdue is the\ssum of 1 to 30,/.test(stderr)).toBe(!columns.includes('61 to 90'));
  });

  it('leaves out what was issued after a past day, and says that later payments are not undone', async () => {
    const dated = INVOICES.map((invoice, at) =>
      invoice.replace('{', `{"date":"${at === 1 ? '2026-11-05' : '2026-09-01'}",`),
    );
    const note = 'balances of 2026-11-20: payments after 2026-10-31 are not undone';
    const { stdout } = await age(`--as-of 2026-10-31 ${TOTALS},note`, dated);
    expect(stdout).toBe(`counterparty,currency,total,note\nRoble,CLP,107.5,${note}\nRoble,USD,0.1,${note}\n`);
    const shown = await age('--as-of 2026-10-31', dated, screen(120));
    expect(shown.stderr).toContain(`${note}; 1 open document issued later left out\n`);
    expect(shown.stdout).not.toContain('note');
    // Whether it was issued before that day, nobody knows.
    const unread = dated.map((invoice) => invoice.replace('2026-11-05', '05/11/2026'));
    const rest = `counterparty,currency,total\nRoble,CLP,107.5\nRoble,USD,0.1\n`;
    await expectPart(age(`--as-of 2026-10-31 ${TOTALS}`, unread), rest, 'date of record 2 is the text "05');
  });

  it('is a sheet of that name in a workbook, without totals', async () => {
    const file = join(temporaryFolder(), 'aging.xlsx');
    await expectAnswer(age(`-o ${file}`), '');
    const [sheet, ...others] = readWorkbook(readFileSync(file));
    expect(others).toEqual([]);
    expect(sheet).toMatchObject({ name: 'aging', rows: { length: 4 } });
    const parquet = file.replace('xlsx', 'parquet');
    await expectAnswer(age(`-o ${parquet}`), '');
    const types = new Map((await readParquet(parquet)).columns);
    const typed = ['counterparty', 'invoices', 'over 90'].map((name) => types.get(name));
    expect(typed).toEqual(['VARCHAR', 'BIGINT', 'DECIMAL(38,9)']);
  });

  it('says that figures are not of all, by its exit code', async () => {
    const pages = Array.from({ length: 8 }, () => pageOf(INVOICES, { total: 9 }));
    const run = await runScripted(['aging', '--as-of', '2026-11-20'], pages);
    expect(run).toMatchObject({ code: 6, stdout: AGED });
  });
});

describe('aging --from', () => {
  const jsonl = `${INVOICES.join('\n')}\n`;

  it.each([
    ['{"dueBy":"2026', /is not a whole export/],
    [jsonl.replaceAll('amountToBePaid', 'amount'), /no record has an open amount in amountToBePaid/],
  ])('refuses %j', async (content, names) => {
    await expectRefused(ageFile(content), names);
  });
});

describe('the fields of aging', () => {
  const other = INVOICES.map((record) => record.replace('dueBy', 'term').replace('"currency":', '"money":'));

  it('are missed by name, with how to map them, and no figure', async () => {
    const { code, stdout, stderr } = await age('', other);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('no figures: no record has a due date in dueBy or dueByDate or dueDate');
    expect(stderr).toContain('with --field due=<column>.');
  });

  it.each([
    [
      '',
      /"customer":\{[^}]*\}/g,
      /no record has a counterparty's name in customer\.name.*\n.*--field counterpartyName=/,
    ],
    ['--as-of 2026-10-31', /none/g, /no record has a date of issue in date or/],
  ])('are missed where an answer needs them: %s', async (line, without, says) => {
    const records = INVOICES.map((record) => record.replaceAll(without, '"a":1'));
    await expectRefused(age(line, records), says);
  });

  it('are mapped by --field, and by settings', async () => {
    await expectAnswer(age('--field due=term --field currency=money', other), AGED);
    const settings = { 'fields.due': 'term', 'fields.currency': 'nowhere' };
    const config = async () => memoryStore({ settings });
    expect((await age('--field currency=money', other, { config })).stdout).toBe(AGED);
    const argv = ['aging', '--field', 'currency=money', '--from', fileOf(other.join('\n'))];
    expect((await runScripted(argv, [], { config })).stdout).toBe(AGED);
  });

  it('say what a condition of --where means', async () => {
    const records = [
      { documentType: 33, status: 'NULLIFIED', amountToBePaid: 119_000, term: '2026-11-10' },
      { documentType: 61, amountToBePaid: 119_000, term: '2026-11-10' },
      { documentType: 33, amountToBePaid: 200_000, term: '2026-11-11' },
    ].map((fields, id) =>
      JSON.stringify({ id, currency: 'CLP', dueBy: '2026-11-01', customer: { name: 'Roble' }, ...fields }),
    );
    const line =
      '--columns credits,total,total.cancelled --no-header --field due=term --where due>2026-11-10';
    await expectAnswer(age(line, records), '0,200000,0\n');
  });

  it('has counterparties of equal totals in one order, however the documents come', async () => {
    const equal = ['Roble', 'Lago', 'Alerce'].map((name, id) =>
      JSON.stringify({
        id,
        dueBy: '2026-12-01',
        amountToBePaid: 5,
        currency: 'CLP',
        customer: { name, fiscalId: `${id + 1}-9` },
      }),
    );
    const [forth, back] = [await age('--format csv', equal), await age('--format csv', equal.toReversed())];
    expect(forth.stdout).toBe(back.stdout);
    expect(forth.stdout.match(/Alerce|Lago|Roble/g)).toEqual(['Alerce', 'Lago', 'Roble']);
  });
});
