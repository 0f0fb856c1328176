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

  it('are halved once pages came, whatever they are', () => {
    for (const first of [499, 97, 1000, 7]) {
      const sizes = new PageSizes(first);
      sizes.served(page(1), { count: 1, bytes: 100 });
      let [size, limit]: [number, LocalLimit | undefined] = [first, undefined];
      while (size > 1) {
        limit = sizes.refused(page(size), 'large', limit);
        expect(limit.most).toBe(Math.floor(size / 2));
        size = sizes.windowAt(0, limit.most).size;
      }
    }
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

  it('stay large elsewhere when a place is refused at a size that was served', () => {
    const sizes = new PageSizes(500);
    sizes.served(page(500), { count: 500, bytes: 500_000 });
    expect(sizes.refused(page(500), 'large').most).toBe(250);
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
});
