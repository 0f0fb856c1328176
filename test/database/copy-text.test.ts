import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CopyRows, readCopyLine } from '../../src/database/copy-text.ts';
import { RecordCells } from '../../src/database/record-rows.ts';
import { TableColumns } from '../../src/database/table-columns.ts';
import type { StoredRow } from '../../src/database/database.ts';
import { scanArray } from '../../src/json/scan-records.ts';
import { postgresDialect } from '../../src/database/postgres.ts';

/** The lines that were put, as COPY would write them back. */
function linesOf(put: (rows: CopyRows) => void): StoredRow[] {
  const rows = new CopyRows();
  put(rows);
  const text = Buffer.concat(rows.takeRest()).toString('utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text.slice(0, -1).split('\n').map(readCopyLine);
}

const anyText = fc.string({ unit: 'grapheme', maxLength: 40 });
const awkward = fc.string({
  unit: fc.constantFrom('\\', '\t', '\n', '\r', '\b', '\f', '\v', '\x01', 'N', 'ñ', '"'),
});
const text = fc.oneof(anyText, awkward).map((drawn) => drawn.replaceAll('\0', ''));

describe('rows for COPY', () => {
  it('mean what was put', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.option(text)), { minLength: 1 }), (pairs) => {
        const put = (rows: CopyRows): void => {
          for (const pair of pairs) {
            for (const value of pair) rows.put(value);
            rows.endRow();
          }
        };
        expect(linesOf(put)).toEqual(pairs);
      }),
    );
  });

  it('hold the cells of records, however these are spelled', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ a: text, b: fc.option(text), c: fc.array(text, { maxLength: 3 }), d: fc.integer() }),
          {
            minLength: 1,
            maxLength: 9,
          },
        ),
        fc.constantFrom(undefined, 1, '\t'),
        (records, indent) => {
          const batch = scanArray(Buffer.from(JSON.stringify(records, undefined, indent)));
          const columns = new TableColumns(postgresDialect, [], []);
          for (const name of ['a', 'b', 'c', 'd']) columns.note(name, 'text');
          const cells = new RecordCells(columns);
          const lines = linesOf((rows) => {
            for (let index = 0; index < batch.count; index++) cells.putInto(rows, batch, index);
          });
          expect(lines.map(([raw]) => JSON.parse(String(raw)))).toEqual(records);
          expect(lines.map(([, ...shown]) => shown)).toEqual(
            records.map(({ a, b, c, d }) => [a, b, JSON.stringify(c), String(d)]),
          );
        },
      ),
    );
  });

  it('count a record with NUL once, and none that has but the letters of its escape', () => {
    const texts = [
      ['\0', String.raw`\u0000`],
      ['\0', '\0'],
      [String.raw`\u0000`, ''],
    ];
    const batch = scanArray(Buffer.from(JSON.stringify(texts.map(([a, b]) => ({ a, b })))));
    const columns = new TableColumns(postgresDialect, [], []);
    for (const name of ['a', 'b']) columns.note(name, 'text');
    const cells = new RecordCells(columns);
    const lines = linesOf((rows) => texts.forEach((_, index) => cells.putInto(rows, batch, index)));
    expect(lines.map(([, ...shown]) => shown)).toEqual(
      texts.map((cells) => cells.map((text) => text.replace('\0', '\uFFFD'))),
    );
    expect(cells.withNul).toBe(2);
  });

  it('are handed on in pieces, whatever their size', () => {
    const long = `${'x'.repeat(300_000)}\\`;
    const rows = new CopyRows();
    const pieces: Buffer[] = [];
    for (const value of ['a', long, 'b', long]) {
      rows.put(value);
      rows.endRow();
      pieces.push(...rows.takeFull());
    }
    expect(pieces.length).toBeGreaterThan(1);
    pieces.push(...rows.takeRest());
    expect(Buffer.concat(pieces).toString()).toBe(`a\n${long}\\\nb\n${long}\\\n`);
  });
});
