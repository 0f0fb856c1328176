import { OutputError, ServiceError, UsageError, errorCode, isTlsFailure, systemReason } from '../errors.ts';
import { Conflict, quoteName } from './database.ts';

/** Error codes of the server (PostgreSQL, appendix A) that the user can do something about. */
const CONFLICTS = new Set(['40001', '40P01', '42P07']);
/**
 * Where a run committed between the beginning of this transaction and its lock, this one does not see the tables and the entry
 * in `_runs` that the other made, and makes them again.
 */
const MADE_BY_ANOTHER = new Set(['_runs_pkey', 'pg_type_typname_nsp_index', 'pg_class_relname_nsp_index']);
const REFUSED_LOGIN = /^28|^3D000$/;
/** What a server says that lets in encrypted connections alone: PostgreSQL by its `pg_hba.conf`, or a pooler. */
const WANTS_TLS = /no encryption|SSL required|requires? (?:an )?SSL|SSL off/i;
const SERVER_GONE = /^57P0|^08|^53300$/;
export const LOCK_TIMEOUT = '55P03';
const NOT_SUPPORTED = '0A000';
const NO_RIGHT = '42501';

/** Codes of the system for a server that cannot be reached, or no longer. */
const SYSTEM = /^E[A-Z]+$/;

/** Messages of pg without a code. */
const LOST = /connection terminated|connection ended|timeout expired|not queryable|connection error|socket/i;
const NOT_POSTGRES =
  /unexpected response|unknown message code|received invalid response|unknown auth|authentication request|error establishing an SSL/i;
const NO_TLS = /does not support SSL/i;
const OTHER_NAME = 'ERR_TLS_CERT_ALTNAME_INVALID';
const NO_PASSWORD = /password must be a string|no password/i;

/** Whether the connection was lost, so that the server's last action is unknown. */
export function isConnectionFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = errorCode(error);
  return code === undefined ? LOST.test(error.message) : SERVER_GONE.test(code) || SYSTEM.test(code);
}

/** Whether the server took the connection for itself, but not encrypted; or lets this user in unencrypted only. */
export function refusesEncryption(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { message } = error;
  return NO_TLS.test(message) || (errorCode(error) === '28000' && /SSL encryption|SSL on/i.test(message));
}

/** Where something failed. */
interface Session {
  readonly role: string;
  readonly schema: string;
  /** Whether it is to change the tables, and not only to read them. */
  readonly writes: boolean;
}

/** The error for the user where the driver or the server failed; any other error as it is. */
export function explainPostgres(cause: unknown, shown: string, session?: Session): unknown {
  if (cause instanceof AggregateError && cause.errors.length > 0)
    return explainPostgres(cause.errors[0], shown, session);
  if (!(cause instanceof Error)) return cause;
  const { message } = cause;
  const code = errorCode(cause) ?? '';
  const failed = (Kind: typeof UsageError | typeof OutputError, text: string, hint?: string): Error =>
    new Kind(text, { hint, cause });
  if (NOT_POSTGRES.test(message) || code === 'EPROTO') {
    const text = `${shown} does not answer like PostgreSQL: ${systemReason(cause)}`;
    return failed(ServiceError, text, 'Check host and port: it may not be PostgreSQL that answers there.');
  }
  if (NO_PASSWORD.test(message))
    return failed(UsageError, `${shown} asks for a password`, 'Set PGPASSWORD, or write it into ~/.pgpass.');
  if (NO_TLS.test(message)) {
    const hint = 'Where you trust the network, add ?sslmode=disable to the address.';
    return failed(UsageError, `${shown} offers no encrypted connection`, hint);
  }
  if (isTlsFailure(code)) {
    const hint =
      code === OTHER_NAME
        ? 'Name the host as its certificate does; ?sslmode=verify-ca takes any name of a trusted authority.'
        : 'Name the file of its authority’s certificate: ?sslrootcert=FILE in the address, or PGSSLROOTCERT.';
    return failed(ServiceError, `${shown} cannot be trusted: ${systemReason(cause)} (${code})`, hint);
  }
  if (isConnectionFailure(cause)) {
    const hint =
      'Check host and port, and that PostgreSQL runs there and lets this machine in; what the database held is as it was.';
    return failed(ServiceError, `cannot reach ${shown}: ${systemReason(cause)}`, hint);
  }
  if (!/^[0-9A-Z]{5}$/.test(code)) return cause;
  const constraint = 'constraint' in cause ? String(cause.constraint) : '';
  if (CONFLICTS.has(code) || MADE_BY_ANOTHER.has(constraint)) {
    const text = `${shown} is being changed by others at the same time: ${message}`;
    return failed(Conflict, text, 'Run folio sync again when they are done.');
  }
  if (code === NO_RIGHT) {
    const hint = session && missingGrant(message, session);
    return failed(ServiceError, `${shown} does not let folio do this: ${message}`, hint);
  }
  if (REFUSED_LOGIN.test(code)) {
    const hint = WANTS_TLS.test(message)
      ? 'It requires an encrypted connection: add ?sslmode=require to the address, or set PGSSLMODE.'
      : 'Check user, password (PGPASSWORD or ~/.pgpass) and the name of the database.';
    return failed(UsageError, `${shown} does not let folio in: ${message}`, hint);
  }
  const detail = 'detail' in cause ? String(cause.detail) : '';
  if (code === NOT_SUPPORTED && /\bview\b/.test(detail)) {
    const hint = 'Drop the view, run folio sync again, and make it again.';
    return failed(OutputError, `cannot use ${shown}: ${message}: ${detail}`, hint);
  }
  const hint = 'Another session has the table locked. Run folio sync again when it is done.';
  return failed(OutputError, `cannot use ${shown}: ${message}`, code === LOCK_TIMEOUT ? hint : undefined);
}

/** The statement with which an owner can grant this user the right. */
function missingGrant(message: string, { role, schema, writes }: Session): string {
  const [, kind] = /(owner|database|schema)/.exec(message) ?? [];
  const [user, its] = [role, schema].map(quoteName);
  switch (kind) {
    case 'owner':
      return `The tables belong to another user: sync as that one, or have it made a member: GRANT <owner> TO ${user}.`;
    case 'database':
      return `Have its owner run: GRANT CONNECT ON DATABASE <database> TO ${user}.`;
    case 'schema':
      return `Have its owner run: GRANT USAGE${writes ? ', CREATE' : ''} ON SCHEMA ${its} TO ${user}.`;
    default:
      return `Have their owner run: GRANT SELECT${writes ? ', INSERT, UPDATE' : ''} ON ALL TABLES IN SCHEMA ${its} TO ${user}.`;
  }
}
