import { parseBaseUrl } from '../api/address.ts';
import { ApiClient, type ObserveRequests } from '../api/client.ts';
import { RetryQuota } from '../api/retry.ts';
import type { Context } from '../context.ts';
import { UsageError, AuthError } from '../errors.ts';
import { duplicateProfiles, profileChoice } from '../profiles/choice.ts';
import {
  requireConnection,
  resolveConnection,
  tokenHint,
  knownProfile,
  type CompleteConnection,
} from '../profiles/connection.ts';
import { decodeToken, nearEnd, Secret } from '../profiles/token.ts';
import { issued } from '../resources/issued.ts';
import { probeListing } from '../resources/listing-pages.ts';
import type { Resource } from '../resources/resource.ts';
import { version } from '../version.ts';
import { valuesGiven, requestDefaults, type RequestLimits } from './flag.ts';
import { requestFlags, type GlobalFlags, type ProfilesFlags, type RequestFlags } from './flags.ts';
import type { Notices } from './notices.ts';
import { flagDefaults, type FlagDefaults } from './settings.ts';

interface ServiceAddress {
  readonly baseUrl: URL;
  readonly token: string;
  /** How to set another token, as a sentence for hints. */
  readonly tokenHint?: string | undefined;
  readonly observe?: ObserveRequests | undefined;
  /** Shared by all clients of a run; without it the client has its own. */
  readonly quota?: RetryQuota | undefined;
}

/** Makes the client of one organization. Loads the HTTP library; sends nothing. */
export async function makeClient(
  context: Context,
  service: ServiceAddress,
  limits: Partial<RequestLimits>,
): Promise<ApiClient> {
  const { concurrency, retries, retryDelay: delay, timeout } = { ...requestDefaults, ...limits };
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
const SANDBOX_PROFILES = ['one', 'two'] as const;

interface SandboxService {
  readonly baseUrl: URL;
  /** The token of the organization of this name; without a name, of the first one. */
  readonly tokenOf: (profile: string | undefined) => string;
  close(): Promise<void>;
}

export async function startSandboxService(
  context: Context,
  flags: Pick<GlobalFlags, 'awkward'>,
): Promise<SandboxService> {
  const { startSandbox } = await import('../sandbox/server.ts');
  const sandbox = await startSandbox({
    now: () => context.clock.now(),
    awkward: flags.awkward === true,
  });
  return {
    baseUrl: parseBaseUrl(sandbox.baseUrl),
    tokenOf: (profile) => sandbox.tokens[profile === undefined ? 0 : placeInSandbox(profile)],
    close: () => sandbox.close(),
  };
}

/** The place, from 0, of the organization of this name. Throws UsageError where there is none. */
function placeInSandbox(profile: string): 0 | 1 {
  const place = SANDBOX_PROFILES.findIndex((name) => name === profile);
  if (place === 0 || place === 1) return place;
  throw new UsageError(`--sandbox has no profile ${JSON.stringify(profile)}`, {
    hint: `Its organizations are ${SANDBOX_PROFILES.join(' and ')}.`,
  });
}

/** What the sessions of a run share. */
export interface SharedBySessions {
  readonly quota: RetryQuota;
  /** The first call starts it. */
  readonly sandbox: () => Promise<SandboxService>;
  close(): Promise<void>;
}

export function sharedBySessions(context: Context, flags: GlobalFlags): SharedBySessions {
  let sandbox: Promise<SandboxService> | undefined;
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
  /** The name of the profile whose token is used; undefined where that came by flag or environment. */
  readonly profile: string | undefined;
  readonly baseUrl: URL;
  /** As the token names it, where it does. */
  readonly organization: string | undefined;
  /** When the token ends, in ms since 1970, in its last 14 days. */
  readonly tokenEndsSoon: number | undefined;
  /** By the flags, else by the settings. */
  readonly limits: RequestLimits;
  /** The settings, of the profile or of all profiles, for flags that are not set. */
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
export async function openSession(
  context: Context,
  { flags, profile: name = flags.profile, resource, notices, observe, shared }: SessionOptions,
): Promise<Session> {
  const { baseUrl, profile, defaults, ...found } = flags.sandbox
    ? await inSandbox(shared, name)
    : await connectionOf(context, { flags, profile: name, notices, resource });
  const token = found.token.reveal();
  const limits = { ...requestDefaults, ...defaults, ...valuesGiven(flags, requestFlags) };
  const service = { baseUrl, token, tokenHint: found.tokenHint, observe, quota: shared.quota };
  const client = await makeClient(context, service, limits);
  const tokenEndsSoon = nearEnd(found.token, context.clock.now());
  const organization = decodeToken(token)?.organizationId;
  return { client, profile, baseUrl, organization, tokenEndsSoon, limits, defaults };
}

interface Found extends Pick<Session, 'baseUrl' | 'profile' | 'defaults'> {
  readonly token: Secret;
  readonly tokenHint?: string;
}

async function connectionOf(
  context: Context,
  { flags, profile: name, notices, resource }: Omit<SessionOptions, 'observe' | 'shared'>,
): Promise<Found> {
  const store = await context.config();
  const own = { profile: name, baseUrl: flags.baseUrl, tokenFile: flags.tokenFile };
  const found = await resolveConnection(context, { flags: own, store });
  const connection = requireConnection(found, context.clock.now());
  const { baseUrl, token, profile, tokenSource, messages } = connection;
  for (const message of messages) notices.remark(message);
  const isOfProfile = tokenSource === 'profile' || tokenSource === 'token command';
  return {
    baseUrl,
    token,
    tokenHint: tokenHint(connection),
    profile: isOfProfile ? profile : undefined,
    defaults: flagDefaults(store, profile, resource),
  };
}

async function inSandbox(shared: SharedBySessions, profile: string | undefined): Promise<Found> {
  const { baseUrl, tokenOf } = await shared.sandbox();
  return { baseUrl, token: new Secret(tokenOf(profile)), profile, defaults: {} };
}

/** Requests one record: resolves when the service takes the token, else rejects as any request would. */
export async function verifyConnection(context: Context, connection: CompleteConnection): Promise<void> {
  const { baseUrl, token } = connection;
  const service = { baseUrl, token: token.reveal(), tokenHint: tokenHint(connection) };
  const client = await makeClient(context, service, {});
  try {
    await probeListing(client, issued, { signal: context.signal });
  } finally {
    await client.close();
  }
}

/** Whether the flags name several organizations, or the form of several: a folder with a file for each. */
export function isOfSeveral({ profile, allProfiles, outputDir }: GlobalFlags & ProfilesFlags): boolean {
  return allProfiles === true || outputDir !== undefined || profile?.includes(',') === true;
}

/**
 * The profiles of the flags, in the order typed or stored. Throws UsageError for an unknown one, or where the environment would give
 * all one token; AuthError where there is none.
 */
export async function chooseProfiles(
  context: Context,
  flags: GlobalFlags & ProfilesFlags,
  notices: Notices,
): Promise<readonly string[]> {
  const { profile, sandbox, tokenFile, allProfiles } = flags;
  const { names: chosen } = profileChoice(profile, allProfiles);
  if (sandbox) {
    const profiles = chosen ?? SANDBOX_PROFILES;
    profiles.forEach(placeInSandbox);
    return profiles;
  }
  const refuseOne = (name: string, what: string, isSet: boolean, hint?: string): void => {
    if (isSet)
      throw new UsageError(`${name} gives one ${what}, and several profiles have each their own`, { hint });
  };
  const unset = (name: string): string => `Unset it for this command with \`env -u ${name} folio …\`.`;
  const { FOLIO_BASE_URL: url, FOLIO_TOKEN: token } = context.env;
  refuseOne('FOLIO_BASE_URL', 'address', Boolean(url), unset('FOLIO_BASE_URL'));
  refuseOne('--token-file', 'token', tokenFile !== undefined);
  refuseOne('FOLIO_TOKEN', 'token', Boolean(token), unset('FOLIO_TOKEN'));
  const store = await context.config();
  const profiles = chosen ?? store.profileNames;
  if (profiles.length === 0) {
    throw new AuthError('there are no profiles', {
      hint: 'Log in with `folio auth login --profile <name> --base-url https://<host>/v1`.',
    });
  }
  for (const name of profiles) knownProfile(name, store);
  const duplicates = duplicateProfiles(store, profiles);
  for (const [name, first] of duplicates) {
    const same = `the profiles ${first} and ${name} are of one organization`;
    if (chosen !== undefined) {
      throw new UsageError(`--profile ${profile}: ${same}, whose records would come twice`, {
        hint: `Leave out ${name}.`,
      });
    }
    notices.warn(`${same}; ${name} is left out`);
  }
  return profiles.filter((name) => !duplicates.has(name));
}
