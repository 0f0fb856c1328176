import { ServiceError, errorCode, isTlsFailure } from '../errors.ts';
import { FailedTry } from './retry.ts';

/** Where a request was going. */
export interface RequestDestination {
  readonly host: string;
  /** Host and port of the proxy that may be on the way. */
  readonly proxyHost: string | undefined;
}

/** The time limit for connecting, in ms. */
export const CONNECT_TIMEOUT = 10_000;

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its name is unknown (DNS)',
  EAI_AGAIN: 'its name could not be looked up (DNS)',
  ECONNREFUSED: 'it refuses the connection',
  ECONNRESET: 'the connection was reset',
  EPIPE: 'the connection was closed',
  ETIMEDOUT: 'it does not accept the connection',
  EHOSTUNREACH: 'no route leads to it',
  ENETUNREACH: 'there is no network',
  // What Windows calls many of its own errors.
  UNKNOWN: 'the system does not say why',
  UND_ERR_CONNECT_TIMEOUT: `it did not accept the connection within ${CONNECT_TIMEOUT / 1000} s`,
  UND_ERR_SOCKET: 'the connection was closed before the response was complete',
};

/** Codes of other errors of the network. */
const OTHER =
  /^(E(?!RR_)[A-Z0-9_]+|HPE\w*|UND_ERR_(ABORTED|HEADERS_\w+|BODY_TIMEOUT|INFO|RES\w*|DESTROYED|CLOSED))$/;

/** The failure for a request to `host` that took longer than its limit in ms; `begun` is whether its response had begun. */
export function timedOut(host: string, timeout: number, begun: boolean): FailedTry {
  const what = begun ? 'did not complete its response' : 'did not answer';
  const hint = 'Allow more time with --timeout.';
  return new FailedTry(new ServiceError(`${host} ${what} within ${timeout / 1000} s`, { hint }), true);
}

/**
 * The failure for an error of the network, in one line with the host and the reason. Another attempt may succeed, but not after
 * a bad certificate or the refusal of a proxy. Undefined for any other error, which is a fault of folio.
 */
export function networkFailure(error: unknown, to: RequestDestination): FailedTry | undefined {
  if (!(error instanceof Error)) return undefined;
  // undici's parser gives its errors no code, though llhttp has names for them (HPE_INVALID_VERSION).
  const named = errorCode(error) ?? (error.name === 'HTTPParserError' ? 'HPE' : '');
  // An answer that the parser does not expect, such as a status of 000, fails one of its assertions.
  const code = named === 'ERR_ASSERTION' ? 'HPE' : named;
  if (code === 'UND_ERR_PRX_TLS') return tlsFailure(error.cause ?? error, to.proxyHost ?? to.host);
  if (isTlsFailure(code)) return tlsFailure(error, to.host);
  const proxyStatus = Number(/^Proxy response \((\d+)\)/.exec(error.message)?.[1]);
  if (proxyStatus > 0) {
    const needsUser = 'Write it as HTTPS_PROXY=http://user:password@host:port, with the user and password.';
    const hint = proxyStatus === 407 ? needsUser : 'Check HTTPS_PROXY.';
    const text = `the proxy ${to.proxyHost} on the way to ${to.host} does not let folio through (${proxyStatus})`;
    return failedTry(text, { cause: error, retryable: proxyStatus >= 500, hint });
  }
  if (!(code in REASONS) && !OTHER.test(code)) return undefined;
  const reason =
    REASONS[code] ?? (code.startsWith('HPE') ? 'its answer is not HTTP' : firstLine(error.message));
  const way = to.proxyHost === undefined ? '' : `, or the proxy ${to.proxyHost} on the way`;
  return failedTry(`could not reach ${to.host}${way}: ${reason} (${code})`, {
    cause: error,
    retryable: true,
    hint: `Check the network${way === '' ? ' and the base address' : ', the base address and HTTPS_PROXY'}.`,
  });
}

function failedTry(
  message: string,
  { retryable, ...more }: { retryable: boolean; hint: string; cause: unknown },
): FailedTry {
  return new FailedTry(new ServiceError(message, more), retryable);
}

/** The codes of OpenSSL for an answer in plain text. */
const NOT_TLS = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

function tlsFailure(cause: unknown, host: string): FailedTry {
  const code = errorCode(cause) ?? 'TLS';
  const isPlain = NOT_TLS.has(code);
  const message = cause instanceof Error ? cause.message : String(cause);
  let hint =
    'If your own authority signs the certificates here, set NODE_EXTRA_CA_CERTS to the file with its certificate.';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    hint = 'The certificate is for another host: check the base address.';
  if (isPlain)
    hint = 'Check the base address: another port may be meant. Plain http is for this machine only.';
  const reason = isPlain ? 'its answer is not TLS' : firstLine(message);
  return failedTry(`no safe connection to ${host}: ${reason} (${code})`, { cause, hint, retryable: false });
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!.slice(0, 200);
}
