import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PageSizes, Place } from '../../src/paging/page-sizes.ts';
import { PageRefused } from '../../src/paging/page.ts';
import { WalkStatus } from '../../src/paging/walk-status.ts';

const refusal = new PageRefused('large', new Error('502'));

describe('sizes of pages', () => {
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
          if (refused && size > 1) place.refuse(window, refusal, { onRefusal: 'shrink' });
          else {
            place.came(window, { count: size, bytes: size * 100 });
            from = offset + size;
          }
        }
      }),
    );
  });

  it('are tried smaller after slowness, however often, down to one that came', () => {
    const sizes = new PageSizes(500);
    sizes.serve({ offset: 0, size: 10, nominal: 10 }, { count: 10, bytes: 100 }, false);
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
    place.refuse(sizes.windowAt(198), refusal, { onRefusal: 'shrink' });
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
