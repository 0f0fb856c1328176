import { setMaxListeners } from 'node:events';
import type { Clock } from '../context.ts';
import { AuthError } from '../errors.ts';
import { requestUrl, type QueryPair } from './address.ts';
import { readResponse, sendRequest, type AttemptResult, type FailedAttempt } from './attempt.ts';
import { redactor, withoutSecrets } from './redact.ts';
import {
  createLimiter,
  createRetryQuota,
  decideRetry,
  finalFailure,
  type RetryOptions,
  type RetryQuota,
} from './retry.ts';
import type { Transport } from './transport.ts';

/** One GET below the base address. */
interface ApiRequest<T> {
  /** Begins with a slash, percent-encoded: `/invoices/issued`. */
  readonly path: string;
  readonly query: readonly QueryPair[];
  /** Makes the value of the inflated body of a 200. Throws BadBody for one that is to be asked for again. */
  readonly parse: (body: Buffer) => T;
  /** Statuses that are thrown at once as StatusError, since whoever asks has a better answer to them than a retry. */
  readonly passes?: readonly number[] | undefined;
  /** Aborts this request; the client's own signal does so in any case. */
  readonly signal?: AbortSignal | undefined;
}

/** Counted since the client was made, across all its requests. */
interface RequestStats {
  /** Tries that went out, retries included. */
  readonly requests: number;
  readonly retries: number;
  /** Bytes of bodies on the wire. */
  readonly bytes: number;
}

export interface ApiClient {
  /**
   * The value of `path`. Rejects with AuthError (401, 403), NotFoundError (404), RefusedQuery or UnknownFiscalIds (400),
   * StatusError (`passes`; other statuses after all retries), ServiceError (anything else, after all retries), UsageError (a path that leads out of the
   * base address), the signal's reason, or what `parse` throws.
   */
  get<T>(request: ApiRequest<T>): Promise<T>;
  readonly stats: RequestStats;
  close(): Promise<void>;
}

export interface ClientOptions {
  readonly baseUrl: URL;
  readonly token: string;
  /** Of folio, for the User-Agent. */
  readonly version: string;
  readonly transport: Transport;
  readonly retry: RetryOptions;
  /** Milliseconds for each try, from its first byte out to its last byte in. */
  readonly timeout: number;
  /** Tries in flight at most. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Shared by the clients of one run; without it the client has its own. */
  readonly quota?: RetryQuota | undefined;
  readonly observe?: ObserveRequests | undefined;
}

/**
 * What happens to requests, for progress and for the log of `--debug`. `request` numbers the requests of a client from 1;
 * its tries share the number. `target` is the path and query, without secrets.
 */
export type RequestEvent =
  | { readonly kind: 'request'; readonly request: number; readonly attempt: number; readonly target: string }
  | {
      readonly kind: 'response';
      readonly request: number;
      readonly attempt: number;
      readonly target: string;
      readonly status: number;
      readonly milliseconds: number;
      /** On the wire. */
      readonly bytes: number;
    }
  /** A try failed, and the next one begins after `wait` milliseconds. */
  | {
      readonly kind: 'retry';
      readonly request: number;
      readonly attempt: number;
      readonly target: string;
      readonly wait: number;
      readonly reason: string;
    }
  /** The service asked to slow down: one request at a time, none for `wait` milliseconds. */
  | { readonly kind: 'throttled'; readonly wait: number };

export type ObserveRequests = (event: RequestEvent) => void;

/** The client of one organization at one base address. Throws AuthError for a token that no header can carry. */
export function createClient(options: ClientOptions): ApiClient {
  return new Client(options);
}

/** A request on its way through its tries. */
interface Call<T> {
  readonly request: ApiRequest<T>;
  readonly url: URL;
  readonly signal: AbortSignal;
  readonly label: { readonly request: number; readonly target: string };
}

class Client implements ApiClient {
  readonly #options: ClientOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #redact;
  readonly #inFlight;
  readonly #quota;
  readonly #signalFor;
  readonly #stats = { requests: 0, retries: 0, bytes: 0 };
  #calls = 0;
  /** Until when, in ms since 1970, the service wants no request. */
  #pausedUntil = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#headers = {
      authorization: authorization(options.token),
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'user-agent': `folio/${options.version}`,
    };
    this.#redact = redactor([options.token, ...(options.transport.proxy?.secrets ?? [])]);
    this.#signalFor = createSignalJoiner(options.signal);
    this.#inFlight = createLimiter(options.concurrency);
    this.#quota = options.quota ?? createRetryQuota();
  }

  get stats(): RequestStats {
    return this.#stats;
  }

  async get<T>(request: ApiRequest<T>): Promise<T> {
    const url = requestUrl(this.#options.baseUrl, request.path, request.query);
    const signal = this.#signalFor(request.signal);
    const label = { request: ++this.#calls, target: this.#redact(url.pathname + url.search) };
    try {
      return await this.#ask({ request, url, signal, label });
    } catch (error) {
      throw withoutSecrets(error, this.#redact);
    }
  }

  async #ask<T>(call: Call<T>): Promise<T> {
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#try(call, attempt);
      if ('value' in outcome) {
        this.#quota.refund(attempt);
        return outcome.value;
      }
      if (outcome.wait > 0) await this.#options.clock.sleep(outcome.wait, call.signal);
    }
  }

  close(): Promise<void> {
    return this.#options.transport.close();
  }

  /** The value, or how long to wait before the next try. Throws what ends the request. */
  async #try<T>(call: Call<T>, attempt: number): Promise<{ value: T } | { wait: number }> {
    await this.#inFlight.acquire(call.signal);
    let held = true;
    const release = (): void => {
      if (held) this.#inFlight.release();
      held = false;
    };
    try {
      const outcome = await this.#exchange(call, attempt, release);
      // A failure keeps its place until it is decided, so that none slips in before a pause begins.
      return 'value' in outcome ? outcome : { wait: this.#decide(call, attempt, outcome) };
    } finally {
      release();
    }
  }

  async #exchange<T>(call: Call<T>, attempt: number, release: () => void): Promise<AttemptResult<T>> {
    const { clock, transport, timeout, observe } = this.#options;
    const { url, signal, request, label } = call;
    await this.#pause(signal);
    this.#stats.requests++;
    observe?.({ kind: 'request', ...label, attempt });
    const started = clock.now();
    const answer = await sendRequest(transport, { url, headers: this.#headers, signal, timeout });
    if ('failure' in answer) return answer;
    const milliseconds = clock.now() - started;
    const { status, body } = answer;
    this.#stats.bytes += body.length;
    observe?.({ kind: 'response', ...label, attempt, status, milliseconds, bytes: body.length });
    if (status === 200) {
      // The next request may begin while this body is inflated and read.
      this.#inFlight.succeed();
      release();
    }
    const { parse, passes = [] } = request;
    return readResponse(answer, { url, parse, passes, milliseconds, redact: this.#redact });
  }

  /** Milliseconds to wait before the next try. Throws the failure where there is to be none. */
  #decide(call: Call<unknown>, attempt: number, { failure, retryable, response }: FailedAttempt): number {
    const { clock, retry, observe } = this.#options;
    const retryAfter = response?.headers['retry-after'];
    const now = clock.now();
    const tried = { retryable, retryAfter, triesBefore: attempt, random: clock.random(), now };
    const decision = decideRetry(tried, retry);
    if (decision.kind !== 'retry' || !this.#quota.take()) throw finalFailure(failure, attempt + 1, decision);
    this.#stats.retries++;
    const { wait } = decision;
    if (response?.status === 429) this.#slowDown(now, wait);
    observe?.({ kind: 'retry', ...call.label, attempt, wait, reason: this.#redact(failure.message) });
    return wait;
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    // Those still in flight when it began may have made it longer.
    for (let left; (left = this.#pausedUntil - clock.now()) > 0;) await clock.sleep(left, signal);
  }

  #slowDown(now: number, wait: number): void {
    this.#inFlight.throttle();
    this.#pausedUntil = Math.max(this.#pausedUntil, now + wait);
    this.#options.observe?.({ kind: 'throttled', wait });
  }
}

/**
 * Joins the signals that requests bring with `base`: the result is aborted, with the same reason, as soon as either is.
 * Each is joined once, however many requests bring it.
 */
function createSignalJoiner(base: AbortSignal): (own: AbortSignal | undefined) => AbortSignal {
  const joined = new WeakMap<AbortSignal, AbortSignal>();
  // Every request in flight or waiting listens to it, which is no leak for the runtime to warn of.
  setMaxListeners(0, base);
  return (own) => {
    if (own === undefined || own === base) return base;
    const known = joined.get(own);
    if (known !== undefined) return known;
    const either = AbortSignal.any([base, own]);
    setMaxListeners(0, either);
    joined.set(own, either);
    return either;
  };
}

/**
 * The value of the Authorization header: the token alone (spec 5, rule 2). Throws AuthError for one that no header can
 * carry, before any is set and without showing it: the runtime's own error would print it whole.
 */
export function authorization(token: string): string {
  if (token === '') throw new AuthError('there is no token', { hint: 'Log in with `folio auth login`.' });
  if (/^bearer\s/i.test(token)) {
    throw new AuthError('the token begins with "Bearer", and the service wants it alone', {
      hint: 'Give the token without it.',
    });
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new AuthError('the token holds a space, a line break or another character that no token has', {
      hint: 'Copy it again, whole and alone, and give it with `folio auth login`.',
    });
  }
  return token;
}
