import { isBinary } from '../output/formats.ts';
import type { GlobalFlags, ListingFlags } from '../cli/flags.ts';
import { checkQuestions, openQuestions, tableLimit } from './open-questions.ts';
import type { Context } from '../context.ts';
import type { RecordBatch } from '../json/records.ts';
import type { Destination } from '../output/files/destination.ts';
import { openDestination } from '../output/files/open-destination.ts';
import { tableFooter } from '../output/table/table-notes.ts';
import type { Delivery } from '../paging/page.ts';
import { WalkStatus } from '../paging/walk-status.ts';
import type { Questions } from '../query/questions.ts';
import type { ListingQuery } from '../resources/listing-query.ts';
import { openListing } from '../resources/open-listing.ts';
import { checkComplete, explainUnknownIds, PartialResults } from './completeness.ts';
import { fiscalIdsOf, queryOf, type ListingRun } from './listing-query.ts';
import { Notices } from './notices.ts';
import { discardNotice, planOutput, type OutputPlan } from './output-plan.ts';
import { Progress, type Track } from './progress.ts';
import { Receipt, type ReceiptPart } from './receipt.ts';
import type { OpenWalk, ResumableWalk } from './resume.ts';
import { openSession, type Session, type SharedBySessions } from './session.ts';

interface DeliverOptions {
  /** Whether the receipt will ask for the hash of what was written. */
  readonly digest?: boolean;
  /** Whether the batches keep a journal beside the file as they are read. */
  readonly journalled?: boolean;
  /** Told when what a stopped run had kept beside the file was discarded. */
  readonly onDiscard?: () => void;
  /** Runs after the last record is written and before a file takes its place; what it throws keeps the old file. */
  readonly beforeCommit?: () => Promise<void>;
}

/**
 * Writes the records in the plan's format to the plan's target. The target is checked before the first record is asked
 * for; a file appears when all went well and is left as it was when not.
 *
 * @returns the destination, committed, for its size and hash
 */
export async function deliver(
  context: Context,
  plan: OutputPlan,
  batches: AsyncIterable<RecordBatch>,
  { beforeCommit, ...options }: DeliverOptions = {},
): Promise<Destination> {
  const kind = { styled: plan.format === 'table', binary: isBinary(plan.format) };
  const destination = await openDestination(plan.target, context, { ...options, ...kind });
  try {
    const writer = plan.openWriter(destination, plan.layout);
    for await (const batch of batches) await writer.write(batch);
    await writer.end();
    await beforeCommit?.();
    await destination.commit();
    return destination;
  } catch (error) {
    await destination.discard();
    throw error;
  }
}

/** What one organization is asked for, and who follows it. */
interface Asking extends ListingRun {
  readonly context: Context;
  readonly fiscalIds: readonly string[];
  readonly notices: Notices;
  readonly track: Track;
  readonly receipt: ReceiptPart;
  readonly account: WalkStatus;
  readonly shared?: SharedBySessions | undefined;
}

/** The listing of one organization, ready to be read. */
export interface OrganizationListing extends Asking {
  readonly session: Session;
  readonly query: ListingQuery;
  readonly partial: PartialResults;
}

/**
 * Opens the listing of one organization, has it read by `read`, and closes it again whatever comes of that. What the
 * service said went wrong beside the records is announced at the end.
 */
export async function listOrganization(
  asking: Asking,
  read: (listing: OrganizationListing) => Promise<void>,
): Promise<void> {
  const { context, resource, id, flags, fiscalIds, notices, track, receipt, shared } = asking;
  const session = await openSession(context, { flags, resource, notices, observe: track.asked, shared });
  receipt.note({ session });
  try {
    const query = queryOf({ resource, id, flags: { ...session.defaults, ...flags } }, fiscalIds);
    const partial = new PartialResults(fiscalIds, context.secrets.redact);
    receipt.note({ partial });
    await readAndTell({ ...asking, session, query, partial }, read);
  } finally {
    await session.close();
  }
}

async function readAndTell(
  listing: OrganizationListing,
  read: (listing: OrganizationListing) => Promise<void>,
): Promise<void> {
  const { partial, notices, resource } = listing;
  try {
    await read(listing);
  } catch (error) {
    throw await explainUnknownIds(error, listing);
  } finally {
    partial.announce(notices, resource.fiscalIds);
  }
}

/** The listing's records, page by page in order. */
export async function* listingRecords(listing: OrganizationListing): AsyncGenerator<RecordBatch> {
  for await (const { records } of openWalk(listing)) yield records;
}

/** The walk from its beginning, or from where an earlier one left off. */
function openWalk(listing: OrganizationListing, ...resume: Parameters<OpenWalk>): AsyncGenerator<Delivery> {
  const { resource, query, account: status, partial, context, session, track, notices } = listing;
  const { client, concurrency } = session;
  const { signal } = context;
  track.expect(query.limit);
  const onErrors = (errors: Buffer): void => partial.add(errors);
  const onDetail = (text: string): void => notices.detail(text);
  return openListing(resource, query, {
    ...{ client, concurrency, status, signal, onErrors, onDetail },
    resume: resume[0],
  });
}

/** Throws IncompleteError where something that was asked for was not delivered. */
export function checkListingComplete({ account, flags, partial }: OrganizationListing): void {
  checkComplete(account, flags.strict ? [...partial.missingFiscalIds] : []);
}

/** Where the records of one organization go by themselves. */
interface ExportOptions {
  /** As the listing's, but for what --output-dir makes of them. */
  readonly flags: ListingFlags & GlobalFlags;
  /** Where it is written: streams that know of the progress beside them. */
  readonly site: Context;
}

/** Writes the listing of one organization to where the flags say. Throws IncompleteError after what there was is out. */
export async function exportListing(listing: OrganizationListing, options: ExportOptions): Promise<void> {
  const { receipt, notices, session, resource, sheet = resource.records } = listing;
  const { flags, site } = options;
  const output = await planOutput(site, { flags, defaults: session.defaults, sheet });
  const makeResult = await listing.makeResult?.(session);
  const questions = await openQuestions(site, { flags, resource, plan: output, makeResult });
  const plan = { ...output, openWriter: questions.writer(output.openWriter) };
  receipt.note({ plan });
  const asked = withLimit(listing, questions.limitOfListing);
  const walk = flags.resume ? await resumable(asked, plan) : undefined;
  const records = questions.answer(walk?.read() ?? listingRecords(asked));
  const delivered = await deliver(site, plan, receipt.counted(records), {
    digest: receipt.isWanted,
    journalled: flags.resume === true,
    ...discardNotice(notices, plan.target),
  }).catch((error: unknown) => {
    receipt.note({ takenOver: walk?.takenOver });
    walk?.sayHowToGoOn();
    throw error;
  });
  receipt.note({ delivered, takenOver: walk?.takenOver });
  remarkCount(listing, questions, plan);
  checkListingComplete(listing);
}

async function resumable(listing: OrganizationListing, { format }: OutputPlan): Promise<ResumableWalk> {
  const { openResumable } = await import('./resume.ts');
  const { resource, id, query, context, session, flags } = listing;
  const { baseUrl, profile, organization, defaults } = session;
  return openResumable({
    ...listing,
    flags: { ...defaults, ...flags },
    clock: context.clock,
    open: (resume) => openWalk(listing, resume),
    asked: {
      ...{ baseUrl, profile, organization, format },
      listing: id === undefined ? resource.name : `${resource.name} ${id}`,
      fiscalIds: query.fiscalIds,
    },
  });
}

/** The same listing, of no more records than this; undefined for all. */
export function withLimit(listing: OrganizationListing, limit: number | undefined): OrganizationListing {
  return { ...listing, query: { ...listing.query, limit } };
}

/** Says how many records there are beside those that a table's own limit let through, and what the questions found. */
export function remarkCount(listing: OrganizationListing, questions: Questions, plan: OutputPlan): void {
  const { notices, account, flags } = listing;
  const { records, totalAtEnd } = account;
  const limit = tableLimit(flags, plan);
  if (limit === undefined || questions.limitOfListing === undefined) {
    notices.tell(questions.notes(records, limit !== undefined));
  } else if (totalAtEnd !== undefined && totalAtEnd > records) {
    notices.remark(tableFooter({ shown: records, total: totalAtEnd, locale: plan.layout.locale }));
  } else if (totalAtEnd === undefined && records >= limit) {
    notices.remark(`the first ${records} · --all for the rest`);
  }
}

/**
 * Lists or exports a resource, of one organization or of several. What was asked for but is not there ends in
 * IncompleteError, after everything that could be had was delivered.
 */
export async function runListing(context: Context, run: ListingRun): Promise<void> {
  const { profile, allProfiles, outputDir } = run.flags;
  checkQuestions(run.flags);
  // What is made for the settings of one profile cannot be made of several: then the session refuses them.
  if (run.makeResult !== undefined) return runOne(context, run);
  if (allProfiles || outputDir !== undefined || profile?.includes(',') === true) {
    const { runSideBySide } = await import('./side-by-side.ts');
    return runSideBySide(context, run);
  }
  return runOne(context, run);
}

async function runOne(context: Context, run: ListingRun): Promise<void> {
  const { flags, resource } = run;
  const notices = new Notices(context, flags);
  await Progress.during(context, { flags, what: resource.records }, async (progress, site) => {
    const track = progress.track(notices);
    const account = new WalkStatus((event) => track.walked(event));
    const receipt = await Receipt.open(context, { flags, resource, account, notices });
    await receipt.during(async () => {
      const fiscalIds = await fiscalIdsOf(context, run);
      const asking = { ...run, context, fiscalIds, notices, track, receipt, account };
      await listOrganization(asking, async (listing) => {
        await (flags.listColumns ? listListingColumns : exportListing)(listing, { flags, site });
      });
    });
  });
}

/**
 * Writes the columns of what would come out: of the records, or of what the flags ask of them. What the command itself makes
 * of records has columns of its own; then those of the records are what one needs to know.
 */
async function listListingColumns(
  listing: OrganizationListing,
  { flags, site }: ExportOptions,
): Promise<void> {
  const { listColumns } = await import('./list-columns.ts');
  const questions = await openQuestions(site, { flags, resource: listing.resource, plan: undefined });
  const asked = withLimit(listing, questions.limitOfListing);
  await listColumns(site, listingRecords(asked), { questions, output: flags.output });
  checkListingComplete(listing);
}
