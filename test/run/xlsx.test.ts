import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readWorkbook } from '../output/xlsx/read-workbook.ts';
import { pageOf, runScripted } from '../support/scripted-run.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

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
  const outcome = await runScripted(['issued', '-o', file, ...flags], [pageOf(records)]);
  expect(outcome).toMatchObject({ code: 0, stdout: '', stderr: '' });
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
          ['id', 'totalAmount', 'date', 'note', 'late'],
          ['7', '#1190.10', '#45580', '=1+1'],
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
        'totalAmount',
        'totalAmount.creditNotes',
        'totalAmount.cancelled',
        'totalAmount.missing',
      ],
      ['CLP', '#2', '#1190.10', '#0.00', '#0.00', '#1'],
    ]);
  });

  it('goes through a pipe, byte for byte the same', async () => {
    const file = join(temporaryFolder(), 'book.xlsx');
    await runScripted(['issued', '-o', file], [pageOf(RECORDS)]);
    let piped = Buffer.alloc(0);
    const { code, stdout } = await runScripted(['issued', '--format', 'xlsx', '-o', '-'], [pageOf(RECORDS)]);
    piped = Buffer.from(stdout);
    expect({ code, starts: piped.subarray(0, 2).toString() }).toEqual({ code: 0, starts: 'PK' });
  });
});
