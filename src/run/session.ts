import { parseBaseUrl } from '../api/address.ts';
import { createClient, type ApiClient, type ObserveRequests } from '../api/client.ts';
import type { RetryQuota } from '../api/retry.ts';
import { requestDefaults, type GlobalFlags, type RequestFlags } from '../cli/flags.ts';
import { flagDefaults, type FlagDefaults } from '../cli/settings.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { requireConnection, resolveConnection, type CompleteConnection } from '../profiles/connection.ts';
import { decodeToken } from '../profiles/token.ts';
import { probe } from '../resources/probe.ts';
import type { Resource } from '../resources/resource.ts';
import { version } from '../version.ts';
import type { Notices } from './notices.ts';

/** Bytes on the wire of one response, at most. */
const MOST_ON_THE_WIRE = 64 * 1024 * 1024;

/** Whom a client asks, and who follows it. */
interface ClientSite {
  readonly baseUrl: URL;
  readonly token: string;
  readonly observe?: ObserveRequests | undefined;
  /** Shared by all clients of a run; without it the client has its own. */
  readonly quota?: RetryQuota | undefined;
}

/** The client of one organization, patient as the flags say. Loads the HTTP library; sends nothing. */
export async function makeClient(
  context: Context,
  site: ClientSite,
  flags: RequestFlags,
): Promise<ApiClient> {
  const { concurrency, retries, retryDelay: delay, timeout } = { ...requestDefaults, ...flags };
  const { clock, signal, env } = context;
  const transport = await context.openTransport({
    origin: site.baseUrl.origin,
    connections: concurrency,
    env,
    maxResponseBytes: MOST_ON_THE_WIRE,
  });
  const retry = { retries, delay };
  return createClient({ ...site, version, transport, concurrency, retry, timeout, clock, signal });
}

/** What the two organizations of the embedded service are called where they stand in for profiles. */
export const SANDBOX_PROFILES = ['one', 'two'] as const;

/** The embedded service, in this process, for as long as a run takes. */
interface OwnService {
  readonly baseUrl: URL;
  /** The token of the organization called so; of the first where none is named. */
  tokenOf(profile: string | undefined): string;
  close(): Promise<void>;
}

/** Starts the service for --sandbox. Throws UsageError for flags that say whom to ask instead. */
export async function startOwnService(context: Context, flags: GlobalFlags): Promise<OwnService> {
  const other = (['baseUrl', 'tokenFile'] as const).find((name) => flags[name] !== undefined);
  if (other !== undefined) {
    const flag = { baseUrl: '--base-url', tokenFile: '--token-file' }[other];
    throw new UsageError(
      `--sandbox and ${flag} do not go together: the sandbox brings its own address and token`,
    );
  }
  const { startSandbox } = await import('../sandbox/server.ts');
  const sandbox = await startSandbox({ now: () => context.clock.now() });
  return {
    baseUrl: parseBaseUrl(sandbox.baseUrl),
    tokenOf: (profile) => sandbox.tokens[profile === undefined ? 0 : placeInSandbox(profile)],
    close: () => sandbox.close(),
  };
}

/** Which of the two organizations is called so. Throws UsageError where neither is. */
export function placeInSandbox(profile: string): 0 | 1 {
  const place = SANDBOX_PROFILES.findIndex((name) => name === profile);
  if (place === 0 || place === 1) return place;
  throw new UsageError(`--sandbox has no profile ${JSON.stringify(profile)}`, {
    hint: `Its organizations are ${SANDBOX_PROFILES.join(' and ')}.`,
  });
}

/** Asks the service for one record: resolves when it takes the token, else rejects as any request would. */
export async function verifyConnection(context: Context, connection: CompleteConnection): Promise<void> {
  const { baseUrl, token } = connection;
  const client = await makeClient(context, { baseUrl, token: token.reveal() }, {});
  try {
    await probe(client, context.signal);
  } finally {
    await client.close();
  }
}

/** One organization at one address, ready to be asked. */
export interface Session {
  readonly client: ApiClient;
  /** The name of the profile whose token is used; undefined where that came by flag or environment. */
  readonly profile: string | undefined;
  readonly baseUrl: URL;
  /** As the token names it, where it does. */
  readonly organization: string | undefined;
  readonly concurrency: number;
  /** What the profile's settings, or those for all, say for flags that are not given. */
  readonly defaults: FlagDefaults;
  close(): Promise<void>;
}

interface SessionOptions {
  readonly flags: GlobalFlags & RequestFlags;
  /** What is to be listed, for the settings that concern it alone. */
  readonly resource?: Pick<Resource, 'name'>;
  readonly notices: Notices;
  readonly observe: ObserveRequests;
  /** What the sessions of one run share; a session that is given none has its own. */
  readonly shared?: SharedBySessions | undefined;
}

export interface SharedBySessions {
  readonly quota: RetryQuota;
  /** Under --sandbox. */
  readonly service?: OwnService | undefined;
}

interface SessionTarget {
  readonly baseUrl: URL;
  readonly token: string;
  readonly profile: string | undefined;
  readonly defaults: FlagDefaults;
  close(): Promise<void>;
}

/**
 * Finds out whom to ask and with which token, and makes the client. Sends nothing.
 *
 * @throws AuthError where there is no token, or one that has ended
 */
export async function openSession(context: Context, options: SessionOptions): Promise<Session> {
  const { flags } = options;
  refuseSeveral(flags);
  const target = flags.sandbox ? await ownTarget(context, options) : await resolveTarget(context, options);
  context.secrets.hide([target.token]);
  try {
    return await connect(context, target, options);
  } catch (error) {
    await target.close();
    throw error;
  }
}

async function connect(
  context: Context,
  target: SessionTarget,
  { flags, observe, shared }: SessionOptions,
): Promise<Session> {
  const { baseUrl, token, profile, defaults } = target;
  const patience = { ...requestDefaults, ...defaults, ...flags };
  const client = await makeClient(context, { baseUrl, token, observe, quota: shared?.quota }, patience);
  const close = async (): Promise<void> => {
    await client.close();
    await target.close();
  };
  const organization = decodeToken(token)?.organizationId;
  const { concurrency } = patience;
  return { client, profile, baseUrl, organization, concurrency, defaults, close };
}

/** Only listings ask several organizations, each with a session of its own. */
function refuseSeveral({ profile }: GlobalFlags): void {
  if (profile?.includes(',') !== true) return;
  throw new UsageError(`--profile ${profile}: this command asks one organization`, {
    hint: 'Several profiles go with issued, received, customers and funds.',
  });
}

async function resolveTarget(context: Context, options: SessionOptions): Promise<SessionTarget> {
  const { flags, notices, resource = { name: '' } } = options;
  const { env, stdin, signal, clock } = context;
  const store = await context.config();
  const connection = requireConnection(
    await resolveConnection({ flags, env, store, stdin, signal, parseBaseUrl }),
    clock.now(),
  );
  const { baseUrl, profile, tokenSource } = connection;
  for (const note of connection.notes) notices.remark(note);
  const isOfProfile = tokenSource === 'profile' || tokenSource === 'token command';
  return {
    baseUrl,
    profile: isOfProfile ? profile : undefined,
    token: connection.token.reveal(),
    defaults: flagDefaults(store, profile, resource),
    close: async () => {},
  };
}

async function ownTarget(context: Context, { flags, shared }: SessionOptions): Promise<SessionTarget> {
  const service = shared?.service ?? (await startOwnService(context, flags));
  const close = shared?.service === undefined ? () => service.close() : async () => {};
  try {
    const { profile } = flags;
    return { baseUrl: service.baseUrl, token: service.tokenOf(profile), profile, defaults: {}, close };
  } catch (error) {
    await close();
    throw error;
  }
}
