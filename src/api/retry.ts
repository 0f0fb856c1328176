import type { Clock } from '../context.ts';
import { ServiceError, type FolioError } from '../errors.ts';
import type { Limiter } from './limiter.ts';

/** How often a request is sent again, and after which delays. */
export interface RetryOptions {
  /** Attempts after the first one, at most. */
  readonly retries: number;
  /** The longest delay before the first retry, in ms. It doubles with each retry. */
  readonly delay: number;
}

/** An attempt that failed. It never leaves `withRetries`, which throws the failure of the last one. */
export class FailedTry extends Error {
  readonly failure: FolioError;
  /** Whether another attempt may succeed. */
  readonly retryable: boolean;
  /** The Retry-After header: seconds, or a date. */
  readonly retryAfter: string | undefined;
  /** Undefined where no response came. */
  readonly status: number | undefined;

  constructor(
    failure: FolioError,
    about: {
      readonly retryable: boolean;
      readonly retryAfter?: string | undefined;
      readonly status?: number;
    },
  ) {
    super(failure.message, { cause: failure });
    this.failure = failure;
    this.retryable = about.retryable;
    this.retryAfter = about.retryAfter;
    this.status = about.status;
  }
}

/**
 * The statuses after which the same request is sent again. A caller may take some of them itself (`passes` of the request):
 * a listing answers 413, 502 and 504 with a smaller page, in `resources/listing-pages.ts`.
 */
const RETRYABLE = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Whether the service may answer otherwise when it gets the same request again. */
export function isRetryable(status: number): boolean {
  return RETRYABLE.has(status);
}

/** The longest delay, in ms. */
const MAX_DELAY = 20_000;
/** The longest Retry-After that a run waits for, in ms. With a longer one it is better to start again later. */
const MAX_RETRY_AFTER = 120_000;

/** Wait some ms and try again, or give up, or give up because the service wants no request before a time (ms since 1970). */
type RetryDecision =
  | { readonly kind: 'retry'; readonly wait: number }
  | { readonly kind: 'give up' }
  | { readonly kind: 'not before'; readonly at: number };

/**
 * Decides what to do after the failed attempt of a number, counted from 0. The delay has full jitter: random × min(20 s,
 * delay × 2^attempt). That spreads out clients that failed together (M. Brooker, "Exponential Backoff and Jitter"). It is
 * never shorter than Retry-After. `random` is from 0 up to, not including, 1, and `now` in ms since 1970.
 */
export function decideRetry(
  failed: {
    retryable: boolean;
    retryAfter?: string | undefined;
    attempt: number;
    random: number;
    now: number;
  },
  retry: RetryOptions,
): RetryDecision {
  const { retryable, retryAfter, attempt, random, now } = failed;
  if (!retryable) return { kind: 'give up' };
  const asked = retryAfterMilliseconds(retryAfter, now);
  if (asked > MAX_RETRY_AFTER) return { kind: 'not before', at: now + asked };
  if (attempt >= retry.retries) return { kind: 'give up' };
  const longest = Math.min(MAX_DELAY, retry.delay * 2 ** attempt);
  return { kind: 'retry', wait: Math.max(Math.round(random * longest), asked) };
}

/** 0 when the header is missing, in the past, or of neither form that RFC 9110 (10.2.3) has. */
function retryAfterMilliseconds(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}

/** The failure that ends a request after `tries` attempts. Its message says why there is no further one. */
function finalFailure(failure: FolioError, tries: number, decision: RetryDecision): FolioError {
  if (decision.kind === 'not before') {
    const when = new Date(decision.at).toISOString().replace(/\.\d+Z$/, 'Z');
    return new ServiceError(`${failure.message}; the service wants no more requests before ${when}`, {
      hint: 'Run the same command again then.',
      cause: failure,
    });
  }
  // There was to be another attempt, but the run has used up its quota of retries.
  if (decision.kind === 'retry')
    failure.message += '; gave up, because too many requests of this run have failed';
  else if (tries > 1) failure.message += `; gave up after ${tries} tries`;
  return failure;
}

/** What a full quota holds. */
const CAPACITY = 500;
const RETRY_COST = 14;

/**
 * Limits the retries of all requests of a run together. It works like the standard mode of the AWS SDKs: single faults cost
 * nothing in the end, but an outage uses the quota up after some 35 retries, so that no storm of retries follows.
 */
export class RetryQuota {
  #left = CAPACITY;

  /** Takes what a retry costs. Returns false, and takes nothing, when too little is left. */
  take(): boolean {
    if (this.#left < RETRY_COST) return false;
    this.#left -= RETRY_COST;
    return true;
  }

  /** Gives back, after a success, what its retries cost, or 1 when it needed none. */
  refund(retries: number): void {
    this.#left = Math.min(CAPACITY, this.#left + Math.max(1, retries * RETRY_COST));
  }
}

interface Tries<T> {
  readonly clock: Clock;
  readonly retry: RetryOptions;
  readonly quota: RetryQuota;
  readonly limiter: Limiter;
  readonly signal: AbortSignal;
  /** Makes one attempt, numbered from 0, while it has a place; `release` gives the place back before it ends. Throws FailedTry. */
  readonly attempt: (number: number, release: () => void) => Promise<T>;
  /** Is told of each attempt that is followed by another after `wait` ms. */
  readonly onRetry?: (failed: FailedTry, attempt: number, wait: number) => void;
}

/**
 * Makes attempts as often as the retries, the quota and the limit of what is in flight allow. Returns the value of the first
 * that brings one. Throws the failure of the last one, or what an attempt throws.
 */
export async function withRetries<T>(tries: Tries<T>): Promise<T> {
  const { clock, quota, limiter, signal } = tries;
  for (let attempt = 0; ; attempt++) {
    const release = await limiter.acquire(signal);
    let wait: number;
    try {
      const value = await tries.attempt(attempt, release);
      quota.refund(attempt);
      return value;
    } catch (error) {
      if (!(error instanceof FailedTry)) throw error;
      // A failed attempt keeps its place until the decision, so that no other request starts before a pause begins.
      wait = waitAfter(error, attempt, tries);
    } finally {
      release();
    }
    if (wait > 0) await clock.sleep(wait, signal);
  }
}

function waitAfter(failed: FailedTry, attempt: number, tries: Tries<unknown>): number {
  const { clock, retry, quota, limiter, onRetry } = tries;
  const { retryable, retryAfter } = failed;
  const chance = { random: clock.random(), now: clock.now() };
  const decision = decideRetry({ retryable, retryAfter, attempt, ...chance }, retry);
  if (decision.kind !== 'retry' || !quota.take()) throw finalFailure(failed.failure, attempt + 1, decision);
  if (failed.status === 429) limiter.throttle();
  onRetry?.(failed, attempt, decision.wait);
  return decision.wait;
}
