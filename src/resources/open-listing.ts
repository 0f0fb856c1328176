import { pathSegment, type QueryPair } from '../api/address.ts';
import type { Delivery, FetchPage } from '../paging/page.ts';
import { UniqueRecords } from '../paging/unique-records.ts';
import {
  filterParameters,
  keyColumns,
  cursorPages,
  numberedPages,
  requestSize,
  type ListingQuery,
  type OpenListingOptions,
  type PageRequest,
} from './listing-pages.ts';
import type { CursorPaging, NumberedPaging, Resource } from './resource.ts';
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
  const { FiscalIdWalk } = await import('./fiscal-ids.ts');
  yield* new FiscalIdWalk({ resource, query, options, openQuery }).walk();
}

/** The same for a query that the service takes as it is. */
function openQuery(
  resource: Resource,
  query: ListingQuery,
  options: OpenListingOptions,
): AsyncGenerator<Delivery> {
  const { paging } = resource;
  return paging.kind === 'cursor'
    ? openCursors({ resource, paging, query, options })
    : openNumbered({ resource, paging, query, options });
}

interface Opening<Paging> {
  readonly resource: Resource;
  readonly paging: Paging;
  readonly query: ListingQuery;
  readonly options: OpenListingOptions;
}

async function* openNumbered({
  resource,
  paging,
  query,
  options,
}: Opening<NumberedPaging>): AsyncGenerator<Delivery> {
  const { status, signal, concurrency } = options;
  const isAdjustable = query.pageSize === undefined;
  const given = await UniqueRecords.of(keyColumns(resource, query));
  const shared = { status, signal, concurrency, given, maxSize: paging.maxSize, ...sortOf(resource, query) };
  const request = requestOf(resource, query, options);
  if (query.page !== undefined) {
    const size = query.pageSize ?? paging.serviceSize;
    const from = (query.page - paging.firstPage) * size;
    const until = from + Math.min(size, query.limit ?? size);
    const fetchPage = numberedPages(request, paging, { defaultSize: isAdjustable ? size : undefined });
    return yield* walkNumbered({ ...shared, fetchPage, size, from, until, isSinglePage: true });
  }
  yield* walkNumbered({
    ...shared,
    fetchPage: numberedPages(request, paging, { isAdjustable }),
    fetchSorted: sortedPages({ resource, paging, query, options }),
    size: requestSize(resource, query),
    until: query.limit,
  });
}

async function* openCursors({
  resource,
  paging,
  query,
  options,
}: Opening<CursorPaging>): AsyncGenerator<Delivery> {
  const { status, signal } = options;
  const fetchPage = cursorPages(requestOf(resource, query, options), paging, {
    isAdjustable: query.pageSize === undefined,
  });
  yield* walkCursors({
    status,
    signal,
    fetchPage,
    size: requestSize(resource, query),
    limit: query.limit,
    from: query.nextToken,
    given: await UniqueRecords.of(keyColumns(resource, query)),
  });
}

function requestOf(resource: Resource, query: ListingQuery, options: OpenListingOptions): PageRequest {
  const { client, onErrors } = options;
  const path = resource.path.replace('{id}', () => pathSegment(query.id ?? ''));
  return { path, filters: filterParameters(resource, query), client, onErrors };
}

/** Whether records may change places while they are read: in an order by a key whose values can change. */
function sortOf({ sortBy }: Resource, query: ListingQuery): { readonly orderMayMove: boolean } {
  const key = query.sortBy ?? valueOf(query.params, 'options_sortBy');
  return { orderMayMove: key !== undefined && sortBy?.lasting.includes(key.toUpperCase()) === false };
}

/** The same listing in an order whose key does not repeat; undefined where it has no such order, or is in it already. */
function sortedPages({ resource, paging, query, options }: Opening<NumberedPaging>): FetchPage | undefined {
  const unique = resource.sortBy?.unique;
  if (unique === undefined || query.sortBy === unique) return undefined;
  if (valueOf(query.params, 'options_sortBy') !== undefined) return undefined;
  const request = requestOf(resource, { ...query, sortBy: unique }, options);
  return numberedPages(request, paging, { isAdjustable: query.pageSize === undefined });
}

function valueOf(params: readonly QueryPair[], name: string): string | undefined {
  return params.find((pair) => pair[0] === name)?.[1];
}
