import { getSystemErrorMap } from 'node:util';
import type { FailureKind, Finding, FindingDetails } from './findings.ts';

/**
 * An error that folio expects. Each kind has its meaning in `findings.ts` and its exit code in `cli/exit-codes.ts`. Anything else
 * that is thrown is a bug, and shows its stack.
 */
export class FolioError extends Error {
  readonly kind: FailureKind = 'fault';
  /** What the user can do about it, as a whole sentence. Undefined where the message has it. */
  readonly hint: string | undefined;
  readonly details: FindingDetails | undefined;
  readonly #lines: readonly string[] | undefined;

  constructor(message: string, { hint, cause, details, lines }: ErrorOptions = {}) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.hint = hint;
    this.details = details;
    this.#lines = lines;
  }

  /**
   * The message in lines for people: for a run of several organizations, one line for each; else the current message, since
   * secrets are removed from it after it was made.
   */
  get lines(): readonly string[] {
    return this.#lines ?? [this.message];
  }

  /** An error of the same kind with another text, and with this one as its cause. */
  reworded(message: string, hint: string | undefined, lines?: readonly string[]): FolioError {
    return new KINDS[this.kind](message, { hint, cause: this, details: this.details, lines });
  }
}

interface ErrorOptions {
  readonly hint?: string | undefined;
  readonly cause?: unknown;
  readonly details?: FindingDetails | undefined;
  readonly lines?: readonly string[] | undefined;
}

export class UsageError extends FolioError {
  override readonly kind: FailureKind = 'usage';
}

/** The service's 400: a parameter or a value that it does not take, or, on some listings, unknown fiscal IDs. */
export class RefusedQuery extends UsageError {}

export class AuthError extends FolioError {
  override readonly kind: FailureKind = 'auth';
}

export class NotFoundError extends FolioError {
  override readonly kind: FailureKind = 'not-found';
}

export class ServiceError extends FolioError {
  override readonly kind: FailureKind = 'service';
}

/**
 * A body is cut short, is not JSON, or has another shape. The message has what was expected, what was found and at which byte. No
 * data was taken from the body, so the request may be sent again.
 */
export class BadBody extends ServiceError {
  /** Bytes from the start of the inflated body. */
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(`${message} (byte ${offset})`);
    this.offset = offset;
  }
}

export class IncompleteError extends FolioError {
  override readonly kind: FailureKind = 'incomplete';
}

class DifferenceError extends FolioError {
  override readonly kind: FailureKind = 'differs';
}

export class OutputError extends FolioError {
  override readonly kind: FailureKind = 'output';
}

export class Interrupted extends FolioError {
  override readonly kind: FailureKind = 'interrupted';
  readonly signal: 'SIGINT' | 'SIGTERM';

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(`stopped by ${signal}`);
    this.signal = signal;
  }
}

const KINDS = {
  usage: UsageError,
  auth: AuthError,
  'not-found': NotFoundError,
  service: ServiceError,
  incomplete: IncompleteError,
  differs: DifferenceError,
  output: OutputError,
  // A fault has no class of its own, and nothing rewords an interrupt.
  interrupted: FolioError,
  fault: FolioError,
} as const;

/** The error of a finding that is a failure. */
export function errorOf({ kind = 'fault', text, hint, details }: Finding): FolioError {
  return new KINDS[kind](text, { hint, details });
}

/** A failure as a finding, for views other than standard error. */
export function findingOf({ kind, message: text, hint, details }: FolioError): Finding {
  return { level: 'failure', kind, text, hint, details };
}

/** Whether an error is only a failure of the attempt: not an interrupt of the whole run, and not a bug. */
export function isFailure(error: unknown): error is FolioError {
  return error instanceof FolioError && !(error instanceof Interrupted);
}

/** The `code` of an error of the system, such as ENOSPC; undefined for any other value. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

const TLS =
  /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CRL_|ERROR_IN_C|INVALID_(CA|PURPOSE)$|PATH_LENGTH|HOSTNAME_|EPROTO$)/;

/** Whether the code of an error is of the TLS handshake. */
export function isTlsFailure(code: string): boolean {
  return TLS.test(code);
}

/** The reason that the system gives: `no space left on device (ENOSPC)`. */
export function systemReason(error: unknown): string {
  const code = errorCode(error);
  const number = error instanceof Error && 'errno' in error ? error.errno : undefined;
  const words = typeof number === 'number' ? getSystemErrorMap().get(number)?.[1] : undefined;
  if (words !== undefined && code !== undefined) return `${words} (${code})`;
  return error instanceof Error ? error.message : String(error);
}
