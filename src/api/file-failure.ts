import { ServiceError } from '../errors.ts';
import type { FolioError } from '../errors.ts';
import { networkFailure } from './network-failure.ts';
import { isRetryable } from './retry-policy.ts';

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
export function statusOfFile(host: string, status: number, headers: Readonly<Record<string, string>>) {
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
export function networkOfFile(error: unknown, to: Parameters<typeof networkFailure>[1]): unknown {
  const known = networkFailure(error, to);
  return known === undefined ? error : new FileFailure(known.error, { retryable: known.retryable });
}
