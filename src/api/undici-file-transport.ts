import { Readable } from 'node:stream';
import { proxyFor } from './proxy.ts';
import {
  TransportTimeout,
  type FileResponse,
  type FileTransportOptions,
  type OpenFileTransport,
} from './transport.ts';
import { avoidSlowExit, joinHeaders, openDispatcher, refuseUncheckedTls } from './undici-transport.ts';

/** The transport for files over undici: any origin, through the proxy where the environment says so. */
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

/** What the HTTP library hands out to steer a request that is on the wire. */
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

/** Bytes of a body that are held before whoever reads it has taken them. */
const BUFFERED_BYTES = 256 * 1024;

/**
 * Takes a response as the HTTP library reports it, and hands its body on as it comes, no faster than it is read.
 * `response` settles with the head, or with what came before it: the network's error, TransportTimeout, the signal's
 * reason. What comes later is thrown by the body.
 */
class ResponseStream {
  readonly response: Promise<FileResponse>;
  #resolve!: (response: FileResponse) => void;
  #reject!: (reason: unknown) => void;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = (): void => this.#stop(this.#signal.reason);
  readonly #body: Readable;
  #exchange: RequestHandle | undefined;
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
      read: () => this.#exchange?.resume(),
      destroy: (error, done) => {
        this.#finish();
        this.#exchange?.abort(error ?? new Error('the reader left'));
        done(error);
      },
    });
    // Whoever reads the body learns of the error; where nobody does, it must not end the process.
    this.#body.on('error', () => {});
    this.#timer = setTimeout(() => this.#stop(new TransportTimeout(timeout, this.#begun)), timeout);
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#onAbort();
  }

  onRequestStart(exchange: RequestHandle): void {
    this.#exchange = exchange;
    if (this.#stopped !== undefined) exchange.abort(this.#stopped);
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

  onResponseData(exchange: RequestHandle, chunk: Buffer): void {
    if (!this.#body.push(chunk)) exchange.pause();
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
