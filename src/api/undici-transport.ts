import { setMaxListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { Agent, EnvHttpProxyAgent } from 'undici';
import { ServiceError, UsageError } from '../errors.ts';
import { proxyFor } from './proxy.ts';
import { ResponseCollector } from './response-collector.ts';
import type { Proxy } from './proxy.ts';
import type { OpenTransport, TransportOptions } from './transport.ts';

const CONNECT_MILLISECONDS = 10_000;

/**
 * The transport over undici: HTTP/1.1, one origin, no redirects, at most `connections` at once, kept alive between
 * requests. Certificates are always checked. Rejects with UsageError where the environment switches that off or names
 * an unusable proxy.
 */
export const openUndiciTransport: OpenTransport = async (options) => {
  refuseUncheckedTls(options.env);
  quickenExit();
  const proxy = proxyFor(options.origin, options.env);
  const closing = new AbortController();
  const dispatcher = openDispatcher(options, proxy, closing.signal);
  return {
    proxy,
    async send({ url, headers, signal, timeout }) {
      if (url.origin !== options.origin) {
        throw new ServiceError(
          `refused to ask ${url.host}: these requests belong to ${options.origin} alone`,
        );
      }
      const collector = new ResponseCollector({ signal, timeout, maxBytes: options.maxResponseBytes });
      if (!signal.aborted) {
        const path = url.pathname + url.search;
        dispatcher.dispatch({ origin: url.origin, path, method: 'GET', headers: { ...headers } }, collector);
      }
      return collector.response;
    },
    async close() {
      // Not dispatcher.close(), which waits for requests in flight; a stopped run may have hanging ones.
      const destroyed = dispatcher.destroy();
      // Connections that are only being made are left over by it, and would keep the process until their time is up.
      closing.abort();
      await destroyed;
    },
  };
};

/** What connections are made with: through the proxy, or straight where there is none. */
export function openDispatcher(
  { connections }: Pick<TransportOptions, 'connections'>,
  proxy: Proxy | undefined,
  closing: AbortSignal,
): Agent | EnvHttpProxyAgent {
  // Every connection listens to it, which is no leak for the runtime to warn of.
  setMaxListeners(0, closing);
  const connect = { timeout: CONNECT_MILLISECONDS, rejectUnauthorized: true, signal: closing };
  // The collector's one timer limits the whole request; undici's own, for its parts, tick in seconds.
  const limits = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0, connect };
  if (proxy === undefined) return new Agent(limits);
  // NO_PROXY is already weighed; the empty values keep undici from reading the environment for itself.
  const asked = { httpsProxy: proxy.url, httpProxy: '', noProxy: '' };
  return new EnvHttpProxyAgent({ ...limits, ...asked, requestTls: connect, proxyTls: connect });
}

export function refuseUncheckedTls(env: TransportOptions['env']): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return;
  throw new UsageError(
    'NODE_TLS_REJECT_UNAUTHORIZED=0 switches off the check of certificates, and folio does not run so',
    {
      hint: 'Unset it; for an authority of your own, set NODE_EXTRA_CA_CERTS to the file with its certificate',
    },
  );
}

/**
 * On Node 20 (the one without a global navigator) the first response makes V8 optimize undici's parser on another
 * thread, for which the end of the process waits 0.15 s. Later versions do not, and are better left alone. It must
 * not be set before undici is loaded: that discards the runtime's code cache.
 */
export function quickenExit(): void {
  if (!('navigator' in globalThis)) setFlagsFromString('--wasm-tiering-budget=1000000000');
}
