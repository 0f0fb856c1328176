import { getSystemErrorMap } from 'node:util';

/**
 * What can go wrong. Each kind is named by what it means for the user, and has its exit code in `cli/exit-codes.ts`.
 * Anything else that is thrown is a fault of folio and shows its stack.
 */
export class FolioError extends Error {
  /** What the user can do about it, as a whole sentence. Undefined where the message itself says what is allowed. */
  readonly hint: string | undefined;

  constructor(message: string, options: { hint?: string | undefined; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.hint = options.hint;
  }

  /** An error of the same kind with another text, and with this one as its cause. */
  reworded(message: string, hint: string | undefined): FolioError {
    const kinds = [
      UsageError,
      AuthError,
      NotFoundError,
      ServiceError,
      IncompleteError,
      DifferenceError,
      OutputError,
    ];
    const Kind = kinds.find((kind) => this instanceof kind) ?? FolioError;
    return new Kind(message, { hint, cause: this });
  }
}

/** The command line or the query is wrong. */
export class UsageError extends FolioError {}

/** There is no token, or the service refuses it. */
export class AuthError extends FolioError {}

/** What was asked for does not exist. */
export class NotFoundError extends FolioError {}

/** The service or the network failed after all retries, the answer made no sense, or the service is not at the base address. */
export class ServiceError extends FolioError {}

/**
 * A body is not what was asked for: it is cut short, is not JSON, or has another shape. The message says what was expected,
 * what was found and at which byte. No data was taken from the body, so the request may be sent again.
 */
export class BadBody extends ServiceError {
  /** Bytes from the start of the inflated body. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(`${message} (byte ${offset})`);
    this.offset = offset;
  }
}

/** Something was delivered, but not all that was asked for. */
export class IncompleteError extends FolioError {}

/** All was delivered, and it says that two sides which should be equal are not. */
export class DifferenceError extends FolioError {}

/** The result could not be written. */
export class OutputError extends FolioError {}

/** The user or the system stopped the run. */
export class Interrupted extends FolioError {
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(`stopped by ${signal}`);
    this.signal = signal;
  }
}

/** Whether an error is a failure of what was tried alone, and neither a stop of the whole run nor a fault of folio's own. */
export function isFailure(error: unknown): error is FolioError {
  return error instanceof FolioError && !(error instanceof Interrupted);
}

/** The `code` of an error of the system, such as ENOSPC; undefined for any other value. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** Codes of errors in the TLS handshake. */
const TLS =
  /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CRL_|ERROR_IN_C|INVALID_(CA|PURPOSE)$|PATH_LENGTH|HOSTNAME_|EPROTO$)/;

/** Whether the code of an error is of the TLS handshake: of a certificate, or of what is no TLS. */
export function isTlsFailure(code: string): boolean {
  return TLS.test(code);
}

/** Why the system refused, in its own words: `no space left on device (ENOSPC)`. */
export function systemReason(error: unknown): string {
  const code = errorCode(error);
  const number = error instanceof Error && 'errno' in error ? error.errno : undefined;
  const words = typeof number === 'number' ? getSystemErrorMap().get(number)?.[1] : undefined;
  if (words !== undefined && code !== undefined) return `${words} (${code})`;
  return error instanceof Error ? error.message : String(error);
}
