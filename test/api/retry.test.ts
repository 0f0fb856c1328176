import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { Limiter } from '../../src/api/limiter.ts';
import { FailedTry, refusedTry, RetryQuota, withRetries } from '../../src/api/retry.ts';
import { ServiceError } from '../../src/errors.ts';
import { FakeClock, type FakeClockOptions } from '../support/fake-clock.ts';

const { signal } = new AbortController();
const now = Date.UTC(2026, 10, 21, 10, 0, 0);

/** The waits of a request that fails so often with this header, and then succeeds or ends with a failure. */
async function waitsOf(
  { fails = 1, retryAfter = '' }: { readonly fails?: number; readonly retryAfter?: string },
  {
    delay = 500,
    retries = 5,
    ...options
  }: FakeClockOptions & { readonly delay?: number; readonly retries?: number } = {},
): Promise<{ readonly waits: readonly number[]; readonly end: string }> {
  const clock = new FakeClock({ now, ...options });
  const end = await withRetries({
    ...{ clock, signal, quota: new RetryQuota(), limiter: new Limiter(1), retry: { retries, delay } },
    attempt: async (number) => {
      if (number < fails) throw new FailedTry(new ServiceError('it failed'), { retryable: true, retryAfter });
      return 'fine';
    },
  }).catch(String);
  return { waits: clock.sleeps, end };
}

describe('the wait before another attempt', () => {
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
    ['', 250],
  ])('is, where Retry-After is %j, %i ms', async (retryAfter, wait) => {
    expect(await waitsOf({ retryAfter })).toEqual({ waits: [wait], end: 'fine' });
  });

  it.each([
    ['121', '2026-11-21T10:02:01Z'],
    ['2026', '2026-11-21T10:33:46Z'],
    ['Sat, 21 Nov 2026 12:30:00 GMT', '2026-11-21T12:30:00Z'],
  ])('is too long where Retry-After is %s, also after the last attempt', async (retryAfter, when) => {
    for (const retries of [5, 0]) {
      expect(await waitsOf({ retryAfter }, { retries })).toEqual({
        waits: [],
        end: `ServiceError: it failed; the service wants no more requests before ${when}`,
      });
    }
  });

  it('is never longer than 20 s of its own accord, nor shorter than Retry-After', async () => {
    const draws = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1 });
    const seconds = fc.option(fc.nat(120), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(draws, fc.nat(1e6), seconds, async (random, delay, after) => {
        const retryAfter = after === undefined ? '' : String(after);
        const { waits } = await waitsOf({ fails: 30, retryAfter }, { random, delay, retries: 30 });
        for (const wait of waits) {
          expect(wait).toBeGreaterThanOrEqual(1000 * (after ?? 0));
          expect(wait).toBeLessThanOrEqual(Math.max(1000 * (after ?? 0), 20_000));
        }
      }),
    );
  });
});

it('another attempt is made after exactly the statuses that may pass', () => {
  const all = Array.from({ length: 500 }, (_, index) => index + 100);
  const failure = new ServiceError('it failed');
  const again = all.filter((status) => refusedTry(failure, { status, headers: {} }).retryable);
  expect(again).toEqual([408, 425, 429, 500, 502, 503, 504]);
});

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Waits for room `count` times, notes who was let in, in order, and has them leave in that order. */
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
