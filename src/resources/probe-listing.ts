import type { ApiClient } from '../api/api-client.ts';
import { PageRefused } from '../paging/page.ts';
import { cursorPages } from './cursor-pages.ts';
import { numberedPages } from './numbered-pages.ts';
import type { Resource } from './resource.ts';

/**
 * Asks a listing for its first record, in one call. A single record is small enough for any limit of the service.
 *
 * @returns how many records it says there are; undefined where it does not say
 */
export async function probeListing(
  client: ApiClient,
  { path, paging }: Resource,
  signal: AbortSignal,
): Promise<number | undefined> {
  const request = { path, filters: [], client, onErrors: () => {} };
  if (paging.kind === 'cursor') {
    await cursorPages(request, paging, { size: 1, said: false })(undefined, signal);
    return undefined;
  }
  try {
    return (await numberedPages(request, paging)({ offset: 0, size: 1 }, signal)).total;
  } catch (error) {
    // There is no smaller page to ask for.
    throw error instanceof PageRefused ? error.cause : error;
  }
}
