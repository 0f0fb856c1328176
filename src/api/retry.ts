import { ServiceError, type FolioError } from '../errors.ts';

/** Retries after the first try, and what their delays grow from. */
export interface RetryOptions {
  readonly retries: number;
  /** Milliseconds: the longest delay before the first retry; it doubles with each. */
  readonly delay: number;
}

/** A failed try, as far as deciding needs it. */
interface RetryQuestion {
  /** Whether asking again may help at all. */
  readonly retryable: boolean;
  /** The Retry-After header: seconds, or a date. */
  readonly retryAfter?: string | undefined;
  /** Tries before this one. */
  readonly triesBefore: number;
  /** From 0 up to, not including, 1. */
  readonly random: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Wait so many milliseconds and try again; or give up; or give up since the service wants none before a time. */
type RetryDecision =
  | { readonly kind: 'retry'; readonly wait: number }
  | { readonly kind: 'give up' }
  | { readonly kind: 'come back'; readonly at: number };

const LONGEST_DELAY = 20_000;
/** Milliseconds of Retry-After that a run sits out; with more to wait it is better started again. */
const LONGEST_RETRY_AFTER = 120_000;

const RETRYABLE = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Whether the service may answer otherwise when asked again. */
export function isRetryable(status: number): boolean {
  return RETRYABLE.has(status);
}

/**
 * What to do after a failed try: a delay with full jitter, random × min(20 s, delay × 2^n), which spreads clients out
 * that failed together (M. Brooker, "Exponential Backoff and Jitter"); never less than Retry-After says.
 */
export function decideRetry(failed: RetryQuestion, options: RetryOptions): RetryDecision {
  if (!failed.retryable) return { kind: 'give up' };
  const asked = retryAfterMilliseconds(failed.retryAfter, failed.now);
  if (asked > LONGEST_RETRY_AFTER) return { kind: 'come back', at: failed.now + asked };
  if (failed.triesBefore >= options.retries) return { kind: 'give up' };
  const longest = Math.min(LONGEST_DELAY, options.delay * 2 ** failed.triesBefore);
  return { kind: 'retry', wait: Math.max(Math.round(failed.random * longest), asked) };
}

/** 0 where the header is missing, in the past, or neither of the two forms (RFC 9110, 10.2.3). */
function retryAfterMilliseconds(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}

/** The failure that ends a request after so many tries, saying why there is no further one. */
export function finalFailure(failure: FolioError, tries: number, decision: RetryDecision): FolioError {
  if (decision.kind === 'come back') {
    const when = new Date(decision.at).toISOString().replace(/\.\d+Z$/, 'Z');
    return new ServiceError(`${failure.message}; the service wants no more requests before ${when}`, {
      hint: 'Run the same command again then.',
      cause: failure,
    });
  }
  // There could have been another try, had the run not used up what it may spend on them.
  if (decision.kind === 'retry')
    failure.message += '; gave up, since too many requests of this run have failed';
  else if (tries > 1) failure.message += `; gave up after ${tries} tries`;
  return failure;
}

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

/** Successes in a row, at the present limit, after which one more request may be in flight. */
const SUCCESSES_PER_STEP = 10;

/** Limits how many requests are in flight: up to `concurrency`, one after a 429, and slowly back up from there. */
interface Limiter {
  /** How many may be in flight at present. */
  readonly limit: number;
  /** Resolves, in the order of asking, when there is room; rejects with the signal's reason when it is aborted first. */
  acquire(signal: AbortSignal): Promise<void>;
  release(): void;
  /** The service said 429. Those in flight go on; the next begins when they are done. */
  throttle(): void;
  succeed(): void;
}

export function createLimiter(concurrency: number): Limiter {
  const waiting = new Set<() => void>();
  let limit = concurrency;
  let active = 0;
  let successes = 0;

  const admit = (): void => {
    for (const start of waiting) {
      if (active >= limit) return;
      waiting.delete(start);
      active++;
      start();
    }
  };

  return {
    get limit() {
      return limit;
    },
    acquire: (signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        const abandon = (): void => {
          waiting.delete(start);
          reject(signal.reason);
        };
        const start = (): void => {
          signal.removeEventListener('abort', abandon);
          resolve();
        };
        signal.addEventListener('abort', abandon, { once: true });
        waiting.add(start);
        admit();
      }),
    release() {
      active--;
      admit();
    },
    throttle() {
      limit = 1;
      successes = 0;
    },
    succeed() {
      if (limit === concurrency || ++successes < SUCCESSES_PER_STEP) return;
      successes = 0;
      limit++;
      admit();
    },
  };
}
