import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FiscalIds, normalizeFiscalId, RecordIds } from '../../../src/sandbox/data/ids.ts';

it('an id leads to its record, in its own organization and as it is', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(5_000_000), fc.nat(23), (seed, index, at) => {
      const id = new RecordIds(seed).of(index);
      expect(id).toMatch(/^[0-9a-f]{24}$/);
      expect(new RecordIds(seed).indexOf(id, index + 1)).toBe(index);
      expect(new RecordIds(seed).indexOf(id, index)).toBe(-1);
      expect(new RecordIds(seed + 1).indexOf(id, index + 1)).toBe(-1);
      const changed = id.slice(0, at) + (id[at] === '0' ? '1' : '0') + id.slice(at + 1);
      expect(new RecordIds(seed).indexOf(changed, 2 ** 32)).toBe(-1);
    }),
  );
  expect(new RecordIds(1).indexOf('', 10)).toBe(-1);
});

describe('fiscal IDs', () => {
  it.each([
    ['86.345.678-9', '863456789'],
    [' 80765432-k ', '80765432K'],
    ['80765432K', '80765432K'],
  ])('normalizes %j to %j', (text, normalized) => {
    expect(normalizeFiscalId(text)).toBe(normalized);
  });

  it.each([
    [12_345_678, '12345678-5'],
    [11_111_111, '11111111-1'],
    [20_347_878, '20347878-k'],
  ])('has the check digit of %i', (number, text) => {
    expect(new FiscalIds(number, 1).of(0)).toBe(text);
  });

  it('finds each by its normalized text, and none else', () => {
    const ids = new FiscalIds(61_000_000, 1000);
    fc.assert(
      fc.property(fc.nat(1200), (index) => {
        expect(ids.indexOf(normalizeFiscalId(ids.of(index)))).toBe(index < 1000 ? index : -1);
      }),
    );
    for (const text of ['', 'K', '1', '610000000', '6.1e7', 'x'.repeat(9)])
      expect(ids.indexOf(text)).toBe(-1);
  });
});
