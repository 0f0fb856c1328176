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

/** Reads one page. Rejects with PageRefused where a smaller page may succeed; anything else ends the walk. */
export type FetchPage = (window: Window, signal: AbortSignal) => Promise<Page>;

/** The service would not serve a page: it was too large, or it took too long. Not an end: the walk asks for less. */
export class PageRefused extends Error {
  readonly reason: 'large' | 'slow';

  constructor(reason: 'large' | 'slow', cause: Error) {
    super(cause.message, { cause });
    this.reason = reason;
  }
}

/** What a walk yields: the records of one page that were not given before, and where the walk goes on after them. */
export interface Delivery {
  readonly records: RecordBatch;
  /** The record offset or the cursor that comes next; undefined after the last page and while re-reading. */
  readonly next: number | string | undefined;
}

/** What happens on the way, for progress and receipts. */
export type WalkEvent =
  | { readonly kind: 'page'; readonly records: number; readonly total: number | undefined }
  | { readonly kind: 'shrink'; readonly from: number; readonly to: number; readonly reason: 'large' | 'slow' }
  | { readonly kind: 'reread'; readonly round: number };
