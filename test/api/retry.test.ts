import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Limiter } from '../../src/api/limiter.ts';
import { decideRetry, isRetryable } from '../../src/api/retry.ts';

const options = { retries: 5, delay: 500 };
const now = Date.UTC(2026, 10, 21, 10, 0, 0);
const failed = { retryable: true, attempt: 0, random: 0.5, now };

describe('decideRetry', () => {
  it.each([
    [0, 250],
    [1, 500],
    [2, 1000],
    [3, 2000],
    [4, 4000],
  ])('waits half of the longest delay at random 0.5, after attempt %i: %i ms', (attempt, wait) => {
    expect(decideRetry({ ...failed, attempt }, options)).toEqual({ kind: 'retry', wait });
  });

  it('gives up after the last retry, and at once where asking again is no use', () => {
    expect(decideRetry({ ...failed, attempt: 5 }, options)).toEqual({ kind: 'give up' });
    expect(decideRetry({ ...failed, retryable: false }, options)).toEqual({ kind: 'give up' });
    expect(decideRetry(failed, { retries: 0, delay: 500 })).toEqual({ kind: 'give up' });
  });

  it.each([
    ['3', 3000],
    [' 120 ', 120_000],
    ['0', 250],
    ['Sat, 21 Nov 2026 10:00:07 GMT', 7000],
    ['Saturday, 21-Nov-26 10:00:07 GMT', 7000],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 250],
    ['soon', 250],
    ['-5', 250],
    ['1.5', 250],
    ['2026', 'not before'],
    ['', 250],
  ])('Retry-After %j: %s', (retryAfter, expected) => {
    const decision = decideRetry({ ...failed, retryAfter }, options);
    expect(decision.kind === 'retry' ? decision.wait : decision.kind).toBe(expected);
  });

  it.each([
    ['121', now + 121_000],
    ['Sat, 21 Nov 2026 12:30:00 GMT', now + 9_000_000],
  ])('stops the run where Retry-After is %s, also after the last retry', (retryAfter, at) => {
    expect(decideRetry({ ...failed, retryAfter }, options)).toEqual({ kind: 'not before', at });
    expect(decideRetry({ ...failed, retryAfter, attempt: 5 }, options)).toEqual({
      kind: 'not before',
      at,
    });
  });

  it('never waits longer than 20 s of its own accord, nor less than it is asked to', () => {
    const tried = fc.record({
      retryable: fc.constant(true),
      attempt: fc.nat(99),
      random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      now: fc.constant(now),
      retryAfter: fc.option(fc.nat(120).map(String), { nil: undefined }),
    });
    fc.assert(
      fc.property(tried, fc.nat(1e6), (one, delay) => {
        const decision = decideRetry(one, { retries: 100, delay });
        const asked = Number(one.retryAfter ?? 0) * 1000;
        const wait = decision.kind === 'retry' ? decision.wait : Number.NaN;
        expect(wait).toBeGreaterThanOrEqual(asked);
        expect(wait).toBeLessThanOrEqual(Math.max(asked, 20_000, 0));
      }),
    );
  });
});

describe('isRetryable', () => {
  it('is so for exactly the statuses that may pass', () => {
    const all = Array.from({ length: 500 }, (_, index) => index + 100);
    expect(all.filter(isRetryable)).toEqual([408, 425, 429, 500, 502, 503, 504]);
  });
});

const { signal } = new AbortController();
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Asks for room `count` times, notes who was let in, in order, and has them leave in that order. */
function crowd(inFlight: Limiter, count: number): { admitted: number[]; leave: () => void } {
  const admitted: number[] = [];
  const inside: (() => void)[] = [];
  for (let one = 0; one < count; one++) {
    void inFlight.acquire(signal).then((release) => inside.push(release) && admitted.push(one));
  }
  return { admitted, leave: () => inside.shift()!() };
}

describe('Limiter', () => {
  it('goes down to one after a 429, once those in flight are done', async () => {
    const inFlight = new Limiter(3);
    const { admitted, leave } = crowd(inFlight, 6);
    inFlight.throttle();
    await settled();
    leave();
    leave();
    await settled();
    expect(admitted).toEqual([0, 1, 2]);
    leave();
    await settled();
    expect(admitted).toEqual([0, 1, 2, 3]);
  });

  it('comes back up one by one, every ten successes', async () => {
    const inFlight = new Limiter(3);
    inFlight.throttle();
    const limits = Array.from({ length: 40 }, () => {
      inFlight.succeed();
      return inFlight.limit;
    });
    expect(limits).toEqual([...Array(9).fill(1), ...Array(10).fill(2), ...Array(21).fill(3)]);
  });

  it('admits those who wait as the limit rises', async () => {
    const inFlight = new Limiter(2);
    inFlight.throttle();
    const { admitted } = crowd(inFlight, 2);
    for (let success = 0; success < 10; success++) inFlight.succeed();
    await settled();
    expect(admitted).toEqual([0, 1]);
  });

  it('lets go of one who waits when the signal is aborted, and of no room', async () => {
    const inFlight = new Limiter(1);
    const controller = new AbortController();
    const leave = await inFlight.acquire(signal);
    const waiting = inFlight.acquire(controller.signal);
    const { admitted: next } = crowd(inFlight, 1);
    controller.abort('stopped');
    await expect(waiting).rejects.toBe('stopped');
    await expect(inFlight.acquire(controller.signal)).rejects.toBe('stopped');
    leave();
    await settled();
    expect(next).toEqual([0]);
  });
});
