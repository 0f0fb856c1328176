import type { ApiClient } from '../api/client.ts';
import { pathSegment } from '../api/address.ts';
import { walkCursors } from '../paging/cursor-walk.ts';
import { walkNumbered } from '../paging/numbered-walk.ts';
import type { Delivery } from '../paging/page.ts';
import type { UniqueRecords } from '../paging/unique-records.ts';
import type { WalkStatus } from '../paging/walk-status.ts';
import { cursorPages } from './listing-pages.ts';
import { filterParameters, requestSize, type ListingQuery } from './listing-query.ts';
import { numberedPages } from './listing-pages.ts';
import type { PageRequest } from './listing-pages.ts';
import type { CursorPaging, NumberedPaging, Resource } from './resource.ts';

interface OpenListingOptions {
  readonly client: ApiClient;
  readonly concurrency: number;
  readonly account: WalkStatus;
  readonly signal: AbortSignal;
  /** Receives the text of the service's `errors` (spec 2.4), page by page as they come. */
  readonly onErrors: (errors: Buffer) => void;
  /** Where an earlier walk left off, and what it gave. */
  readonly resume?: { readonly next: number | string; readonly given: UniqueRecords } | undefined;
}

/** Turns a declaration and a query into the ordered stream of its records. Nothing is asked before it is read. */
export function openListing(
  resource: Resource,
  query: ListingQuery,
  options: OpenListingOptions,
): AsyncGenerator<Delivery> {
  const path = resource.path.replace('{id}', () => pathSegment(query.id ?? ''));
  const filters = filterParameters(resource, query);
  const { paging } = resource;
  const request = { path, filters, client: options.client, onErrors: options.onErrors };
  return paging.kind === 'cursor'
    ? openCursors({ resource, paging, query, request, options })
    : openNumbered({ resource, paging, query, request, options });
}

interface Opening<Paging> {
  readonly resource: Resource;
  readonly paging: Paging;
  readonly query: ListingQuery;
  readonly request: PageRequest;
  readonly options: OpenListingOptions;
}

function openNumbered(opening: Opening<NumberedPaging>): AsyncGenerator<Delivery> {
  const { resource, paging, query, request, options } = opening;
  const { account, signal, concurrency, resume } = options;
  const shared = { account, signal, concurrency };
  if (query.page !== undefined) {
    const size = query.pageSize ?? paging.serviceSize;
    const from = (query.page - paging.firstPage) * size;
    const until = from + Math.min(size, query.limit ?? size);
    const fetchPage = numberedPages(request, paging, query.pageSize === undefined ? size : undefined);
    return walkNumbered({ ...shared, fetchPage, size, from, until, isSinglePage: true });
  }
  const start = resume === undefined ? {} : { from: resume.next as number, given: resume.given };
  return walkNumbered({
    ...shared,
    ...start,
    fetchPage: numberedPages(request, paging),
    size: requestSize(resource, query),
    until: query.limit,
  });
}

function openCursors(opening: Opening<CursorPaging>): AsyncGenerator<Delivery> {
  const { resource, paging, query, request, options } = opening;
  const { account, signal, resume } = options;
  const size = requestSize(resource, query);
  const fetchPage = cursorPages(request, paging, { size, said: query.pageSize !== undefined });
  const start =
    resume === undefined ? { from: query.nextToken } : { from: resume.next as string, given: resume.given };
  return walkCursors({ account, signal, fetchPage, limit: query.limit, ...start });
}
