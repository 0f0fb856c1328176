import { RefusedQuery } from '../../api/status-failure.ts';
import type { Clock } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { DigestReader } from '../../json/digest-identity.ts';
import { FieldComparer } from '../../json/field-comparer.ts';
import type { KeyColumns } from '../../json/record-key.ts';
import type { RecordBatch } from '../../json/records.ts';
import { journalPath } from '../../output/files/side-files.ts';
import { findTarget } from '../../output/files/target.ts';
import { entryOfRecords, Journal, recordsOfEntry } from '../../output/journal.ts';
import type { Delivery } from '../../paging/page.ts';
import type { WalkStatus } from '../../paging/walk-status.ts';
import { keyColumns } from '../../resources/listing-pages.ts';
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
  UNUSABLE_JOURNAL,
  type JournalOwner,
} from './resume-journal.ts';

/**
 * Compares pages that are read again with the records of an earlier page: the same, in the same order, each unchanged. Signed
 * links change with every answer and are not compared. A record without a key is known by its bytes alone, so it must come in the
 * same: else a walk that reads it once more would give it a second time.
 */
class SameRecords {
  readonly #before: RecordBatch;
  readonly #comparer = new FieldComparer();
  readonly #columns: KeyColumns;
  #met = 0;

  constructor(before: RecordBatch, columns: KeyColumns) {
    this.#before = before;
    this.#columns = columns;
  }

  /** True when every record of the earlier page has come again. */
  get isComplete(): boolean {
    return this.#met >= this.#before.count;
  }

  /** Compares the next records. Returns false where they differ. Records behind those of the earlier page do not matter. */
  matches(again: RecordBatch): boolean {
    const [one, other] = [new DigestReader(this.#columns), new DigestReader(this.#columns)];
    for (let index = 0; index < again.count && !this.isComplete; index++) {
      const at = this.#met++;
      if (one.read(this.#before, at).content() === other.read(again, index).content()) continue;
      if (!one.hasKey || !this.#comparer.isSame([this.#before, at], [again, index])) return false;
    }
    return true;
  }
}

/** What came in the place of an earlier page, or why the walk cannot go on behind that page. */
type ReadAgain = { readonly deliveries: readonly Delivery[] } | { readonly reason: string };

/** Reads as many records of the walk as the page had, and compares them with it. */
async function readAgain(
  walk: AsyncGenerator<Delivery>,
  page: RecordBatch,
  columns: KeyColumns,
): Promise<ReadAgain> {
  const same = new SameRecords(page, columns);
  const deliveries: Delivery[] = [];
  try {
    while (!same.isComplete) {
      const { value, done } = await walk.next();
      if (done === true || !same.matches(value.records)) return { reason: LISTING_MOVED };
      deliveries.push(value);
    }
    return { deliveries };
  } catch (error) {
    if (error instanceof RefusedQuery) return { reason: 'the service refuses to go on from there' };
    throw error;
  }
}

/** Why the pages of an earlier run cannot be used. */
const LISTING_MOVED = 'the listing has changed before that place';

interface ResumableOptions {
  /** The file of the journal. This run holds the lock of its target. */
  readonly path: string;
  /** The target, for messages. */
  readonly shown: string;
  readonly owner: JournalOwner;
  /** Reads the first records, for a comparison: they do not count as records of the run. */
  readonly peek: (limit: number) => AsyncGenerator<Delivery>;
  /** Opens the walk at its beginning, or where an earlier one stopped. */
  readonly open: (resume?: ResumeFrom) => AsyncGenerator<Delivery>;
  /** The columns that tell the listing's records apart. */
  readonly columns: KeyColumns;
  readonly status: WalkStatus;
  readonly partial: PartialResults;
  readonly notices: Notices;
  readonly clock: Clock;
}

/**
 * Milliseconds within which a stopped run and the one that resumes it count as one long run. Within one run, too, a record
 * that changes may come in its old form, so no warning is needed.
 */
const SAME_RUN_AGE = 60 * 60 * 1000;
/** Milliseconds for which signed links to files work (spec 8). */
const LINK_LIFETIME = 24 * 60 * 60 * 1000;

/**
 * A walk that can be stopped at any moment and resumed by a later run: each page is written to the journal before it is given.
 *
 * The later run reads the first and the last page of the journal again. Where both have the same records in the same order,
 * each unchanged, it takes over all pages between them; to read these again, too, would cost as much as to begin anew. Where
 * they differ, the listing moved and records could be missed: then the walk begins anew, and says so. Records of later
 * rounds, which read the listing again, are not in the journal.
 */
export class ResumableWalk {
  /** How many records were taken over from an earlier run. */
  takenOver = 0;
  /** Records in the journal. */
  #kept = 0;
  readonly #options: ResumableOptions;

  constructor(options: ResumableOptions) {
    this.#options = options;
  }

  /** The records. Throws UsageError where the journal is of a run with other flags. Call it once. */
  async *read(): AsyncGenerator<RecordBatch> {
    const { path, shown, owner, columns, open, clock } = this.#options;
    const journal = await Journal.open(path, clock);
    try {
      const found = await readEarlierRun(journal, { owner, shown, columns });
      if (found === UNUSABLE_JOURNAL) this.#options.notices.warn(`begins ${shown} anew: ${UNUSABLE_JOURNAL}`);
      const earlier = found === UNUSABLE_JOURNAL ? undefined : found;
      const resumed = earlier && (await this.#resume(earlier));
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

  /** Tells the user how to resume after a failure. Says nothing where nothing was kept. */
  tellHowToResume(): void {
    if (this.#kept === 0) return;
    this.#options.notices.warn(
      `kept ${countOf(this.#kept, 'record')} beside ${this.#options.shown}: the same command goes on from there`,
    );
  }

  /** The walk from the earlier run's last page on; undefined where it has to begin anew. */
  async #resume(earlier: EarlierRun): Promise<AsyncGenerator<Delivery> | undefined> {
    const { status, partial, open } = this.#options;
    const { checkpoint, given, records, lastPage } = earlier;
    this.#kept = records + lastPage.count;
    const difference = await this.#differenceAtStart(earlier);
    if (difference !== undefined) {
      this.#beginAnew(earlier, difference);
      return undefined;
    }
    restoreCheckpoint(checkpoint, records, { status, partial });
    const { repeats } = status;
    const walk = open({ next: checkpoint.next, given });
    const again = await readAgain(walk, lastPage, this.#options.columns);
    const grew = checkpoint.totalAtEnd !== status.totalAtEnd;
    // Records that came twice were pushed behind the place by new ones in front of it, and these would be missed.
    const reason =
      'reason' in again ? again.reason : grew && status.repeats > repeats ? LISTING_MOVED : undefined;
    if ('reason' in again || reason !== undefined) {
      await walk.return(undefined);
      this.#beginAnew(earlier, reason);
      return undefined;
    }
    status.drift ||= grew;
    this.takenOver = this.#kept = records;
    this.#announceResumption(earlier);
    return oneAfterOther(again.deliveries, walk);
  }

  /**
   * Why the first page differs from the earlier run's, if it does. This finds records that were replaced by others, which
   * neither the last page nor the total shows.
   */
  async #differenceAtStart({ firstPage }: EarlierRun): Promise<string | undefined> {
    if (firstPage === undefined || firstPage.count === 0) return undefined;
    const walk = this.#options.peek(firstPage.count);
    try {
      const again = await readAgain(walk, firstPage, this.#options.columns);
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

  #announceResumption({ startedAt, records }: EarlierRun): void {
    const { notices, shown, clock } = this.#options;
    const when = new Date(startedAt).toISOString();
    notices.remark(`goes on with ${shown} after ${countOf(records, 'record')} of the run of ${when}`);
    const age = clock.now() - startedAt;
    if (age < SAME_RUN_AGE) return;
    const links = age < LINK_LIFETIME ? '' : '; signed links in them no longer work';
    notices.warn(
      `${countOf(records, 'record')} are as the run of ${when} read them: only its first and last page were compared${links}`,
    );
  }
}

async function* oneAfterOther(
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

/** Whether the run resumes a stopped one, and can itself be resumed. */
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
 * The walk of a part for --resume. Opens no file yet: only the holder of the target's lock may open the journal.
 *
 * @throws UsageError where a run cannot be resumed: without -o, into a pipe
 */
export async function openResumable(
  part: Part,
  { output, questions, extent, plan, limit }: ResumeOptions,
): Promise<ResumableWalk> {
  const { target: shown, format } = plan;
  const { status, partial, notices, context, session, source, globals, defaults } = part;
  if (shown === undefined) {
    throw new UsageError('--resume goes with -o: folio keeps the records so far beside that file', {
      hint: 'Name the file, as in -o invoices.csv.',
    });
  }
  const target = await findTarget(shown);
  if (target.kind !== 'file') {
    throw new UsageError(`--resume: ${shown} is no regular file, so nothing can be kept beside it`, {
      hint: 'Name a file, as in -o invoices.csv.',
    });
  }
  const fingerprint = fingerprintOf({
    // The embedded service has another port each time, and on a day the same records.
    baseUrl: globals.sandbox
      ? `the sandbox${globals.awkward ? ', awkward' : ''}`
      : (session?.baseUrl.href ?? ''),
    profile: session?.profile,
    organization: session?.organization,
    listing: source.name,
    format,
    fiscalIds: source.fiscalIds ?? [],
    flags: { ...defaults, ...output, ...questions, ...source.asked, limit: extent.limit },
  });
  // The embedded service makes its tokens anew each time.
  const tokenHash = (salt: string): string =>
    globals.sandbox || session === undefined ? '' : session.hashedToken((token) => saltedHash(salt, token));
  return new ResumableWalk({
    shown,
    path: journalPath(target),
    status,
    partial,
    notices,
    clock: context.clock,
    owner: { fingerprint, tokenHash },
    columns: source.resource === undefined ? {} : keyColumns(source.resource, defaults),
    open: (resume) => part.read(limit, resume),
    peek: part.peek,
  });
}
