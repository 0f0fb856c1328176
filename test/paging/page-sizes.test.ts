import { describe, expect, it } from 'vitest';
import { PageSizes, Place } from '../../src/paging/page-sizes.ts';
import { PageRefused } from '../../src/paging/page.ts';
import { WalkStatus } from '../../src/paging/walk-status.ts';

const refusal = new PageRefused('large', new Error('502'));

describe('sizes of pages', () => {
  it('are tried smaller after slowness, however often, down to one that came', () => {
    const sizes = new PageSizes(500);
    sizes.serve({ offset: 0, size: 10, nominal: 10 }, { count: 10, bytes: 100 }, false);
    sizes.slow(40);
    sizes.slow(20);
    expect([20, 11, 10].map((size) => sizes.isSlowEvenAt(size))).toEqual([false, false, true]);
  });

  it('do not bring the whole page again that was refused, behind the half of it that came', () => {
    const sizes = new PageSizes(22);
    sizes.keepConstant(true);
    expect([0, 22, 44].map((from) => sizes.beginPage(from).offset)).toEqual([0, 22, 44]);
    sizes.serve(sizes.beginPage(0), { count: 22, bytes: 100 }, false);
    const place = new Place(sizes, new WalkStatus());
    place.refuse(sizes.beginPage(198), refusal, { onRefusal: 'shrink' });
    const half = sizes.beginPage(198, place.moveTo(198));
    expect(half).toMatchObject({ offset: 198, size: 11 });
    place.came(half, { count: 11, bytes: 100 });
    expect(sizes.beginPage(209, place.moveTo(209))).toMatchObject({ offset: 209, size: 11 });
    expect(place.moveTo(220)).toBe(Infinity);
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
      const window = new PageSizes(size, cap).beginPage(2520);
      expect(`${window.offset}+${window.size}`).toBe(expected);
    },
  );
});
