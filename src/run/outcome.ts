import { statSync } from 'node:fs';
import { UnknownFiscalIds } from '../api/status-failure.ts';
import { IncompleteError, type FolioError } from '../errors.ts';
import { localMinute } from '../json/calendar-day.ts';

/** The result of a part: of a listing, a profile or a page. */
export interface PartResult {
  readonly name?: string | undefined;
  readonly failure?: FolioError | undefined;
}

/** Whether there are records of the part, even if not all. */
export function hasRecords({ failure }: PartResult): boolean {
  return failure === undefined || failure instanceof IncompleteError;
}

/** In one answer of several parts, a part that has none of the fiscal IDs gets a warning, not a failure, if another has some. */
export function passUnknownIds(
  results: readonly { failure: FolioError | undefined; readonly notices: { warn(text: string): void } }[],
): void {
  if (!results.some(hasRecords)) return;
  for (const result of results) {
    const { failure, notices } = result;
    if (!(failure?.cause instanceof UnknownFiscalIds)) continue;
    notices.warn(failure.message);
    result.failure = undefined;
  }
}

export interface OutcomeWords {
  /** What the parts are: `profiles`. */
  readonly what: string;
  /** What happened to the failed parts, if others did not fail: `left as they were`. */
  readonly lack: string;
  /** What to do, where the failures have no hint in common. */
  readonly hint?: string | undefined;
  /** Whether nothing is there of a part that is not whole. */
  readonly isAllOrNothing?: boolean;
  readonly delivered?: readonly string[];
  /** A line for each older file that stays in place of a failed part. */
  readonly kept?: readonly string[];
}

/**
 * The outcome of several parts: undefined if all are whole; else an error that names the incomplete parts with their reasons, or
 * the failure that all share. If no part delivered anything, it has the kind, and so the exit code, of the first; else it is an
 * IncompleteError.
 */
export function outcomeOf(
  results: readonly PartResult[],
  { what, lack, hint, isAllOrNothing = false, delivered = [], kept = [] }: OutcomeWords,
): FolioError | undefined {
  const failed = results.flatMap(({ name = '', failure }) => (failure ? [{ name, failure }] : []));
  const first = failed[0]?.failure;
  if (first === undefined) return undefined;
  // Parts often fail for the same reason, which is written once.
  const names = new Map<string, string[]>();
  for (const { name, failure } of failed)
    names.set(failure.message, [...(names.get(failure.message) ?? []), name]);
  if (failed.length === results.length && names.size === 1) return first;
  const hasCommonHint = failed.every(({ failure }) => failure.hint === first.hint);
  const advice = hasCommonHint ? (first.hint ?? hint) : (hint ?? first.hint);
  const isNone = isAllOrNothing ? failed.length === results.length : !results.some(hasRecords);
  const summary = isNone
    ? `none of ${results.length} ${what}`
    : `${failed.length} of ${results.length} ${what} ${lack}`;
  const lines = [
    summary,
    ...failed.map(({ name, failure }) => `${name}: ${failure.message}`),
    ...kept,
    ...(delivered.length === 0 ? [] : [`delivered: ${delivered.join(', ')}`]),
  ];
  const reasons = [...names].map(([reason, those]) => `${those.join(', ')}: ${reason}`);
  const text = `${summary}: ${reasons.join('; ')}`;
  const worst = failed.find(({ failure }) => !hasRecords({ failure }))?.failure ?? first;
  return isNone
    ? worst.reworded(text, advice, lines)
    : new IncompleteError(text, { hint: advice, cause: first, lines });
}

export function checkResults(results: readonly PartResult[], words: OutcomeWords): void {
  const failure = outcomeOf(results, words);
  if (failure !== undefined) throw failure;
}

/** A line for each older file that stays where nothing came of a part. `output` is the file of the part. */
export function keptFiles(results: readonly (PartResult & { readonly output: string })[]): readonly string[] {
  return results.flatMap(({ name, failure, output }) => {
    const stats = hasRecords({ failure }) ? undefined : statSync(output, { throwIfNoEntry: false });
    if (!stats?.isFile()) return [];
    return `${name}: ${output} stays as it was, of ${localMinute(stats.mtime.toISOString())}`;
  });
}

interface ProfileWords {
  /** Whether the records come from the service: only that can be tried again, and `folio doctor` checks no file. */
  readonly isOfService: boolean;
  /** What happened where each was delivered at least in part. */
  readonly notWhole?: string;
  /** What happened where nothing came of some. */
  readonly missing?: string;
}

export function wordsOfProfiles(
  results: readonly PartResult[],
  { isOfService, notWhole = 'not whole', missing = 'missing' }: ProfileWords,
): OutcomeWords {
  const failed = results.flatMap(({ name, failure }) => (failure === undefined ? [] : (name ?? [])));
  return {
    what: 'profiles',
    delivered: results.flatMap(({ name, failure }) => (failure === undefined ? (name ?? []) : [])),
    lack: results.every(hasRecords) ? notWhole : missing,
    hint: isOfService
      ? `Run \`folio doctor --profile ${failed[0]}\` to see what to fix there; to run these again, use --profile ${failed.join(',')}.`
      : undefined,
  };
}
