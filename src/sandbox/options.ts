import { setTimeout } from 'node:timers/promises';

/** How the embedded service behaves by default. */
export const DEFAULTS = {
  /** 0 to 2^32 - 1: an equal seed gives equal data, tokens and links. The default data is that of 1, with random keys. */
  seed: 1,
  /** The last day of the data, in days since 1970-01-01; by default that of `now` at the start, in the local time zone. */
  today: undefined as number | undefined,
  /** With names, amounts and gaps that break careless programs. */
  awkward: false,
  /** Milliseconds that every call takes at least: the same for each, or drawn between the two. */
  latency: [0, 0] as readonly [least: number, most: number],
  /** The received listing alone takes 10 to 25 s more, as it does for large organizations (spec 4.2 rule 4). */
  realistic: false,
  /** The share of requests that fail, 0 to 1. */
  failRate: 0,
  /** For HTTPS: key and certificate, in PEM. */
  certificate: undefined as { readonly key: string; readonly cert: string } | undefined,
  /** Whether the gateway refuses in the words of the specification (spec 5), or in those of real ones, which repeat the token. */
  gatewayWords: 'spec' as 'spec' | 'real',
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
