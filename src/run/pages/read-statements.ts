import { promises } from 'node:fs';
import type { Context } from '../../context.ts';
import { NotFoundError, UsageError, systemReason } from '../../errors.ts';
import type { Format } from '../../output/formats.ts';
import type { OwnStatement, StatementFacts } from '../../report/statement-rows.ts';
import { StatementTally } from '../../report/statement.ts';
import type { ReportLanguage } from '../../report/words.ts';
import { issued } from '../../resources/issued.ts';
import { received } from '../../resources/received.ts';
import { checkResults, hasRecords, wordsOfProfiles } from '../completeness.ts';
import type {
  GlobalFlags,
  OutputFlags,
  ProfilesFlags,
  QuestionFlags,
  ReceiptFlags,
  RequestFlags,
} from '../flags.ts';
import { forEachPart, storeOf, type Source } from '../part.ts';
import type { ReadPath } from '../paths.ts';
import type { PartState } from '../progress.ts';
import type { Run } from '../run.ts';
import { isOfSeveral, chooseProfiles } from '../session.ts';
import { pageDefaults } from '../settings.ts';
import { readPart, type PartRead } from './read-part.ts';

export interface StatementFlags
  extends
    GlobalFlags,
    RequestFlags,
    ReceiptFlags,
    Pick<ProfilesFlags, 'allProfiles'>,
    Pick<OutputFlags, 'output' | 'columns' | 'excel' | 'wide'>,
    Pick<QuestionFlags, 'field' | 'open' | 'overdue' | 'period'> {
  readonly from?: string | undefined;
  readonly format?: 'html' | Format | undefined;
  /** A folder for a page for everyone, as typed behind --output-dir. */
  readonly folder?: string | undefined;
  /** Suppliers instead of customers. */
  readonly payable?: boolean | undefined;
  /** Everyone with an open amount or a credit. */
  readonly everyone?: boolean | undefined;
  readonly organization?: string | undefined;
  /** A text, `@file` or `@-`. */
  readonly note?: string | undefined;
  readonly lang?: ReportLanguage | undefined;
  /** The day to count to, in days since 1970-01-01. */
  readonly asOf?: number | undefined;
}

export interface Job {
  readonly run: Run;
  readonly flags: StatementFlags;
  /** Whose statements; undefined for everyone. */
  readonly fiscalIds: readonly string[] | undefined;
  readonly source: Source;
  /** The names of the organizations that are read; undefined for the one whose token or export it is. */
  readonly profiles: readonly (string | undefined)[];
  /** What became of each, once they were read. */
  readonly results: PartState[];
}

export function listingOf({ payable }: Pick<StatementFlags, 'payable'>) {
  return payable ? received : issued;
}

/** The organizations that are read. Throws UsageError. */
export async function profilesOf(
  context: Context,
  source: Source,
  flags: StatementFlags,
): Promise<readonly (string | undefined)[]> {
  const own = (await source.profiles?.(context)) ?? [];
  // An export without a profile column has no owner.
  const isOne = own.length === 0 && (source.kind === 'local' || !isOfSeveral(flags));
  const profiles = isOne ? [undefined] : own.length > 0 ? own : await chooseProfiles(context, flags);
  if (flags.organization !== undefined && profiles.length > 1) {
    throw new UsageError(`--organization names one organization, and there are ${profiles.length}`, {
      hint: 'Leave it out, or name one profile with --profile.',
    });
  }
  return profiles;
}

export interface StatementsRead {
  readonly statements: readonly OwnStatement[];
  readonly facts: StatementFacts;
}

/** Reads every organization. Throws where nothing could be read, and where no document is of the fiscal IDs. */
export async function readAll(job: Job): Promise<StatementsRead> {
  const { run, profiles, source, fiscalIds, flags, results } = job;
  const { organization, open, overdue, period } = flags;
  const { day } = run.day;
  const dates = { asOf: run.day.countedTo(flags.asOf), today: day };
  const resource = listingOf(flags);
  const listing = resource === received ? 'received' : 'issued';
  const everyone = fiscalIds !== undefined;
  const isSeveral = profiles.length > 1;
  const parts: PartRead<StatementTally>[] = [];
  const all = forEachPart(run, profiles, (profile, signal) => {
    const named = isSeveral && profile !== undefined ? { name: profile } : {};
    const options = {
      source,
      watchesFields: true,
      keeps: { open, overdue, period },
      ...named,
      profile,
      signal,
    };
    return readPart(
      run,
      options,
      (fields) => new StatementTally({ fields, listing, ...dates, everyone, fiscalIds }),
    );
  });
  for await (const one of all) parts.push(one);
  results.push(...parts.map(({ result }) => result));
  if (!results.some(hasRecords)) checkOutcome(results);
  const tallies = parts.flatMap(({ tally }) => tally ?? []);
  for (const tally of tallies) for (const other of tallies) tally.learnNames(other);
  const store = await storeOf(run);
  const statements = parts.flatMap(({ profile, tally, isWhole }) => {
    const figures = tally?.finish();
    const { name, fiscalId } = figures?.own ?? {};
    const sender = {
      profile,
      isOneOfSeveral: isSeveral,
      organization: organization ?? pageDefaults(store, profile).organization ?? name,
      organizationFiscalId: fiscalId,
      isWhole,
    };
    return (figures?.statements ?? []).map((statement) => ({ ...sender, statement }));
  });
  if (fiscalIds !== undefined && statements.length === 0) {
    if (parts.some(({ isWhole }) => !isWhole)) checkOutcome(results);
    const isKept = (open ?? overdue ?? period) !== undefined;
    const of = fiscalIds.join(', ');
    const which = isKept ? `no document of ${of} is kept` : `no ${listing} invoice is of ${of}`;
    throw new NotFoundError(which, {
      hint: isKept
        ? 'Leave out --open, --overdue and --period to see all that is open.'
        : 'See who owes what with `folio aging`, and whom you owe with `folio aging --payable`.',
    });
  }
  warnOfBoth(run, statements);
  const kept = overdue ? (['onlyOverdue'] as const) : open ? (['withoutCredits'] as const) : [];
  const notes = [...run.day.notes, ...kept];
  return { statements, facts: { ...dates, notes, onlyPeriod: period?.text, listing } };
}

/** Warns of those who have both cancelled documents and credit notes: which belong together is unknown. */
function warnOfBoth({ notices }: Run, statements: readonly OwnStatement[]): void {
  const both = statements.filter(({ statement: { currencies } }) =>
    currencies.some(({ cancelled }) => cancelled.length > 0),
  );
  if (both.length === 0) return;
  const more = both.length > MAX_NAMED ? ` and ${both.length - MAX_NAMED} more` : '';
  notices.warn(
    `cancelled documents and credit notes are both among those of ${firstNames(both)}${more}: ` +
      'where a credit note cancels one of these documents, the amount due is too low',
  );
}

export const MAX_NAMED = 5;

/** Whom the first of the statements are about. */
export function firstNames(statements: readonly OwnStatement[]): string {
  const names = statements.map(({ statement: { party } }) => party.name ?? party.fiscalId ?? 'no name');
  return names.slice(0, MAX_NAMED).join(', ');
}

export function checkOutcome(results: readonly PartState[]): void {
  checkResults(results, wordsOfProfiles(results, 'not whole, which their statements say'));
}

export function noteFile(note: string | undefined): readonly ReadPath[] {
  const file = note?.startsWith('@') ? note.slice(1) : '-';
  return file === '-' ? [] : [{ path: file, is: 'the note of --note' }];
}

/** Characters. */
const MAX_NOTE = 20_000;

/** The text of --note, which may be in a file. Throws UsageError. */
export async function noteOf(
  note: string | undefined,
  { stdin }: Pick<Context, 'stdin'>,
): Promise<string | undefined> {
  if (note === undefined || !note.startsWith('@')) return note;
  const text = note === '@-' ? await stdin.readAll() : await readNote(note.slice(1));
  if (text.length <= MAX_NOTE) return text;
  throw new UsageError(
    `--note ${note}: expected a note of at most ${MAX_NOTE.toLocaleString('en')} characters`,
    { hint: 'Name a file of text that is to stand below the statement.' },
  );
}

async function readNote(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await promises.readFile(file));
  } catch (error) {
    const reason = error instanceof TypeError ? 'it is no text in UTF-8' : systemReason(error);
    throw new UsageError(`--note @${file}: ${reason}`, {
      hint: 'Name a file of text, @- for standard input, or write the note itself.',
      cause: error,
    });
  }
}
