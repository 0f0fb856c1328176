import { Readable } from 'node:stream';
import type { FileResponse } from './file-transport.ts';
import { joinHeaders } from './response-headers.ts';
import { TransportTimeout } from './transport-timeout.ts';

/** What the HTTP library hands out to steer a request that is on the wire. */
interface Exchange {
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
const HELD = 256 * 1024;

/**
 * Takes a response as the HTTP library reports it, and hands its body on as it comes, no faster than it is read.
 * `response` settles with the head, or with what came before it: the network's error, TransportTimeout, the signal's
 * reason. What comes later is thrown by the body.
 */
export class ResponseStream {
  readonly response: Promise<FileResponse>;
  #resolve!: (response: FileResponse) => void;
  #reject!: (reason: unknown) => void;
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #onAbort = (): void => this.#stop(this.#signal.reason);
  readonly #body: Readable;
  #exchange: Exchange | undefined;
  #begun = false;
  #stopped: Error | undefined;

  constructor({ signal, timeout }: StreamOptions) {
    this.#signal = signal;
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.#body = new Readable({
      highWaterMark: HELD,
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

  onRequestStart(exchange: Exchange): void {
    this.#exchange = exchange;
    if (this.#stopped !== undefined) exchange.abort(this.#stopped);
  }

  onResponseStart(_: Exchange, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200) return;
    this.#begun = true;
    const body = this.#body;
    this.#resolve({ status, headers: joinHeaders(headers), body, discard: () => void body.destroy() });
  }

  onResponseData(exchange: Exchange, chunk: Buffer): void {
    if (!this.#body.push(chunk)) exchange.pause();
  }

  onResponseEnd(): void {
    this.#finish();
    this.#body.push(null);
  }

  onResponseError(_: Exchange, error: Error): void {
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
