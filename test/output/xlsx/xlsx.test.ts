import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { scanLines } from '../../../src/json/scan-records.ts';
import type { Layout, OpenWriter } from '../../../src/output/writer.ts';
import { anyCharacter } from '../../support/any-character.ts';
import { errorLike } from '../../support/error-like.ts';
import { readByLibreOffice } from '../../support/libre-office.ts';
import { needing } from '../../support/programs.ts';
import { openXlsx } from '../../../src/output/xlsx/xlsx.ts';
import { openDestination } from '../../../src/output/files/destination.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { destinationContext } from '../destination-context.ts';
import { PLAIN_LAYOUT, writeAll } from '../write-all.ts';
import { readWorkbook, readZip, type ReadCell } from './read-workbook.ts';

const batch = (...records: object[]) =>
  scanLines(Buffer.from(records.map((record) => JSON.stringify(record)).join('\n')));

/** The workbook of records given as JSON texts, in one batch. */
function workbookOf(records: readonly string[], layout?: Partial<Layout>): Promise<Buffer> {
  return writeAll(openXlsx, [scanLines(Buffer.from(records.join('\n')))], layout);
}

/** How the style of a cell shows it. */
function formatOf(archive: Buffer, style: number): string {
  const xml = readZip(archive).get('xl/styles.xml')!;
  const [, id] = [...xml.slice(xml.indexOf('<cellXfs')).matchAll(/<xf numFmtId="(\d+)"/g)][style]!;
  if (id === '49') return '@';
  return new RegExp(`numFmtId="${id}" formatCode="([^"]*)"`).exec(xml)![1]!.replaceAll('&quot;', '"');
}

/** The cells of a column, `type value format`. */
async function columnOf(
  records: readonly string[],
  letter: string,
  layout: Partial<Layout> = {},
): Promise<string[]> {
  const archive = await workbookOf(records, layout);
  const cells = readWorkbook(archive)[0]!
    .rows.slice(1)
    .flatMap((row) => row.get(letter) ?? []);
  return cells.map(({ type, value, style }) => `${type} ${value} ${formatOf(archive, style)}`);
}

/** The cell of the only record in the only column. */
async function cellOf(json: string, column = 'a'): Promise<ReadCell | undefined> {
  const [sheet] = readWorkbook(await workbookOf([`{"${column}":${json}}`]));
  return sheet!.rows[1]!.get('A');
}

/** Text that hardly deflates. */
function noise(n: number): string {
  const part = (_: unknown, i: number): string => ((n * 48_271 + i * 16_807) % 2_147_483_647).toString(36);
  return Array.from({ length: 40 }, part).join('');
}

describe('xlsx', () => {
  it.each([
    ['1190.10', 'n', '1190.10', '#,##0.00'],
    ['-0.5', 'n', '-0.5', '#,##0.0'],
    ['1E2', 'n', '1E2', '#,##0'],
    ['7.0e+05', 'n', '7.0e+05', '#,##0'],
    ['15e-3', 'n', '15e-3', '#,##0.000'],
    ['123456789012345', 'n', '123456789012345', '#,##0'],
    ['1000000000000000000', 'n', '1000000000000000000', '#,##0'],
    ['1234567890123456', 'inlineStr', '1234567890123456', '@'],
    ['12345678901234567890.10', 'inlineStr', '12345678901234567890.10', '@'],
    ['1e400', 'inlineStr', '1e400', '@'],
    ['1e301', 'inlineStr', '1e301', '@'],
    ['1e-301', 'inlineStr', '1e-301', '@'],
    ['123456789012345.6', 'inlineStr', '123456789012345.6', '@'],
    ['1234567890123450', 'n', '1234567890123450', '#,##0'],
    ['1e-7', 'n', '1e-7', '#,##0.0000000'],
    ['0.00', 'n', '0.00', '#,##0.00'],
    ['true', 'b', '1', '"TRUE";"TRUE";"FALSE"'],
    ['false', 'b', '0', '"TRUE";"TRUE";"FALSE"'],
    ['"2024-10-15"', 'n', '45580', 'yyyy\\-mm\\-dd'],
    ['"2024-10-15T00:00:00Z"', 'n', '45580', 'yyyy\\-mm\\-dd'],
    ['"2024-10-15T00:00:00.000+00:00"', 'n', '45580', 'yyyy\\-mm\\-dd'],
    ['"2024-10-15T12:00:00Z"', 'n', '45580.5', 'yyyy\\-mm\\-dd\\ hh:mm:ss"Z"'],
    ['"2024-10-15T00:00:00-03:00"', 'n', '45580', 'yyyy\\-mm\\-dd\\ hh:mm:ss"-03:00"'],
    ['"2024-10-15 06:00:00.000"', 'n', '45580.25', 'yyyy\\-mm\\-dd\\ hh:mm:ss.000'],
    ['"2024-10-15T12:00:00.1234Z"', 'inlineStr', '2024-10-15T12:00:00.1234Z', '@'],
    ['"2024-10-15T25:00:00Z"', 'inlineStr', '2024-10-15T25:00:00Z', '@'],
    ['"2024-02-30"', 'inlineStr', '2024-02-30', '@'],
    ['"1900-03-01"', 'n', '61', 'yyyy\\-mm\\-dd'],
    ['"1970-01-01"', 'n', '25569', 'yyyy\\-mm\\-dd'],
    ['"9999-12-31"', 'n', '2958465', 'yyyy\\-mm\\-dd'],
    ['"1900-02-28"', 'inlineStr', '1900-02-28', '@'],
    ['"0024-02-28"', 'inlineStr', '0024-02-28', '@'],
    ['"2024-1-1"', 'inlineStr', '2024-1-1', '@'],
    ['"2024-01-01 "', 'inlineStr', '2024-01-01 ', '@'],
    ['"00123"', 'inlineStr', '00123', '@'],
    ['"=1+1"', 'inlineStr', '=1+1', '@'],
    ['[{"b":1.50}, 2]', 'inlineStr', '[{"b":1.50},2]', '@'],
  ])('writes %s as %s %s, shown as %s', async (json, type, value, format) => {
    expect(await columnOf([`{"a":${json}}`], 'A')).toEqual([`${type} ${value} ${format}`]);
  });

  it.each(['id', 'customer.id', 'trackingId', 'customer_id'])('writes %s as text', async (column) => {
    expect(await cellOf('12', column)).toMatchObject({ type: 'inlineStr', value: '12' });
  });

  const TIME = 'yyyy\\-mm\\-dd\\ hh:mm:ss"Z"';

  it('writes days and times of any zone as such, and text beside them as text', async () => {
    const records = [
      ...['"2024-10-15T12:00:00Z"', 'null', '"2024-10-16"', '"2024-10-17T00:00:00Z"'],
      ...['"2024-10-15T12:00:00-03:00"', '"soon"'],
    ].map((time) => `{"a":${time}}`);
    const day = 'n 45581 yyyy\\-mm\\-dd';
    expect(await columnOf(records, 'A')).toEqual([
      ...[`n 45580.5 ${TIME}`, day, day.replace('81', '82')],
      ...[`n 45580.5 ${TIME.replace('Z', '-03:00')}`, 'inlineStr soon @'],
    ]);
  });

  it('shows amounts in the currency of their record, and only amounts', async () => {
    const records = [
      '{"number":12345,"totalAmount":1190.10,"currency":"CLP","exchangeRate":1500,"due":2000}',
      '{"number":12346,"totalAmount":5,"currency":"US$","exchangeRate":1,"due":3}',
      '{"number":12347,"totalAmount":7,"currency":null,"exchangeRate":1,"due":4}',
      '{"number":12348,"totalAmount":12345678901234567,"currency":"USD","exchangeRate":1,"due":5}',
    ];
    const known: Layout['known'] = [{ names: ['due'], look: 'open', word: 'open', rank: 1 }];
    const column = (letter: string): Promise<string[]> => columnOf(records, letter, { known });
    expect(await column('B')).toEqual(['n 12345 0', 'n 12346 0', 'n 12347 0', 'n 12348 0']);
    expect(await column('C')).toEqual([
      'n 1190.10 [$CLP]\\ #,##0.00',
      'n 5 #,##0',
      'n 7 #,##0',
      'inlineStr 12345678901234567 @',
    ]);
    expect((await column('E'))[0]).toBe('n 1500 #,##0');
    expect((await column('A'))[0]).toBe('n 2000 [$CLP]\\ #,##0');
  });

  it('names its columns by letters', async () => {
    const record = JSON.stringify(Object.fromEntries(Array.from({ length: 703 }, (_, at) => [`c${at}`, at])));
    const [header] = readWorkbook(await workbookOf([record]))[0]!.rows;
    const lettersOf = (at: number): string => [...header!].find(([, { value }]) => value === `c${at}`)![0];
    expect([0, 25, 26, 701, 702].map(lettersOf)).toEqual(['A', 'Z', 'AA', 'ZZ', 'AAA']);
  });

  it('has no cell for null, nothing and empty text', async () => {
    const [sheet] = readWorkbook(await workbookOf(['{"a":null,"b":"","c":1}']));
    expect([...sheet!.rows[0]!.keys()]).toEqual(['A', 'B', 'C']);
    expect([...sheet!.rows[1]!.keys()]).toEqual(['C']);
  });

  it('freezes a bold header, filters, and fits the columns', async () => {
    const archive = await workbookOf([`{"a":"${'x'.repeat(20)}","b":"${'x'.repeat(200)}","long-name":1}`]);
    const [sheet] = readWorkbook(archive);
    expect(sheet!.xml).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"');
    expect(sheet!.xml).toContain('<autoFilter ref="A1:C2"/>');
    const widths = [...sheet!.xml.matchAll(/<col [^>]*width="(\d+)"/g)].map(([, width]) => width);
    expect(widths).toEqual(['22', '60', '13']);
    expect(readZip(archive).get('xl/workbook.xml')).toContain("'records'!$A$1:$C$2</definedName>");
    expect([...sheet!.rows[0]!.values()].map(({ style }) => style)).toEqual([1, 1, 1]);
  });

  it('refuses more records than a sheet can hold', async () => {
    const records = batch(...Array.from({ length: 5 }, (_, n) => ({ n })));
    const open: OpenWriter = (sink, layout) => openXlsx(sink, layout, 5);
    const message = 'there are more records than the 4 that a sheet of a workbook holds';
    await expect(writeAll(open, [records])).rejects.toThrow(errorLike('OutputError', message));
  });

  it('keeps its rows, of several pieces, beside the file, not where a small disk or memory is for temporary files', async () => {
    const file = join(temporaryFolder(), 'a.xlsx');
    vi.stubEnv('TMPDIR', join(file, 'none'));
    onTestFinished(() => void vi.unstubAllEnvs());
    const destination = await openDestination(file, destinationContext());
    const writer = openXlsx(destination, PLAIN_LAYOUT);
    for (const from of [0, 15_000])
      await writer.write(batch(...Array.from({ length: 15_000 }, (_, at) => ({ t: noise(from + at) }))));
    await writer.end();
    await destination.commit();
    const [sheet] = readWorkbook(readFileSync(file));
    expect(sheet!.rows.length).toBe(30_001);
    expect(sheet!.rows.every((row, n) => n === 0 || row.get('A')!.value === noise(n - 1))).toBe(true);
  });

  it('refuses what no cell can hold, naming the record', async () => {
    const long = 'x'.repeat(32_768);
    const message = 'record 2 has 32,768 characters in a.b; a cell of a spreadsheet holds 32,767';
    const book = workbookOf(['{"a":1}', `{"a":{"b":"${long}"}}`]);
    await expect(book).rejects.toThrow(errorLike('OutputError', message));
    expect((await cellOf(JSON.stringify(long.slice(1))))?.value).toHaveLength(32_767);
  });

  it('has control characters that XML holds as they are', async () => {
    const text = 'a\u0080b\u0085c\u009fd\u0000e';
    expect((await cellOf(JSON.stringify(text)))!.value).toBe(text);
    const [sheet] = readWorkbook(await workbookOf([JSON.stringify({ a: text })]));
    expect(sheet!.xml).toContain('a\u0080b\u0085c\u009fd_x0000_e');
  });

  it('gives back any text, and only as text', async () => {
    const odd = fc.constantFrom(
      ...'\u0000|\u001b|\r|\n|\t| |_x0041_|_x|&|<|]]>|\ud800|\uffff|=|😀'.split('|'),
    );
    const text = fc
      .array(fc.oneof(odd, fc.string({ unit: anyCharacter })), { minLength: 1 })
      .map((parts) => `x${parts.join('')}`);
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 20 }), async (texts) => {
        const [sheet] = readWorkbook(await writeAll(openXlsx, [batch(...texts.map((a) => ({ a })))]));
        expect(sheet!.rows.slice(1).map((row) => row.get('A'))).toEqual(
          texts.map((value) => ({ type: 'inlineStr', style: 2, value })),
        );
      }),
      { numRuns: 40 },
    );
  });
});

const RECORDS = [
  '{"id":12,"number":"00123","amount":1190.10,"currency":"CLP","date":"2024-10-15","at":"2024-10-15T13:00:07.939Z","note":"=1+1","paid":true}',
  '{"id":3,"amount":12345678901234567890,"rate":1234567.5,"at":"2024-10-15T12:59:59Z","date":"2024-02-30","note":"\\"ñ\\", <&>\\r\\n_x0041_","late":{"field":[1]}}',
];

/** In LibreOffice's flat XML: what kind of cell it is, and the paragraphs that are shown. */
const CELL = /<table:table-cell [^>]*office:value-type="(\w+)"[^>]*>\s*<text:p>([^]*?)<\/table:table-cell>/g;
const PARAGRAPH_END = /<\/text:p>\s*(?:<text:p>)?/g;

describe.concurrent('LibreOffice', needing('soffice'), () => {
  it('reads every cell as it was sent, and calculates nothing', async () => {
    const book = await workbookOf(RECORDS, { sheet: "O'Higgins & Cía" });
    const [text = ''] = await readByLibreOffice([book], 'xlsx');
    const cells = [...text.matchAll(CELL)].map(
      ([, type, content]) => `${type} ${content!.replace(PARAGRAPH_END, '|').trim()}`,
    );
    // That is how LibreOffice holds a truth value.
    expect(text.match(/table:formula="[^"]*"/g)).toEqual(['table:formula="of:=TRUE()"']);
    expect(text).toContain('table:name="O&apos;Higgins &amp; Cía"');
    expect(text).toMatch(/<table:database-range [^>]*table:display-filter-buttons="true"/);
    expect(cells).toEqual([
      ...['id', 'number', 'amount', 'currency', 'date', 'at', 'note', 'paid', 'rate', 'late.field'].map(
        (name) => `string ${name}|`,
      ),
      ...['string 12|', 'string 00123|', 'currency CLP 1,190.10|', 'string CLP|', 'date 2024-10-15|'],
      ...['date 2024-10-15 13:00:07.939Z|', 'string =1+1|', 'boolean TRUE|'],
      ...['string 3|', 'string 12345678901234567890|', 'string 2024-02-30|', 'date 2024-10-15 12:59:59Z|'],
      ...['string &quot;ñ&quot;, &lt;&amp;&gt;|_x0041_|', 'float 1,234,567.5|', 'string [1]|'],
    ]);
  });
});
