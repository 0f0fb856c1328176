import { isIP } from 'node:net';
import { reach, type Certificate, type Reached } from '../../api/reach.ts';
import type { Secret } from '../../api/redact.ts';
import type { Context } from '../../context.ts';
import { isFailure, type FolioError } from '../../errors.ts';
import { MILLISECONDS_A_DAY } from '../../json/calendar-day.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { shownLine, visible } from '../../output/terminal/terminal-text.ts';
import {
  noAddress,
  requireConnection,
  resolveAddress,
  resolveConnection,
  tokenHint,
  type Connection,
} from '../../profiles/connection.ts';
import { checkExpiry, decodeToken, describeMoment } from '../../profiles/token.ts';
import { listings } from '../../resources/listings.ts';
import { probeListing } from '../../resources/listing-pages.ts';
import type { Resource } from '../../resources/resource.ts';
import { withValues, type Values } from '../../run/flag.ts';
import { allProfilesFlag, factFlags, requestDefaults, type GlobalFlags } from '../../run/flags.ts';
import { Notices } from '../../run/notices.ts';
import { isOfSeveral, chosenProfiles, makeClient, startSandboxService } from '../../run/session.ts';
import { declareCommand } from '../command.ts';
import { writeFacts } from '../facts.ts';

const doctorFlags = {
  allProfiles: { ...allProfilesFlag, about: 'every profile in turn; --profile a,b for some' },
  ...factFlags,
};

export const doctorCommand = declareCommand({
  description:
    'Looks at the store, the base address, the way to the service, the clock and the token, and makes one ' +
    'call to each listing. Prints a line for each check, with what to fix. The exit code is that of the first failure. ' +
    'folio auth status shows only the set-up.',
  examples: [
    ['folio doctor', 'for the commands that you run here'],
    ['folio doctor --all-profiles', 'for each organization'],
    ['folio doctor --format json', 'for a script; nothing secret is in it'],
  ],
  flags: doctorFlags,
  run: runDoctor,
});

/** The result of a check; only a text if it passed. */
type Found = string | Verdict;

interface Verdict {
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly text: string;
  readonly fix?: string | undefined;
  /** The error of a command that needs what was checked. */
  readonly failure?: FolioError;
}

interface CheckResult extends Verdict {
  readonly profile: string | undefined;
  readonly name: string;
}

/** Runs a check, which throws a FolioError if it fails, unless `missing` names what it lacks. Returns whether it failed. */
type MakeCheck = (
  name: string,
  missing: string | false,
  check: () => Promise<Found> | Found,
) => Promise<boolean>;

/** Makes all checks, whichever fail, and ends with the error of the first that failed. */
async function runDoctor(context: Context, flags: GlobalFlags & Values<typeof doctorFlags>): Promise<void> {
  const { stdout, secrets } = context;
  const isJson = flags.format === 'json';
  const isSeveral = isOfSeveral(flags);
  const results: CheckResult[] = [];
  const chosen = await chosenProfiles(context, { flags, notices: new Notices(context, flags) });
  for (const profile of isSeveral ? chosen : [flags.profile]) {
    if (isSeveral && !isJson) await stdout.write(`${results.length > 0 ? '\n' : ''}${profile}\n`);
    await checkAll(context, withValues(flags, { profile }), async (name, missing, check) => {
      const found = missing === false ? await foundBy(check) : skipped(missing);
      const one: Verdict = typeof found === 'string' ? { status: 'ok', text: found } : found;
      const fix = one.fix === undefined ? undefined : secrets.redact(one.fix);
      const result = { ...one, profile, name, text: secrets.redact(one.text), fix };
      results.push(result);
      // JSON is written whole, at the end.
      if (!isJson) await stdout.write(describeCheck(result, context));
      return result.status === 'failed';
    });
  }
  if (isJson) {
    const facts = results.map(({ profile = null, name: check, status, text: says, fix = null }) => ({
      ...(isSeveral && { profile }),
      ...{ check, status, says, fix },
    }));
    await writeFacts(stdout, facts, flags);
  }
  const [first, ...others] = results.filter(({ failure }) => failure !== undefined);
  if (first === undefined) return;
  const whose = isSeveral ? ` of ${first.profile}` : '';
  // The hint stands beside the check already.
  const message = `${countOf(others.length + 1, 'check')} of ${results.length} failed, first: ${first.name}${whose}`;
  throw first.failure!.reworded(message, undefined);
}

async function foundBy(check: () => Promise<Found> | Found): Promise<Found> {
  try {
    return await check();
  } catch (error) {
    if (!isFailure(error)) throw error;
    return { status: 'failed', text: error.message, fix: error.hint, failure: error };
  }
}

/** Display cells of the longest status and of the longest name of a check, each with the gap behind it. */
const STATUS = 9;
const NAME = 14;

/** The line about one check, wrapped on a terminal: what was found, and what to do about it. */
function describeCheck({ name, status, text, fix }: CheckResult, { stdout }: Context): string {
  const remedy = fix === undefined ? '' : ` → ${fix}`;
  const line = status.padEnd(STATUS) + name.padEnd(NAME) + visible(text + remedy);
  return shownLine(line, stdout, ' '.repeat(STATUS + NAME));
}

/** The token of the requests, and how to give another one, as a sentence. */
interface Access {
  readonly token: string;
  readonly tokenHint?: string;
}

/** Makes all checks in order: the set-up, each step of the way to the service, the token, each listing. */
async function checkAll(context: Context, flags: GlobalFlags, check: MakeCheck): Promise<void> {
  const sandbox = flags.sandbox ? await startSandboxService(context, flags) : undefined;
  try {
    let baseUrl = sandbox?.baseUrl;
    let access: Access | undefined = sandbox && { token: sandbox.tokenOf(flags.profile) };
    const hasNoStore = await check('store', sandbox !== undefined && 'not used with --sandbox', () =>
      describeStore(context),
    );
    await check('base address', false, async () => {
      if (sandbox) return `${sandbox.baseUrl.href} (--sandbox)`;
      // The check before reports why the store cannot be opened.
      const opened = await context.config().catch(() => undefined);
      const resolved = resolveAddress(flags, context.env, opened);
      baseUrl = resolved.baseUrl;
      if (baseUrl === undefined && opened === undefined) return skipped('needs the store');
      if (baseUrl === undefined) throw noAddress('folio auth login --base-url https://<host>/v1');
      return `${baseUrl.href} (${resolved.from})`;
    });
    let reached: Reached | undefined;
    let unreached = baseUrl === undefined && 'needs a base address';
    for (const name of STEPS) {
      const hasFailed = await check(name, unreached, async () => {
        reached ??= await reach(context, baseUrl!);
        const found = stepsOf(reached, baseUrl!, context.clock.now())[name];
        if (found === undefined) throw reached.failure!;
        return found;
      });
      if (hasFailed) unreached = 'not tried, since the service is not reached';
    }
    await check('token', hasNoStore && 'needs the store', async () => {
      if (sandbox) return 'of the sandbox';
      const now = context.clock.now();
      const connection = await resolveConnection(context, { flags, store: await context.config() });
      const token = connection.token ?? requireConnection(connection, now).token;
      context.secrets.hide([token.reveal()]);
      const how = tokenHint(connection);
      const ending = checkExpiry(token, now, how);
      access = { token: token.reveal(), tokenHint: how };
      const text = describeToken(connection, token, now);
      return ending === undefined ? text : warning(text, 'Ask the operator of the service for a new one.');
    });
    const isUnset = (baseUrl === undefined || access === undefined) && 'needs a base address and a token';
    for (const resource of listings)
      await check(resource.name, isUnset || unreached, () =>
        askListing(context, resource, { baseUrl: baseUrl!, ...access! }),
      );
  } finally {
    await sandbox?.close();
  }
}

function warning(text: string, fix: string): Found {
  return { status: 'warning', text, fix };
}

function skipped(text: string): Found {
  return { status: 'skipped', text };
}

/** Where profiles and settings are, and who may read them. Throws as opening the store does. */
async function describeStore(context: Context): Promise<Found> {
  const { file, profileNames } = await context.config();
  if (file === undefined)
    return warning('there is no home folder, so nothing can be stored', 'Set FOLIO_CONFIG_DIR to a folder.');
  const { modesOf } = await import('../../profiles/store.ts');
  return `${file}: ${modesOf(file)}; ${countOf(profileNames.length, 'profile')}`;
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
async function askListing(
  context: Context,
  resource: Resource,
  access: Access & { readonly baseUrl: URL },
): Promise<string> {
  const client = await makeClient(context, access, { ...requestDefaults, retries: 0, concurrency: 1 });
  try {
    const { clock, signal } = context;
    const start = clock.elapsed();
    const total = await probeListing(client, resource, { signal });
    const many = total === undefined ? '' : `; there are ${total} ${resource.records}`;
    return `answers in ${Math.round(clock.elapsed() - start)} ms with ${client.stats.bytes} bytes${many}`;
  } finally {
    await client.close();
  }
}

/** The most milliseconds by which the clock may differ. */
const CLOCK_TOLERANCE = 60_000;
/** A certificate that ends within so many milliseconds is a warning. */
const CERTIFICATE_TIME = 14 * MILLISECONDS_A_DAY;

/** The steps to an answer of the service, in order. */
const STEPS = ['proxy', 'DNS', 'TCP', 'TLS', 'HTTP', 'clock'] as const;

/** What was found at each step that was reached. */
function stepsOf(
  reached: Reached,
  baseUrl: URL,
  now: number,
): Record<(typeof STEPS)[number], Found | undefined> {
  const { proxy, nearest, addresses, isConnected, certificate, answer, milliseconds } = reached;
  const host = nearest.hostname.replace(/^\[|\]$/g, '');
  return {
    proxy: describeProxy(proxy, nearest !== baseUrl),
    DNS: isIP(host) === 0 ? addresses && `${host} is ${addresses}` : `${host} is an address, not a name`,
    TCP: isConnected ? `${nearest.host} accepts connections` : undefined,
    TLS:
      baseUrl.protocol === 'http:'
        ? skipped('plain http, which is for this machine only')
        : certificate && describeCertificate(certificate, now),
    HTTP: answer && `${baseUrl.host} answers in ${milliseconds} ms`,
    clock: answer && compareClocks(answer.headers['date'], now),
  };
}

function describeProxy(host: string | undefined, isUsed: boolean): string {
  if (host === undefined) return 'none is set';
  return isUsed ? `${host}, from HTTPS_PROXY` : `${host}, from HTTPS_PROXY, is not for this address`;
}

function describeCertificate({ issuer, valid_to: end = '', protocol }: Certificate, now: number): Found {
  const by = [issuer?.O ?? issuer?.CN ?? 'an unknown authority'].flat().join(', ');
  const text = `${protocol}, certificate by ${by}, ends ${describeMoment(Date.parse(end), now)}`;
  const isSoon = Date.parse(end) - now < CERTIFICATE_TIME;
  return isSoon
    ? warning(text, 'Tell the operator of the service, or of the proxy, that it ends soon.')
    : text;
}

function compareClocks(date: string | undefined, now: number): Found {
  const theirs = Date.parse(date ?? '');
  if (Number.isNaN(theirs)) return skipped('the service sends no date to compare with');
  const off = now - theirs;
  const seconds = Math.round(Math.abs(off) / 1000);
  // The header counts in whole seconds.
  if (seconds <= 1) return 'as the service’s';
  const text = `${seconds} s ${off < 0 ? 'behind' : 'ahead of'} the service’s`;
  return Math.abs(off) <= CLOCK_TOLERANCE
    ? text
    : warning(text, 'Set this machine’s clock: folio compares it with the expiry date of the token.');
}
