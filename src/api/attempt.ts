import { BadBody } from '../json/bad-body.ts';
import { ServiceError } from '../errors.ts';
import { BrokenGzip } from './broken-gzip.ts';
import { inflate } from './inflate.ts';
import { networkFailure } from './network-failure.ts';
import { isRetryable } from './retry-policy.ts';
import { StatusError } from './status-error.ts';
import { statusFailure } from './status-failure.ts';
import type { FolioError } from '../errors.ts';
import type { Redact } from './redact.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** A try that came to nothing. */
export interface Failure {
  readonly failure: FolioError;
  /** Whether asking again may help. */
  readonly retryable: boolean;
  /** Missing where the network failed. */
  readonly response?: TransportResponse;
}

export type Outcome<T> = { readonly value: T } | Failure;

interface Reading<T> {
  readonly url: URL;
  readonly parse: (body: Buffer) => T;
  readonly passes: readonly number[];
  readonly milliseconds: number;
  readonly redact: Redact;
}

/**
 * Sends one GET; what the network did to it becomes a failure. Throws the signal's reason, what the transport itself
 * refuses, and anything that is a fault of our own.
 */
export async function send(
  transport: Transport,
  request: TransportRequest,
): Promise<TransportResponse | Failure> {
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
 * What a response is worth: the value of a good body, or a failure. Throws StatusError for a status that is to pass, and
 * whatever `parse` throws but BadBody.
 */
export async function read<T>(response: TransportResponse, reading: Reading<T>): Promise<Outcome<T>> {
  if (response.status !== 200) return refuse(response, reading);
  try {
    const body = await inflate(response.body, response.headers['content-encoding']);
    return { value: reading.parse(body) };
  } catch (error) {
    if (!(error instanceof BadBody) && !(error instanceof BrokenGzip)) throw error;
    return { failure: badBody(error, response, reading.url), retryable: true, response };
  }
}

async function refuse(response: TransportResponse, reading: Reading<unknown>): Promise<Outcome<never>> {
  const { status, headers } = response;
  // What the status says counts, whatever became of the body.
  const body = await inflate(response.body, headers['content-encoding']).catch(() => Buffer.alloc(0));
  const { url, redact, milliseconds } = reading;
  const meaning = statusFailure({ url, status, headers, body, redact });
  const answered = new StatusError(meaning, { status, body, milliseconds });
  if (reading.passes.includes(status)) throw answered;
  // Whoever asked may still want to know the status when all tries are used up.
  const failure = meaning instanceof ServiceError ? answered : meaning;
  return { failure, retryable: isRetryable(status), response };
}

function badBody(cause: Error, { headers }: TransportResponse, url: URL): ServiceError {
  if (/^text\/html\b/i.test(headers['content-type'] ?? '')) {
    return new ServiceError(
      `${url.host} answered ${url.pathname} with an HTML page, where JSON was expected`,
      {
        hint: 'Check the base address, and any proxy on the way to it',
        cause,
      },
    );
  }
  return new ServiceError(`${url.host} answered ${url.pathname} with an unusable body: ${cause.message}`, {
    cause,
  });
}
