import { describe, expect, it } from 'vitest';
import { WalkStatus, type WalkEvent } from '../../src/paging/walk-status.ts';

describe('the status of a walk', () => {
  it('is complete where nothing is missing, and has no reason then', () => {
    const status = new WalkStatus();
    expect(status).toMatchObject({ complete: true, drift: false, orderMayMove: false });
    status.setIncomplete(1, 'total');
    expect([status.complete, status.reason]).toEqual([false, 'total']);
    status.setIncomplete(0, 'total');
    expect([status.complete, status.reason]).toEqual([true, undefined]);
    status.giveUp(0);
    expect(status.complete).toBe(false);
  });

  it('is the sum of its subwalks, whose places come one behind the other, and tells their events', () => {
    const events: WalkEvent[] = [];
    const status = new WalkStatus((event) => void events.push(event));
    for (const [total, at] of [
      [30, 1],
      [20, 2],
    ] as const) {
      const subwalk = status.subwalk();
      subwalk.page(total);
      subwalk.shrink({ from: 10, to: 5, reason: 'slow' });
      subwalk.slowPage(10);
      subwalk.giveUp(at);
      subwalk.repeat(4);
      subwalk.reread();
      subwalk.records = 9;
      subwalk.setIncomplete(at, at === 1 ? 'changing' : 'order');
      if (at === 1) Object.assign(subwalk, { drift: true, orderMayMove: true });
      status.addSubwalk(subwalk);
    }
    expect(status).toMatchObject({
      ...{ records: 0, pages: 2, shrinks: 2, slowPages: 2, repeats: 8, rereads: 2 },
      ...{ totalAtStart: 50, totalAtEnd: 50, givenUp: new Set([1, 32]) },
      ...{ incomplete: 3, reason: 'changing', drift: true, orderMayMove: true },
    });
    expect(events).toHaveLength(10);
  });
});
