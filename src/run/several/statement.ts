import { promises } from 'node:fs';
import type { Context } from '../../context.ts';
import { NotFoundError, systemReason, UsageError } from '../../errors.ts';
import { localDay } from '../../json/calendar-day.ts';
import type { RecordBatch } from '../../json/records.ts';
import { openDestination } from '../../output/files/open-destination.ts';
import { written } from '../../output/files/destination.ts';
import { checkFlagsOfFormat, formatOfEnding, type Format } from '../../output/formats.ts';
import { localeOf } from '../../output/terminal/number-text.ts';
import type { QuestionFlags } from '../../query/question-syntax.ts';
import { StatementTally, type StatementFigures } from '../../report/statement.ts';
import {
  statementColumns,
  statementRows,
  statementsJson,
  type OwnStatement,
  type StatementFacts,
} from '../../report/statement-rows.ts';
import { languageOf, writingOf, type ReportLanguage } from '../../report/words.ts';
import { issued } from '../../resources/issued.ts';
import { received } from '../../resources/received.ts';
import { deliver, remarkWritten } from '../export-part.ts';
import { fieldsOf } from '../open-questions.ts';
import { planOutput } from '../output-plan.ts';
import type { RequestFlags } from '../parse-values.ts';
import {
  checkPart,
  hasRecords,
  recordsOf,
  tryPart,
  type Part,
  type PartResult,
  type Source,
} from '../part.ts';
import type { ReadPath } from '../paths.ts';
import type { ReceiptFlags } from '../receipt.ts';
import { inRun, type GlobalFlags, type Run } from '../run.ts';
import { asksSeveral, chooseProfiles } from '../session.ts';
import { flagDefaults, type FlagDefaults } from '../settings.ts';
import type { FromFlags } from '../sources/export-source.ts';
import { ListingSource } from '../sources/listing-source.ts';
import { checkResults } from './outcome.ts';
import { forEachPart } from './parts-aside.ts';

/** Whom statements are about, and what they say. */
export interface StatementFlags {
  /** Suppliers instead of customers. */
  readonly payable?: boolean;
  /** Everyone with an open amount or a credit. */
  readonly all?: boolean;
  readonly fiscalIds?: readonly string[];
  readonly allProfiles?: boolean;
  readonly organization?: string;
  /** A text, `@file` or `@-`. */
  readonly note?: string;
  readonly lang?: ReportLanguage;
  readonly field?: QuestionFlags['field'];
}

/** Where statements go, and in which form. */
export interface StatementOutputFlags {
  readonly format?: 'html' | Format;
  readonly output?: string;
  readonly excel?: boolean;
}

interface StatementRun {
  readonly globals: GlobalFlags;
  readonly request: RequestFlags;
  readonly receipt: ReceiptFlags;
  readonly statement: StatementFlags;
  readonly from: FromFlags;
  readonly output: StatementOutputFlags;
}

/**
 * Reads the invoices of one organization or of several, and writes what customers owe, or what suppliers are owed. What could
 * not be read whole says so, and the run ends in IncompleteError.
 *
 * @throws UsageError, AuthError, NotFoundError, ServiceError, OutputError: nothing was written
 */
export async function writeStatements(context: Context, asked: StatementRun): Promise<void> {
  const { statement, output, request, receipt } = asked;
  const form = await formOf(context, asked);
  const { source, globals } = await sourceOf(asked);
  const profiles = await profilesOf(context, source, asked);
  checkOrganization(statement, profiles);
  const options = {
    globals,
    request,
    receipt,
    name: 'statement',
    records: source.records,
    reads: [...(source.reads ?? []), ...noteFile(statement)],
    output: output.output,
    ...(profiles.length > 1 && { parts: profiles.map(String) }),
  };
  await inRun(context, options, async (run) => {
    const job = { run, asked, source, profiles, today: localDay(context.clock.now()) };
    try {
      await source.open?.(run);
      await (form.kind === 'rows' ? writeRows(job, form) : writeText(job, form.kind));
    } finally {
      await source.close?.();
    }
  });
}

/** The file of --note, which is read. */
function noteFile({ note }: StatementFlags): readonly ReadPath[] {
  const file = note?.startsWith('@') ? note.slice(1) : '-';
  return file === '-' ? [] : [{ path: file, is: 'the note of --note' }];
}

/** What one run does. */
interface Job {
  readonly run: Run;
  readonly asked: StatementRun;
  readonly source: Source;
  /** The names of the organizations that are read; undefined for the one whose token or export it is. */
  readonly profiles: readonly (string | undefined)[];
  /** In days since 1970-01-01. */
  readonly today: number;
}

/** What is written: a page, one JSON document, or rows in another format. Throws UsageError for flags that it does not read. */
async function formOf(
  context: Context,
  { statement, output: { format, output, excel }, globals }: StatementRun,
): Promise<Form> {
  const { all, lang, note, organization } = statement;
  const ending = /\.([^./\\]+)$/.exec(output ?? '')?.[1]?.toLowerCase();
  const isPage = format === 'html' || (format === undefined && (ending === 'html' || ending === 'htm'));
  if (isPage) {
    if (all) {
      throw new UsageError('a page is for one customer, and --all names everyone', {
        hint: 'Name one with --customer-fiscal-id <id>, or write -o statements.xlsx.',
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
  const { payable } = statement;
  const defaults = globals.sandbox
    ? {}
    : flagDefaults(await context.config(), globals.profile, payable ? received : issued);
  const ofEnding = output === undefined ? undefined : formatOfEnding(output);
  const chosen = format ?? ofEnding ?? (excel ? 'csv' : defaults.format);
  const isJson = chosen === 'json';
  const told = { lang, note, ...(!isJson && { organization }) };
  const given = Object.entries(told).find(([, value]) => value !== undefined)?.[0];
  if (given !== undefined) {
    throw new UsageError(`--${given} is for a page, and none is written`, {
      hint: 'Leave it out, or write a page with -o statement.html.',
    });
  }
  if (!isJson) return { kind: 'rows', ...(format && { format }), defaults };
  checkFlagsOfFormat('json', { '--excel': excel });
  return { kind: 'json' };
}

type Form =
  | { readonly kind: 'html' | 'json' }
  | { readonly kind: 'rows'; readonly format?: Format; readonly defaults: FlagDefaults };

async function sourceOf({
  statement,
  from: { from, ...form },
  globals,
}: StatementRun): Promise<{ readonly source: Source; readonly globals: GlobalFlags }> {
  const { payable, fiscalIds, field, allProfiles } = statement;
  const resource = payable ? received : issued;
  const filters = { ...(fiscalIds && { fiscalIds }) };
  if (from === undefined) return { source: new ListingSource({ resource, filters }), globals };
  const { exportFrom } = await import('../sources/export-source.ts');
  const output = { header: true };
  const profiles = { ...(allProfiles !== undefined && { allProfiles }) };
  return exportFrom({ globals, output, profiles }, { file: from, resource, filters, field, form });
}

async function profilesOf(
  context: Context,
  source: Source,
  { globals, statement: { allProfiles } }: StatementRun,
): Promise<readonly (string | undefined)[]> {
  const own = (await source.profiles?.(context)) ?? [];
  if (own.length > 0) return own;
  const whom = { globals, profiles: { ...(allProfiles !== undefined && { allProfiles }) } };
  // An export that does not say whose it is is nobody's.
  return source.kind === 'local' || !asksSeveral(whom) ? [undefined] : chooseProfiles(context, whom);
}

function checkOrganization({ organization }: StatementFlags, profiles: readonly unknown[]): void {
  if (organization === undefined || profiles.length < 2) return;
  throw new UsageError(`--organization names one organization, and there are ${profiles.length}`, {
    hint: 'Leave it out, or name one profile with --profile.',
  });
}

/** What was read of one organization. */
interface PartRead {
  readonly result: PartResult;
  /** Whether all of the listing was there, be there documents that cannot be read. */
  readonly isWhole: boolean;
  readonly organization: string | undefined;
  readonly figures: StatementFigures | undefined;
}

async function readPart(job: Job, profile: string | undefined, signal: AbortSignal): Promise<PartRead> {
  const { run, source, profiles } = job;
  let read: Omit<PartRead, 'result'> = { isWhole: false, organization: profile, figures: undefined };
  const isOneOfSeveral = profiles.length > 1 && profile !== undefined;
  const named = isOneOfSeveral ? { name: profile } : {};
  const result = await tryPart(run, { source, ...named, profile, signal }, async (part) => {
    // An export that does not say whose it is is nobody's: the current profile only says what its columns mean.
    const organization = profile ?? (part.session === undefined ? undefined : part.profile);
    const tally = await readRecords(job, part);
    read = { isWhole: false, organization, figures: tally.finish() };
    checkPart(part);
    read = { ...read, isWhole: true };
    const { failure } = read.figures!;
    if (failure !== undefined) throw failure;
  });
  return { ...read, result };
}

async function readRecords({ asked: { statement }, today }: Job, part: Part): Promise<StatementTally> {
  const { payable, field, fiscalIds } = statement;
  const resource = payable ? received : issued;
  const settings = { profile: part.profile, sandbox: part.globals.sandbox === true };
  const fields = await fieldsOf(part.context, { resource, settings, field });
  const everyone = fiscalIds !== undefined;
  const tally = new StatementTally({ fields, listing: payable ? 'received' : 'issued', today, everyone });
  const { hasReferences } = await import('../../invoices/references.ts');
  if (!hasReferences(fields)) {
    for await (const batch of recordsOf(part)) tally.add(batch);
    return tally;
  }
  const { SecondLook } = await import('../../query/second-look.ts');
  const look = new SecondLook(fields);
  for await (const batch of look.answer(recordsOf(part))) tally.add(batch, look.limits);
  return tally;
}

/** All that was read. */
interface Outcome {
  readonly statements: readonly OwnStatement[];
  readonly results: readonly PartResult[];
  readonly facts: StatementFacts;
}

/** Reads every organization. Throws where nothing was had of any, and where nobody is known that was asked for. */
async function readAll(job: Job): Promise<Outcome> {
  const { run, profiles, asked, today } = job;
  const { payable, fiscalIds, organization } = asked.statement;
  const parts: PartRead[] = [];
  for await (const one of forEachPart(run, profiles, (profile, signal) => readPart(job, profile, signal)))
    parts.push(one);
  const results = parts.map(({ result }) => result);
  if (!results.some(hasRecords)) checkOutcome(results);
  const statements = parts.flatMap((part) =>
    (hasRecords(part.result) ? (part.figures?.statements ?? []) : []).map((statement) => ({
      profile: profiles.length > 1 ? part.organization : undefined,
      organization: organization ?? part.organization,
      organizationFiscalId: part.figures?.ownFiscalId,
      statement,
      isWhole: part.isWhole,
    })),
  );
  const isWhole = parts.every((part) => part.isWhole);
  if (fiscalIds !== undefined && statements.length === 0) {
    if (!isWhole) checkOutcome(results);
    const what = payable ? 'received' : 'issued';
    throw new NotFoundError(`no ${what} invoice is of ${fiscalIds.join(', ')}`, {
      hint: 'See who owes what with `folio aging`, and whom you owe with `folio aging --payable`.',
    });
  }
  return { statements, results, facts: { asOf: today, listing: payable ? 'received' : 'issued' } };
}

/** Throws where not all is whole. */
function checkOutcome(results: readonly PartResult[]): void {
  const failed = results.filter(({ failure }) => failure !== undefined);
  checkResults(results, {
    what: 'profiles',
    lack: failed.every(hasRecords) ? 'not whole, which their statements say' : 'missing',
  });
}

/** Writes the documents of the statements as rows. */
async function writeRows(job: Job, form: Extract<Form, { kind: 'rows' }>): Promise<void> {
  const { run, profiles, asked } = job;
  const isSeveral = profiles.length > 1;
  const columns = statementColumns(isSeveral);
  const { format: _, ...others } = asked.output;
  const plan = await planOutput(run.context, {
    flags: { ...others, ...(form.format && { format: form.format }), columns, header: true },
    color: run.globals.color,
    defaults: form.defaults,
    sheet: 'statement',
  });
  let results: readonly PartResult[] = [];
  const rows = async function* (): AsyncGenerator<RecordBatch> {
    const outcome = await readAll(job);
    ({ results } = outcome);
    yield statementRows(outcome.statements, isSeveral);
  };
  const { receipt, notices, context } = run;
  receipt.note({ plan });
  const delivered = await deliver(context, rows(), { plan, receipt, notices });
  receipt.note({ delivered });
  const { target } = plan;
  await remarkWritten(run, () =>
    target === undefined || !delivered.isFile
      ? undefined
      : { count: receipt.facts.records, what: 'open documents', place: target, bytes: delivered.bytes },
  );
  checkOutcome(results);
}

/** Writes one page, or one JSON document. */
async function writeText(job: Job, format: 'html' | 'json'): Promise<void> {
  const { run, asked } = job;
  const { output } = asked.output;
  const note = await noteOf(job);
  let results: readonly PartResult[] = [];
  const delivered = await written(
    await openDestination(output, run.context, { digest: asked.receipt.receipt !== undefined }),
    async (destination) => {
      const outcome = await readAll(job);
      ({ results } = outcome);
      await destination.write(
        format === 'json'
          ? statementsJson(outcome.statements, outcome.facts)
          : await pageOf(job, { ...outcome, note }),
      );
    },
  );
  run.receipt.note({ delivered });
  await remarkWritten(run, () =>
    output === undefined || !delivered.isFile
      ? undefined
      : { count: 1, what: 'statements', place: output, bytes: delivered.bytes },
  );
  checkOutcome(results);
}

/** The page of the only statement. Throws UsageError where there are several. */
async function pageOf(
  { run: { context }, asked }: Job,
  { statements, facts, note }: Outcome & { readonly note: string | undefined },
): Promise<string> {
  const [statement, other] = statements;
  if (other !== undefined) {
    const names = statements.map(({ statement: { party } }) => party.name ?? party.fiscalId ?? 'no name');
    const shown =
      names.length > MAX_NAMED ? `${names.slice(0, MAX_NAMED).join(', ')} and more` : names.join(', ');
    throw new UsageError(`a page is for one, and ${statements.length} are meant: ${shown}`, {
      hint: 'Name one, or have all in one workbook with -o statements.xlsx.',
    });
  }
  const { statementPage } = await import('../../report/statement-page.ts');
  const locale = localeOf(context.env);
  const writing = writingOf(asked.statement.lang ?? languageOf(locale), locale);
  return statementPage(statement!, { ...facts, writing, note });
}

/** Names in a message. */
const MAX_NAMED = 5;
/** Characters. */
const MAX_NOTE = 20_000;

/** The text of --note, which may be in a file. Throws UsageError. */
async function noteOf({ run: { context }, asked }: Job): Promise<string | undefined> {
  const { note } = asked.statement;
  if (note === undefined || !note.startsWith('@')) return note;
  const file = note.slice(1);
  const text = file === '-' ? await context.stdin.readAll() : await readNote(file);
  if (text.length > MAX_NOTE) {
    throw new UsageError(
      `--note ${note}: expected a note of at most ${MAX_NOTE.toLocaleString('en')} characters`,
      {
        hint: 'Name a file of text that is to stand below the statement.',
      },
    );
  }
  return text;
}

async function readNote(file: string): Promise<string> {
  try {
    const bytes = await promises.readFile(file);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    const reason = error instanceof TypeError ? 'it is no text in UTF-8' : systemReason(error);
    throw new UsageError(`--note @${file}: ${reason}`, {
      hint: 'Name a file of text, @- for standard input, or write the note itself.',
      cause: error,
    });
  }
}
