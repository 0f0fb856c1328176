import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FiscalIds, normalizeFiscalId } from '../../src/sandbox/data/fiscal-id.ts';

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
