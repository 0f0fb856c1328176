import { pathSegment, type QueryPair } from '../api/address.ts';
import type { Delivery } from '../paging/page.ts';
import { UniqueRecords } from '../paging/unique-records.ts';
import {
  filterParameters,
  isCounted,
  keyColumns,
  cursorPages,
  numberedPages,
  requestSize,
  type ListingQuery,
  type OpenListingOptions,
  type PageRequest,
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
  const { paging } = resource;
  const { status, signal, concurrency } = options;
  const request = requestOf(resource, query, options);
  const unique = await UniqueRecords.of(keyColumns(resource, query), { isCounted: isCounted(resource) });
  const isAdjustable = query.pageSize === undefined;
  const size = requestSize(resource, query);
  if (paging.kind === 'cursor') {
    const fetchPage = cursorPages(request, paging, { isAdjustable });
    const { limit, nextToken: from } = query;
    return yield* walkCursors({ status, signal, unique, fetchPage, size, limit, from });
  }
  const shared = { status, signal, concurrency, unique, maxSize: paging.maxSize, ...sortOf(resource, query) };
  if (query.page !== undefined) {
    const served = query.pageSize ?? paging.serviceSize;
    const from = (query.page - paging.firstPage) * served;
    const until = from + Math.min(served, query.limit ?? served);
    const fetchPage = numberedPages(request, paging, { defaultSize: isAdjustable ? served : undefined });
    return yield* walkNumbered({ ...shared, fetchPage, size: served, from, until, isSinglePage: true });
  }
  const sorted = inUniqueOrder(resource, query);
  yield* walkNumbered({
    ...shared,
    fetchPage: numberedPages(request, paging, { isAdjustable }),
    fetchSorted: sorted && numberedPages(requestOf(resource, sorted, options), paging, { isAdjustable }),
    size,
    until: query.limit,
  });
}

function requestOf(resource: Resource, query: ListingQuery, options: OpenListingOptions): PageRequest {
  const { client, onErrors, onBody } = options;
  const path = resource.path.replace('{id}', () => pathSegment(query.id ?? ''));
  return { path, filters: filterParameters(resource, query), client, onErrors, onBody };
}

/** Whether records may change places while they are read: in an order by a key whose values can change. */
function sortOf({ sortBy }: Resource, query: ListingQuery): { readonly orderMayMove: boolean } {
  const key = query.sortBy ?? valueOf(query.params, 'options_sortBy');
  return { orderMayMove: key !== undefined && sortBy?.lasting.includes(key.toUpperCase()) === false };
}

/** The same listing in an order whose key does not repeat; undefined where it has no such order, or the query names one. */
function inUniqueOrder({ sortBy }: Resource, query: ListingQuery): ListingQuery | undefined {
  const unique = sortBy?.unique;
  const isNamed = query.sortBy === unique || valueOf(query.params, 'options_sortBy') !== undefined;
  return unique === undefined || isNamed ? undefined : { ...query, sortBy: unique };
}

function valueOf(params: readonly QueryPair[], name: string): string | undefined {
  return params.find((pair) => pair[0] === name)?.[1];
}
