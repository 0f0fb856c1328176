import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PageSizes, Place } from '../../src/paging/page-sizes.ts';
import { PageRefused, type RefusalReason } from '../../src/paging/page.ts';
import { WalkStatus } from '../../src/paging/walk-status.ts';

const windowOf = (size: number) => ({ offset: 0, size, nominal: size });
const refusal = (reason: RefusalReason): PageRefused => new PageRefused(reason, new Error('502'));

describe('sizes of pages', () => {
  it.each([
    ['large', 1000, [100, 50, 25, 12, 6, 3, 1]],
    ['large', 499, [50, 25, 12, 6, 3, 1]],
    ['large', 97, [48, 24, 12, 6, 3, 1]],
    ['large', 7, [3, 1]],
    ['slow', 500, [500, 10, 10]],
  ] as const)(
    'are halved where they are too %s, from %i on, the first one down to one that shows what records weigh',
    (reason, first, expected) => {
      const sizes = new PageSizes(first);
      const place = new Place(sizes, new WalkStatus());
      const requested: number[] = [];
      for (let size: number = first; size > 1; requested.push(size)) {
        const onRefusal = place.onRefusal(size, false);
        if (onRefusal === 'retry') break;
        place.refuse(sizes.windowAt(0, place.mostAt(0)), refusal(reason), { onRefusal });
        size = sizes.windowAt(0, place.mostAt(0)).size;
      }
      expect(requested).toEqual(expected);
    },
  );

  it.each([
    ['hardly more than comes', 52, 52],
    ['just what was refused', 500, 158],
    ['more than was refused', 501, 158],
    ['more than comes, and less than was refused', 56, 56],
  ])('are searched for, but where what records weigh explains the refusal: %s', (what, fits, next) => {
    const sizes = new PageSizes(500);
    sizes.refuse(windowOf(500), 'large', true);
    sizes.serve(windowOf(50), { count: 50, bytes: Math.floor((5_700_000 / fits) * 50) }, false);
    const { nominal } = sizes.windowAt(0, next);
    expect([nominal, sizes.isTrial(nominal)]).toEqual([next, !what.includes('less than was refused')]);
  });

  it('keep every offset a whole number of pages, for both first pages, whatever is refused and served', () => {
    const answers = fc.array(fc.boolean(), { minLength: 1, maxLength: 60 });
    const largest = fc.integer({ min: 1, max: 2000 });
    fc.assert(
      fc.property(largest, answers, fc.constantFrom(0, 1), (most, refusals, first) => {
        const sizes = new PageSizes(most, most);
        const place = new Place(sizes, new WalkStatus());
        let from = 0;
        for (const refused of refusals) {
          const window = sizes.windowAt(from, place.mostAt(from));
          const { offset, size } = window;
          expect(Number.isInteger(offset / size + first)).toBe(true);
          expect(size).toBeLessThanOrEqual(Math.min(place.mostAt(from), most));
          if (refused && size > 1) place.refuse(window, refusal('large'), { onRefusal: 'shrink' });
          else {
            place.came(window, { count: size, bytes: size * 100 });
            from = offset + size;
          }
        }
      }),
    );
  });

  it('grow back, one trial at a time, where weight does not explain a refusal', () => {
    const sizes = new PageSizes(500);
    sizes.refuse(windowOf(500), 'large', true);
    sizes.serve(windowOf(250), { count: 250, bytes: 250_000 }, false);
    expect([sizes.windowAt(0).size, sizes.windowAt(0).size]).toEqual([500, 250]);
    expect(sizes.refused).toBe(500);
    sizes.serve(windowOf(500), { count: 500, bytes: 500_000 }, false);
    expect([sizes.windowAt(0).size, sizes.refused]).toEqual([500, Infinity]);
  });

  it('are tried smaller after slowness, however often, down to one that came', () => {
    const sizes = new PageSizes(500);
    sizes.serve(windowOf(10), { count: 10, bytes: 100 }, false);
    sizes.slow(40);
    sizes.slow(20);
    expect([20, 11, 10].map((size) => sizes.isSlowEvenAt(size))).toEqual([false, false, true]);
  });

  it('lose little to the overlap', () => {
    const sizes = new PageSizes(1000);
    let pages = 0;
    for (let from = 0; from < 100_000; pages++) {
      const { offset, size } = sizes.windowAt(from);
      from = offset + size;
    }
    expect(pages).toBeLessThanOrEqual(105);
  });

  it('do not bring the whole page again that was refused, behind the half of it that came', () => {
    const sizes = new PageSizes(22);
    sizes.keepConstant(true);
    expect([0, 22, 44].map((from) => sizes.windowAt(from).offset)).toEqual([0, 22, 44]);
    sizes.serve(sizes.windowAt(0), { count: 22, bytes: 100 }, false);
    const place = new Place(sizes, new WalkStatus());
    place.refuse(sizes.windowAt(198), refusal('large'), { onRefusal: 'shrink' });
    const half = sizes.windowAt(198, place.mostAt(198));
    expect(half).toMatchObject({ offset: 198, size: 11 });
    place.came(half, { count: 11, bytes: 100 });
    expect(sizes.windowAt(209, place.mostAt(209))).toMatchObject({ offset: 209, size: 11 });
    expect(place.mostAt(220)).toBe(Infinity);
  });

  it.each([
    [10, 11, '2520+10'],
    [10, 19, '2520+10'],
    [10, 20, '2519+11'],
    [10, Infinity, '2519+11'],
    [9, Infinity, '2520+9'],
  ])(
    'of %i exceed that, where no such page overlaps, only if the service takes 9 more: at most %i',
    (size, cap, expected) => {
      const window = new PageSizes(size, cap).windowAt(2520);
      expect(`${window.offset}+${window.size}`).toBe(expected);
    },
  );

  it('adjoin where a page may not begin any earlier', () => {
    const sizes = new PageSizes(10);
    expect(sizes.windowAt(20, Infinity, 20)).toEqual({ offset: 20, size: 10, nominal: 10 });
    expect(sizes.windowAt(20, Infinity, 19).offset).toBeLessThan(20);
    expect(sizes.windowAt(20, 4)).toEqual({ offset: 18, size: 3, nominal: 4 });
  });
});
