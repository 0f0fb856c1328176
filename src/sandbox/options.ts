import { setTimeout } from 'node:timers/promises';
import type { ListReading } from './query.ts';

/** How the embedded service behaves by default. */
export const DEFAULTS = {
  /** 0 to 2^32 - 1: the same seed gives the same data, tokens and links. Without one the data is that of 1, and keys are random. */
  seed: 1,
  /** The last day of the data, in days since 1970-01-01; without one that of `now` at the start, by the calendar of this machine. */
  today: undefined as number | undefined,
  /** With names, amounts and gaps that break careless programs. */
  awkward: false,
  /** Milliseconds that every call takes at least: the same for each, or drawn between the two. */
  latency: [0, 0] as readonly [least: number, most: number],
  /** The received listing alone takes 10 to 25 s more, as it does for large organizations (spec 4.2 rule 4). */
  realistic: false,
  /** The share of requests that fail, 0 to 1. */
  failRate: 0,
  /** HTTPS with a certificate made on the spot. */
  tls: false,
  /** What an unknown customer's id gives: 500 at present, 404 as intended (spec 4.4). */
  missingCustomer: 500 as 404 | 500,
  /** The specification leaves open in which shape a fund has its documents (spec 4.9). */
  documentsAs: 'envelope' as 'envelope' | 'array' | 'array-total' | 'null',
  /** How a list in a query is read, which the specification leaves open (4.9). */
  lists: 'any' as ListReading,
  /** In which order records of an equal sort key come: always the same one, one for each page size, or a new one each time. */
  order: 'stable' as 'stable' | 'by-size' | 'by-request',
  /** With `repeat`, different records share an `id`, which the specification does not rule out. */
  ids: 'unique' as 'unique' | 'repeat',
  /** The most records of a page, whatever the query. */
  maxRecords: Infinity,
  /** With `deactivated`, the first organization's token is refused. */
  organization: 'active' as 'active' | 'deactivated',
  /** With `expired`, the first organization's token ended an hour ago. */
  token: 'valid' as 'valid' | 'expired',
  /** Whether the gateway refuses in its own words or in those of the specification (spec 5). */
  gatewayWords: 'real' as 'real' | 'spec',
  /** 0 for any free one. */
  port: 0,
  /** Milliseconds since 1970, for tokens and signed links. */
  now: () => Date.now(),
  /** Waits for so many milliseconds, or rejects when the signal is aborted. */
  sleep: (milliseconds: number, signal: AbortSignal): Promise<unknown> =>
    setTimeout(milliseconds, undefined, { signal }),
  /** Takes one line for each request, without a line break; a token is never in it. */
  log: (_line: string): void => {},
};

export type Settings = Readonly<typeof DEFAULTS>;
