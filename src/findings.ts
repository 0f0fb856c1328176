/**
 * What a failure means for the user; `cli/exit-codes.ts` has the exit code of each:
 * - `usage`: the command line or the query is wrong;
 * - `auth`: there is no token, or the service refuses it;
 * - `not-found`: what was asked for does not exist;
 * - `service`: the service or the network failed after all retries;
 * - `incomplete`: something was delivered, but not all that was asked for;
 * - `differs`: all was delivered, and it says that two sides which should be equal are not;
 * - `output`: the result could not be written;
 * - `interrupted`: the user or the system stopped the run;
 * - `fault`: a fault of folio's own.
 */
export type FailureKind =
  | 'usage'
  | 'auth'
  | 'not-found'
  | 'service'
  | 'incomplete'
  | 'differs'
  | 'output'
  | 'interrupted'
  | 'fault';

/** A cell that cannot be read: its column, and the place of its record in the listing, from 1, with its number. */
export interface UnreadableCell {
  readonly column: string;
  readonly place: number;
  readonly number: string | undefined;
}

/** What a finding says, as values: for a view that words it anew, such as a page in another language. */
export type FindingDetails =
  | {
      readonly code: 'records missing';
      readonly delivered: number;
      /** Places in the listing that the service does not serve, from 1. */
      readonly unserved: readonly number[];
      /** Why others may be missing, too: see `IncompleteReason`. */
      readonly reason: 'changing' | 'order' | 'unsteady' | 'total' | 'repeating' | 'more' | 'ids' | undefined;
    }
  /** Records that are left out because cells of theirs cannot be read: how many, and the first of the cells. */
  | { readonly code: 'unreadable'; readonly count: number; readonly cells: readonly UnreadableCell[] }
  /** No record has a column of this role. */
  | { readonly code: 'column missing'; readonly role: string; readonly columns: readonly string[] }
  /** Fiscal IDs that match nobody, as the user typed them. */
  | { readonly code: 'unknown ids'; readonly ids: readonly string[] }
  /** What the service says beside the records, in its own words. */
  | { readonly code: 'service says'; readonly words: string };

/**
 * What a run has to tell besides its records. Whoever finds something makes a finding; standard error, the receipt, pages and the
 * exit code are views of them.
 */
export interface Finding {
  /**
   * For whom it is: a `failure` decides the exit code; a `warning`, and an `answer`, which stands beside the records, are for every
   * user; a `remark` is for one who watches; a `fact` is for the receipt alone.
   */
  readonly level: 'failure' | 'warning' | 'answer' | 'remark' | 'fact';
  /** Of a failure. */
  readonly kind?: FailureKind;
  /** A clause in English, without a full stop. Empty for a fact. */
  readonly text: string;
  /** What the user can do about it, as a whole sentence. */
  readonly hint?: string | undefined;
  readonly details?: FindingDetails | undefined;
  /** The part of the run that it is about, where there are several. */
  readonly part?: string;
  /** How many records could not be judged, for lack of what: a member `missing` of the receipt. */
  readonly missing?: Readonly<Record<string, number>>;
  /** Further members of the receipt. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** The first failure among what was found. */
export function failureIn(findings: readonly Finding[]): Finding | undefined {
  return findings.find(({ level }) => level === 'failure');
}
