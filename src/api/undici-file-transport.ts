import { lookup as dnsLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { leadsToThisMachine } from './address.ts';
import { LEADS_HERE, linkNotFollowed } from './files.ts';
import {
  proxyFor,
  type FileResponse,
  type FileTransportOptions,
  type OpenFileTransport,
} from './transport.ts';
import {
  avoidSlowExit,
  LimitedResponse,
  openConnections,
  refuseUncheckedTls,
  type Connections,
  type RequestHandle,
} from './undici-transport.ts';

/** Opens a transport for files over undici: to any origin, through the proxy if the environment names one. */
export const openUndiciFileTransport: OpenFileTransport = async (options) => {
  refuseUncheckedTls(options.env);
  await avoidSlowExit();
  const connections = connectionsByProxy(options);
  return {
    async open({ url, headers, signal, timeout }) {
      const stream = new ResponseStream({ signal, timeout });
      if (!signal.aborted) {
        const path = url.pathname + url.search;
        const request = { origin: url.origin, path, method: 'GET' as const, headers: { ...headers } };
        connections.of(url.origin).dispatch(request, stream);
      }
      return stream.response;
    },
    proxyHost: (origin) => proxyFor(origin, options.env)?.host,
    close: () => connections.destroy(),
  };
};

/** The connections without a proxy, and those through each proxy. They are opened when they are first needed. */
function connectionsByProxy(options: FileTransportOptions): {
  of(origin: string): Connections;
  destroy(): Promise<void>;
} {
  const byProxy = new Map<string | undefined, Connections>();
  const { onLoopback, lookup: find = dnsLookup } = options;
  const lookup = onLoopback ? options.lookup : refusingThisMachine(find);
  return {
    of(origin) {
      const proxy = proxyFor(origin, options.env);
      const known = byProxy.get(proxy?.url) ?? openConnections(options, proxy, lookup);
      byProxy.set(proxy?.url, known);
      return known;
    },
    async destroy() {
      await Promise.all([...byProxy.values()].map((connections) => connections.destroy()));
    },
  };
}

/**
 * A lookup that fails for names that lead to this machine. It checks the addresses that the connection is then made with, so
 * that a second lookup with another answer cannot get around it.
 */
function refusingThisMachine(find: LookupFunction): LookupFunction {
  return (name, options, done) =>
    find(name, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address);
      const isHere = error === null && addresses.some(isAddressHere);
      done(isHere ? linkNotFollowed(name, LEADS_HERE) : error, found, family);
    });
}

/** Whether an address, as the system gives it, leads here. A URL brings all its spellings into one form. */
function isAddressHere(address: string): boolean {
  const [plain = ''] = address.split('%');
  return leadsToThisMachine(new URL(`http://${plain.includes(':') ? `[${plain}]` : plain}`).hostname);
}

/** How many bytes of a body may wait for its reader. */
const BUFFERED_BYTES = 256 * 1024;

/**
 * Passes on a response as it arrives, no faster than its body is read. `response` settles with the head. Errors that come
 * later are thrown by the body.
 */
class ResponseStream extends LimitedResponse<FileResponse> {
  readonly #body: Readable;

  constructor(limits: { readonly signal: AbortSignal; readonly timeout: number }) {
    super(limits);
    this.#body = new Readable({
      highWaterMark: BUFFERED_BYTES,
      read: () => this.request?.resume(),
      destroy: (error, done) => {
        this.finish();
        this.request?.abort(error ?? new Error('the reader stopped'));
        done(error);
      },
    });
    // The reader of the body gets the error. When there is no reader, the error must not end the process.
    this.#body.on('error', () => {});
    if (limits.signal.aborted) this.stop(limits.signal.reason);
  }

  onResponseData(request: RequestHandle, chunk: Buffer): void {
    if (!this.#body.push(chunk)) request.pause();
  }

  onResponseEnd(): void {
    this.finish();
    this.#body.push(null);
  }

  protected override begin(headers: FileResponse['headers']): void {
    const body = this.#body;
    this.resolve({ status: this.status, headers, body, discard: () => void body.destroy() });
  }

  protected override stop(reason: unknown): void {
    super.stop(reason);
    this.#body.destroy(reason instanceof Error ? reason : new Error('aborted'));
  }
}
