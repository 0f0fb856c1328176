import { RefusedQuery } from '../../api/status-failure.ts';
import type { Clock } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { IdentityReader, type KeyColumns } from '../../json/identity.ts';
import type { RecordBatch } from '../../json/records.ts';
import { journalPath } from '../../output/files/side-files.ts';
import { findTarget } from '../../output/files/target.ts';
import { entryOfRecords, Journal, recordsOfEntry } from '../../output/journal.ts';
import type { Delivery } from '../../paging/page.ts';
import type { WalkStatus } from '../../paging/walk-status.ts';
import type { PartialResults } from '../completeness.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import type { Notices } from '../notices.ts';
import type { QuestionFlags } from '../../query/question-syntax.ts';
import type { ExtentFlags } from '../sources/listing-source.ts';
import type { OutputFlags, OutputPlan } from '../output-plan.ts';
import type { Part, ResumeFrom } from '../part.ts';
import {
  checkpointAt,
  fingerprintOf,
  journalHead,
  readEarlierRun,
  restoreCheckpoint,
  saltedHash,
  type EarlierRun,
  ODD_JOURNAL,
  type JournalOwner,
} from './resume-journal.ts';

/**
 * Whether pages that are read again hold the records of a page read before, in the same order, each as it was. Signed links
 * change every time and are no part of a record.
 */
class SameRecords {
  readonly #before: RecordBatch;
  #met = 0;

  constructor(before: RecordBatch) {
    this.#before = before;
  }

  /** True when every record of the page before has come again. */
  get isComplete(): boolean {
    return this.#met >= this.#before.count;
  }

  /** False when the next records are others than those of the page before; more records behind them do not matter. */
  goesOn(again: RecordBatch): boolean {
    const [one, other] = [new IdentityReader({ exact: true }), new IdentityReader({ exact: true })];
    for (let index = 0; index < again.count && !this.isComplete; index++) {
      if (one.read(this.#before, this.#met++).content() !== other.read(again, index).content()) return false;
    }
    return true;
  }
}

/** What was read in the place of a page read before, or why that page no longer says where to go on. */
type ReadAgain = { readonly deliveries: readonly Delivery[] } | { readonly reason: string };

/** Reads as much of the walk as the page had: the page is to be as it was. */
async function readAgain(walk: AsyncGenerator<Delivery>, page: RecordBatch): Promise<ReadAgain> {
  const same = new SameRecords(page);
  const deliveries: Delivery[] = [];
  try {
    while (!same.isComplete) {
      const { value, done } = await walk.next();
      if (done === true || !same.goesOn(value.records)) return { reason: LISTING_MOVED };
      deliveries.push(value);
    }
    return { deliveries };
  } catch (error) {
    if (error instanceof RefusedQuery) return { reason: 'the service refuses to go on from there' };
    throw error;
  }
}

/** Why pages that were read before no longer hold. */
const LISTING_MOVED = 'the listing has changed before that place';

interface ResumableOptions {
  /** Of the journal, whose target is locked by this run. */
  readonly path: string;
  /** The target, for messages. */
  readonly shown: string;
  readonly owner: JournalOwner;
  /** Reads so many records from the beginning, for a look: what comes of it is no part of the run. */
  readonly peek: (limit: number) => AsyncGenerator<Delivery>;
  /** Opens the walk at its beginning, or where an earlier one left off. */
  readonly open: (resume?: ResumeFrom) => AsyncGenerator<Delivery>;
  /** How the listing's records are known. */
  readonly columns: KeyColumns | undefined;
  readonly status: WalkStatus;
  readonly partial: PartialResults;
  readonly notices: Notices;
  readonly clock: Clock;
}

/** Milliseconds up to which two runs count as one that took long: what changes within it may be in either form. */
const AS_ONE_RUN = 60 * 60 * 1000;
/** Milliseconds for which signed links to files work (spec 8). */
const LINK_LIFETIME = 24 * 60 * 60 * 1000;

/**
 * A walk that can be stopped at any moment and gone on with by a later run: each page goes into the journal before it is given.
 * The later run reads the first and the last page again. Where they hold the same records in the same order, each as it was,
 * the pages between them stand, and the records come as they would have in one go: to read those again too would cost as
 * much as to begin anew. Where not, the listing moved, and what crossed the place meanwhile would be missed: then the walk
 * begins anew, and says so. Rounds of reading again, which come after the
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
    const { path, shown, owner, columns, open, clock } = this.#options;
    const journal = await Journal.open(path, clock);
    try {
      const found = await readEarlierRun(journal, { owner, shown, columns });
      if (found === ODD_JOURNAL) this.#options.notices.warn(`begins ${shown} anew: ${ODD_JOURNAL}`);
      const earlier = found === ODD_JOURNAL ? undefined : found;
      const resumed = earlier && (await this.#goOn(earlier));
      if (earlier !== undefined && resumed !== undefined) {
        await journal.cutAt(earlier.end);
        for await (const entry of journal.entries()) if (entry.start > 0) yield recordsOfEntry(entry);
      } else {
        await journal.cutAt(0);
        await journal.append({ head: journalHead(owner, clock.now()), body: Buffer.alloc(0) });
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
      `kept ${countOf(this.#kept, 'record')} beside ${this.#options.shown}: the same command goes on from there`,
    );
  }

  /** The walk from the earlier run's last page on, when that page is as it was; else undefined. */
  async #goOn(earlier: EarlierRun): Promise<AsyncGenerator<Delivery> | undefined> {
    const { status, partial, open } = this.#options;
    const { checkpoint, given, records, lastPage } = earlier;
    this.#kept = records + lastPage.count;
    const other = await this.#beginsOtherwise(earlier);
    if (other !== undefined) {
      this.#beginAnew(earlier, other);
      return undefined;
    }
    restoreCheckpoint(checkpoint, records, { status, partial });
    const { repeats } = status;
    const walk = open({ next: checkpoint.next, given });
    const again = await readAgain(walk, lastPage);
    const grew = checkpoint.totalAtEnd !== status.totalAtEnd;
    // Records that came a second time were moved behind the place by others before it, which would be missed.
    const reason =
      'reason' in again ? again.reason : grew && status.repeats > repeats ? LISTING_MOVED : undefined;
    if ('reason' in again || reason !== undefined) {
      await walk.return(undefined);
      this.#beginAnew(earlier, reason);
      return undefined;
    }
    status.drift ||= grew;
    this.takenOver = this.#kept = records;
    this.#sayFrom(earlier);
    return inTurn(again.deliveries, walk);
  }

  /** Why the first page is not as it was, which shows what the last one and the total do not: one record for another. */
  async #beginsOtherwise({ firstPage }: EarlierRun): Promise<string | undefined> {
    if (firstPage === undefined || firstPage.count === 0) return undefined;
    const walk = this.#options.peek(firstPage.count);
    try {
      const again = await readAgain(walk, firstPage);
      return 'reason' in again ? again.reason : undefined;
    } finally {
      await walk.return(undefined);
    }
  }

  #beginAnew({ records }: EarlierRun, reason: string | undefined): void {
    const { status, notices, shown } = this.#options;
    this.#kept = 0;
    status.beginAnew();
    notices.warn(`begins ${shown} anew instead of going on after ${countOf(records, 'record')}: ${reason}`);
  }

  async *#keep(journal: Journal, walk: AsyncGenerator<Delivery>): AsyncGenerator<RecordBatch> {
    const { status, partial } = this.#options;
    for await (const { records, next } of walk) {
      if (next !== undefined) {
        await journal.append(entryOfRecords({ ...checkpointAt(next, status, partial) }, records));
        this.#kept += records.count;
      }
      yield records;
    }
  }

  #sayFrom({ startedAt, records }: EarlierRun): void {
    const { notices, shown, clock } = this.#options;
    const when = new Date(startedAt).toISOString();
    notices.remark(`goes on with ${shown} after ${countOf(records, 'record')} of the run of ${when}`);
    const age = clock.now() - startedAt;
    if (age < AS_ONE_RUN) return;
    const links = age < LINK_LIFETIME ? '' : '; signed links in them no longer work';
    notices.warn(
      `${countOf(records, 'record')} are as the run of ${when} read them: only its first and last page were compared${links}`,
    );
  }
}

async function* inTurn(first: readonly Delivery[], rest: AsyncGenerator<Delivery>): AsyncGenerator<Delivery> {
  try {
    yield* first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

/** Whether a later run can go on where this one stops. */
export interface ResumeFlags {
  readonly resume?: boolean;
}

interface ResumeOptions {
  readonly output: OutputFlags;
  readonly questions: QuestionFlags;
  readonly extent: ExtentFlags;
  readonly plan: OutputPlan;
  /** Records that the source is to give, at most. */
  readonly limit: number | undefined;
}

/**
 * The walk of a part for --resume. Opens nothing: the journal belongs to whoever has the target's lock.
 *
 * @throws UsageError where there is nothing that could be gone on with: without -o, a pipe, a single page
 */
export async function openResumable(
  part: Part,
  { output, questions, extent, plan, limit }: ResumeOptions,
): Promise<ResumableWalk> {
  const { target: shown, format } = plan;
  const { status, partial, notices, context, session, source, everywhere, defaults } = part;
  if (shown === undefined) {
    throw new UsageError('--resume goes with -o: what a run has so far is kept beside its file', {
      hint: 'Name the file, as in -o invoices.csv.',
    });
  }
  if (extent.page !== undefined) {
    throw new UsageError('--resume and --page do not go together: a single page is had or not');
  }
  const target = await findTarget(shown);
  if (target.kind !== 'file') {
    throw new UsageError(`--resume: ${shown} is no regular file, so nothing can be kept beside it`);
  }
  const fingerprint = fingerprintOf({
    // The embedded service has another port each time, and the same records.
    baseUrl: everywhere.sandbox ? 'the sandbox' : (session?.baseUrl.href ?? ''),
    profile: session?.profile,
    organization: session?.organization,
    listing: source.name,
    format,
    fiscalIds: source.fiscalIds ?? [],
    flags: { ...defaults, ...output, ...questions, ...source.asked, limit: extent.limit },
  });
  // The embedded service makes its tokens anew each time.
  const tokenHash = (salt: string): string =>
    everywhere.sandbox || session === undefined
      ? ''
      : session.hashedToken((token) => saltedHash(salt, token));
  return new ResumableWalk({
    ...{ shown, path: journalPath(target), status, partial, notices, clock: context.clock },
    owner: { fingerprint, tokenHash },
    columns: source.knownBy,
    open: (resume) => part.read(limit, resume),
    peek: part.peek,
  });
}
