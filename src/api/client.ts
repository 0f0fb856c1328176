import type { Clock } from '../context.ts';
import { BadBody, ServiceError, errorCode } from '../errors.ts';
import { requestUrl, type QueryPair } from './address.ts';
import { Limiter } from './limiter.ts';
import { withoutSecrets, type Redact } from './redact.ts';
import { FailedTry, refusedTry, Retries, RetryQuota, type RetryOptions } from './retry.ts';
import { statusFailure } from './status-failure.ts';
import type { ResponseHead, Transport, TransportResponse } from './transport.ts';

/** A response that came whole. */
interface Answer extends ResponseHead {
  readonly body: Buffer;
  /** From sending the request to the end of the response. */
  readonly milliseconds: number;
}

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
  /** Statuses that are thrown at once as StatusError, not retried: the caller handles them. */
  readonly passes?: readonly number[] | undefined;
  /** Aborts this request. The client's own signal aborts it as well. */
  readonly signal?: AbortSignal | undefined;
}

export interface ClientOptions {
  readonly baseUrl: URL;
  /** Goes into its header as it is, alone (spec 5, rule 2): `parseToken` has seen to it that a header can carry it. */
  readonly token: string;
  /** How to give another token, as a sentence for hints. */
  readonly tokenHint?: string | undefined;
  /** Removes the token, and the passwords of proxies, from what errors say. */
  readonly redact: Redact;
  /** The version of folio, for the User-Agent header. */
  readonly version: string;
  readonly transport: Transport;
  readonly retry: RetryOptions;
  /** Milliseconds for each attempt, from the first byte that is sent to the last byte that is received. */
  readonly timeout: number;
  /** How many requests may be in flight at once. */
  readonly concurrency: number;
  /** Shared by all clients that may have so many in flight together. Without it the client has one of its own. */
  readonly limiter?: Limiter | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Shared by all clients of a run. Without it the client makes one of its own. */
  readonly quota?: RetryQuota | undefined;
  readonly observe?: ObserveRequests | undefined;
}

/**
 * What happens to requests, for the progress line and for the log of `--debug`. `request` numbers the requests of a
 * client from 1, and all attempts of a request share its number. `attempt` counts from 0. `target` is the path and the
 * query, as sent; code that shows them has to remove secrets. `bytes` are those on the wire.
 */
export type RequestEvent = { readonly request: number; readonly attempt: number; readonly target: string } & (
  | { readonly kind: 'request' }
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly milliseconds: number;
      readonly bytes: number;
    }
  /** An attempt failed, and the next one begins after `wait` milliseconds. */
  | { readonly kind: 'retry'; readonly wait: number; readonly reason: string }
);

/** Receives every event of a client. Must not throw. */
export type ObserveRequests = (event: RequestEvent) => void;

/** A request, and what its attempts share. */
interface Call<T> {
  readonly request: ApiRequest<T>;
  readonly url: URL;
  readonly signal: AbortSignal;
  readonly label: { readonly request: number; readonly target: string };
}

/** Sends the requests to one service for one organization. */
export class ApiClient {
  readonly #options: ClientOptions;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #retries: Retries;
  /** Since the client was made: requests that were sent, retries among them, and bytes of all bodies on the wire. */
  readonly stats = { requests: 0, retries: 0, bytes: 0 };
  #calls = 0;

  constructor(options: ClientOptions) {
    const { token, version, clock, retry, concurrency } = options;
    this.#options = options;
    this.#headers = {
      authorization: token,
      accept: 'application/json',
      'accept-encoding': 'gzip',
      'user-agent': `folio/${version}`,
    };
    const { limiter = new Limiter(concurrency), quota = new RetryQuota() } = options;
    this.#retries = new Retries({ clock, retry, limiter, quota });
  }

  /**
   * Sends the request, as often as the retries allow, and returns what `parse` makes of the body.
   *
   * @throws AuthError (401, 403), ServiceError (a 403 or a listing's 404 for a wrong address), NotFoundError (404),
   *   RefusedQuery or UnknownFiscalIds (400), StatusError (a status in `passes` at once, another one after all retries),
   *   ServiceError (anything else, after all retries), UsageError (a path that leads out of the base address), the
   *   signal's reason, or what `parse` throws
   */
  async get<T>(request: ApiRequest<T>): Promise<T> {
    const { baseUrl, observe, redact, signal: stop } = this.#options;
    const url = requestUrl(baseUrl, request.path, request.query);
    const { signal: own = stop } = request;
    const signal = own === stop ? stop : AbortSignal.any([stop, own]);
    const label = { request: ++this.#calls, target: url.pathname + url.search };
    const call = { request, url, signal, label };
    const onRetry = ({ failure }: FailedTry, attempt: number, wait: number): void => {
      this.stats.retries++;
      observe?.({ kind: 'retry', ...label, attempt, wait, reason: failure.message });
    };
    try {
      const send = (attempt: number, release: () => void) => this.#send(call, attempt, release);
      return await this.#retries.run(send, { signal, onRetry });
    } catch (error) {
      throw withoutSecrets(error, redact);
    }
  }

  close(): Promise<void> {
    return this.#options.transport.close();
  }

  /** Makes one attempt. Throws FailedTry, the error of a status in `passes`, and every error of `parse` except BadBody. */
  async #send<T>(call: Call<T>, attempt: number, release: () => void): Promise<T> {
    const { observe, clock, transport, timeout } = this.#options;
    const { url, request, label, signal } = call;
    const { parse, takes = [] } = request;
    this.stats.requests++;
    observe?.({ kind: 'request', ...label, attempt });
    const started = clock.elapsed();
    const response = await transport.open({ url, headers: this.#headers, signal, timeout });
    const { status, headers } = response;
    const body = await wholeBody(response);
    const milliseconds = Math.round(clock.elapsed() - started);
    const answer = { status, headers, body, milliseconds };
    this.stats.bytes += body.length;
    observe?.({ kind: 'response', ...label, attempt, status, milliseconds, bytes: body.length });
    // The next request may start while this body is inflated and parsed.
    if (status === 200) release();
    else if (!takes.includes(status)) throw await this.#refusal(call, answer);
    try {
      return await parse(await inflate(body, headers['content-encoding']), { status, headers });
    } catch (error) {
      if (!(error instanceof BadBody) && !(error instanceof BrokenGzip)) throw error;
      throw new FailedTry(unusableBody(error, headers, url), true, answer);
    }
  }

  /** The error for a response that is not parsed: FailedTry, or that of a status in `passes`. */
  async #refusal({ url, request }: Call<unknown>, answer: Answer): Promise<Error> {
    const { passes = [], isListing } = request;
    const { status, headers, milliseconds } = answer;
    // Where the body cannot be read, the status alone is enough.
    const body = await inflate(answer.body, headers['content-encoding']).catch(() => Buffer.alloc(0));
    const { tokenHint, redact } = this.#options;
    const failure = statusFailure({ url, status, headers, body, milliseconds, redact, isListing, tokenHint });
    return passes.includes(status) ? failure : refusedTry(failure, answer);
  }
}

/** The most bytes of one response, as they are on the wire. */
const MAX_RESPONSE_BYTES = 64 * 2 ** 20;

async function wholeBody({ body }: TransportResponse): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Leaving the loop early discards the response.
  for await (const chunk of body) {
    chunks.push(chunk);
    if ((length += chunk.length) <= MAX_RESPONSE_BYTES) continue;
    throw new ServiceError(`the response is larger than ${MAX_RESPONSE_BYTES / 2 ** 20} MiB`, {
      hint: 'Ask for fewer records in each request with --page-size.',
    });
  }
  return Buffer.concat(chunks, length);
}

/** The most bytes that a body may inflate to: ten times the service's limit for a response. */
const MAX_INFLATED_BYTES = 64 * 2 ** 20;
/** The highest ratio that DEFLATE can reach: one byte stands for 1032. */
const MAX_RATIO = 1032;

/** A gzip body is cut short or damaged. No data was taken from it, so the request may be sent again. */
class BrokenGzip extends ServiceError {}

/**
 * Undoes the encoding of a body: one layer of gzip, or none. `encoding` is the Content-Encoding header. Unlike `fetch`, it
 * never accepts half a gzip body: every byte must belong to a complete member with the right checksum. Several members in
 * a row are concatenated (RFC 1952). Throws BrokenGzip for a damaged body, and ServiceError for an unknown encoding or for
 * more than 64 MiB.
 */
async function inflate(body: Buffer, encoding: string | undefined): Promise<Buffer> {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return body;
  if (name !== 'gzip' && name !== 'x-gzip') {
    const shown = /^[a-z, -]{1,20}$/.test(name) ? ` (${name})` : '';
    throw new ServiceError(`the response has an encoding that folio did not request${shown}`, {
      hint: 'Something between folio and the service may be changing the responses.',
    });
  }
  const { gunzip } = await import('node:zlib');
  const options = { info: true, maxOutputLength: MAX_INFLATED_BYTES, chunkSize: expectedSize(body) };
  return new Promise((resolve, reject) => {
    gunzip(body, options, (error, result) => {
      if (error !== null) return reject(inflateError(error));
      // By its types it returns the bytes alone, also with `info`.
      const { buffer, engine } = result as unknown as Inflated;
      if (engine.bytesWritten === body.length) return resolve(buffer);
      reject(new BrokenGzip('the gzip body has bytes after its end'));
    });
  });
}

interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/**
 * The size in bytes of zlib's output buffer. One buffer for the whole body is 2 to 5 times as fast as the default of
 * 16 KiB. A gzip body ends with its inflated size, but a body that was cut short may end with any number, so it is only
 * a guess. The buffer is a little larger than that, because zlib would need a second one to learn that it has ended.
 */
function expectedSize(body: Buffer): number {
  const named = body.length < 4 ? 0 : body.readUInt32LE(body.length - 4);
  return Math.max(Math.min(named, MAX_INFLATED_BYTES, body.length * MAX_RATIO) + 64, 1024);
}

function inflateError(error: unknown): unknown {
  const code = errorCode(error) ?? '';
  if (code === 'ERR_BUFFER_TOO_LARGE') {
    return new ServiceError(`the response inflates to more than ${MAX_INFLATED_BYTES / 2 ** 20} MiB`, {
      hint: 'Ask for fewer records in each request with --page-size.',
      cause: error,
    });
  }
  if (!code.startsWith('Z_')) return error;
  const reason = code === 'Z_BUF_ERROR' ? 'is cut short' : `is damaged (${(error as Error).message})`;
  return new BrokenGzip(`the gzip body ${reason}`, { cause: error });
}

function unusableBody(cause: Error, headers: ResponseHead['headers'], url: URL): ServiceError {
  if (/^text\/html\b/i.test(headers['content-type'] ?? '')) {
    return new ServiceError(
      `${url.host} answered ${url.pathname} with an HTML page, where JSON was expected`,
      { hint: 'Check the base address, and any proxy on the way to it.', cause },
    );
  }
  return new ServiceError(`${url.host} answered ${url.pathname} with an unusable body: ${cause.message}`, {
    hint: 'Something between folio and the service may be changing the responses.',
    cause,
  });
}
