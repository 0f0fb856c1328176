import type { Context } from '../context.ts';
import { CellReader } from '../json/cells.ts';
import { written } from '../output/files/destination.ts';
import { openDestination } from '../output/files/open-destination.ts';
import type { Questions, Records } from '../query/questions.ts';

interface ListColumnsOptions {
  /** What is asked of the records: the columns are those of the answer. Those of the records without it. */
  readonly questions?: Questions | undefined;
  /** As `-o` names it. */
  readonly output: string | undefined;
}

/**
 * Writes the names of all columns that what comes out has to what `-o` names, one a line, in order of first appearance.
 * Throws OutputError before the first record is asked for where that cannot be written.
 */
export async function listColumns(
  context: Context,
  records: Records,
  { questions, output }: ListColumnsOptions,
): Promise<void> {
  await written(await openDestination(output, context), async (destination) => {
    const reader = new CellReader();
    for await (const batch of questions?.answer(records) ?? records) {
      for (let index = 0; index < batch.count; index++) reader.read(batch, index);
    }
    const names = questions?.resultColumns() ?? reader.columns;
    for (const name of names) await destination.write(`${name}\n`);
  });
}

/** Writes names that are known already to what `-o` names, one a line. */
export async function writeColumns(
  context: Context,
  names: readonly string[],
  output: string | undefined,
): Promise<void> {
  await written(await openDestination(output, context), async (destination) => {
    for (const name of names) await destination.write(`${name}\n`);
  });
}
