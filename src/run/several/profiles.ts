import { CellReader } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';
import { withOwnColumn } from '../../json/scan-records.ts';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../context.ts';
import { withColumnBefore, withoutHeadings } from '../../output/column-choice.ts';
import { checkFlagsOfFormat, endingOf, type Format } from '../../output/formats.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import {
  deliver,
  exportPart,
  isResult,
  listColumns,
  remarkCount,
  remarkWritten,
  runOf,
  withColumnsWatched,
  columnsWanted,
  type CountOptions,
  type Export,
} from '../export-part.ts';
import {
  checkEarlierExport,
  columnNamesOf,
  mayShowNewestFirst,
  openQuestions,
  shownColumnsOf,
  tableLimit,
} from '../open-questions.ts';
import { PROFILE_COLUMN } from '../../invoices/fields.ts';
import type { ColumnNames } from '../../query/named-cells.ts';
import type { Questions, Records } from '../../query/questions.ts';
import { planOutput, type OutputFlags, type OutputPlan } from '../output-plan.ts';
import { checkPart, hasRecords, recordsOf, tryPart, type Part, type PartResult } from '../part.ts';
import { checkResults } from './outcome.ts';
import { forEachPart, PartsAside, type NamedPart } from './parts-aside.ts';
import { oneWordName } from '../../resources/resource.ts';
import { chooseProfiles } from '../session.ts';
import { inRun, type Run } from '../run.ts';
import { flagDefaults, type FlagDefaults } from '../settings.ts';

/**
 * Exports what a source yields for several organizations: into one result, or with --output-dir into a file for each.
 * Those that can be had are delivered whole; the others are named in the IncompleteError at the end.
 *
 * @param own those that the source itself has; where it has none, the service is asked for those that the flags name
 */
export async function exportProfiles(context: Context, asked: Export, own: readonly string[]): Promise<void> {
  const { source, profiles = {} } = asked;
  const names = own.length > 0 ? own : await chooseProfiles(context, asked);
  const { outputDir: folder } = profiles;
  const apart = folder === undefined ? [] : await planFiles(context, { asked, folder, names });
  const files = apart.map(({ profile, path }) => {
    return { flag: '--output-dir:', path, is: `where the records of ${profile} go` };
  });
  await inRun(context, { ...(await runOf(asked)), folder, files, parts: names }, async (run) => {
    try {
      await source.open?.(run);
      const parts = names.map((profile) => ({ source, name: profile, profile }));
      const several = { run, asked, parts };
      checkProfiles(folder === undefined ? await exportJoined(several) : await exportApart(several, apart));
    } finally {
      await source.close?.();
    }
  });
}

/** Throws where profiles are missing, or not whole. */
function checkProfiles(results: readonly PartResult[]): void {
  const failed = results.filter(({ failure }) => failure !== undefined);
  checkResults(results, {
    what: 'profiles',
    lack: failed.every(hasRecords) ? 'not whole' : 'missing',
    hint: `Use --profile ${failed.map(({ name }) => name).join(',')} to run these again.`,
  });
}

/** One export of several organizations. */
interface Several {
  readonly run: Run;
  readonly asked: Export;
  readonly parts: readonly NamedPart[];
}

/** Writes the records of all profiles as one result. The caller checks the result of each. */
async function exportJoined(several: Several): Promise<readonly PartResult[]> {
  const { run, asked } = several;
  const { output, questions = {} } = asked;
  if (output.listColumns) {
    const questions = await openQuestions(run.context, { ...questionOptions(asked), plan: undefined });
    const aside = putAside(several, async (part) => named(part, questions.limitOfListing));
    await listColumns(run.context, joined(aside), { questions, output: output.output });
    return aside.results;
  }
  const plan = await planJoined(several);
  return isResult(asked) || questions.sort !== undefined
    ? exportAnswer(several, plan)
    : exportEach(several, plan);
}

/** The questions about the records. Two organizations may have records of the same id, so changes are told by both. */
function questionOptions({ output, extent = {}, questions = {}, source, globals }: Export, profile?: string) {
  const keyed = questions.changesSince !== undefined && questions.key === undefined;
  const flags = keyed ? { ...questions, key: [PROFILE_COLUMN, 'id'] } : questions;
  const { resource, records, headings } = source;
  const settings = { profile, sandbox: globals.sandbox === true, isSeveral: profile === undefined };
  return { flags, extent, columns: output.columns, headings, resource, records, settings };
}

/** Where the names of columns are looked up: in the settings of the profile whose record it is. */
function questionNames({ source: { resource }, globals, questions }: Export) {
  const settings = { profile: undefined, sandbox: globals.sandbox === true, isSeveral: true };
  return { resource, settings, field: questions?.field };
}

/** Questions are about each profile by itself. A limit is of all: each is read that far, and the first records come out. */
async function exportEach(several: Several, plan: OutputPlan): Promise<readonly PartResult[]> {
  const { run, asked } = several;
  const { extent = {} } = asked;
  const told: ({ readonly part: Part } & Pick<CountOptions, 'questions' | 'newestFirst'>)[] = [];
  const recordsOf = async (part: Part): Promise<Records> => {
    const questions = await openQuestions(part.context, { ...questionOptions(asked, part.profile), plan });
    const newestFirst =
      mayShowNewestFirst(questions, asked.questions ?? {}, plan) && asked.source.preferNewest?.() === true;
    told.push({ part, questions, newestFirst });
    return judged(questions, named(part, questions.limitOfListing));
  };
  const aside = putAside(several, recordsOf, extent.limit);
  await deliverJoined(several, { plan: withSheets(asked, plan, aside), aside, records: joined(aside) });
  const isCounted = told.every(({ questions }) => questions.limitOfListing !== undefined);
  if (extent.limit !== undefined && isCounted) {
    const status = { records: run.receipt.facts.records, totalAtEnd: totalOf(told.map(({ part }) => part)) };
    const { questions } = told[0]!;
    await remarkCount({ notices: run.notices, status }, { extent, questions, plan, newestFirst: false });
  } else for (const { part, ...options } of told) await remarkCount(part, { extent, plan, ...options });
  return aside.results;
}

/** How many records the listings of all have; undefined where one does not say it. */
function totalOf(parts: readonly Part[]): number | undefined {
  const totals = parts.map(({ status }) => status.totalAtEnd).filter((total) => total !== undefined);
  return totals.length < parts.length ? undefined : totals.reduce((sum, total) => sum + total, 0);
}

/** The answer. Throws IncompleteError after the last record where some could not be judged. */
async function* judged(questions: Questions, records: Records): AsyncGenerator<RecordBatch> {
  yield* questions.answer(records);
  questions.check();
}

/** Sums, changes and what is sorted are of all records together, and a limit counts what comes out. */
async function exportAnswer(several: Several, planned: OutputPlan): Promise<readonly PartResult[]> {
  const { run, asked } = several;
  const { extent = {} } = asked;
  const aside = putAside(several, async (part) => named(part, undefined));
  const options = questionOptions(asked);
  const makeResult = await asked.makeResult?.(options.settings);
  const isUnread = unreadProfiles(several, aside);
  const questions = await openQuestions(run.context, { ...options, plan: planned, makeResult, isUnread });
  const earlier = await checkEarlierExport(options.flags, run.notices);
  const plan = { ...withSheets(asked, planned, aside), openWriter: questions.writer(planned.openWriter) };
  let read = 0;
  const counted = async function* (): AsyncGenerator<RecordBatch> {
    for await (const batch of joined(aside)) {
      read += batch.count;
      yield batch;
    }
  };
  await deliverJoined(several, { plan, aside, records: questions.answer(counted()) });
  run.notices.tell(questions.notes(read, tableLimit(extent, plan) !== undefined));
  if (earlier !== undefined) throw earlier;
  questions.check();
  return aside.results;
}

/** Whether a record, which has the name of its profile, is of one that nothing was had of; to be asked when all was read. */
function unreadProfiles({ parts }: Several, aside: PartsAside<NamedPart>): (record: RecordBatch) => boolean {
  const reader = new CellReader([PROFILE_COLUMN]);
  return (record) => {
    const profile = reader.read(record, 0)[0]?.text;
    return parts.some(({ name }) => name === profile) && !aside.namesHad.some((name) => name === profile);
  };
}

function putAside(
  { run, parts }: Several,
  recordsOfPart: (part: Part) => Promise<AsyncIterable<RecordBatch>>,
  limit?: number,
): PartsAside<NamedPart> {
  const recordsOf = async (part: Part): Promise<Records> => checked(part, await recordsOfPart(part));
  return new PartsAside(run, parts, { recordsOf, limit });
}

async function* checked(part: Part, records: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
  yield* records;
  checkPart(part);
}

/** The records with the name of their profile as a column, so that every filter, sum and writer sees it. */
async function* named(part: Part, limit: number | undefined): AsyncGenerator<RecordBatch> {
  if (part.source.isSeveral) return yield* recordsOf(part, limit);
  const own = { name: PROFILE_COLUMN, value: JSON.stringify(part.name) };
  for await (const batch of recordsOf(part, limit)) yield withOwnColumn(batch, own);
}

/** The records of all parts, one after the other. Throws, as `checkProfiles` does, when nothing was had of any. */
async function* joined(aside: PartsAside<NamedPart>): AsyncGenerator<RecordBatch> {
  for await (const { records } of aside.read()) yield* records;
  if (aside.namesHad.length === 0) checkProfiles(aside.results);
}

interface Joined {
  readonly plan: OutputPlan;
  readonly aside: PartsAside<NamedPart>;
  readonly records: AsyncIterable<RecordBatch>;
}

async function deliverJoined({ run, asked }: Several, { plan, aside, records }: Joined): Promise<void> {
  const { context, receipt, notices, startedAt } = run;
  const hasResult = isResult(asked);
  receipt.note({ plan });
  const names = (): Promise<ColumnNames> => columnNamesOf(context, questionNames(asked));
  const watched = await withColumnsWatched(records, {
    columns: asked.output.columns,
    names,
    hasResult,
    notices,
  });
  const delivered = await deliver(context, watched, { plan, receipt, notices });
  receipt.note({ delivered });
  const { target } = plan;
  if (target === undefined || !delivered.isFile) return;
  await remarkWritten({ context, notices, startedAt }, () => ({
    count: receipt.facts.records,
    what: hasResult ? 'rows' : asked.source.records,
    place: target,
    bytes: delivered.bytes,
    more: [`of ${countOf(aside.namesHad.length, 'profile')}`],
  }));
}

/** How one result is laid out is for the flags and the settings for all profiles to say: no single one decides. */
async function planJoined({ run: { context, globals }, asked }: Several): Promise<OutputPlan> {
  const { output, source, questions } = asked;
  const settings = { profile: undefined, sandbox: globals.sandbox === true, isSeveral: true };
  const defaults = globals.sandbox ? {} : flagDefaults(await context.config(), undefined, source.resource);
  const { columns } = columnsWanted(output, asked, defaults);
  const isNamed =
    columns === undefined || withoutHeadings(columns).includes(PROFILE_COLUMN) || isResult(asked);
  const flags = isNamed
    ? { ...output, ...(columns && { columns }) }
    : { ...output, columns: withColumnBefore(PROFILE_COLUMN, columns) };
  return planOutput(context, {
    flags,
    color: globals.color,
    defaults,
    sheet: asked.sheet ?? source.records,
    known: () =>
      shownColumnsOf(context, {
        resource: source.resource,
        settings,
        field: questions?.field,
        expand: questions?.expand,
      }),
    isResult: isResult(asked),
    expand: questions?.expand,
    names: () => columnNamesOf(context, questionNames(asked)),
  });
}

/** With --sheet-per-profile each profile that was had has a sheet, also where it has no records. */
function withSheets({ profiles }: Export, plan: OutputPlan, aside: PartsAside<NamedPart>): OutputPlan {
  checkFlagsOfFormat(plan.format, { '--sheet-per-profile': profiles?.sheetPerProfile });
  if (!profiles?.sheetPerProfile) return plan;
  const sheetFor = { column: PROFILE_COLUMN, values: () => aside.namesHad };
  return { ...plan, layout: { ...plan.layout, sheetFor } };
}

/** The file of one profile in the folder of --output-dir. */
interface FileApart {
  readonly profile: string;
  readonly path: string;
  readonly format: Format;
  /** The file as earlier versions called it, which had one name for all listings; undefined where there is none. */
  readonly older: string | undefined;
}

/** The files of --output-dir: `<profile>.<listing>.<ending>`. The format is that of the flags, else the profile's own, else csv. */
async function planFiles(
  context: Context,
  { asked, folder, names }: { asked: Export; folder: string; names: readonly string[] },
): Promise<readonly FileApart[]> {
  const { output, source, globals, sheet } = asked;
  const listing = [...(sheet === undefined ? [] : [sheet]), oneWordName(source, '-')].join('-');
  const store = globals.sandbox ? undefined : await context.config();
  return Promise.all(
    names.map(async (profile) => {
      const format = fileFormat(output, store ? flagDefaults(store, profile, source.resource) : {});
      const ending = endingOf(format);
      const older = join(folder, `${profile}.${ending}`);
      const isThere = await stat(older).then(
        () => true,
        () => false,
      );
      const path = join(folder, `${profile}.${listing}.${ending}`);
      return { profile, path, format, older: isThere ? older : undefined };
    }),
  );
}

/**
 * Writes the records of each profile into a file of its own: what `--profile <name> -o <file>` writes. One that fails leaves its
 * file as it was.
 */
async function exportApart(
  { run, asked, parts }: Several,
  files: readonly FileApart[],
): Promise<readonly PartResult[]> {
  for (const { older, path } of files) {
    if (older === undefined) continue;
    run.notices.warn(`${older} is of an earlier version of folio; these records are in ${path} now`);
  }
  const results: PartResult[] = [];
  const all = forEachPart(run, parts, (part, signal) =>
    tryPart(run, { ...part, signal }, (open) => {
      const { format, path } = files.find(({ profile }) => profile === part.name)!;
      return exportPart(open, asked, { ...asked.output, format, output: path });
    }),
  );
  for await (const result of all) results.push(result);
  return results;
}

function fileFormat({ format, excel, delimiter }: OutputFlags, defaults: FlagDefaults): Format {
  const implied = excel || delimiter !== undefined ? 'csv' : defaults.format;
  return format ?? implied ?? 'csv';
}
