import type { ApiClient } from '../api/client.ts';
import { RefusedQuery } from '../api/status-failure.ts';
import { PageRefused } from '../paging/page.ts';
import { issued } from './issued.ts';
import { cursorPages, numberedPages } from './listing-pages.ts';
import { filterParameters, type ListingQuery } from './listing-query.ts';
import type { NumberedPaging, Resource } from './resource.ts';

/** Asks for one issued invoice: the cheapest call that shows whether the service takes the token (spec 5 rule 4). */
export async function probe(client: ApiClient, signal: AbortSignal): Promise<void> {
  const request = { path: issued.path, filters: [], client, onErrors: () => {} };
  await numberedPages(request, issued.paging as NumberedPaging)({ offset: 0, size: 1 }, signal, 'retry');
}

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
    await cursorPages(request, paging)({ cursor: undefined, size: 1, signal, patience: 'retry' });
    return undefined;
  }
  try {
    return (await numberedPages(request, paging)({ offset: 0, size: 1 }, signal, 'retry')).total;
  } catch (error) {
    // There is no smaller page to ask for.
    throw error instanceof PageRefused ? error.cause : error;
  }
}

interface ProbeOptions {
  readonly client: ApiClient;
  readonly signal: AbortSignal;
}

/**
 * Asks once more for a listing that was refused (400), for one record and without its fiscal IDs. True when the service
 * answers that: then it was the IDs, of which none exist (spec 4.2 rule 2), in whichever form the refusal came; false
 * when it refuses that too: then it is the rest of the query.
 */
export async function existsWithoutIds(
  resource: Resource,
  query: ListingQuery,
  { client, signal }: ProbeOptions,
): Promise<boolean> {
  if (resource.paging.kind !== 'numbered' || query.fiscalIds.length === 0) return false;
  const filters = filterParameters(resource, { ...query, fiscalIds: [] });
  const request = { path: resource.path, filters, client, onErrors: () => {} };
  try {
    await numberedPages(request, resource.paging)({ offset: 0, size: 1 }, signal, 'retry');
    return true;
  } catch (error) {
    if (error instanceof RefusedQuery) return false;
    throw error;
  }
}
