import { setMaxListeners } from 'node:events';
import type { LookupFunction } from 'node:net';
import { Agent, EnvHttpProxyAgent, Pool } from 'undici';
import { ServiceError, UsageError } from '../errors.ts';
import {
  proxyFor,
  TransportTimeout,
  type Proxy,
  type OpenTransport,
  type TransportOptions,
  type TransportResponse,
} from './transport.ts';

/** The time limit for connecting, in ms. */
const CONNECT_TIMEOUT = 10_000;

/**
 * Opens a transport over undici: HTTP/1.1, one origin, no redirects, at most `connections` connections that are kept
 * alive. Certificates are always checked. Rejects with UsageError when the environment switches that off, or names a
 * proxy that cannot be used.
 */
export const openUndiciTransport: OpenTransport = async (options) => {
  refuseUncheckedTls(options.env);
  // Undici loads it late, and after avoidSlowExit that takes 15 ms instead of 2.
  if (options.origin.startsWith('https:')) await import('node:tls');
  await avoidSlowExit();
  const proxy = proxyFor(options.origin, options.env);
  const connections = openConnections(options, proxy);
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
        connections.dispatch({ origin: url.origin, path, method: 'GET', headers: { ...headers } }, collector);
      }
      return collector.response;
    },
    close: () => connections.destroy(),
  };
};

/** Connections to origins, and the requests that are sent over them. */
export interface Connections {
  readonly dispatch: Agent['dispatch'];
  /** Ends all connections at once, also those in use or still being made, and refuses the requests that wait for one. */
  destroy(): Promise<void>;
}

/**
 * Makes undici's part that connects: through the proxy, or directly when there is none.
 *
 * @param lookup finds the addresses of names where there is no proxy; the system does, unless given
 */
export function openConnections(
  { connections }: Pick<TransportOptions, 'connections'>,
  proxy: Proxy | undefined,
  lookup?: LookupFunction,
): Connections {
  const closing = new AbortController();
  // Every connection listens: many listeners are no leak here.
  setMaxListeners(0, closing.signal);
  // An agent forgets a pool whose connections have all ended, though requests may wait in it: destroy() would leave it.
  const pools = new Set<Pool>();
  const factory = (origin: string | URL, settings: Pool.Options): Pool => {
    for (const pool of pools) if (pool.destroyed) pools.delete(pool);
    const pool = new Pool(origin, settings);
    pools.add(pool);
    return pool;
  };
  const connect = { timeout: CONNECT_TIMEOUT, rejectUnauthorized: true, signal: closing.signal };
  // The collector's timer limits the whole request. undici's own timers limit parts of it, and only in seconds.
  const limits = { connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0, factory };
  const dispatcher =
    proxy === undefined
      ? new Agent({ ...limits, connect: lookup === undefined ? connect : { ...connect, lookup } })
      : // NO_PROXY has been read already. The empty values keep undici from reading the environment itself.
        new EnvHttpProxyAgent({
          ...limits,
          httpsProxy: proxy.url,
          httpProxy: '',
          noProxy: '',
          requestTls: connect,
          proxyTls: connect,
        });
  return {
    dispatch: (request, handler) => dispatcher.dispatch(request, handler),
    async destroy() {
      // close() would wait for requests in flight, and those of a stopped run may hang.
      const destroyed = [dispatcher.destroy(), ...[...pools].map((pool) => pool.destroy())];
      // destroy() does not end connections that are still being made; they would keep the process alive.
      closing.abort();
      await Promise.all(destroyed);
    },
  };
}

/** Throws UsageError when the environment switches off the check of certificates. */
export function refuseUncheckedTls(env: TransportOptions['env']): void {
  if (env['NODE_TLS_REJECT_UNAUTHORIZED'] !== '0') return;
  throw new UsageError(
    'NODE_TLS_REJECT_UNAUTHORIZED=0 switches off the check of certificates, and folio does not run without it',
    {
      hint: 'Unset it. For an authority of your own, set NODE_EXTRA_CA_CERTS to the file with its certificate.',
    },
  );
}

/**
 * On Node 20, which has no global navigator, the first response makes V8 optimize undici's parser on another thread, and
 * the end of the process waits 0.15 s for it. Later versions of Node do not do this. Must be called after undici is
 * loaded, and all of the runtime that takes long to load, because setting a flag discards the code cache of the runtime.
 */
export async function avoidSlowExit(): Promise<void> {
  if ('navigator' in globalThis) return;
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--wasm-tiering-budget=1000000000');
}

/** What undici passes so that a request on the wire can be stopped, paused and resumed. */
export interface RequestHandle {
  abort(reason: Error): void;
  pause(): void;
  resume(): void;
}

/** The longest delay of a timer in ms. A timer with a longer one would fire at once. */
const MAX_TIMER = 2 ** 31 - 1;

interface ResponseLimits {
  readonly signal: AbortSignal;
  /** Milliseconds for the whole request, its body included. */
  readonly timeout: number;
}

/**
 * A response, from the events of undici, however its body is received. `response` settles once: with what the receiver makes
 * of it, or with the first of these: an error of the network, TransportTimeout, the signal's reason, or what the receiver
 * stops it with. An early end does not wait for the connection, which may hang. It aborts the request, or has it aborted as
 * soon as it begins.
 */
export abstract class LimitedResponse<T> {
  readonly response: Promise<T>;
  protected resolve!: (response: T) => void;
  protected status = 0;
  protected request: RequestHandle | undefined;
  #reject!: (reason: unknown) => void;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = (): void => this.stop(this.#signal.reason);
  #stopped: { readonly reason: unknown } | undefined;

  constructor({ signal, timeout }: ResponseLimits) {
    this.#signal = signal;
    this.response = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.#reject = reject;
    });
    const limit = Math.min(timeout, MAX_TIMER);
    this.#timer = setTimeout(() => this.stop(new TransportTimeout(limit, this.status > 0)), limit);
    signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(request: RequestHandle): void {
    this.request = request;
    if (this.#stopped !== undefined) request.abort(asError(this.#stopped.reason));
  }

  onResponseStart(
    _: RequestHandle,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.status = status;
    this.begin(joinHeaders(headers));
  }

  onResponseError(_: RequestHandle, error: Error): void {
    this.stop(error);
  }

  /** The head came. */
  protected abstract begin(headers: TransportResponse['headers']): void;

  /** Ends the request, unless it has ended. */
  protected stop(reason: unknown): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = { reason };
    this.finish();
    this.#reject(reason);
    this.request?.abort(asError(reason));
  }

  /** Nothing of the response is still to come. */
  protected finish(): void {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}

interface CollectorOptions extends ResponseLimits {
  readonly maxBytes: number;
}

/** Collects a response into one buffer. A body over `maxBytes` is a ServiceError. */
export class ResponseCollector extends LimitedResponse<TransportResponse> {
  readonly #maxBytes: number;
  #headers: TransportResponse['headers'] = {};
  /** A buffer of the announced length, filled as the bytes arrive. It saves a copy of the body. */
  #announced: Buffer | undefined;
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(options: CollectorOptions) {
    super(options);
    this.#maxBytes = options.maxBytes;
    if (options.signal.aborted) this.stop(options.signal.reason);
  }

  protected override begin(headers: TransportResponse['headers']): void {
    this.#headers = headers;
    const length = headers['content-length'];
    if (length === undefined || !/^\d{1,15}$/.test(length)) return;
    if (Number(length) > this.#maxBytes) this.stop(this.#tooLarge());
    else this.#announced = Buffer.allocUnsafe(Number(length));
  }

  onResponseData(_: RequestHandle, chunk: Buffer): void {
    const end = this.#length + chunk.length;
    if (this.#announced === undefined) this.#chunks.push(chunk);
    else this.#announced.set(chunk, this.#length);
    this.#length = end;
    if (end > this.#maxBytes) this.stop(this.#tooLarge());
  }

  onResponseEnd(): void {
    this.finish();
    const body = this.#announced?.subarray(0, this.#length) ?? Buffer.concat(this.#chunks, this.#length);
    this.resolve({ status: this.status, headers: this.#headers, body });
  }

  #tooLarge(): ServiceError {
    const maxBytes = this.#maxBytes;
    const limit = maxBytes % 2 ** 20 === 0 ? `${maxBytes / 2 ** 20} MiB` : `${maxBytes} bytes`;
    return new ServiceError(`the response is larger than ${limit}`, {
      hint: 'Ask for fewer records in each request with --page-size.',
    });
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted');
}

/** The headers of a response, each as one text. The object has no prototype that a name could reach. */
function joinHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const result: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) result[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return result;
}
