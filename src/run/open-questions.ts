import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import {
  type Meanings,
  meaningOf,
  fixedValue,
  PLAIN_MEANINGS,
  PROFILE_COLUMN,
  withCurrencyOf,
} from '../invoices/fields.ts';
import { localDay } from '../json/calendar-day.ts';
import type { RecordBatch } from '../json/records.ts';
import { countOf, localeOf } from '../output/terminal/number-text.ts';
import { hasBlocks } from '../output/terminal/terminal-text.ts';
import type { SortColumn } from '../query/question-syntax.ts';
import {
  Questions,
  type ExpandQuestion,
  type FilterQuestion,
  type Question,
  type Sorting,
} from '../query/questions.ts';
import type { BarTerminal } from '../query/figure-table.ts';
import { refuseEmptySpan } from '../query/where/dates.ts';
import type { RecordTest, TestContext, WhereFilter } from '../query/where/where.ts';
import { filters, type Filter, type RecordFilters } from './filters.ts';
import { narrowing, withValues } from './flag.ts';
import { extentFlags, type ExportFlags, type QuestionFlags } from './flags.ts';
import type { OutputPlan } from './output-plan.ts';
import { storeOf, type Part } from './run.ts';
import type { RunDay } from './run-state.ts';
import { flagDefaults } from './settings.ts';

/** The questions of the flags, or the command's own question. */
export interface QuestionsRequest {
  readonly flags: ExportFlags;
  /** A result of the command's own: its rows come out instead of the records. */
  readonly makeResult?: (part: Part, terminal: BarTerminal | undefined) => Promise<Question>;
}

export function hasTotals({ sum, groupBy, count }: QuestionFlags): boolean {
  return (sum ?? groupBy ?? count) !== undefined;
}

export function hasResult({ flags, makeResult }: QuestionsRequest): boolean {
  return hasTotals(flags) || flags.changesSince !== undefined || makeResult !== undefined;
}

/** Throws UsageError for questions that have no answer, before anything is opened. */
export async function checkQuestions(flags: QuestionFlags): Promise<void> {
  const { sort, expand, sum = [] } = flags;
  if (sort !== undefined && hasTotals(flags)) {
    const { columnsOfTotals } = await import('../query/totals.ts');
    const { chosenColumns } = await import('../query/result-rows.ts');
    chosenColumns(
      columnsOfTotals(flags),
      sort.map(({ column }) => column),
      '--sort',
    );
  }
  const repeated = expand === undefined ? undefined : sum.find((column) => !column.startsWith(`${expand}.`));
  if (repeated === undefined) return;
  throw new UsageError(
    `--sum ${repeated} does not go with --expand ${expand}: each row of a record repeats it, so it would be added several times`,
    { hint: `Sum a column of the rows, such as ${expand}.amount, or leave --expand out.` },
  );
}

/**
 * Makes the questions of the flags about the records of a part; each is loaded when it is needed. `plan` is that of the
 * output; undefined where the names of columns come out. Throws UsageError for flags that make no sense together.
 */
export async function openQuestions(
  part: Part,
  request: QuestionsRequest,
  plan: OutputPlan | undefined,
): Promise<Questions> {
  const { flags } = request;
  let before: FilterQuestion | undefined;
  let expand: ExpandQuestion | undefined;
  if (flags.expand !== undefined) {
    // Questions about documents, such as --overdue, come before the records become rows.
    before = await filterOf(part, withValues(flags, { where: undefined }));
    expand = (await import('../query/expand.ts')).expandQuestion(flags.expand);
  }
  const list = listOfRows(part, flags, flags.sum);
  const ofRows = list === undefined ? part : { ...part, meanings: withCurrencyOf(list, part.meanings) };
  const [ofFlags, what] = expand === undefined ? [flags, undefined] : [{ where: flags.where }, 'rows'];
  // --changes-since applies the filters itself.
  const filter = flags.changesSince === undefined ? await filterOf(ofRows, ofFlags, { what }) : undefined;
  const result = await resultOf(part, request, plan);
  const sort = flags.sort && (await sortOf(part, flags, { keys: flags.sort, sorting: result?.sorting }));
  // The default limit of tables does not apply to results.
  const limit = flags.limit ?? (result === undefined ? plan?.tableLimit : undefined);
  return new Questions({ before, expand, filter, result, sort, limit });
}

interface FilterOfOptions {
  /** What the records are, in the plural, where the source has another name for them. */
  readonly what?: string | undefined;
  /** Keeps only records of these counterparties, if the service did not filter by them. */
  readonly fiscalIds?: readonly string[] | undefined;
  /** Called with the folded fiscal ID of each record that it keeps. */
  readonly found?: (fiscalId: string) => unknown;
}

/** The filter of the flags; undefined where they keep all records. */
export async function filterOf(
  { context, meanings, run, source }: Part,
  flags: RecordFilters,
  { fiscalIds = [], found, what = source.records }: FilterOfOptions = {},
): Promise<WhereFilter | undefined> {
  const at = testContext(context, { day: run.day, meanings });
  const tests = await testsOf(flags, at);
  if (fiscalIds.length > 0) {
    const { counterpartyTest } = await import('../query/where/invoice-tests.ts');
    tests.push(counterpartyTest(`--${source.resource?.fiscalIds?.flag}`, fiscalIds, found));
  }
  if (tests.length === 0) return undefined;
  const { WhereFilter } = await import('../query/where/where.ts');
  return new WhereFilter(tests, { meanings, locale: at.locale, what });
}

/** The tests of the flags. Throws UsageError for flags that no record can pass. */
export async function testsOf(flags: RecordFilters, at: TestContext): Promise<RecordTest[]> {
  const { since, until } = flags;
  if (since !== undefined && until !== undefined) refuseEmptySpan(since, until, at);
  const tests: RecordTest[] = [];
  for (const [name, filter] of Object.entries<Filter>(filters)) {
    const value = flags[name as keyof RecordFilters];
    if (value !== undefined) tests.push(...(await filter.tests(value, at)));
  }
  return tests;
}

/** The context of the tests. The day is the day of the run, else the clock's. */
export function testContext(
  { clock, env }: Context,
  { day, meanings = PLAIN_MEANINGS }: { readonly day?: RunDay; readonly meanings?: Meanings } = {},
): TestContext {
  const moment = clock.now();
  return {
    get locale() {
      return localeOf(env);
    },
    get now() {
      return localDay(moment);
    },
    today: () => day?.dayWithWarning() ?? localDay(moment),
    meanings,
  };
}

async function resultOf(
  part: Part,
  request: QuestionsRequest,
  plan: OutputPlan | undefined,
): Promise<Question | undefined> {
  const { context, source, profile, meanings, run, isJoined } = part;
  const { flags } = request;
  const { width, wide } = plan?.format === 'table' ? plan.layout : {};
  /** On which bars are drawn. */
  const terminal: BarTerminal | undefined =
    width === undefined ? undefined : { width: wide ? Infinity : width, blocks: hasBlocks(context.env) };
  const { changesSince: path, columns } = flags;
  if (request.makeResult !== undefined) return request.makeResult(part, terminal);
  if (hasTotals(flags)) {
    const ofRows = withValues(flags, { expand: listOfRows(part, flags, flags.sum) });
    return (await import('../query/totals.ts')).totalsQuestion(ofRows, meanings, terminal);
  }
  if (path === undefined) return undefined;
  const { changesQuestion } = await import('../query/changes.ts');
  const earlier = await filterOf(part, {}, { fiscalIds: source.fiscalIds });
  const [now, before] = [await filterOf(part, flags), await filterOf(part, flags)];
  const alone = source.hasProfileColumn && profile !== undefined ? [profile] : undefined;
  const options = {
    path,
    extents: source.resource && narrowing(extentFlags(source.resource)),
    newer: source.export,
    listing: source.name,
    profile,
    key: await keyOfRecords(part),
    meanings,
    profiles: isJoined ? run.parts.flatMap(({ name }) => name ?? []) : alone,
    isUnread: isJoined ? (await import('./several-profiles.ts')).unreadTest(run) : undefined,
    fiscalIds: source.fiscalIds,
    keep: earlier && ((batch: RecordBatch) => earlier.apply(batch)),
    conditions: now && before && { now, before },
    columns: columns !== undefined && columns.names.length > 0 ? columns.names : undefined,
    shown: [source.resource?.label ?? 'id'],
    sort: flags.sort,
  };
  return changesQuestion(options, plan?.format === 'table');
}

/** The columns that tell the records apart. Throws UsageError where profiles have different settings for them. */
async function keyOfRecords(part: Part): Promise<readonly string[]> {
  const { source, profile, run, isJoined } = part;
  const store = await storeOf(run);
  const keyFor = (name: string | undefined): readonly string[] =>
    flagDefaults(store, name, source.resource).key ?? ['id'];
  const profiles = isJoined ? run.parts.map(({ name }) => name) : [profile];
  const [first = ['id'], ...others] = profiles.map(keyFor);
  const other = others.find((key) => key.join() !== first.join());
  if (other !== undefined) {
    throw new UsageError(
      `--changes-since: the profiles tell records apart by different columns (${first.join(', ')}; ${other.join(', ')})`,
      { hint: 'Set key.<listing> for all profiles alike, or compare each with --profile.' },
    );
  }
  // Two organizations may have records of the same key.
  return [...new Set([...(source.hasProfileColumn ? [PROFILE_COLUMN] : []), ...first])];
}

/**
 * The list whose objects are the rows: from --expand, from the receipt of the export, or inferred from the columns, if all of
 * them are within one declared list. Undefined if each row is a whole record.
 */
function listOfRows(
  { source, meanings }: Part,
  { expand }: QuestionFlags,
  columns: readonly string[] = [],
): string | undefined {
  const lists = meanings.fields.usual.declared.flatMap(([name, type]) => (type === 'list' ? name : []));
  const isOf = (list: string): boolean => columns.every((column) => column.startsWith(`${list}.`));
  return expand ?? source.export?.delivered?.expanded ?? (columns.length > 0 ? lists.find(isOf) : undefined);
}

async function sortOf(
  part: Part,
  flags: QuestionFlags,
  { keys, sorting }: { readonly keys: readonly SortColumn[]; readonly sorting: Sorting | undefined },
): Promise<Question> {
  const { context, meanings } = part;
  const { sortQuestion } = await import('../query/sort.ts');
  if (sorting !== undefined) return sortQuestion(keys, context.signal, sorting);
  const columns = keys.map(({ column }) => column);
  const money = columns.filter((column) => meaningOf(column, meanings).type === 'money');
  const list = listOfRows(part, flags, money);
  const ofRows = list === undefined ? meanings : withCurrencyOf(list, meanings);
  return sortQuestion(keys, context.signal, { meanings: ofRows });
}

/** Passes the records on. At the end, warns of each of the flag's columns that no record had; UsageError for a near miss. */
export async function withColumnCheck(
  { notices }: Part,
  records: AsyncIterable<RecordBatch>,
  {
    flag,
    columns,
    meanings = PLAIN_MEANINGS,
  }: { flag: string; columns: readonly string[]; meanings?: Meanings },
): Promise<AsyncIterable<RecordBatch>> {
  const { watchColumns } = await import('../query/missing-columns.ts');
  const { DocumentReader } = await import('../invoices/document-reader.ts');
  const reader = new DocumentReader(meanings, { roles: [], names: columns });
  return watchColumns(records, { flag, reader, warn: (finding) => notices.add(finding) });
}

/** The same for the columns of --field: a missing column would count as empty in every record. */
export async function withFieldCheck(
  part: Part,
  records: AsyncIterable<RecordBatch>,
): Promise<AsyncIterable<RecordBatch>> {
  // Of a name that is mapped twice, the last one counts.
  const mapped = new Map(part.run.flags.field).values();
  const columns = [...mapped].filter((column) => fixedValue(column) === undefined);
  return withColumnCheck(part, records, { flag: '--field', columns });
}

/** Passes the records on. At the end, remarks how many are credit notes, since their amounts are written as sent. */
export async function withCreditRemark(
  { notices, meanings }: Part,
  records: AsyncIterable<RecordBatch>,
): Promise<AsyncIterable<RecordBatch>> {
  const { DocumentReader } = await import('../invoices/document-reader.ts');
  const { readAmount } = await import('../invoices/open-items.ts');
  const reader = new DocumentReader(meanings, { roles: ['documentType', 'open', 'total'], names: [] });
  let credits = 0;
  const take = (): void => {
    if (reader.family !== 'credit note') return;
    const amounts = [reader.cell('open'), reader.cell('total')].map(readAmount);
    if (amounts.some((amount) => typeof amount !== 'string' && amount.coefficient > 0n)) credits++;
  };
  return (async function* () {
    for await (const batch of records) {
      reader.fold(batch, take);
      yield batch;
    }
    const count = countOf(credits, 'credit note');
    if (credits > 0) notices.remark(`amounts are as sent: ${count} among them, which --sum subtracts`);
  })();
}
