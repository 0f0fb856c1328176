import { IncompleteError, type FolioError } from '../../errors.ts';
import { hasRecords, type PartState } from '../part-state.ts';

/** What became of a part. */
export type PartResult = Partial<Pick<PartState, 'name' | 'failure'>>;

interface OutcomeWords {
  /** What the parts are: `profiles`. */
  readonly what: string;
  /** What became of those that failed, where others did not: `left as they were`. */
  readonly lack: string;
  /** What to do, where the failures have no hint in common. */
  readonly hint?: string | undefined;
  /** The failure whose kind and hint the error has, where others have records; without one, it is an IncompleteError. */
  readonly leading?: FolioError | undefined;
}

/**
 * Ends a run of several parts: nothing where all are whole; else names those that are not, with their reasons, or throws
 * the failure that all have in common. Where nothing was had of any, it is of the kind of the first, and so is the exit code.
 */
export function checkResults(
  results: readonly PartResult[],
  { what, lack, hint, leading }: OutcomeWords,
): void {
  const failed = results.flatMap(({ name = '', failure }) => (failure ? [{ name, failure }] : []));
  const first = failed[0]?.failure;
  if (first === undefined) return;
  const reasons = reasonsOf(failed.map(({ name, failure }) => ({ name, reason: failure.message })));
  const hasCommonHint = failed.every(({ failure }) => failure.hint === first.hint);
  const advice = hasCommonHint ? (first.hint ?? hint) : (hint ?? first.hint);
  const isCommon = failed.every(({ failure }) => failure.message === first.message);
  if (failed.length === results.length && isCommon) throw first;
  if (!results.some(hasRecords))
    throw first.reworded(`none of ${results.length} ${what}: ${reasons}`, advice);
  const says = `${failed.length} of ${results.length} ${what} ${lack}: ${reasons}`;
  throw leading?.reworded(says, leading.hint) ?? new IncompleteError(says, { hint: advice, cause: first });
}

/** Each reason once, behind the names of the parts that it is about: of a dozen that fail, most fail for the same. */
export function reasonsOf(parts: readonly { readonly name: string; readonly reason: string }[]): string {
  const names = new Map<string, string[]>();
  for (const { name, reason } of parts) names.set(reason, [...(names.get(reason) ?? []), name]);
  return [...names].map(([reason, those]) => `${those.join(', ')}: ${reason}`).join('; ');
}
