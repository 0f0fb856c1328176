import { bucketNames, DEFAULT_BUCKETS } from '../invoices/open-items.ts';
import type { Words } from './words.ts';

/** The ages of what is open, in the order of `agesOf`: the buckets of `folio aging`, what has no due date, the credits. */
export const AGES: readonly string[] = [...bucketNames(DEFAULT_BUCKETS), 'no due date', 'credits'];

/** The places of the last two among the ages. Credits take away, and have no length in a bar. */
export const UNDATED = AGES.length - 2;
export const CREDIT = AGES.length - 1;

/** Not among the ages: what was cancelled is in no sum. */
export const CANCELLED = AGES.length;

/** What a page calls the ages. */
export function ageNames(words: Words): string[] {
  const ranges = DEFAULT_BUCKETS.map((last, index) =>
    words.daysRange({ from: (DEFAULT_BUCKETS[index - 1] ?? 0) + 1, to: last }),
  );
  return [
    words.notDue,
    ...ranges,
    words.over({ days: DEFAULT_BUCKETS.at(-1)! }),
    words.noDueDate,
    words.credits,
  ];
}

/** The class that gives an age its look in a chart. */
export function lookOf(age: number): string {
  return age === UNDATED ? 'undated' : `part${age}`;
}
