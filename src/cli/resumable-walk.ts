import type { Clock } from '../context.ts';
import type { RecordBatch } from '../json/record-batch.ts';
import { Journal } from '../output/journal/journal.ts';
import { entryOfRecords, recordsOfEntry } from '../output/journal/record-journal.ts';
import type { Delivery } from '../paging/page.ts';
import type { UniqueRecords } from '../paging/unique-records.ts';
import type { WalkAccount } from '../paging/walk-account.ts';
import { count } from './count.ts';
import { journalHead, readEarlierRun, type EarlierRun } from './earlier-run.ts';
import type { Notices } from './notices.ts';
import type { PartialResults } from './partial-results.ts';
import { MOVED, readAgain } from './read-again.ts';
import type { Fingerprint } from './resume-fingerprint.ts';
import { standingAt, takeOver } from './walk-standing.ts';

/** Opens the walk at its beginning, or where an earlier one left off. */
export type OpenWalk = (resume?: {
  readonly next: number | string;
  readonly given: UniqueRecords;
}) => AsyncGenerator<Delivery>;

export interface ResumableOptions {
  /** Of the journal, whose target is locked by this run. */
  readonly path: string;
  /** The target, for messages. */
  readonly shown: string;
  readonly fingerprint: Fingerprint;
  readonly open: OpenWalk;
  readonly account: WalkAccount;
  readonly partial: PartialResults;
  readonly notices: Notices;
  readonly clock: Clock;
}

/** Milliseconds for which signed links to files work (spec 8). */
const LINK_LIFE = 24 * 60 * 60 * 1000;

/**
 * A walk that can be stopped at any moment and gone on with by a later run: each page goes into the journal before it is given.
 * The later run reads the last page again. Where that holds the same records in the same order, the pages
 * before it stand, and the records come as they would have in one go. Where not, the listing moved, and what crossed
 * the place meanwhile would be missed: then the walk begins anew, and says so. Rounds of reading again, which come after the
 * last page, are not kept.
 */
export class ResumableWalk {
  /** Records that were taken over from an earlier run. */
  takenOver = 0;
  /** Records in the journal. */
  #kept = 0;
  readonly #options: ResumableOptions;

  constructor(options: ResumableOptions) {
    this.#options = options;
  }

  /** To be read once. Throws UsageError when the journal is of a run that asked for something else. */
  async *read(): AsyncGenerator<RecordBatch> {
    const { path, shown, fingerprint, open, clock } = this.#options;
    const journal = await Journal.open(path, clock);
    try {
      const earlier = await readEarlierRun(journal, fingerprint, shown);
      const resumed = earlier && (await this.#goOn(earlier));
      if (earlier !== undefined && resumed !== undefined) {
        await journal.cutAt(earlier.end);
        for await (const entry of journal.entries()) if (entry.start > 0) yield recordsOfEntry(entry);
      } else {
        await journal.cutAt(0);
        await journal.append({ head: journalHead(fingerprint, clock.now()), body: Buffer.alloc(0) });
      }
      yield* this.#keep(journal, resumed ?? open());
    } finally {
      await journal.close();
    }
  }

  /** How to go on after a run that failed; nothing where nothing was kept. */
  sayHowToGoOn(): void {
    if (this.#kept === 0) return;
    this.#options.notices.warn(
      `kept ${count(this.#kept, 'record')} beside ${this.#options.shown}: the same command goes on from there`,
    );
  }

  /** The walk from the earlier run's last page on, when that page is as it was; else undefined. */
  async #goOn(earlier: EarlierRun): Promise<AsyncGenerator<Delivery> | undefined> {
    const { account, partial, open } = this.#options;
    const { standing, given, records, lastPage } = earlier;
    this.#kept = records + lastPage.count;
    takeOver(standing, records, { account, partial });
    const { repeats } = account;
    const walk = open({ next: standing.next, given });
    const again = await readAgain(walk, lastPage);
    const grew = standing.totalAtEnd !== account.totalAtEnd;
    // Records that came a second time were moved behind the place by others before it, which would be missed.
    const reason = 'reason' in again ? again.reason : grew && account.repeats > repeats ? MOVED : undefined;
    if ('reason' in again || reason !== undefined) {
      await walk.return(undefined);
      this.#beginAnew(earlier, reason);
      return undefined;
    }
    account.drift ||= grew;
    this.takenOver = this.#kept = records;
    this.#sayFrom(earlier);
    return chained(again.deliveries, walk);
  }

  #beginAnew({ records }: EarlierRun, reason: string | undefined): void {
    const { account, notices, shown } = this.#options;
    this.#kept = 0;
    account.beginAnew();
    notices.warn(`begins ${shown} anew instead of going on after ${count(records, 'record')}: ${reason}`);
  }

  async *#keep(journal: Journal, walk: AsyncGenerator<Delivery>): AsyncGenerator<RecordBatch> {
    const { account, partial } = this.#options;
    for await (const { records, next } of walk) {
      if (next !== undefined) {
        await journal.append(entryOfRecords({ ...standingAt(next, account, partial) }, records));
        this.#kept += records.count;
      }
      yield records;
    }
  }

  #sayFrom({ startedAt, records }: EarlierRun): void {
    const { notices, shown, clock } = this.#options;
    const when = new Date(startedAt).toISOString();
    notices.remark(`goes on with ${shown} after ${count(records, 'record')} of the run of ${when}`);
    if (clock.now() - startedAt < LINK_LIFE) return;
    notices.warn(`${count(records, 'record')} from the run of ${when}: signed links in them no longer work`);
  }
}

async function* chained(
  first: readonly Delivery[],
  rest: AsyncGenerator<Delivery>,
): AsyncGenerator<Delivery> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
