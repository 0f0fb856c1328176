import { isIP } from 'node:net';
import { networkFailure } from '../../api/network-failure.ts';
import type { HostAndPort, NetworkProbe } from '../../api/network-probe.ts';
import { proxyFor, type Proxy } from '../../api/proxy.ts';
import type { Context } from '../../context.ts';
import { FolioError, Interrupted } from '../../errors.ts';
import { describeMoment } from '../../profiles/token.ts';
import { version } from '../../version.ts';

/** What came of looking at one thing. */
export interface CheckResult {
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** What was found, in one line. */
  readonly says: string;
  /** What to do about it. */
  readonly mend?: string | undefined;
  /** What a command that needs it would fail with. */
  readonly failure?: FolioError;
  readonly milliseconds?: number;
  /** On the wire. */
  readonly bytes?: number;
}

export function ok(says: string, about: Partial<CheckResult> = {}): CheckResult {
  return { ...about, status: 'ok', says };
}

export function warning(says: string, mend: string): CheckResult {
  return { status: 'warning', says, mend };
}

/** What cannot be looked at since something before it is missing. */
export function skipped(says: string): CheckResult {
  return { status: 'skipped', says };
}

function failed(failure: FolioError): CheckResult {
  return { status: 'failed', says: failure.message, mend: failure.hint, failure };
}

/** Looks at something; a failure that folio knows is a result like another. */
export async function look(at: () => Promise<CheckResult> | CheckResult): Promise<CheckResult> {
  try {
    return await at();
  } catch (error) {
    if (!(error instanceof FolioError) || error instanceof Interrupted) throw error;
    return failed(error);
  }
}

const DAY = 24 * 60 * 60 * 1000;
/** Days before its end from which on a certificate is worth a word. */
const CERTIFICATE_DAYS = 14;
/** Milliseconds that a clock may be off without anybody noticing. */
const CLOCK_TOLERANCE = 60_000;
/** Milliseconds for the one request that looks at the service's clock. */
const PATIENCE = 30_000;

/** The way to the service, step by step. */
export class NetworkChecks {
  readonly #context: Context;
  readonly #probe: NetworkProbe;
  readonly #baseUrl: URL;
  readonly #proxy: Proxy | undefined;

  /** Throws UsageError for a proxy that cannot be used. */
  constructor(context: Context, probe: NetworkProbe, baseUrl: URL) {
    this.#context = context;
    this.#probe = probe;
    this.#baseUrl = baseUrl;
    this.#proxy = proxyFor(baseUrl.origin, context.env);
  }

  proxy(): CheckResult {
    const { env } = this.#context;
    if (this.#proxy !== undefined) return ok(`${this.#proxy.host}, from HTTPS_PROXY`);
    const isSet = Boolean(env['https_proxy'] || env['HTTPS_PROXY']);
    return ok(isSet ? 'set, but not for this address' : 'none');
  }

  async lookup(): Promise<CheckResult> {
    const { host } = this.#first();
    if (isIP(host) !== 0) return ok(`${host} is an address, there is no name to look up`);
    return this.#timed(async (signal) => {
      const addresses = await this.#probe.lookup(host, signal);
      return `${host} is ${addresses.slice(0, 4).join(', ')}${addresses.length > 4 ? ', …' : ''}`;
    });
  }

  async connect(): Promise<CheckResult> {
    const place = this.#first();
    return this.#timed(async (signal) => {
      await this.#probe.connect(place, signal);
      return `${place.host} takes connections on port ${place.port}`;
    });
  }

  async handshake(): Promise<CheckResult> {
    if (this.#baseUrl.protocol === 'http:') return skipped('not needed: plain http on this machine');
    const now = this.#context.clock.now();
    let validTo = Number.NaN;
    const result = await this.#timed(async (signal) => {
      const shown = await this.#probe.handshake(placeOf(this.#baseUrl), this.#proxy, signal);
      validTo = shown.validTo;
      const end = Number.isNaN(validTo) ? 'of unknown end' : `ends ${describeMoment(validTo, now)}`;
      return `${shown.protocol}; certificate by ${shown.issuer}, ${end}`;
    });
    if (!(validTo - now < CERTIFICATE_DAYS * DAY)) return result;
    return warning(result.says, 'Tell the operator of the service, or of the proxy, that it ends soon.');
  }

  /** The service's clock against ours: a token's end is judged by ours. The request carries no token. */
  async clock(): Promise<CheckResult> {
    const { clock, env, signal } = this.#context;
    const transport = await this.#context.openFileTransport({ connections: 1, env });
    try {
      const headers = { accept: 'application/json', 'user-agent': `folio/${version}` };
      const request = { url: this.#baseUrl, headers, signal, timeout: PATIENCE };
      const response = await transport.open(request).catch((error: unknown) => this.#fail(error));
      response.discard();
      return compareClocks(response.headers['date'], clock.now());
    } finally {
      await transport.close();
    }
  }

  /** The host that is connected to: the proxy, where there is one. */
  #first(): HostAndPort {
    return placeOf(this.#proxy === undefined ? this.#baseUrl : new URL(this.#proxy.url));
  }

  async #timed(step: (signal: AbortSignal) => Promise<string>): Promise<CheckResult> {
    const { clock, signal } = this.#context;
    const start = clock.now();
    const says = await step(signal).catch((error: unknown) => this.#fail(error));
    const milliseconds = clock.now() - start;
    return ok(`${says} (${milliseconds} ms)`, { milliseconds });
  }

  /** Throws the network's error in the words that a listing would use. */
  #fail(error: unknown): never {
    this.#context.signal.throwIfAborted();
    const to = { host: this.#baseUrl.host, proxyHost: this.#proxy?.host, timeout: PATIENCE };
    throw networkFailure(error, to)?.error ?? error;
  }
}

function placeOf({ hostname, port, protocol }: URL): HostAndPort {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port) };
}

function compareClocks(date: string | undefined, now: number): CheckResult {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return skipped('the service sends no date to compare with');
  const off = now - theirs;
  const seconds = Math.round(Math.abs(off) / 1000);
  // The header counts in whole seconds.
  if (seconds <= 1) return ok('as the service’s');
  const says = `${seconds} s ${off < 0 ? 'behind' : 'ahead of'} the service’s`;
  return Math.abs(off) <= CLOCK_TOLERANCE
    ? ok(says)
    : warning(says, 'Set this machine’s clock: the end of a token is judged by it.');
}
