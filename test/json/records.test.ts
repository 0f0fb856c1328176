import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prependMember } from '../../src/json/records.ts';
import { selectRecords } from '../../src/json/records.ts';
import { scanArray } from '../../src/json/scan-records.ts';
import { textsOf } from '../support/records.ts';

const MEMBER = '"_profile":"north"';

function idsOf(batch: ReturnType<typeof scanArray>): (string | undefined)[] {
  return Array.from({ length: batch.count }, (_, index) => {
    const [start, end] = [batch.ids[2 * index]!, batch.ids[2 * index + 1]!];
    return start < 0 ? undefined : batch.bytes.toString('utf8', start, end);
  });
}

describe('prependMember', () => {
  it.each([
    ['{"id":1}', '{"_profile":"north","id":1}'],
    ['{}', '{"_profile":"north"}'],
    ['{ \n}', '{"_profile":"north" \n}'],
    ['{ "a" : 1E2 }', '{"_profile":"north", "a" : 1E2 }'],
  ])('%s', (before, after) => {
    const batch = prependMember(scanArray(Buffer.from(`[${before}]`)), MEMBER);
    expect(textsOf(batch)).toEqual([after]);
    expect(JSON.parse(after)).toEqual({ _profile: 'north', ...(JSON.parse(before) as object) });
  });

  it('changes nothing else, and knows the same identities', () => {
    const record = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
    const withId = fc.tuple(record, fc.option(fc.integer(), { nil: undefined }));
    fc.assert(
      fc.property(fc.array(withId), fc.nat(2), (entries, space) => {
        const records = entries.map(([fields, id]) => (id === undefined ? fields : { id, ...fields }));
        const before = scanArray(Buffer.from(JSON.stringify(records, undefined, space)));
        const after = prependMember(before, MEMBER);
        const read = textsOf(after).map((text) => JSON.parse(text) as object);
        const expected = textsOf(before).map((text) => ({
          _profile: 'north',
          ...(JSON.parse(text) as object),
        }));
        expect(read).toEqual(expected);
        expect(idsOf(after)).toEqual(idsOf(before));
      }),
    );
  });

  it('takes the records of a selection alone', () => {
    const batch = selectRecords(scanArray(Buffer.from('[{"id":1},{"id":2},{"id":3}]')), [2, 0]);
    expect(textsOf(prependMember(batch, '"a":0'))).toEqual(['{"a":0,"id":3}', '{"a":0,"id":1}']);
  });
});
