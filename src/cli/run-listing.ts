import { UnknownFiscalIds } from '../api/unknown-fiscal-ids.ts';
import type { RequestEvent } from '../api/request-event.ts';
import type { Context } from '../context.ts';
import { NotFoundError, UsageError } from '../errors.ts';
import type { RecordBatch } from '../json/record-batch.ts';
import type { Delivery } from '../paging/page.ts';
import { WalkAccount } from '../paging/walk-account.ts';
import type { ListingQuery } from '../resources/listing-query.ts';
import { openListing } from '../resources/open-listing.ts';
import type { Resource } from '../resources/resource.ts';
import { tableFooter } from '../output/table-notes.ts';
import { checkComplete } from './completeness.ts';
import { deliver } from './deliver.ts';
import { discardNotice } from './discard-notice.ts';
import { readFiscalIds } from './fiscal-ids.ts';
import type { GlobalFlags } from './global-flags.ts';
import type { ListingFlags } from './listing-flags.ts';
import { listColumns } from './list-columns.ts';
import { Notices } from './notices.ts';
import { planOutput, type OutputPlan } from './output-plan.ts';
import { PartialResults } from './partial-results.ts';
import { openProgress } from './progress.ts';
import { checkQuestions } from './questions/check-questions.ts';
import { openQuestions, tableLimit, type MakeResult } from './questions/open-questions.ts';
import { Receipt } from './receipt.ts';
import type { OpenWalk, ResumableWalk } from './resumable-walk.ts';
import { openResumable } from './resume.ts';
import { openSession, type Session } from './session.ts';

export interface ListingRun {
  readonly resource: Resource;
  readonly id: string | undefined;
  readonly flags: ListingFlags & GlobalFlags;
  /** Makes something else of the records than the flags could ask for; from the session, for its profile. */
  readonly makeResult?: ((session: Session) => Promise<MakeResult>) | undefined;
}

/** Everything that one run of a listing is made of. */
interface Run extends ListingRun {
  readonly context: Context;
  readonly notices: Notices;
  readonly query: ListingQuery;
  readonly account: WalkAccount;
  readonly partial: PartialResults;
  readonly receipt: Receipt;
}

/**
 * Lists or exports a resource. What was asked for but is not there ends in IncompleteError, after everything that
 * could be had was delivered.
 */
export async function runListing(context: Context, listing: ListingRun): Promise<void> {
  const { resource, id, flags } = listing;
  checkQuestions(flags);
  const notices = new Notices(context, flags);
  const progress = openProgress(context, flags, resource.records);
  const account = new WalkAccount((event) => progress.walked(event));
  const observe = (event: RequestEvent): void => progress.asked(event);
  const receipt = await Receipt.open(context, { flags, resource, account, notices });
  await receipt.during(async () => {
    const session = await openSession(context, { flags, resource, notices, observe });
    receipt.note({ session });
    try {
      const query = await readQuery(context, { resource, id, flags: { ...session.defaults, ...flags } });
      const partial = new PartialResults(query.fiscalIds, context.secrets.redact);
      receipt.note({ partial });
      await runQuery({ ...listing, context, notices, query, account, partial, receipt }, session);
    } finally {
      progress.stop();
      await session.close();
    }
  });
}

async function runQuery(run: Run, session: Session): Promise<void> {
  try {
    await (run.flags.listColumns ? printColumns(run, session) : exportRecords(run, session));
  } catch (error) {
    throw inUsersWords(error, run);
  } finally {
    run.partial.announce(run.notices, run.resource.fiscalIds);
  }
}

async function exportRecords(run: Run, session: Session): Promise<void> {
  const { context, resource, flags, account, receipt, notices } = run;
  const sheet = resource.records;
  const output = await planOutput(context, { flags, defaults: session.defaults, sheet });
  const makeResult = await run.makeResult?.(session);
  const questions = await openQuestions(context, { flags, resource, plan: output, notices, makeResult });
  const plan = { ...output, openWriter: questions.writer(output.openWriter) };
  const asked = { ...run, query: { ...run.query, limit: questions.limitOfListing } };
  receipt.note({ plan });
  const walk = flags.resume ? await resumable(asked, session, plan) : undefined;
  const records = questions.answer(walk?.read() ?? recordsOf(asked, session));
  const delivered = await deliver(context, plan, receipt.counted(records), {
    digest: receipt.isWanted,
    journalled: flags.resume === true,
    ...discardNotice(notices, plan.target),
  }).catch((error: unknown) => {
    receipt.note({ takenOver: walk?.takenOver });
    walk?.sayHowToGoOn();
    throw error;
  });
  receipt.note({ delivered, takenOver: walk?.takenOver });
  const stopped = tableLimit(flags, plan);
  if (stopped !== undefined && questions.limitOfListing !== undefined)
    sayHowMany(run, stopped, plan.layout.locale);
  else questions.announce(account.records, stopped !== undefined);
  checkComplete(account, strictlyUnknown(run));
}

function resumable(run: Run, session: Session, { format }: OutputPlan): Promise<ResumableWalk> {
  const { resource, id, query, context } = run;
  const { baseUrl, profile, organization, defaults } = session;
  const listing = id === undefined ? resource.name : `${resource.name} ${id}`;
  return openResumable({
    ...run,
    flags: { ...defaults, ...run.flags },
    clock: context.clock,
    open: (resume) => openWalk(run, session, resume),
    asked: { baseUrl, profile, organization, listing, format, fiscalIds: query.fiscalIds },
  });
}

async function printColumns(run: Run, session: Session): Promise<void> {
  await listColumns(run.context, recordsOf(run, session));
  checkComplete(run.account, strictlyUnknown(run));
}

async function* recordsOf(run: Run, session: Session): AsyncGenerator<RecordBatch> {
  for await (const { records } of openWalk(run, session)) yield records;
}

function openWalk(
  run: Run,
  { client, concurrency }: Session,
  ...resume: Parameters<OpenWalk>
): AsyncGenerator<Delivery> {
  const { resource, query, account, partial, context } = run;
  const { signal } = context;
  const onErrors = (errors: Buffer): void => partial.add(errors);
  return openListing(resource, query, { client, concurrency, account, signal, onErrors, resume: resume[0] });
}

/** What the flags ask of the listing, checked. Throws UsageError. */
export async function readQuery(
  context: Context,
  { resource, id, flags }: ListingRun,
): Promise<ListingQuery> {
  const given = flags.customerFiscalId ?? flags.issuerFiscalId;
  if (flags.all && flags.limit !== undefined) {
    throw new UsageError('--all and --limit do not go together', { hint: 'leave one of them out' });
  }
  const single = flags.page !== undefined || flags.nextToken !== undefined;
  if (flags.page !== undefined && flags.all) {
    throw new UsageError('--all and --page do not go together', { hint: 'leave one of them out' });
  }
  const fiscalIds =
    given === undefined ? [] : await readFiscalIds(`--${resource.fiscalIds?.flag}`, given, context.stdin);
  return {
    id,
    fiscalIds,
    sortBy: sortKey(resource, flags.sortBy),
    sortOrder: flags.sortOrder,
    params: flags.param ?? [],
    listEncoding: flags.listEncoding ?? 'comma',
    page: single ? flags.page : undefined,
    nextToken: flags.nextToken,
    pageSize: flags.pageSize,
    limit: flags.limit,
  };
}

/** The keys that are known in the service's spelling; another one as it was typed. */
function sortKey({ sortBy }: Resource, typed: string | undefined): string | undefined {
  if (typed === undefined) return undefined;
  if (typed === '') throw new UsageError('--sort-by "": expected a key', { hint: sortBy?.known.join(', ') });
  return sortBy?.known.find((key) => key === typed.toUpperCase()) ?? typed;
}

function sayHowMany(run: Run, limit: number, locale: string | undefined): void {
  const { notices, account } = run;
  const { records, totalAtEnd } = account;
  if (totalAtEnd !== undefined && totalAtEnd > records) {
    notices.remark(tableFooter({ shown: records, total: totalAtEnd, locale }));
  } else if (totalAtEnd === undefined && records >= limit) {
    notices.remark(`the first ${records} · --all for the rest`);
  }
}

function strictlyUnknown({ flags, partial }: Run): readonly string[] {
  return flags.strict ? [...partial.missingFiscalIds] : [];
}

/** Fiscal IDs as the user typed them, not as the service writes them. */
export function inUsersWords(
  error: unknown,
  { partial, resource }: Pick<Run, 'partial' | 'resource'>,
): unknown {
  if (!(error instanceof UnknownFiscalIds)) return error;
  const ids = error.fiscalIds.map((id) => partial.typed(id)).join(', ');
  return new NotFoundError(`no ${resource.fiscalIds?.whose ?? 'party'} has any of these fiscal IDs: ${ids}`, {
    hint: error.hint,
    cause: error,
  });
}
