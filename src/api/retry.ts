import type { Clock } from '../context.ts';
import { ServiceError, type FolioError } from '../errors.ts';
import type { Limiter } from './limiter.ts';
import type { ResponseHead } from './transport.ts';

/** How often a request is sent again, and after which delays. */
export interface RetryOptions {
  /** Attempts after the first one, at most. */
  readonly retries: number;
  /** The longest delay before the first retry, in ms. It doubles with each retry. */
  readonly delay: number;
}

/** An attempt that failed. */
export class FailedTry extends Error {
  readonly failure: FolioError;
  /** Whether another attempt may succeed. */
  readonly retryable: boolean;
  /** Undefined where none came. */
  readonly response: ResponseHead | undefined;

  constructor(failure: FolioError, retryable: boolean, response?: ResponseHead) {
    super(failure.message, { cause: failure });
    this.failure = failure;
    this.retryable = retryable;
    this.response = response;
  }
}

/**
 * The statuses after which the same request is sent again, unless the caller handles them (`passes` of the request): after
 * 413, 502 and 504, a listing requests a smaller page.
 */
const RETRYABLE = new Set([408, 425, 429, 500, 502, 503, 504]);

/** The failed attempt of a response with this status. */
export function refusedTry(failure: FolioError, response: ResponseHead): FailedTry {
  return new FailedTry(failure, RETRYABLE.has(response.status), response);
}

/** The longest delay, in ms. */
const MAX_DELAY = 20_000;
/** The longest Retry-After that a run waits for, in ms. With a longer one it is better to start again later. */
const MAX_RETRY_AFTER = 120_000;

/** 0 when the header is missing, in the past, or in neither of the forms of RFC 9110 (10.2.3): seconds, and a date. */
function retryAfterMilliseconds(header: string | undefined, now: number): number {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  // The oldest form of a date ends with the year, and names no zone.
  const moment = / \d{4}$/.test(text) ? `${text} GMT` : text;
  const date = /^[A-Z][a-z]{2,8},? .*\d{2}:\d{2}:\d{2}/.test(moment) ? Date.parse(moment) : Number.NaN;
  return Number.isNaN(date) ? 0 : Math.max(0, date - now);
}

/** The size of a full quota. */
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

interface RetriesOptions {
  readonly clock: Clock;
  readonly retry: RetryOptions;
  readonly limiter: Limiter;
  readonly quota: RetryQuota;
}

interface Tries {
  readonly signal: AbortSignal;
  /** Receives each attempt that is followed by another after `wait` ms. */
  readonly onRetry?: (failed: FailedTry, attempt: number, wait: number) => void;
}

/** Sends failed requests again, as often as the retries, the quota and the limit of what is in flight allow. */
export class Retries {
  readonly #options: RetriesOptions;
  /** The service allows no request before this time, as `Clock.elapsed` counts. */
  #pausedUntil = 0;

  constructor(options: RetriesOptions) {
    this.#options = options;
  }

  /**
   * Returns the value of the first attempt that brings one. Throws the failure of the last one, the signal's reason, or what
   * an attempt throws.
   *
   * @param attempt makes an attempt, numbered from 0, while it has a place among those in flight; `release` gives the place
   *   back before it ends. Throws FailedTry.
   */
  async run<T>(
    attempt: (number: number, release: () => void) => Promise<T>,
    { signal, onRetry }: Tries,
  ): Promise<T> {
    const { clock, quota, limiter } = this.#options;
    for (let number = 0; ; number++) {
      const release = await limiter.acquire(signal);
      let wait: number;
      try {
        // A request that was still in flight when the pause began may have made it longer.
        for (let left; (left = this.#pausedUntil - clock.elapsed()) > 0;) await clock.sleep(left, signal);
        const value = await attempt(number, release);
        limiter.succeed();
        quota.refund(number);
        return value;
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof FailedTry)) throw error;
        // A failed attempt keeps its place until the decision, so that no other request starts before a pause begins.
        wait = this.#waitAfter(error, number);
        onRetry?.(error, number, wait);
      } finally {
        release();
      }
      if (wait > 0) await clock.sleep(wait, signal);
    }
  }

  /**
   * How many ms to wait before the next attempt, with full jitter: random × min(20 s, delay × 2^attempt). That spreads out
   * clients that failed together (M. Brooker, "Exponential Backoff and Jitter"). It is never shorter than Retry-After. Throws
   * the failure that ends the request, with the reason why there is no other attempt.
   */
  #waitAfter({ failure, retryable, response }: FailedTry, attempt: number): number {
    const { clock, retry, quota, limiter } = this.#options;
    const now = clock.now();
    const least = retryAfterMilliseconds(response?.headers['retry-after'], now);
    if (retryable && least > MAX_RETRY_AFTER) {
      const when = new Date(now + least).toISOString().replace(/\.\d+Z$/, 'Z');
      throw new ServiceError(`${failure.message}; the service wants no more requests before ${when}`, {
        hint: 'Run the same command again then.',
        cause: failure,
      });
    }
    if (!retryable || attempt >= retry.retries) {
      if (attempt > 0) failure.message += `; gave up after ${attempt + 1} tries`;
      throw failure;
    }
    if (!quota.take()) {
      failure.message += '; gave up, because too many requests of this run have failed';
      throw failure;
    }
    const delay = clock.random() * Math.min(MAX_DELAY, retry.delay * 2 ** attempt);
    const wait = Math.max(Math.round(delay), least);
    if (response?.status === 429) {
      limiter.throttle();
      this.#pausedUntil = Math.max(this.#pausedUntil, clock.elapsed() + wait);
    }
    return wait;
  }
}
