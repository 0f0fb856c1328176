import type { WalkAccount } from '../paging/walk-account.ts';
import type { PartialResults } from './partial-results.ts';

/** What a run knew besides its records when it had given those of one page: what the run that goes on must know too. */
export interface Standing {
  /** Where the walk goes on: a record offset or a cursor. */
  readonly next: number | string;
  readonly totalAtStart?: number | undefined;
  readonly totalAtEnd?: number | undefined;
  readonly drift?: boolean | undefined;
  /** Offsets of records before `next` that the service does not serve. */
  readonly unreadable?: readonly number[] | undefined;
  readonly missingFiscalIds?: readonly string[] | undefined;
  readonly warnings?: readonly string[] | undefined;
}

/** The standing of a walk that goes on at `next`. */
export function standingAt(next: number | string, account: WalkAccount, partial: PartialResults): Standing {
  const { totalAtStart, totalAtEnd, drift } = account;
  const unreadable = [...account.unreadable].filter((offset) => typeof next === 'string' || offset < next);
  const [missingFiscalIds, warnings] = [[...partial.missingFiscalIds], [...partial.warnings]];
  return {
    next,
    totalAtStart,
    totalAtEnd,
    ...(drift && { drift }),
    ...(unreadable.length > 0 && { unreadable }),
    ...(missingFiscalIds.length > 0 && { missingFiscalIds }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Tells the books of this run what the earlier one knew. */
export function takeOver(
  standing: Standing,
  records: number,
  books: { readonly account: WalkAccount; readonly partial: PartialResults },
): void {
  const { totalAtStart, drift = false, unreadable = [] } = standing;
  books.account.takeOver({ records, totalAtStart, drift, unreadable });
  for (const id of standing.missingFiscalIds ?? []) books.partial.missingFiscalIds.add(id);
  for (const warning of standing.warnings ?? []) books.partial.warnings.add(warning);
}
