import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { walkNumbered, type NumberedWalkOptions } from '../../src/paging/numbered-walk.ts';
import { WalkStatus, type WalkEvent } from '../../src/paging/walk-status.ts';
import { fakeListing, gather, numberedRecords, refuse } from '../support/fake-listing.ts';

function walk(options: Partial<NumberedWalkOptions> & Pick<NumberedWalkOptions, 'fetchPage'>) {
  const status = options.status ?? new WalkStatus();
  const { signal } = new AbortController();
  return { status, all: gather(walkNumbered({ size: 100, concurrency: 4, status, signal, ...options })) };
}

describe('a walk over numbered pages', () => {
  it('reports what it does about a page that is slow, refused or not served', async () => {
    const events: WalkEvent[] = [];
    let requests = 0;
    const { fetchPage } = fakeListing(
      () => numberedRecords(250),
      (page, { offset, size }) => {
        if (++requests === 2) return refuse('slow');
        return offset <= 240 && offset + size > 240 ? refuse('large') : page;
      },
    );
    const status = new WalkStatus((event) => void events.push(event));
    await walk({ fetchPage, status, concurrency: 1 }).all;
    expect(events.slice(0, 3)).toEqual([
      { kind: 'slow', at: 100, size: 99 },
      { kind: 'shrink', at: 198, from: 98, to: 49, reason: 'large' },
      { kind: 'shrink', at: 198, from: 49, to: 24, reason: 'large' },
    ]);
    expect(events.filter(({ kind }) => kind === 'give up')).toEqual([{ kind: 'give up', at: 240 }]);
  });

  it('reads the first page alone, has then as many in flight as it may, and yields in order however they arrive', async () => {
    let [flying, most] = [0, 0];
    const inFlight: number[] = [];
    const { fetchPage } = fakeListing(
      () => numberedRecords(950),
      async (page, { offset }) => {
        inFlight.push(++flying);
        most = Math.max(most, flying);
        for (let turn = 0; turn < (offset * 7) % 11; turn++)
          await new Promise((resolve) => setImmediate(resolve));
        flying--;
        return page;
      },
    );
    expect(await walk({ fetchPage, concurrency: 3 }).all).toEqual(numberedRecords(950));
    expect([inFlight.slice(0, 2), most]).toEqual([[1, 1], 3]);
  });

  it('reads no further ahead of a slow reader than twice the concurrency', async () => {
    const { fetchPage, windows } = fakeListing(() => numberedRecords(5000));
    const reader = walkNumbered({
      ...{ fetchPage, size: 100, concurrency: 2 },
      ...{ status: new WalkStatus(), signal: new AbortController().signal },
    });
    await reader.next();
    await reader.next();
    for (let turn = 0; turn < 100; turn++) await Promise.resolve();
    expect(windows.length).toBeLessThanOrEqual(2 + 4);
    await reader.return(undefined);
  });

  it('leaves out no record that a page held behind a total that is too low, also behind a refused page', async () => {
    for (let count = 26; count <= 100; count++) {
      let refused = 0;
      const { fetchPage } = fakeListing(
        () => numberedRecords(count),
        (page, { offset }) => (offset > 0 && refused++ === 0 ? refuse('large') : { ...page, total: 20 }),
      );
      const { all, status } = walk({ fetchPage, size: 25 });
      expect([await all, status.complete]).toEqual([numberedRecords(count), true]);
    }
  });
});

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
      const { fetchPage, windows } = fakeListing(
        () => all,
        (page, window) => {
          if (window.size <= most) return page;
          refused.push(window.size);
          return refuse(reason);
        },
      );
      expect(await walk({ fetchPage, size, concurrency, maxSize: 1_000 }).all).toEqual(all);
      expect(windows.length).toBeLessThanOrEqual(2 * Math.ceil(count / most) + 40);
      expect(refused.length).toBeLessThanOrEqual(18);
    }),
    { numRuns: 30 },
  );
});
