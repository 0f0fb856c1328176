import type { FetchPage } from './page.ts';
import type { UniqueRecords } from './unique-records.ts';
import type { WalkAccount } from './walk-account.ts';

export interface NumberedWalkOptions {
  readonly fetchPage: FetchPage;
  /** Records a page, at most. */
  readonly size: number;
  /** Where to begin, in records: 0, or where an earlier walk was stopped. */
  readonly from?: number;
  /** Ends before this offset, whatever the total: for a limit, or for a single page. */
  readonly until?: number | undefined;
  /** One page: whatever the service serves as that is all that was asked for. */
  readonly isSinglePage?: boolean;
  /** Pages asked for at once. */
  readonly concurrency: number;
  readonly account: WalkAccount;
  readonly signal: AbortSignal;
  /** Records given by an earlier walk that this one continues. */
  readonly given?: UniqueRecords;
}
