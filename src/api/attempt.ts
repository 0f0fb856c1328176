import type { ZlibOptions } from 'node:zlib';
import { ServiceError, errorCode, BadBody } from '../errors.ts';
import { networkFailure } from './network-failure.ts';
import type { Redact } from './redact.ts';
import { isRetryable, type FailedTry } from './retry.ts';
import { StatusError, statusFailure } from './status-failure.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** What one attempt brought. */
export type AttemptResult<T> = { readonly value: T } | FailedTry;

/** A response without its body. */
export type ResponseHead = Pick<TransportResponse, 'status' | 'headers'>;

interface ResponseContext<T> {
  readonly url: URL;
  readonly request: {
    readonly parse: (body: Buffer, head: ResponseHead) => T | Promise<T>;
    /** Statuses besides 200 that are parsed. */
    readonly takes?: readonly number[] | undefined;
    /** Statuses that are thrown at once. */
    readonly passes?: readonly number[] | undefined;
    readonly isListing?: boolean | undefined;
  };
  /** From sending the request to the end of the response. */
  readonly milliseconds: number;
  readonly redact: Redact;
  /** How to give another token, as a sentence. */
  readonly tokenHint?: string | undefined;
}

/**
 * Sends one GET. Returns an error of the network as a failed attempt. Throws the signal's reason, a refusal of the transport
 * itself, and any error that is a fault of folio.
 */
export async function sendRequest(
  transport: Transport,
  request: TransportRequest,
): Promise<TransportResponse | FailedTry> {
  try {
    return await transport.send(request);
  } catch (error) {
    request.signal.throwIfAborted();
    const to = { host: request.url.host, proxyHost: transport.proxy?.host, timeout: request.timeout };
    const known = networkFailure(error, to);
    if (known === undefined) throw error;
    return { failure: known.error, retryable: known.retryable };
  }
}

/**
 * Reads a response. Returns the value of a good body, or a failed attempt. Throws StatusError for a status in `passes`, and
 * every error of `parse` except BadBody.
 */
export async function readResponse<T>(
  response: TransportResponse,
  context: ResponseContext<T>,
): Promise<AttemptResult<T>> {
  const { parse, takes = [] } = context.request;
  if (response.status !== 200 && !takes.includes(response.status)) return readRefusal(response, context);
  try {
    const body = await inflate(response.body, response.headers['content-encoding']);
    return { value: await parse(body, response) };
  } catch (error) {
    if (!(error instanceof BadBody) && !(error instanceof BrokenGzip)) throw error;
    return { failure: unusableBody(error, response, context.url), retryable: true, ...toldBy(response) };
  }
}

async function readRefusal(
  response: TransportResponse,
  context: ResponseContext<unknown>,
): Promise<AttemptResult<never>> {
  const { status, headers } = response;
  // Where the body cannot be read, the status alone says enough.
  const body = await inflate(response.body, headers['content-encoding']).catch(() => Buffer.alloc(0));
  const { url, redact, milliseconds, tokenHint } = context;
  const { passes = [], isListing } = context.request;
  const meaning = statusFailure({ url, status, headers, body, redact, isListing, tokenHint });
  const answered = new StatusError(meaning, { status, body, milliseconds });
  if (passes.includes(status)) throw answered;
  // When all retries are used up, the caller may need the status.
  const failure = meaning instanceof ServiceError ? answered : meaning;
  return { failure, retryable: isRetryable(status), ...toldBy(response) };
}

function toldBy({ status, headers }: TransportResponse): Pick<FailedTry, 'status' | 'retryAfter'> {
  return { status, retryAfter: headers['retry-after'] };
}

function unusableBody(cause: Error, { headers }: TransportResponse, url: URL): ServiceError {
  if (/^text\/html\b/i.test(headers['content-type'] ?? '')) {
    return new ServiceError(
      `${url.host} answered ${url.pathname} with an HTML page, where JSON was expected`,
      {
        hint: 'Check the base address, and any proxy on the way to it.',
        cause,
      },
    );
  }
  return new ServiceError(`${url.host} answered ${url.pathname} with an unusable body: ${cause.message}`, {
    hint: 'Something between folio and the service may be changing the responses.',
    cause,
  });
}

/** The most bytes that a body may inflate to: ten times the service's limit for a response. */
const MAX_INFLATED_BYTES = 64 * 2 ** 20;
/** Up to this many compressed bytes, another thread takes longer than this one (60 against 20 µs). */
const SMALL_BYTES = 4096;
/** The highest ratio that DEFLATE can reach: one byte stands for 1032. */
const MAX_RATIO = 1032;

/** What node:zlib returns when it is asked for `info`, which its types leave out. */
interface Inflated {
  readonly buffer: Buffer;
  readonly engine: { readonly bytesWritten: number };
}

/**
 * Undoes the encoding of a body: one layer of gzip, or none. `encoding` is the Content-Encoding header. Unlike `fetch`, it
 * never accepts half a gzip body: every byte must belong to a complete member with the right checksum. Several members in
 * a row are concatenated (RFC 1952). Throws BrokenGzip for a damaged body, and ServiceError for an unknown encoding or for
 * more than `maxBytes`.
 */
export async function inflate(
  body: Buffer,
  encoding: string | undefined,
  maxBytes = MAX_INFLATED_BYTES,
): Promise<Buffer> {
  const name = (encoding ?? '').trim().toLowerCase();
  if (name === '' || name === 'identity') return body;
  if (name !== 'gzip' && name !== 'x-gzip') {
    const shown = /^[a-z, -]{1,20}$/.test(name) ? ` (${name})` : '';
    throw new ServiceError(`the response has an encoding that folio did not ask for${shown}`, {
      hint: 'Something between folio and the service may be changing the responses.',
    });
  }
  const options = { info: true, maxOutputLength: maxBytes, chunkSize: expectedSize(body, maxBytes) };
  let returned: object;
  try {
    returned = await (body.length <= SMALL_BYTES
      ? inflateOnThisThread(body, options)
      : inflateOnAnotherThread(body, options));
  } catch (error) {
    throw inflateError(error, maxBytes);
  }
  const { buffer, engine } = withInfo(returned);
  if (engine.bytesWritten !== body.length) throw new BrokenGzip('the gzip body has bytes after its end');
  return buffer;
}

async function inflateOnThisThread(body: Buffer, options: ZlibOptions): Promise<object> {
  const { gunzipSync } = await import('node:zlib');
  return gunzipSync(body, options);
}

async function inflateOnAnotherThread(body: Buffer, options: ZlibOptions): Promise<object> {
  const { gunzip } = await import('node:zlib');
  return new Promise((resolve, reject) => {
    gunzip(body, options, (error, result) => (error === null ? resolve(result) : reject(error)));
  });
}

/** What zlib returned with its `info`; by its types it returned the bytes alone. */
function withInfo(returned: object): Inflated {
  if (isInflated(returned)) return returned;
  throw new TypeError('zlib returned no info');
}

function isInflated(returned: object): returned is Inflated {
  return 'engine' in returned;
}

/**
 * The size in bytes of zlib's output buffer. One buffer for the whole body is 2 to 5 times as fast as the default of
 * 16 KiB. A gzip body ends with its inflated size, but a body that was cut short may end with any number, so it is only
 * a guess. The buffer is a little larger than that, because zlib would need a second one to learn that it has ended.
 */
function expectedSize(body: Buffer, maxBytes: number): number {
  const told = body.length < 4 ? 0 : body.readUInt32LE(body.length - 4);
  return Math.max(Math.min(told, maxBytes, body.length * MAX_RATIO) + 64, 1024);
}

function inflateError(error: unknown, maxBytes: number): unknown {
  const code = errorCode(error) ?? '';
  if (code === 'ERR_BUFFER_TOO_LARGE') {
    return new ServiceError(`the response inflates to more than ${maxBytes / 2 ** 20} MiB`, {
      hint: 'Ask for fewer records in each request with --page-size.',
      cause: error,
    });
  }
  if (!code.startsWith('Z_')) return error;
  const reason = code === 'Z_BUF_ERROR' ? 'is cut short' : `is damaged (${(error as Error).message})`;
  return new BrokenGzip(`the gzip body ${reason}`, { cause: error });
}

/** A gzip body is cut short or damaged. No data was taken from it, so the request may be sent again. */
export class BrokenGzip extends ServiceError {}
