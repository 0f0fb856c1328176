import { AuthError, NotFoundError, RefusedQuery, ServiceError, type FolioError } from '../errors.ts';
import type { Redact } from './redact.ts';
import { readErrorBody, type ErrorBody } from './error-body.ts';

/** A response other than 200. */
interface Refusal {
  readonly url: URL;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Inflated; empty when that was not possible. */
  readonly body: Buffer;
  /** Milliseconds from sending the request to the end of the response. */
  readonly milliseconds: number;
  readonly redact: Redact;
  /** True for a path that every such service has. */
  readonly isListing?: boolean | undefined;
  /** How to give another token, as a sentence. */
  readonly tokenHint?: string | undefined;
}

/** The error for a response other than 200 (spec 4.1, 5, 7), with the service's own words where it has any. */
export function statusFailure(refusal: Refusal): FolioError {
  const { url, status, headers, redact } = refusal;
  const body = readErrorBody(refusal.body, redact);
  const detail = body.words === undefined ? '' : `: ${body.words}`;
  if (status >= 300 && status < 400 && headers['location'] !== undefined)
    return redirectFailure(refusal, headers['location']);
  if (status === 400) return badRequestFailure(url, body);
  if (status === 401 || status === 403) return authorizationFailure(refusal, body);
  if (status === 404 && refusal.isListing) return wrongAddress(refusal);
  if (status === 404) {
    return new NoSuchPath(`${url.host} has no ${url.pathname} (404)${detail}`, {
      hint: 'Check the ID against the listing: it may also belong to another organization.',
    });
  }
  if (status === 414 || status === 431) {
    return new StatusError(refusal, `${url.host} refuses a request as long as this (${status})${detail}`, {
      hint: 'Give fewer fiscal IDs in one run.',
    });
  }
  const failed = status >= 400 ? 'failed' : 'gave an unexpected status';
  return new StatusError(refusal, `${url.host} ${failed} on ${url.pathname} (${status})${detail}`, {
    hint: hintFor(status),
  });
}

function hintFor(status: number): string | undefined {
  if (status === 429) return 'Ask less often, or with a lower --concurrency.';
  return status >= 500 ? 'Try again later.' : 'Check the base address, and any proxy on the way to it.';
}

/** Names only the host of the target, because its path and query may carry a signature. */
function redirectFailure(refusal: Refusal, location: string): StatusError {
  const { url, status } = refusal;
  const target = URL.canParse(location, url.href) ? new URL(location, url).host : '';
  return new StatusError(
    refusal,
    `${url.host} redirects to ${target || 'an unreadable address'} (${status}), and folio takes the token nowhere else`,
    { hint: 'If the service has moved, give its new base address.' },
  );
}

function badRequestFailure(url: URL, { words, errors }: ErrorBody): FolioError {
  const { missingFiscalIds, warnings } = errors;
  if (missingFiscalIds.length > 0) return new UnknownFiscalIds(missingFiscalIds, warnings);
  return new RefusedQuery(`${url.host} refuses the query (400)${words === undefined ? '' : `: ${words}`}`, {
    hint: 'Check the values of the flags and of --param.',
  });
}

/** How the gateway's words begin where there is nothing at an address. It may repeat the token behind them. */
const UNKNOWN_ADDRESS =
  /^(?:authorization header requires|missing authentication token|invalid key=value pair)\b/i;

/**
 * Tells the cases of spec 5 apart, which all look like a refused token: the gateway has no such address, the service refuses
 * the token, or the answer does not say which of the two it is.
 */
function authorizationFailure(refusal: Refusal, { words, message, isFromService }: ErrorBody): FolioError {
  const { url, status, tokenHint = 'Log in again with `folio auth login`.' } = refusal;
  const detail = words === undefined ? '' : `: ${words}`;
  if (status === 401) {
    return new AuthError(`no token reached ${url.host} (401)${detail}`, {
      hint: `${tokenHint} If that does not help, a proxy may be removing the header.`,
    });
  }
  if (UNKNOWN_ADDRESS.test(message)) return wrongAddress(refusal);
  if (isFromService || /^user is not authorized/i.test(message)) {
    return new AuthError(`${url.host} refuses the token (${status})${detail}`, {
      hint:
        'It is invalid or expired, was given with "Bearer" in front, or its organization is deactivated. ' +
        tokenHint,
    });
  }
  return new AuthError(`${url.host} refuses the token or has no ${url.pathname} (${status})${detail}`, {
    hint:
      'The answer does not say which. Check the base address; if it is right, the token is invalid or expired, ' +
      `or its organization is deactivated. ${tokenHint}`,
  });
}

/** Leaves out the words of the gateway: they are about the token, which is not at fault. */
function wrongAddress(refusal: Refusal): StatusError {
  const { url, status } = refusal;
  return new StatusError(refusal, `${url.host} has no such address as ${url.pathname} (${status})`, {
    hint: 'Check the base address, and the path if you gave one; the token is not the problem.',
  });
}

/** The service failed with this status, which has no error of its own. */
export class StatusError extends ServiceError {
  readonly status: number;
  readonly milliseconds: number;

  constructor(
    { status, milliseconds }: Pick<Refusal, 'status' | 'milliseconds'>,
    message: string,
    options: { readonly hint: string | undefined },
  ) {
    super(message, options);
    this.status = status;
    this.milliseconds = milliseconds;
  }
}

/** A 404 at the path of one item: it is not there, if the service is. */
export class NoSuchPath extends NotFoundError {}

/** The service's 400 when none of the fiscal IDs in the filter exist (spec 4.1 rule 3). */
export class UnknownFiscalIds extends NotFoundError {
  /** As the service writes them: without dots and dash. */
  readonly fiscalIds: readonly string[];
  /** What else the `errors` of the response report, one line each. */
  readonly warnings: readonly string[];

  constructor(fiscalIds: readonly string[], warnings: readonly string[]) {
    super(`none of the fiscal IDs exist: ${fiscalIds.join(', ')}${alsoSaid(warnings)}`, {
      hint: 'Check them against a listing without the filter.',
    });
    this.fiscalIds = fiscalIds;
    this.warnings = warnings;
  }
}

/** The service's other warnings, as the end of a line that names fiscal IDs. */
export function alsoSaid(warnings: readonly string[]): string {
  return warnings.length === 0 ? '' : `; the service also says: ${warnings.join(', ')}`;
}
