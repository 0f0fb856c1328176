import type { Context } from '../context.ts';
import type { RecordBatch } from '../json/record-batch.ts';
import type { Destination } from '../output/files/destination.ts';
import { openDestination } from '../output/files/open-destination.ts';
import type { OutputPlan } from './output-plan.ts';

export interface DeliverOptions {
  /** Whether the receipt will ask for the hash of what was written. */
  readonly digest?: boolean;
  /** Whether the batches keep a journal beside the file as they are read. */
  readonly journalled?: boolean;
  /** Told when what a stopped run had kept beside the file was discarded. */
  readonly onDiscard?: () => void;
  /** Runs after the last record is written and before a file takes its place; what it throws keeps the old file. */
  readonly beforeCommit?: () => Promise<void>;
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
  batches: AsyncIterable<RecordBatch>,
  { beforeCommit, ...options }: DeliverOptions = {},
): Promise<Destination> {
  const kind = { styled: plan.format === 'table', binary: plan.format === 'xlsx' };
  const destination = await openDestination(plan.target, context, { ...options, ...kind });
  try {
    const writer = plan.openWriter(destination, plan.layout);
    for await (const batch of batches) await writer.write(batch);
    await writer.end();
    await beforeCommit?.();
    await destination.commit();
    return destination;
  } catch (error) {
    await destination.discard();
    throw error;
  }
}
