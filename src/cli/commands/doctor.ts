import { FailedTry } from '../../api/retry.ts';
import { proxyIn, type ResponseHead } from '../../api/transport.ts';
import type { Context } from '../../context.ts';
import { isFailure, type FolioError } from '../../errors.ts';
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
    'Looks at the store, the base address, the way to the service, the clock and the token, and makes one ' +
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

/** Makes all checks in order: the set-up, the network, the token, each listing. */
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
    let answer: ResponseHead | undefined;
    await check('network', async () => {
      if (baseUrl === undefined) return skipped('needs a base address');
      const start = context.clock.elapsed();
      answer = await reach(context, baseUrl);
      const milliseconds = Math.round(context.clock.elapsed() - start);
      const proxy = baseUrl.protocol === 'https:' ? proxyIn(context.env) : undefined;
      const set = proxy === undefined ? '' : `; HTTPS_PROXY is ${proxy.host}`;
      return ok(`${baseUrl.host} answers in ${milliseconds} ms${set}`, { milliseconds });
    });
    await check('clock', () =>
      answer === undefined
        ? skipped(NOT_REACHED)
        : compareClocks(answer.headers['date'], context.clock.now()),
    );
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
        if (answer === undefined) return skipped(NOT_REACHED);
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

/** Where profiles and settings are. Throws as opening the store does. */
async function checkStore(context: Context): Promise<CheckResult> {
  const { file, profileNames } = await context.config();
  if (file === undefined)
    return warning('there is no home folder, so nothing can be stored', 'Set FOLIO_CONFIG_DIR to a folder.');
  return ok(`${file}: ${countOf(profileNames.length, 'profile')}`);
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

/** The most milliseconds that a clock may be off. */
const CLOCK_TOLERANCE = 60_000;
/** The time limit of the request that looks for the service, in ms. */
const REACH_TIMEOUT = 30_000;

const NOT_REACHED = 'not tried, since the service is not reached';

/**
 * Sends one request without a token, to which any answer will do, and returns its head. Throws the error of the network in the
 * words that a listing would use, which name what failed: the proxy, the look-up of the name, the connection, the certificate.
 */
async function reach({ env, signal, openTransport }: Context, baseUrl: URL): Promise<ResponseHead> {
  const transport = await openTransport({ connections: 1, env });
  try {
    const headers = { accept: 'application/json', 'user-agent': `folio/${version}` };
    const request = { url: baseUrl, headers, signal, timeout: REACH_TIMEOUT };
    const answer = await transport.open(request);
    answer.discard();
    return answer;
  } catch (error) {
    throw error instanceof FailedTry ? error.failure : error;
  } finally {
    await transport.close();
  }
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
