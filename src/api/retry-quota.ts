const CAPACITY = 500;
const RETRY_COST = 14;

/** What a run may spend on retries, all its requests together. */
export interface RetryQuota {
  /** Takes what a retry costs; false where too little is left, and then nothing is taken. */
  take(): boolean;
  /** Gives back after a success: what its retries cost, or 1 where it needed none. */
  refund(retries: number): void;
}

/**
 * In the manner of the AWS SDKs' standard mode: single faults cost nothing in the end, while an outage uses the quota up after
 * some 35 retries and is not answered by a storm of them.
 */
export function createRetryQuota(): RetryQuota {
  let left = CAPACITY;
  return {
    take() {
      if (left < RETRY_COST) return false;
      left -= RETRY_COST;
      return true;
    },
    refund(retries) {
      left = Math.min(CAPACITY, left + Math.max(1, retries * RETRY_COST));
    },
  };
}
