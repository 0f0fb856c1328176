import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecordIds } from '../../../src/sandbox/data/ids.ts';
import { Ledger } from '../../../src/sandbox/data/ledger.ts';
import { Ordering, shuffleTies, sortKeys, type RecordView } from '../../../src/sandbox/data/ordering.ts';
import { Parties } from '../../../src/sandbox/data/parties.ts';

function ledgerOf(size: { seed: number; count: number; parties: number; dated: boolean }): Ledger {
  const ids = new RecordIds(size.seed);
  const parties = new Parties(ids, {
    count: size.parties,
    firstFiscalId: 60_000_000,
    kind: 'customer',
    awkward: true,
  });
  return new Ledger({ ...size, ids, parties, owner: '1-9', today: 20_000, awkward: true });
}

function positions(view: RecordView): number[] {
  return Array.from({ length: view.total }, (_, position) => view.at(position));
}

describe('Ordering', () => {
  it.each(sortKeys)('sorts by %s as a plain stable sort does', (key) => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(300), fc.boolean(), (seed, count, dated) => {
        const ledger = ledgerOf({ seed, count, parties: 7, dated });
        const trait = {
          NUMBER: (index: number) => ledger.numberOf(index),
          DATE: (index: number) => ledger.dayOf(index),
          // After all others where there is none.
          DUE_BY: (index: number) =>
            ledger.presenceOf('dueBy', index) === 'there' ? ledger.dueDayOf(index) : 1e9,
          AMOUNT: (index: number) => ledger.totalOf(index),
        }[key];
        const plain = Array.from({ length: count }, (_, index) => index).sort((a, b) => trait(a) - trait(b));
        const ordering = new Ordering(ledger);
        expect(positions(ordering.view(key, false))).toEqual(plain);
        expect(positions(ordering.view(key, true))).toEqual(plain.toReversed());
      }),
    );
  });

  it('can have records of an equal key in another order, each once', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(300), fc.nat(), fc.boolean(), (seed, count, salt, descending) => {
        const ledger = ledgerOf({ seed, count, parties: 7, dated: false });
        const view = new Ordering(ledger).view('DATE', descending);
        const shuffled = shuffleTies(view, (index) => ledger.dayOf(index), salt);
        const days = (indices: readonly number[]): number[] => indices.map((index) => ledger.dayOf(index));
        expect(days(positions(shuffled))).toEqual(days(positions(view)));
        expect(positions(shuffled).toSorted((a, b) => a - b)).toEqual(
          positions(view).toSorted((a, b) => a - b),
        );
      }),
    );
  });

  it('without a key leaves the records as they arrived', () => {
    const ordering = new Ordering(ledgerOf({ seed: 1, count: 5, parties: 1, dated: false }));
    expect(positions(ordering.view(undefined, false))).toEqual([0, 1, 2, 3, 4]);
  });

  it('filters in order, and only once for pages of the same listing', () => {
    const ordering = new Ordering(ledgerOf({ seed: 1, count: 50, parties: 3, dated: true }));
    const asked: number[] = [];
    const even = (index: number): boolean => asked.push(index) > 0 && index % 2 === 0;
    const view = ordering.view('AMOUNT', true);
    const filtered = ordering.filtered('even', view, even);
    expect(positions(filtered)).toEqual(positions(view).filter((index) => index % 2 === 0));
    expect(ordering.filtered('even', view, even)).toBe(filtered);
    expect(asked.length).toBe(50);
    for (const name of ['a', 'b', 'c', 'd']) ordering.filtered(name, view, even);
    expect(ordering.filtered('even', view, even)).not.toBe(filtered);
  });
});
