import { setMaxListeners } from 'node:events';
import type { Clock } from '../context.ts';
import { AuthError } from '../errors.ts';
import { requestUrl, type QueryPair } from './address.ts';
import { readResponse, sendRequest, type AttemptResult, type ResponseHead } from './attempt.ts';
import { redactor, withoutSecrets } from './redact.ts';
import { createLimiter, createRetryQuota, Retrier, type RetryOptions, type RetryQuota } from './retry.ts';
import type { Transport } from './transport.ts';

/** One GET below the base address. */
interface ApiRequest<T> {
  /** Begins with a slash, percent-encoded: `/invoices/issued`. */
  readonly path: string;
  readonly query: readonly QueryPair[];
  /** Makes the value from the inflated body of a 200. Throws BadBody for a body that is to be requested again. */
  readonly parse: (body: Buffer, head: ResponseHead) => T | Promise<T>;
  /** True for a path that every such service has: a 404 then means that the base address is wrong. */
  readonly isListing?: boolean | undefined;
  /** Statuses besides 200 whose response goes to `parse`. */
  readonly takes?: readonly number[] | undefined;
  /** Statuses that are thrown at once as StatusError, not retried: the caller handles them, as with a smaller page. */
  readonly passes?: readonly number[] | undefined;
  /** Aborts this request. The client's own signal aborts it as well. */
  readonly signal?: AbortSignal | undefined;
}

/** Counted since the client was made, across all its requests. */
interface RequestStats {
  /** Requests that were sent, retries included. */
  readonly requests: number;
  readonly retries: number;
  /** Bytes of all bodies, as they were on the wire. */
  readonly bytes: number;
}

/** Asks one service for one organization. */
export interface ApiClient {
  /**
   * Sends the request, as often as the retries allow, and returns what `parse` makes of the body.
   *
   * @throws AuthError (401, 403), ServiceError (a 403 or a listing's 404 for a wrong address), NotFoundError (404),
   *   RefusedQuery or UnknownFiscalIds (400), StatusError (a status in `passes` at once, another one after all retries),
   *   ServiceError (anything else, after all retries), UsageError (a path that leads out of the base address), the
   *   signal's reason, or what `parse` throws
   */
  get<T>(request: ApiRequest<T>): Promise<T>;
  readonly stats: RequestStats;
  close(): Promise<void>;
}

/** What a client is made of. */
export interface ClientOptions {
  readonly baseUrl: URL;
  readonly token: string;
  /** How to give another token, as a sentence for hints. */
  readonly tokenHint?: string | undefined;
  /** The version of folio, for the User-Agent header. */
  readonly version: string;
  readonly transport: Transport;
  readonly retry: RetryOptions;
  /** Milliseconds for each attempt, from the first byte that is sent to the last byte that is received. */
  readonly timeout: number;
  /** How many requests may be in flight at once. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Shared by all clients of a run. Without it the client makes one of its own. */
  readonly quota?: RetryQuota | undefined;
  readonly observe?: ObserveRequests | undefined;
}

/**
 * What happens to requests, for the progress line and for the log of `--debug`. `request` numbers the requests of a
 * client from 1, and all attempts of a request share its number. `attempt` counts from 0. `target` is the path and the
 * query, without secrets.
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
  /** An attempt failed, and the next one begins after `wait` milliseconds. */
  | {
      readonly kind: 'retry';
      readonly request: number;
      readonly attempt: number;
      readonly target: string;
      readonly wait: number;
      readonly reason: string;
    }
  /** The service asked folio to slow down: no request for `wait` milliseconds, then one at a time. */
  | { readonly kind: 'throttled'; readonly wait: number };

/** Is told of every request of a client. Must not throw. */
export type ObserveRequests = (event: RequestEvent) => void;

/** Makes the client of one organization at one base address. Throws AuthError for a token that no header can carry. */
export function createClient(options: ClientOptions): ApiClient {
  return new Client(options);
}

/** A request, and what its attempts share. */
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
  readonly #limiter;
  readonly #retrier;
  readonly #signalFor;
  readonly #stats = { requests: 0, retries: 0, bytes: 0 };
  #calls = 0;
  /** The service wants no request before this time, as `Clock.elapsed` counts. */
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
    this.#limiter = createLimiter(options.concurrency);
    const { clock, retry, quota = createRetryQuota() } = options;
    this.#retrier = new Retrier({ clock, retry, quota, limiter: this.#limiter });
  }

  get stats(): RequestStats {
    return this.#stats;
  }

  async get<T>(request: ApiRequest<T>): Promise<T> {
    const url = requestUrl(this.#options.baseUrl, request.path, request.query);
    const signal = this.#signalFor(request.signal);
    const label = { request: ++this.#calls, target: this.#redact(url.pathname + url.search) };
    try {
      return await this.#getWithRetries({ request, url, signal, label });
    } catch (error) {
      throw withoutSecrets(error, this.#redact);
    }
  }

  close(): Promise<void> {
    return this.#options.transport.close();
  }

  #getWithRetries<T>(call: Call<T>): Promise<T> {
    const { observe } = this.#options;
    return this.#retrier.run<T>({
      signal: call.signal,
      attempt: (attempt, release) => this.#send(call, attempt, release),
      onRetry: ({ failure, status }, { attempt, wait }) => {
        this.#stats.retries++;
        if (status === 429) this.#pauseFor(wait);
        observe?.({ kind: 'retry', ...call.label, attempt, wait, reason: this.#redact(failure.message) });
      },
    });
  }

  async #send<T>(call: Call<T>, attempt: number, release: () => void): Promise<AttemptResult<T>> {
    const { clock, transport, timeout, observe } = this.#options;
    const { url, signal, request, label } = call;
    await this.#pause(signal);
    this.#stats.requests++;
    observe?.({ kind: 'request', ...label, attempt });
    const started = clock.elapsed();
    const answer = await sendRequest(transport, { url, headers: this.#headers, signal, timeout });
    if ('failure' in answer) return answer;
    const milliseconds = Math.round(clock.elapsed() - started);
    const { status, body } = answer;
    this.#stats.bytes += body.length;
    observe?.({ kind: 'response', ...label, attempt, status, milliseconds, bytes: body.length });
    if (status === 200) {
      // The next request may start while this body is inflated and parsed.
      this.#limiter.succeed();
      release();
    }
    const { tokenHint } = this.#options;
    return readResponse(answer, { url, request, milliseconds, redact: this.#redact, tokenHint });
  }

  async #pause(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    // A request that was still in flight when the pause began may have made it longer.
    for (let left; (left = this.#pausedUntil - clock.elapsed()) > 0;) await clock.sleep(left, signal);
  }

  #pauseFor(wait: number): void {
    const { clock } = this.#options;
    this.#pausedUntil = Math.max(this.#pausedUntil, clock.elapsed() + wait);
    this.#options.observe?.({ kind: 'throttled', wait });
  }
}

/**
 * Returns a function that joins the signal of a request with `base`: the result is aborted as soon as one of the two is,
 * and with the same reason. A signal is joined once, however many requests bring it.
 */
function createSignalJoiner(base: AbortSignal): (own: AbortSignal | undefined) => AbortSignal {
  const joined = new WeakMap<AbortSignal, AbortSignal>();
  // Every request in flight, and every one that waits for its place, listens: many listeners are no leak here.
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
 * The value of the Authorization header: the token alone (spec 5, rule 2). Throws AuthError for a token that no header
 * can carry. The error does not show the token; the error of the runtime would.
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
