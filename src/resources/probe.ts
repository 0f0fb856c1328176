import type { ApiClient } from '../api/api-client.ts';
import { issued } from './issued.ts';
import { numberedPages } from './numbered-pages.ts';
import type { NumberedPaging } from './resource.ts';

/** Asks for one issued invoice: the cheapest call that shows whether the service takes the token (spec 5 rule 4). */
export async function probe(client: ApiClient, signal: AbortSignal): Promise<void> {
  const request = { path: issued.path, filters: [], client, onErrors: () => {} };
  await numberedPages(request, issued.paging as NumberedPaging)({ offset: 0, size: 1 }, signal);
}
