import { ServiceError } from '../errors.ts';
import { sliceRecords, type RecordBatch } from '../json/records.ts';
import type { Delivery } from './page.ts';
import { UniqueRecords } from './unique-records.ts';
import type { WalkStatus } from './walk-status.ts';

export interface CursorPage {
  readonly records: RecordBatch;
  /** What to send for the next page, exactly as it came; null on the last page. */
  readonly next: string | null;
}

export interface CursorWalkOptions {
  /** Reads the page that a cursor names; undefined names the first. */
  readonly fetchPage: (cursor: string | undefined, signal: AbortSignal) => Promise<CursorPage>;
  readonly from?: string | undefined;
  /** Records to give, at most. */
  readonly limit?: number | undefined;
  readonly account: WalkStatus;
  readonly signal: AbortSignal;
  readonly given?: UniqueRecords;
}

/**
 * Walks a listing of cursor pages, the next one on its way while one is read. An empty page with a cursor is not the
 * end. A cursor that was seen before, at any distance, would lead round in a circle: ServiceError.
 */
export async function* walkCursors(options: CursorWalkOptions): AsyncGenerator<Delivery> {
  const { limit = Infinity, account, signal, given = new UniqueRecords() } = options;
  const seen = new Set<string>(options.from === undefined ? [] : [options.from]);
  const controller = new AbortController();
  const within = AbortSignal.any([signal, controller.signal]);
  const fetch = (cursor: string | undefined): Promise<CursorPage> => {
    const page = options.fetchPage(cursor, within);
    page.catch(() => {}); // Its failure is met where it is awaited, unless the reader left before.
    return page;
  };
  // Without an id, equal records are different records: no total would show that one was dropped.
  given.beginOnlyPass();
  let coming: Promise<CursorPage> | undefined = fetch(options.from);
  try {
    while (coming !== undefined) {
      const page: CursorPage = await coming;
      if (page.next !== null) remember(seen, page.next);
      const goesOn = page.next !== null && account.records + page.records.count < limit;
      coming = goesOn ? fetch(page.next) : undefined;
      account.page(page.records.count, undefined);
      const fresh = given.fresh(page.records);
      const records = sliceRecords(fresh, 0, limit - account.records);
      account.records += records.count;
      account.repeats += page.records.count - fresh.count;
      // Repeats left room that the page seemed to fill.
      if (!goesOn && page.next !== null && account.records < limit) coming = fetch(page.next);
      if (records.count > 0) yield { records, next: page.next ?? undefined };
    }
  } finally {
    controller.abort(new Error('the reader left'));
  }
}

function remember(seen: Set<string>, cursor: string): void {
  if (seen.has(cursor)) {
    throw new ServiceError('the service sent a cursor that it had sent before: the listing would never end', {
      hint: 'This is a fault of the service. Nothing was left out silently, so try again later.',
    });
  }
  seen.add(cursor);
}
