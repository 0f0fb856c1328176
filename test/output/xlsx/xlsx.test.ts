import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputError } from '../../../src/errors.ts';
import { scanLines } from '../../../src/json/scan-records.ts';
import { readWorkbook, readZip, type ReadCell } from './read-workbook.ts';
import { workbookOf, writeWorkbook } from './write-workbook.ts';

const batch = (...records: object[]) =>
  scanLines(Buffer.from(records.map((record) => JSON.stringify(record)).join('\n')));

/** The cell of the only record in the only column. */
async function cellOf(json: string, column = 'a'): Promise<ReadCell | undefined> {
  const [sheet] = readWorkbook(await workbookOf([`{"${column}":${json}}`]));
  return sheet!.rows[1]!.get('A');
}

/** How the style of a cell shows it. */
async function formatOf(style: number): Promise<string> {
  const xml = readZip(await workbookOf([])).get('xl/styles.xml')!;
  const [, id] = [...xml.slice(xml.indexOf('<cellXfs')).matchAll(/<xf numFmtId="(\d+)"/g)][style]!;
  return id === '49' ? '@' : new RegExp(`numFmtId="${id}" formatCode="([^"]*)"`).exec(xml)![1]!;
}

/** Text that hardly deflates. */
function noise(n: number): string {
  const parts = Array.from({ length: 40 }, (_, i) =>
    ((n * 48_271 + i * 16_807) % 2_147_483_647).toString(36),
  );
  return parts.join('');
}

describe('xlsx', () => {
  it.each([
    ['1190.10', 'n', '1190.10', '0.00'],
    ['-0.5', 'n', '-0.5', '0.0'],
    ['1E2', 'n', '1E2', '0'],
    ['7.0e+05', 'n', '7.0e+05', '0'],
    ['15e-3', 'n', '15e-3', '0.000'],
    ['123456789012345', 'n', '123456789012345', '0'],
    ['1000000000000000000', 'n', '1000000000000000000', '0'],
    ['1234567890123456', 'inlineStr', '1234567890123456', '@'],
    ['12345678901234567890.10', 'inlineStr', '12345678901234567890.10', '@'],
    ['1e400', 'inlineStr', '1e400', '@'],
    ['true', 'n', '1', '&quot;TRUE&quot;;&quot;TRUE&quot;;&quot;FALSE&quot;'],
    ['false', 'n', '0', '&quot;TRUE&quot;;&quot;TRUE&quot;;&quot;FALSE&quot;'],
    ['"2024-10-15"', 'n', '45580', 'yyyy\\-mm\\-dd'],
    ['"2024-10-15T00:00:00Z"', 'n', '45580', 'yyyy\\-mm\\-dd'],
    ['"2024-10-15T00:00:00.000+00:00"', 'n', '45580', 'yyyy\\-mm\\-dd'],
    ['"2024-10-15T13:00:00Z"', 'inlineStr', '2024-10-15T13:00:00Z', '@'],
    ['"2024-10-15T00:00:00-03:00"', 'inlineStr', '2024-10-15T00:00:00-03:00', '@'],
    ['"2024-02-30"', 'inlineStr', '2024-02-30', '@'],
    ['"00123"', 'inlineStr', '00123', '@'],
    ['"=1+1"', 'inlineStr', '=1+1', '@'],
    ['[{"b":1.50}, 2]', 'inlineStr', '[{"b":1.50},2]', '@'],
  ])('writes %s as %s %s, shown as %s', async (json, type, value, format) => {
    const cell = await cellOf(json);
    expect(cell).toMatchObject({ type, value });
    expect(await formatOf(cell!.style)).toBe(format);
  });

  it.each(['id', 'customer.id', 'trackingId', 'customer_id'])(
    'writes a number in %s as text',
    async (column) => {
      expect(await cellOf('12', column)).toMatchObject({ type: 'inlineStr', value: '12' });
    },
  );

  it('has no cell for null, nothing and empty text', async () => {
    const [sheet] = readWorkbook(await workbookOf(['{"a":null,"b":"","c":1}']));
    expect([...sheet!.rows[0]!.keys()]).toEqual(['A', 'B', 'C']);
    expect([...sheet!.rows[1]!.keys()]).toEqual(['C']);
  });

  it('has a column for a field that only the last record has', async () => {
    const archive = await writeWorkbook(async (writer) => {
      await writer.write(batch({ a: 1 }));
      await writer.write(batch({ b: { c: 'x' }, a: 2 }));
    });
    const [sheet] = readWorkbook(archive);
    expect(sheet!.rows.map((row) => [...row].map(([letter, { value }]) => `${letter} ${value}`))).toEqual([
      ['A a', 'B b.c'],
      ['A 1'],
      ['A 2', 'B x'],
    ]);
  });

  it('writes the columns that were asked for, in their order', async () => {
    const [sheet] = readWorkbook(await workbookOf(['{"a":1,"b":2}'], { columns: ['b', 'z'] }));
    expect(sheet!.rows.map((row) => [...row.values()].map(({ value }) => value))).toEqual([
      ['b', 'z'],
      ['2'],
    ]);
  });

  it('freezes a bold header, filters, and fits the columns', async () => {
    const archive = await workbookOf([`{"a":"${'x'.repeat(20)}","b":"${'x'.repeat(200)}","long-name":1}`]);
    const [sheet] = readWorkbook(archive);
    expect(sheet!.xml).toContain(
      '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>',
    );
    expect(sheet!.xml).toContain('<autoFilter ref="A1:C2"/>');
    expect([...sheet!.xml.matchAll(/<col [^>]*width="(\d+)"/g)].map(([, width]) => width)).toEqual([
      '22',
      '60',
      '13',
    ]);
    expect(readZip(archive).get('xl/workbook.xml')).toContain("'records'!$A$1:$C$2</definedName>");
    expect([...sheet!.rows[0]!.values()].map(({ style }) => style)).toEqual([1, 1, 1]);
  });

  it('is a workbook also of no records', async () => {
    const [empty] = readWorkbook(await workbookOf([]));
    expect(empty!.rows).toEqual([]);
    const [header] = readWorkbook(await workbookOf([], { columns: ['a'], sheet: 'issued' }));
    expect([header!.name, header!.rows.length]).toEqual(['issued', 1]);
  });

  it('has a sheet for each name, also one without records, with the same columns', async () => {
    const values = ['Roble & Söhne', '[none]', 'roble & söhne'];
    const records = ['{"a":1,"of":"Roble & Söhne"}', '{"of":"roble & söhne","b":2}', '{"a":3,"of":"new"}'];
    const sheetFor = { column: 'of', values: () => values };
    const archive = await workbookOf(records, { columns: ['a', 'b'], sheetFor });
    const sheets = readWorkbook(archive);
    expect(sheets.map(({ name, rows }) => [name, rows.length])).toEqual([
      ['Roble & Söhne', 2],
      ['roble & söhne (2)', 2],
      ['new', 2],
      ['_none_', 1],
    ]);
    expect(sheets.map(({ rows }) => [...rows[0]!.values()].map(({ value }) => value))).toEqual(
      Array.from({ length: 4 }, () => ['a', 'b']),
    );
  });

  it('goes on in a next sheet where one is full', async () => {
    const archive = await writeWorkbook(
      async (writer) => {
        await writer.write(batch(...Array.from({ length: 5 }, (_, n) => ({ n }))));
      },
      { sheet: 'issued' },
      { rows: 3, bytes: 1e9 },
    );
    const sheets = readWorkbook(archive).map(({ name, rows }) => [
      name,
      ...rows.slice(1).map((row) => row.get('A')!.value),
    ]);
    expect(sheets).toEqual([
      ['issued', '0', '1'],
      ['issued (2)', '2', '3'],
      ['issued (3)', '4'],
    ]);
  });

  it('refuses what no cell can hold, naming the record', async () => {
    const long = 'x'.repeat(32_768);
    await expect(workbookOf(['{"a":1}', `{"a":{"b":"${long}"}}`])).rejects.toThrow(OutputError);
    await expect(workbookOf(['{"a":1}', `{"a":{"b":"${long}"}}`])).rejects.toThrow(
      'record 2 has 32,768 characters in a.b; a cell of a spreadsheet holds 32,767',
    );
    expect((await cellOf(JSON.stringify(long.slice(1))))?.value).toHaveLength(32_767);
  });

  it('is the same file for the same records', async () => {
    expect(await workbookOf(['{"a":1}'])).toEqual(await workbookOf(['{"a":1}']));
  });

  it('is right over several pieces', async () => {
    const archive = await writeWorkbook(async (writer) => {
      for (let from = 0; from < 4000; from += 1000) {
        await writer.write(
          batch(...Array.from({ length: 1000 }, (_, i) => ({ n: from + i, t: noise(from + i) }))),
        );
      }
    });
    const [sheet] = readWorkbook(archive);
    expect(sheet!.rows.length).toBe(4001);
    expect(sheet!.rows.every((row, n) => n === 0 || row.get('B')!.value === noise(n - 1))).toBe(true);
  });

  it('gives back any text, and only as text', async () => {
    const odd = fc.constantFrom(
      '\u0000',
      '\u001b',
      '\r',
      '\n',
      '\t',
      ' ',
      '_x0041_',
      '_x',
      '&',
      '<',
      ']]>',
      '\ud800',
      '\uffff',
      '=',
      '😀',
    );
    const text = fc
      .array(fc.oneof(odd, fc.string({ unit: 'binary' })), { minLength: 1 })
      .map((parts) => `x${parts.join('')}`);
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 20 }), async (texts) => {
        const [sheet] = readWorkbook(
          await writeWorkbook((writer) => writer.write(batch(...texts.map((a) => ({ a }))))),
        );
        expect(sheet!.rows.slice(1).map((row) => row.get('A'))).toEqual(
          texts.map((value) => ({ type: 'inlineStr', style: 2, value })),
        );
      }),
      { numRuns: 40 },
    );
  });
});
