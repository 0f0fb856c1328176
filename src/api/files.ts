import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { Clock } from '../context.ts';
import { ServiceError, errorCode } from '../errors.ts';
import { checkLink } from './address.ts';
import { Limiter } from './limiter.ts';
import { FailedTry, refusedTry, Retries, RetryQuota, type RetryOptions } from './retry.ts';
import type { Transport, TransportResponse } from './transport.ts';

/** What the headers tell of a file. */
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

/** There is no such file to be had, however often it is requested. */
export class FileRefused extends ServiceError {}

/** The link is refused: its 24 hours are over (spec 2.5), or it never worked. A new link may work. */
export class LinkRefused extends FileRefused {}

interface FileClientOptions {
  readonly transport: Transport;
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

/** The most redirects from a link to its file. The service makes one (spec 2.5). */
const MAX_REDIRECTS = 5;

/** Fetches the files behind links, without credentials of any kind, with a limit and a quota of its own. */
export class FileClient {
  readonly #options: FileClientOptions;
  readonly #retries: Retries;

  constructor(options: FileClientOptions) {
    this.#options = options;
    const { clock, retry, concurrency } = options;
    this.#retries = new Retries({ clock, retry, limiter: new Limiter(concurrency), quota: new RetryQuota() });
  }

  /**
   * Follows the link and hands the file to `take`.
   *
   * @returns what `take` returned
   * @throws LinkRefused for a link that has expired, FileRefused where there is no file, ServiceError for a link that is not
   *   followed and after all retries, what `take` throws, or the signal's reason
   */
  async fetch<T>(link: string, take: ReceiveFile<T>, signal: AbortSignal): Promise<T> {
    const start = checkLink(link, this.#options);
    return this.#retries.run(() => this.#fetchOnce(start, take, signal), { signal });
  }

  close(): Promise<void> {
    return this.#options.transport.close();
  }

  /** One attempt, from the link to its file. It begins at the link, because the target of a redirect may be short-lived. */
  async #fetchOnce<T>(start: URL, take: ReceiveFile<T>, signal: AbortSignal): Promise<T> {
    const { transport, timeout, version, onLoopback } = this.#options;
    const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': `folio/${version}` };
    let url = start;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const response = await transport.open({ url, headers, signal, timeout });
      const { status, headers: answered } = response;
      if (status === 200) {
        const head = { contentType: answered['content-type'], path: url.pathname };
        return take(head, fileBody(response, url.host)).finally(() => response.discard());
      }
      await drain(response);
      const { location } = answered;
      if (![301, 302, 303, 307, 308].includes(status) || location === undefined) {
        throw fileStatusFailure(url.host, response);
      }
      url = checkLink(location, { onLoopback, from: url });
    }
    throw new ServiceError(`the link to ${start.host} redirects more than ${MAX_REDIRECTS} times`);
  }
}

/** Reads the short body of a redirect or a refusal, so that the connection can be used again. */
async function drain({ body }: TransportResponse): Promise<void> {
  let bytes = 0;
  try {
    for await (const chunk of body) if ((bytes += chunk.length) > 65_536) return;
  } catch {
    // Only the status matters.
  }
}

/** The failure for a status that is neither 200 nor a redirect. */
function fileStatusFailure(host: string, response: TransportResponse): FailedTry {
  const { status } = response;
  if (status === 403) return refusedTry(new LinkRefused(`${host} refuses the link (403)`), response);
  const isGone = [404, 410].includes(status);
  const refusal = `${host} ${isGone ? 'has no such file' : 'does not hand over the file'} (${status})`;
  return refusedTry(new (isGone ? FileRefused : ServiceError)(refusal), response);
}

/** The most bytes of a file: far more than any invoice has, far less than a disk has. */
const MAX_FILE_BYTES = 256 * 2 ** 20;

/**
 * Yields the bytes of the file in a response. Ends only when the file is whole; otherwise throws FailedTry, which says whether
 * another attempt may succeed. A response that does not say how long it is could be cut short without a sign, so it is refused.
 */
async function* fileBody(response: TransportResponse, host: string): AsyncGenerator<Buffer> {
  const { headers } = response;
  const failure = (message: string, retryable = false): FailedTry =>
    new FailedTry(new ServiceError(message), retryable);
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined)
    throw failure(`${host} does not say how long the file is, so folio could not tell whether it is whole`);
  const body = decode(response);
  if (body === undefined) throw failure(`${host} sent the file with an encoding that folio did not request`);
  let length = 0;
  try {
    for await (const chunk of body) {
      length += chunk.length;
      if (length > MAX_FILE_BYTES)
        throw failure(`the file is larger than ${MAX_FILE_BYTES / 2 ** 20} MiB, the most that is fetched`);
      yield chunk;
    }
  } catch (error) {
    if (errorCode(error)?.startsWith('Z_')) throw failure(`the file from ${host} came damaged`, true);
    throw error;
  }
  if (length === 0) throw failure(`${host} sent an empty file`, true);
}

/** Some stores keep files compressed and send them so, even when that was not requested. Undefined for another encoding. */
function decode({ headers, body }: TransportResponse): AsyncIterable<Buffer> | undefined {
  const coding = (headers['content-encoding'] ?? '').trim().toLowerCase();
  if (coding === '' || coding === 'identity') return body;
  // The callback is empty: the reader of the pipe gets the error.
  return /^(x-)?gzip$/.test(coding) ? pipeline(body, createGunzip(), () => {}) : undefined;
}
