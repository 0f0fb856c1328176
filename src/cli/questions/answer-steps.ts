import type { SortKey } from '../../analysis/sort-key.ts';
import type { WhereFilter } from '../../analysis/where-filter.ts';
import { sliceRecords, type RecordBatch } from '../../json/record-batch.ts';
import { count } from '../count.ts';
import type { Notices } from '../notices.ts';

type Records = AsyncIterable<RecordBatch>;

/** The records that the filter lets through. Warns of columns that none had, when no more are wanted or there are no more. */
export async function* filterRecords(
  records: Records,
  filter: WhereFilter,
  notices: Notices,
): AsyncGenerator<RecordBatch> {
  try {
    for await (const batch of records) {
      const kept = filter.apply(batch);
      if (kept.count > 0) yield kept;
    }
  } finally {
    for (const complaint of filter.complaints())
      notices.warn(`--where: ${complaint} (${count(filter.seen, 'record')} read)`);
  }
}

/** All records in order; those that do not fit in memory wait in a temporary file. */
export async function* sortRecords(
  records: Records,
  keys: readonly SortKey[],
  notices: Notices,
): AsyncGenerator<RecordBatch> {
  const { RecordSorter } = await import('../../analysis/record-sorter.ts');
  const { Spool } = await import('../../output/spool.ts');
  const spool = new Spool();
  const sorter = new RecordSorter(keys, spool);
  try {
    for await (const batch of records) await sorter.add(batch);
    for (const complaint of sorter.complaints()) notices.warn(`--sort: ${complaint}`);
    yield* sorter.sorted();
  } finally {
    await spool.close();
  }
}

export interface RecordLimit {
  readonly most: number;
  /** Whether the rest is to be read all the same, for what is said of the whole. */
  readonly drain: boolean;
  /** Told when there are as many. */
  readonly onFull: () => void;
}

/** The first records; what they are made from is told to stop when no more are wanted. */
export async function* limitRecords(
  records: Records,
  { most, drain, onFull }: RecordLimit,
): AsyncGenerator<RecordBatch> {
  let left = most;
  for await (const batch of records) {
    const part = sliceRecords(batch, 0, left);
    left -= part.count;
    if (left === 0) onFull();
    if (part.count > 0) yield part;
    if (left === 0 && !drain) return;
  }
}
