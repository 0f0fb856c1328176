import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formOf } from '../../../src/query/exports/csv-form.ts';
import { CsvReader } from '../../../src/query/exports/csv-reader.ts';
import { batchOfRows, type Row } from '../../../src/query/rows.ts';
import { openCsv } from '../../../src/output/csv/csv.ts';
import { batchOf, valuesOf } from '../../support/records.ts';

async function read(text: string, pieces = 1, fromDelimiter?: string): Promise<Record<string, unknown>[]> {
  const bytes = Buffer.from(text);
  const reader = new CsvReader(
    'old.csv',
    (await formOf('old.csv', bytes, fromDelimiter === undefined ? {} : { fromDelimiter }))!,
  );
  const size = Math.max(1, Math.ceil(bytes.length / pieces));
  const rows: Row[] = [];
  for (let at = 0; at < bytes.length; at += size)
    rows.push(...(await reader.read(bytes.subarray(at, at + size))));
  return valuesOf(batchOfRows([...rows, ...(await reader.end())]));
}

describe('CsvReader', () => {
  it('makes numbers of digits, text of the rest, and nothing of empty cells', async () => {
    expect(await read('a,b.c,d\n1.50,x,\n"007","","1,5"\n')).toEqual([
      { a: 1.5, 'b.c': 'x', d: null },
      { a: '007', 'b.c': null, d: '1,5' },
    ]);
  });

  it('takes a cell of a column of booleans for one where it is one', async () => {
    const bytes = Buffer.from('paid,due\ntrue,false\nperhaps,\n');
    const form = (await formOf('old.csv', bytes, {}))!;
    const kinds = new Map([['paid', 'boolean'] as const, ['due', 'boolean'] as const]);
    const reader = new CsvReader('old.csv', { ...form, kinds });
    const rows = [...(await reader.read(bytes)), ...(await reader.end())];
    expect(valuesOf(batchOfRows(rows))).toEqual([
      { paid: true, due: false },
      { paid: 'perhaps', due: null },
    ]);
  });

  it('reads tsv, known by its ending, without quotes', async () => {
    const bytes = Buffer.from(String.raw`a"	b\c` + '\n' + String.raw`1.50	"x\ty\\\n` + '\n');
    const reader = new CsvReader('old.TSV', (await formOf('old.TSV', bytes, {}))!);
    const rows = [...(await reader.read(bytes)), ...(await reader.end())];
    expect(valuesOf(batchOfRows(rows))).toEqual([{ 'a"': 1.5, 'b\\c': '"x\ty\\\n' }]);
  });

  it('finds the delimiter in the header', async () => {
    for (const mark of [',', ';', '|']) {
      expect(await read(`a${mark}"x,;\t|"${mark}c\n1${mark}"2,;"${mark}3`)).toEqual([
        { a: 1, 'x,;\t|': '2,;', c: 3 },
      ]);
    }
  });

  it('asks for the delimiter of one column where the apostrophes of --excel depend on it', async () => {
    expect(await read("\uFEFFa\r\n'=1\r\n")).toEqual([{ a: '=1' }]);
    await expect(read('\uFEFFa\r\n"x,\'=1"\r\n')).rejects.toThrow(
      'does not say what stands between its cells',
    );
    expect(await read('\uFEFFa\r\n"x,\'=1"\r\n', 1, ';')).toEqual([{ a: 'x,=1' }]);
  });

  it('reads back what is written, in every dialect, however it is cut into pieces', async () => {
    const text = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r\n', '=', 'ñ', ' ') });
    const records = fc.array(fc.record({ k: fc.constant(1), a: text, b: text }), {
      minLength: 1,
      maxLength: 8,
    });
    const dialect = fc.record({ excel: fc.boolean(), delimiter: fc.constantFrom(',', ';', '\t') });
    await fc.assert(
      fc.asyncProperty(records, dialect, fc.integer({ min: 1, max: 9 }), async (records, dialect, pieces) => {
        const chunks: Uint8Array[] = [];
        const sink = {
          write: async (bytes: Uint8Array | string) => void chunks.push(Buffer.from(bytes as string)),
        };
        const writer = openCsv(sink, { ...dialect, header: true, single: false, color: false });
        await writer.write(batchOf(...records));
        await writer.end();
        const expected = records.map(({ k, a, b }) => ({ k, a: a || null, b: b || null }));
        expect(await read(Buffer.concat(chunks).toString('utf8'), pieces, dialect.delimiter)).toEqual(
          expected,
        );
      }),
    );
  });
});
