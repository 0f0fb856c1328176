import { describe, expect, it } from 'vitest';
import { pageOf, runScripted, type ScriptedExit } from '../../support/scripted-run.ts';
import { runOrganizations } from '../../support/run-model.ts';
import { expectAnswer, expectPart, expectRefused } from '../../support/expect-exit.ts';

const ask = (flags: string, records: readonly string[], terminal = false): Promise<ScriptedExit> =>
  runScripted(['issued', ...flags.split(' ')], [pageOf(records)], { terminal, env: { NO_COLOR: '1' } });

/** Rows of `a=1 b=x`, as records. */
const recordsOf = (...rows: readonly string[]): string[] =>
  rows.map((row) => {
    const members = row.split(' ').filter(Boolean);
    return `{${members.map((member) => member.replace(/^(\w+)=(.*)$/, '"$1":$2')).join()}}`;
  });

it('are of groups by what a column is in the records of each profile', async () => {
  const of = (settings: Record<string, string>, members: string) => ({
    ...{ settings, records: { issued: [`{"id":1,"totalAmount":1,"currencyCode":"CLP",${members}}`] } },
  });
  const organizations = {
    lago: of({}, '"customer":{"name":"A"}'),
    rio: of(
      { 'fields.currency': 'moneda', 'fields.counterpartyName': 'vendor' },
      '"moneda":"USD","vendor":"V","customer":{"name":"B"}',
    ),
  };
  const ask = (column: string) =>
    runOrganizations(`issued --all-profiles --sum totalAmount --group-by ${column}`, { organizations });
  expect((await ask('customer.name')).stdout).toMatch(/^A,CLP,1,1,.*\nB,USD,1,1,/m);
  expect((await ask('currencyCode')).stdout).toMatch(/^CLP,CLP,1,1,.*\nCLP,USD,1,1,/m);
});

describe('totals', () => {
  it.each<[what: string, flags: string, records: string[], rows: string]>([
    [
      'are exact, with the widest scale',
      '--sum a --as-sent',
      ['a=10.00', 'a=0.5', 'a=12345678901234567890', 'a=1E2'],
      'records,a,a.missing\n4,12345678901234568000.50,0',
    ],
    [
      'keep currencies apart and say how many records have no value',
      '--sum a --group-by s',
      [
        ...['s="P" currency="CLP" a=5', 's="O" currency="USD" a=3', 's="P" currency="CLP" a=null'],
        ...['s="O" currency="CLP" a=7', 's=null currency="USD" a=4', 's="P" currency="USD"'],
      ],
      's,currency,records,a,a.missing\nO,CLP,1,7,0\nP,CLP,2,5,1\n,USD,1,4,0\nO,USD,1,3,0\nP,USD,1,,1',
    ],
    [
      'are 0 of documents that are in no sum, and unknown of those without a value',
      '--sum totalAmount --group-by s --field currency==CLP --columns s,totalAmount,totalAmount.missing',
      ['s="V" status="VOID" totalAmount=5', 's="G" documentType=52 totalAmount=5', 's="N" totalAmount=null'],
      's,totalAmount,totalAmount.missing\nV,0,0\nG,0,0\nN,,1',
    ],
    [
      'have the scale of each currency where one groups by it',
      '--sum a --group-by currency',
      ['currency="CLP" a=1000', 'currency="USD" a=0.10', 'currency="USD" a=2', 'a=5'],
      'currency,records,a,a.missing\nCLP,1,1000,0\nUSD,2,2.10,0\n,1,5,0',
    ],
    [
      'know a currency by another column of it',
      '--sum a --group-by currencyCode',
      ['currencyCode="USD" a=1'],
      'currencyCode,records,a,a.missing\nUSD,1,1,0',
    ],
    [
      'are one group for a currency however it is written',
      '--sum a --group-by currency',
      ['currency="CLP" a=1', 'currency="clp" a=2'],
      'currency,records,a,a.missing\nCLP,2,3,0',
    ],
    ['are one group for nothing and empty text', '--group-by s', ['s=null', 's=""', 'b=1'], 's,records\n,3'],
    [
      'count without a sum, most first, whatever the currency',
      '--group-by s',
      ['s="x" currency="CLP"', 's="y" currency="CLP"', 's="y"'],
      's,records\ny,2\nx,1',
    ],
    [
      'group numbers by value, apart from text',
      '--group-by n --format jsonl',
      ['n=1.0', 'n="1"', 'n=1.00'],
      '{"n":1.0,"records":2}\n{"n":"1","records":1}',
    ],
    [
      'tell columns apart, whatever stands in them',
      '--group-by s,t --format jsonl',
      ['s="a" t="b"', 's="as1:b"', 's="a" t="b"', 's="a"', 's="as1:" t="b"'],
      [
        ...['{"s":"a","t":"b","records":2}', '{"s":"as1:b","t":null,"records":1}'],
        ...['{"s":"a","t":null,"records":1}', '{"s":"as1:","t":"b","records":1}'],
      ].join('\n'),
    ],
    ['name their columns, also of no records', '--sum a --group-by s', [], 's,records,a,a.missing'],
    ['have the columns that are asked for', '--sum a --as-sent --columns a', ['a=1', 'a=2'], 'a\n3'],
  ])('%s', async (_, flags, records, rows) => {
    await expectAnswer(ask(flags, recordsOf(...records)), `${rows}\n`);
  });

  const BOOK = recordsOf(
    'totalAmount=100 documentType="INVOICE"',
    ...['totalAmount=5 documentType="CREDIT_NOTE"', 'totalAmount=-7 documentType=61'],
    ...['totalAmount=20 documentType=33 status="ANULADA"', 'totalAmount=1000 documentType="QUOTE"'],
    ...['totalAmount=1000 status="VOIDED"', 'totalAmount=null b=1'],
    // Neither changes a sum, and neither is counted in words.
    ...['totalAmount=0 documentType="CREDIT_NOTE"', 'totalAmount=null documentType=33 status="ANULADA"'],
  ).map((record) => record.replace('{', '{"currency":"CLP","n":1,'));

  it('say in words what is taken away, counted or left out, and nothing where what is added has no meaning', async () => {
    const { stderr } = await ask('--sum totalAmount,n', BOOK, true);
    expect(stderr).toContain(
      '--sum: 2 credit notes subtracted; 1 cancelled document counted, like the credit notes that cancel them; ' +
        '1 void document in no sum; 1 quote in no sum; 2 documents without a type counted as invoices\n',
    );
    expect((await ask('--sum n', BOOK, true)).stderr).toBe('');
    const asSent = await ask('--sum totalAmount --as-sent --no-header', BOOK);
    expect(asSent.stdout).toBe('CLP,9,2118,-2,20,2\n');
  });

  it.each([
    ['"12.50"', 'the text "12.50", not a number', 'the text "12.50"'],
    ['true', 'the boolean "true", not a number', 'the boolean "true"'],
    ['[1]', 'the array "[1]", not a number', 'the array "[1]"'],
    ['{"b":1}', 'the object "{\\"b\\":1}", not a number', 'the object "{\\"b\\":1}"'],
    [`"${'x'.repeat(41)}"`, `the text "${'x'.repeat(39)}…", not`, `the text "${'x'.repeat(39)}…"`],
    ['1e999999999', 'a number of more than 1,000 digits', 'a number of more than 1,000 digits'],
  ])('leave %s out, naming the place, and are refused of nothing else', async (value, alone, what) => {
    await expectRefused(
      ask('--sum a', recordsOf(`a=${value}`)),
      `a cannot be added up: a of record 1 is ${alone}`,
    );
    await expectPart(
      ask('--sum a --as-sent --no-header', recordsOf('a=1', `a=${value}`)),
      '1,1,0\n',
      `--sum: 1 record was left out, since it cannot be read: a of record 2 is ${what}\n`,
    );
  });

  it.each([
    ...['--group-by records', '--sum pages,records --as-sent', '--group-by counterpartyName,fiscalId'],
    '--group-by pages --sum pages --as-sent',
  ])('are refused where a column of theirs would hide that of the records: %s', async (flags) => {
    const record = '{"records":3,"pages":1,"customer":{"name":"Roble","fiscalId":"1-9"},"fiscalId":"2-7"}';
    const { code, stdout, stderr } = await ask(flags, [record]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^folio: (records|fiscalId|pages) can mean two columns of the result/);
  });

  it('count a record in the sums that can be read of it, and say of which it is left out', async () => {
    const records = recordsOf(
      'currency="CLP" a=1 b=2',
      'currency="CLP" a="x" b=3',
      'currency="CLP" a="y" b="z"',
    );
    const { code, stdout, stderr } = await ask('--sum a,b', records);
    expect([code, stdout]).toEqual([6, 'currency,records,a,a.missing,b,b.missing\nCLP,2,1,0,5,0\n']);
    expect(stderr.split('\n')).toEqual([
      expect.stringMatching(/^(?:warning|folio): --sum [ab]: /),
      expect.anything(),
      expect.anything(),
      '',
    ]);
    expect(stderr).toContain('--sum a: 2 records were left out, since they cannot be read: a of record 2 is');
    expect(stderr).toContain('--sum b: 1 record was left out, since it cannot be read: b of record 3 is');
  });

  it('keep on a narrow terminal what was named first', async () => {
    const long = (letter: string) => letter.repeat(16);
    const records = recordsOf(
      `s="${long('x')}" t="${long('y')}" currency="CLP" a=${long('1')} b=${long('2')}`,
    );
    for (const [columns, flags, shown] of [
      [45, '--group-by s --sum a,b', 's currency a'],
      [22, '--group-by s,t', 's records'],
    ] as const) {
      const screen = { terminal: true, columns, env: { NO_COLOR: '1' } };
      const { stdout } = await runScripted(['issued', ...flags.split(' ')], [pageOf(records)], screen);
      expect(stdout.split('\n')[0]!.trim().split(/ +/).join(' ')).toBe(shown);
    }
  });

  it('have on a terminal the columns of zeros that it does not show, where these are asked for', async () => {
    const record = recordsOf('currency="CLP" totalAmount=5 amountToBePaid=5 dueBy="2026-01-01"');
    const [invoice] = record.map((one) => one.replace('{', '{"customer":{"name":"Roble"},'));
    const lines = ['issued --sum total --columns total,total.missing', 'aging --columns total,credits'];
    for (const line of lines) {
      const { code, stdout } = await runScripted(line.split(' '), [pageOf([invoice!])], { terminal: true });
      expect([code, stdout]).toEqual([0, expect.stringMatching(/ 5 +0\n/)]);
    }
  });

  it('name a counterparty by a name that any of its records has', async () => {
    const records = ['', ',"customer":{"name":""}', ',"customer":{"name":"Roble"}'].map(
      (name) => `{"receiverFiscalId":"1-9"${name}}`,
    );
    for (const [columns, rows] of [
      ['customer.name', 'customer.name,fiscalId,records\nRoble,1-9,3\n'],
      ['receiverFiscalId', 'receiverFiscalId,counterparty,records\n1-9,Roble,3\n'],
      ['receiverFiscalId,customer.name', 'receiverFiscalId,customer.name,records\n1-9,Roble,3\n'],
    ] as const)
      await expectAnswer(ask(`--group-by ${columns}`, records), rows);
    await expectAnswer(
      ask('--group-by receiverFiscalId --columns counterparty --sort counterparty', records),
      'counterparty\nRoble\n',
    );
  });

  it('are of 100,000 groups at most', async () => {
    const records = Array.from({ length: 100_001 }, (_, at) => `{"a":${at},"b":1}`);
    await expectRefused(ask('--group-by a,b', records), '--group-by b makes more than 100,000 groups');
  });
});
