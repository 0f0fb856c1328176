import { ServiceError } from '../errors.ts';
import { joinHeaders } from './response-headers.ts';
import { TransportTimeout } from './transport-timeout.ts';
import type { TransportResponse } from './transport.ts';

/** What the HTTP library hands out to stop a request that is on the wire. */
interface Exchange {
  abort(reason: Error): void;
}

interface CollectorOptions {
  readonly signal: AbortSignal;
  /** Milliseconds for the whole request. */
  readonly timeout: number;
  readonly maxBytes: number;
}

/** The longest delay that a timer of the runtime takes, in ms; a longer one would fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Takes a response as the HTTP library reports it, event by event, into one buffer. `response` settles once: with the
 * whole response, or with the first of the network's error, TransportTimeout, the signal's reason, or ServiceError
 * for a body over `maxBytes`. Settling early does not wait for the connection, which may itself be hanging; the
 * exchange is aborted, or as soon as it begins.
 */
export class ResponseCollector {
  readonly response: Promise<TransportResponse>;
  #resolve!: (response: TransportResponse) => void;
  #reject!: (reason: unknown) => void;
  readonly #options: CollectorOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = (): void => this.#stop(this.#options.signal.reason);
  #exchange: Exchange | undefined;
  #stopped: { readonly reason: unknown } | undefined;
  #status = 0;
  #headers: TransportResponse['headers'] = {};
  /** Of the announced length, filled as the bytes come: a copy of the body is saved. */
  #announced: Buffer | undefined;
  readonly #chunks: Buffer[] = [];
  #length = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const limit = Math.min(options.timeout, LONGEST_TIMER);
    this.#timer = setTimeout(() => this.#stop(new TransportTimeout(limit, this.#status > 0)), limit);
    options.signal.addEventListener('abort', this.#onAbort, { once: true });
    if (options.signal.aborted) this.#onAbort();
  }

  onRequestStart(exchange: Exchange): void {
    this.#exchange = exchange;
    if (this.#stopped !== undefined) exchange.abort(asError(this.#stopped.reason));
  }

  onResponseStart(_: Exchange, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = joinHeaders(headers);
    const length = this.#headers['content-length'];
    if (length === undefined || !/^\d{1,15}$/.test(length)) return;
    if (Number(length) > this.#options.maxBytes) this.#stop(this.#tooLarge());
    else this.#announced = Buffer.allocUnsafe(Number(length));
  }

  onResponseData(_: Exchange, chunk: Buffer): void {
    const end = this.#length + chunk.length;
    if (this.#announced === undefined) this.#chunks.push(chunk);
    else this.#announced.set(chunk, this.#length);
    this.#length = end;
    if (end > this.#options.maxBytes) this.#stop(this.#tooLarge());
  }

  onResponseEnd(): void {
    this.#finish();
    const body = this.#announced?.subarray(0, this.#length) ?? Buffer.concat(this.#chunks, this.#length);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_: Exchange, error: Error): void {
    this.#finish();
    this.#reject(error);
  }

  #stop(reason: unknown): void {
    this.#stopped = { reason };
    this.#finish();
    this.#reject(reason);
    this.#exchange?.abort(asError(reason));
  }

  #finish(): void {
    clearTimeout(this.#timer);
    this.#options.signal.removeEventListener('abort', this.#onAbort);
  }

  #tooLarge(): ServiceError {
    const { maxBytes } = this.#options;
    const limit = maxBytes % 2 ** 20 === 0 ? `${maxBytes / 2 ** 20} MiB` : `${maxBytes} bytes`;
    return new ServiceError(`the response is larger than ${limit}`, {
      hint: 'Ask for fewer records a request with --page-size',
    });
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted');
}
