import type { Context } from '../context.ts';
import { CellReader } from '../json/cells.ts';
import type { RecordBatch } from '../json/record-batch.ts';
import { visible } from '../output/terminal-text.ts';

/** Prints the names of all columns that the records have, one a line, in order of first appearance. */
export async function listColumns(context: Context, batches: AsyncIterable<RecordBatch>): Promise<void> {
  const reader = new CellReader();
  for await (const batch of batches) {
    for (let index = 0; index < batch.count; index++) reader.read(batch, index);
  }
  const gate = context.stdout.isTerminal ? visible : (name: string): string => name;
  for (const name of reader.columns) await context.stdout.write(`${gate(name)}\n`);
}
