import { UsageError } from '../errors.ts';
import type { QuestionFlags } from './flags.ts';

/** Throws UsageError where totals are to be sorted by a column that they do not have. */
export async function checkOrderOfTotals(flags: QuestionFlags): Promise<void> {
  if (flags.sort === undefined || !asksForTotals(flags)) return;
  const { columnsOfTotals } = await import('../query/totals-rows.ts');
  const { chosenColumns } = await import('../query/result-rows.ts');
  const asked = flags.sort.map(({ column }) => column);
  chosenColumns(columnsOfTotals(flags), { asked, flag: '--sort' });
}

/** Throws UsageError where a sum would count a column of the record once for each of its rows. */
export function checkSumsOfRows({ expand, sum = [] }: QuestionFlags): void {
  const repeated = expand === undefined ? undefined : sum.find((column) => !column.startsWith(`${expand}.`));
  if (repeated === undefined) return;
  throw new UsageError(
    `--sum ${repeated} does not go with --expand ${expand}: each row of a record repeats it, so it would be added several times`,
    { hint: `Sum a column of the rows, such as ${expand}.amount, or leave --expand out.` },
  );
}

/** Whether totals are asked for instead of records. */
export function asksForTotals({ sum, groupBy, count }: QuestionFlags): boolean {
  return (sum ?? groupBy ?? count) !== undefined;
}

/** Whether the answer is something other than the records. */
export function asksForResult(questions: QuestionFlags): boolean {
  return asksForTotals(questions) || questions.changesSince !== undefined;
}
