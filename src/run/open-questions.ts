import { promises } from 'node:fs';
import type { Context } from '../context.ts';
import { UsageError, type IncompleteError } from '../errors.ts';
import { localDay } from '../json/calendar-day.ts';
import type { RecordBatch } from '../json/records.ts';
import type { KnownColumn } from '../output/column-roles.ts';
import { isChoice } from '../output/column-choice.ts';
import { localeOf } from '../output/terminal/number-text.ts';
import type { AskedWhere } from '../query/where/cell-test.ts';
import { ISSUED_COLUMNS, mapKnownColumns, RECEIVED_COLUMNS } from '../query/known-columns.ts';
import type { KnownColumns } from '../query/known-columns.ts';
import type { QuestionFlags, SortColumn } from '../query/question-syntax.ts';
import { Questions, type FilterQuestion, type Question } from '../query/questions.ts';
import type { ResultSite } from '../query/result-rows.ts';
import type { RecordTest, WhereFilter } from '../query/where/where.ts';
import type { Resource } from '../resources/resource.ts';
import type { ExtentFlags } from './sources/listing-source.ts';
import type { Notices } from './notices.ts';
import type { OutputFlags, OutputPlan } from './output-plan.ts';
import { asksForTotals } from './question-conflicts.ts';
import { fieldMap } from './settings.ts';

type Extent = Pick<ExtentFlags, 'all' | 'limit' | 'page'>;

interface QuestionsWish {
  readonly flags: QuestionFlags;
  /** Whose settings say where fields are. */
  readonly settings: SettingsOwner;
  /** What the records are, in the plural: for what is said of them. */
  readonly records: string;
  /** How many records are wanted. */
  readonly extent: Extent;
  /** The columns that were asked for. */
  readonly columns: readonly string[] | undefined;
  /** Whose label a record of a table of changes has; undefined where the records are of no resource. */
  readonly resource: Resource | undefined;
  /** How the answer leaves; undefined where only its columns are asked for. */
  readonly plan: OutputPlan | undefined;
  /** Whether the listing that an earlier record was in could not be read. */
  readonly isUnread?: ((record: RecordBatch) => boolean) | undefined;
  /** Asks something else of the records than the flags of a listing could. */
  readonly makeResult?: MakeResult | undefined;
}

/** Whose settings hold. The sandbox has none, as it has no profiles. */
export interface SettingsOwner {
  /** Undefined for the settings that are for all profiles. */
  readonly profile: string | undefined;
  readonly sandbox: boolean;
}

export type MakeResult = (site: ResultSite) => Question;

/** What the flags ask of the records. Reads an earlier export, when there is one to compare with. Throws UsageError. */
export async function openQuestions(context: Context, asked: QuestionsWish): Promise<Questions> {
  const { flags, extent, plan, records } = asked;
  const recordFilter = await filterOf(context, asked);
  const filter = recordFilter && (await whereQuestionOf(context, recordFilter, records));
  const site = { terminal: await terminalOf(context, plan), placeOf: filter?.placeOf };
  const result = asked.makeResult?.(site) ?? (await resultOf(context, asked, site));
  const sort = flags.sort && (await sortOf(flags, flags.sort, context.signal));
  return new Questions({
    filter,
    result,
    sort,
    limit: limitOf(extent, plan, result),
    locale: plan?.layout.locale,
  });
}

/** A table of totals or changes does not stop by itself: all of it was asked for. */
function limitOf(
  extent: Extent,
  plan: OutputPlan | undefined,
  result: Question | undefined,
): number | undefined {
  return extent.limit ?? (result === undefined && plan !== undefined ? tableLimit(extent, plan) : undefined);
}

/** Records after which a table on a terminal stops by itself. */
export function tableLimit({ all, limit, page }: Extent, plan: OutputPlan): number | undefined {
  if (plan.format !== 'table' || !plan.onTerminal) return undefined;
  return all || limit !== undefined || page !== undefined ? undefined : plan.tableLimit;
}

/** Whether records come out as a table on a terminal, in no order that anybody asked for: then the newest are looked for. */
export function looksForNewest(questions: Questions, { sort }: QuestionFlags, plan: OutputPlan): boolean {
  return plan.format === 'table' && plan.onTerminal && !questions.hasResult && sort === undefined;
}

/** The terminal that bars are drawn on, where the answer is a table on one. */
async function terminalOf({ env }: Context, plan: OutputPlan | undefined): Promise<ResultSite['terminal']> {
  const width = plan?.format === 'table' ? plan.layout.width : undefined;
  if (width === undefined) return undefined;
  const { hasBlocks } = await import('../query/result-rows.ts');
  return { width: plan?.layout.wide ? Infinity : width, blocks: hasBlocks(env) };
}

// Each is loaded only where it is asked: most runs ask none.

async function whereQuestionOf({ env }: Context, filter: WhereFilter, what: string): Promise<FilterQuestion> {
  return (await import('../query/where/where.ts')).whereQuestion(filter, { what, locale: localeOf(env) });
}

async function sortOf(
  flags: QuestionFlags,
  keys: readonly SortColumn[],
  signal: AbortSignal,
): Promise<Question> {
  const { sortQuestion } = await import('../query/sort.ts');
  // Totals were asked whether they can have the columns; a terminal leaves out one that says nothing.
  if (asksForTotals(flags))
    return sortQuestion(
      keys.map((key) => ({ ...key, isKnown: true })),
      signal,
    );
  return sortQuestion(keys, signal, flags.changesSince === undefined ? undefined : 'row of the changes');
}

async function filterOf(context: Context, asked: QuestionsWish): Promise<WhereFilter | undefined> {
  const { where = [], overdue, since, until } = asked.flags;
  if (where.length === 0 && (overdue ?? since ?? until) === undefined) return undefined;
  const { conditionTest, WhereFilter } = await import('../query/where/where.ts');
  const at = askedWhere(context);
  const tests = where.map((condition) => conditionTest(condition, at));
  return new WhereFilter([...tests, ...(await invoiceTests(context, asked))], columnsOf(where));
}

/** When and where a condition is asked. */
export function askedWhere({ clock, env }: Context): AskedWhere {
  return { today: localDay(clock.now()), locale: localeOf(env) };
}

/** The columns that conditions name, each once. */
export function columnsOf(where: NonNullable<QuestionFlags['where']>): string[] {
  return [...new Set(where.map(({ column }) => column))];
}

async function invoiceTests(context: Context, asked: QuestionsWish): Promise<RecordTest[]> {
  const { overdue, since, until, field } = asked.flags;
  if ((overdue ?? since ?? until) === undefined) return [];
  const { issuedTest, overdueTest } = await import('../query/where/invoice-tests.ts');
  const { parseDate } = await import('../query/where/date-value.ts');
  const fields = await knownColumnsOf(context, { ...asked, field });
  const { today } = askedWhere(context);
  const tests = overdue ? [overdueTest(fields, today)] : [];
  if (since !== undefined) tests.push(issuedTest(fields, 'since', parseDate(since, today)!));
  if (until !== undefined) tests.push(issuedTest(fields, 'until', parseDate(until, today)!));
  return tests;
}

interface FieldsWish {
  readonly resource: Resource | undefined;
  readonly settings: SettingsOwner;
  readonly field: QuestionFlags['field'];
}

/** Where the fields of invoices are: where the flags say, else the settings, else in the usual columns. Throws UsageError. */
export async function knownColumnsOf(
  context: Context,
  { resource, settings, field = [] }: FieldsWish,
): Promise<KnownColumns> {
  const usual = resource?.name === 'received' ? RECEIVED_COLUMNS : ISSUED_COLUMNS;
  const stored = settings.sandbox ? {} : fieldMap(await context.config(), settings.profile);
  return mapKnownColumns(usual, { ...stored, ...Object.fromEntries(field) });
}

/** The columns that people look for in records of the resource. Throws UsageError for settings that are not allowed. */
export async function shownColumnsOf(context: Context, wish: FieldsWish): Promise<readonly KnownColumn[]> {
  const fields = await knownColumnsOf(context, wish);
  const shown = wish.resource?.shown ?? [];
  return shown.map(({ in: place, ...column }) => ({
    ...column,
    names: typeof place === 'string' ? fields[place] : place,
  }));
}

async function resultOf(
  context: Context,
  asked: QuestionsWish,
  site: ResultSite,
): Promise<Question | undefined> {
  const { flags, columns, resource, plan } = asked;
  const { changesSince: path, key = ['id'], changesSinceMissingOk: missingOk = false } = flags;
  if (asksForTotals(flags)) return (await import('../query/totals.ts')).totalsQuestion(flags, site);
  if (path === undefined) return undefined;
  const { changesQuestion } = await import('../query/changes/changes.ts');
  await refuseOverwriting('--changes-since', path, plan?.target);
  const earlier = await filterOf(context, asked);
  const keep = earlier && ((batch: Parameters<typeof earlier.apply>[0]) => earlier.apply(batch));
  const named = columns?.filter((column) => !isChoice(column)) ?? [];
  const beside = named.length > 0 ? named : undefined;
  const { isUnread } = asked;
  const options = { path, key, isUnread, columns: beside, shown: [resource?.label ?? 'id'], keep, missingOk };
  return changesQuestion(options, plan?.format === 'table');
}

/**
 * Why an answer that rests on an earlier export is not to be trusted: to be thrown once it is delivered. Warns where the file is
 * not what its receipt is of.
 */
export async function doubtOfEarlier(
  { changesSince: file }: QuestionFlags,
  notices: Notices,
): Promise<IncompleteError | undefined> {
  if (file === undefined) return undefined;
  const { doubtOfExport } = await import('../query/exports/read-receipt.ts');
  const doubt = await doubtOfExport(file);
  if (typeof doubt !== 'string') return doubt;
  notices.warn(doubt);
  return undefined;
}

/** Throws UsageError where the file that a flag names, which is to be read, is the one that -o would replace. */
export async function refuseOverwriting(
  flag: string,
  read: string,
  output: string | undefined,
): Promise<void> {
  const paths = await Promise.all(
    [read, output ?? ''].map((path) => promises.realpath(path).catch(() => undefined)),
  );
  if (output === undefined || paths[0] === undefined || paths[0] !== paths[1]) return;
  throw new UsageError(`--output ${output} would replace the export that ${flag} is to read`, {
    hint: 'Name another file.',
  });
}

/** A count by itself is a number and nothing else, unless a format is asked for: `n=$(folio issued --count)`. */
export function bareCount(output: OutputFlags, { count, groupBy }: QuestionFlags): OutputFlags {
  const { format, output: target = '-', excel, delimiter } = output;
  const isBare = count && (groupBy ?? format ?? excel ?? delimiter) === undefined && target === '-';
  return isBare ? { ...output, format: 'csv', header: false } : output;
}
