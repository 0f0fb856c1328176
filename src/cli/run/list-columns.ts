import type { Context } from '../../context.ts';
import { CellReader } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';
import { openDestination } from '../../output/files/open-destination.ts';

/**
 * Writes the names of all columns that the records have to what `-o` names, one a line, in order of first appearance.
 * Throws OutputError before the first record is asked for where that cannot be written.
 */
export async function listColumns(
  context: Context,
  batches: AsyncIterable<RecordBatch>,
  output?: string,
): Promise<void> {
  const destination = await openDestination(output, context);
  try {
    const reader = new CellReader();
    for await (const batch of batches) {
      for (let index = 0; index < batch.count; index++) reader.read(batch, index);
    }
    for (const name of reader.columns) await destination.write(`${name}\n`);
    await destination.commit();
  } catch (error) {
    await destination.discard();
    throw error;
  }
}
