import type { Clock } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { fileBody } from './file-body.ts';
import { FileFailure, networkOfFile, statusOfFile } from './file-failure.ts';
import { checkLink, MOST_REDIRECTS } from './file-link.ts';
import type { FileResponse, FileTransport } from './file-transport.ts';
import { createInFlight } from './in-flight.ts';
import { lastFailure } from './last-failure.ts';
import { decideRetry, type RetryOptions } from './retry-policy.ts';
import { createRetryQuota } from './retry-quota.ts';

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
type TakeFile<T> = (head: FileHead, body: AsyncIterable<Buffer>) => Promise<T>;

/** Fetches the files behind links, with no credentials of any kind. */
export interface FileClient {
  /**
   * Follows the link and hands the file to `take`.
   *
   * @returns what `take` returned
   * @throws LinkRefused for a link that is over, ServiceError after all retries, the signal's reason
   */
  fetch<T>(link: string, take: TakeFile<T>, signal: AbortSignal): Promise<T>;
  close(): Promise<void>;
}

export interface FileClientOptions {
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
  const inFlight = createInFlight(options.concurrency);
  const quota = createRetryQuota();
  const { clock, retry, transport } = options;

  const decide = (failed: FileFailure, attempt: number): number => {
    const { retryable, retryAfter } = failed;
    const tried = { retryable, retryAfter, triesBefore: attempt, random: clock.random(), now: clock.now() };
    const decision = decideRetry(tried, retry);
    if (decision.kind !== 'retry' || !quota.take()) throw lastFailure(failed.failure, attempt + 1, decision);
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
          const taken = await tryOnce(start, take, { ...options, signal });
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

interface Try extends FileClientOptions {
  readonly signal: AbortSignal;
}

/** From the link to its file: the whole way each time, for what a link redirects to may be good for moments only. */
async function tryOnce<T>(start: URL, take: TakeFile<T>, attempt: Try): Promise<T> {
  let url = start;
  for (let hops = 0; hops <= MOST_REDIRECTS; hops++) {
    const to = {
      host: url.host,
      proxyHost: attempt.transport.proxyHost(url.origin),
      timeout: attempt.timeout,
    };
    const response = await open(url, attempt).catch((error: unknown) => {
      throw networkOfFile(error, to);
    });
    const { status, headers } = response;
    const location = headers['location'];
    if (status === 200) {
      const head = { contentType: headers['content-type'], path: url.pathname };
      return take(head, fileBody(response, to)).finally(() => response.discard());
    }
    await drain(response);
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined) {
      throw statusOfFile(url.host, status, headers);
    }
    url = checkLink(location, { ...attempt, from: url });
  }
  throw new ServiceError(`the link to ${start.host} redirects more than ${MOST_REDIRECTS} times`);
}

function open(url: URL, { transport, signal, timeout, version }: Try): Promise<FileResponse> {
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
