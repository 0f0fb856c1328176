import { nearestNames } from '../../analysis/nearest-names.ts';
import { UsageError } from '../../errors.ts';

/** Those of a result's columns that were asked for, else all. Throws UsageError for one that it does not have. */
export function chosenColumns(
  there: readonly string[],
  asked: readonly string[] | undefined,
): readonly string[] {
  const unknown = asked?.find((column) => !there.includes(column));
  if (unknown === undefined) return asked ?? there;
  const [near] = nearestNames(unknown, there);
  throw new UsageError(`--columns: the result has no column ${unknown}`, {
    hint: near === undefined ? `it has ${there.join(', ')}` : `did you mean ${near}?`,
  });
}
