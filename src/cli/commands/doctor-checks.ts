import { isIP } from 'node:net';
import { networkFailure } from '../../api/network-failure.ts';
import type { HostAndPort, NetworkProbe } from '../../api/network-probe.ts';
import { proxyFor, type Proxy } from '../../api/transport.ts';
import type { Context } from '../../context.ts';
import { AuthError, isFailure, UsageError, type FolioError } from '../../errors.ts';
import { MILLISECONDS_A_DAY } from '../../json/calendar-day.ts';
import type { ConfigStore } from '../../profiles/profile.ts';
import {
  chooseProfile,
  profileAddress,
  refuseMixed,
  requireConnection,
  resolveConnection,
  statedAddress,
  tokenHint,
  type Connection,
} from '../../profiles/connection.ts';
import { describePermissions } from '../../profiles/store-file.ts';
import { checkExpiry, decodeToken, describeMoment } from '../../profiles/token.ts';
import { listings } from '../../resources/index.ts';
import { probeListing } from '../../resources/listing-pages.ts';
import type { Resource } from '../../resources/resource.ts';
import { makeClient, startSandboxService } from '../../run/session.ts';
import { version } from '../../version.ts';
import type { GlobalFlags } from '../../run/flags.ts';

/** The result of one check. */
export interface CheckResult {
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  /** What was found, in one line. */
  readonly says: string;
  /** What to do about it. */
  readonly fix?: string | undefined;
  /** The error of a command that needs it. */
  readonly failure?: FolioError;
  readonly milliseconds?: number;
  /** On the wire. */
  readonly bytes?: number;
}

/** Receives the result of each check as soon as it is known. */
type OnCheck = (name: string, result: CheckResult) => Promise<void>;

/** Makes all checks in order: the set-up, the connection to the service step by step, the token, each listing. */
export async function checkAll(context: Context, flags: GlobalFlags, onCheck: OnCheck): Promise<void> {
  const sandbox = flags.sandbox ? await startSandboxService(context, flags) : undefined;
  try {
    const checkup = new Checkup(context, flags, onCheck);
    await checkup.lookAtAll(sandbox && { baseUrl: sandbox.baseUrl, token: sandbox.tokenOf(flags.profile) });
  } finally {
    await sandbox?.close();
  }
}

/** Address and token of the sandbox. */
type SandboxAccess = Pick<Required<Setup>, 'baseUrl' | 'token'>;

class Checkup {
  readonly #context: Context;
  readonly #flags: GlobalFlags;
  readonly #onCheck: OnCheck;
  readonly #setup: Setup = {};

  constructor(context: Context, flags: GlobalFlags, onCheck: OnCheck) {
    this.#context = context;
    this.#flags = flags;
    this.#onCheck = onCheck;
  }

  async lookAtAll(sandbox: SandboxAccess | undefined): Promise<void> {
    const isSetUp = sandbox === undefined ? await this.#lookAtSetup() : await this.#lookAtSandbox(sandbox);
    const { baseUrl } = this.#setup;
    const isReached = baseUrl !== undefined && (await this.#lookAtWay(baseUrl));
    if (baseUrl === undefined) {
      for (const [name] of WAY) await this.#add(name, () => skipped('needs a base address'));
    }
    if (sandbox === undefined) {
      await this.#add('token', () =>
        isSetUp ? checkToken(this.#context, this.#flags, this.#setup) : skipped('needs the store'),
      );
    } else {
      await this.#add('token', () => ok('of the sandbox'));
    }
    await this.#lookAtListings(isReached);
  }

  async #lookAtSetup(): Promise<boolean> {
    const { status } = await this.#add('store', () => checkStore(this.#context, this.#setup));
    await this.#add('base address', () => checkAddress(this.#context, this.#flags, this.#setup));
    return status !== 'failed';
  }

  async #lookAtSandbox({ baseUrl, token }: SandboxAccess): Promise<boolean> {
    Object.assign(this.#setup, { baseUrl, token });
    await this.#add('store', () => skipped('not used with --sandbox'));
    await this.#add('base address', () => ok(`${baseUrl.href} (--sandbox)`));
    return true;
  }

  /** Makes the steps in order. Those behind the first that fails are skipped. */
  async #lookAtWay(baseUrl: URL): Promise<boolean> {
    let checks: NetworkChecks | undefined;
    const probe = await this.#context.networkProbe();
    const proxy = await this.#add('proxy', () => {
      checks = new NetworkChecks(this.#context, probe, baseUrl);
      return checks.proxy();
    });
    let isOpen = proxy.status === 'ok';
    for (const [name, step] of WAY.slice(1)) {
      const result = await this.#add(name, () =>
        isOpen ? step!(checks!) : skipped('not tried, since a step before it failed'),
      );
      isOpen &&= result.status !== 'failed';
    }
    return isOpen;
  }

  async #lookAtListings(isReached: boolean): Promise<void> {
    const { baseUrl, token, tokenHint } = this.#setup;
    for (const resource of listings) {
      await this.#add(resource.name, () => {
        if (token === undefined || baseUrl === undefined) return skipped('needs a base address and a token');
        if (!isReached) return skipped('not tried, since the service is not reached');
        return checkListing(this.#context, resource, { baseUrl, token, tokenHint });
      });
    }
  }

  async #add(name: string, at: () => Promise<CheckResult> | CheckResult): Promise<CheckResult> {
    const result = this.#clean(await look(at));
    await this.#onCheck(name, result);
    return result;
  }

  /** Removes secrets from the texts of a result. */
  #clean(result: CheckResult): CheckResult {
    const { redact } = this.#context.secrets;
    const fix = result.fix === undefined ? undefined : redact(result.fix);
    return { ...result, says: redact(result.says), fix };
  }
}

/** The steps on the way to the service, in order. */
const WAY: readonly (readonly [name: string, step?: (checks: NetworkChecks) => Promise<CheckResult>])[] = [
  ['proxy'],
  ['DNS', (checks) => checks.lookup()],
  ['TCP', (checks) => checks.connect()],
  ['TLS', (checks) => checks.handshake()],
  ['clock', (checks) => checks.clock()],
];

function ok(says: string, about: Partial<CheckResult> = {}): CheckResult {
  return { ...about, status: 'ok', says };
}

function warning(says: string, fix: string): CheckResult {
  return { status: 'warning', says, fix };
}

/** The result of a check that cannot be made, because something before it is missing. */
function skipped(says: string): CheckResult {
  return { status: 'skipped', says };
}

function failed(failure: FolioError): CheckResult {
  return { status: 'failed', says: failure.message, fix: failure.hint, failure };
}

/** Makes a check. A FolioError is a result; other errors, and an interrupt, are thrown. */
async function look(at: () => Promise<CheckResult> | CheckResult): Promise<CheckResult> {
  try {
    return await at();
  } catch (error) {
    if (isFailure(error)) return failed(error);
    throw error;
  }
}

/** A certificate that ends within so many days is a warning. */
const CERTIFICATE_DAYS = 14;
/** The most milliseconds that a clock may be off. */
const CLOCK_TOLERANCE = 60_000;
/** The time limit, in ms, of the one request that looks at the service's clock. */
const CLOCK_TIMEOUT = 30_000;

/** What the checks of the set-up find, for the checks after them. */
interface Setup {
  store?: ConfigStore;
  baseUrl?: URL;
  /** Never shown. */
  token?: string;
  /** How to give another token, as a sentence. */
  tokenHint?: string;
}

/** Where profiles and settings are, and who may read them. Throws as opening the store does. */
async function checkStore(context: Context, setup: Setup): Promise<CheckResult> {
  const store = await context.config();
  setup.store = store;
  const { file, profileNames } = store;
  if (file === undefined) {
    return warning('there is no home folder, so nothing can be stored', 'Set FOLIO_CONFIG_DIR to a folder.');
  }
  const permissions = await describePermissions(file);
  if (permissions === undefined) return ok(`${file}: not there, nothing is stored`);
  const profiles = profileNames.length === 1 ? '1 profile' : `${profileNames.length} profiles`;
  return ok(`${file}: ${permissions}; ${profiles}`);
}

/** The base address that is set. Throws UsageError where it is missing or wrong, AuthError for a profile that is gone. */
function checkAddress({ env }: Pick<Context, 'env'>, flags: GlobalFlags, setup: Setup): CheckResult {
  const { store } = setup;
  refuseMixed(flags, env);
  const stated = statedAddress({ flags, env });
  const profile = store && chooseProfile(flags.profile, env, store);
  const own = stated === undefined && profile && profileAddress(profile, { store });
  const baseUrl = stated ?? (own || undefined);
  if (baseUrl === undefined) {
    throw new UsageError('there is no base address, so folio does not know where the service is', {
      hint: 'Log in with `folio auth login --base-url https://<host>/v1`, or set FOLIO_BASE_URL, or try --sandbox.',
    });
  }
  setup.baseUrl = baseUrl;
  const source = own
    ? `profile ${profile.name}`
    : flags.baseUrl === undefined
      ? 'FOLIO_BASE_URL'
      : '--base-url';
  return ok(`${baseUrl.href} (${source})`);
}

/** The token: its source, its form, when it ends. Throws AuthError where it is missing or cannot be used. */
async function checkToken(context: Context, flags: GlobalFlags, setup: Setup): Promise<CheckResult> {
  const { env, stdin, signal, clock } = context;
  const store = setup.store ?? (await context.config());
  const connection = await resolveConnection({ flags, env, store, stdin, signal });
  const { token } = connection;
  if (token === undefined) {
    requireConnection(connection, clock.now());
    throw new AuthError('there is no token');
  }
  context.secrets.hide([token.reveal()]);
  const ending = checkExpiry(token, clock.now(), tokenHint(connection));
  setup.token = token.reveal();
  setup.tokenHint = tokenHint(connection);
  const says = describeToken(connection, setup.token, clock.now());
  return ending === undefined ? ok(says) : warning(says, 'Ask the operator of the service for a new one.');
}

function describeToken({ tokenSource, profile }: Connection, token: string, now: number): string {
  const source = profile === undefined || tokenSource === 'FOLIO_TOKEN' ? tokenSource : `profile ${profile}`;
  const claims = decodeToken(token);
  if (claims === undefined) return `from ${source}: opaque, does not say when it ends`;
  const whose = claims.organizationId === undefined ? '' : ` for organization ${claims.organizationId}`;
  const { expiresAt } = claims;
  const end =
    expiresAt === undefined ? 'does not say when it ends' : `ends ${describeMoment(expiresAt, now)}`;
  return `from ${source}: a JSON Web Token${whose}, ${end}`;
}

/** Makes one call to a listing, for one record, without a retry. Rejects as the listing would. */
async function checkListing(
  context: Context,
  resource: Resource,
  to: { readonly baseUrl: URL; readonly token: string; readonly tokenHint: string | undefined },
): Promise<CheckResult> {
  const client = await makeClient(context, to, { retries: 0, concurrency: 1 });
  try {
    const { clock, signal } = context;
    const start = clock.elapsed();
    const total = await probeListing(client, resource, signal);
    const milliseconds = Math.round(clock.elapsed() - start);
    const { bytes } = client.stats;
    const many = total === undefined ? '' : `; there are ${total} ${resource.records}`;
    return ok(`answers in ${milliseconds} ms with ${bytes} bytes${many}`, { milliseconds, bytes });
  } finally {
    await client.close();
  }
}

/** The way to the service, step by step. */
class NetworkChecks {
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
    if (!(validTo - now < CERTIFICATE_DAYS * MILLISECONDS_A_DAY)) return result;
    return warning(result.says, 'Tell the operator of the service, or of the proxy, that it ends soon.');
  }

  /** Compares the service's clock with ours, by which folio judges the end of a token. The request carries no token. */
  async clock(): Promise<CheckResult> {
    const { clock, env, signal } = this.#context;
    const transport = await this.#context.openFileTransport({ connections: 1, env, onLoopback: true });
    try {
      const headers = { accept: 'application/json', 'user-agent': `folio/${version}` };
      const request = { url: this.#baseUrl, headers, signal, timeout: CLOCK_TIMEOUT };
      const response = await transport.open(request).catch((error: unknown) => this.#fail(error));
      response.discard();
      return compareClocks(response.headers['date'], clock.now());
    } finally {
      await transport.close();
    }
  }

  /** The host to connect to: the proxy, where there is one. */
  #first(): HostAndPort {
    return placeOf(this.#proxy === undefined ? this.#baseUrl : new URL(this.#proxy.url));
  }

  async #timed(step: (signal: AbortSignal) => Promise<string>): Promise<CheckResult> {
    const { clock, signal } = this.#context;
    const start = clock.elapsed();
    const says = await step(signal).catch((error: unknown) => this.#fail(error));
    const milliseconds = Math.round(clock.elapsed() - start);
    return ok(`${says} (${milliseconds} ms)`, { milliseconds });
  }

  /** Throws the network's error in the words that a listing would use. */
  #fail(error: unknown): never {
    this.#context.signal.throwIfAborted();
    const to = { host: this.#baseUrl.host, proxyHost: this.#proxy?.host, timeout: CLOCK_TIMEOUT };
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
