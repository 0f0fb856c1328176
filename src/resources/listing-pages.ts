import { listPairs, pathSegment, type QueryPair, type ListEncoding } from '../api/address.ts';
import type { ApiClient } from '../api/client.ts';
import { StatusError } from '../api/status-failure.ts';
import { BadBody, RefusedQuery, UsageError } from '../errors.ts';
import { readCount, readJson, type Span } from '../json/bytes.ts';
import { scanPage, type ScannedPage } from '../json/scan-records.ts';
import { runCooperatively } from '../json/cooperative-task.ts';
import { walkCursors, type CursorPage, type CursorWalkOptions } from '../paging/cursor-walk.ts';
import { walkNumbered } from '../paging/numbered-walk.ts';
import { PageRefused, type Delivery, type FetchPage, type OnRefusal, type Page } from '../paging/page.ts';
import { UniqueRecords } from '../paging/unique-records.ts';
import type { WalkStatus } from '../paging/walk-status.ts';
import type { CursorPaging, NumberedPaging, Resource } from './resource.ts';
import type { KeyColumns } from '../json/identity.ts';

/** The user's request to a listing, checked. Undefined members are not sent. */
export interface ListingQuery {
  /** Replaces `{id}` in the resource's path. */
  readonly id?: string | undefined;
  readonly fiscalIds: readonly string[];
  readonly sortBy?: string | undefined;
  readonly sortOrder?: 'asc' | 'desc' | undefined;
  readonly params: readonly QueryPair[];
  /** If undefined, folio sends commas, and another form if the service does not understand them. */
  readonly listEncoding?: ListEncoding | undefined;
  /** True to find every unknown fiscal ID, also where the listing does not name it. */
  readonly strict?: boolean | undefined;
  /** The columns that identify records, in place of `id`. */
  readonly key?: readonly string[] | undefined;
  readonly page?: number | undefined;
  readonly nextToken?: string | undefined;
  /** Records a request. */
  readonly pageSize?: number | undefined;
  /** Records in all, at most. */
  readonly limit?: number | undefined;
}

export interface OpenListingOptions {
  readonly client: ApiClient;
  readonly concurrency: number;
  readonly status: WalkStatus;
  readonly signal: AbortSignal;
  /** Receives the text of the service's `errors` (spec 2.4), page by page as they come. */
  readonly onErrors: (errors: Buffer) => void;
  /** Called with what folio finds out about the service, for --verbose. */
  readonly onDetail?: ((text: string) => void) | undefined;
  /** Receives each page's body, once it was found to be well formed. */
  readonly onBody?: ((body: Buffer) => void) | undefined;
}

/**
 * Turns a declaration and a query into the stream of its records, in order. Of fiscal IDs, it sends one list as it is: see
 * `openByFiscalIds`. Sends nothing before the stream is read.
 */
export async function* openListing(
  resource: Resource,
  query: ListingQuery,
  options: OpenListingOptions,
): AsyncGenerator<Delivery> {
  const { paging, sortBy } = resource;
  const { status, signal, concurrency } = options;
  const { page, pageSize, limit } = query;
  const listing = { resource, query, options };
  // The documents of a fund may come without a total, and cursors never have one.
  const isCounted = paging.recordsIn === 'pageResults';
  const unique = await UniqueRecords.of(keyColumns(resource, query), { isCounted });
  const size = requestSize(resource, query);
  if (paging.kind === 'cursor') {
    const fetchPage = cursorPages(listing, paging);
    return yield* walkCursors({ status, signal, unique, fetchPage, size, limit, from: query.nextToken });
  }
  const [, typed] = query.params.find(([name]) => name === 'options_sortBy') ?? [];
  const key = query.sortBy ?? typed;
  // If values of the key can change, records may move while the listing is read.
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
  // The listing can be read in the order of another key, unless the query has an unknown order.
  const isSortable = sortBy !== undefined && query.sortBy !== sortBy.mostDistinct && typed === undefined;
  const sorted = isSortable ? { ...listing, query: { ...query, sortBy: sortBy.mostDistinct } } : undefined;
  const fetchSorted = sorted && numberedPages(sorted, paging);
  yield* walkNumbered({ ...shared, fetchSorted, size, until: limit });
}

/** The parameters that are the same for every page of a listing, in the service's own spelling. */
export function filterParameters(resource: Resource, query: ListingQuery): QueryPair[] {
  const parameters: QueryPair[] = [];
  if (query.sortBy !== undefined) parameters.push(['options_sortBy', query.sortBy]);
  if (query.sortOrder !== undefined && resource.sortDirections !== undefined) {
    const [ascending, descending] = resource.sortDirections;
    parameters.push(['options_sortOrder', query.sortOrder === 'asc' ? ascending : descending]);
  }
  if (resource.fiscalIds !== undefined && query.fiscalIds.length > 0) {
    parameters.push(
      ...listPairs(resource.fiscalIds.parameter, query.fiscalIds, query.listEncoding ?? 'comma'),
    );
  }
  for (const parameter of query.params) parameters.push(checked(resource, parameter));
  return parameters;
}

/** Parameters that the walk itself sends. */
const WALK_PARAMETERS = ['options_page', 'options_pageSize', 'options_nextToken'];

function checked(resource: Resource, parameter: QueryPair): QueryPair {
  const [name] = parameter;
  const reason = resource.refusedParameters[name];
  if (reason !== undefined) {
    throw new UsageError(`--param ${name}: ${reason}`, {
      hint: 'Leave it out: --where chooses among the records, and --sort sorts them.',
    });
  }
  if (WALK_PARAMETERS.includes(name)) {
    const isByCursor = resource.paging.kind === 'cursor';
    throw new UsageError(`--param ${name}: folio walks the pages itself`, {
      hint: `Leave it out; listings have --limit, --page-size and ${isByCursor ? '--next-token' : '--page'}.`,
    });
  }
  return parameter;
}

/**
 * How many records to request at a time: the user's page size; else the limit, spread evenly over as few pages as possible;
 * else the size of a whole export.
 */
function requestSize(resource: Resource, { pageSize, limit = Infinity }: ListingQuery): number {
  const { paging } = resource;
  const most = pageSize ?? paging.walkSize;
  if (limit <= most) return limit;
  if (limit === Infinity || pageSize !== undefined) return most;
  const pages = Math.ceil(limit / most);
  const share = (count: number): number => Math.ceil(limit / count);
  // Each page may be a record smaller than the one before it, so that the two can overlap.
  const sizeOf = (count: number): number => share(count) + count - 1;
  const compressedOver = paging.kind === 'numbered' ? paging.compressedOver : undefined;
  // Pages of that size would not be compressed: one page less makes them large enough.
  if (compressedOver !== undefined && share(pages) <= compressedOver) return sizeOf(pages - 1);
  return Math.min(most, sizeOf(pages));
}

/** The columns that identify the records of a listing. */
export function keyColumns(resource: Resource, { key }: Pick<ListingQuery, 'key'>): KeyColumns {
  return { named: key, natural: resource.naturalKey };
}

/** Whether --param has a parameter for the order. */
export function setsOrder(params: ListingQuery['params']): boolean {
  return params.some(([name]) => name === 'options_sortBy' || name === 'options_sortOrder');
}

/** A listing to read: its resource, the query, and the options for its pages. */
interface Listing {
  readonly resource: Resource;
  readonly query: ListingQuery;
  readonly options: Pick<OpenListingOptions, 'client' | 'onErrors' | 'onBody'>;
}

/** Reads pages by number: `page = offset / size + firstPage` (spec 4.8). */
export function numberedPages(
  listing: Listing,
  { firstPage, serviceSize, recordsIn }: NumberedPaging,
): FetchPage {
  const get = pageGetter(listing);
  const { page, pageSize } = listing.query;
  // For a single page whose size the user did not choose.
  const unsent = page !== undefined && pageSize === undefined ? serviceSize : undefined;
  const read = recordsIn === 'pageResults' ? readNumbered : readDocuments;
  const pageOf = (number: number, size: number): readonly QueryPair[] => [
    ['options_page', String(number + firstPage)],
    ...(size === unsent ? [] : [['options_pageSize', String(size)] as const]),
  ];
  // A 400 may also be for unknown fiscal IDs.
  const isAdjustable = page === undefined && pageSize === undefined && listing.query.fiscalIds.length === 0;
  return ({ offset, size }, signal, onRefusal) => {
    const small = isAdjustable && size > SMALL ? pageOf(0, SMALL) : undefined;
    return get({ query: pageOf(offset / size, size), small, recordsIn, read, signal, onRefusal });
  };
}

/** Records of the page that shows whether the service refuses a size or every request. */
const SMALL = 10;

/** Reads pages by cursor. The specification leaves the limits of their size open (spec 4.3): a 400 or 500 may be for the size. */
function cursorPages(listing: Listing, { recordsIn }: CursorPaging): CursorWalkOptions['fetchPage'] {
  const get = pageGetter(listing);
  return ({ cursor, size, signal, onRefusal }) => {
    const query: QueryPair[] = [];
    if (cursor !== undefined) query.push(['options_nextToken', cursor]);
    const isAdjustable = size !== undefined && listing.query.pageSize === undefined;
    const small =
      isAdjustable && size > SMALL ? [...query, ['options_pageSize', `${SMALL}`] as const] : undefined;
    if (size !== undefined) query.push(['options_pageSize', String(size)]);
    const request = { query, small, recordsIn, read: readCursorPage, signal, onRefusal };
    return get(request).catch((error: unknown) => {
      throw isAdjustable && error instanceof RefusedQuery ? new PageRefused('size', error) : error;
    });
  };
}

/**
 * Here a 502 is decided: these statuses mean that the answer was over 6 MB, or took over 29 s (spec 4.2 rules 3 and 4,
 * spec 7). They become PageRefused, and the walk requests a smaller page. Only where `onRefusal` says so are they retried first.
 */
const TOO_MUCH = [413, 502, 504];
/** A refusal after this many milliseconds counts as a time-out, not as too large: the service gives up after 29 s (spec 8). */
const SLOW = 27_000;

interface OnePage<T> {
  readonly query: readonly QueryPair[];
  /** The query of a small page: where that comes, a 400 or 500 was for the size alone. */
  readonly small?: readonly QueryPair[] | undefined;
  readonly recordsIn: (NumberedPaging | CursorPaging)['recordsIn'];
  /** Takes a well-formed body. Throws BadBody. */
  readonly read: (body: Buffer, page: ScannedPage) => T;
  readonly signal: AbortSignal;
  readonly onRefusal: OnRefusal;
}

/** Gets pages of a listing. Throws PageRefused where a smaller page may succeed. */
function pageGetter({ resource, query: { id = '', ...query }, options }: Listing) {
  const { client, onErrors, onBody } = options;
  const path = resource.path.replace('{id}', () => pathSegment(id));
  const filters = filterParameters(resource, query);
  // A fund may be unknown. Listings always exist.
  const isListing = resource.paging.recordsIn !== 'assignedDocuments';
  return async <T>({ query: own, small, recordsIn, read, signal, onRefusal }: OnePage<T>): Promise<T> => {
    const parse = async (body: Buffer): Promise<T> => {
      const page = await runCooperatively(scanPage(body, recordsIn), signal);
      onBody?.(body);
      const value = read(body, page);
      if (isListing || page.envelope !== undefined) passErrors(body, page.envelope ?? page.members, onErrors);
      return value;
    };
    const passes = onRefusal === 'shrink' ? TOO_MUCH : [];
    const request = { path, query: [...own, ...filters], parse, passes, signal, isListing };
    return client.get(request).catch((error: unknown) => {
      const refusal = refusalOf(error);
      // After a 400, pages by cursor are requested without a size instead.
      const mayBeForSize =
        (error instanceof RefusedQuery && recordsIn !== 'data') ||
        (error instanceof StatusError && error.status === 500);
      if (refusal !== undefined || small === undefined || !mayBeForSize) throw refusal ?? error;
      return client.get({ ...request, query: [...small, ...filters], passes: [...TOO_MUCH, 500] }).then(
        () => {
          throw new PageRefused('large', error);
        },
        () => {
          throw error;
        },
      );
    });
  };
}

function refusalOf(error: unknown): PageRefused | undefined {
  if (!(error instanceof StatusError) || !TOO_MUCH.includes(error.status)) return undefined;
  return error.milliseconds >= SLOW
    ? new PageRefused('slow', slowFailure(error))
    : new PageRefused('large', error);
}

/** The error of a page that took too long, for a service that is slow whatever the size. */
function slowFailure(error: StatusError): Error {
  const seconds = Math.round(error.milliseconds / 1000);
  return error.reworded(
    `${error.message}; the answer took ${seconds} s, and the service gives up after 29 s`,
    'Try again when the service is less busy, or ask for still smaller pages with --page-size.',
  );
}

const readNumbered: OnePage<Page>['read'] = (body, { records, members }) => {
  const total = readCount(body, members.get('total'));
  if (total === undefined) throw new BadBody('expected a whole number as "total" beside the records', 0);
  return { records, total, pageSize: readCount(body, members.get('pageSize')) };
};

/**
 * The documents of a fund come as an array, or in an envelope of their own, with or without a total (spec 4.9). Beside an
 * array, a total counts only together with a page size: alone, it may be the fund's amount.
 */
const readDocuments: OnePage<Page>['read'] = (body, { records, members, envelope }) => {
  const around = envelope ?? members;
  const pageSize = readCount(body, around.get('pageSize'));
  const isCount = envelope !== undefined || pageSize !== undefined;
  return { records, total: isCount ? readCount(body, around.get('total')) : undefined, pageSize };
};

const readCursorPage: OnePage<CursorPage>['read'] = (body, { records, members }) => {
  const token = members.get('nextToken');
  // On the last page it is null (spec 2.3), missing or an empty text.
  const next = token === undefined ? null : readJson(body, token);
  if (next !== null && typeof next !== 'string') {
    throw new BadBody('expected a cursor or null as "nextToken"', token![0]);
  }
  return { records, next: next === '' ? null : next };
};

/** The most bytes of `errors`, which are parsed. Errors for all fiscal IDs that an address can hold take less. */
const MAX_ERRORS = 4 * 1024 * 1024;
const NO_ERRORS = Buffer.from('[]');

/** Passes on the `errors` of a page with status 200. Throws BadBody if they are too large. */
function passErrors(
  body: Buffer,
  members: ReadonlyMap<string, Span>,
  onErrors: OpenListingOptions['onErrors'],
): void {
  const errors = members.get('errors');
  if (errors === undefined) return;
  const [start, end] = errors;
  if (end - start > MAX_ERRORS) {
    throw new BadBody(
      `expected at most ${MAX_ERRORS / 2 ** 20} MiB of "errors", found ${end - start} bytes`,
      start,
    );
  }
  const json = body.subarray(...errors);
  if (!json.equals(NO_ERRORS)) onErrors(json);
}

/**
 * Requests the first record of a listing, in one call. For issued invoices, it is the cheapest test whether the service takes
 * the token (spec 5 rule 4). A single record is within any limit of the service. Returns the service's total;
 * undefined if it has none.
 */
export async function probeListing(
  client: ApiClient,
  resource: Resource,
  {
    signal,
    query = { fiscalIds: [], params: [] },
  }: { readonly signal: AbortSignal; readonly query?: ListingQuery },
): Promise<number | undefined> {
  const { paging } = resource;
  const listing = { resource, query: { ...query, pageSize: 1 }, options: { client, onErrors: () => {} } };
  const first = { cursor: undefined, size: 1, signal, onRefusal: 'retry' } as const;
  if (paging.kind === 'numbered')
    return (await asFailure(numberedPages(listing, paging)({ offset: 0, size: 1 }, signal, 'retry'))).total;
  await asFailure(cursorPages(listing, paging)(first));
  return undefined;
}

/** A page for callers that request no smaller one: a refusal becomes its failure, while a walk gives up a record. */
export function asFailure<T>(page: Promise<T>): Promise<T> {
  return page.catch((error: unknown) => {
    throw error instanceof PageRefused ? error.cause : error;
  });
}
