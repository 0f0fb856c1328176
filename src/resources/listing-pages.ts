import type { QueryPair } from '../api/address.ts';
import type { ApiClient } from '../api/client.ts';
import { RefusedQuery, StatusError } from '../api/status-failure.ts';
import { BadBody } from '../json/bad-body.ts';
import { readCount, readJson, type Span } from '../json/checked-text.ts';
import { scanPage } from '../json/scan-records.ts';
import type { CursorPage, CursorWalkOptions } from '../paging/cursor-walk.ts';
import { PageRefused, type FetchPage, type Page } from '../paging/page.ts';
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

/** Answers that a smaller page may avoid: over 6 MB, or over 29 s (spec 4.2 rules 3 and 4, spec 7). */
const REFUSALS = [502, 504];
/** From so many milliseconds on a refusal is one of time, not of size: the service gives up after 29 s (spec 8). */
const SLOW = 27_000;

/**
 * Reads pages by number: `page = offset / size + firstPage` (spec 4.8).
 *
 * @param unsaid the page size that the service applies by itself, and that is therefore not sent
 */
export function numberedPages(request: PageRequest, paging: NumberedPaging, unsaid?: number): FetchPage {
  return async ({ offset, size }, signal) => {
    const number = offset / size + paging.firstPage;
    const query: (readonly [string, string])[] = [['options_page', String(number)]];
    if (size !== unsaid) query.push(['options_pageSize', String(size)]);
    try {
      return await request.client.get({
        path: request.path,
        query: [...query, ...request.filters],
        parse: (body) => parseNumberedPage(body, paging, request),
        // A single record that is refused is asked for again like anything else before it counts as unreadable.
        passes: paging.shrinks && size > 1 ? REFUSALS : [],
        signal,
      });
    } catch (error) {
      if (!(error instanceof StatusError) || !paging.shrinks || !REFUSALS.includes(error.status)) throw error;
      throw new PageRefused(error.milliseconds >= SLOW ? 'slow' : 'large', error);
    }
  };
}

function parseNumberedPage(body: Buffer, { recordsIn }: NumberedPaging, request: PageRequest): Page {
  const page = scanPage(body, recordsIn);
  request.onBody?.(body);
  // The documents of a fund may come as an array, which has no total, or in an envelope of their own (spec 4.9).
  const envelope = recordsIn === 'assignedDocuments' ? page.envelope : page.members;
  if (envelope === undefined) return { records: page.records };
  const total = readCount(body, envelope.get('total'));
  if (total === undefined) throw new BadBody('expected a whole number as "total" beside the records', 0);
  partialErrors(request, body, envelope);
  return { records: page.records, total, pageSize: readCount(body, envelope.get('pageSize')) };
}

interface CursorPageSize {
  readonly size: number;
  /** True where the user chose the size, so that it is not given up silently. */
  readonly said: boolean;
}

/**
 * Reads pages by cursor. The specification leaves the limits of the page size open (spec 4.3): where the first page is
 * refused with a size that folio chose, it is asked for without one, and so are those after it.
 */
export function cursorPages(
  request: PageRequest,
  paging: CursorPaging,
  { size, said }: CursorPageSize,
): CursorWalkOptions['fetchPage'] {
  let sized = true;
  const get = (cursor: string | undefined, signal: AbortSignal): Promise<CursorPage> => {
    const query: (readonly [string, string])[] = [];
    if (cursor !== undefined) query.push(['options_nextToken', cursor]);
    if (sized) query.push(['options_pageSize', String(size)]);
    const parse = (body: Buffer): CursorPage => parseCursorPage(body, paging, request);
    return request.client.get({ path: request.path, query: [...query, ...request.filters], parse, signal });
  };
  let first = true;
  return async (cursor, signal) => {
    const mayDrop = first && !said;
    first = false;
    try {
      return await get(cursor, signal);
    } catch (error) {
      if (!mayDrop || !(error instanceof RefusedQuery)) throw error;
      sized = false;
      return get(cursor, signal);
    }
  };
}

function parseCursorPage(body: Buffer, { recordsIn }: CursorPaging, request: PageRequest): CursorPage {
  const { records, members } = scanPage(body, recordsIn);
  const token = members.get('nextToken');
  const next = token === undefined ? undefined : readJson(body, token);
  if (next !== null && (typeof next !== 'string' || next === '')) {
    throw new BadBody('expected a cursor or null as "nextToken"', token?.[0] ?? 0);
  }
  partialErrors(request, body, members);
  return { records, next };
}
