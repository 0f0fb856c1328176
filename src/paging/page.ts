import type { RecordBatch } from '../json/records.ts';

/** A page by the place of its first record and its size, both in records. `offset` is a multiple of `size`. */
export interface Window {
  readonly offset: number;
  readonly size: number;
}

export interface Page {
  readonly records: RecordBatch;
  /** How many records the service says there are: a hint, not a truth. */
  readonly total?: number | undefined;
  /** The page size that the service says it applied. */
  readonly pageSize?: number | undefined;
}

/**
 * What happens to a page that is refused: `shrink`, thrown at once where a smaller page may do, and tried again
 * otherwise; `retry`, tried again whatever the reason; `once`, thrown at once whatever the reason.
 */
export type Patience = 'shrink' | 'retry' | 'once';

/** Reads one page. Rejects with PageRefused where a smaller page may succeed; anything else ends the walk. */
export type FetchPage = (window: Window, signal: AbortSignal, patience?: Patience) => Promise<Page>;

/**
 * Why a page was refused: it was too `large`, or too `slow`; or the service refuses the request (`size`), which may be for
 * the page size alone.
 */
export type RefusalReason = 'large' | 'slow' | 'size';

/** The service would not serve a page. Not an end: the walk asks for less. */
export class PageRefused extends Error {
  readonly reason: RefusalReason;
  /** What ends the walk where no smaller page is served either. */
  override readonly cause: Error;

  constructor(reason: RefusalReason, cause: Error) {
    super(cause.message, { cause });
    this.reason = reason;
    this.cause = cause;
  }
}

/** What a walk yields: the records of one page that were not given before, and where the walk goes on after them. */
export interface Delivery {
  readonly records: RecordBatch;
  /** The record offset or the cursor that comes next; undefined after the last page and while reading again. */
  readonly next: number | string | undefined;
}
