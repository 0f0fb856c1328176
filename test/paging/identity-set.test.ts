import { describe, expect, it } from 'vitest';
import { scanArray } from '../../src/json/scan-records.ts';
import { IdentitySet } from '../../src/paging/unique-records.ts';

const batchOf = (...records: string[]) => scanArray(Buffer.from(`[${records.join()}]`));

describe('IdentitySet', () => {
  it('knows a record by its id, whatever else it says', () => {
    const seen = new IdentitySet();
    const batch = batchOf(
      '{"id":"a","v":1}',
      '{"v":2,"id":"a"}',
      '{"id":"b","v":1}',
      '{"id":1}',
      '{"id":"1"}',
    );
    expect([0, 1, 2, 3, 4].map((index) => seen.add(batch, index))).toEqual([true, false, true, true, true]);
    expect(seen.size).toBe(4);
    expect(seen.has(batch, 1)).toBe(true);
    expect(seen.has(batchOf('{"id":"c"}'), 0)).toBe(false);
  });

  it('knows a record without an id by its bytes and which of the equal ones it is', () => {
    const seen = new IdentitySet();
    const batch = batchOf('{"n":1}', '{"n":1}', '{"n":2}');
    expect(seen.add(batch, 0, 0)).toBe(true);
    expect(seen.add(batch, 1, 1)).toBe(true);
    expect(seen.add(batch, 1, 0)).toBe(false);
    expect(seen.has(batch, 0, 1)).toBe(true);
    expect(seen.has(batch, 0, 2)).toBe(false);
    expect(seen.add(batch, 2)).toBe(true);
  });

  it('tells 200,000 look-alike identities apart, through every growth of its tables', () => {
    const seen = new IdentitySet();
    const numbers = batchOf(...Array.from({ length: 100_000 }, (_, id) => `{"id":${id}}`));
    const names = batchOf(
      ...Array.from({ length: 100_000 }, (_, id) => `{"id":"inv_${String(id).padStart(12, '0')}"}`),
    );
    for (const batch of [numbers, names])
      for (let index = 0; index < batch.count; index++) seen.add(batch, index);
    expect(seen.size).toBe(200_000);
    for (const batch of [numbers, names])
      for (let index = 0; index < batch.count; index++) seen.add(batch, index);
    expect(seen.size).toBe(200_000);
  });

  it('spreads identities that differ in one bit', () => {
    const seen = new IdentitySet();
    const texts = Array.from(
      { length: 64 * 64 },
      (_, index) => `{"x":"${'@'.repeat(index % 64)}A${'@'.repeat(63 - (index % 64))}${index >> 6}"}`,
    );
    const batch = batchOf(...texts);
    for (let index = 0; index < batch.count; index++) seen.add(batch, index);
    expect(seen.size).toBe(new Set(texts).size);
  });
});
