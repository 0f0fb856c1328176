import type { Delivery } from '../paging/page.ts';
import { UniqueRecords } from '../paging/unique-records.ts';
import {
  isCounted,
  keyColumns,
  cursorPages,
  numberedPages,
  requestSize,
  type ListingQuery,
  type OpenListingOptions,
} from './listing-pages.ts';
import type { Resource } from './resource.ts';
import { walkCursors } from '../paging/cursor-walk.ts';
import { walkNumbered } from '../paging/numbered-walk.ts';

/** Turns a declaration and a query into the stream of its records, in order. Sends nothing before the stream is read. */
export async function* openListing(
  resource: Resource,
  query: ListingQuery,
  options: OpenListingOptions,
): AsyncGenerator<Delivery> {
  if (query.fiscalIds.length === 0) return yield* openQuery(resource, query, options);
  // Loaded late: few listings come here.
  const { FiscalIdWalk } = await import('./fiscal-id-walk.ts');
  yield* new FiscalIdWalk({ resource, query, options }, openQuery).walk();
}

/** The same for a query that the service takes as it is. */
async function* openQuery(
  resource: Resource,
  query: ListingQuery,
  options: OpenListingOptions,
): AsyncGenerator<Delivery> {
  const { paging, sortBy } = resource;
  const { status, signal, concurrency } = options;
  const { page, pageSize, limit } = query;
  const listing = { resource, query, options };
  const unique = await UniqueRecords.of(keyColumns(resource, query), { isCounted: isCounted(resource) });
  const size = requestSize(resource, query);
  if (paging.kind === 'cursor') {
    const fetchPage = cursorPages(listing, paging);
    return yield* walkCursors({ status, signal, unique, fetchPage, size, limit, from: query.nextToken });
  }
  const [, typed] = query.params.find(([name]) => name === 'options_sortBy') ?? [];
  const key = query.sortBy ?? typed;
  // By a key whose values can change, records may change places while they are read.
  const orderMayMove = key !== undefined && sortBy?.lasting.includes(key.toUpperCase()) === false;
  const fetchPage = numberedPages(listing, paging);
  const { maxSize } = paging;
  const shared = { status, signal, concurrency, unique, maxSize, orderMayMove, fetchPage };
  if (page !== undefined) {
    const served = pageSize ?? paging.serviceSize;
    const from = (page - paging.firstPage) * served;
    const until = from + Math.min(served, limit ?? served);
    return yield* walkNumbered({ ...shared, size: served, from, until, isSinglePage: true });
  }
  // The same listing in an order whose key does not repeat, unless the query has an order that folio does not know.
  const isSortable = sortBy !== undefined && query.sortBy !== sortBy.unique && typed === undefined;
  const sorted = isSortable ? { ...listing, query: { ...query, sortBy: sortBy.unique } } : undefined;
  const fetchSorted = sorted && numberedPages(sorted, paging);
  yield* walkNumbered({ ...shared, fetchSorted, size, until: limit });
}
