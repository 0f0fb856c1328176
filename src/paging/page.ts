import type { RecordBatch } from '../json/records.ts';

/** A page by the place of its first record and its size, both in records. `offset` is a multiple of `size`. */
export interface Window {
  readonly offset: number;
  readonly size: number;
}

export interface Page {
  readonly records: RecordBatch;
  /** The number of records that the service names: a hint, not a truth. */
  readonly total?: number | undefined;
  /** The page size that the service names as applied. */
  readonly pageSize?: number | undefined;
}

/** What follows where a smaller page may succeed: PageRefused at once (`shrink`), or once all retries are spent (`retry`). */
export type OnRefusal = 'shrink' | 'retry';

/** Reads one page. Rejects with PageRefused where a smaller page may succeed. Any other error ends the walk. */
export type FetchPage = (window: Window, signal: AbortSignal, onRefusal: OnRefusal) => Promise<Page>;

/** Why a page was refused: it was too `large`, or too `slow`; or, by cursors, the service may not take its `size`. */
export type RefusalReason = 'large' | 'slow' | 'size';

/** The service refused a page. The walk does not end: it requests a smaller page. */
export class PageRefused extends Error {
  readonly reason: RefusalReason;
  /** The error that ends the walk where the service refuses smaller pages, too. */
  override readonly cause: Error;

  constructor(reason: RefusalReason, cause: Error) {
    super(cause.message, { cause });
    this.reason = reason;
    this.cause = cause;
  }
}

/** What a walk yields: the records of one page that were not delivered before. */
export interface Delivery {
  readonly records: RecordBatch;
  /** Numbered pages: the offset of the record behind them; undefined while reading again. */
  readonly next?: number | undefined;
}
