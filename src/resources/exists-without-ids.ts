import { RefusedQuery } from '../api/refused-query.ts';
import type { ApiClient } from '../api/api-client.ts';
import { filterParameters, type ListingQuery } from './listing-query.ts';
import { numberedPages } from './numbered-pages.ts';
import type { Resource } from './resource.ts';

export interface ProbeOptions {
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
    await numberedPages(request, resource.paging)({ offset: 0, size: 1 }, signal);
    return true;
  } catch (error) {
    if (error instanceof RefusedQuery) return false;
    throw error;
  }
}
