import type { Clock } from '../context.ts';
import type { QueryPair } from './query-string.ts';
import type { ObserveRequests } from './request-event.ts';
import type { RetryOptions } from './retry-policy.ts';
import type { RetryQuota } from './retry-quota.ts';
import type { Transport } from './transport.ts';

/** One GET below the base address. */
export interface ApiRequest<T> {
  /** Begins with a slash, percent-encoded: `/invoices/issued`. */
  readonly path: string;
  readonly query: readonly QueryPair[];
  /** Makes the value of the inflated body of a 200. Throws BadBody for one that is to be asked for again. */
  readonly parse: (body: Buffer) => T;
  /** Statuses that are thrown at once as StatusError, since whoever asks has a better answer to them than a retry. */
  readonly passes?: readonly number[] | undefined;
  /** Aborts this request; the client's own signal does so in any case. */
  readonly signal?: AbortSignal | undefined;
}

/** Counted since the client was made, across all its requests. */
export interface RequestStats {
  /** Tries that went out, retries included. */
  readonly requests: number;
  readonly retries: number;
  /** Bytes of bodies on the wire. */
  readonly bytes: number;
}

export interface ApiClient {
  /**
   * The value of `path`. Rejects with AuthError (401, 403), NotFoundError (404), RefusedQuery or UnknownFiscalIds (400),
   * StatusError (`passes`; other statuses after all retries), ServiceError (anything else, after all retries), UsageError (a path that leads out of the
   * base address), the signal's reason, or what `parse` throws.
   */
  get<T>(request: ApiRequest<T>): Promise<T>;
  readonly stats: RequestStats;
  close(): Promise<void>;
}

export interface ClientOptions {
  readonly baseUrl: URL;
  readonly token: string;
  /** Of folio, for the User-Agent. */
  readonly version: string;
  readonly transport: Transport;
  readonly retry: RetryOptions;
  /** Milliseconds for each try, from its first byte out to its last byte in. */
  readonly timeout: number;
  /** Tries in flight at most. */
  readonly concurrency: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Shared by the clients of one run; without it the client has its own. */
  readonly quota?: RetryQuota | undefined;
  readonly observe?: ObserveRequests | undefined;
}
