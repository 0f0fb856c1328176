import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { divisorChain, PageSizes } from '../../src/paging/page-sizes.ts';

describe('sizes of pages', () => {
  it('shrink along divisors of the first', () => {
    expect(divisorChain(1000)).toEqual([1000, 500, 250, 125, 25, 5, 1]);
    expect(divisorChain(7)).toEqual([7, 1]);
    expect(divisorChain(1)).toEqual([1]);
  });

  it('keep every offset a whole number of pages, for both first pages, whatever is refused and served', () => {
    const answers = fc.array(fc.boolean(), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2000 }),
        answers,
        fc.constantFrom(0, 1),
        (largest, refusals, first) => {
          const sizes = new PageSizes(largest);
          let from = 0;
          let most: number | undefined;
          for (const refused of refusals) {
            const window = sizes.windowAt(from, most);
            const { offset, size, step } = window;
            expect(Number.isInteger(offset / size + first)).toBe(true);
            expect(size).toBeLessThanOrEqual(step);
            expect(largest % step).toBe(0);
            expect(step).toBeLessThanOrEqual(most ?? largest);
            most = refused && size > 1 ? sizes.refused(window) : undefined;
            if (most !== undefined) continue;
            sizes.served(window, size, size * 100);
            from = offset + size;
          }
        },
      ),
    );
  });

  const windowOf = (step: number) => ({ offset: 0, size: step, step });

  it('do not grow back to what is known not to fit 6 MB', () => {
    const sizes = new PageSizes(500);
    sizes.refused(windowOf(500));
    for (let page = 0; page < 20; page++) sizes.served(windowOf(250), 250, 250 * 13_000);
    expect(sizes.windowAt(500).step).toBe(250);
  });

  it('grow back, one trial at a time, where it fits', () => {
    const sizes = new PageSizes(500);
    sizes.refused(windowOf(500));
    sizes.served(windowOf(250), 250, 250 * 1_000);
    expect([sizes.windowAt(1000).step, sizes.windowAt(1500).step]).toEqual([500, 250]);
    sizes.served(windowOf(500), 500, 500_000);
    expect(sizes.windowAt(2000).step).toBe(500);
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
});
