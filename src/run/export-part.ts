import type { Context } from '../context.ts';
import { errorOf, FolioError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import { PROFILE_COLUMN } from '../invoices/fields.ts';
import { Projection } from '../json/cells.ts';
import { paced, type RecordBatch } from '../json/records.ts';
import { written, type Destination } from '../output/files/destination.ts';
import { openDestination } from '../output/files/open-destination.ts';
import { formatOf } from '../output/formats.ts';
import { countOf, tableFooter } from '../output/terminal/number-text.ts';
import { namedProfile } from '../profiles/connection.ts';
import type { ColumnNames } from '../invoices/column-names.ts';
import type { Questions } from '../query/questions.ts';
import type { Notices } from './notices.ts';
import {
  bareCount,
  checkEarlierExport,
  columnNamesOf,
  declaredOf,
  mayShowNewestFirst,
  openQuestions,
  shownColumnsOf,
  tableLimit,
  watched,
  withFieldsWatched,
  type MakeResult,
  type SettingsOwner,
} from './open-questions.ts';
import type { ExportFlags, ExtentFlags, OutputFlags } from './flags.ts';
import { planOutput, type OutputPlan } from './output-plan.ts';
import { checkPart, recordsOf, type Part, type Source } from './part.ts';
import type { PartState } from './part-state.ts';
import { ChosenColumns } from '../output/chosen-columns.ts';
import { asksForResult } from './question-checks.ts';
import type { ReadPath } from './paths.ts';
import type { RunOptions } from './run.ts';
import type { FlagDefaults } from './settings.ts';
import { remarkWritten, type Written } from './written.ts';

/** What is exported, and how: a source, and the values of the command's flags. */
export interface Export {
  readonly source: Source;
  readonly flags: ExportFlags;
  /** True for a single record, which is a document and not a list. */
  readonly single?: boolean;
  /** All columns of the records, where they are known before the first request. */
  readonly columns?: readonly string[];
  /** xlsx: the name of the sheet, in place of the name of the records. */
  readonly sheet?: string;
  /** What else it reads besides the source. */
  readonly reads?: readonly ReadPath[];
  /** What of the answer may be wrong where records are missing: it is said with that. */
  readonly doubt?: string;
  /** A result of the command's own, in place of those that the questions can ask for. */
  readonly makeResult?: (settings: SettingsOwner) => Promise<MakeResult>;
}

/**
 * The columns, where they are known before the first request: those of the command, or what a listing of the service declares.
 * Undefined for what is read from a file, for a single record, and where the flags ask for a result.
 */
export async function knownColumns(
  context: Context,
  asked: Export,
  profiles: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  const { source, columns, flags, single } = asked;
  const { kind, resource } = source;
  if (columns !== undefined) return columns;
  if (kind === 'local' || resource === undefined || single === true || isResult(asked)) return undefined;
  const profile = namedProfile(profiles?.[0] ?? flags.profile, context.env);
  const settings = { profile, sandbox: flags.sandbox === true, isSeveral: profiles !== undefined };
  const { field, expand } = flags;
  const { names } = await declaredOf(context, { resource, settings, field, expand });
  return profiles === undefined ? names : [PROFILE_COLUMN, ...names];
}

/** How the run of an export begins: with its flags, and with the files that it reads. */
export async function runOf(asked: Export): Promise<RunOptions> {
  const { source, flags } = asked;
  const { name, records, reads = [] } = source;
  const { changesSince: file } = flags;
  const earlier = file === undefined ? [] : await earlierExport(file);
  const all = [...reads, ...(asked.reads ?? []), ...earlier];
  return { flags, name, records, reads: all, output: flags.output };
}

async function earlierExport(file: string): Promise<readonly ReadPath[]> {
  return (await import('../query/exports/read-receipt.ts')).readsOfExport('--changes-since', file);
}

/** Writes the records of one part to where the flags say. Throws IncompleteError after everything that came was written. */
export async function exportPart(part: Part, asked: Export, to: FileOfPart = {}): Promise<void> {
  const { flags, single = false } = asked;
  if (flags.listColumns) return exportColumns(part, asked);
  const { state, notices, context, source } = part;
  const { plan, questions, names } = await openAnswer(part, asked, to);
  const earlier = await checkEarlierExport(flags);
  if (earlier !== undefined) notices.add(earlier);
  const limit = questions.limitOfListing;
  const newestFirst = mayShowNewestFirst(questions, flags, plan) && source.preferNewest?.() === true;
  const read = await withFieldsWatched(recordsOf(part, limit), { field: flags.field, notices });
  const given = paced(questions.answer(read), context);
  const answer = source.joined?.counted(given) ?? given;
  const { hasResult } = questions;
  const records = await withColumnsWatched(answer, { columns: flags.columns, names, hasResult, notices });
  await deliver(context, records, { plan, state, hasReceipt: part.hasReceipt });
  const found = questions.findings(part.status.records, tableLimit(flags, plan) !== undefined);
  notices.add(...found);
  remarkCount(part, { flags, questions, plan, newestFirst });
  const { target } = plan;
  remarkWritten(part, () =>
    source.written === undefined ? writtenBy(part, { target, questions, single }) : source.written(),
  );
  endPart(part, [...(earlier === undefined ? [] : [earlier]), ...found], asked.doubt);
}

/** Throws the first failure. What else is missing or left out is said as a warning: none of it may go unsaid. */
function endPart(part: Part, found: readonly Finding[], doubt: string | undefined): void {
  const failures: FolioError[] = [];
  try {
    checkPart(part);
  } catch (error) {
    if (!(error instanceof FolioError)) throw error;
    failures.push(doubt === undefined ? error : error.reworded(`${error.message}; ${doubt}`, error.hint));
  }
  for (const finding of found) if (finding.level === 'failure') failures.push(errorOf(finding));
  const [first, ...others] = failures;
  for (const { kind, message } of others) if (kind === 'incomplete') part.notices.warn(message);
  if (first !== undefined) throw first;
}

/** Plans the output of a part, and opens the questions whose answer it writes. Throws UsageError. */
async function openAnswer(
  part: Part,
  asked: Export,
  to: FileOfPart,
): Promise<{ readonly plan: OutputPlan; readonly questions: Questions; readonly names: NamesOf }> {
  const { context, defaults, source } = part;
  const { resource, records, headings, joined } = source;
  const { flags, single, sheet = records } = asked;
  const settings = settingsOf(part);
  const names = (): Promise<ColumnNames> =>
    columnNamesOf(context, { resource, settings, headings, field: flags.field });
  const planned = await planOutput(context, {
    flags: outputOf(asked, { ...to, columns: columnsWanted(asked, defaults, joined !== undefined) }),
    color: flags.color !== false,
    defaults,
    single,
    sheet,
    known: () => shownColumnsOf(context, { resource, settings, field: flags.field, expand: flags.expand }),
    declared: () => declaredOf(context, { resource, settings, field: flags.field, expand: flags.expand }),
    isResult: isResult(asked),
    expand: flags.expand,
    names,
  });
  const makeResult = await asked.makeResult?.(settings);
  const asking = { flags, headings, resource, records, settings, joined };
  const questions = await openQuestions(context, { ...asking, plan: planned, makeResult });
  return { plan: { ...planned, openWriter: questions.writer(planned.openWriter) }, questions, names };
}

/** Where the records of one part of several go, and in which format. */
type FileOfPart = Pick<OutputFlags, 'format' | 'output'>;

/** The flags of the output, or what stands in their place. A count alone is a number, unless a format is chosen. */
function outputOf({ flags }: Export, { format, output, columns }: OutputFlags): OutputFlags {
  const { delimiter, header, excel, wide, raw } = flags;
  const bare = bareCount(flags);
  return {
    format: format ?? flags.format ?? bare.format,
    output: output ?? flags.output,
    columns,
    delimiter,
    header: header ?? bare.header,
    excel,
    wide,
    raw,
  };
}

/** Finds what the names of columns stand for. */
type NamesOf = () => Promise<ColumnNames>;

interface WatchedColumns extends Pick<OutputFlags, 'columns'> {
  readonly names: NamesOf;
  readonly hasResult: boolean;
  readonly notices: Notices;
}

/**
 * The same records. At the end, warns of each column of --columns that no record had, and throws UsageError for one that is a near
 * miss of a column that is there.
 */
async function withColumnsWatched(
  records: AsyncIterable<RecordBatch>,
  { columns, names, hasResult, notices }: WatchedColumns,
): Promise<AsyncIterable<RecordBatch>> {
  // The columns of a result are checked where it is made.
  if (columns === undefined || hasResult) return records;
  return watched(records, {
    flag: '--columns',
    columns: columns.mentioned,
    names: await names(),
    notices,
  });
}

/** What the part has written into its file. */
function writtenBy(
  { source, state: { records, delivered }, status }: Part,
  { target, questions, single }: { target: string | undefined; questions: Questions; single: boolean },
): Written | undefined {
  if (target === undefined || delivered?.isFile !== true) return undefined;
  const { seen } = questions.filtered ?? { seen: status.totalAtEnd };
  const count = questions.hasRows
    ? { count: records, what: 'rows' }
    : { count: records, of: seen, what: source.records };
  const counted = single ? { count: 1, what: 'records' } : count;
  const more = source.joined && [`of ${countOf(source.joined.had().length, 'profile')}`];
  return { ...counted, place: target, bytes: delivered.bytes, ...(more && { more }) };
}

/**
 * Writes the names of the columns, of the records or of the result that the flags ask for, in the order in which they first appear.
 * Where the command makes a result of its own, they are those of the records, which its flags name. Throws OutputError before the
 * first request where the file cannot be written.
 */
async function exportColumns(part: Part, asked: Export): Promise<void> {
  const { flags } = asked;
  const { resource, records, headings } = part.source;
  const asking = { flags, headings, resource, records, settings: settingsOf(part) };
  const questions = await openQuestions(part.context, { ...asking, plan: undefined });
  await written(await openDestination(flags.output, part.context), async (destination) => {
    const projection = new Projection();
    for await (const batch of questions.answer(recordsOf(part, questions.limitOfListing))) {
      for (let index = 0; index < batch.count; index++) projection.project(batch, index);
    }
    const names = questions.resultColumns() ?? projection.columns.names;
    for (const name of names) await destination.write(`${name}\n`);
  });
  checkPart(part);
}

function settingsOf({ profile, flags, source }: Part): SettingsOwner {
  return { profile, sandbox: flags.sandbox === true, isSeveral: source.isSeveral === true };
}

/**
 * The columns: those of --columns, else the command's own, else, for records that come out as they are, the setting's. Joined
 * records have that of their profile, too.
 */
function columnsWanted(
  asked: Export,
  defaults: Pick<FlagDefaults, 'columns'>,
  isJoined: boolean,
): OutputFlags['columns'] {
  const hasResult = isResult(asked);
  const usual = asked.single === true || hasResult ? undefined : defaults.columns;
  const own = asked.columns && ChosenColumns.named(asked.columns);
  const columns = asked.flags.columns ?? own ?? usual;
  if (columns === undefined || !isJoined || hasResult) return columns;
  return columns.names.includes(PROFILE_COLUMN) ? columns : columns.withFirst(PROFILE_COLUMN);
}

/** Whether the answer is something other than records. */
function isResult({ flags, makeResult }: Export): boolean {
  return asksForResult(flags) || makeResult !== undefined;
}

interface DeliverOptions {
  readonly plan: OutputPlan;
  /** Is told how many records were written, and where. */
  readonly state: PartState;
  /** Whether a receipt is written, for which the hash of the file is needed. */
  readonly hasReceipt: boolean;
}

/**
 * Writes the records in the plan's format to the plan's target. The target is opened before the first request. A file
 * appears when all records are written; after a failure it is as it was before.
 *
 * @returns the destination, committed, for its size and hash
 */
export async function deliver(
  context: Context,
  records: AsyncIterable<RecordBatch>,
  { plan, state, hasReceipt }: DeliverOptions,
): Promise<Destination> {
  state.plan = plan;
  state.delivered = await written(
    await openDestination(plan.target, context, {
      styled: plan.format === 'table',
      binary: formatOf(plan.format).binary === true,
      hasReceipt,
    }),
    async (destination) => {
      const writer = plan.openWriter(destination, plan.layout);
      for await (const batch of records) {
        state.records += batch.count;
        await writer.write(batch);
      }
      await writer.end();
    },
  );
  return state.delivered;
}

interface CountOptions {
  readonly flags: ExtentFlags;
  readonly questions: Questions;
  readonly plan: OutputPlan;
  /** Whether the newest records came first because the user asked for no order. */
  readonly newestFirst: boolean;
}

/** Says how many records there are besides those in the table, and in which order they came. */
function remarkCount(
  { notices, status, source }: Part,
  { flags, questions, plan, newestFirst }: CountOptions,
): void {
  const { records, totalAtEnd } = status;
  const newest = source.joined ? 'the newest of each profile first' : 'the newest first';
  const order = newestFirst ? newest : undefined;
  const limit = tableLimit(flags, plan);
  const isTable = plan.format === 'table' && plan.onTerminal;
  const asked = flags.page ?? flags.nextToken;
  if (!questions.isListing || !isTable || asked !== undefined) {
    if (order !== undefined && (questions.filtered?.kept ?? records) > 0) notices.remark(order);
  } else if (totalAtEnd === undefined && limit !== undefined && records >= limit) {
    notices.remark(`the first ${records} · --all for the rest`);
  } else if (totalAtEnd !== undefined) {
    const { locale } = plan.layout;
    const isCut = limit !== undefined;
    const footer = tableFooter({ shown: records, total: totalAtEnd, locale, isCut, order });
    if (footer !== '') notices.remark(footer);
  }
}

/** Writes names of columns to the file of `-o` or to standard output, one a line. */
export async function writeColumns(
  context: Context,
  names: readonly string[],
  output: string | undefined,
): Promise<void> {
  await written(await openDestination(output, context), async (destination) => {
    for (const name of names) await destination.write(`${name}\n`);
  });
}
