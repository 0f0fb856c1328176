import { isLoopback } from '../api/base-url.ts';
import { createFileClient, type FileClient } from '../api/file-client.ts';
import type { Context } from '../context.ts';
import { version } from '../version.ts';
import { requestDefaults, type RequestFlags } from './request-flags.ts';

/** Files that are fetched at once. */
export const FILES_AT_ONCE = 8;

/** The client for files behind links of the service at `baseUrl`; it never sees a token. Sends nothing. */
export async function makeFileClient(
  context: Context,
  baseUrl: URL,
  flags: RequestFlags,
): Promise<FileClient> {
  const { retries, retryDelay: delay, timeout } = { ...requestDefaults, ...flags };
  const { env, clock } = context;
  const transport = await context.openFileTransport({ connections: FILES_AT_ONCE, env });
  const retry = { retries, delay };
  const onLoopback = isLoopback(baseUrl.hostname);
  return createFileClient({
    transport,
    retry,
    timeout,
    clock,
    version,
    onLoopback,
    concurrency: FILES_AT_ONCE,
  });
}
