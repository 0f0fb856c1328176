import { UsageError } from '../errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy between folio and the service. It only opens tunnels (CONNECT), so it sees no request. */
export interface Proxy {
  /** With user and password, so it is never shown. */
  readonly url: string;
  /** Host and port, for messages. */
  readonly host: string;
  /** The password in all forms in which it may appear in a text. */
  readonly secrets: readonly string[];
}

/**
 * The proxy on the way to `origin`, as `HTTPS_PROXY` and `NO_PROXY` say, or undefined. The names count in lower case first,
 * then in upper case, and an empty value counts as unset. folio speaks plain http with this machine only, so plain http
 * never goes through a proxy, which could read the token. Throws UsageError for a value that is no address of a proxy.
 * The error does not repeat the value, because it may hold a password.
 */
export function proxyFor(origin: string, env: Environment): Proxy | undefined {
  const url = new URL(origin);
  const text = env['https_proxy'] || env['HTTPS_PROXY'];
  if (!text || url.protocol !== 'https:' || isExempt(url, env['no_proxy'] || env['NO_PROXY'] || ''))
    return undefined;
  const proxy = parseProxy(text);
  if (proxy === undefined) {
    throw new UsageError('HTTPS_PROXY is not the address of an http or https proxy', {
      hint: 'Write it as http://host:port or http://user:password@host:port, with special characters percent-encoded.',
    });
  }
  return proxy;
}

/** The passwords in all proxy variables, used or not. None of them must ever be shown. */
export function proxySecrets(env: Environment): string[] {
  const names = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'];
  return names.flatMap((name) => parseProxy(env[name] ?? '')?.secrets ?? []);
}

function parseProxy(text: string): Proxy | undefined {
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

/** Whether `list` (hosts with or without a port, separated by commas or spaces) names the host or a domain above it. */
function isExempt(url: URL, list: string): boolean {
  const host = withoutBrackets(url.hostname);
  const port = url.port || '443';
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === '*') return true;
    const [, name = entry, only] = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
    const domain = withoutBrackets(name.toLowerCase()).replace(/^\*?\./, '');
    return domain !== '' && (only ?? port) === port && (host === domain || host.endsWith(`.${domain}`));
  });
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}
