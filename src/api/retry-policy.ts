/** Retries after the first try, and what their delays grow from. */
export interface RetryOptions {
  readonly retries: number;
  /** Milliseconds: the longest delay before the first retry; it doubles with each. */
  readonly delay: number;
}

/** A failed try, as far as deciding needs it. */
export interface FailedTry {
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
export type RetryDecision =
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
export function decideRetry(failed: FailedTry, options: RetryOptions): RetryDecision {
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
