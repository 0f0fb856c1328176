import type { Context } from '../context.ts';
import type { RecordBatch } from '../json/records.ts';
import { written, type Destination } from '../output/files/destination.ts';
import { openDestination } from '../output/files/open-destination.ts';
import { isBinary } from '../output/formats.ts';
import { tableFooter } from '../output/table/table-notes.ts';
import type { Delivery } from '../paging/page.ts';
import type { QuestionFlags } from '../query/question-syntax.ts';
import type { Questions } from '../query/questions.ts';
import { listColumns } from './list-columns.ts';
import type { ExtentFlags, FilterFlags } from './listing-source.ts';
import type { Notices } from './notices.ts';
import { openQuestions, tableLimit, type MakeResult, type SettingsOwner } from './open-questions.ts';
import { discardNotice, planOutput, type OutputFlags, type OutputPlan } from './output-plan.ts';
import type { RequestFlags } from './parse-values.ts';
import { checkPart, type Part, type Source } from './part.ts';
import type { ProfilesFlags } from './profile-choice.ts';
import type { ReceiptPart, ReportFlags } from './receipt.ts';
import type { ResumableWalk, ResumeFlags } from './resume.ts';
import type { GlobalFlags } from './run.ts';

/** What is to be exported, and how: a source, and the values of the flags that a command has. */
export interface Export {
  readonly source: Source;
  readonly everywhere: GlobalFlags;
  readonly output: OutputFlags;
  readonly request?: RequestFlags;
  readonly report?: ReportFlags;
  readonly resume?: ResumeFlags;
  readonly questions?: QuestionFlags;
  readonly extent?: ExtentFlags;
  readonly filters?: FilterFlags;
  readonly profiles?: ProfilesFlags;
  /** True for a single record, which is a document and not a list. */
  readonly single?: boolean;
  /** All columns that there are, where they are known before anything is asked. */
  readonly columns?: readonly string[];
  /** xlsx: what the sheet is called; else as the records are. */
  readonly sheet?: string;
  /** Makes something else of the records than the questions could ask for. */
  readonly makeResult?: (settings: SettingsOwner) => Promise<MakeResult>;
}

/** Writes the records of one part to where the flags say. Throws IncompleteError after what there was is out. */
export async function exportPart(part: Part, asked: Export, output = asked.output): Promise<void> {
  const { receipt, notices, context, everywhere, defaults, source } = part;
  const { single, sheet = source.records, extent = {}, questions: flags = {} } = asked;
  if (output.listColumns) return exportColumns(part, asked);
  const wished = { ...output, ...chosenColumns(output, asked) };
  const planned = await planOutput(context, {
    flags: wished,
    color: everywhere.color,
    defaults,
    single,
    sheet,
  });
  const settings = settingsOf(part);
  const makeResult = await asked.makeResult?.(settings);
  const { resource, records: what } = source;
  const questions = await openQuestions(context, {
    ...{ flags, extent, columns: output.columns, resource, records: what, settings },
    ...{ plan: planned, makeResult },
  });
  const plan = { ...planned, openWriter: questions.writer(planned.openWriter) };
  receipt.note({ plan });
  const limit = questions.limitOfListing;
  const resumable = asked.resume?.resume ? await openResumable(part, asked, plan, limit) : undefined;
  const records = questions.answer(resumable?.read() ?? recordsOf(part.read(limit)));
  try {
    const delivered = await deliver(context, plan, records, {
      receipt,
      notices,
      journalled: resumable !== undefined,
    });
    receipt.note({ delivered });
  } catch (error) {
    resumable?.sayHowToGoOn();
    throw error;
  } finally {
    receipt.note({ takenOver: resumable?.takenOver });
  }
  remarkCount(part, { extent, questions, plan });
  checkPart(part);
}

/**
 * Writes the columns of what would come out: of the records, or of what the flags ask of them. What the command itself makes
 * of records has columns of its own; then those of the records are what one needs to know.
 */
async function exportColumns(part: Part, asked: Export): Promise<void> {
  const { extent = {}, questions: flags = {}, output } = asked;
  const { resource, records: what } = part.source;
  const questions = await openQuestions(part.context, {
    ...{ flags, extent, columns: output.columns, resource, records: what },
    ...{ settings: settingsOf(part), plan: undefined },
  });
  const records = recordsOf(part.read(questions.limitOfListing));
  await listColumns(part.context, records, { questions, output: output.output });
  checkPart(part);
}

function settingsOf({ profile, everywhere }: Part): SettingsOwner {
  return { profile, sandbox: everywhere.sandbox === true };
}

function chosenColumns(output: OutputFlags, { columns }: Export): Pick<OutputFlags, 'columns'> {
  return output.columns !== undefined || columns === undefined ? {} : { columns };
}

async function openResumable(
  part: Part,
  { output, questions = {}, extent = {} }: Export,
  plan: OutputPlan,
  limit: number | undefined,
): Promise<ResumableWalk> {
  const { openResumable } = await import('./resume.ts');
  return openResumable(part, { output, questions, extent, plan, limit });
}

/** The records of pages that come one after the other. */
export async function* recordsOf(deliveries: AsyncIterable<Delivery>): AsyncGenerator<RecordBatch> {
  for await (const { records } of deliveries) yield records;
}

interface Delivering {
  /** Counts what is delivered, and says whether its hash will be asked for. */
  readonly receipt: ReceiptPart;
  readonly notices: Notices;
  /** Whether the records are kept in a journal beside the file as they are read. */
  readonly journalled?: boolean;
}

/**
 * Writes the records in the plan's format to the plan's target. The target is checked before the first record is asked
 * for; a file appears when all went well and is left as it was when not.
 *
 * @returns the destination, committed, for its size and hash
 */
export async function deliver(
  context: Context,
  plan: OutputPlan,
  records: AsyncIterable<RecordBatch>,
  { receipt, notices, journalled = false }: Delivering,
): Promise<Destination> {
  return written(
    await openDestination(plan.target, context, {
      styled: plan.format === 'table',
      binary: isBinary(plan.format),
      digest: receipt.isWanted,
      journalled,
      ...discardNotice(notices, plan.target),
    }),
    async (destination) => {
      const writer = plan.openWriter(destination, plan.layout);
      for await (const batch of receipt.counted(records)) await writer.write(batch);
      await writer.end();
    },
  );
}

interface Delivered {
  readonly extent: ExtentFlags;
  readonly questions: Questions;
  readonly plan: OutputPlan;
}

/** Says how many records there are beside those that a table's own limit let through, and what the questions found. */
export function remarkCount(
  { notices, status }: Pick<Part, 'notices' | 'status'>,
  { extent, questions, plan }: Delivered,
): void {
  const { records, totalAtEnd } = status;
  const limit = tableLimit(extent, plan);
  if (limit === undefined || questions.limitOfListing === undefined) {
    notices.tell(questions.notes(records, limit !== undefined));
  } else if (totalAtEnd !== undefined && totalAtEnd > records) {
    notices.remark(tableFooter({ shown: records, total: totalAtEnd, locale: plan.layout.locale }));
  } else if (totalAtEnd === undefined && records >= limit) {
    notices.remark(`the first ${records} · --all for the rest`);
  }
}
