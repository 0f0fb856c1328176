import { UsageError } from '../errors.ts';
import { BadBody } from '../json/bad-body.ts';
import { readValue } from '../json/read-value.ts';
import { scanPage } from '../json/scan-page.ts';
import type { CursorPage, CursorWalkOptions } from '../paging/cursor-walk.ts';
import type { PageRequest } from './open-listing.ts';
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
    return request.client.get({
      path: request.path,
      query: [...query, ...request.filters],
      parse: (body) => parsePage(body, paging, request.onErrors),
      signal,
    });
  };
  let first = true;
  return async (cursor, signal) => {
    const mayDrop = first && !said;
    first = false;
    try {
      return await get(cursor, signal);
    } catch (error) {
      if (!mayDrop || !(error instanceof UsageError)) throw error;
      sized = false;
      return await get(cursor, signal);
    }
  };
}

function parsePage(body: Buffer, { recordsIn }: CursorPaging, onErrors: PageRequest['onErrors']): CursorPage {
  const { records, members } = scanPage(body, recordsIn);
  const next = readValue(body, members.get('nextToken'));
  if (next !== null && (typeof next !== 'string' || next === '')) {
    throw new BadBody('expected a cursor or null as "nextToken"');
  }
  const errors = readValue(body, members.get('errors'));
  if (Array.isArray(errors) && errors.length > 0) onErrors(errors);
  return { records, next };
}
