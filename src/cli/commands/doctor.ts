import { isIP } from 'node:net';
import { networkFailure } from '../../api/network-failure.ts';
import type { HostAndPort } from '../../api/network-probe.ts';
import { proxyFor } from '../../api/transport.ts';
import type { Context } from '../../context.ts';
import { isFailure, type FolioError } from '../../errors.ts';
import { MILLISECONDS_A_DAY } from '../../json/calendar-day.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { paint, useColor, visible, wrapText, type Style } from '../../output/terminal/terminal-text.ts';
import {
  noAddress,
  requireConnection,
  resolveAddress,
  resolveConnection,
  tokenHint,
  type Connection,
} from '../../profiles/connection.ts';
import { checkExpiry, decodeToken, describeMoment, type Secret } from '../../profiles/token.ts';
import { listings } from '../../resources/index.ts';
import { probeListing } from '../../resources/listing-pages.ts';
import type { Resource } from '../../resources/resource.ts';
import { withValues, type Values } from '../../run/flag.ts';
import { allProfilesFlag, factFlags, type GlobalFlags } from '../../run/flags.ts';
import { Notices } from '../../run/notices.ts';
import { isOfSeveral, chosenProfiles, makeClient, startSandboxService } from '../../run/session.ts';
import { version } from '../../version.ts';
import { declareCommand } from '../command.ts';
import { writeFacts } from '../facts.ts';

const doctorFlags = {
  allProfiles: { ...allProfilesFlag, about: 'every profile in turn; --profile a,b for some' },
  ...factFlags,
};

export const doctorCommand = declareCommand({
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
  run: runDoctor,
});

interface CheckResult {
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly text: string;
  readonly fix?: string | undefined;
  /** The error of a command that needs it. */
  readonly failure?: FolioError;
  readonly milliseconds?: number;
  /** On the wire. */
  readonly bytes?: number;
}

/** Throws a FolioError for a check that fails. */
type Check = () => Promise<CheckResult> | CheckResult;

type MakeCheck = (name: string, check: Check) => Promise<CheckResult>;

/** Makes all checks, whichever fail, and ends with the error of the first that failed. */
async function runDoctor(context: Context, flags: GlobalFlags & Values<typeof doctorFlags>): Promise<void> {
  const { stdout, secrets } = context;
  const isJson = flags.format === 'json';
  const isSeveral = isOfSeveral(flags);
  const results: (CheckResult & { profile: string | undefined; name: string })[] = [];
  const chosen = await chosenProfiles(context, { flags, notices: new Notices(context, flags) });
  for (const profile of isSeveral ? chosen : [flags.profile]) {
    if (isSeveral && !isJson) await stdout.write(`${results.length > 0 ? '\n' : ''}${profile}\n`);
    await checkAll(context, withValues(flags, { profile }), async (name, check) => {
      const found = await resultOf(check);
      const fix = found.fix === undefined ? undefined : secrets.redact(found.fix);
      const result = { ...found, text: secrets.redact(found.text), fix };
      results.push({ ...result, profile, name });
      // JSON is written whole, at the end.
      if (!isJson) await stdout.write(describeCheck(name, result, context, flags));
      return result;
    });
  }
  if (isJson) {
    const facts = results.map(
      ({ profile = null, name: check, status, text, fix = null, milliseconds = null, bytes = null }) => ({
        ...(isSeveral && { profile }),
        check,
        status,
        says: text,
        fix,
        milliseconds,
        bytes,
      }),
    );
    await writeFacts(stdout, facts, flags);
  }
  const [first, ...others] = results.filter(({ failure }) => failure !== undefined);
  if (first === undefined) return;
  const many = others.length === 0 ? '1 check' : `${others.length + 1} checks`;
  const whose = isSeveral ? ` of ${first.profile}` : '';
  // The hint stands beside the check already.
  const message = `${many} of ${results.length} failed, first: ${first.name}${whose}`;
  throw first.failure!.reworded(message, undefined);
}

async function resultOf(check: Check): Promise<CheckResult> {
  try {
    return await check();
  } catch (error) {
    if (!isFailure(error)) throw error;
    return { status: 'failed', text: error.message, fix: error.hint, failure: error };
  }
}

const STYLES: Readonly<Record<CheckResult['status'], Style>> = {
  ok: 'green',
  warning: 'yellow',
  failed: 'alarm',
  skipped: 'dim',
};

/** Display cells of the longest status and of the longest name of a check, each with the gap behind it. */
const STATUS = 9;
const NAME = 14;
/** Display cells of the narrowest lines in which a text can be read. */
const NARROWEST = 30;

/** The lines about one check, wrapped on a terminal: what was found, and what to do about it. */
function describeCheck(
  name: string,
  { status, text, fix }: CheckResult,
  { stdout, env }: Context,
  { color }: GlobalFlags,
): string {
  const width = stdout.isTerminal ? (stdout.columns ?? 80) : Infinity;
  const texts = [visible(text), ...(fix === undefined ? [] : [`→ ${visible(fix)}`])];
  const wrapped = texts.map((text) => wrapText(text, Math.max(NARROWEST, width - STATUS - NAME)));
  const lines = wrapped.join('').trimEnd().split('\n');
  const word = status.padEnd(STATUS);
  const isColored = useColor(env, stdout.isTerminal, color !== false);
  const head = (isColored ? paint(word, STYLES[status]) : word) + name.padEnd(NAME);
  return lines.map((line, at) => `${at === 0 ? head : ' '.repeat(STATUS + NAME)}${line}\n`).join('');
}

/** The token of the requests, and how to give another one, as a sentence. */
interface Access {
  readonly token: string;
  readonly tokenHint?: string;
}

/** Makes all checks in order: the set-up, the network step by step, the token, each listing. */
async function checkAll(context: Context, flags: GlobalFlags, check: MakeCheck): Promise<void> {
  const sandbox = flags.sandbox ? await startSandboxService(context, flags) : undefined;
  try {
    let baseUrl = sandbox?.baseUrl;
    let access: Access | undefined = sandbox && { token: sandbox.tokenOf(flags.profile) };
    const store = await check('store', () =>
      sandbox ? skipped('not used with --sandbox') : checkStore(context),
    );
    await check('base address', async () => {
      if (sandbox) return ok(`${sandbox.baseUrl.href} (--sandbox)`);
      // The check before reports why the store cannot be opened.
      const opened = await context.config().catch(() => undefined);
      const resolved = resolveAddress(flags, context.env, opened);
      baseUrl = resolved.baseUrl;
      if (baseUrl === undefined) throw noAddress('folio auth login --base-url https://<host>/v1');
      return ok(`${baseUrl.href} (${resolved.from})`);
    });
    let isReached = baseUrl !== undefined;
    const steps = baseUrl && (await networkSteps(baseUrl, context));
    for (const name of NETWORK_STEPS) {
      const { status } = await check(name, () => {
        if (steps === undefined) return skipped('needs a base address');
        return isReached ? steps[name]() : skipped('not tried, since a step before it failed');
      });
      isReached &&= status !== 'failed';
    }
    await check('token', async () => {
      if (sandbox) return ok('of the sandbox');
      if (store.status === 'failed') return skipped('needs the store');
      const now = context.clock.now();
      const connection = await resolveConnection(context, { flags, store: await context.config() });
      const token = connection.token ?? requireConnection(connection, now).token;
      context.secrets.hide([token.reveal()]);
      const how = tokenHint(connection);
      const ending = checkExpiry(token, now, how);
      access = { token: token.reveal(), tokenHint: how };
      const text = describeToken(connection, token, now);
      return ending === undefined
        ? ok(text)
        : warning(text, 'Ask the operator of the service for a new one.');
    });
    for (const resource of listings) {
      await check(resource.name, () => {
        if (access === undefined || baseUrl === undefined) return skipped('needs a base address and a token');
        if (!isReached) return skipped('not tried, since the service is not reached');
        return checkListing(context, resource, { baseUrl, ...access });
      });
    }
  } finally {
    await sandbox?.close();
  }
}

function ok(text: string, measured: Pick<CheckResult, 'milliseconds' | 'bytes'> = {}): CheckResult {
  return { ...measured, status: 'ok', text };
}

function warning(text: string, fix: string): CheckResult {
  return { status: 'warning', text, fix };
}

/** The result of a check that cannot be made, because something before it is missing. */
function skipped(text: string): CheckResult {
  return { status: 'skipped', text };
}

/** Where profiles and settings are, and who may read them. Throws as opening the store does. */
async function checkStore(context: Context): Promise<CheckResult> {
  const { file, profileNames } = await context.config();
  if (file === undefined)
    return warning('there is no home folder, so nothing can be stored', 'Set FOLIO_CONFIG_DIR to a folder.');
  const { describePermissions } = await import('../../profiles/store.ts');
  const permissions = await describePermissions(file);
  if (permissions === undefined) return ok(`${file}: not there, nothing is stored`);
  return ok(`${file}: ${permissions}; ${countOf(profileNames.length, 'profile')}`);
}

/** A token: its source, its form, when it ends. */
function describeToken({ tokenSource, profile }: Connection, token: Secret, now: number): string {
  const source = profile === undefined || tokenSource === 'FOLIO_TOKEN' ? tokenSource : `profile ${profile}`;
  const claims = decodeToken(token);
  if (claims === undefined) return `from ${source}: opaque, does not say when it ends`;
  const { organizationId, expiresAt } = claims;
  const whose = organizationId === undefined ? '' : ` for organization ${organizationId}`;
  const end =
    expiresAt === undefined ? 'does not say when it ends' : `ends ${describeMoment(expiresAt, now)}`;
  return `from ${source}: a JSON Web Token${whose}, ${end}`;
}

/** Makes one call to a listing, for one record, without a retry. Rejects as the listing would. */
async function checkListing(
  context: Context,
  resource: Resource,
  access: Access & { readonly baseUrl: URL },
): Promise<CheckResult> {
  const client = await makeClient(context, access, { retries: 0, concurrency: 1 });
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

/** The steps to the service, in order. */
const NETWORK_STEPS = ['proxy', 'DNS', 'TCP', 'TLS', 'clock'] as const;

/** A certificate that ends within so many milliseconds is a warning. */
const CERTIFICATE_TIME = 14 * MILLISECONDS_A_DAY;
/** The most milliseconds that a clock may be off. */
const CLOCK_TOLERANCE = 60_000;
/** The time limit, in ms, of the one request that looks at the service's clock. */
const CLOCK_TIMEOUT = 30_000;

async function networkSteps(
  baseUrl: URL,
  context: Context,
): Promise<Record<(typeof NETWORK_STEPS)[number], Check>> {
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
    const text = await step().catch(fail);
    const milliseconds = Math.round(clock.elapsed() - start);
    return ok(`${text} (${milliseconds} ms)`, { milliseconds });
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
      return warning(result.text, 'Tell the operator of the service, or of the proxy, that it ends soon.');
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
  const text = `${seconds} s ${off < 0 ? 'behind' : 'ahead of'} the service’s`;
  return Math.abs(off) <= CLOCK_TOLERANCE
    ? ok(text)
    : warning(text, 'Set this machine’s clock: the end of a token is judged by it.');
}
