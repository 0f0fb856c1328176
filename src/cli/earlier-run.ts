import { UsageError } from '../errors.ts';
import type { RecordBatch } from '../json/record-batch.ts';
import { UniqueRecords } from '../paging/unique-records.ts';
import type { Journal } from '../output/journal/journal.ts';
import { recordsOfEntry } from '../output/journal/record-journal.ts';
import { differences, type Fingerprint } from './resume-fingerprint.ts';
import type { Standing } from './walk-standing.ts';

/** A run that was stopped, as its journal tells it: all its pages but the last, and the last to hold the listing against. */
export interface EarlierRun {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The records of all pages but the last. */
  readonly given: UniqueRecords;
  readonly records: number;
  /** After the pages that are taken over. */
  readonly standing: Standing;
  readonly lastPage: RecordBatch;
  /** Where in the journal the last page begins, in bytes. */
  readonly end: number;
}

const VERSION = 1;

/** What a journal begins with. */
export function journalHead(fingerprint: Fingerprint, startedAt: number): Readonly<Record<string, unknown>> {
  return { folioJournal: VERSION, startedAt, fingerprint };
}

/**
 * Reads what an earlier run left: undefined when there are not two whole pages, since the last one is always read again.
 *
 * @throws UsageError when that run asked for something else than this one
 */
export async function readEarlierRun(
  journal: Journal,
  fingerprint: Fingerprint,
  shown: string,
): Promise<EarlierRun | undefined> {
  const given = new UniqueRecords();
  let startedAt: number | undefined;
  let standing: Standing | undefined;
  let last: { batch: RecordBatch; standing: Standing; start: number } | undefined;
  let records = 0;
  for await (const entry of journal.entries()) {
    if (startedAt === undefined) {
      if (entry.head['folioJournal'] !== VERSION) return undefined;
      refuseOther(entry.head['fingerprint'] as Fingerprint, fingerprint, shown);
      startedAt = entry.head['startedAt'] as number;
      continue;
    }
    if (last !== undefined) {
      given.restore(last.batch);
      records += last.batch.count;
      standing = last.standing;
    }
    last = { batch: recordsOfEntry(entry), standing: entry.head as unknown as Standing, start: entry.start };
  }
  if (startedAt === undefined || standing === undefined || last === undefined) return undefined;
  return { startedAt, given, records, standing, lastPage: last.batch, end: last.start };
}

function refuseOther(before: Fingerprint, now: Fingerprint, shown: string): void {
  const different = differences(before, now);
  if (different.length === 0) return;
  throw new UsageError(
    `cannot go on with ${shown}: the run that was stopped had ${different.join(', and ')}`,
    {
      hint: 'give the same command again, or leave out --resume: then what that run left is discarded',
    },
  );
}
