import type { RecordBatch } from '../../json/record-batch.ts';
import { flagDefaults } from '../config-defaults.ts';
import { deliver } from '../deliver.ts';
import { discardNotice } from '../discard-notice.ts';
import { listColumns } from '../list-columns.ts';
import type { ListingFlags } from '../listing-flags.ts';
import { checkFlagsOfFormat } from '../../output/formats.ts';
import { planOutput, type OutputPlan } from '../output-plan.ts';
import { isTotal } from '../questions/check-questions.ts';
import { openQuestions, tableLimit } from '../questions/open-questions.ts';
import type { Receipt } from '../receipt.ts';
import type { Group } from './ask-profiles.ts';
import { JoinedRecords } from './joined-records.ts';
import { PROFILE_COLUMN } from './name-profile.ts';
import type { Outcome } from './outcome.ts';

/** Two organizations may have records of the same id. */
const KEY = [PROFILE_COLUMN, 'id'];

/** Writes the records of all profiles as one result. What became of each is for the caller to check. */
export async function exportJoined(group: Group, receipt: Receipt): Promise<readonly Outcome[]> {
  const { context, flags } = group;
  if (flags.listColumns) {
    const joined = new JoinedRecords(group, undefined);
    await listColumns(context, joined.read(), flags.output);
    return joined.outcomes;
  }
  const plan = await planJoined(group);
  if (isResult(flags) || flags.sort !== undefined) return exportAnswer(group, receipt, plan);
  const joined = new JoinedRecords(group, plan);
  await deliverJoined({ group, receipt, plan: withSheets(group, plan, joined) }, joined.read());
  joined.remark();
  return joined.outcomes;
}

/** Sums, changes and what is sorted are of all records together, and a limit counts what comes out. */
async function exportAnswer(group: Group, receipt: Receipt, output: OutputPlan): Promise<readonly Outcome[]> {
  const { context, flags, resource, notices } = group;
  const joined = new JoinedRecords(group, undefined);
  const keyed = { ...flags, key: flags.key ?? KEY };
  const questions = await openQuestions(context, { flags: keyed, resource, plan: output, notices });
  const plan = { ...withSheets(group, output, joined), openWriter: questions.writer(output.openWriter) };
  let read = 0;
  const counted = async function* (): AsyncGenerator<RecordBatch> {
    for await (const batch of joined.read()) {
      read += batch.count;
      yield batch;
    }
  };
  await deliverJoined({ group, receipt, plan }, questions.answer(counted()));
  questions.announce(read, tableLimit(flags, plan) !== undefined);
  return joined.outcomes;
}

async function deliverJoined(
  { group, receipt, plan }: { group: Group; receipt: Receipt; plan: OutputPlan },
  records: AsyncIterable<RecordBatch>,
): Promise<void> {
  receipt.note({ plan });
  const delivered = await deliver(group.context, plan, receipt.counted(records), {
    digest: receipt.isWanted,
    ...discardNotice(group.notices, plan.target),
  });
  receipt.note({ delivered });
}

/** How one result is laid out is for the flags and the settings for all profiles to say: no single one decides. */
async function planJoined({ context, flags, resource }: Group): Promise<OutputPlan> {
  const { columns, sandbox } = flags;
  const isNamed = columns === undefined || columns.includes(PROFILE_COLUMN) || isResult(flags);
  const named = isNamed ? {} : { columns: [PROFILE_COLUMN, ...columns] };
  const defaults = sandbox ? {} : flagDefaults(await context.config(), undefined, resource);
  return planOutput(context, { flags: { ...flags, ...named }, defaults, sheet: resource.records });
}

/** With --sheet-per-profile each profile that was had has a sheet, also where it has no records. */
function withSheets({ flags }: Group, plan: OutputPlan, joined: JoinedRecords): OutputPlan {
  checkFlagsOfFormat(plan.format, { '--sheet-per-profile': flags.sheetPerProfile });
  if (!flags.sheetPerProfile) return plan;
  const sheetFor = { column: PROFILE_COLUMN, values: () => joined.profilesHad };
  return { ...plan, layout: { ...plan.layout, sheetFor } };
}

/** Whether something else comes out than the records. */
function isResult(flags: ListingFlags): boolean {
  return isTotal(flags) || flags.changesSince !== undefined;
}
