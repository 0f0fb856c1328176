import type { ApiClient } from '../api/api-client.ts';
import { parseBaseUrl } from '../api/base-url.ts';
import type { ObserveRequests } from '../api/request-event.ts';
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
import { requestDefaults, type RequestFlags } from './request-flags.ts';

/** One organization at one address, ready to be asked. */
export interface Session {
  readonly client: ApiClient;
  /** The name of the profile in use; undefined where the token came by flag or environment, or in the sandbox. */
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
  const { flags, observe } = options;
  const target = flags.sandbox
    ? await startOwnService(context, flags)
    : await resolveTarget(context, options);
  context.secrets.hide([target.token]);
  const { baseUrl, token, profile, defaults } = target;
  const patience = { ...requestDefaults, ...defaults, ...flags };
  const client = await makeClient(context, { baseUrl, token }, patience, observe);
  const close = async (): Promise<void> => {
    await client.close();
    await target.close();
  };
  const organization = decodeToken(token)?.organizationId;
  const { concurrency } = patience;
  return { client, profile, baseUrl, organization, concurrency, defaults, close };
}

async function resolveTarget(context: Context, options: SessionOptions): Promise<Target> {
  const { flags, notices, resource = { name: '' } } = options;
  const { env, stdin, signal, clock } = context;
  const store = await context.config();
  const connection = requireConnection(
    await resolveConnection({ flags, env, store, stdin, signal, parseBaseUrl }),
    clock.now(),
  );
  const { baseUrl, profile } = connection;
  for (const note of connection.notes) notices.remark(note);
  return {
    baseUrl,
    profile,
    token: connection.token.reveal(),
    defaults: flagDefaults(store, profile, resource),
    close: async () => {},
  };
}

/** The embedded service, in this process, for as long as the run takes. */
export async function startOwnService(context: Context, flags: GlobalFlags): Promise<Target> {
  const other = (['profile', 'baseUrl', 'tokenFile'] as const).find((name) => flags[name] !== undefined);
  if (other !== undefined) {
    const flag = { profile: '--profile', baseUrl: '--base-url', tokenFile: '--token-file' }[other];
    throw new UsageError(
      `--sandbox and ${flag} do not go together: the sandbox brings its own address and token`,
    );
  }
  const { startSandbox } = await import('../sandbox/server.ts');
  const sandbox = await startSandbox({ now: () => context.clock.now() });
  const close = (): Promise<void> => sandbox.close();
  return {
    baseUrl: parseBaseUrl(sandbox.baseUrl),
    token: sandbox.tokens[0],
    profile: undefined,
    defaults: {},
    close,
  };
}
