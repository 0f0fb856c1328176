import type { ApiClient } from '../api/api-client.ts';
import { createClient } from '../api/client.ts';
import type { ObserveRequests } from '../api/request-event.ts';
import type { Context } from '../context.ts';
import { version } from '../version.ts';
import { requestDefaults, type RequestFlags } from './request-flags.ts';

/** Bytes on the wire of one response, at most. */
const MOST_ON_THE_WIRE = 64 * 1024 * 1024;

/** The client of one organization, patient as the flags say. Loads the HTTP library; sends nothing. */
export async function makeClient(
  context: Context,
  { baseUrl, token }: { readonly baseUrl: URL; readonly token: string },
  flags: RequestFlags,
  observe?: ObserveRequests,
): Promise<ApiClient> {
  const { concurrency, retries, retryDelay: delay, timeout } = { ...requestDefaults, ...flags };
  const transport = await context.openTransport({
    origin: baseUrl.origin,
    connections: concurrency,
    env: context.env,
    maxResponseBytes: MOST_ON_THE_WIRE,
  });
  const { clock, signal } = context;
  const retry = { retries, delay };
  return createClient({
    baseUrl,
    token,
    version,
    transport,
    concurrency,
    observe,
    retry,
    timeout,
    clock,
    signal,
  });
}
