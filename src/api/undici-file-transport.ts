import type { FileTransportOptions, OpenFileTransport } from './file-transport.ts';
import { proxyFor } from './proxy.ts';
import { ResponseStream } from './response-stream.ts';
import { openDispatcher, quickenExit, refuseUncheckedTls } from './undici-transport.ts';

/** The transport for files over undici: any origin, through the proxy where the environment says so. */
export const openUndiciFileTransport: OpenFileTransport = async (options) => {
  refuseUncheckedTls(options.env);
  quickenExit();
  const closing = new AbortController();
  const dispatchers = openDispatchers(options, closing.signal);
  return {
    async open({ url, headers, signal, timeout }) {
      const stream = new ResponseStream({ signal, timeout });
      if (!signal.aborted) {
        const path = url.pathname + url.search;
        const request = { origin: url.origin, path, method: 'GET' as const, headers: { ...headers } };
        dispatchers.of(url.origin).dispatch(request, stream);
      }
      return stream.response;
    },
    proxyHost: (origin) => proxyFor(origin, options.env)?.host,
    async close() {
      const destroyed = dispatchers.destroy();
      // Connections that are only being made, as for the service.
      closing.abort();
      await destroyed;
    },
  };
};

type Dispatcher = ReturnType<typeof openDispatcher>;

/** One for origins that are asked straight, and one for those behind the proxy, each made when it is first needed. */
function openDispatchers(
  options: FileTransportOptions,
  closing: AbortSignal,
): { of(origin: string): Dispatcher; destroy(): Promise<void> } {
  const byProxy = new Map<string | undefined, Dispatcher>();
  return {
    of(origin) {
      const proxy = proxyFor(origin, options.env);
      const known = byProxy.get(proxy?.url) ?? openDispatcher(options, proxy, closing);
      byProxy.set(proxy?.url, known);
      return known;
    },
    async destroy() {
      await Promise.all([...byProxy.values()].map((dispatcher) => dispatcher.destroy()));
    },
  };
}
