import { afterEach, describe, expect, it, vi } from 'vitest';
import { scanPage } from '../../src/json/scan-records.ts';
import { runCooperatively, Breaks, type CooperativeTask } from '../../src/json/cooperative-task.ts';
import { UniqueRecords } from '../../src/paging/unique-records.ts';
import { sortedNumbers } from '../../src/query/sort.ts';

const never = new AbortController().signal;

const body = Buffer.from(
  `{"data":[${Array.from({ length: 200_000 }, (_, id) => `{"id":${id},"note":"${'x'.repeat(80)}"}`).join(',')}]}`,
);

/** How many steps there are, and what comes of them. */
function count<T>(steps: CooperativeTask<T>): [steps: number, value: T] {
  for (let taken = 0; ; taken++) {
    const { done, value } = steps.next();
    if (done === true) return [taken, value];
  }
}

describe('work in steps', () => {
  it('is that on a page: to scan it, to find what of it is new, to sort it', () => {
    const [scanning, { records }] = count(scanPage(body, 'data'));
    const [sifting, { fresh }] = count(new UniqueRecords().deduplicate(records, { moved: false }));
    const [sorting, order] = count(sortedNumbers(records.count, (a, b) => b - a));
    expect([records.count, fresh.count, order[0]]).toEqual([200_000, 200_000, 199_999]);
    expect([scanning > 5, sifting > 500, sorting > 50]).toEqual([true, true, true]);
  });

  it('lets timers fire between its steps, and ends with the reason of the signal', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('told to stop')), 1);
    const endless = function* (): CooperativeTask<never> {
      for (;;) yield;
    };
    await expect(runCooperatively(endless(), controller.signal)).rejects.toThrow('told to stop');
  });
});

describe('turns', () => {
  afterEach(() => void vi.useRealTimers());

  it('are not due at once, and are no longer due when one was taken', async () => {
    // Else a machine that is busy elsewhere for a moment makes one due.
    vi.useFakeTimers({ toFake: ['Date'] });
    const breaks = new Breaks(never);
    expect(breaks.isDue).toBe(false);
    vi.setSystemTime(Date.now() + 49);
    expect(breaks.isDue).toBe(false);
    vi.setSystemTime(Date.now() + 1);
    expect(breaks.isDue).toBe(true);
    await breaks.take();
    expect(breaks.isDue).toBe(false);
  });
});
