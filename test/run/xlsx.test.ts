import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readWorkbook } from '../output/xlsx/read-workbook.ts';
import { pageOf, runScripted } from '../support/scripted-run.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { expectAnswer } from '../support/expect-exit.ts';

const RECORDS = [
  '{"id":7,"totalAmount":1190.10,"date":"2024-10-15","note":"=1+1"}',
  '{"id":8,"late":12345678901234567890}',
];

/** Runs a command line whose workbook is `book.xlsx`; returns its sheets as rows of values. */
async function workbook(
  flags: readonly string[],
  records = RECORDS,
): Promise<[name: string, rows: string[][]][]> {
  const file = join(temporaryFolder(), 'book.xlsx');
  await expectAnswer(runScripted(['issued', '-o', file, ...flags], [pageOf(records)]), '');
  return readWorkbook(readFileSync(file)).map(({ name, rows }) => [
    name,
    rows.map((row) => [...row.values()].map(({ type, value }) => (type === 'n' ? `#${value}` : value))),
  ]);
}

describe('a workbook', () => {
  it('is written by the ending of its name', async () => {
    expect(await workbook([])).toEqual([
      [
        'issued invoices',
        [
          ['date', 'totalAmount', 'id', 'note', 'late'],
          ['#45580', '#1190.10', '7', '=1+1'],
          ['8', '12345678901234567890'],
        ],
      ],
    ]);
  });

  it('has the columns asked for, in their order, also of no records', async () => {
    const columns = ['--columns', 'date,id'];
    expect((await workbook(columns))[0]![1]).toEqual([['date', 'id'], ['#45580', '7'], ['8']]);
    expect((await workbook(columns, []))[0]![1]).toEqual([['date', 'id']]);
    expect(await workbook([], [])).toEqual([['issued invoices', []]]);
  });

  it('has totals too', async () => {
    const [[, rows]] = (await workbook(['--sum', 'totalAmount', '--field', 'currency==CLP'])) as [
      [string, string[][]],
    ];
    expect(rows).toEqual([
      [
        'currency',
        'records',
        ...['', '.creditNotes', '.cancelled', '.missing'].map((end) => `totalAmount${end}`),
      ],
      ['CLP', '#2', '#1190.10', '#0.00', '#0.00', '#1'],
    ]);
  });
});

describe('documents of several types', () => {
  const usual = { documentType: 'INVOICE', totalAmount: 9, currency: 'CLP' };
  const document = (number: number, fields: object): string =>
    JSON.stringify({ id: `i${number}`, number, ...usual, ...fields });
  const books = [
    document(1, { date: '2026-10-01', amountToBePaid: 9 }),
    document(2, { date: '2026-10-02', amountToBePaid: 5, documentType: 'CREDIT_NOTE' }),
    document(3, { date: '2026-10-03', amountToBePaid: 4, status: 'CANCELLED' }),
  ];
  const watched = { terminal: true, columns: 80, env: { NO_COLOR: '1' } };
  const AS_SENT = 'amounts are as sent: 1 credit note among them, which --sum subtracts';

  it('have the type beside the number, on a screen and in a workbook, and say that amounts are as sent', async () => {
    const screen = await runScripted(['issued'], [pageOf(books)], watched);
    expect(screen.stdout).toMatch(
      /^number +documentType +date +totalAmount +amountToBePaid +currency +status +id\n/,
    );
    expect(screen.stderr).not.toContain('as sent');
    const file = join(temporaryFolder(), 'book.xlsx');
    const { stderr } = await runScripted(['issued', '-o', file], [pageOf(books)], watched);
    expect(stderr.split(AS_SENT)).toHaveLength(2);
    const [head] = readWorkbook(readFileSync(file))[0]!.rows;
    expect([...head!.values()].map(({ value }) => value).join(' ')).toBe(
      'number documentType date totalAmount amountToBePaid currency status id',
    );
    const csv = await runScripted(['issued', '-o', `${file}.csv`], [pageOf(books)], watched);
    expect(csv.stderr).toContain(AS_SENT);
    expect((await runScripted(['issued', '-o', `${file}.csv`], [pageOf(books)])).stderr).toBe('');
  });

  it('have what is to be paid alone with --open, of one type, and standard error names the credits', async () => {
    const file = join(temporaryFolder(), 'open.xlsx');
    const { stderr } = await runScripted(['issued', '--open', '-o', file], [pageOf(books)], watched);
    expect(stderr).toMatch(
      /^warning: --open leaves out 1 credit, -5 CLP \(number 2\)\n1 of 3 issued invoices → /,
    );
    const rows = readWorkbook(readFileSync(file))[0]!.rows.map((row) => row.get('C')?.value);
    expect(rows).toEqual(['totalAmount', '9']);
    const screen = await runScripted(['issued', '--open'], [pageOf(books)], watched);
    expect(screen.stdout).toMatch(/^number +date +/);
    expect(screen.stderr).toContain('1 of 3');
  });
});

it.each([
  [
    ['--lang', 'es'],
    ['Más de 90 días', 'Créditos', 'Anulado'],
  ],
  [[], ['over 90', 'credits', 'cancelled']],
])('a statement in a workbook with %j has its ages as %j', async (flags, ages) => {
  const file = join(temporaryFolder(), 'book.xlsx');
  const documents = [{}, { documentType: 'CREDIT_NOTE' }, { status: 'CANCELLED' }].map((fields, id) =>
    JSON.stringify({
      ...{ id, number: id, documentType: 'INVOICE', date: '2026-01-01', dueBy: '2026-01-01' },
      ...{ currency: 'CLP', amountToBePaid: 5, totalAmount: 5, customer: { name: 'A' }, ...fields },
    }),
  );
  await runScripted(['statement', '--all', '-o', file, ...flags], [pageOf(documents)]);
  const cells = readWorkbook(readFileSync(file))[0]!.rows.map((row) => row.get('K')?.value);
  expect(cells.slice(1)).toEqual(ages);
});

it.each([
  ['aging', 'Contraparte ID fiscal Moneda Documentos No vencido 1–30 días 31–60 días'],
  ['statement --all', 'Contraparte ID fiscal Moneda Número Tipo Fecha Vencimiento Días de atraso Total'],
  ['aging --columns Quien=counterparty,total', 'Quien total'],
])('%s has Spanish headings in a workbook by --lang es, and none elsewhere', async (line, headings) => {
  const file = join(temporaryFolder(), 'book.xlsx');
  const argv = [...line.split(' '), '--lang', 'es'];
  const record =
    '{"id":1,"number":1,"date":"2026-09-01","dueBy":"2026-10-01","currency":"CLP","amountToBePaid":5,"totalAmount":5,"customer":{"name":"A"}}';
  expect(await runScripted([...argv, '-o', file], [pageOf([record])])).toMatchObject({ code: 0, stderr: '' });
  const [head] = readWorkbook(readFileSync(file))[0]!.rows;
  expect([...head!.values()].map(({ value }) => value).join(' ')).toMatch(new RegExp(`^${headings}`));
  expect(await runScripted(argv, [])).toMatchObject({ code: 2, stdout: '' });
});
