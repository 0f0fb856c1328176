import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Clock } from '../context.ts';
import { ServiceError, type FolioError } from '../errors.ts';
import { isLoopback } from './address.ts';
import { networkFailure } from './network-failure.ts';
import {
  createLimiter,
  createRetryQuota,
  decideRetry,
  finalFailure,
  isRetryable,
  type RetryOptions,
} from './retry.ts';
import type { FileResponse, FileTransport } from './transport.ts';

/** What a file's sender says of it, besides its bytes. */
export interface FileHead {
  readonly contentType: string | undefined;
  /** The path of the address that served it, after all redirects. */
  readonly path: string;
}

/**
 * Takes one try's file. Called again where a try fails midway, so it must leave nothing behind when `body` throws. What
 * it throws itself ends the fetch.
 */
type ReceiveFile<T> = (head: FileHead, body: AsyncIterable<Buffer>) => Promise<T>;

/** Fetches the files behind links, with no credentials of any kind. */
export interface FileClient {
  /**
   * Follows the link and hands the file to `take`.
   *
   * @returns what `take` returned
   * @throws LinkRefused for a link that is over, ServiceError after all retries, the signal's reason
   */
  fetch<T>(link: string, take: ReceiveFile<T>, signal: AbortSignal): Promise<T>;
  close(): Promise<void>;
}

interface FileClientOptions {
  readonly transport: FileTransport;
  readonly retry: RetryOptions;
  /** Milliseconds for each try of each address. */
  readonly timeout: number;
  /** Files in flight at most. */
  readonly concurrency: number;
  readonly clock: Clock;
  /** Whether the service is on this machine, so that its links may be too. */
  readonly onLoopback: boolean;
  readonly version: string;
}

export function createFileClient(options: FileClientOptions): FileClient {
  const inFlight = createLimiter(options.concurrency);
  const quota = createRetryQuota();
  const { clock, retry, transport } = options;

  const decide = (failed: FileFailure, attempt: number): number => {
    const { retryable, retryAfter } = failed;
    const tried = { retryable, retryAfter, triesBefore: attempt, random: clock.random(), now: clock.now() };
    const decision = decideRetry(tried, retry);
    if (decision.kind !== 'retry' || !quota.take()) throw finalFailure(failed.failure, attempt + 1, decision);
    if (failed.status === 429) inFlight.throttle();
    return decision.wait;
  };

  return {
    async fetch(link, take, signal) {
      const start = checkLink(link, options);
      for (let attempt = 0; ; attempt++) {
        let wait: number;
        await inFlight.acquire(signal);
        try {
          const taken = await fetchOnce(start, take, { ...options, signal });
          inFlight.succeed();
          quota.refund(attempt);
          return taken;
        } catch (error) {
          signal.throwIfAborted();
          if (!(error instanceof FileFailure)) throw error;
          wait = decide(error, attempt);
        } finally {
          inFlight.release();
        }
        if (wait > 0) await clock.sleep(wait, signal);
      }
    },
    close: () => transport.close(),
  };
}

interface FileAttempt extends FileClientOptions {
  readonly signal: AbortSignal;
}

/** From the link to its file: the whole way each time, for what a link redirects to may be good for moments only. */
async function fetchOnce<T>(start: URL, take: ReceiveFile<T>, attempt: FileAttempt): Promise<T> {
  let url = start;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const to = {
      host: url.host,
      proxyHost: attempt.transport.proxyHost(url.origin),
      timeout: attempt.timeout,
    };
    const response = await openFile(url, attempt).catch((error: unknown) => {
      throw fileNetworkFailure(error, to);
    });
    const { status, headers } = response;
    const location = headers['location'];
    if (status === 200) {
      const head = { contentType: headers['content-type'], path: url.pathname };
      return take(head, fileBody(response, to)).finally(() => response.discard());
    }
    await drain(response);
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined) {
      throw fileStatusFailure(url.host, status, headers);
    }
    url = checkLink(location, { ...attempt, from: url });
  }
  throw new ServiceError(`the link to ${start.host} redirects more than ${MAX_REDIRECTS} times`);
}

function openFile(url: URL, { transport, signal, timeout, version }: FileAttempt): Promise<FileResponse> {
  const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': `folio/${version}` };
  return transport.open({ url, headers, signal, timeout });
}

/** Reads the little that comes with a redirect or a refusal, so that the connection can serve again. */
async function drain({ body }: FileResponse): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of body) if ((bytes += chunk.length) > 65_536) return;
  } catch {
    // The status said all that matters.
  }
}

/** Redirects that are followed from a link to its file: one is what the service does (spec 2.5). */
const MAX_REDIRECTS = 5;

/**
 * A link to a file, or where one redirects to, checked before anything is sent: https only, without user and password.
 * This machine may be named, and then also with http, only where the service itself is on it: else a service, or
 * whoever speaks for it, could have folio ask programs that listen for nobody but their user.
 *
 * @param link the text of the link; relative to `from` in a redirect
 * @throws ServiceError, whose message shows no more of the link than its host
 */
export function checkLink(link: string, options: { readonly onLoopback: boolean; readonly from?: URL }): URL {
  const { onLoopback, from } = options;
  if (!URL.canParse(link, from?.href)) throw linkNotFollowed('', 'is no address');
  const url = new URL(link, from?.href);
  url.hash = '';
  const local = isLoopback(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) {
    throw linkNotFollowed(url.host, `is ${url.protocol}// and not https://`);
  }
  if (url.username !== '' || url.password !== '') throw linkNotFollowed(url.host, 'names a user');
  if (local && !onLoopback)
    throw linkNotFollowed(url.host, 'leads to this machine, where the service is not');
  return url;
}

function linkNotFollowed(host: string, why: string): ServiceError {
  return new ServiceError(`the link${host === '' ? '' : ` to ${host}`} ${why}: it is not followed`);
}

/** Bytes that one file may have: far more than any invoice, far less than a disk. */
const MAX_FILE_BYTES = 256 * 2 ** 20;

/**
 * The bytes of the file that a response carries, whole or an error: FileFailure for what another try may mend and for what
 * it may not. A response that says nothing of its length is refused, since a cut one would look like it.
 */
export async function* fileBody(
  response: FileResponse,
  to: Parameters<typeof networkFailure>[1],
  most = MAX_FILE_BYTES,
): AsyncGenerator<Buffer> {
  const { headers } = response;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    throw finalFileFailure(
      `${to.host} does not say how long the file is, so that a cut one could not be told`,
    );
  }
  let length = 0;
  try {
    for await (const chunk of decode(response, to.host)) {
      length += chunk.length;
      if (length > most)
        throw finalFileFailure(`the file is larger than ${most / 2 ** 20} MiB, the most that is fetched`);
      yield chunk;
    }
  } catch (error) {
    throw isZlibError(error)
      ? retryableFileFailure(`the file from ${to.host} came damaged`)
      : fileNetworkFailure(error, to);
  }
  if (length === 0) throw retryableFileFailure(`${to.host} sent an empty file`);
}

/** Stores keep some files compressed and say so, asked for or not. */
function decode({ headers, body }: FileResponse, host: string): AsyncIterable<Buffer> {
  const coding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return body;
  if (coding !== 'gzip' && coding !== 'x-gzip') {
    throw finalFileFailure(`${host} sent the file in a coding that was not asked for`);
  }
  // What goes wrong is thrown to whoever reads the end of the pipe.
  return pipeline(body, createGunzip(), () => {});
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && ((error as NodeJS.ErrnoException).code ?? '').startsWith('Z_');
}

function finalFileFailure(message: string): FileFailure {
  return new FileFailure(new ServiceError(message), { retryable: false });
}

function retryableFileFailure(message: string): FileFailure {
  return new FileFailure(new ServiceError(message), { retryable: true });
}

/** A try to fetch a file that came to nothing: never leaves the client of files. */
export class FileFailure extends Error {
  readonly failure: FolioError;
  readonly retryable: boolean;
  readonly retryAfter: string | undefined;
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

/** The link is refused: its 24 hours are over (spec 2.5), or it was never good. A new one may be. */
export class LinkRefused extends ServiceError {}

/** What a status other than 200 and a redirect means for a file. */
function fileStatusFailure(host: string, status: number, headers: Readonly<Record<string, string>>) {
  if (status === 403) {
    return new FileFailure(new LinkRefused(`${host} refuses the link (403)`), { retryable: false, status });
  }
  const says = status === 404 || status === 410 ? 'has no such file' : 'does not hand over the file';
  return new FileFailure(new ServiceError(`${host} ${says} (${status})`), {
    retryable: isRetryable(status),
    retryAfter: headers['retry-after'],
    status,
  });
}

/** What the network's error means for a file; any other error as it is. */
function fileNetworkFailure(error: unknown, to: Parameters<typeof networkFailure>[1]): unknown {
  const known = networkFailure(error, to);
  return known === undefined ? error : new FileFailure(known.error, { retryable: known.retryable });
}
