import type { Context } from '../../context.ts';
import { errorOf, NotFoundError, UsageError } from '../../errors.ts';
import type { Format } from '../../output/formats.ts';
import { StatementTally, type StatementFigures } from '../../report/statement.ts';
import type { OwnStatement, StatementFacts } from '../../report/statement-rows.ts';
import type { ReportLanguage } from '../../report/words.ts';
import { issued } from '../../resources/issued.ts';
import { received } from '../../resources/received.ts';
import type { Resource } from '../../resources/resource.ts';
import { fieldsOf, withFieldsWatched } from '../open-questions.ts';
import { checkPart, forEachPart, ownerOf, recordsOf, tryPart, type Part, type Source } from '../part.ts';
import { hasRecords, type PartState } from '../part-state.ts';
import type {
  GlobalFlags,
  OutputFlags,
  ProfilesFlags,
  QuestionFlags,
  ReceiptFlags,
  RequestFlags,
} from '../flags.ts';
import type { Run } from '../run.ts';
import { asksSeveral, chooseProfiles } from '../session.ts';
import { checkResults } from '../several/outcome.ts';
import { askedSource } from '../sources/asked-source.ts';

/** Whom statements are about, and what they say. */
export interface StatementFlags
  extends
    GlobalFlags,
    RequestFlags,
    ReceiptFlags,
    Pick<ProfilesFlags, 'allProfiles'>,
    Pick<OutputFlags, 'output' | 'columns' | 'excel' | 'wide'>,
    Pick<QuestionFlags, 'field'> {
  readonly from?: string | undefined;
  readonly format?: 'html' | Format | undefined;
  /** A folder for a page for everyone, as given to --output-dir. */
  readonly folder?: string | undefined;
  /** Suppliers instead of customers. */
  readonly payable?: boolean | undefined;
  /** Everyone with an open amount or a credit. */
  readonly everyone?: boolean | undefined;
  readonly organization?: string | undefined;
  /** A text, `@file` or `@-`. */
  readonly note?: string | undefined;
  readonly lang?: ReportLanguage | undefined;
}

/** What is asked for. */
export interface StatementRun {
  readonly flags: StatementFlags;
  /** Whose statements; undefined for everyone. */
  readonly fiscalIds: readonly string[] | undefined;
}

/** What one run does. */
export interface Job {
  readonly run: Run;
  readonly asked: StatementRun;
  readonly source: Source;
  /** The names of the organizations that are read; undefined for the one whose token or export it is. */
  readonly profiles: readonly (string | undefined)[];
  /** In days since 1970-01-01. */
  readonly today: number;
}

/** What is read: a listing of the service, or what --from names. Throws UsageError. */
export function sourceOf({ flags, fiscalIds }: StatementRun): Promise<Source> {
  return askedSource(flags, { resource: resourceOf(flags), fiscalIds });
}

/** The organizations that are read. Throws UsageError. */
export async function profilesOf(
  context: Context,
  source: Source,
  { flags }: StatementRun,
): Promise<readonly (string | undefined)[]> {
  const { organization } = flags;
  const own = (await source.profiles?.(context)) ?? [];
  // An export that does not say whose it is is nobody's.
  const isOne = own.length === 0 && (source.kind === 'local' || !asksSeveral(flags));
  const profiles = isOne ? [undefined] : own.length > 0 ? own : await chooseProfiles(context, flags);
  if (organization !== undefined && profiles.length > 1) {
    throw new UsageError(`--organization names one organization, and there are ${profiles.length}`, {
      hint: 'Leave it out, or name one profile with --profile.',
    });
  }
  return profiles;
}

/** The listing that is read. */
function listingOf({ payable }: Pick<StatementFlags, 'payable'>): 'issued' | 'received' {
  return payable ? 'received' : 'issued';
}

/** What is listed. */
export function resourceOf(flags: Pick<StatementFlags, 'payable'>): Resource {
  return { issued, received }[listingOf(flags)];
}

/** What was read of one organization. */
interface PartRead {
  readonly result: PartState;
  /** Whether all of the listing was there, be there documents that cannot be read. */
  readonly isWhole: boolean;
  /** As its invoices are asked for. */
  readonly profile: string | undefined;
  readonly figures: StatementFigures | undefined;
}

async function readPart(job: Job, profile: string | undefined, signal: AbortSignal): Promise<PartRead> {
  const { run, source, profiles } = job;
  let read: Pick<PartRead, 'isWhole' | 'profile'> = { isWhole: false, profile };
  let tally: StatementTally | undefined;
  const isOneOfSeveral = profiles.length > 1 && profile !== undefined;
  const named = isOneOfSeveral ? { name: profile } : {};
  const result = await tryPart(run, { source, ...named, profile, signal }, async (part) => {
    const known = ownerOf(part, profile);
    read = { isWhole: false, profile: known };
    tally = await openTally(job, part);
    const { field } = job.asked.flags;
    const records = await withFieldsWatched(recordsOf(part), { field, notices: part.notices });
    for await (const batch of records) tally.add(batch);
    const { failure } = tally.finish();
    checkPart(part);
    read = { isWhole: true, profile: known };
    if (failure !== undefined) throw errorOf(failure);
  });
  return { ...read, result, figures: hasRecords(result) ? tally?.finish() : undefined };
}

async function openTally({ asked: { flags, fiscalIds }, today }: Job, part: Part): Promise<StatementTally> {
  const { field } = flags;
  const settings = { profile: part.profile, sandbox: flags.sandbox === true };
  const fields = await fieldsOf(part.context, { resource: resourceOf(flags), settings, field });
  return new StatementTally({
    fields,
    listing: listingOf(flags),
    today,
    everyone: fiscalIds !== undefined,
  });
}

/** Names in a warning. */
const MAX_NAMED = 5;

/** All that was read. */
export interface StatementsRead {
  readonly statements: readonly OwnStatement[];
  readonly results: readonly PartState[];
  readonly facts: StatementFacts;
}

/** Reads every organization. Throws where nothing was had of any, and where nobody is known that was asked for. */
export async function readAll(job: Job): Promise<StatementsRead> {
  const { run, profiles, asked, today } = job;
  const { fiscalIds, flags } = asked;
  const { organization } = flags;
  const parts: PartRead[] = [];
  for await (const one of forEachPart(run, profiles, (profile, signal) => readPart(job, profile, signal)))
    parts.push(one);
  const results = parts.map(({ result }) => result);
  if (!results.some(hasRecords)) checkOutcome(results);
  const statements = parts.flatMap(({ profile, figures, isWhole }) => {
    const sender = {
      profile,
      isOneOfSeveral: profiles.length > 1,
      organization: organization ?? figures?.own.name ?? profile,
      organizationFiscalId: figures?.own.fiscalId,
      isWhole,
    };
    return (figures?.statements ?? []).map((statement) => ({ ...sender, statement }));
  });
  const isWhole = parts.every((part) => part.isWhole);
  if (fiscalIds !== undefined && statements.length === 0) {
    if (!isWhole) checkOutcome(results);
    throw new NotFoundError(`no ${listingOf(flags)} invoice is of ${fiscalIds.join(', ')}`, {
      hint: 'See who owes what with `folio aging`, and whom you owe with `folio aging --payable`.',
    });
  }
  warnOfBoth(job, statements);
  return { statements, results, facts: { asOf: today, listing: listingOf(flags) } };
}

/** Warns of those who have both cancelled documents and credit notes: nothing says which belong together. */
function warnOfBoth({ run }: Job, statements: readonly OwnStatement[]): void {
  const names = statements
    .filter(({ statement: { currencies } }) => currencies.some(({ cancelled }) => cancelled.length > 0))
    .map(({ statement: { party } }) => party.name ?? party.fiscalId ?? 'no name');
  if (names.length === 0) return;
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : '';
  run.notices.warn(
    `cancelled documents and credit notes are both among those of ${names.slice(0, MAX_NAMED).join(', ')}${more}: ` +
      'where a credit note cancels one of these documents, the amount due is too low',
  );
}

/** Throws where not all is whole. */
export function checkOutcome(results: readonly PartState[]): void {
  const failed = results.filter(({ failure }) => failure !== undefined);
  checkResults(results, {
    what: 'profiles',
    lack: failed.every(hasRecords) ? 'not whole, which their statements say' : 'missing',
  });
}
