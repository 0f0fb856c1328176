import { pathSegment, type QueryPair } from '../api/address.ts';
import type { ApiClient } from '../api/client.ts';
import { walkCursors } from '../paging/cursor-walk.ts';
import { walkNumbered } from '../paging/numbered-walk.ts';
import type { Delivery, FetchPage } from '../paging/page.ts';
import { UniqueRecords } from '../paging/unique-records.ts';
import type { WalkStatus } from '../paging/walk-status.ts';
import { cursorPages, numberedPages, type PageRequest } from './listing-pages.ts';
import { filterParameters, keyColumns, requestSize, type ListingQuery } from './listing-query.ts';
import type { CursorPaging, NumberedPaging, Resource } from './resource.ts';

export interface OpenListingOptions {
  readonly client: ApiClient;
  readonly concurrency: number;
  readonly status: WalkStatus;
  readonly signal: AbortSignal;
  /** Receives the text of the service's `errors` (spec 2.4), page by page as they come. */
  readonly onErrors: (errors: Buffer) => void;
  /** Is told what folio found out about the service, for --verbose. */
  readonly onDetail?: ((text: string) => void) | undefined;
  /** Where an earlier walk left off, and what it gave. */
  readonly resume?: { readonly next: number | string; readonly given: UniqueRecords } | undefined;
}

/** The ordered stream of the records of a query that one address can hold. Nothing is asked before it is read. */
export function openQuery(
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

function openNumbered({
  resource,
  paging,
  query,
  options,
}: Opening<NumberedPaging>): AsyncGenerator<Delivery> {
  const { status, signal, concurrency, resume } = options;
  const isOurs = query.pageSize === undefined;
  const given = resume?.given ?? new UniqueRecords(keyColumns(resource, query));
  const shared = { status, signal, concurrency, given, maxSize: paging.maxSize, ...sortOf(resource, query) };
  const request = requestOf(resource, query, options);
  if (query.page !== undefined) {
    const size = query.pageSize ?? paging.serviceSize;
    const from = (query.page - paging.firstPage) * size;
    const until = from + Math.min(size, query.limit ?? size);
    const fetchPage = numberedPages(request, paging, { unsaid: isOurs ? size : undefined });
    return walkNumbered({ ...shared, fetchPage, size, from, until, isSinglePage: true });
  }
  return walkNumbered({
    ...shared,
    fetchPage: numberedPages(request, paging, { isOurs }),
    fetchSorted: sortedPages({ resource, paging, query, options }),
    size: requestSize(resource, query),
    from: resume === undefined ? 0 : (resume.next as number),
    until: query.limit,
  });
}

function openCursors({ resource, paging, query, options }: Opening<CursorPaging>): AsyncGenerator<Delivery> {
  const { status, signal, resume } = options;
  const fetchPage = cursorPages(requestOf(resource, query, options), paging, {
    isOurs: query.pageSize === undefined,
  });
  return walkCursors({
    ...{ status, signal, fetchPage },
    size: requestSize(resource, query),
    limit: query.limit,
    from: resume === undefined ? query.nextToken : (resume.next as string),
    given: resume?.given ?? new UniqueRecords(keyColumns(resource, query)),
  });
}

function requestOf(resource: Resource, query: ListingQuery, options: OpenListingOptions): PageRequest {
  const { client, onErrors } = options;
  const path = resource.path.replace('{id}', () => pathSegment(query.id ?? ''));
  return { path, filters: filterParameters(resource, query), client, onErrors };
}

/** Whether records may change places while they are read: by any key but those that stay what they are. */
function sortOf({ sortBy }: Resource, query: ListingQuery): { readonly orderMayMove: boolean } {
  const key = query.sortBy ?? valueOf(query.params, 'options_sortBy');
  return { orderMayMove: key !== undefined && sortBy?.lasting.includes(key.toUpperCase()) === false };
}

/** The same listing in an order whose key does not repeat; undefined where it has none, or is asked for in it. */
function sortedPages({ resource, paging, query, options }: Opening<NumberedPaging>): FetchPage | undefined {
  const unique = resource.sortBy?.unique;
  if (unique === undefined || query.sortBy === unique) return undefined;
  if (valueOf(query.params, 'options_sortBy') !== undefined) return undefined;
  const request = requestOf(resource, { ...query, sortBy: unique }, options);
  return numberedPages(request, paging, { isOurs: query.pageSize === undefined });
}

function valueOf(params: readonly QueryPair[], name: string): string | undefined {
  return params.find((pair) => pair[0] === name)?.[1];
}
