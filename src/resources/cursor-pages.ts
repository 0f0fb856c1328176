import { RefusedQuery } from '../api/refused-query.ts';
import { BadBody } from '../json/bad-body.ts';
import { scanPage } from '../json/scan-page.ts';
import { readJson } from '../json/span.ts';
import type { CursorPage, CursorWalkOptions } from '../paging/cursor-walk.ts';
import { partialErrors, type PageRequest } from './page-request.ts';
import type { CursorPaging } from './resource.ts';

export interface CursorPageSize {
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
    const parse = (body: Buffer): CursorPage => parsePage(body, paging, request);
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

function parsePage(body: Buffer, { recordsIn }: CursorPaging, request: PageRequest): CursorPage {
  const { records, members } = scanPage(body, recordsIn);
  const token = members.get('nextToken');
  const next = token === undefined ? undefined : readJson(body, token);
  if (next !== null && (typeof next !== 'string' || next === '')) {
    throw new BadBody('expected a cursor or null as "nextToken"', token?.[0] ?? 0);
  }
  partialErrors(request, body, members);
  return { records, next };
}
