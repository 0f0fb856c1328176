import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PageSizes, type LocalLimit } from '../../src/paging/page-sizes.ts';

describe('sizes of pages', () => {
  const page = (size: number) => ({ offset: 0, size, step: size });

  it.each([
    [1000, [100, 50, 25, 12, 6, 3, 1]],
    [499, [50, 25, 12, 6, 3, 1]],
    [97, [48, 24, 12, 6, 3, 1]],
    [7, [3, 1]],
  ])('are halved, from %i on, the first one down to one that tells what records weigh', (first, expected) => {
    const sizes = new PageSizes(first);
    const asked: number[] = [];
    let [size, limit]: [number, LocalLimit | undefined] = [first, undefined];
    while (size > 1) {
      limit = sizes.refused(page(size), 'large', limit);
      size = sizes.windowAt(0, limit.most).size;
      asked.push(size);
    }
    expect(asked).toEqual(expected);
  });

  it.each([
    ['hardly more than comes', 52, 52],
    ['just what was refused', 500, 158],
    ['more than was refused', 501, 158],
    ['more than comes, and less than was refused', 56, 56],
  ])('are searched for, but where what records weigh explains the refusal: %s', (what, fits, next) => {
    const sizes = new PageSizes(500);
    sizes.refused(page(500), 'large');
    sizes.served(page(50), { count: 50, bytes: Math.floor((5_700_000 / fits) * 50) });
    const { step } = sizes.windowAt(0, next);
    expect([step, sizes.isTrial(step)]).toEqual([next, !what.includes('less than was refused')]);
  });

  it('keep every offset a whole number of pages, for both first pages, whatever is refused and served', () => {
    const answers = fc.array(fc.boolean(), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        answers,
        fc.constantFrom(0, 1),
        (largest, refusals, first) => {
          const sizes = new PageSizes(largest, largest);
          let from = 0;
          let limit: LocalLimit | undefined;
          for (const refused of refusals) {
            const window = sizes.windowAt(from, limit?.most);
            const { offset, size } = window;
            expect(Number.isInteger(offset / size + first)).toBe(true);
            expect(size).toBeLessThanOrEqual(limit?.most ?? largest);
            if (refused && size > 1) limit = sizes.refused(window, 'large', limit);
            else {
              limit = sizes.served(window, { count: size, bytes: size * 100 }, limit);
              from = offset + size;
            }
          }
        },
      ),
    );
  });

  it('follow the weight of the records where it explains the refusal', () => {
    const sizes = new PageSizes(500);
    let limit: LocalLimit | undefined;
    for (const size of [500, 250, 125]) limit = sizes.refused(page(size), 'large', limit);
    limit = sizes.served(page(62), { count: 62, bytes: 62 * 50_000 }, limit);
    expect([limit?.most, sizes.windowAt(0).size]).toEqual([114, 114]);
  });

  it('grow back, one trial at a time, where weight does not explain it', () => {
    const sizes = new PageSizes(500);
    sizes.refused(page(500), 'large');
    sizes.served(page(250), { count: 250, bytes: 250_000 });
    expect([sizes.windowAt(0).size, sizes.windowAt(0).size]).toEqual([500, 250]);
    sizes.served(page(500), { count: 500, bytes: 500_000 });
    expect(sizes.windowAt(0).size).toBe(500);
  });

  it('are tiny after slowness until something came, so that two of them show whether size matters', () => {
    const sizes = new PageSizes(500);
    sizes.slow(500);
    sizes.slow(499);
    expect(sizes.isSlowEvenAt(10)).toBe(false);
    expect(sizes.refused(page(500), 'slow').most).toBe(10);
    sizes.slow(10);
    expect(sizes.isSlowEvenAt(10)).toBe(true);
    sizes.served(page(10), { count: 10, bytes: 100 });
    expect(sizes.isSlowEvenAt(10)).toBe(false);
  });

  it('are tried smaller after slowness, however often, down to one that came', () => {
    const sizes = new PageSizes(500);
    sizes.served(page(10), { count: 10, bytes: 100 });
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

  it('does not ask again for the whole page that was refused, behind the half of it that came', () => {
    const sizes = new PageSizes(22);
    sizes.keepConstant(true);
    sizes.served(sizes.windowAt(0), { count: 22, bytes: 100 });
    const limit = sizes.refused(sizes.windowAt(198), 'large');
    const half = sizes.windowAt(198, limit.most);
    expect(half).toMatchObject({ offset: 198, size: 11 });
    const behind = sizes.served(half, { count: 11, bytes: 100 }, limit);
    expect(behind?.most).toBe(22);
    expect(sizes.windowAt(209, behind?.most).offset).toBe(209);
  });

  it('are one size without overlap when they are kept constant', () => {
    const sizes = new PageSizes(100);
    sizes.keepConstant(true);
    expect([0, 100, 200].map((from) => sizes.windowAt(from))).toEqual([
      { offset: 0, size: 100, step: 100 },
      { offset: 100, size: 100, step: 100 },
      { offset: 200, size: 100, step: 100 },
    ]);
  });

  it('hold the record asked for where the service applies one size to every request', () => {
    const size = fc.integer({ min: 1, max: 3_000 });
    fc.assert(
      fc.property(size, size, fc.nat(20_000), (asked, extra, offset) => {
        const sizes = new PageSizes(asked);
        sizes.rebase(asked + extra, asked);
        const window = sizes.windowAt(offset);
        expect(window.size).toBe(asked + extra);
        expect(window.offset % window.size).toBe(0);
        expect(offset - window.offset).toBeLessThan(window.size);
      }),
    );
  });

  it.each([
    [10, 11, '2520+10'],
    [10, 19, '2520+10'],
    [10, 20, '2519+11'],
    [10, Infinity, '2519+11'],
    [9, Infinity, '2520+9'],
  ])(
    'of %i exceed that, where no such page overlaps, only if the service takes 9 more: at most %i',
    (size, cap, asked) => {
      const window = new PageSizes(size, cap).windowAt(2520);
      expect(`${window.offset}+${window.size}`).toBe(asked);
    },
  );

  it('adjoin where a page may not begin any earlier', () => {
    const sizes = new PageSizes(10);
    expect(sizes.windowAt(20, Infinity, 20)).toEqual({ offset: 20, size: 10, step: 10 });
    expect(sizes.windowAt(20, Infinity, 19).offset).toBeLessThan(20);
    expect(sizes.windowAt(20, 4)).toEqual({ offset: 18, size: 3, step: 4 });
  });
});
