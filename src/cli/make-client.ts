import type { ApiClient } from '../api/api-client.ts';
import { createClient } from '../api/client.ts';
import type { ObserveRequests } from '../api/request-event.ts';
import type { RetryQuota } from '../api/retry-quota.ts';
import type { Context } from '../context.ts';
import { version } from '../version.ts';
import { requestDefaults, type RequestFlags } from './request-flags.ts';

/** Bytes on the wire of one response, at most. */
const MOST_ON_THE_WIRE = 64 * 1024 * 1024;

/** Whom a client asks, and who follows it. */
export interface ClientSite {
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
