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
          let offset = 0;
          for (const refused of refusals) {
            const size = sizes.sizeAt(offset);
            expect(largest % size).toBe(0);
            expect(Number.isInteger(offset / size + first)).toBe(true);
            if (refused && size > 1) sizes.refused(size);
            else {
              sizes.served(size, size, size * 100);
              offset += size;
            }
          }
        },
      ),
    );
  });

  it('do not grow back to what is known not to fit 6 MB', () => {
    const sizes = new PageSizes(500);
    sizes.refused(500);
    for (let page = 0; page < 20; page++) sizes.served(250, 250, 250 * 13_000);
    expect(sizes.sizeAt(500)).toBe(250);
  });

  it('grow back, one trial at a time, where it fits', () => {
    const sizes = new PageSizes(500);
    sizes.refused(500);
    sizes.served(250, 250, 250 * 1_000);
    expect([sizes.sizeAt(1000), sizes.sizeAt(1500)]).toEqual([500, 250]);
    sizes.served(500, 500, 500_000);
    expect(sizes.sizeAt(2000)).toBe(500);
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
