import { isIP } from 'node:net';
import type { Command } from 'commander';
import { networkFailure } from '../../api/network-failure.ts';
import type { HostAndPort } from '../../api/network-probe.ts';
import { proxyFor } from '../../api/transport.ts';
import type { Context } from '../../context.ts';
import { AuthError, isFailure, UsageError, type FolioError } from '../../errors.ts';
import { MILLISECONDS_A_DAY } from '../../json/calendar-day.ts';
import { paint, useColor, visible, wrapText, type Style } from '../../output/terminal/terminal-text.ts';
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
import { withValues, type Values } from '../../run/flag.ts';
import { allProfilesFlag, factFlags, type GlobalFlags } from '../../run/flags.ts';
import { isOfSeveral, chooseProfiles, makeClient, startSandboxService } from '../../run/session.ts';
import { version } from '../../version.ts';
import { addCommand } from '../command.ts';
import { writeFacts } from '../facts.ts';

/** `doctor`: whether all is set up, and what to fix. */
export function addDoctor(program: Command, context: Context): void {
  addCommand(program, context, 'doctor', {
    description:
      'Looks at the store, the base address, the way to the service step by step, the clock and the token, and makes one ' +
      'call to each listing. A line each, with what to fix. The exit code is that of the first failure. ' +
      'folio auth status says the same of the set-up alone, in a row for each profile.',
    examples: [
      ['folio doctor', 'for the commands that you run here'],
      ['folio doctor --all-profiles', 'for each organization'],
      ['folio doctor --format json', 'for a script; nothing secret is in it'],
    ],
    flags: doctorFlags,
    run: (flags) => runDoctor(context, flags),
  });
}

const doctorFlags = {
  allProfiles: allProfilesFlag('every profile in turn; --profile a,b for some'),
  ...factFlags,
};

/** The result of one check. */
interface CheckResult {
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

type Check = () => Promise<CheckResult> | CheckResult;

/** Makes all checks, whichever fail, and ends with the error of the first that failed. */
async function runDoctor(context: Context, flags: GlobalFlags & Values<typeof doctorFlags>): Promise<void> {
  const { stdout } = context;
  const results: {
    readonly profile: string | undefined;
    readonly name: string;
    readonly result: CheckResult;
  }[] = [];
  const isSeveral = isOfSeveral(flags);
  const profiles = isSeveral ? await chooseProfiles(context, flags) : [flags.profile];
  let profile: string | undefined;
  const add = async (name: string, check: Check): Promise<CheckResult> => {
    const result = await resultOf(check, context.secrets.redact);
    results.push({ profile, name, result });
    // JSON is written whole, at the end.
    if (flags.format !== 'json') await stdout.write(describeCheck(name, result, context, flags));
    return result;
  };
  for (profile of profiles) {
    if (isSeveral && flags.format !== 'json')
      await stdout.write(`${results.length > 0 ? '\n' : ''}${profile}\n`);
    await checkAll(context, withValues(flags, { profile }), add);
  }
  if (flags.format === 'json') {
    const facts = results.map(({ profile: whose = null, name: check, result }) => {
      const { status, says, fix = null, milliseconds = null, bytes = null } = result;
      return { ...(isSeveral && { profile: whose }), check, status, says, fix, milliseconds, bytes };
    });
    await writeFacts(stdout, facts, flags);
  }
  const failures = results.flatMap(({ profile: whose, name, result: { failure } }) =>
    failure ? [{ name: isSeveral ? `${name} of ${whose}` : name, failure }] : [],
  );
  const [first] = failures;
  if (first === undefined) return;
  const many = failures.length === 1 ? '1 check' : `${failures.length} checks`;
  // The hint stands beside the check already.
  throw first.failure.reworded(`${many} of ${results.length} failed, first: ${first.name}`, undefined);
}

/** Makes a check. A FolioError is a result, without secrets; other errors, and an interrupt, are thrown. */
async function resultOf(check: Check, redact: (text: string) => string): Promise<CheckResult> {
  const result = await Promise.resolve()
    .then(check)
    .catch((error: unknown): CheckResult => {
      if (!isFailure(error)) throw error;
      return { status: 'failed', says: error.message, fix: error.hint, failure: error };
    });
  const { says, fix } = result;
  return { ...result, says: redact(says), fix: fix === undefined ? undefined : redact(fix) };
}

const STYLES: Readonly<Record<CheckResult['status'], Style>> = {
  ok: 'green',
  warning: 'yellow',
  failed: 'alarm',
  skipped: 'dim',
};

/** Cells of the longest status, of the longest name of a check, and of a text that can be read in lines. */
const [STATUS, NAME, NARROWEST] = [9, 14, 30];

/** The lines about one check, wrapped on a terminal: what was found, and what to do about it. */
function describeCheck(
  name: string,
  { status, says, fix }: CheckResult,
  { stdout, env }: Context,
  { color }: GlobalFlags,
): string {
  const width = stdout.isTerminal ? (stdout.columns ?? 80) : Infinity;
  const texts = fix === undefined ? [visible(says)] : [visible(says), `→ ${visible(fix)}`];
  const lines = texts.flatMap((text) =>
    wrapText(text, Math.max(NARROWEST, width - STATUS - NAME))
      .trimEnd()
      .split('\n'),
  );
  const isColored = useColor(env, stdout.isTerminal, color !== false);
  const word = status.padEnd(STATUS);
  const head = (isColored ? paint(word, STYLES[status]) : word) + name.padEnd(NAME);
  return lines.map((line, at) => `${at === 0 ? head : ' '.repeat(STATUS + NAME)}${line}\n`).join('');
}

/** Address and token of the service, as far as they are known. */
interface Access {
  readonly baseUrl?: URL | undefined;
  /** Never shown. */
  readonly token?: string | undefined;
  /** How to give another token, as a sentence. */
  readonly tokenHint?: string | undefined;
}

/** Makes all checks in order: the set-up, the way to the service step by step, the token, each listing. */
async function checkAll(
  context: Context,
  flags: GlobalFlags,
  add: (name: string, check: Check) => Promise<CheckResult>,
): Promise<void> {
  const sandbox = flags.sandbox ? await startSandboxService(context, flags) : undefined;
  try {
    let access: Access = sandbox ? { baseUrl: sandbox.baseUrl, token: sandbox.tokenOf(flags.profile) } : {};
    const found = (found: Access): void => void (access = { ...access, ...found });
    const store = await add('store', () =>
      sandbox ? skipped('not used with --sandbox') : checkStore(context),
    );
    await add('base address', () =>
      sandbox ? ok(`${sandbox.baseUrl.href} (--sandbox)`) : checkAddress(context, flags, found),
    );
    const { baseUrl } = access;
    const steps = baseUrl && (await stepsTo(baseUrl, context));
    let isReached = steps !== undefined;
    for (const name of WAY) {
      const { status } = await add(name, () => {
        if (steps === undefined) return skipped('needs a base address');
        return isReached ? steps[name]() : skipped('not tried, since a step before it failed');
      });
      isReached &&= status !== 'failed';
    }
    await add('token', () => {
      if (sandbox) return ok('of the sandbox');
      return store.status === 'failed' ? skipped('needs the store') : checkToken(context, flags, found);
    });
    const { token, tokenHint: hint } = access;
    for (const resource of listings) {
      await add(resource.name, () => {
        if (token === undefined || baseUrl === undefined) return skipped('needs a base address and a token');
        if (!isReached) return skipped('not tried, since the service is not reached');
        return checkListing(context, resource, { baseUrl, token, tokenHint: hint });
      });
    }
  } finally {
    await sandbox?.close();
  }
}

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

/** Where profiles and settings are, and who may read them. Throws as opening the store does. */
async function checkStore(context: Context): Promise<CheckResult> {
  const { file, profileNames } = await context.config();
  if (file === undefined)
    return warning('there is no home folder, so nothing can be stored', 'Set FOLIO_CONFIG_DIR to a folder.');
  const permissions = await describePermissions(file);
  if (permissions === undefined) return ok(`${file}: not there, nothing is stored`);
  const profiles = profileNames.length === 1 ? '1 profile' : `${profileNames.length} profiles`;
  return ok(`${file}: ${permissions}; ${profiles}`);
}

/** The base address that is set. Throws UsageError where it is missing or wrong, AuthError for a profile that is gone. */
async function checkAddress(
  context: Context,
  flags: GlobalFlags,
  found: (access: Access) => void,
): Promise<CheckResult> {
  const { env } = context;
  refuseMixed(flags, env);
  const stated = statedAddress(flags, env);
  // Why it cannot be opened is told by the check before.
  const store = await context.config().catch(() => undefined);
  const profile = store && chooseProfile(flags.profile, env, store);
  const own = stated === undefined && profile && profileAddress(profile, store);
  const baseUrl = stated ?? (own || undefined);
  if (baseUrl === undefined) {
    throw new UsageError('there is no base address, so folio does not know where the service is', {
      hint: 'Log in with `folio auth login --base-url https://<host>/v1`, or set FOLIO_BASE_URL, or try --sandbox.',
    });
  }
  found({ baseUrl });
  const environment = flags.baseUrl === undefined ? 'FOLIO_BASE_URL' : '--base-url';
  return ok(`${baseUrl.href} (${own ? `profile ${profile.name}` : environment})`);
}

/** The token: its source, its form, when it ends. Throws AuthError where it is missing or cannot be used. */
async function checkToken(
  context: Context,
  flags: GlobalFlags,
  found: (access: Access) => void,
): Promise<CheckResult> {
  const { clock } = context;
  const connection = await resolveConnection(context, { flags, store: await context.config() });
  if (connection.token === undefined) {
    requireConnection(connection, clock.now());
    throw new AuthError('there is no token');
  }
  const token = connection.token.reveal();
  context.secrets.hide([token]);
  const ending = checkExpiry(connection.token, clock.now(), tokenHint(connection));
  found({ token, tokenHint: tokenHint(connection) });
  const says = describeToken(connection, token, clock.now());
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
  to: Access & { readonly baseUrl: URL; readonly token: string },
): Promise<CheckResult> {
  const client = await makeClient(context, to, { retries: 0, concurrency: 1 });
  try {
    const { clock, signal } = context;
    const start = clock.elapsed();
    const total = await probeListing(client, resource, { signal });
    const milliseconds = Math.round(clock.elapsed() - start);
    const { bytes } = client.stats;
    const many = total === undefined ? '' : `; there are ${total} ${resource.records}`;
    return ok(`answers in ${milliseconds} ms with ${bytes} bytes${many}`, { milliseconds, bytes });
  } finally {
    await client.close();
  }
}

/** The steps on the way to the service, in order. */
const WAY = ['proxy', 'DNS', 'TCP', 'TLS', 'clock'] as const;

/** A certificate that ends within so many milliseconds is a warning. */
const CERTIFICATE_TIME = 14 * MILLISECONDS_A_DAY;
/** The most milliseconds that a clock may be off. */
const CLOCK_TOLERANCE = 60_000;
/** The time limit, in ms, of the one request that looks at the service's clock. */
const CLOCK_TIMEOUT = 30_000;

async function stepsTo(baseUrl: URL, context: Context): Promise<Record<(typeof WAY)[number], Check>> {
  const { clock, env, signal } = context;
  const probe = await context.networkProbe();
  // Set by the first step, which throws UsageError for a proxy that cannot be used.
  let proxy: ReturnType<typeof proxyFor>;
  /** The host to connect to: the proxy, where there is one. */
  const nearest = (): HostAndPort => placeOf(proxy === undefined ? baseUrl : new URL(proxy.url));
  /** Throws the network's error in the words that a listing would use. */
  const fail = (error: unknown): never => {
    signal.throwIfAborted();
    const to = { host: baseUrl.host, proxyHost: proxy?.host, timeout: CLOCK_TIMEOUT };
    throw networkFailure(error, to)?.failure ?? error;
  };
  const timed = async (step: () => Promise<string>): Promise<CheckResult> => {
    const start = clock.elapsed();
    const says = await step().catch(fail);
    const milliseconds = Math.round(clock.elapsed() - start);
    return ok(`${says} (${milliseconds} ms)`, { milliseconds });
  };
  return {
    proxy: () => {
      proxy = proxyFor(baseUrl.origin, env);
      if (proxy !== undefined) return ok(`${proxy.host}, from HTTPS_PROXY`);
      return ok(env['https_proxy'] || env['HTTPS_PROXY'] ? 'set, but not for this address' : 'none');
    },
    DNS: () => {
      const { host } = nearest();
      if (isIP(host) !== 0) return ok(`${host} is an address, there is no name to look up`);
      return timed(async () => {
        const addresses = await probe.lookup(host, signal);
        return `${host} is ${addresses.slice(0, 4).join(', ')}${addresses.length > 4 ? ', …' : ''}`;
      });
    },
    TCP: () =>
      timed(async () => {
        const place = nearest();
        await probe.connect(place, signal);
        return `${place.host} takes connections on port ${place.port}`;
      }),
    TLS: async () => {
      if (baseUrl.protocol === 'http:') return skipped('not needed: plain http on this machine');
      const now = clock.now();
      let validTo = Number.NaN;
      const result = await timed(async () => {
        const shown = await probe.handshake(placeOf(baseUrl), proxy, signal);
        ({ validTo } = shown);
        const end = Number.isNaN(validTo) ? 'of unknown end' : `ends ${describeMoment(validTo, now)}`;
        return `${shown.protocol}; certificate by ${shown.issuer}, ${end}`;
      });
      if (!(validTo - now < CERTIFICATE_TIME)) return result;
      return warning(result.says, 'Tell the operator of the service, or of the proxy, that it ends soon.');
    },
    // The service's clock, and ours, by which folio judges the end of a token. The request carries no token.
    clock: async () => {
      const transport = await context.openTransport({ connections: 1, env });
      try {
        const headers = { accept: 'application/json', 'user-agent': `folio/${version}` };
        const request = { url: baseUrl, headers, signal, timeout: CLOCK_TIMEOUT };
        const response = await transport.open(request).catch(fail);
        response.discard();
        return compareClocks(response.headers['date'], clock.now());
      } finally {
        await transport.close();
      }
    },
  };
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
