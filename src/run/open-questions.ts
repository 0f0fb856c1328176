import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import { localDay } from '../json/calendar-day.ts';
import type { RecordBatch } from '../json/records.ts';
import type { KnownColumn } from '../output/column-roles.ts';
import { localeOf } from '../output/terminal/number-text.ts';
import type { DeclaredTypes } from '../output/writer.ts';
import type { WhereContext } from '../query/where/cell-test.ts';
import {
  AMOUNT_ROLES,
  declaredType,
  fieldsOfColumns,
  fixedValue,
  mapFields,
  ofAny,
  PROFILE_COLUMN,
  type Fields,
  type FieldsOf,
  type Role,
} from '../invoices/fields.ts';
import type { ColumnNames } from '../invoices/column-names.ts';
import type { PlaceOf } from '../invoices/document-reader.ts';
import { asksOfDocuments, DATE_FLAGS, type SortColumn } from '../query/question-syntax.ts';
import { Questions, type ExpandQuestion, type FilterQuestion, type Question } from '../query/questions.ts';
import type { ResultContext } from '../query/result-rows.ts';
import type { RecordTest, WhereFilter } from '../query/where/where.ts';
import type { Resource } from '../resources/resource.ts';
import type { ExtentFlags, OutputFlags, QuestionFlags } from './flags.ts';
import type { Notices } from './notices.ts';
import type { JoinedProfiles } from './part.ts';
import type { OutputPlan } from './output-plan.ts';
import { asksForTotals } from './question-checks.ts';
import { fieldMap, keyOf } from './settings.ts';

type Extent = Pick<ExtentFlags, 'all' | 'limit' | 'page'>;

/** What questions are made of. */
interface OpenQuestionsOptions {
  /** What is asked of the records, how many are wanted, and the columns that were asked for. */
  readonly flags: QuestionFlags & Extent & Pick<OutputFlags, 'columns'>;
  /** The profile whose settings say which columns fields are in. */
  readonly settings: SettingsOwner;
  /** What the records are, in the plural, for notes: `issued invoices`. */
  readonly records: string;
  /** The columns by the headings that they had in the export that is read. */
  readonly headings?: ReadonlyMap<string, string> | undefined;
  /** Its label stands for a record in a table of changes; undefined for records of no resource. */
  readonly resource: Resource | undefined;
  /** How the answer is written; undefined where only its columns are wanted. */
  readonly plan: OutputPlan | undefined;
  /** The profiles whose records come as those of one listing; undefined where records do not say of which they are. */
  readonly joined?: Pick<JoinedProfiles, 'names' | 'isUnread'> | undefined;
  /** A result of the command's own, in place of those that the flags can ask for. */
  readonly makeResult?: MakeResult | undefined;
}

/** The owner of the settings that apply. The sandbox has no settings, as it has no profiles. */
export interface SettingsOwner {
  /** Undefined for the settings that are for all profiles. */
  readonly profile: string | undefined;
  readonly sandbox: boolean;
  /** Whether records say of which profile they are: then the settings of that one say where their fields are. */
  readonly isSeveral?: boolean;
}

/** Makes the question whose rows come out instead of the records. */
export type MakeResult = (shown: ResultContext) => Question;

/** Makes the questions that the flags ask of the records. Throws UsageError for flags that make no sense together. */
export async function openQuestions(context: Context, asked: OpenQuestionsOptions): Promise<Questions> {
  const { flags, plan, records } = asked;
  const names = await columnNamesOf(context, { ...asked, field: flags.field, columns: flags.columns });
  const asking = { ...asked, names };
  const { before, expand } = await rowsOf(context, asking);
  const rowFilter = await filterOf(
    context,
    expand === undefined ? asking : { ...asking, placeOf: expand.placeOf },
  );
  const filter =
    rowFilter && (await whereQuestionOf(context, rowFilter, expand === undefined ? records : 'rows'));
  const placeOf = (filter ?? expand)?.placeOf;
  const shown = { terminal: await terminalOf(context, plan), placeOf };
  const result = asked.makeResult?.(shown) ?? (await resultOf(context, asking, shown));
  const sort = flags.sort && (await sortOf(asking, flags.sort, context.signal));
  return new Questions({
    before,
    expand,
    filter,
    result,
    sort,
    limit: limitOf(flags, plan, result),
    locale: plan?.layout.locale,
  });
}

/** What questions are made of, and what the columns mean to them. */
interface AskingOptions extends OpenQuestionsOptions {
  readonly names: ColumnNames;
  /** The place in the listing of the record that the nth row is of, where records are made rows. */
  readonly placeOf?: PlaceOf;
}

/** What makes rows of records for --expand. What is asked of documents, such as --overdue, is asked of the records before that. */
async function rowsOf(
  context: Context,
  asked: AskingOptions,
): Promise<{ readonly before?: FilterQuestion | undefined; readonly expand?: ExpandQuestion }> {
  const { expand: column } = asked.flags;
  if (column === undefined) return {};
  const { expandQuestion } = await import('../query/expand.ts');
  const tests = await invoiceTests(context, asked);
  if (tests.length === 0) return { expand: expandQuestion(column) };
  const { WhereFilter } = await import('../query/where/where.ts');
  const filter = new WhereFilter(tests, { names: asked.names });
  const before = await whereQuestionOf(context, filter, asked.records);
  return { before, expand: expandQuestion(column, before.placeOf) };
}

/** A table of a result does not stop by itself: the user asked for all of it. */
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

/** Whether a table on a terminal may begin with the newest records: it shows records, and the user asked for no order. */
export function mayShowNewestFirst(questions: Questions, { sort }: QuestionFlags, plan: OutputPlan): boolean {
  return plan.format === 'table' && plan.onTerminal && !questions.hasResult && sort === undefined;
}

/** The terminal on which bars are drawn; undefined where the answer is no table on a terminal. */
async function terminalOf(
  { env }: Context,
  plan: OutputPlan | undefined,
): Promise<ResultContext['terminal']> {
  const width = plan?.format === 'table' ? plan.layout.width : undefined;
  if (width === undefined) return undefined;
  const { hasBlocks } = await import('../query/result-rows.ts');
  return { width: plan?.layout.wide ? Infinity : width, blocks: hasBlocks(env) };
}

// Most runs ask no question, so each one is loaded only where it is asked.

async function whereQuestionOf({ env }: Context, filter: WhereFilter, what: string): Promise<FilterQuestion> {
  return (await import('../query/where/where.ts')).whereQuestion(filter, { what, locale: localeOf(env) });
}

async function sortOf(
  { flags, names }: AskingOptions,
  keys: readonly SortColumn[],
  signal: AbortSignal,
): Promise<Question> {
  const { sortQuestion } = await import('../query/sort.ts');
  // `checkOrderOfTotals` has checked these columns. A terminal may leave out one that is all zeros: that is no fault.
  if (asksForTotals(flags))
    return sortQuestion(
      keys.map((key) => ({ ...key, isKnown: true })),
      signal,
    );
  const isOfRecords = flags.changesSince === undefined;
  return sortQuestion(keys, signal, isOfRecords ? { names } : { what: 'row of the changes' });
}

async function filterOf(context: Context, asked: AskingOptions): Promise<WhereFilter | undefined> {
  const { where = [], expand } = asked.flags;
  const documentTests = expand === undefined ? await invoiceTests(context, asked) : [];
  if (where.length === 0 && documentTests.length === 0) return undefined;
  const { conditionTest, WhereFilter } = await import('../query/where/where.ts');
  const { roleNamed } = await import('../invoices/column-names.ts');
  const at = whereContext(context);
  const { names, placeOf } = asked;
  const tests = where.map((condition) => {
    const role = roleNamed(condition.column, names, names.fields.usual);
    return conditionTest(condition, at, role !== undefined && JUDGED.has(role));
  });
  return new WhereFilter([...tests, ...documentTests], { names, placeOf });
}

/** What a document is judged by: a cell of these that cannot be read makes an answer incomplete. */
const JUDGED: ReadonlySet<Role> = new Set<Role>([...AMOUNT_ROLES, 'due', 'date', 'balance']);

/** The day and the locale that conditions are read with. */
export function whereContext({ clock, env }: Context): WhereContext {
  return { today: localDay(clock.now()), locale: localeOf(env) };
}

async function invoiceTests(context: Context, asked: AskingOptions): Promise<RecordTest[]> {
  const { flags } = asked;
  if (!asksOfDocuments(flags)) return [];
  const { dateTest, overdueTest } = await import('../query/where/invoice-tests.ts');
  const { isEmptySpan } = await import('../query/where/date-value.ts');
  const { today } = whereContext(context);
  const { since, until } = flags;
  if (since !== undefined && until !== undefined && isEmptySpan(since.on(today), until.on(today))) {
    throw new UsageError(
      `--since ${since.text} is later than --until ${until.text}: no document is of both`,
      {
        hint: 'Write the earlier date behind --since.',
      },
    );
  }
  const tests = flags.overdue ? [overdueTest(today)] : [];
  for (const flag of DATE_FLAGS) {
    const date = flags[flag.name];
    if (date !== undefined) tests.push(dateTest(flag, date.on(today)));
  }
  return tests;
}

interface FieldOptions {
  readonly resource: Resource | undefined;
  readonly settings: SettingsOwner;
  readonly field: QuestionFlags['field'];
}

/**
 * What the columns of the records mean: by the flags, else by the settings of the profile whose record it is, else as usual.
 * Throws UsageError.
 */
export async function fieldsOf(
  context: Context,
  { resource, settings, field = [] }: FieldOptions,
): Promise<FieldsOf> {
  const store = settings.sandbox ? undefined : await context.config();
  const ofProfile = (profile: string | undefined): Fields =>
    mapFields(fieldsOfColumns(resource?.columns ?? []), {
      ...(store && fieldMap(store, profile)),
      ...Object.fromEntries(field),
    });
  const usual = ofProfile(settings.profile);
  if (!settings.isSeveral) return { usual };
  return { usual, byProfile: new Map((store?.profileNames ?? []).map((name) => [name, ofProfile(name)])) };
}

/** The same, with the headings that a table prints, and those of the user. Throws UsageError. */
export async function columnNamesOf(
  context: Context,
  options: FieldOptions & Pick<OutputFlags, 'columns'> & Partial<Pick<OpenQuestionsOptions, 'headings'>>,
): Promise<ColumnNames> {
  const { resource, columns, headings = [] } = options;
  return {
    fields: await fieldsOf(context, options),
    headings: new Map(resource?.shown?.map(({ word, in: place }) => [word, place])),
    given: new Map([...headings, ...(columns?.headings ?? [])]),
  };
}

/** The columns that people look for in records of the resource. Throws UsageError for a setting with a wrong value. */
export async function shownColumnsOf(
  context: Context,
  options: FieldOptions & { readonly expand?: string | undefined },
): Promise<readonly KnownColumn[]> {
  const all = ofAny(await fieldsOf(context, options));
  const shown = options.resource?.shown ?? [];
  const known = shown.map(({ in: place, ...column }): KnownColumn => {
    const names = typeof place === 'string' ? all.flatMap(({ columns }) => columns[place]) : place;
    return {
      ...column,
      names: [...new Set([...names, column.word, ...(typeof place === 'string' ? [place] : [])])],
    };
  });
  return [...known, ...(options.expand === undefined ? [] : shownOfRows(options.expand))];
}

/** What the resource declares of its columns, and the settings of roles. Throws UsageError for a setting with a wrong value. */
export async function declaredOf(
  context: Context,
  options: FieldOptions & { readonly expand?: string | undefined },
): Promise<DeclaredTypes> {
  const fields = await fieldsOf(context, options);
  const { declared } = fields.usual;
  const lists = declared.flatMap(([name, type]) => (type === 'list' ? [name] : []));
  const { expand } = options;
  const listOf = (column: string): string | undefined => lists.find((list) => column.startsWith(`${list}.`));
  const mapped = ofAny(fields).flatMap(({ columns }) => Object.values(columns).flat());
  const names = [...declared.map(([name]) => name), ...mapped].filter(
    (name) => fixedValue(name) === undefined && name !== expand && [undefined, expand].includes(listOf(name)),
  );
  return { names: [...new Set(names)], typeOf: (column) => declaredType(fields, column) };
}

/** Whoever has a list expanded looks for what its objects are about: that comes before all of the record but its number. */
function shownOfRows(list: string): readonly KnownColumn[] {
  const column = (name: string): Pick<KnownColumn, 'names' | 'word'> => ({
    names: [`${list}.${name}`],
    word: `${list}.${name}`,
  });
  return [
    { ...column('date'), role: 'date', rank: 1.2 },
    { ...column('amount'), role: 'amount', rank: 1.1 },
  ];
}

async function resultOf(
  context: Context,
  asked: AskingOptions,
  shown: ResultContext,
): Promise<Question | undefined> {
  const { flags, resource, plan, names, settings } = asked;
  const { changesSince: path, columns } = flags;
  if (asksForTotals(flags))
    return (await import('../query/totals-rows.ts')).totalsQuestion(flags, names, shown);
  if (path === undefined) return undefined;
  const { changesQuestion } = await import('../query/changes/changes.ts');
  const earlier = await filterOf(context, asked);
  const keep = earlier && ((batch: Parameters<typeof earlier.apply>[0]) => earlier.apply(batch));
  const named = columns?.names ?? [];
  const beside = named.length > 0 ? named : undefined;
  const { names: profiles, isUnread } = asked.joined ?? {};
  const alone = settings.isSeveral && settings.profile !== undefined ? [settings.profile] : undefined;
  const of = {
    path,
    key: await keyOfRecords(context, asked),
    profiles: profiles?.() ?? alone,
    isUnread,
    keep,
  };
  const options = { ...of, columns: beside, shown: [resource?.label ?? 'id'] };
  return changesQuestion(options, plan?.format === 'table');
}

/** The columns that tell the records apart. Throws UsageError where the profiles of one listing have different settings for them. */
async function keyOfRecords(
  context: Context,
  { resource, settings, joined }: AskingOptions,
): Promise<readonly string[]> {
  const store = settings.sandbox || resource === undefined ? undefined : await context.config();
  const keyFor = (profile: string | undefined): readonly string[] =>
    (store && keyOf(store, profile, resource!)) ?? ['id'];
  const [first = keyFor(settings.profile), ...others] = (joined?.names() ?? []).map(keyFor);
  const other = others.find((key) => key.join() !== first.join());
  if (other !== undefined) {
    throw new UsageError(
      `--changes-since: the profiles tell records apart by different columns (${first.join(', ')}; ${other.join(', ')})`,
      { hint: 'Set key.<listing> for all profiles alike, or compare each with --profile.' },
    );
  }
  // Two organizations may have records of the same key.
  return [...new Set([...(settings.isSeveral ? [PROFILE_COLUMN] : []), ...first])];
}

/** What the receipt of the earlier export of --changes-since says of it. */
export async function checkEarlierExport({
  changesSince: file,
}: QuestionFlags): Promise<Finding | undefined> {
  if (file === undefined) return undefined;
  return (await import('../query/exports/read-receipt.ts')).checkExport(file);
}

/** Has a count come out as a number and nothing else, unless the user chose a format: `n=$(folio issued --count)`. */
export function bareCount(flags: OutputFlags & QuestionFlags): Pick<OutputFlags, 'format' | 'header'> {
  const { count, groupBy, format, output: target = '-', excel, delimiter } = flags;
  const isBare = count && (groupBy ?? format ?? excel ?? delimiter) === undefined && target === '-';
  return isBare ? { format: 'csv', header: false } : {};
}

interface Watched {
  readonly flag: string;
  readonly columns: readonly string[];
  /** What names stand for besides columns. */
  readonly names?: ColumnNames;
  readonly notices: Notices;
}

/** The same records. At the end, warns of each of the flag's columns that no record had, or throws UsageError for a near miss. */
export async function watched(
  records: AsyncIterable<RecordBatch>,
  { flag, columns, names, notices }: Watched,
): Promise<AsyncIterable<RecordBatch>> {
  if (columns.length === 0) return records;
  const { watchColumns } = await import('../query/missing-columns.ts');
  const { DocumentReader } = await import('../invoices/document-reader.ts');
  const { PLAIN_NAMES } = await import('../invoices/column-names.ts');
  const reader = new DocumentReader(names ?? PLAIN_NAMES, { roles: [], names: columns });
  const tell = (complaint: string): void => notices.warn(`${flag}: ${complaint}`);
  return watchColumns(records, { flag, reader, tell });
}

/** The same for the columns of --field: an answer that takes one for empty that is not there is not what was asked. */
export async function withFieldsWatched(
  records: AsyncIterable<RecordBatch>,
  { field = [], notices }: { readonly field: QuestionFlags['field']; readonly notices: Notices },
): Promise<AsyncIterable<RecordBatch>> {
  const columns = field.map(([, column]) => column).filter((column) => fixedValue(column) === undefined);
  return watched(records, { flag: '--field', columns, notices });
}
