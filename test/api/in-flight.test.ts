import { describe, expect, it } from 'vitest';
import { createInFlight } from '../../src/api/in-flight.ts';

const { signal } = new AbortController();
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Asks for room `count` times and notes who was let in, in order. */
function crowd(inFlight: ReturnType<typeof createInFlight>, count: number): number[] {
  const admitted: number[] = [];
  for (let one = 0; one < count; one++) void inFlight.acquire(signal).then(() => admitted.push(one));
  return admitted;
}

describe('createInFlight', () => {
  it('admits as many as are allowed, in the order of asking', async () => {
    const inFlight = createInFlight(2);
    const admitted = crowd(inFlight, 4);
    await settled();
    expect(admitted).toEqual([0, 1]);
    inFlight.release();
    await settled();
    expect(admitted).toEqual([0, 1, 2]);
  });

  it('goes down to one after a 429, once those in flight are done', async () => {
    const inFlight = createInFlight(3);
    const admitted = crowd(inFlight, 6);
    inFlight.throttle();
    inFlight.release();
    inFlight.release();
    await settled();
    expect(admitted).toEqual([0, 1, 2]);
    inFlight.release();
    await settled();
    expect(admitted).toEqual([0, 1, 2, 3]);
  });

  it('comes back up one by one, every ten successes', async () => {
    const inFlight = createInFlight(3);
    inFlight.throttle();
    const limits = Array.from({ length: 40 }, () => {
      inFlight.succeed();
      return inFlight.limit;
    });
    expect(limits).toEqual([...Array(9).fill(1), ...Array(10).fill(2), ...Array(21).fill(3)]);
  });

  it('admits those who wait as the limit rises', async () => {
    const inFlight = createInFlight(2);
    inFlight.throttle();
    const admitted = crowd(inFlight, 2);
    for (let success = 0; success < 10; success++) inFlight.succeed();
    await settled();
    expect(admitted).toEqual([0, 1]);
  });

  it('lets go of one who waits when the signal is aborted, and of no room', async () => {
    const inFlight = createInFlight(1);
    const controller = new AbortController();
    await inFlight.acquire(signal);
    const waiting = inFlight.acquire(controller.signal);
    const next = crowd(inFlight, 1);
    controller.abort('stopped');
    await expect(waiting).rejects.toBe('stopped');
    await expect(inFlight.acquire(controller.signal)).rejects.toBe('stopped');
    inFlight.release();
    await settled();
    expect(next).toEqual([0]);
  });
});
