import { readPartialErrors } from '../api/error-body.ts';
import type { Redact } from '../api/redact.ts';
import { alsoSaid, UnknownFiscalIds } from '../api/status-failure.ts';
import { IncompleteError, NotFoundError, type FolioError } from '../errors.ts';
import type { Finding, IncompleteReason } from '../findings.ts';
import { foldFiscalId } from '../invoices/fiscal-ids.ts';
import { countOf } from '../output/terminal/number-text.ts';
import type { WalkStatus } from '../paging/walk-status.ts';
import type { FiscalIdFilter, Resource } from '../resources/resource.ts';

const MAX_NUMBERS = 20;

/**
 * The error that says which records are missing or in doubt; undefined where none are.
 *
 * @param unknown fiscal IDs that nobody has, where that is a failure
 * @param sortBy the keys by which the user can have the listing sorted
 */
export function lackOf(
  status: WalkStatus,
  unknown: readonly string[] = [],
  sortBy?: Resource['sortBy'],
): IncompleteError | undefined {
  const { givenUp, incomplete, reason = 'changing', totalAtEnd, records: delivered } = status;
  const unserved = [...givenUp].map((offset) => offset + 1);
  const gaps: string[] = [];
  if (unserved.length > 0) {
    const numbers = unserved.slice(0, MAX_NUMBERS).join(', ');
    const more = unserved.length > MAX_NUMBERS ? ', …' : '';
    gaps.push(`the service does not serve number ${numbers}${more} of the listing, even alone`);
  }
  if (incomplete > 0) {
    const which =
      totalAtEnd === undefined || totalAtEnd < incomplete
        ? `${countOf(incomplete, 'record')} or more`
        : `${incomplete} of the ${totalAtEnd} records that the service names`;
    const why = whyIncomplete(reason);
    gaps.push(reason === 'ids' ? why : `${which} ${incomplete === 1 ? 'is' : 'are'} in doubt: ${why}`);
  }
  if (unknown.length > 0) gaps.push(`${countOf(unknown.length, 'unknown fiscal ID')}: ${firstOf(unknown)}`);
  if (gaps.length === 0) return undefined;
  const sorted = reason === 'order' && sortBy ? ` Add --sort-by ${sortBy.unique}.` : '';
  const isOfIds = status.complete && unknown.length > 0;
  return new IncompleteError(`delivered ${countOf(delivered, 'record')}, but not all: ${gaps.join('; ')}`, {
    hint: isOfIds ? 'Leave out the unknown IDs, or leave out --strict.' : REASONS[reason].hint + sorted,
    details: {
      code: 'records missing',
      delivered,
      unserved,
      reason: incomplete > 0 ? reason : undefined,
    },
  });
}

const AGAIN_LATER = 'Run it again when the service is quieter.';

const REASONS: Readonly<Record<IncompleteReason, { readonly why: string; readonly hint: string }>> = {
  changing: { why: 'the listing kept changing while it was read', hint: AGAIN_LATER },
  order: {
    why: 'the service’s order changes from request to request',
    hint: 'Running it again will hardly help.',
  },
  unsteady: {
    why: 'its pages do not hold together: its order or its records change',
    hint: AGAIN_LATER,
  },
  adjoining: { why: 'its pages do not overlap, and were not seen the same twice', hint: AGAIN_LATER },
  total: { why: 'it names a higher total than it serves', hint: AGAIN_LATER },
  repeating: {
    why: 'page after page it sends records that it had sent before',
    hint: 'This is a fault of the service. Try again later, or with another --page-size.',
  },
  more: {
    why: 'more records came than that, so some changed while they were read and are there in two forms',
    hint: AGAIN_LATER,
  },
  ids: {
    why: 'of several fiscal IDs in one request, the service may have read one',
    hint: 'Ask without --limit and --page, or for one fiscal ID at a time.',
  },
};

export function whyIncomplete(reason: IncompleteReason = 'changing'): string {
  return REASONS[reason].why;
}

/** Collects the problems that the service names beside the records (spec 2.4), each once. */
export class ServiceErrors {
  readonly #unknown = new Set<string>();
  readonly #warnings = new Set<string>();
  readonly #typed: ReadonlyMap<string, string>;
  readonly #redact: Redact;
  #isNamedByError = false;

  /** The fiscal IDs are those of the filter, as typed; `redact` removes secrets from the service's words, which receipts keep. */
  constructor(fiscalIds: readonly string[], redact: Redact) {
    this.#redact = redact;
    this.#typed = new Map(fiscalIds.map((id) => [foldFiscalId(id), id]));
  }

  readonly add = (errors: Buffer): void => {
    const { missingFiscalIds, warnings } = readPartialErrors(errors, this.#redact);
    this.addUnknown(missingFiscalIds);
    for (const warning of warnings) this.#warnings.add(warning);
  };

  /** The fiscal IDs that match nobody, in the order in which they were typed. */
  get unknownIds(): string[] {
    const typed = [...this.#typed.values()].map((id) => this.#redact(id));
    return [...new Set([...typed, ...this.#unknown])].filter((id) => this.#unknown.has(id));
  }

  /** @param isLocal whether the records were read earlier, so that others may have the IDs */
  findings(filter: FiscalIdFilter | undefined, isLocal = false): Finding[] {
    const whose = `${filter?.whose ?? 'party'}${isLocal ? ' in these records' : ''}`;
    const found: Finding[] = [];
    if (this.#unknown.size > 0)
      found.push({ level: 'fact', text: '', details: { code: 'unknown ids', ids: [...this.#unknown] } });
    const ids = this.#isNamedByError ? [] : this.unknownIds;
    const texts =
      ids.length > MAX_NAMED
        ? [`no ${whose} has ${ids.length} of the fiscal IDs: ${firstOf(ids)}`]
        : ids.map((id) => `no ${whose} has the fiscal ID ${id}`);
    for (const text of texts) found.push({ level: 'warning', text });
    for (const words of this.#warnings) {
      const details = { code: 'service says', words } as const;
      found.push({ level: 'warning', text: `the service says: ${words}`, details });
    }
    return found;
  }

  /** The error that a listing ends with: where nobody has any of the fiscal IDs, it names them as they were typed. */
  explain(error: unknown, filter: FiscalIdFilter | undefined): unknown {
    if (!(error instanceof UnknownFiscalIds)) return error;
    this.addUnknown(error.fiscalIds);
    this.#isNamedByError = true;
    const whose = filter?.whose ?? 'party';
    const named = firstOf(this.unknownIds);
    return new NotFoundError(`no ${whose} has any of these fiscal IDs: ${named}${alsoSaid(error.warnings)}`, {
      hint: error.hint,
      cause: error,
    });
  }

  /** Adds fiscal IDs that match nobody. The service may spell them in its own way. */
  addUnknown(fiscalIds: readonly string[]): void {
    for (const id of fiscalIds) this.#unknown.add(this.#redact(this.#typed.get(foldFiscalId(id)) ?? id));
  }
}

const MAX_NAMED = 10;

function firstOf(ids: readonly string[]): string {
  const rest = ids.length - MAX_NAMED;
  const first = ids.slice(0, MAX_NAMED).join(', ');
  return rest > 0 ? `${first} and ${rest} more; --receipt <file> has them all` : first;
}

/** What became of a part: of a listing, a profile, a page. */
export interface PartResult {
  readonly name?: string | undefined;
  readonly failure?: FolioError | undefined;
}

/** Whether there are records of the part, even if not all. */
export function hasRecords({ failure }: PartResult): boolean {
  return failure === undefined || failure instanceof IncompleteError;
}

/** Where another part has some of the fiscal IDs, one that has none of them gets a warning in place of its failure. */
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
  /** What became of those that failed, where others did not: `left as they were`. */
  readonly lack: string;
  /** What to do, where the failures have no hint in common. */
  readonly hint?: string | undefined;
  readonly delivered?: readonly string[];
  /** A line for each older file that stays in the place of a part that is missing. */
  readonly kept?: readonly string[];
}

/**
 * How several parts end: undefined where all are whole; else an error that names those that are not with their reasons, or the
 * failure that all share. Where nothing was had of any it is of the kind of the first, and so is the exit code; else an
 * IncompleteError.
 */
export function outcomeOf(
  results: readonly PartResult[],
  { what, lack, hint, delivered = [], kept = [] }: OutcomeWords,
): FolioError | undefined {
  const failed = results.flatMap(({ name = '', failure }) => (failure ? [{ name, failure }] : []));
  const first = failed[0]?.failure;
  if (first === undefined) return undefined;
  // Of a dozen that fail, most fail for the same reason, which comes once.
  const names = new Map<string, string[]>();
  for (const { name, failure } of failed)
    names.set(failure.message, [...(names.get(failure.message) ?? []), name]);
  if (failed.length === results.length && names.size === 1) return first;
  const hasCommonHint = failed.every(({ failure }) => failure.hint === first.hint);
  const advice = hasCommonHint ? (first.hint ?? hint) : (hint ?? first.hint);
  const isNone = !results.some(hasRecords);
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
  return isNone
    ? first.reworded(text, advice, lines)
    : new IncompleteError(text, { hint: advice, cause: first, lines });
}

export function checkResults(results: readonly PartResult[], words: OutcomeWords): void {
  const failure = outcomeOf(results, words);
  if (failure !== undefined) throw failure;
}

/** The words for profiles: `notWhole` where each was delivered at least in part, `missing` where nothing came of some. */
export function wordsOfProfiles(
  results: readonly PartResult[],
  notWhole = 'not whole',
  missing = 'missing',
): OutcomeWords {
  const failed = results.flatMap(({ name, failure }) => (failure === undefined ? [] : (name ?? [])));
  return {
    what: 'profiles',
    delivered: results.flatMap(({ name, failure }) => (failure === undefined ? (name ?? []) : [])),
    lack: results.every(hasRecords) ? notWhole : missing,
    hint: `Run \`folio doctor --profile ${failed[0]}\` to see what to fix there; to run these again, use --profile ${failed.join(',')}.`,
  };
}
