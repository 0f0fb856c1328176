import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CsvReader } from '../../../src/query/exports/csv-reader.ts';
import { batchOfRows, type Row } from '../../../src/query/rows.ts';
import { openCsv } from '../../../src/output/csv/csv.ts';
import { batchOf, valuesOf } from '../batches.ts';

function read(text: string, pieces = 1): Record<string, unknown>[] {
  const reader = new CsvReader('old.csv');
  const size = Math.max(1, Math.ceil(text.length / pieces));
  const rows: Row[] = [];
  for (let at = 0; at < text.length; at += size) rows.push(...reader.read(text.slice(at, at + size)));
  return valuesOf(batchOfRows([...rows, ...reader.end()]));
}

describe('CsvReader', () => {
  it('makes numbers of digits, text of the rest, and nothing of empty cells', () => {
    expect(read('a,b.c,d\n1.50,x,\n"007","","1,5"\n')).toEqual([
      { a: 1.5, 'b.c': 'x', d: null },
      { a: '007', 'b.c': null, d: '1,5' },
    ]);
  });

  it('finds the delimiter in the header', () => {
    for (const mark of [',', ';', '\t', '|']) {
      expect(read(`a${mark}"x,;\t|"${mark}c\n1${mark}"2,;"${mark}3`)).toEqual([
        { a: 1, 'x,;\t|': '2,;', c: 3 },
      ]);
    }
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
        expect(read(Buffer.concat(chunks).toString('utf8'), pieces)).toEqual(expected);
      }),
    );
  });
});
