import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideRetry, isRetryable } from '../../src/api/retry-policy.ts';

const options = { retries: 5, delay: 500 };
const now = Date.UTC(2026, 10, 21, 10, 0, 0);
const failed = { retryable: true, triesBefore: 0, random: 0.5, now };

describe('decideRetry', () => {
  it.each([
    [0, 250],
    [1, 500],
    [2, 1000],
    [3, 2000],
    [4, 4000],
  ])('waits half of the longest delay at random 0.5, after %i tries: %i ms', (triesBefore, wait) => {
    expect(decideRetry({ ...failed, triesBefore }, options)).toEqual({ kind: 'retry', wait });
  });

  it('gives up after the last retry, and at once where asking again is no use', () => {
    expect(decideRetry({ ...failed, triesBefore: 5 }, options)).toEqual({ kind: 'give up' });
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
    ['2026', 'come back'],
    ['', 250],
  ])('Retry-After %j: %s', (retryAfter, expected) => {
    const decision = decideRetry({ ...failed, retryAfter }, options);
    expect(decision.kind === 'retry' ? decision.wait : decision.kind).toBe(expected);
  });

  it.each([
    ['121', now + 121_000],
    ['Sat, 21 Nov 2026 12:30:00 GMT', now + 9_000_000],
  ])('stops the run where Retry-After is %s, also after the last retry', (retryAfter, at) => {
    expect(decideRetry({ ...failed, retryAfter }, options)).toEqual({ kind: 'come back', at });
    expect(decideRetry({ ...failed, retryAfter, triesBefore: 5 }, options)).toEqual({
      kind: 'come back',
      at,
    });
  });

  it('never waits longer than 20 s of its own accord, nor less than it is asked to', () => {
    const tried = fc.record({
      retryable: fc.constant(true),
      triesBefore: fc.nat(99),
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
