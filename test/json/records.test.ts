import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CellReader } from '../../src/json/cells.ts';
import {
  paced,
  recordBytes,
  selectRecords,
  sliceRecords,
  wholeRecords,
  type RecordBatch,
} from '../../src/json/records.ts';
import { scanArray, withOwnColumn } from '../../src/json/scan-records.ts';
import { idsOf, textsOf } from '../support/records.ts';

/** The records with a column of folio's own. */
const named = (batch: RecordBatch): RecordBatch =>
  withOwnColumn(batch, { name: '_profile', value: '"nörth"' });

/** The columns, and the cells of each record. */
function cellsOf(batch: RecordBatch) {
  const reader = new CellReader();
  const rows = Array.from({ length: batch.count }, (_, index) => reader.read(batch, index));
  return { columns: reader.columns, rows };
}

describe('a column of folio’s own', () => {
  it.each([
    ['{"id":1}', '{"_profile":"nörth","id":1}'],
    ['{}', '{"_profile":"nörth"}'],
    ['{ \n}', '{"_profile":"nörth" \n}'],
    ['{ "a" : 1E2 }', '{"_profile":"nörth", "a" : 1E2 }'],
  ])('is the first member of the whole record: %s', (before, after) => {
    const batch = named(scanArray(Buffer.from(`[${before}]`)));
    expect(() => textsOf(batch)).toThrow('the bytes of the records do not have _profile');
    expect(textsOf({ ...batch, own: undefined })).toEqual([before]);
    expect(textsOf(wholeRecords(batch))).toEqual([after]);
    expect(JSON.parse(after)).toEqual({ _profile: 'nörth', ...(JSON.parse(before) as object) });
  });

  it('changes nothing else, and knows the same identities', () => {
    const record = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    const withId = fc.tuple(record, fc.option(fc.integer(), { nil: undefined }));
    fc.assert(
      fc.property(fc.array(withId), fc.nat(2), (entries, space) => {
        const records = entries.map(([fields, id]) => (id === undefined ? fields : { id, ...fields }));
        const before = scanArray(Buffer.from(JSON.stringify(records, undefined, space)));
        const after = wholeRecords(named(before));
        const read = textsOf(after).map((text) => JSON.parse(text) as object);
        const were = textsOf(before).map((text) => JSON.parse(text) as object);
        expect(read).toEqual(were.map((one) => ({ _profile: 'nörth', ...one })));
        expect(idsOf(after)).toEqual(idsOf(before));
      }),
    );
  });

  it.each([
    ['{"a":1,"_profile":2,"b":3}', '{"_profile":"nörth","a":1,"\\\\_profile":2,"b":3}'],
    [
      '{ "x" : { "_profile" : 1 } , "\\u005fprofile" : "_profile" }',
      '{"_profile":"nörth", "x" : { "_profile" : 1 } , "\\\\_profile" : "_profile" }',
    ],
    ['{"_profiles":1}', '{"_profile":"nörth","_profiles":1}'],
    ['{"_profile":1,"_profile":2}', '{"_profile":"nörth","\\\\_profile":1,"\\\\_profile":2}'],
  ])('leaves its name to no member of a record: %s', (before, after) => {
    expect(textsOf(wholeRecords(named(scanArray(Buffer.from(`[{},${before}]`)))))[1]).toBe(after);
  });

  it('takes the records of a selection alone', () => {
    const batch = selectRecords(scanArray(Buffer.from('[{"id":1},{"id":2},{"id":3}]')), [2, 0]);
    const whole = wholeRecords(withOwnColumn(batch, { name: 'a', value: '0' }));
    expect(textsOf(whole)).toEqual(['{"a":0,"id":3}', '{"a":0,"id":1}']);
  });

  it('has the cells that the whole records have, whatever members these have', () => {
    const name = fc.constantFrom('_profile', '\\_profile', '_profile.a', 'a', 'id');
    const inner = fc.dictionary(name, fc.integer(), { maxKeys: 2 });
    const value = fc.oneof(fc.constantFrom(null, true, 'text', 'a"b', 1.5), inner);
    fc.assert(
      fc.property(fc.array(fc.dictionary(name, value, { maxKeys: 4 })), fc.nat(2), (records, space) => {
        const batch = named(scanArray(Buffer.from(JSON.stringify(records, undefined, space))));
        const { columns, rows } = cellsOf(batch);
        expect({ columns, rows }).toEqual(cellsOf(wholeRecords(batch)));
        expect(rows.map(([first]) => first?.text)).toEqual(records.map(() => 'nörth'));
        // A reader may meet both forms of the records, one after the other.
        const reader = new CellReader(['a', '_profile']);
        const both = [batch, wholeRecords(batch)].map((form) =>
          Array.from({ length: form.count }, (_, index) => reader.read(form, index)),
        );
        expect(both[1]).toEqual(both[0]);
      }),
    );
  });
});

describe('parts of a batch', () => {
  const batch = scanArray(Buffer.from('[{"id":1},{"a":2},{"id":"c"},{"id":4}]'));

  it('have the texts and the identities of their records', () => {
    const chosen = selectRecords(batch, [3, 1, 2]);
    expect(textsOf(chosen)).toEqual(['{"id":4}', '{"a":2}', '{"id":"c"}']);
    expect(idsOf(chosen)).toEqual(['4', undefined, '"c"']);
    expect(recordBytes(chosen, 2).toString()).toBe('{"id":"c"}');
  });

  it.each([
    [1, 3, ['{"a":2}', '{"id":"c"}']],
    [-5, 1, ['{"id":1}']],
    [3, 99, ['{"id":4}']],
    [2, 2, []],
    [3, 1, []],
    [9, 12, []],
  ])('are those from %i up to %i', (from, to, texts) => {
    const part = sliceRecords(batch, from, to);
    expect([textsOf(part), idsOf(part).length]).toEqual([texts, texts.length]);
  });

  const sizesOf = async (texts: string[]): Promise<number[]> => {
    const sizes: number[] = [];
    const { signal } = new AbortController();
    const source = async function* () {
      yield scanArray(Buffer.from(`[${texts.join()}]`));
    };
    for await (const piece of paced(source(), { signal })) sizes.push(piece.count);
    return sizes;
  };

  it('are 4,000 records at most where they are paced', async () => {
    expect(await sizesOf(Array<string>(4_000).fill('{}'))).toEqual([4_000]);
    expect(await sizesOf(Array<string>(8_001).fill('{}'))).toEqual([4_000, 4_000, 1]);
  });

  it('are a megabyte at most, but for a record that is larger', async () => {
    const large = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;
    expect(await sizesOf([large(500_000), large(500_000), large(500_000)])).toEqual([2, 1]);
    expect(await sizesOf([large(2_000_000), large(10)])).toEqual([1, 1]);
    expect(await sizesOf([])).toEqual([0]);
  });
});
