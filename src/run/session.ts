import { parseBaseUrl } from '../api/address.ts';
import { ApiClient, type ClientOptions, type ObserveRequests } from '../api/client.ts';
import { Secret } from '../api/redact.ts';
import { RetryQuota } from '../api/retry.ts';
import { NoSuchPath, StatusError } from '../api/status-failure.ts';
import type { Context } from '../context.ts';
import { AuthError, Interrupted, UsageError } from '../errors.ts';
import {
  chooseHeld,
  duplicateProfiles,
  namesTyped,
  refuseDuplicates,
  type HeldProfiles,
} from '../profiles/choice.ts';
import {
  requireConnection,
  resolveConnection,
  tokenHint,
  knownProfile,
  usualProfile,
  type CompleteConnection,
} from '../profiles/connection.ts';
import type { ConfigStore } from '../profiles/profile.ts';
import { decodeToken } from '../profiles/token.ts';
import { issued } from '../resources/invoices.ts';
import { probeListing } from '../resources/listing-pages.ts';
import type { Resource } from '../resources/resource.ts';
import { version } from '../version.ts';
import {
  requestDefaults,
  type GlobalFlags,
  type ProfilesFlags,
  type RequestFlags,
  type RequestLimits,
} from './flags.ts';
import type { Notices } from './notices.ts';
import { flagDefaults, settingOf, type FlagDefaults } from './settings.ts';

/** The client has a quota of its own where it shares none with the other clients of a run. */
type ServiceAddress = Pick<ClientOptions, 'baseUrl' | 'token' | 'tokenHint' | 'observe' | 'quota'>;

/** Makes the client of one organization. Loads the HTTP library; sends nothing. */
export async function makeClient(
  context: Context,
  service: ServiceAddress,
  { concurrency, retries, retryDelay: delay, timeout }: RequestLimits = requestDefaults,
): Promise<ApiClient> {
  const { clock, signal, env, secrets } = context;
  secrets.hide([service.token]);
  const { origin } = service.baseUrl;
  const transport = await context.openTransport({ origin, connections: concurrency, env });
  return new ApiClient({
    ...service,
    redact: secrets.redact,
    version,
    transport,
    concurrency,
    timeout,
    clock,
    signal,
    limiter: context.limiterFor?.(concurrency),
    retry: { retries, delay },
  });
}

/** The organizations of the sandbox, in place of profiles. */
const SANDBOX_PROFILES: readonly string[] = ['one', 'two'];

/** Throws UsageError where the sandbox has no organization of this name. */
function checkInSandbox(profile: string): void {
  if (SANDBOX_PROFILES.includes(profile)) return;
  throw new UsageError(`--sandbox has no profile ${JSON.stringify(profile)}`, {
    hint: `Its organizations are ${SANDBOX_PROFILES.join(' and ')}.`,
  });
}

/** Starts the embedded service. `tokenOf` has the token of each of its organizations; without a name, of the first one. */
export async function startSandboxService(
  { clock }: Pick<Context, 'clock'>,
  { awkward }: Pick<GlobalFlags, 'awkward'>,
) {
  const { startSandbox } = await import('../sandbox/server.ts');
  const sandbox = await startSandbox({ now: () => clock.now(), awkward: awkward === true });
  const tokenOf = (profile = SANDBOX_PROFILES[0]!): string => {
    checkInSandbox(profile);
    return sandbox.tokens[SANDBOX_PROFILES.indexOf(profile)]!;
  };
  return { baseUrl: parseBaseUrl(sandbox.baseUrl), tokenOf, close: () => sandbox.close() };
}

/** What the sessions of a run share: the quota of retries, and the sandbox, which the first call of it starts. */
export type SharedBySessions = ReturnType<typeof sharedBySessions>;

export function sharedBySessions(context: Context, flags: GlobalFlags) {
  let sandbox: ReturnType<typeof startSandboxService> | undefined;
  return {
    quota: new RetryQuota(),
    sandbox: () => (sandbox ??= startSandboxService(context, flags)),
    // Where it could not be started, the call of `sandbox` has thrown that error already.
    close: async () => (await sandbox?.catch(() => undefined))?.close(),
  };
}

/** One organization at one address, ready for requests. */
export interface Session {
  readonly client: ApiClient;
  /**
   * The profile whose token is used, or the name of an organization of the sandbox; undefined where the token came by flag or
   * environment, without --profile. What columns mean goes by it; `defaults` are those of the profile that is chosen, whatever the token.
   */
  readonly profile: string | undefined;
  readonly baseUrl: URL;
  readonly token: Secret;
  /** By the flags, else by the settings. */
  readonly limits: RequestLimits;
  /** The settings for flags that are not set. */
  readonly defaults: FlagDefaults;
}

interface SessionOptions {
  readonly flags: GlobalFlags & RequestFlags;
  /** The organization, where the run is of several; else the flags name it, or the environment. */
  readonly profile: string | undefined;
  /** For the settings that are of one listing. */
  readonly resource: Resource | undefined;
  readonly notices: Notices;
  readonly observe: ObserveRequests;
  readonly shared: SharedBySessions;
}

/** Finds address and token, and makes the client. Sends nothing. Throws AuthError without a token, or for an expired one. */
export async function openSession(context: Context, options: SessionOptions): Promise<Session> {
  const { flags, observe, shared } = options;
  const service = await (flags.sandbox ? sandboxService(options) : ownService(context, options));
  const { defaults, token } = service;
  const limits = {
    concurrency: flags.concurrency ?? defaults.concurrency ?? requestDefaults.concurrency,
    retries: flags.retries ?? defaults.retries ?? requestDefaults.retries,
    retryDelay: flags.retryDelay ?? defaults.retryDelay ?? requestDefaults.retryDelay,
    timeout: flags.timeout ?? defaults.timeout ?? requestDefaults.timeout,
  };
  const address = { ...service, token: token.reveal(), observe, quota: shared.quota };
  return { ...service, client: await makeClient(context, address, limits), limits };
}

async function sandboxService({ flags, shared, profile = flags.profile }: SessionOptions) {
  const { baseUrl, tokenOf } = await shared.sandbox();
  const defaults: FlagDefaults = {};
  return { baseUrl, token: new Secret(tokenOf(profile)), tokenHint: undefined, profile, defaults };
}

async function ownService(
  context: Context,
  { flags, profile = flags.profile, notices, resource }: SessionOptions,
) {
  const store = await context.config();
  const own = { profile, baseUrl: flags.baseUrl, tokenFile: flags.tokenFile };
  const found = await resolveConnection(context, { flags: own, store });
  const connection = requireConnection(found, context.clock.now());
  const { baseUrl, token, tokenSource, warning } = connection;
  if (warning !== undefined) notices.remark(warning);
  const { profile: chosen } = connection;
  const isOwn = tokenSource === 'profile' || tokenSource === 'token command';
  // Beside --profile, the token of a file is one of that profile: another organization's is refused.
  const isOfProfile = isOwn || profile !== undefined;
  if (!isOfProfile && chosen !== undefined && resource !== undefined) {
    // Another organization's columns may mean something else.
    const meanings = ['fields.', settingOf('known', resource), settingOf('key', resource)];
    const own = Object.keys(store.settings(chosen));
    const unused = own.filter((name) => meanings.some((meaning) => name.startsWith(meaning)));
    if (unused.length > 0)
      notices.warn(`the token is not that of profile ${chosen}: its ${unused.join(', ')} do not apply`);
  }
  return {
    baseUrl,
    token,
    tokenHint: tokenHint(connection),
    profile: isOfProfile ? chosen : undefined,
    defaults: flagDefaults(store, chosen, resource),
  };
}

/** The organization in the token of a session, if the token has one. */
export function organizationOf(session: Pick<Session, 'token'> | undefined): string | undefined {
  return decodeToken(session?.token)?.organizationId;
}

/** Requests one record: resolves when the service takes the token, else rejects as any request would. */
export async function verifyConnection(context: Context, connection: CompleteConnection): Promise<void> {
  const { baseUrl, token } = connection;
  const service = { baseUrl, token: token.reveal(), tokenHint: tokenHint(connection) };
  const client = await makeClient(context, service);
  try {
    await probeListing(client, issued, { signal: context.signal });
  } finally {
    await client.close();
  }
}

/**
 * Throws ServiceError where the error is a 404 at the path of one item, and the listings are not there either: then the address
 * is wrong. Sends one request for such an error, and none for another.
 */
export async function refuseWrongAddress(
  client: ApiClient,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  if (!(error instanceof NoSuchPath)) return;
  await probeListing(client, issued, { signal }).catch((failure: unknown) => {
    const isWrongAddress = failure instanceof StatusError && [403, 404].includes(failure.status);
    if (isWrongAddress || failure instanceof Interrupted) throw failure;
  });
}

/** Whether the flags name several organizations, or the form of several: a folder with a file for each. */
export function isOfSeveral({ profile, allProfiles, outputDir }: GlobalFlags & ProfilesFlags): boolean {
  return allProfiles === true || outputDir !== undefined || profile?.includes(',') === true;
}

/** The profile whose settings apply before a part is open; undefined if the flags name several. */
export function settingsProfile(
  { env }: Pick<Context, 'env'>,
  flags: GlobalFlags & ProfilesFlags,
  store: ConfigStore | undefined,
): string | undefined {
  return isOfSeveral(flags) ? undefined : usualProfile(env, store, flags.profile);
}

interface ChoiceOptions {
  readonly flags: GlobalFlags & ProfilesFlags;
  readonly notices: Notices;
  /** What was read earlier; undefined for the service. */
  readonly held?: HeldProfiles | undefined;
}

/**
 * The profiles that the flags choose; empty for records without a profile, and where the connection chooses.
 * Throws UsageError for a profile that is not there.
 */
export async function chosenProfiles(
  context: Context,
  { flags, notices, held }: ChoiceOptions,
): Promise<readonly string[]> {
  if (held === undefined) return isOfSeveral(flags) ? profilesOfService(context, flags, notices) : [];
  // The source has its own profiles, which need not be in the store.
  const { profile, allProfiles: all } = flags;
  const names = namesTyped(profile);
  const { shown, profiles, without = [] } = held;
  if (profiles === undefined && (names !== undefined || all)) {
    const flag = all ? '--all-profiles' : `--profile ${profile}`;
    throw new UsageError(`${flag}: ${shown} does not say of which profiles its records are`, {
      hint: 'Leave it out; an export of --all-profiles says it.',
    });
  }
  if (profiles === undefined) return [];
  if (all && without.length > 0)
    notices.warn(`${shown}: no sync has read these records of ${without.join(', ')}, and they are left out`);
  return profiles.length === 0 ? (names ?? []) : chooseHeld(held, { names, all }, context);
}

/**
 * The profiles of the flags, in the order typed or stored. Throws UsageError for an unknown one, or where the environment would
 * give all one token; AuthError where there is none.
 */
async function profilesOfService(
  context: Context,
  flags: GlobalFlags & ProfilesFlags,
  notices: Notices,
): Promise<readonly string[]> {
  const { profile, sandbox, tokenFile } = flags;
  const chosen = namesTyped(profile);
  if (sandbox) {
    const profiles = chosen ?? SANDBOX_PROFILES;
    profiles.forEach(checkInSandbox);
    return profiles;
  }
  const { FOLIO_BASE_URL: url, FOLIO_TOKEN: token } = context.env;
  const given = [
    ['FOLIO_BASE_URL', 'address', url],
    ['--token-file', 'token', tokenFile],
    ['FOLIO_TOKEN', 'token', token],
  ].find(([, , value]) => value);
  if (given !== undefined) {
    const [name = '', what] = given;
    throw new UsageError(`${name} gives one ${what}, but each profile has its own`, {
      hint: name.startsWith('-') ? undefined : `Unset it for this command with \`env -u ${name} folio …\`.`,
    });
  }
  const store = await context.config();
  const profiles = chosen ?? store.profileNames;
  if (profiles.length === 0) {
    throw new AuthError('there are no profiles', {
      hint: 'Log in with `folio auth login --profile <name> --base-url https://<host>/v1`.',
    });
  }
  for (const name of profiles) knownProfile(name, store);
  const duplicates = duplicateProfiles(store, profiles);
  if (chosen !== undefined) refuseDuplicates(`--profile ${profile}`, duplicates);
  for (const [name, first] of duplicates)
    notices.warn(`the profiles ${first} and ${name} are of one organization; ${name} is left out`);
  return profiles.filter((name) => !duplicates.has(name));
}
