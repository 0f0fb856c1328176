import fc from 'fast-check';
import { expect, it } from 'vitest';
import { walkNumbered } from '../../src/paging/numbered-walk.ts';
import { WalkStatus } from '../../src/paging/walk-status.ts';
import { fakeListing, gather, numberedRecords, refuse } from '../support/fake-listing.ts';

it('finds and keeps the largest size that comes, wherever the service draws the line', async () => {
  const services = fc.record({
    reason: fc.constantFrom('slow' as const, 'large' as const),
    count: fc.integer({ min: 500, max: 3_000 }),
    size: fc.constantFrom(200, 500, 1_000),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    concurrency: fc.constantFrom(1, 4),
  });
  await fc.assert(
    fc.asyncProperty(services, async ({ reason, count, size, share, concurrency }) => {
      const most = Math.round(12 * (size / 12) ** share);
      const all = numberedRecords(count);
      const refused: number[] = [];
      const { fetchPage, asked } = fakeListing(
        () => all,
        (page, window) => {
          if (window.size <= most) return page;
          refused.push(window.size);
          return refuse(reason);
        },
      );
      const { signal } = new AbortController();
      const walk = walkNumbered({
        ...{ fetchPage, size, concurrency, signal, maxSize: 1_000 },
        status: new WalkStatus(),
      });
      expect(await gather(walk)).toEqual(all);
      expect(asked.length).toBeLessThanOrEqual(2 * Math.ceil(count / most) + 40);
      expect(refused.length).toBeLessThanOrEqual(18);
    }),
    { numRuns: 30 },
  );
});
