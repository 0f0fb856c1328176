import { queryString, pathSegment, type ListEncoding, type QueryPair } from '../api/address.ts';
import { RefusedQuery, UnknownFiscalIds } from '../api/status-failure.ts';
import { UsageError } from '../errors.ts';
import { sliceRecords } from '../json/records.ts';
import { inTurns } from '../json/turns.ts';
import type { Delivery, FetchPage } from '../paging/page.ts';
import { UniqueRecords } from '../paging/unique-records.ts';
import {
  filterParameters,
  keyColumns,
  existsWithoutIds,
  cursorPages,
  numberedPages,
  requestSize,
  type ListingQuery,
  type PageRequest,
} from './listing-pages.ts';
import { normalizedFiscalId, type CursorPaging, type NumberedPaging, type Resource } from './resource.ts';
import type { ApiClient } from '../api/client.ts';
import { walkCursors } from '../paging/cursor-walk.ts';
import { walkNumbered } from '../paging/numbered-walk.ts';
import type { WalkStatus } from '../paging/walk-status.ts';

/** What a listing is read with. */
export interface OpenListingOptions {
  readonly client: ApiClient;
  readonly concurrency: number;
  readonly status: WalkStatus;
  readonly signal: AbortSignal;
  /** Receives the text of the service's `errors` (spec 2.4), page by page as they come. */
  readonly onErrors: (errors: Buffer) => void;
  /** Receives what folio found out about the service, for --verbose. */
  readonly onDetail?: ((text: string) => void) | undefined;
  /** Where an earlier walk stopped, and the records that it gave. */
  readonly resume?: { readonly next: number | string; readonly given: UniqueRecords } | undefined;
}

/** Turns a declaration and a query into the stream of its records, in order. Sends nothing before the stream is read. */
export function openListing(
  resource: Resource,
  query: ListingQuery,
  options: OpenListingOptions,
): AsyncGenerator<Delivery> {
  return query.fiscalIds.length < 2
    ? openQuery(resource, query, options)
    : walkParts(resource, query, options);
}

/** The same for a query that one address can hold. */
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
  const { status, signal, concurrency, resume } = options;
  const isAdjustable = query.pageSize === undefined;
  const given = resume?.given ?? (await UniqueRecords.of(keyColumns(resource, query)));
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
    from: typeof resume?.next === 'number' ? resume.next : 0,
    until: query.limit,
  });
}

async function* openCursors({
  resource,
  paging,
  query,
  options,
}: Opening<CursorPaging>): AsyncGenerator<Delivery> {
  const { status, signal, resume } = options;
  const fetchPage = cursorPages(requestOf(resource, query, options), paging, {
    isAdjustable: query.pageSize === undefined,
  });
  yield* walkCursors({
    status,
    signal,
    fetchPage,
    size: requestSize(resource, query),
    limit: query.limit,
    from: typeof resume?.next === 'string' ? resume.next : query.nextToken,
    given: resume?.given ?? (await UniqueRecords.of(keyColumns(resource, query))),
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

/** Bytes of an address, at most: servers and gateways refuse longer ones from 8,192 on. */
const MAX_ADDRESS = 8_000;
/** What an address has besides its path and filters: the base address, the page, its size, the order. */
const ALLOWANCE = 400;

/**
 * Walks the listing of a query with several fiscal IDs, with as many IDs at a time as an address can hold. A record of
 * several parts is given once. IDs that match nobody go to `onErrors`, as the service names them. Where no ID matches, the
 * service's refusal is thrown.
 *
 * Where the service takes the list for one ID, it is asked again with the parameter repeated, unless the user chose how
 * lists are written.
 */
async function* walkParts(
  resource: Resource,
  query: ListingQuery,
  options: OpenListingOptions,
): AsyncGenerator<Delivery> {
  const parts = new FiscalIdParts(resource, query, options);
  yield* parts.walk();
  if (query.strict && resource.fiscalIds?.namesUnknown === false) await parts.askForEach();
}

class FiscalIdParts {
  readonly #resource: Resource;
  readonly #query: ListingQuery;
  readonly #options: OpenListingOptions;
  #encoding: ListEncoding;
  /** The refusal of the last part in which no ID exists. */
  #refusal: UnknownFiscalIds | RefusedQuery | undefined;
  #unknown: string[] = [];

  constructor(resource: Resource, query: ListingQuery, options: OpenListingOptions) {
    this.#resource = resource;
    this.#query = query;
    this.#options = options;
    this.#encoding = query.listEncoding ?? 'comma';
  }

  async *walk(): AsyncGenerator<Delivery> {
    const { fiscalIds, limit = Infinity, page } = this.#query;
    const { status } = this.#options;
    const parts = this.#cut(fiscalIds);
    if (parts.length === 1) return yield* this.#whole(fiscalIds);
    if (page !== undefined) {
      throw new UsageError(
        `--page does not go with ${fiscalIds.length} fiscal IDs: they take several requests`,
        {
          hint: 'Give fewer IDs, or leave out --page.',
        },
      );
    }
    // The totals of the parts do not tell how many records they share.
    const given = await UniqueRecords.of({ ...keyColumns(this.#resource, this.#query), exact: true });
    let answered = false;
    for (const part of parts) {
      given.beginPass('pass');
      const ofPart = status.part();
      const left = limit - status.records;
      if (left <= 0) break;
      const query = { ...this.#query, fiscalIds: part, limit: left === Infinity ? undefined : left };
      try {
        for await (const { records } of this.#walkPart(query, {
          ...this.#options,
          status: ofPart,
          resume: undefined,
        })) {
          const sifted = await inTurns(given.sift(records, false), this.#options.signal);
          const fresh = sliceRecords(sifted.fresh, 0, limit - status.records);
          status.records += fresh.count;
          status.repeats += records.count - fresh.count;
          if (fresh.count > 0) yield { records: fresh, next: undefined };
        }
        answered = true;
      } catch (error) {
        await this.#noteUnknown(error, query);
      }
      status.addPart(ofPart);
    }
    if (!answered && this.#refusal !== undefined) throw this.#allUnknown();
    this.#tellUnknown();
  }

  /** Asks for one record of each ID alone, since this listing never says which of several IDs match nobody. */
  async askForEach(): Promise<void> {
    const { concurrency, status, signal } = this.#options;
    const left = [...this.#query.fiscalIds].filter((id) => !this.#unknown.includes(id));
    this.#unknown = [];
    const ask = async (id: string, signal: AbortSignal): Promise<void> => {
      const query = { ...this.#query, fiscalIds: [id], limit: 1, page: undefined, pageSize: undefined };
      try {
        const options = { ...this.#options, signal, status: status.part(), resume: undefined };
        for await (const _ of openQuery(this.#resource, query, options)) break;
      } catch (error) {
        await this.#noteUnknown(error, query);
      }
    };
    // Loaded late: few listings come here.
    const { mapInOrder } = await import('../paging/map-in-order.ts');
    const ids = async function* (): AsyncGenerator<string> {
      yield* left;
    };
    for await (const _ of mapInOrder(ids, ask, { concurrency, ahead: concurrency, signal })) continue;
    this.#tellUnknown();
  }

  async *#whole(fiscalIds: readonly string[]): AsyncGenerator<Delivery> {
    yield* this.#walkPart({ ...this.#query, fiscalIds }, this.#options);
  }

  /** Walks one part; once more with the parameter repeated, where the service takes the list for one ID. */
  async *#walkPart(query: ListingQuery, options: OpenListingOptions): AsyncGenerator<Delivery> {
    const encoded = { ...query, listEncoding: this.#encoding };
    try {
      yield* openQuery(this.#resource, encoded, options);
    } catch (error) {
      const mayRepeat = this.#query.listEncoding === undefined && this.#encoding === 'comma';
      if (!mayRepeat || !takesListForOne(error, query.fiscalIds)) throw error;
      this.#encoding = 'repeat';
      for (const part of this.#cut(query.fiscalIds)) {
        yield* openQuery(this.#resource, { ...query, fiscalIds: part, listEncoding: 'repeat' }, options);
      }
      options.onDetail?.(
        'the service takes a list with commas for one fiscal ID: sent with --list-encoding repeat',
      );
    }
  }

  /** The IDs in parts that an address can hold. */
  #cut(fiscalIds: readonly string[]): string[][] {
    const { parameter = '' } = this.#resource.fiscalIds ?? {};
    const bytes = (ids: readonly string[]): number =>
      queryString(
        filterParameters(this.#resource, { ...this.#query, fiscalIds: ids, listEncoding: this.#encoding }),
      ).length;
    const rest = MAX_ADDRESS - ALLOWANCE - bytes([]) - this.#resource.path.length - parameter.length;
    const parts: string[][] = [];
    let [part, length]: [string[], number] = [[], 0];
    for (const id of fiscalIds) {
      const more = queryString([[this.#encoding === 'comma' ? '' : `${parameter}[]`, id]]).length + 1;
      if (part.length > 0 && length + more > rest) {
        parts.push(part);
        [part, length] = [[], 0];
      }
      part.push(id);
      length += more;
    }
    parts.push(part);
    return parts;
  }

  /** Notes the IDs of a part in which none exists. Throws any other failure. */
  async #noteUnknown(error: unknown, query: ListingQuery): Promise<void> {
    const { client, signal } = this.#options;
    if (error instanceof UnknownFiscalIds) this.#unknown.push(...error.fiscalIds);
    else if (!(error instanceof RefusedQuery)) throw error;
    else if (await existsWithoutIds(this.#resource, query, { client, signal }))
      this.#unknown.push(...query.fiscalIds);
    else throw error;
    this.#refusal = error;
  }

  #allUnknown(): Error {
    const { warnings = [] } = this.#refusal instanceof UnknownFiscalIds ? this.#refusal : {};
    return new UnknownFiscalIds(this.#unknown, warnings);
  }

  /** Reports the unknown IDs in the form of the service (spec 2.4). */
  #tellUnknown(): void {
    if (this.#unknown.length === 0) return;
    const errors = this.#unknown.map((fiscalId) => ({
      _type: 'EmptyResponseError',
      requestName: 'byFiscalId',
      requestParams: { fiscalId },
    }));
    this.#options.onErrors(Buffer.from(JSON.stringify(errors)));
  }
}

/** Whether a refusal names the whole list as one ID. */
function takesListForOne(error: unknown, fiscalIds: readonly string[]): boolean {
  if (fiscalIds.length < 2) return false;
  if (error instanceof UnknownFiscalIds) return error.fiscalIds.some((id) => id.includes(','));
  return (
    error instanceof RefusedQuery &&
    normalizedFiscalId(error.message).includes(normalizedFiscalId(fiscalIds.join(',')))
  );
}
