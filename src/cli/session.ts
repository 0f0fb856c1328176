import type { ApiClient } from '../api/api-client.ts';
import { parseBaseUrl } from '../api/base-url.ts';
import type { ObserveRequests } from '../api/request-event.ts';
import type { Context } from '../context.ts';
import { requireConnection } from '../config/require-connection.ts';
import { resolveConnection } from '../config/resolve-connection.ts';
import { UsageError } from '../errors.ts';
import { formats, type Format } from '../output/formats.ts';
import type { GlobalFlags } from './global-flags.ts';
import { makeClient } from './make-client.ts';
import type { Notices } from './notices.ts';
import { oneOf } from './parse-values.ts';
import { requestDefaults, type RequestFlags } from './request-flags.ts';

/** One organization at one address, ready to be asked. */
export interface Session {
  readonly client: ApiClient;
  /** The name of the profile in use; undefined where the token came by flag or environment, or in the sandbox. */
  readonly profile: string | undefined;
  readonly baseUrl: URL;
  readonly concurrency: number;
  /** The format that the profile's settings, or those for all, prefer. */
  readonly format: Format | undefined;
  close(): Promise<void>;
}

interface Target {
  readonly baseUrl: URL;
  readonly token: string;
  readonly profile: string | undefined;
  readonly format: Format | undefined;
  close(): Promise<void>;
}

/**
 * Finds out whom to ask and with which token, and makes the client. Sends nothing.
 *
 * @throws AuthError where there is no token, or one that has ended
 */
export async function openSession(
  context: Context,
  flags: GlobalFlags & RequestFlags,
  notices: Notices,
  observe: ObserveRequests,
): Promise<Session> {
  const target = flags.sandbox
    ? await startOwnService(context, flags)
    : await resolveTarget(context, flags, notices);
  notices.hide([target.token]);
  const { baseUrl, token, profile, format } = target;
  const concurrency = flags.concurrency ?? requestDefaults.concurrency;
  const client = await makeClient(context, { baseUrl, token }, flags, observe);
  const close = async (): Promise<void> => {
    await client.close();
    await target.close();
  };
  return { client, profile, baseUrl, concurrency, format, close };
}

async function resolveTarget(context: Context, flags: GlobalFlags, notices: Notices): Promise<Target> {
  const { env, stdin, signal, clock } = context;
  const store = await context.config();
  const connection = requireConnection(
    await resolveConnection({ flags, env, store, stdin, signal, parseBaseUrl }),
    clock.now(),
  );
  const { baseUrl, profile } = connection;
  for (const note of connection.notes) notices.remark(note);
  const format = store.settings(profile)['format'] ?? store.settings()['format'];
  return {
    baseUrl,
    profile,
    token: connection.token.reveal(),
    format: format === undefined ? undefined : oneOf('the setting format', formats)(String(format)),
    close: async () => {},
  };
}

/** The embedded service, in this process, for as long as the run takes. */
async function startOwnService(context: Context, flags: GlobalFlags): Promise<Target> {
  const other = (['profile', 'baseUrl', 'tokenFile'] as const).find((name) => flags[name] !== undefined);
  if (other !== undefined) {
    const flag = { profile: '--profile', baseUrl: '--base-url', tokenFile: '--token-file' }[other];
    throw new UsageError(
      `--sandbox and ${flag} do not go together: the sandbox brings its own address and token`,
    );
  }
  const { startSandbox } = await import('../sandbox/server.ts');
  const sandbox = await startSandbox({ now: context.clock.now });
  const close = (): Promise<void> => sandbox.close();
  return {
    baseUrl: parseBaseUrl(sandbox.baseUrl),
    token: sandbox.tokens[0],
    profile: undefined,
    format: undefined,
    close,
  };
}
