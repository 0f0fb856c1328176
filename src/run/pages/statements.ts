import { promises } from 'node:fs';
import type { Context } from '../../context.ts';
import { UsageError, NotFoundError, systemReason } from '../../errors.ts';
import type { RecordBatch } from '../../json/records.ts';
import { checkFlagsOfFormat, formatOfEnding, type Format } from '../../output/formats.ts';
import { localeOf } from '../../output/terminal/number-text.ts';
import { writerOfResult } from '../../query/questions.ts';
import { batchesOfRows } from '../../query/rows.ts';
import {
  amountsDue,
  statementForm,
  statementRows,
  statementsJson,
  type OwnStatement,
} from '../../report/statement-rows.ts';
import { StatementTally } from '../../report/statement.ts';
import { writingFor, type ReportLanguage, type Writing } from '../../report/words.ts';
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
import { planOutput } from '../output-plan.ts';
import { deliver, storeOf, forEachPart, type Source } from '../part.ts';
import type { ReadPath } from '../paths.ts';
import { sourceFor } from '../pipeline.ts';
import type { PartState } from '../progress.ts';
import { inRun, type Run } from '../run.ts';
import { isOfSeveral, chooseProfiles } from '../session.ts';
import { flagDefaults, pageDefaults, type FlagDefaults } from '../settings.ts';
import { deliverText, readPart, type PartRead } from './read-part.ts';

/**
 * Writes what customers owe, or suppliers are owed, of one organization or several: of these `fiscalIds`, or of everyone. What could
 * not be read whole is marked, and the run ends in IncompleteError. On other errors nothing was written.
 */
export async function writeStatements(
  context: Context,
  flags: StatementFlags,
  fiscalIds: readonly string[] | undefined,
): Promise<void> {
  const form = await formOf(context, flags);
  if (form.kind !== 'rows') refuseRowFlags(flags);
  const { folder, note } = flags;
  const source = await sourceFor(flags, { resource: listingOf(flags), fiscalIds });
  try {
    const profiles = await profilesOf(context, source, flags);
    const options = {
      flags,
      name: 'statement',
      records: source.records,
      reads: [...(source.reads ?? []), ...noteFile(note)],
      output: flags.output,
      folder,
      ...(profiles.length > 1 && { parts: profiles.map(String) }),
    };
    await inRun(context, options, async (run) => {
      const job = { run, flags, fiscalIds, source, profiles, results: [] };
      await source.open?.(run);
      if (form.kind === 'folder') await writeFolder(job, form.path);
      else await (form.kind === 'rows' ? writeRows(job, form) : writeText(job, form.kind));
      checkOutcome(job.results);
    });
  } finally {
    await source.close?.();
  }
}

type Form =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'html' | 'json' }
  | { readonly kind: 'rows'; readonly format?: Format; readonly defaults: FlagDefaults };

/** What is written: a page, one JSON document, or rows in another format. Throws UsageError for flags that it does not read. */
async function formOf(context: Context, flags: StatementFlags): Promise<Form> {
  const { format, output, folder, excel, everyone, lang, note, organization } = flags;
  if (folder !== undefined) {
    if (excel || (format !== undefined && format !== 'html')) {
      throw new UsageError(`--output-dir writes pages, not ${format ?? 'csv'}`, {
        hint: 'Leave that out; or have the rows of all in one file with -o statements.xlsx, of one with --customer-fiscal-id <id> -o one.xlsx.',
      });
    }
    return { kind: 'folder', path: folder };
  }
  const ending = /\.([^./\\]+)$/.exec(output ?? '')?.[1]?.toLowerCase();
  const isPage = format === 'html' || (format === undefined && (ending === 'html' || ending === 'htm'));
  if (isPage) {
    if (everyone) {
      throw new UsageError('a page is for one customer, and --all names everyone', {
        hint: 'Have a page for each with --output-dir <dir>, or name one with --customer-fiscal-id <id>.',
      });
    }
    if (excel) {
      throw new UsageError('--excel goes with csv, not with html', {
        hint: 'Leave --excel out, or say --format csv.',
      });
    }
    if ((output === undefined || output === '-') && context.stdout.isTerminal) {
      throw new UsageError('a page cannot be shown on a terminal', {
        hint: 'Write it to a file with -o statement.html.',
      });
    }
    return { kind: 'html' };
  }
  const defaults = flags.sandbox ? {} : flagDefaults(await context.config(), flags.profile, listingOf(flags));
  const ofEnding = output === undefined ? undefined : formatOfEnding(output);
  const chosen = format ?? ofEnding ?? (excel ? 'csv' : defaults.format);
  const isJson = chosen === 'json';
  // A workbook has headings.
  const ofPages = { lang: chosen === 'xlsx' ? undefined : lang, note, ...(!isJson && { organization }) };
  const set = Object.entries(ofPages).find(([, value]) => value !== undefined)?.[0];
  if (set !== undefined) {
    throw new UsageError(`--${set} is for a page, and none is written`, {
      hint: 'Leave it out, or write a page with -o statement.html.',
    });
  }
  if (!isJson) return { kind: 'rows', ...(format && { format }), defaults };
  checkFlagsOfFormat('json', { '--excel': excel });
  return { kind: 'json' };
}

function refuseRowFlags({ columns, wide }: StatementFlags): void {
  const flag = columns !== undefined ? '--columns' : wide ? '--wide' : undefined;
  if (flag === undefined) return;
  throw new UsageError(`${flag} is for rows, and none are written`, {
    hint: 'Leave it out, or have rows with -o statement.csv.',
  });
}

async function writeRows(job: Job, form: Extract<Form, { kind: 'rows' }>): Promise<void> {
  const { run, profiles, flags } = job;
  const { output, columns, excel, wide, color } = flags;
  const setting = await languageSet(job);
  const ofRows = { format: form.format, output, columns, excel, wide, color };
  const planned = await planOutput(run.context, ofRows, {
    defaults: form.defaults,
    sheet: 'statement',
    lang: { flag: flags.lang, setting },
    extraEnding: '.html',
    isResult: true,
  });
  const plan = {
    ...planned,
    openWriter: writerOfResult(planned.openWriter, statementForm(profiles.length > 1)),
  };
  const language = planned.format === 'xlsx' ? (flags.lang ?? setting) : undefined;
  const writing = language && writingFor(run.context, language);
  let due: ReturnType<typeof amountsDue> = [];
  const rows = async function* (): AsyncGenerator<RecordBatch> {
    const { statements, facts } = await readAll(job);
    due = amountsDue(statements, facts, localeOf(run.context.env));
    yield* batchesOfRows(statementRows(statements, writing));
  };
  const state = run.whole;
  const delivered = await deliver(run, rows(), { plan, state });
  run.notices.remarkFile(delivered, { count: state.records, what: 'documents', place: plan.target });
  for (const { profile, text } of due)
    (profile === undefined ? run.notices : run.notices.forPart(profile)).remark(text);
  if (state.records === 0 && isWhole(job)) run.notices.remark('nothing is open');
}

async function writeText(job: Job, format: 'html' | 'json'): Promise<void> {
  const { run, flags } = job;
  const note = await noteOf(flags.note, run.context);
  await deliverText(run, { path: flags.output, what: 'statements' }, async () => {
    const { statements, facts } = await readAll(job);
    if (format === 'json') return statementsJson(statements, facts);
    const statement = theOnly(statements);
    const { statementPage } = await import('../../report/statement-pages.ts');
    return statementPage(statement, { ...facts, writing: await writingOf(job), note });
  });
}

function isWhole({ results }: Job): boolean {
  return results.every(({ failure }) => failure === undefined);
}

async function writingOf(job: Job): Promise<Writing> {
  return writingFor(job.run.context, job.flags.lang ?? (await languageSet(job)));
}

/** The language that is set for the only profile, or for all. */
async function languageSet({ run, flags, profiles }: Job): Promise<ReportLanguage | undefined> {
  const only = profiles.length > 1 ? undefined : (profiles[0] ?? flags.profile);
  return pageDefaults(await storeOf(run), only).lang;
}

function theOnly(statements: readonly OwnStatement[]): OwnStatement {
  if (statements.length === 1) return statements[0]!;
  const names = firstNames(statements) + (statements.length > MAX_NAMED ? ' and more' : '');
  throw new UsageError(`a page is for one, and ${statements.length} are meant: ${names}`, {
    hint: 'Have a page for each with --all --output-dir <dir>, or all in one workbook with -o statements.xlsx.',
  });
}

const INDEX = 'index.html';

/** Writes a new folder with a page for everyone with something open, and an index. */
async function writeFolder(job: Job, path: string): Promise<void> {
  const { run, flags } = job;
  const { context } = run;
  const { safePageName, uniqueNames } = await import('../../output/downloads/file-names.ts');
  const { writeNewFolder } = await import('../../output/files/new-folder.ts');
  const { statementIndex, statementPage } = await import('../../report/statement-pages.ts');
  const writing = await writingOf(job);
  const note = await noteOf(flags.note, context);
  const indexed: { own: OwnStatement; file: string }[] = [];
  const files = await writeNewFolder(path, context, async (write) => {
    const { facts, statements } = await readAll(job);
    const uniqueName = uniqueNames([INDEX]);
    for (const own of statements) {
      const file = uniqueName(safePageName(stemOf(own), 'html'));
      await write(file, statementPage(own, { ...facts, writing, note }));
      indexed.push({ own, file });
    }
    await write(INDEX, statementIndex(indexed, { ...facts, writing, isWhole: isWhole(job) }));
  });
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const count = indexed.length;
  const facts = { format: 'html', statements: count, bytes, files };
  run.notices.add({ level: 'fact', text: '', facts });
  run.notices.remarkWritten(() => ({ count, what: 'statements', place: path, bytes }));
}

/** The name of a page without its ending: whom it is about, behind the profile where there are several. */
function stemOf({ profile, isOneOfSeveral, statement: { party } }: OwnStatement): string {
  const named = [party.fiscalId, party.name].filter((part) => part !== undefined).join(' ');
  return isOneOfSeveral ? `${profile}.${named}` : named;
}

interface StatementFlags
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

interface Job {
  readonly run: Run;
  readonly flags: StatementFlags;
  /** Whose statements; undefined for everyone. */
  readonly fiscalIds: readonly string[] | undefined;
  readonly source: Source;
  /** The names of the organizations that are read; undefined for the one whose token or export it is. */
  readonly profiles: readonly (string | undefined)[];
  readonly results: PartState[];
}

function listingOf({ payable }: Pick<StatementFlags, 'payable'>) {
  return payable ? received : issued;
}

/** The organizations that are read. Throws UsageError. */
async function profilesOf(
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

/** Reads every organization. Throws where nothing could be read, and where no document is of the fiscal IDs. */
async function readAll(job: Job) {
  const { run, profiles, source, fiscalIds, flags, results } = job;
  const { organization, open, overdue, period } = flags;
  const { day } = run.day;
  const dates = { asOf: run.day.countedTo(flags.asOf), today: day };
  const resource = listingOf(flags);
  const listing = resource === received ? ('received' as const) : ('issued' as const);
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
  const caveats = [...run.day.caveats, ...kept];
  return { statements, facts: { ...dates, caveats, onlyPeriod: period?.text, listing } };
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

const MAX_NAMED = 5;

/** Whom the first of the statements are about. */
function firstNames(statements: readonly OwnStatement[]): string {
  const names = statements.map(({ statement: { party } }) => party.name ?? party.fiscalId ?? 'no name');
  return names.slice(0, MAX_NAMED).join(', ');
}

function checkOutcome(results: readonly PartState[]): void {
  checkResults(results, wordsOfProfiles(results, 'not whole, which their statements say'));
}

function noteFile(note: string | undefined): readonly ReadPath[] {
  const file = note?.startsWith('@') ? note.slice(1) : '-';
  return file === '-' ? [] : [{ path: file, is: 'the note of --note' }];
}

/** Characters. */
const MAX_NOTE = 20_000;

/** The text of --note, which may be in a file. Throws UsageError. */
async function noteOf(
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
