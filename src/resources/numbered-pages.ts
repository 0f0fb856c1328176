import { StatusError } from '../api/status-error.ts';
import { BadBody } from '../json/bad-body.ts';
import { scanPage } from '../json/scan-page.ts';
import { readCount } from '../json/span.ts';
import { PageRefused, type FetchPage, type Page } from '../paging/page.ts';
import { partialErrors, type PageRequest } from './page-request.ts';
import type { NumberedPaging } from './resource.ts';

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
        parse: (body) => parsePage(body, paging, request),
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

function parsePage(body: Buffer, { recordsIn }: NumberedPaging, request: PageRequest): Page {
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
