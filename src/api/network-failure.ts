import { ServiceError, errorCode, isTlsFailure } from '../errors.ts';
import { TransportTimeout } from './transport.ts';

/** Where a request was going. */
export interface RequestDestination {
  readonly host: string;
  /** Host and port of the proxy on the way, if there is one. */
  readonly proxyHost: string | undefined;
  /** The request's time limit in ms. */
  readonly timeout: number;
}

interface NetworkFailure {
  readonly error: ServiceError;
  /** Whether another attempt may succeed. It may not after a bad certificate or the refusal of a proxy. */
  readonly retryable: boolean;
}

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
  UND_ERR_CONNECT_TIMEOUT: 'it did not accept the connection within 10 s',
  UND_ERR_SOCKET: 'the connection was closed before the response was complete',
};

/** Codes of errors while connecting. With a proxy on the way, it is the proxy that cannot be reached. */
const CONNECTING =
  /^(ENOTFOUND|EAI_\w+|ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UNKNOWN|UND_ERR_CONNECT_TIMEOUT)$/;
/** Codes of all other errors of the network. */
const OTHER =
  /^(E(?!RR_)[A-Z0-9_]+|HPE\w*|UND_ERR_(ABORTED|HEADERS_\w+|BODY_TIMEOUT|INFO|RES\w*|DESTROYED|CLOSED))$/;

/**
 * The failure for an error of the network, in one line with the host and the reason. Undefined for any other error, which is
 * a fault of folio.
 */
export function networkFailure(error: unknown, to: RequestDestination): NetworkFailure | undefined {
  if (error instanceof TransportTimeout) {
    const what = error.begun ? 'did not complete its response' : 'did not answer';
    const message = `${to.host} ${what} within ${to.timeout / 1000} s`;
    return {
      retryable: true,
      error: new ServiceError(message, { cause: error, hint: 'Allow more time with --timeout.' }),
    };
  }
  if (!(error instanceof Error)) return undefined;
  // undici's parser gives its errors no code, though llhttp has names for them (HPE_INVALID_VERSION).
  const named = errorCode(error) ?? (error.name === 'HTTPParserError' ? 'HPE' : '');
  // An answer that the parser does not expect, such as a status of 000, fails one of its assertions.
  const code = named === 'ERR_ASSERTION' ? 'HPE' : named;
  if (code === 'UND_ERR_PRX_TLS') return tlsFailure(error.cause ?? error, to.proxyHost ?? to.host);
  if (isTlsFailure(code)) return tlsFailure(error, to.host);
  const answered = /^Proxy response \((\d+)\)/.exec(error.message)?.[1];
  if (answered !== undefined) return proxyRefusal(Number(answered), error, to);
  if (!(code in REASONS) && !OTHER.test(code)) return undefined;
  const reason =
    REASONS[code] ?? (code.startsWith('HPE') ? 'its answer is not HTTP' : firstLine(error.message));
  const whom = to.proxyHost !== undefined && CONNECTING.test(code) ? proxyOf(to) : to.host;
  return {
    retryable: true,
    error: new ServiceError(`could not reach ${whom}: ${reason} (${code})`, {
      cause: error,
      hint:
        whom === to.host ? 'Check the network and the base address.' : 'Check the network and HTTPS_PROXY.',
    }),
  };
}

/** The codes of OpenSSL for an answer in plain text. */
const NOT_TLS = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

function tlsFailure(cause: unknown, host: string): NetworkFailure {
  const code = errorCode(cause) ?? 'TLS';
  const message = cause instanceof Error ? cause.message : String(cause);
  if (NOT_TLS.has(code)) {
    const error = new ServiceError(`no safe connection to ${host}: its answer is not TLS (${code})`, {
      cause,
      hint: 'Check the base address: another port may be meant. Plain http is for this machine only.',
    });
    return { retryable: false, error };
  }
  const hint =
    code === 'ERR_TLS_CERT_ALTNAME_INVALID'
      ? 'The certificate is for another host: check the base address.'
      : 'If your own authority signs the certificates here, set NODE_EXTRA_CA_CERTS to the file with its certificate.';
  const error = new ServiceError(`no safe connection to ${host}: ${firstLine(message)} (${code})`, {
    cause,
    hint,
  });
  return { retryable: false, error };
}

function proxyRefusal(status: number, cause: Error, to: RequestDestination): NetworkFailure {
  const message = `${proxyOf(to)} does not let folio through (${status})`;
  const hint =
    status === 407
      ? 'Write it as HTTPS_PROXY=http://user:password@host:port, with the user and password.'
      : undefined;
  return {
    retryable: status >= 500,
    error: new ServiceError(message, { cause, hint: hint ?? 'Check HTTPS_PROXY.' }),
  };
}

function proxyOf({ host, proxyHost }: RequestDestination): string {
  return `the proxy ${proxyHost} on the way to ${host}`;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]!.slice(0, 200);
}
