import { UsageError } from '../errors.ts';

/** One GET as it goes on the wire. */
export interface TransportRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Milliseconds for the whole request: connecting, sending and receiving. */
  readonly timeout: number;
}

/** A response without its body. */
export interface ResponseHead {
  readonly status: number;
  /** Names in lower case; a header that came several times is joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
}

/** The head of a response, and its body as it arrives. */
export interface TransportResponse extends ResponseHead {
  /**
   * The bytes on the wire, not inflated, to be read once. A reader that leaves early ends the response. Throws FailedTry for an
   * error of the network, or the signal's reason.
   */
  readonly body: AsyncIterable<Buffer>;
  /** Ends the response, also where its body is not read; the rest is dropped. */
  readonly discard: () => void;
}

export interface Transport {
  /**
   * Sends one GET, once, and follows no redirect. Rejects with FailedTry for an error of the network, the signal's reason, or
   * with a FolioError when folio itself refuses.
   */
  open(request: TransportRequest): Promise<TransportResponse>;
  /** Ends all connections at once, also those in use. */
  close(): Promise<void>;
}

export interface TransportOptions {
  /**
   * The only origin that gets requests, such as `https://api.example.com`: others are refused before any DNS. A transport for
   * links, which lead anywhere, has none, and never gets a token: so no mistake with a link can send one.
   */
  readonly origin?: string;
  /** How many connections there may be to one origin. */
  readonly connections: number;
  readonly env: Environment;
  /** Whether a connection that a name would lead to this machine fails with ServiceError. */
  readonly refusesThisMachine?: boolean;
}

/** Opens a transport. Throws UsageError for an environment with which it would not be safe. */
export type OpenTransport = (options: TransportOptions) => Promise<Transport>;

type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy between folio and the service. It only opens tunnels (CONNECT), so it sees no request. */
interface Proxy {
  /** With user and password, so it is never shown. */
  readonly url: string;
  /** Host and port, for messages. */
  readonly host: string;
  /** The password in all forms in which it may appear in a text. */
  readonly secrets: readonly string[];
  /** The hosts that it is not for, in the form of `NO_PROXY`. */
  readonly except: string;
}

/**
 * The proxy for https, as `HTTPS_PROXY` and `NO_PROXY` say, or undefined. Names in lower case count before those in upper case,
 * and an empty value counts as unset. folio speaks plain http with this machine only, so plain http never goes through a proxy,
 * which could read the token. Throws UsageError for a value that is not an address of a proxy. The error does not repeat the value,
 * because it may hold a password.
 */
export function proxyIn(env: Environment): Proxy | undefined {
  const text = env['https_proxy'] || env['HTTPS_PROXY'];
  if (!text) return undefined;
  const proxy = parseProxy(text);
  if (proxy !== undefined) return { ...proxy, except: env['no_proxy'] || env['NO_PROXY'] || '' };
  throw new UsageError('HTTPS_PROXY is not the address of an http or https proxy', {
    hint: 'Write it as http://host:port or http://user:password@host:port, with special characters percent-encoded.',
  });
}

/** The passwords in all proxy variables, used or not. None of them must ever be shown. */
export function proxySecrets(env: Environment): string[] {
  const names = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];
  return names.flatMap((name) => parseProxy(env[name] ?? '')?.secrets ?? []);
}

function parseProxy(text: string): Omit<Proxy, 'except'> | undefined {
  try {
    const url = new URL(text.includes('://') ? text : `http://${text}`);
    if (!['http:', 'https:'].includes(url.protocol)) return undefined;
    // The HTTP library takes none of these.
    if (url.pathname !== '/' || url.search !== '' || url.hash !== '') return undefined;
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    return {
      url: url.href,
      host: url.port === '' ? `${url.hostname}:${url.protocol === 'https:' ? 443 : 80}` : url.host,
      secrets: password === '' ? [] : [`${user}:${password}`, password, url.password],
    };
  } catch {
    return undefined;
  }
}
