import type { QueryPair } from '../api/address.ts';
import type { ApiClient } from '../api/client.ts';
import { RefusedQuery, StatusError } from '../api/status-failure.ts';
import { BadBody } from '../json/bad-body.ts';
import { readCount, readJson, type Span } from '../json/checked-text.ts';
import { scanPage } from '../json/scan-records.ts';
import type { CursorPage, CursorWalkOptions } from '../paging/cursor-walk.ts';
import { PageRefused, type FetchPage, type Page, type Patience } from '../paging/page.ts';
import type { CursorPaging, NumberedPaging } from './resource.ts';

/** What every page of a listing is asked with. */
export interface PageRequest {
  readonly path: string;
  readonly filters: readonly QueryPair[];
  readonly client: ApiClient;
  /** Receives the text of a page's `errors` (spec 2.4). */
  readonly onErrors: (errors: Buffer) => void;
  /** Receives each page's body, once it was found to be well formed. */
  readonly onBody?: ((body: Buffer) => void) | undefined;
}

/** Bytes of `errors`, which are parsed: an element for each of more fiscal IDs than an address can hold takes less. */
const MAX_ERRORS = 4 * 1024 * 1024;

/** Hands on what a page says went wrong although it came. Throws BadBody for more than can be read. */
function partialErrors(request: PageRequest, body: Buffer, members: ReadonlyMap<string, Span>): void {
  const errors = members.get('errors');
  if (errors === undefined) return;
  const [start, end] = errors;
  if (end - start > MAX_ERRORS) {
    throw new BadBody(
      `expected at most ${MAX_ERRORS / 2 ** 20} MiB of "errors", found ${end - start} bytes`,
      start,
    );
  }
  request.onErrors(body.subarray(...errors));
}

/** How the size of pages was chosen. */
interface SizeChoice {
  /** The page size that the service applies by itself, and that is therefore not sent. */
  readonly unsaid?: number | undefined;
  /** True where folio chose the size, so that a refusal may be for the size alone: a smaller one is tried then. */
  readonly isOurs?: boolean;
}

/** Reads pages by number: `page = offset / size + firstPage` (spec 4.8). */
export function numberedPages(
  request: PageRequest,
  paging: NumberedPaging,
  { unsaid, isOurs = false }: SizeChoice = {},
): FetchPage {
  return ({ offset, size }, signal, patience = 'shrink') => {
    const number = offset / size + paging.firstPage;
    const query: QueryPair[] = [['options_page', String(number)]];
    if (size !== unsaid) query.push(['options_pageSize', String(size)]);
    const parse = (body: Buffer): Page => parseNumberedPage(body, paging, request);
    // A fund may be unknown; the listings are always there.
    const isListing = paging.recordsIn === 'pageResults';
    return getPage(request, { query, parse, signal, patience, isOurs, isListing });
  };
}

/** Reads pages by cursor. The specification leaves the limits of the page size open (spec 4.3). */
export function cursorPages(
  request: PageRequest,
  paging: CursorPaging,
  { isOurs = false }: SizeChoice = {},
): CursorWalkOptions['fetchPage'] {
  return ({ cursor, size, signal, patience }) => {
    const query: QueryPair[] = [];
    if (cursor !== undefined) query.push(['options_nextToken', cursor]);
    if (size !== undefined) query.push(['options_pageSize', String(size)]);
    const parse = (body: Buffer): CursorPage => parseCursorPage(body, paging, request);
    const isSizeOurs = isOurs && size !== undefined;
    return getPage(request, { query, parse, signal, patience, isOurs: isSizeOurs, isListing: true });
  };
}

/** Answers that a smaller page may avoid: over 6 MB, or over 29 s (spec 4.2 rules 3 and 4, spec 7). */
const TOO_MUCH = [413, 502, 504];
/** The same, and what a service may answer to a page size that it does not take. */
const REFUSALS = [...TOO_MUCH, 500];
/** From so many milliseconds on a refusal is one of time, not of size: the service gives up after 29 s (spec 8). */
const SLOW = 27_000;

interface PageGet<T> {
  readonly query: readonly QueryPair[];
  readonly parse: (body: Buffer) => T;
  readonly signal: AbortSignal;
  readonly patience: Patience;
  readonly isOurs: boolean;
  readonly isListing: boolean;
}

/** Gets one page. Throws PageRefused where a smaller one may come. */
async function getPage<T>(
  { client, path, filters }: PageRequest,
  { query, parse, signal, patience, isOurs, isListing }: PageGet<T>,
): Promise<T> {
  const passes = { shrink: TOO_MUCH, retry: [], once: REFUSALS }[patience];
  try {
    return await client.get({ path, query: [...query, ...filters], parse, passes, signal, isListing });
  } catch (error) {
    if (error instanceof StatusError && TOO_MUCH.includes(error.status)) {
      throw new PageRefused(error.milliseconds >= SLOW ? 'slow' : 'large', error);
    }
    const isRefused = error instanceof RefusedQuery || (error instanceof StatusError && error.status === 500);
    if (isRefused && isOurs) throw new PageRefused('size', error);
    throw error;
  }
}

function parseNumberedPage(body: Buffer, { recordsIn }: NumberedPaging, request: PageRequest): Page {
  const page = scanPage(body, recordsIn);
  const { records, members } = page;
  request.onBody?.(body);
  if (recordsIn === 'assignedDocuments') return documentsPage(body, page, request);
  const total = readCount(body, members.get('total'));
  if (total === undefined) throw new BadBody('expected a whole number as "total" beside the records', 0);
  partialErrors(request, body, members);
  return { records, total, pageSize: readCount(body, members.get('pageSize')) };
}

/**
 * The documents of a fund come as an array, or in an envelope of their own, with or without a total (spec 4.9). Where they are
 * an array, a total and a page size may stand beside it. A total alone is none: it may be the fund's amount.
 */
function documentsPage(body: Buffer, page: ReturnType<typeof scanPage>, request: PageRequest): Page {
  const { records, members, envelope = members } = page;
  const pageSize = readCount(body, envelope.get('pageSize'));
  const isCount = page.envelope !== undefined || pageSize !== undefined;
  if (page.envelope !== undefined) partialErrors(request, body, page.envelope);
  return { records, total: isCount ? readCount(body, envelope.get('total')) : undefined, pageSize };
}

function parseCursorPage(body: Buffer, { recordsIn }: CursorPaging, request: PageRequest): CursorPage {
  const { records, members } = scanPage(body, recordsIn);
  const token = members.get('nextToken');
  // The last page has null there (spec 2.3), nothing, or no text.
  const next = token === undefined ? null : readJson(body, token);
  if (next !== null && typeof next !== 'string') {
    throw new BadBody('expected a cursor or null as "nextToken"', token?.[0] ?? 0);
  }
  partialErrors(request, body, members);
  return { records, next: next === '' ? null : next };
}
