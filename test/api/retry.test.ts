import { describe, expect, it } from 'vitest';
import * as fc from 'fast-check';
import { Limiter } from '../../src/api/limiter.ts';
import { FailedTry, RetryQuota, withRetries } from '../../src/api/retry.ts';
import { ServiceError } from '../../src/errors.ts';
import { FakeClock } from '../support/fake-clock.ts';

const { signal } = new AbortController();

describe('the wait before another attempt', () => {
  it('is never longer than 20 s of its own accord, nor shorter than Retry-After', async () => {
    const draws = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1 });
    const seconds = fc.option(fc.nat(120), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(draws, fc.nat(1e6), seconds, async (random, delay, after) => {
        const clock = new FakeClock({ random });
        const failed = new FailedTry(new ServiceError('it failed'), {
          retryable: true,
          retryAfter: after === undefined ? '' : String(after),
        });
        await withRetries({
          ...{
            clock,
            signal,
            quota: new RetryQuota(),
            limiter: new Limiter(1),
            retry: { retries: 30, delay },
          },
          attempt: async (number) => {
            if (number < 30) throw failed;
          },
        });
        expect(clock.sleeps.length).toBeLessThanOrEqual(30);
        for (const wait of clock.sleeps) {
          expect(wait).toBeGreaterThanOrEqual(1000 * (after ?? 0));
          expect(wait).toBeLessThanOrEqual(Math.max(1000 * (after ?? 0), 20_000));
        }
      }),
    );
  });
});

describe('Limiter', () => {
  it('lets go of one who waits when the signal is aborted, and of no room', async () => {
    const inFlight = new Limiter(1);
    const controller = new AbortController();
    const leave = await inFlight.acquire(signal);
    const waiting = inFlight.acquire(controller.signal);
    let isLetIn = false;
    const next = inFlight.acquire(signal).then(() => (isLetIn = true));
    controller.abort('stopped');
    await expect(waiting).rejects.toBe('stopped');
    await expect(inFlight.acquire(controller.signal)).rejects.toBe('stopped');
    expect(isLetIn).toBe(false);
    leave();
    await next;
  });
});
