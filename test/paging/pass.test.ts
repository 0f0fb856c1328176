import { describe, expect, it } from 'vitest';
import { Pass } from '../../src/paging/pass.ts';
import { UniqueRecords } from '../../src/paging/unique-records.ts';
import { batchOf, textsOf } from '../support/records.ts';

/** Pages of records by their ids, each with where it begins and what it was asked for; the records that each adds, in how many steps. */
function joined(
  pass: Pass,
  pages: readonly (readonly [offset: number, from: number, ids: readonly (number | object)[]])[],
) {
  return pages.map(([offset, from, ids]) => {
    const records = batchOf(...ids.map((id) => (typeof id === 'number' ? { id } : id)));
    const joining = pass.join({ offset, from, records, isLast: false, revision: pass.arrived(5000) });
    for (let steps = 1; ; steps++) {
      const { done, value } = joining.next();
      if (done === true) return { steps, texts: textsOf(value) };
    }
  });
}

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, at) => from + at);

describe('pages that are joined', () => {
  it('lose what the page before had, where they have it in common', () => {
    const pass = new Pass(new UniqueRecords());
    const [, second] = joined(pass, [
      [0, 0, [0, 1, 2]],
      [2, 3, [2, 3]],
    ]);
    expect([second!.texts, pass.moved, pass.pages]).toEqual([['{"id":3}'], false, 2]);
  });

  it('are compared in steps of 256 records', () => {
    const one = (pages: Parameters<typeof joined>[1]): number[] =>
      joined(new Pass(new UniqueRecords()), pages).map(({ steps }) => steps);
    // All of the page before comes again, and only its last record, elsewhere.
    expect(
      one([
        [0, 0, range(0, 1000)],
        [0, 1000, range(0, 1000)],
      ])[1],
    ).toBe(1 + 3);
    expect(
      one([
        [0, 0, range(0, 1000)],
        [990, 1000, [...range(2000, 2900), 999]],
      ])[1],
    ).toBe(1 + 3);
    const [whole, page] = [new Pass(new UniqueRecords()), [0, 0, range(0, 1000)] as const];
    joined(whole, [page]);
    expect(joined(new Pass(new UniqueRecords(), { rereads: [], whole }), [page])[0]!.steps).toBe(1 + 3);
  });

  it('have a gap between them also where a page without records is between them', () => {
    const pass = new Pass(new UniqueRecords());
    joined(pass, [
      [0, 0, [0, 1, 2]],
      [3, 3, []],
      [2, 3, [7, 8]],
    ]);
    expect([pass.gaps, pass.pages]).toEqual([1, 3]);
  });

  it('have no gap between them where the last record of the page before has changed and gone on', () => {
    const pass = new Pass(new UniqueRecords());
    const [, second] = joined(pass, [
      [0, 0, [0, 1, 2]],
      [2, 3, [9, { id: 2, paid: true }, 3]],
    ]);
    expect(second!.texts).toHaveLength(3);
    expect([pass.gaps, pass.changedAtBorder, pass.moved, pass.isQuietlyShifted]).toEqual([0, 1, true, true]);
  });

  it('have a gap between them where they have nothing in common', () => {
    const pass = new Pass(new UniqueRecords());
    joined(pass, [
      [0, 0, [0, 1, 2]],
      [2, 3, [7, 8]],
    ]);
    expect([pass.gaps, pass.moved, pass.isQuietlyShifted, pass.mayRepeat]).toEqual([1, true, true, true]);
    expect(pass.toReadAgain(3).map(({ from, to }) => [from, to])).toEqual([[0, 3]]);
  });

  it('are read again in one region, where regions touch', () => {
    const pass = new Pass(new UniqueRecords());
    joined(pass, [
      [0, 0, range(0, 10)],
      [9, 10, range(50, 60)],
      [18, 19, range(59, 69)],
      [27, 28, range(80, 90)],
      [36, 37, range(89, 125)],
      [71, 72, range(200, 210)],
    ]);
    expect(pass.toReadAgain(10).map(({ from, to }) => [from, to])).toEqual([
      [0, 30],
      [60, 80],
    ]);
  });
});
