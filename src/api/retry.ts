import type { Clock } from '../context.ts';
import { ServiceError, type FolioError } from '../errors.ts';

/** How often a request is sent again, and after which delays. */
export interface RetryOptions {
  /** Attempts after the first one, at most. */
  readonly retries: number;
  /** The longest delay before the first retry, in ms. It doubles with each retry. */
  readonly delay: number;
}

/** What the decision about a retry depends on. */
interface RetryQuestion {
  /** Whether another attempt may succeed. */
  readonly retryable: boolean;
  /** The Retry-After header: seconds, or a date. */
  readonly retryAfter?: string | undefined;
  /** The attempt that failed, counted from 0. */
  readonly attempt: number;
  /** From 0 up to, not including, 1. */
  readonly random: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Wait some ms and try again, or give up, or give up because the service wants no request before a time (ms since 1970). */
type RetryDecision =
  | { readonly kind: 'retry'; readonly wait: number }
  | { readonly kind: 'give up' }
  | { readonly kind: 'not before'; readonly at: number };

/** The longest delay, in ms. */
const MAX_DELAY = 20_000;
/** The longest Retry-After that a run waits for, in ms. With a longer one it is better to start again later. */
const MAX_RETRY_AFTER = 120_000;

/**
 * The statuses after which the same request is sent again. A caller may take some of them itself (`passes` of the request):
 * a listing answers 413, 502 and 504 with a smaller page, in `resources/listing-pages.ts`.
 */
const RETRYABLE = new Set([408, 425, 429, 500, 502, 503, 504]);

/** Whether the service may answer otherwise when it gets the same request again. */
export function isRetryable(status: number): boolean {
  return RETRYABLE.has(status);
}

/**
 * Decides what to do after a failed attempt. The delay has full jitter: random × min(20 s, delay × 2^attempt). That
 * spreads out clients that failed together (M. Brooker, "Exponential Backoff and Jitter"). It is never shorter than
 * Retry-After.
 */
export function decideRetry(failed: RetryQuestion, options: RetryOptions): RetryDecision {
  if (!failed.retryable) return { kind: 'give up' };
  const asked = retryAfterMilliseconds(failed.retryAfter, failed.now);
  if (asked > MAX_RETRY_AFTER) return { kind: 'not before', at: failed.now + asked };
  if (failed.attempt >= options.retries) return { kind: 'give up' };
  const longest = Math.min(MAX_DELAY, options.delay * 2 ** failed.attempt);
  return { kind: 'retry', wait: Math.max(Math.round(failed.random * longest), asked) };
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

/** Limits the retries of all requests of a run together. */
export interface RetryQuota {
  /** Takes what a retry costs. Returns false, and takes nothing, when too little is left. */
  take(): boolean;
  /** Gives back, after a success, what its retries cost, or 1 when it needed none. */
  refund(retries: number): void;
}

/**
 * Makes a full quota. It works like the standard mode of the AWS SDKs: single faults cost nothing in the end, but an
 * outage uses the quota up after some 35 retries, so that no storm of retries follows.
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

/** After this many successes in a row at one limit, one more request may be in flight. */
const SUCCESSES_PER_STEP = 10;

/** Limits how many requests are in flight. */
interface Limiter {
  /** How many may be in flight now. */
  readonly limit: number;
  /** Resolves when there is a place, in the order of the calls. Rejects with the signal's reason when that comes first. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Gives a place back. */
  release(): void;
  /** After a 429: the limit is 1. Requests in flight go on, and the next one starts when they are done. */
  throttle(): void;
  /** After a success: in time the limit grows again. */
  succeed(): void;
}

/** A limiter that starts with `concurrency` places. */
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

/** An attempt that brought no value. */
export interface FailedTry {
  readonly failure: FolioError;
  /** Whether another attempt may succeed. */
  readonly retryable: boolean;
  /** The Retry-After header. */
  readonly retryAfter?: string | undefined;
  /** Undefined where no response came. */
  readonly status?: number | undefined;
}

interface RetrierOptions {
  readonly clock: Clock;
  readonly retry: RetryOptions;
  readonly quota: RetryQuota;
  readonly limiter: Limiter;
}

interface Tries<T> {
  /** Makes one attempt, numbered from 0, while it has a place. `release` gives the place back before the attempt ends. */
  readonly attempt: (number: number, release: () => void) => Promise<{ readonly value: T } | FailedTry>;
  readonly signal: AbortSignal;
  /** Is told of each attempt that is followed by another after `wait` ms. */
  readonly onRetry?: (failed: FailedTry, about: { readonly attempt: number; readonly wait: number }) => void;
}

/** Makes attempts as often as the retries, the quota and the limit of what is in flight allow. */
export class Retrier {
  readonly #options: RetrierOptions;

  constructor(options: RetrierOptions) {
    this.#options = options;
  }

  /** Returns the value of the first attempt that brings one. Throws the failure of the last one, or what an attempt throws. */
  async run<T>(tries: Tries<T>): Promise<T> {
    const { clock, quota } = this.#options;
    for (let number = 0; ; number++) {
      const result = await this.#try(tries, number);
      if ('value' in result) {
        quota.refund(number);
        return result.value;
      }
      if (result.wait > 0) await clock.sleep(result.wait, tries.signal);
    }
  }

  /** The value, or how many ms to wait before the next attempt. Throws the error that ends the attempts. */
  async #try<T>(tries: Tries<T>, number: number): Promise<{ value: T } | { wait: number }> {
    const { limiter } = this.#options;
    await limiter.acquire(tries.signal);
    let held = true;
    const release = (): void => {
      if (held) limiter.release();
      held = false;
    };
    try {
      const result = await tries.attempt(number, release);
      // A failed attempt keeps its place until the decision, so that no other request starts before a pause begins.
      return 'value' in result ? result : { wait: this.#decide(result, tries, number) };
    } finally {
      release();
    }
  }

  #decide(failed: FailedTry, { onRetry }: Tries<unknown>, attempt: number): number {
    const { clock, retry, quota, limiter } = this.#options;
    const { failure, retryable, retryAfter, status } = failed;
    const chance = { random: clock.random(), now: clock.now() };
    const decision = decideRetry({ retryable, retryAfter, attempt, ...chance }, retry);
    if (decision.kind !== 'retry' || !quota.take()) throw finalFailure(failure, attempt + 1, decision);
    if (status === 429) limiter.throttle();
    onRetry?.(failed, { attempt, wait: decision.wait });
    return decision.wait;
  }
}
