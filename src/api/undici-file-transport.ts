import { lookup as dnsLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { leadsToThisMachine } from './address.ts';
import { LEADS_HERE, linkNotFollowed } from './files.ts';
import {
  proxyFor,
  TransportTimeout,
  type FileResponse,
  type FileTransportOptions,
  type OpenFileTransport,
} from './transport.ts';
import { avoidSlowExit, joinHeaders, openDispatcher, refuseUncheckedTls } from './undici-transport.ts';

/** Opens a transport for files over undici: to any origin, through the proxy if the environment names one. */
export const openUndiciFileTransport: OpenFileTransport = async (options) => {
  refuseUncheckedTls(options.env);
  avoidSlowExit();
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
      // destroy() leaves connections that are still being made.
      closing.abort();
      await destroyed;
    },
  };
};

type Dispatcher = ReturnType<typeof openDispatcher>;

/** One dispatcher for origins without a proxy and one for those behind it. Each is made when it is first needed. */
function openDispatchers(
  options: FileTransportOptions,
  closing: AbortSignal,
): { of(origin: string): Dispatcher; destroy(): Promise<void> } {
  const byProxy = new Map<string | undefined, Dispatcher>();
  const { onLoopback, lookup: find = dnsLookup } = options;
  const lookup = onLoopback ? options.lookup : refusingThisMachine(find);
  return {
    of(origin) {
      const proxy = proxyFor(origin, options.env);
      const known = byProxy.get(proxy?.url) ?? openDispatcher(options, proxy, { closing, lookup });
      byProxy.set(proxy?.url, known);
      return known;
    },
    async destroy() {
      await Promise.all([...byProxy.values()].map((dispatcher) => dispatcher.destroy()));
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

/** What undici passes so that a request on the wire can be stopped, paused and resumed. */
interface RequestHandle {
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

interface StreamOptions {
  readonly signal: AbortSignal;
  /** Milliseconds for the whole request, its body included. */
  readonly timeout: number;
}

/** How many bytes of a body may wait for its reader. */
const BUFFERED_BYTES = 256 * 1024;

/**
 * Passes on a response as it arrives, from the events of undici, no faster than its body is read. `response` settles with
 * the head, or with what came before it: an error of the network, TransportTimeout or the signal's reason. Errors that
 * come later are thrown by the body.
 */
class ResponseStream {
  readonly response: Promise<FileResponse>;
  #resolve!: (response: FileResponse) => void;
  #reject!: (reason: unknown) => void;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = (): void => this.#stop(this.#signal.reason);
  readonly #body: Readable;
  #request: RequestHandle | undefined;
  #begun = false;
  #stopped: Error | undefined;

  constructor({ signal, timeout }: StreamOptions) {
    this.#signal = signal;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#body = new Readable({
      highWaterMark: BUFFERED_BYTES,
      read: () => this.#request?.resume(),
      destroy: (error, done) => {
        this.#finish();
        this.#request?.abort(error ?? new Error('the reader stopped'));
        done(error);
      },
    });
    // The reader of the body gets the error. When there is no reader, the error must not end the process.
    this.#body.on('error', () => {});
    this.#timer = setTimeout(() => this.#stop(new TransportTimeout(timeout, this.#begun)), timeout);
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  onRequestStart(request: RequestHandle): void {
    this.#request = request;
    if (this.#stopped !== undefined) request.abort(this.#stopped);
  }

  onResponseStart(
    _: RequestHandle,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#begun = true;
    const body = this.#body;
    this.#resolve({ status, headers: joinHeaders(headers), body, discard: () => void body.destroy() });
  }

  onResponseData(request: RequestHandle, chunk: Buffer): void {
    if (!this.#body.push(chunk)) request.pause();
  }

  onResponseEnd(): void {
    this.#finish();
    this.#body.push(null);
  }

  onResponseError(_: RequestHandle, error: Error): void {
    this.#stop(error);
  }

  #stop(reason: unknown): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = reason instanceof Error ? reason : new Error('aborted');
    this.#finish();
    this.#reject(reason);
    this.#body.destroy(this.#stopped);
  }

  #finish(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}
