import type { ApiClient } from '../api/api-client.ts';
import { parseBaseUrl } from '../api/base-url.ts';
import type { ObserveRequests } from '../api/request-event.ts';
import type { RetryQuota } from '../api/retry-quota.ts';
import type { Context } from '../context.ts';
import { decodeToken } from '../config/json-web-token.ts';
import { requireConnection } from '../config/require-connection.ts';
import { resolveConnection } from '../config/resolve-connection.ts';
import { UsageError } from '../errors.ts';
import type { Resource } from '../resources/resource.ts';
import { flagDefaults, type FlagDefaults } from './config-defaults.ts';
import type { GlobalFlags } from './global-flags.ts';
import { makeClient } from './make-client.ts';
import type { Notices } from './notices.ts';
import { startOwnService, type OwnService } from './own-service.ts';
import { requestDefaults, type RequestFlags } from './request-flags.ts';

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

export interface SessionOptions {
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

interface Target {
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
  target: Target,
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
    hint: 'several go with issued, received, customers and funds',
  });
}

async function resolveTarget(context: Context, options: SessionOptions): Promise<Target> {
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

async function ownTarget(context: Context, { flags, shared }: SessionOptions): Promise<Target> {
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
