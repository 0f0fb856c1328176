import { UsageError } from '../errors.ts';

/** Up to how many days overdue each bucket goes: 30, 60, 90. */
export type Buckets = readonly number[];

export const DEFAULT_BUCKETS: Buckets = [30, 60, 90];

/** Reads `15,30,60`: whole days, each more than the one before. Throws UsageError. */
export function parseBuckets(text: string): Buckets {
  const buckets = text
    .split(',')
    .map((part) => (/^[1-9]\d{0,4}$/.test(part.trim()) ? Number(part) : Number.NaN));
  // NaN is more than nothing, and nothing is more than NaN.
  if (buckets.every((days, index) => days > (buckets[index - 1] ?? 0))) return buckets;
  throw new UsageError(`--buckets '${text}' is not a list of days, each more than the one before`, {
    hint: 'An example is --buckets 30,60,90: not due, 1 to 30, 31 to 60, 61 to 90, over 90 days overdue.',
  });
}

/** The columns: `not due`, `1 to 30`, `31 to 60`, `61 to 90`, `over 90`. */
export function bucketNames(buckets: Buckets): string[] {
  const ranges = buckets.map((last, index) => `${(buckets[index - 1] ?? 0) + 1} to ${last}`);
  return ['not due', ...ranges, `over ${buckets.at(-1)}`];
}

/** Which of the columns an amount is in that is `daysOverdue`: on the day it is due, it is not overdue. */
export function bucketOf(buckets: Buckets, daysOverdue: number): number {
  if (daysOverdue <= 0) return 0;
  const index = buckets.findIndex((last) => daysOverdue <= last);
  return index === -1 ? buckets.length + 1 : index + 1;
}
