import type { Context } from '../context.ts';
import { PAYMENT_MEMBERS, PROFILE_COLUMN, withCurrencyOf, type Meanings } from '../invoices/fields.ts';
import { CellReader } from '../json/cells.ts';
import { paced, type RecordBatch } from '../json/records.ts';
import { ChosenColumns } from '../output/chosen-columns.ts';
import { writeAndCommit, openDestination } from '../output/files/destination.ts';
import { formatOf } from '../output/formats.ts';
import { countOf, tableFooter } from '../output/terminal/number-text.ts';
import { usualProfile } from '../profiles/connection.ts';
import type { Questions } from '../query/questions.ts';
import { hasRecords } from './outcome.ts';
import { withValues } from './flag.ts';
import type { ExportFlags, OutputFlags } from './flags.ts';
import { Notices } from './notices.ts';
import {
  hasResult,
  hasTotals,
  checkQuestions,
  openQuestions,
  testContext,
  testsOf,
  withColumnCheck,
  withCreditRemark,
  withFieldCheck,
  type QuestionsRequest,
} from './open-questions.ts';
import { declaredColumns, planOutput, shownColumns, type OutputPlan } from './output-plan.ts';
import {
  deliver,
  inPart,
  recordsOf,
  storeOf,
  type Part,
  type PartEnd,
  type Source,
  inRun,
  type Run,
} from './run.ts';
import type { ReadPath } from './paths.ts';
import { chosenProfiles, isOfSeveral } from './session.ts';
import { fieldsOf, settingOf } from './settings.ts';
import type { FromRequest } from './sources/from-source.ts';
import { listingSource } from './sources/listing-source.ts';

/** The fiscal IDs are those of the flags, unless the command has flags of its own for them. */
type SourceOptions = Pick<FromRequest, 'resource' | 'id' | 'fiscalIds'> &
  Partial<Pick<FromRequest, 'ifPartial'>>;

/** The source that the flags name: the listing of the service, or with --from an export or a synced database. */
export async function sourceFor(
  flags: Omit<ExportFlags, 'format'>,
  { resource, id, ifPartial = 'warn', fiscalIds = flags.fiscalIds }: SourceOptions,
): Promise<Source> {
  const { from } = flags;
  if (from === undefined) return listingSource({ resource, id, flags, fiscalIds });
  const { isDatabase } = await import('../database/address.ts');
  const request = { from, resource, id, flags, fiscalIds, ifPartial };
  if (await isDatabase(from)) {
    const { databaseSource, databaseFrom } = await import('./sources/database-source.ts');
    return databaseSource({ ...request, database: databaseFrom(from, [resource]) });
  }
  return (await import('./sources/export-source.ts')).exportSource(request);
}

interface ExportRequest extends QuestionsRequest {
  readonly source: Source;
  /** True for a single record, which is a document and not a list. */
  readonly single?: boolean;
  /** All columns of the records, where they are known before the first request. */
  readonly columns?: readonly string[];
  /** xlsx: the name of the sheet, in place of the name of the records. */
  readonly sheet?: string;
  /** Whether a workbook has headings in words, and the language that the flags ask for. */
  readonly words?: { readonly lang: 'en' | 'es' | undefined };
  readonly reads?: readonly ReadPath[];
  /** What of the answer may be wrong where records are missing: the message has it. */
  readonly consequence?: string;
}

/**
 * Exports what a source yields: source, then questions, then a format in a file or on a stream. Every command whose
 * records leave in a format is this call, whatever the source: a listing, an item, the results of downloads, an export.
 *
 * In this order:
 *
 * 1. Questions that have no answer are refused, before anything is opened or requested.
 * 2. The run begins (`inRun`): receipt opened, progress shown; both end with it, whatever the end.
 * 3. The source is opened (`Source.open`), once.
 * 4. A part is opened (`inPart`) for each organization: session, token, settings, and what names of columns mean.
 * 5. The output is planned, and the destination opened before the first request (`exportPart`).
 * 6. Records flow: a page at a time from the source, through the questions, into the writer. Memory does not grow with them.
 * 7. The destination is committed: a file appears whole, or not at all.
 * 8. Missing records end the run: unknown fiscal IDs, records that could not be read (`inPart`, IncompleteError).
 *
 * Several organizations, which the flags name or the source has (`Source.held`), become one joined source
 * (`several-profiles.ts`), which opens a part for each; with --output-dir each takes steps 4 to 8. Runs with another sink, such
 * as a database or a report, use `inRun`, `forEachPart` and `inPart` in the same way.
 *
 * @throws UsageError, AuthError, NotFoundError, ServiceError, OutputError, Interrupted: nothing was delivered
 * @throws IncompleteError after everything that could be had was delivered
 */
export async function exportRecords(context: Context, request: ExportRequest): Promise<void> {
  const { source, flags } = request;
  const { output, outputDir, changesSince } = flags;
  await checkQuestions(flags);
  // Checks the filters before the token. The day of an export or a database is known only once it is open.
  if (source.kind === 'service') await testsOf(flags, testContext(context));
  try {
    const notices = new Notices(context, flags);
    const held = await source.held?.(context);
    const profiles = await chosenProfiles(context, { held, flags, notices });
    // A single profile can still have the layout of several (--output-dir, --all-profiles).
    const parts = profiles.length > 1 || (profiles.length > 0 && isOfSeveral(flags)) ? profiles : [];
    const folder = parts.length > 0 ? outputDir : undefined;
    const several = parts.length > 0 ? await import('./several-profiles.ts') : undefined;
    const store = folder === undefined ? undefined : await storeOf({ flags, context });
    const files =
      folder === undefined ? undefined : several!.filesOfProfiles(request, folder, { profiles, store });
    const reads = [...(source.reads ?? []), ...(request.reads ?? [])];
    if (changesSince !== undefined) {
      const { readsOfExport } = await import('../query/exports/read-receipt.ts');
      reads.push(...readsOfExport('--changes-since', changesSince));
    }
    const { name, records } = source;
    const written = { output, folder, files: files?.flatMap(({ writes }) => writes) };
    const options = { flags, name, records, notices, reads, partNames: parts, ...written };
    await inRun(context, options, async (run) => {
      if (flags.listColumns && (await listKnownColumns(run, request))) return;
      const isChosen = flags.profile !== undefined || flags.allProfiles === true;
      const others = held?.profiles?.filter((one) => !profiles.includes(one)) ?? [];
      if (!isChosen && others.length > 0 && isAboutProfiles(flags)) {
        const which = `the records of ${profiles.join(', ')} alone, not of ${others.join(', ')}`;
        notices.warn(`${held!.shown}: this reads ${which}; --profile and --all-profiles name others`);
      }
      if (!isChosen && profiles.length > 1 && hasTotals(flags) && !flags.groupBy?.includes(PROFILE_COLUMN)) {
        const whose = `the figures are of ${profiles.join(', ')} together`;
        notices.warn(`${whose}; choose with --profile, or confirm with --all-profiles`);
      }
      const opened = await source.open(run, profiles);
      if (files)
        return several!.exportEach(run, { source: opened, files }, (part, file) =>
          exportPart(part, request, file),
        );
      const part = several
        ? { source: several.joinedSource(run, opened, flags.limit) }
        : { source: opened, profile: profiles[0] };
      const { failure } = await inPart(run, part, (open) => exportPart(open, request));
      if (failure !== undefined) throw failure;
    });
  } finally {
    await source.close?.();
  }
}

/** Whether a question names the profile of the records. */
function isAboutProfiles({ where = [], groupBy = [], sort = [], columns }: ExportFlags): boolean {
  const named = [...where, ...sort].map(({ column }) => column);
  return [...named, ...groupBy, ...(columns?.names ?? [])].includes(PROFILE_COLUMN);
}

/** Writes the records of a part to `to`, else as the flags say. */
async function exportPart(
  part: Part,
  request: ExportRequest,
  to: Pick<OutputFlags, 'format' | 'output'> = {},
): Promise<PartEnd | void> {
  const { flags, consequence } = request;
  if (flags.listColumns) return listColumns(part, request);
  const { state, notices, context, source, meanings, run, isJoined } = part;
  const isResult = hasResult(request);
  const { chosen, flag } = columnsFor(part, request);
  const rows = flags.expand ?? source.export?.delivered?.expanded;
  const ofColumns = rows === undefined ? meanings : meaningsOfColumns(rows, meanings, chosen);
  const planned = await planPart(part, request, { ...to, columns: chosen, meanings: ofColumns });
  const questions = await openQuestions(part, request, planned);
  const plan = { ...planned, openWriter: questions.writer(planned.openWriter) };
  const { hasRows, limitOfListing: limit } = questions;
  // A table on a terminal begins with the newest records, unless the user chose an order.
  const isOwnTable = plan.isTerminalTable && !isResult && flags.sort === undefined;
  const newestFirst = isOwnTable && source.order?.canTurn === true;
  const read = recordsOf(part, { limit, newestFirst });
  const answer = questions.answer(flags.field === undefined ? read : await withFieldCheck(part, read));
  let records: AsyncIterable<RecordBatch> = paced(answer, context);
  // Anyone who sums a column in a spreadsheet has to know of the credit notes in it.
  const isForSpreadsheet = formatOf(plan.format).spreadsheet === true;
  if (isForSpreadsheet && !hasRows && notices.isHeard && meanings.fields.usual.columns.open.length > 0)
    records = await withCreditRemark(part, records);
  if (isJoined && flags.receipt !== undefined)
    records = (await import('./several-profiles.ts')).countedByProfile(run, records);
  const mentioned = chosen?.mentioned ?? [];
  // The columns of a result are checked where it is made.
  if (flag !== undefined && !isResult && mentioned.length > 0)
    records = await withColumnCheck(part, records, { flag, columns: mentioned, meanings: ofColumns });
  const list = `${flags.expand}.`;
  const isByDefault = flags.columns === undefined && chosen?.isOpen === false;
  if (flags.expand && isByDefault && !mentioned.some((one) => `${one}.`.startsWith(list)))
    notices.warn(`${flag} has no column of ${flags.expand}: the rows of a record are alike`);
  await deliver({ context, flags }, records, { plan, state });
  const found = questions.findings();
  notices.add(...found);
  if (notices.isHeard) remarkEnd(part, request, { questions, plan, newestFirst });
  return { found, consequence };
}

interface Delivered {
  readonly questions: Questions;
  readonly plan: OutputPlan;
  readonly newestFirst: boolean;
}

/** Remarks how much was written to a file or, for standard output, how many of the records are shown. */
function remarkEnd(part: Part, request: ExportRequest, delivered: Delivered): void {
  const { source, state, status, notices, run, isJoined } = part;
  const { page, nextToken } = request.flags;
  const { questions, plan } = delivered;
  const { filtered, hasRows, isFull } = questions;
  const { records, totalAtEnd, isAtEnd } = status;
  const { target, tableLimit, isTerminalTable, layout } = plan;
  const order = orderOf(part, request, delivered);
  if (target === undefined) {
    const isCut = tableLimit !== undefined && questions.stoppedEarly(records, isAtEnd ? records : undefined);
    const isOfAll = isTerminalTable && (page ?? nextToken) === undefined && !hasRows && !isFull;
    const text = tableFooter({
      shown: isFull && isCut ? tableLimit : (filtered?.kept ?? records),
      total: isOfAll ? (filtered?.seen ?? totalAtEnd) : isCut ? questions.total(records) : undefined,
      locale: layout.locale,
      isCut,
      order,
    });
    if (text !== '') notices.remark(text);
  }
  if (state.written !== undefined) return notices.remarkWritten(state.written);
  const profiles = isJoined ? [`of ${countOf(run.parts.filter(hasRecords).length, 'profile')}`] : [];
  notices.remarkFile(state.delivered!, {
    ...(hasRows ? { what: 'rows' } : { what: source.records, of: filtered ? filtered.seen : totalAtEnd }),
    ...(request.single ? { count: 1, of: 1, what: 'records' } : { count: state.records }),
    place: target,
    more: [...profiles, order ?? []].flat(),
  });
}

/** The order to mention; undefined if the user chose it, or if no record is cut off and the table is not newest first. */
function orderOf(
  { source, status, isJoined }: Part,
  { flags: { limit, sort } }: ExportRequest,
  { questions, newestFirst }: Delivered,
): string | undefined {
  const { records, totalAtEnd, isAtEnd } = status;
  const lacksRest = limit !== undefined && questions.stoppedEarly(records, isAtEnd ? records : totalAtEnd);
  if (source.order === undefined || sort !== undefined || questions.hasResult) return undefined;
  if (!lacksRest && !newestFirst) return undefined;
  const begins = newestFirst ? 'newest' : source.order.begins;
  if (begins === 'unsorted') return 'in the order of the service';
  return `${begins} first${isJoined ? ' within each profile' : ''}`;
}

/** The columns to write, and the flag or setting that names them; without one, the command names them, or nothing does. */
function columnsFor({ defaults, source }: Part, request: ExportRequest) {
  const { flags, columns, single } = request;
  if (flags.columns !== undefined) return { chosen: flags.columns, flag: '--columns' };
  if (columns !== undefined) return { chosen: ChosenColumns.ofNames(columns) };
  // The setting is not about results and single records.
  if (single || hasResult(request) || source.resource === undefined) return {};
  return { chosen: defaults.columns, flag: settingOf('columns', source.resource) };
}

/**
 * The meanings of chosen columns in rows of a list. Beside other columns of the list, `currency` is a row's own, unless that is
 * written, too.
 */
function meaningsOfColumns(list: string, meanings: Meanings, chosen: ChosenColumns | undefined): Meanings {
  const own = chosen?.isOpen ? [] : (chosen?.names ?? []).filter((name) => name.startsWith(`${list}.`));
  const hasCurrency = PAYMENT_MEMBERS.currency.some((member) => own.includes(`${list}.${member}`));
  return own.length === 0 || hasCurrency ? meanings : withCurrencyOf(list, meanings);
}

/** `meanings` are those of the names in `columns`. */
interface PlannedFlags extends Pick<OutputFlags, 'format' | 'output' | 'columns'> {
  readonly meanings: Meanings;
}

/** Plans the output by the flags, and by the settings for what they leave open. */
async function planPart(
  { context, defaults, source, meanings: { fields }, run, isJoined }: Part,
  request: ExportRequest,
  { format, output, columns, meanings }: PlannedFlags,
): Promise<OutputPlan> {
  const { flags, single = false, words, sheet = source.records } = request;
  const { expand, open, overdue } = flags;
  const isResult = hasResult(request);
  const lacksProfile = isJoined && !isResult && columns?.names.includes(PROFILE_COLUMN) === false;
  const outputFlags = withValues(flags, {
    format: format ?? flags.format,
    output: output ?? flags.output,
    columns: lacksProfile ? columns.withFirst(PROFILE_COLUMN) : columns,
  });
  const lang = words && { flag: words.lang, setting: defaults.lang };
  const isOfDue = (open ?? overdue) === true;
  const describe = () => ({
    known: shownColumns(fields, { resource: source.resource, expand, isOfDue }),
    fields,
    declared: declaredColumns(fields, expand),
    today: run.day.day,
  });
  const ofRecords = { single, sheet, describe, meanings, expand };
  const plan = await planOutput(context, outputFlags, {
    ...{ ...ofRecords, defaults, lang },
    isResult: isResult || request.columns !== undefined,
  });
  // The column choice and the expansion of an export also hold for its copy.
  const { chosen, expanded } = (plan.isResult ? undefined : source.export?.delivered) ?? {};
  const all = chosen && plan.chosen ? [...chosen, ...plan.chosen] : (plan.chosen ?? chosen);
  return { ...plan, chosen: all, expanded: plan.expanded ?? expanded };
}

/**
 * Writes the names of the columns if they are known before the first request, and returns whether they are. They are not known
 * for a file, a single record or a result.
 */
async function listKnownColumns(run: Run, request: ExportRequest): Promise<boolean> {
  const { source, columns, flags, single } = request;
  const { kind, resource } = source;
  if (columns !== undefined) return writeNames(run.context, flags.output, () => columns);
  if (kind === 'local' || resource === undefined || single === true || hasResult(request)) return false;
  const { field, expand } = flags;
  const isSeveral = run.parts.length > 0;
  const store = await storeOf(run);
  const profile = usualProfile(run.context.env, store, run.parts[0]?.name ?? flags.profile);
  const fields = fieldsOf(store, { resource, profile, isSeveral, field });
  const { names } = declaredColumns(fields, expand);
  return writeNames(run.context, flags.output, () => (isSeveral ? [PROFILE_COLUMN, ...names] : names));
}

/** Writes the names of the records' columns by first appearance; for a result of the command's own, its columns. */
async function listColumns(part: Part, request: ExportRequest): Promise<void> {
  const questions = await openQuestions(part, request, undefined);
  await writeNames(part.context, request.flags.output, async () => {
    const reader = new CellReader();
    for await (const batch of questions.answer(recordsOf(part, { limit: questions.limitOfListing })))
      for (let index = 0; index < batch.count; index++) reader.moveTo(batch, index);
    return questions.resultColumns() ?? reader.columns;
  });
}

/** Writes the names. Opens the file before it finds them, so that OutputError comes first. */
async function writeNames(
  context: Context,
  output: string | undefined,
  names: () => Promise<readonly string[]> | readonly string[],
): Promise<true> {
  await writeAndCommit(await openDestination(output, context), async (destination) => {
    for (const name of await names()) await destination.write(`${name}\n`);
  });
  return true;
}
