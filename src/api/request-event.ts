/**
 * What happens to requests, for progress and for the log of `--debug`. `request` numbers the requests of a client from 1;
 * its tries share the number. `target` is the path and query, without secrets.
 */
export type RequestEvent =
  | { readonly kind: 'request'; readonly request: number; readonly attempt: number; readonly target: string }
  | {
      readonly kind: 'response';
      readonly request: number;
      readonly attempt: number;
      readonly target: string;
      readonly status: number;
      readonly milliseconds: number;
      /** On the wire. */
      readonly bytes: number;
    }
  /** A try failed, and the next one begins after `wait` milliseconds. */
  | {
      readonly kind: 'retry';
      readonly request: number;
      readonly attempt: number;
      readonly target: string;
      readonly wait: number;
      readonly reason: string;
    }
  /** The service asked to slow down: one request at a time, none for `wait` milliseconds. */
  | { readonly kind: 'throttled'; readonly wait: number };

export type ObserveRequests = (event: RequestEvent) => void;
