import { describe, expect, it } from 'vitest';
import { runHere, type FolioExit } from '../../support/run-here.ts';
import { pageOf, runScripted } from '../../support/scripted-run.ts';
import { fileOf } from '../../support/temporary-folder.ts';

const exportOf = (records: readonly string[]): string => fileOf(`${records.join('\n')}\n`);

describe('--changes-since --sort by an amount', () => {
  const invoice = (id: number, currency: string, totalAmount: number): string =>
    `{"id":${id},"currency":"${currency}","totalAmount":${totalAmount},"status":"PENDING"}`;
  const now = exportOf([invoice(1, 'USD', 500), invoice(2, 'CLP', 9000), invoice(3, 'CLP', 300)]);
  const before = exportOf([invoice(1, 'USD', 400), invoice(4, 'USD', 700)]);
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
  const path = exportOf([
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

describe('records whose columns have other names that are known, or that --field gives', () => {
  const values = [
    { number: 12, documentType: 33, status: 'PENDING', currency: 'USD', total: 150.5, open: 30, paid: 5 },
    { number: 11, documentType: 61, status: 'PENDING', currency: 'USD', total: 20, open: 20, paid: null },
    { number: 14, documentType: 33, status: 'NULLIFIED', currency: 'CLP', total: 900, open: 900, paid: 0 },
    { number: 13, documentType: 52, status: 'PAID', currency: null, total: null, open: 7, paid: 1 },
    { number: 15, documentType: 34, status: 'PENDING', currency: 'CLP', total: 80, open: null, paid: 2 },
    { number: 10, documentType: 33, status: 'PENDING', currency: 'CLP', total: 1000, open: 600, paid: 3 },
  ].map((one, at) => ({
    ...one,
    date: `2026-${at % 2 === 0 ? '09' : '10'}-1${at}`,
    due: at === 5 ? null : `2026-10-2${at}`,
    counterpartyName: at < 3 ? 'Roble' : 'Alerce',
    counterpartyFiscalId: at < 3 ? '1-9' : '2-7',
  }));
  const ROLES = Object.keys(values[0]!) as readonly (keyof (typeof values)[0])[];
  const USUAL =
    'number documentType status currency totalAmount amountToBePaid paidAmount date dueBy customerName customerFiscalId';
  const KNOWN =
    'folio type state currencyCode total amountDue amountPaid issueDate dueDate receiverName receiverFiscalId';
  const OWN = 'nro tipo estado moneda monto saldo pagado fecha vence cliente rut';
  const named = (columns: string): string =>
    exportOf(
      values.map((one, id) => {
        const cells = columns.split(' ').map((column, at) => [column, one[ROLES[at]!]]);
        return JSON.stringify({ id, ...Object.fromEntries(cells), payments: [{ amount: id + 1 }] });
      }),
    );
  const fields = OWN.split(' ').map(
    (column, at) => `--field=${ROLES[at]!.replace('open', 'amount')}=${column}`,
  );
  const files = [
    [named(USUAL), []],
    [named(KNOWN), []],
    [named(OWN), fields],
  ] as const;

  it.each([
    `issued --columns ${ROLES.join()}`,
    'issued --columns number',
    'issued --columns currency,date --format jsonl',
    'issued --sum open,total,paid --group-by counterpartyName',
    'issued --sum total --group-by date:month',
    'issued --count --group-by status',
    'issued --overdue --columns number,due',
    'issued --where date>=2026-10 --where open>0 --columns number',
    'issued --where currency= --columns number',
    'issued --period 2026-Q3 --sum open',
    'issued --sort=-total --columns number,total',
    'issued --sort-by NUMBER --sort-order desc --limit 2 --columns number',
    'issued --sort-by DUE_BY --limit 2 --columns number,due',
    'issued --expand payments --sum payments.amount --group-by number',
    'aging',
    'statement --all --format json',
    'report --period 2026-10 --format json',
  ])('give the same answer: %s', async (line) => {
    const answers: unknown[] = [];
    for (const [file, flags] of files) {
      const from = line.startsWith('report') ? `issued=${file}` : file;
      const { code, stdout } = await runHere([...line.split(' '), ...flags, '--from', from]);
      answers.push([code, stdout.toString()]);
    }
    expect(answers[0]).toEqual([0, expect.stringMatching(/\d/)]);
    expect(answers).toEqual(answers.map(() => answers[0]));
  });
});
