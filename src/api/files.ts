import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Clock } from '../context.ts';
import { ServiceError, errorCode, type FolioError } from '../errors.ts';
import { leadsToThisMachine } from './address.ts';
import { networkFailure, type RequestDestination } from './network-failure.ts';
import {
  createLimiter,
  createRetryQuota,
  isRetryable,
  Retrier,
  type FailedTry,
  type RetryOptions,
} from './retry.ts';
import type { FileResponse, FileTransport } from './transport.ts';

/** What the response says about a file, besides its bytes. */
export interface FileHead {
  readonly contentType: string | undefined;
  /** The path of the address that served the file, after all redirects. */
  readonly path: string;
}

/**
 * Receives the file of one attempt. Where an attempt fails halfway, it is called again for the next one, so it must leave
 * nothing behind when `body` throws. An error of its own ends the fetch.
 */
type ReceiveFile<T> = (head: FileHead, body: AsyncIterable<Buffer>) => Promise<T>;

/** Fetches the files behind links, without credentials of any kind. */
export interface FileClient {
  /**
   * Follows the link and hands the file to `take`.
   *
   * @returns what `take` returned
   * @throws LinkRefused for a link that has ended, ServiceError after all retries, the signal's reason
   */
  fetch<T>(link: string, take: ReceiveFile<T>, signal: AbortSignal): Promise<T>;
  close(): Promise<void>;
}

interface FileClientOptions {
  readonly transport: FileTransport;
  readonly retry: RetryOptions;
  /** Milliseconds for each request: the link and each redirect have their own. */
  readonly timeout: number;
  /** How many files may be in flight at once. */
  readonly concurrency: number;
  readonly clock: Clock;
  /** Whether the service is on this machine, so that its links may lead to this machine too. */
  readonly onLoopback: boolean;
  /** The version of folio, for the User-Agent header. */
  readonly version: string;
}

/** Makes the client of files, with a limit and a quota of its own. */
export function createFileClient(options: FileClientOptions): FileClient {
  const limiter = createLimiter(options.concurrency);
  const { clock, retry, transport } = options;
  const retrier = new Retrier({ clock, retry, limiter, quota: createRetryQuota() });
  return {
    async fetch(link, take, signal) {
      const start = checkLink(link, options);
      return retrier.run({
        signal,
        attempt: async () => {
          try {
            const value = await fetchOnce(start, take, { ...options, signal });
            limiter.succeed();
            return { value };
          } catch (error) {
            signal.throwIfAborted();
            if (error instanceof FileFailure) return error;
            throw error;
          }
        },
      });
    },
    close: () => transport.close(),
  };
}

interface FileAttempt extends FileClientOptions {
  readonly signal: AbortSignal;
}

/** One attempt, from the link to its file. It begins at the link, because the target of a redirect may be short-lived. */
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

/** Reads the short body of a redirect or a refusal, so that the connection can be used again. */
async function drain({ body }: FileResponse): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of body) if ((bytes += chunk.length) > 65_536) return;
  } catch {
    // The status says all that matters.
  }
}

/** The most redirects from a link to its file. The service makes one (spec 2.5). */
const MAX_REDIRECTS = 5;

/**
 * Checks a link to a file, or the target of a redirect, before anything is sent. It must be https, without user and
 * password. A link to this machine, which may also be http, is allowed only when the service itself is on this machine.
 * Otherwise a service could make folio send requests to programs that listen for the local user alone.
 *
 * @param link the text of the link; in a redirect it may be relative to `from`
 * @throws ServiceError, whose message shows only the host of the link
 */
export function checkLink(link: string, options: { readonly onLoopback: boolean; readonly from?: URL }): URL {
  const { onLoopback, from } = options;
  if (!URL.canParse(link, from?.href)) throw linkNotFollowed('', 'is no address');
  const url = new URL(link, from?.href);
  url.hash = '';
  const local = leadsToThisMachine(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && local)) {
    throw linkNotFollowed(url.host, `is ${url.protocol}// and not https://`);
  }
  if (url.username !== '' || url.password !== '') throw linkNotFollowed(url.host, 'names a user');
  if (local && !onLoopback) throw linkNotFollowed(url.host, LEADS_HERE);
  return url;
}

/** Why a link to this machine is not followed. */
export const LEADS_HERE = 'leads to this machine, where the service is not';

/** The failure for a link that is refused. `host` is empty where the link names none; `why` goes on the sentence. */
export function linkNotFollowed(host: string, why: string): ServiceError {
  return new ServiceError(`the link${host === '' ? '' : ` to ${host}`} ${why}: it is not followed`);
}

/** The most bytes of a file: far more than any invoice has, far less than a disk holds. */
const MAX_FILE_BYTES = 256 * 2 ** 20;

/**
 * Yields the bytes of the file in a response. Ends only when the file is whole; otherwise throws FileFailure, which says
 * whether another attempt may succeed. A response that does not say how long it is could be cut short without a sign, so
 * it is refused.
 */
export async function* fileBody(
  response: FileResponse,
  to: RequestDestination,
  maxBytes = MAX_FILE_BYTES,
): AsyncGenerator<Buffer> {
  const { headers } = response;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) {
    throw finalFileFailure(
      `${to.host} does not say how long the file is, so folio could not tell whether it is whole`,
    );
  }
  let length = 0;
  try {
    for await (const chunk of decode(response, to.host)) {
      length += chunk.length;
      if (length > maxBytes)
        throw finalFileFailure(`the file is larger than ${maxBytes / 2 ** 20} MiB, the most that is fetched`);
      yield chunk;
    }
  } catch (error) {
    throw isZlibError(error)
      ? retryableFileFailure(`the file from ${to.host} came damaged`)
      : fileNetworkFailure(error, to);
  }
  if (length === 0) throw retryableFileFailure(`${to.host} sent an empty file`);
}

/** Some stores keep files compressed and send them so, even when that was not asked for. */
function decode({ headers, body }: FileResponse, host: string): AsyncIterable<Buffer> {
  const coding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return body;
  if (coding !== 'gzip' && coding !== 'x-gzip') {
    throw finalFileFailure(`${host} sent the file with an encoding that folio did not ask for`);
  }
  // The callback is empty: the reader of the pipe gets the error.
  return pipeline(body, createGunzip(), () => {});
}

function isZlibError(error: unknown): boolean {
  return errorCode(error)?.startsWith('Z_') === true;
}

function finalFileFailure(message: string): FileFailure {
  return new FileFailure(new ServiceError(message), { retryable: false });
}

function retryableFileFailure(message: string): FileFailure {
  return new FileFailure(new ServiceError(message), { retryable: true });
}

/** A failed attempt to fetch a file. It never leaves the client of files. */
export class FileFailure extends Error implements FailedTry {
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

/** The link is refused: its 24 hours are over (spec 2.5), or it never worked. A new link may work. */
export class LinkRefused extends ServiceError {}

/** The failure for a status that is neither 200 nor a redirect. */
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

/** The failure for an error of the network. Any other error is returned as it is. */
function fileNetworkFailure(error: unknown, to: RequestDestination): unknown {
  const known = networkFailure(error, to);
  return known === undefined ? error : new FileFailure(known.error, { retryable: known.retryable });
}
