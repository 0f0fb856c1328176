import { stripVTControlCharacters } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanArray } from '../../../src/json/scan-records.ts';
import { displayWidth } from '../../../src/output/terminal/terminal-text.ts';
import { openTable } from '../../../src/output/table/table.ts';
import type { Layout } from '../../../src/output/writer.ts';
import { hasForbidden, hostileText } from '../hostile-text.ts';
import { writeAll } from '../write-all.ts';

const invoices = `[
  {"id":"7f1c","number":10001,"customer":{"fiscalId":"86345678-9","name":"Ñandú y Compañía Ltda."},"status":"PAID",
   "date":"2024-10-15T00:00:00Z","dueBy":"2024-11-15","currency":"CLP","totalAmount":1190000.50,"files":[{"fileUrl":"https://x"}]},
  {"id":"7f1d","number":10002,"customer":{"fiscalId":"80765432-k","name":"漢字株式会社"},"status":"OVERDUE",
   "date":"2024-10-16T00:00:00Z","dueBy":"2024-11-16","currency":"CLP","totalAmount":12345678901234567890,"files":[]},
  {"id":"7f1e","number":10003,"customer":{"fiscalId":null,"name":"a\\nb\\u001b[2J"},"status":"NEW",
   "date":"2024-10-17T00:00:00Z","dueBy":null,"currency":"CLP","totalAmount":1E2,"note":"only here"}]`;

async function table(json: string | readonly string[], layout: Partial<Layout> = {}): Promise<string> {
  const pages = [json].flat().map((page) => scanArray(Buffer.from(page)));
  return String(await writeAll(openTable, pages, { isChosen: layout.columns !== undefined, ...layout }));
}

describe('a table off a terminal', () => {
  it('shows every column whole', async () => {
    expect(await table(invoices, { raw: true })).toBe(
      `\
number  status   date                  dueBy       customer.name                    totalAmount  currency  customer.fiscalId  id    files                      note
──────  ───────  ────────────────────  ──────────  ──────────────────────  ────────────────────  ────────  ─────────────────  ────  ─────────────────────────  ─────────
 10001  PAID     2024-10-15T00:00:00Z  2024-11-15  Ñandú y Compañía Ltda.            1190000.50  CLP       86345678-9         7f1c  [{"fileUrl":"https://x"}]
 10002  OVERDUE  2024-10-16T00:00:00Z  2024-11-16  漢字株式会社            12345678901234567890  CLP       80765432-k         7f1d  []
 10003  NEW      2024-10-17T00:00:00Z              a␊b␛[2J                                  1E2  CLP                          7f1e                             only here
`,
    );
  });

  it('shows the columns chosen, in that order, also when no record has them', async () => {
    expect(await table(invoices, { columns: ['currency', 'nowhere', 'number'] })).toBe(
      `\
currency  nowhere  number
────────  ───────  ──────
CLP                 10001
CLP                 10002
CLP                 10003
`,
    );
    expect(await table('[]', { columns: ['number', 'status'] })).toBe('number  status\n──────  ──────\n');
  });

  it('is nothing when there is nothing', async () => {
    expect(await table('[]')).toBe('');
    expect(await table([])).toBe('');
    expect(await table('[{},{}]')).toBe('');
  });

  it('is one table, though it is drawn in blocks', async () => {
    const names = Array.from({ length: 100 }, (_, column) => `c${column}`);
    const cell = (row: number, column: number): string => ['漢字', 'ñ', 'plain', ''][(row * 7 + column) % 4]!;
    const rows = Array.from({ length: 60 }, (_, row) => names.map((_, column) => cell(row, column)));
    const records = rows.map((cells) => Object.fromEntries(cells.map((text, at) => [names[at], text])));
    const line = (cells: readonly string[]): string =>
      cells
        .map((text) => text + ' '.repeat(5 - displayWidth(text)))
        .join('  ')
        .trimEnd();
    expect(await table(JSON.stringify(records))).toBe(
      `${[line(names), line(names.map(() => '─────')), ...rows.map(line)].join('\n')}\n`,
    );
  });

  it('shows a text of 80,000 characters of any script whole', async () => {
    const long = '漢字é👍🏽'.repeat(10_000);
    const text = await table([`[{"a":"x","b":"y"},{"a":${JSON.stringify(long)},"b":"z"}]`]);
    expect(text.split('\n').map((line) => line.includes(long))).toEqual([false, false, false, true, false]);
    expect(text).toMatch(/👍🏽 {2}z\n$/u);
  });

  it('lets a cell that came late be longer than its column', async () => {
    const short = `[${'{"a":"x","b":"y"},'.repeat(9_999)}{"a":"x","b":"y"}]`;
    const lines = (await table([short, '[{"a":"longer","b":"y","c":"late"}]'])).split('\n');
    expect(lines.slice(0, 3)).toEqual(['a  b', '─  ─', 'x  y']);
    const note = 'Not shown: c · they came late: --columns, or a file';
    expect(lines.slice(10_002)).toEqual(['longer  y', '', note, '']);
  });
});

const trimmed = (text: string): string => text.replace(/ +$/gm, '');

describe('a table on a terminal', () => {
  it('of 80 cells shows what matters and names the rest', async () => {
    expect(await table(invoices, { width: 80, locale: 'es-CL' })).toBe(
      `\
number status  date       dueBy      customer.na…                totalAmount cu…
────── ─────── ────────── ────────── ──────────── ────────────────────────── ───
 10001 PAID    2024-10-15 2024-11-15 Ñandú y Com…               1.190.000,50 CLP
 10002 OVERDUE 2024-10-16 2024-11-16 漢字株式会社 12.345.678.901.234.567.890 CLP
 10003 NEW     2024-10-17            a␊b␛[2J                             100 CLP

Not shown: customer.fiscalId, id, files, note · --columns, --wide
`,
    );
  });

  it('shows every column whole when it is told to', async () => {
    expect(await table(invoices, { width: 80, wide: true })).toBe(await table(invoices));
  });

  it('colours the status, and the due date of what is overdue', async () => {
    const text = await table(invoices, { width: 80, color: true, columns: ['status', 'dueBy', 'date'] });
    expect(text.split('\n')).toEqual([
      '\u001b[1mstatus\u001b[22m   \u001b[1mdueBy\u001b[22m       \u001b[1mdate\u001b[22m',
      '───────  ──────────  ──────────',
      '\u001b[32mPAID\u001b[39m     2024-11-15  2024-10-15',
      '\u001b[1;31mOVERDUE\u001b[22;39m  \u001b[1;31m2024-11-16\u001b[22;39m  2024-10-16',
      'NEW                  2024-10-17',
      '',
    ]);
  });

  it('shows days as days, unless some of the column are more than that', async () => {
    const days =
      '[{"a":"2026-03-01T00:00:00.000Z","b":"2026-03-01T00:00:00Z"},{"a":"2026-03-02","b":"2026-03-01T10:00:00Z"}]';
    expect(await table(days, { width: 60 })).toBe(
      'a           b\n──────────  ────────────────────\n2026-03-01  2026-03-01T00:00:00Z\n2026-03-02  2026-03-01T10:00:00Z\n',
    );
    expect(await table(days, { width: 60, raw: true })).toContain('2026-03-01T00:00:00.000Z');
  });

  it('keeps to its width and lets no control through, whatever the records hold', async () => {
    const list = fc.array(hostileText, { maxLength: 2 });
    const value = fc.oneof(hostileText, fc.integer(), fc.constant(null), list);
    const record = fc.dictionary(
      fc.oneof(hostileText, fc.constantFrom('number', 'status', 'dueBy', 'name')),
      value,
      { maxKeys: 8 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(record, { maxLength: 5 }),
        fc.integer({ min: 12, max: 120 }),
        async (records, width) => {
          const json = JSON.stringify(records);
          const text = await table(json, { width });
          expect(hasForbidden(text.replaceAll('\n', ''))).toBe(false);
          const rows = text.split('\n\nNot shown:')[0]!.split('\n');
          for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(width);
          const colored = await table(json, { width, color: true });
          expect(trimmed(stripVTControlCharacters(colored))).toBe(trimmed(text));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('a single record', () => {
  it('is a sheet of its fields', async () => {
    const record =
      '[{"id":"7f1c","customer":{"name":"Ñandú"},"status":"OVERDUE","totalAmount":1190000.50,"note":null}]';
    expect(await table(record, { single: true, width: 20 })).toBe(
      `\
status         OVERDUE
customer.name  Ñandú
totalAmount    1,190,000.50
id             7f1c
note
`,
    );
    const colored = await table(record, { single: true, color: true, columns: ['status'] });
    expect(colored).toBe('\u001b[1mstatus\u001b[22m  \u001b[1;31mOVERDUE\u001b[22;39m\n');
  });
});
