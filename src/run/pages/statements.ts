import type { Context } from '../../context.ts';
import { UsageError, NotFoundError } from '../../errors.ts';
import { readPeriod } from '../../invoices/periods.ts';
import { firstOf, quoteUnlessCode } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';
import { checkFlagsOfForm, formats, readsFlag, type Format } from '../../output/formats.ts';
import { readTyped } from '../../output/files/typed-text.ts';
import { localeOf } from '../../output/terminal/number-text.ts';
import type { ConfigStore } from '../../profiles/profile.ts';
import { batchesOfRows } from '../../query/result-rows.ts';
import {
  amountsDue,
  statementForm,
  statementRows,
  statementsJson,
  type OwnStatement,
} from '../../report/statement-rows.ts';
import { statementTally } from '../../report/statement.ts';
import { writingFor, type ReportLanguage } from '../../report/texts.ts';
import { issued, received } from '../../resources/invoices.ts';
import { checkResults, wordsOfProfiles, type OutcomeWords, type PartResult } from '../outcome.ts';
import type { ExportFlags, OutputFlags } from '../flags.ts';
import { Notices } from '../notices.ts';
import { endingFormat, planOutput } from '../output-plan.ts';
import { deliver, storeOf, type Run } from '../run.ts';
import type { ReadPath } from '../paths.ts';
import { chosenProfiles, settingsProfile } from '../session.ts';
import { flagDefaults, organizationSet, type FlagDefaults } from '../settings.ts';
import { sourceFor } from '../pipeline.ts';
import {
  deliverText,
  inPageRun,
  isOnTerminal,
  refusePage,
  type PagePart,
  type ReadParts,
} from './read-part.ts';

/**
 * Writes what customers owe, or suppliers are owed, of one organization or several: of these `fiscalIds`, or of everyone. What
 * could not be read whole is marked, and the run ends in IncompleteError. On other errors nothing was written.
 */
export async function writeStatements(
  context: Context,
  flags: StatementFlags,
  fiscalIds: readonly string[] | undefined,
): Promise<void> {
  const store = await storeOf({ flags, context });
  const usual = settingsProfile(context, flags, store);
  const defaults = flagDefaults(store, usual, listingOf(flags));
  const form = formOf(context, flags, defaults);
  const { folder, note, output, open, overdue, period } = flags;
  const source = await sourceFor(flags, { resource: listingOf(flags), fiscalIds });
  try {
    const notices = new Notices(context, flags);
    const held = await source.held?.(context);
    const chosen = await chosenProfiles(context, { held, flags, notices });
    const profiles = chosen.length > 0 ? chosen : [undefined];
    const isSeveral = profiles.length > 1;
    if (flags.organization !== undefined && isSeveral) {
      throw new UsageError(`--organization names one organization, and there are ${profiles.length}`, {
        hint: 'Leave it out, or name one profile with --profile.',
      });
    }
    const reads = [...(source.reads ?? []), ...noteFile(note)];
    const options = { flags, name: 'statement', records: source.records, reads, output, folder, notices };
    const keeps = { open, overdue, period };
    const parts = profiles.map((profile) => ({
      source,
      profile,
      keeps,
      watchesFields: true,
      ...(isSeveral && { name: profile! }),
    }));
    const words = (results: readonly PartResult[]) => wordsOfStatements(results, flags);
    await inPageRun(context, { options, parts, words }, async (run, read) => {
      const only = isSeveral ? undefined : (profiles[0] ?? held?.owner ?? usual);
      const language = flags.lang ?? flagDefaults(store, only, undefined).lang;
      const job = { run, flags, fiscalIds, isSeveral, language, store, read };
      if (folder !== undefined) await writeFolder(job, folder);
      else await (form === 'html' || form === 'json' ? writeText(job, form) : writeRows(job, defaults));
    });
  } finally {
    await source.close?.();
  }
}

function wordsOfStatements(results: readonly PartResult[], { from }: StatementFlags): OutcomeWords {
  const notWhole = 'not whole, which their statements say';
  return wordsOfProfiles(results, { isOfService: from === undefined, notWhole });
}

interface Job {
  readonly run: Run;
  readonly flags: StatementFlags;
  /** The counterparties; undefined for all. */
  readonly fiscalIds: readonly string[] | undefined;
  readonly isSeveral: boolean;
  /** By the flag, else the setting of the only profile, or of all. */
  readonly language: ReportLanguage | undefined;
  readonly store: ConfigStore | undefined;
  readonly read: ReadParts<PagePart>;
}

type Form = 'html' | Format;

/** The form of what is written: a page, or rows in a format, of which json is one document. Throws UsageError. */
function formOf(context: Context, flags: StatementFlags, defaults: FlagDefaults): Form {
  const { format, output, folder, columns, excel, wide, everyone, lang, note, organization } = flags;
  const isPage = output !== undefined && /\.html?$/i.test(output);
  const ofEnding = isPage ? 'html' : output && endingFormat(output, format, '.html');
  const isShown = isOnTerminal(context, output);
  const usual = (excel ? 'csv' : defaults.format) ?? (isShown ? 'table' : 'csv');
  const form = format ?? (folder === undefined ? ofEnding || usual : 'html');
  const rows = formats.filter((one) => one !== 'json');
  checkFlagsOfForm(form, {
    '--output-dir': [folder, 'html'],
    '--excel': [excel, 'csv'],
    '--wide': [wide, 'table'],
    '--columns': [columns, ...rows],
    '--lang': [lang, 'html', 'xlsx'],
    '--note': [note, 'html'],
    '--organization': [organization, 'html', 'json'],
  });
  if (form !== 'html' || folder !== undefined) return form;
  if (everyone) {
    throw new UsageError('a page is for one customer, and --all names everyone', {
      hint: 'Have a page for each with --output-dir <dir>, or name one with --customer-fiscal-id <id>.',
    });
  }
  return isShown ? refusePage('Write it to a file with -o statement.html.') : form;
}

async function writeRows(job: Job, defaults: FlagDefaults): Promise<void> {
  const { run, flags, isSeveral, language } = job;
  const plan = await planOutput(run.context, flags as OutputFlags, {
    defaults,
    sheet: 'statement',
    lang: { flag: flags.lang, setting: language },
    form: statementForm(isSeveral),
  });
  const writing =
    language && readsFlag(plan.format, '--lang') ? writingFor(run.context, language) : undefined;
  const state = run.whole;
  let due: ReturnType<typeof amountsDue> = [];
  let isEmpty = false;
  const rows = async function* (): AsyncGenerator<RecordBatch> {
    const { statements, facts, isWhole } = await readStatements(job);
    due = amountsDue(statements, facts, localeOf(run.context.env));
    yield* batchesOfRows(statementRows(statements, writing));
    isEmpty = isWhole && state.records === 0;
  };
  const delivered = await deliver(run, rows(), { plan, state });
  run.notices.remarkFile(delivered, { count: state.records, what: 'documents', place: plan.target });
  for (const { profile, text } of due)
    (isSeveral ? run.notices.forPart(String(profile)) : run.notices).remark(text);
  if (isEmpty) run.notices.remark('nothing is open');
}

async function writeText(job: Job, format: 'html' | 'json'): Promise<void> {
  const { run, flags, language } = job;
  const note = await noteOf(flags.note, run.context);
  await deliverText(run, { path: flags.output, what: 'statements' }, async () => {
    const { statements, facts } = await readStatements(job);
    if (format === 'json') return statementsJson(statements, facts);
    const statement = theOnly(statements);
    const { statementPage } = await import('../../report/statement-pages.ts');
    return statementPage(statement, { ...facts, writing: writingFor(run.context, language), note });
  });
}

function theOnly(statements: readonly OwnStatement[]): OwnStatement {
  if (statements.length === 1) return statements[0]!;
  throw new UsageError(`a page is for one, and ${statements.length} are meant: ${firstNames(statements)}`, {
    hint: 'Have a page for each with --all --output-dir <dir>, or all in one workbook with -o statements.xlsx.',
  });
}

const INDEX = 'index.html';

/** Writes a new folder with a page for everyone with something open, and an index. */
async function writeFolder(job: Job, path: string): Promise<void> {
  const { run, flags, isSeveral, language } = job;
  const { context } = run;
  const { safePageName, uniqueNames } = await import('../../output/downloads/file-names.ts');
  const { writeNewFolder } = await import('../../output/files/new-folder.ts');
  const { statementIndex, statementPage } = await import('../../report/statement-pages.ts');
  const writing = writingFor(context, language);
  const note = await noteOf(flags.note, context);
  const indexed: { own: OwnStatement; file: string }[] = [];
  const files = await writeNewFolder(path, context, async (write) => {
    const { facts, statements, isWhole } = await readStatements(job);
    const uniqueName = uniqueNames([INDEX]);
    for (const own of statements) {
      const file = uniqueName(safePageName(stemOf(own, isSeveral), 'html'));
      await write(file, statementPage(own, { ...facts, writing, note }));
      indexed.push({ own, file });
    }
    await write(INDEX, statementIndex(indexed, { ...facts, writing, isWhole }));
  });
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const count = indexed.length;
  const facts = { format: 'html', statements: count, bytes, files };
  run.notices.add({ level: 'fact', text: '', facts });
  run.notices.remarkWritten({ count, what: 'statements', place: path, bytes });
}

/** The name of a page without its ending: whom it is about, behind the profile where there are several. */
function stemOf({ profile, party }: OwnStatement, isSeveral: boolean): string {
  const named = [party.fiscalId, party.name].filter((part) => part !== undefined).join(' ');
  return isSeveral ? `${profile}.${named}` : named;
}

type StatementFlags = Omit<ExportFlags, 'format'> & {
  readonly format?: Form | undefined;
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
};

function listingOf({ payable }: Pick<StatementFlags, 'payable'>) {
  return payable ? received : issued;
}

/** Reads every organization. Throws where nothing could be read, and where no document is of the fiscal IDs. */
async function readStatements({ run, flags, fiscalIds, store, read }: Job) {
  const { organization, open, overdue, period } = flags;
  const { day } = run.day;
  const dates = { asOf: run.day.countedTo(), today: day };
  const listing = flags.payable ? ('received' as const) : ('issued' as const);
  const options = { listing, ...dates, everyone: fiscalIds !== undefined, fiscalIds };
  const parts = await read((fields) => statementTally({ fields, ...options }));
  const tallies = parts.flatMap(({ tally }) => tally ?? []);
  for (const tally of tallies) for (const other of tallies) tally.learnNames(other);
  const statements = parts.flatMap(({ profile, tally, isWhole }) => {
    const figures = tally?.finish();
    const { name, fiscalId } = figures?.own ?? {};
    const sender = {
      profile,
      organization: organization ?? organizationSet(store, profile) ?? name,
      organizationFiscalId: fiscalId,
    };
    return (figures?.statements ?? []).map((statement): OwnStatement => ({
      ...sender,
      ...statement,
      isWhole: isWhole && statement.unreadable === 0,
    }));
  });
  const results = parts.map(({ result }) => result);
  if (fiscalIds !== undefined && statements.length === 0) {
    if (parts.some(({ isWhole }) => !isWhole)) checkResults(results, wordsOfStatements(results, flags));
    throw new NotFoundError(`no document of ${fiscalIds.join(', ')} is kept`, {
      hint: 'Leave out --open, --overdue and --period to see all that is open.',
    });
  }
  warnOfBoth(run, statements);
  const kept = overdue ? (['onlyOverdue'] as const) : open ? (['withoutCredits'] as const) : [];
  const caveats = [...run.day.caveats, ...kept];
  const isWhole = results.every(({ failure }) => failure === undefined);
  // A reader of the page cannot tell which month `last-month` was.
  const onlyPeriod = period && readPeriod(period.text, () => dates.asOf).name;
  return { statements, facts: { ...dates, caveats, onlyPeriod, listing }, isWhole };
}

/** Warns of those who have both cancelled documents and credit notes: which belong together is unknown. */
function warnOfBoth({ notices }: Run, statements: readonly OwnStatement[]): void {
  const both = statements.filter(({ currencies }) =>
    currencies.some(({ cancelled }) => cancelled.length > 0),
  );
  if (both.length === 0) return;
  notices.warn(
    `cancelled documents and credit notes are both among those of ${firstNames(both)}: ` +
      'where a credit note cancels one of these documents, the amount due is too low',
  );
}

const MAX_NAMED = 5;

/** Whom the first of the statements are about. */
function firstNames(statements: readonly OwnStatement[]): string {
  const names = statements.map(({ party }) => quoteUnlessCode(party.name ?? party.fiscalId ?? 'no name'));
  return firstOf(names.slice(0, MAX_NAMED), names.length);
}

function noteFile(note: string | undefined): readonly ReadPath[] {
  const file = note?.startsWith('@') ? note.slice(1) : '-';
  return file === '-' ? [] : [{ path: file, what: 'the note of --note' }];
}

/** The text of --note, which may be in a file. Throws UsageError. */
async function noteOf(
  note: string | undefined,
  { stdin }: Pick<Context, 'stdin'>,
): Promise<string | undefined> {
  if (note === undefined || !note.startsWith('@')) return note;
  const hint = 'Name a file of text, @- for standard input, or write the note itself.';
  const text = await readTyped('--note', note, { stdin, hint });
  if (text.includes('\uFFFD')) throw new UsageError(`--note ${note}: it is not text in UTF-8`, { hint });
  return text;
}
