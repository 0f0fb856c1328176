import { describe, expect, it } from 'vitest';
import { createRetryQuota } from '../../src/api/retry-quota.ts';

/** How many retries are left until the quota says no. */
function drain(quota: ReturnType<typeof createRetryQuota>): number {
  let taken = 0;
  while (quota.take()) taken++;
  return taken;
}

describe('createRetryQuota', () => {
  it('allows 35 retries in an outage', () => {
    const quota = createRetryQuota();
    expect(drain(quota)).toBe(35);
    expect(quota.take()).toBe(false);
  });

  it('has single faults cost nothing in the end', () => {
    const quota = createRetryQuota();
    for (let request = 0; request < 1000; request++) {
      expect(quota.take() && quota.take()).toBe(true);
      quota.refund(2);
    }
    expect(drain(quota)).toBe(35);
  });

  it('recovers slowly by requests that need no retry, and never beyond its size', () => {
    const quota = createRetryQuota();
    quota.refund(0);
    expect(drain(quota)).toBe(35);
    for (let request = 0; request < 14; request++) quota.refund(0);
    expect(drain(quota)).toBe(1);
  });
});
