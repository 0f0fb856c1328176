import { OutputError, ServiceError, UsageError, errorCode, isTlsFailure, systemReason } from '../errors.ts';
import { Conflict } from './database.ts';

/** Codes of what the server says (PostgreSQL, appendix A) that the user can do something about. */
const CONFLICTS = new Set(['40001', '40P01']);
/**
 * Where a run committed between the beginning of this transaction and its lock, this one does not see the tables and the entry
 * in `_runs` that the other made, and makes them again.
 */
const MADE_BY_ANOTHER = new Set(['_runs_pkey', 'pg_type_typname_nsp_index', 'pg_class_relname_nsp_index']);
const TABLE_EXISTS = '42P07';
const REFUSED_LOGIN = /^28|^3D000$/;
const SERVER_GONE = /^57P0|^08|^53300$/;
const LOCK_TIMEOUT = '55P03';

/** Codes of the system for a server that cannot be reached, or no longer. */
const SYSTEM = /^E[A-Z]+$/;

/** pg's own words where there is no code. */
const LOST = /connection terminated|connection ended|timeout expired|not queryable|connection error|socket/i;
const ENDED = /connection terminated unexpectedly/i;
const NOT_POSTGRES =
  /unexpected response|unknown message code|received invalid response|unknown auth|authentication request/i;
const NO_TLS = /does not support SSL/i;
/** The server's word on who may come in as what: PostgreSQL's `pg_hba.conf`, or a pooler's settings. */
const WANTS_TLS = /no encryption|SSL required|requires? (?:an )?SSL|SSL off/i;
const OTHER_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';
const NO_PASSWORD = /password must be a string|no password/i;

/** Whether the connection was lost, so that it is unknown what the server did last. */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = errorCode(error);
  return code === undefined ? LOST.test(error.message) : SERVER_GONE.test(code) || SYSTEM.test(code);
}

/** Whether the server took the connection for itself, but not encrypted; or lets this user in unencrypted only. */
export function refusesEncryption(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    NO_TLS.test(error.message) ||
    (errorCode(error) === '28000' && /SSL encryption|SSL on/i.test(error.message))
  );
}

/** Whether another session had what was to be locked for too long. */
export function isLockTimeout(error: unknown): boolean {
  return errorCode(error) === LOCK_TIMEOUT;
}

/** The error for the user where connecting failed. */
export function explainConnecting(error: unknown, shown: string): unknown {
  if (!(error instanceof Error) || !ENDED.test(error.message)) return explainPostgres(error, shown);
  return new ServiceError(`${shown} ended the connection before it let folio in`, {
    hint: 'Check host and port: it may not be PostgreSQL that answers there.',
    cause: error,
  });
}

/** The error for the user where the driver or the server failed; any other error as it is. */
export function explainPostgres(error: unknown, shown: string): unknown {
  if (error instanceof AggregateError && error.errors.length > 0)
    return explainPostgres(error.errors[0], shown);
  if (!(error instanceof Error)) return error;
  const code = errorCode(error);
  const { message } = error;
  if (NO_PASSWORD.test(message)) {
    return new UsageError(`${shown} asks for a password`, {
      hint: 'Set PGPASSWORD, or write it into ~/.pgpass.',
      cause: error,
    });
  }
  if (NO_TLS.test(message)) {
    return new UsageError(`${shown} offers no encrypted connection`, {
      hint: 'Where you trust the network, add ?sslmode=disable to the address.',
      cause: error,
    });
  }
  if (NOT_POSTGRES.test(message)) {
    return new ServiceError(`${shown} does not answer like PostgreSQL`, {
      hint: 'Check host and port.',
      cause: error,
    });
  }
  if (code !== undefined && isTlsFailure(code)) {
    return new ServiceError(`${shown} cannot be trusted: ${systemReason(error)} (${code})`, {
      hint:
        code === OTHER_NAME
          ? 'Name the host as its certificate does; ?sslmode=verify-ca takes any name of a trusted authority.'
          : 'Name the file of its authority’s certificate: ?sslrootcert=FILE in the address, or PGSSLROOTCERT.',
      cause: error,
    });
  }
  if (isConnectionFailure(error)) {
    const reason = code !== undefined && SYSTEM.test(code) ? systemReason(error) : message;
    return new ServiceError(`cannot reach ${shown}: ${reason}`, {
      hint: 'Check that the server runs and lets this machine in; what the database held is as it was.',
      cause: error,
    });
  }
  if (code === undefined || !/^[0-9A-Z]{5}$/.test(code)) return error;
  if (CONFLICTS.has(code) || code === TABLE_EXISTS || MADE_BY_ANOTHER.has(constraintOf(error))) {
    return new Conflict(`${shown} is being changed by others at the same time: ${message}`, {
      hint: 'Run folio sync again when they are done.',
      cause: error,
    });
  }
  if (REFUSED_LOGIN.test(code) || (code.startsWith('08') && WANTS_TLS.test(message))) {
    return new UsageError(`${shown} does not let folio in: ${message}`, {
      hint: WANTS_TLS.test(message)
        ? 'It asks for an encrypted connection: add ?sslmode=require to the address, or set PGSSLMODE.'
        : 'Check user, password (PGPASSWORD or ~/.pgpass) and the name of the database.',
      cause: error,
    });
  }
  const hint =
    code === LOCK_TIMEOUT
      ? 'Another session has the table locked. Run folio sync again when it is done.'
      : undefined;
  return new OutputError(`cannot use ${shown}: ${message}`, { hint, cause: error });
}

/** The name of the constraint that a row would break; empty for other errors. */
function constraintOf(error: Error): string {
  return 'constraint' in error ? String(error.constraint) : '';
}
