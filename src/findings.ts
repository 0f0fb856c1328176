/**
 * What a failure means for the user; `cli/exit-codes.ts` has the exit code of each:
 * - `usage`: the command line or the query is wrong;
 * - `auth`: there is no token, or the service refuses it;
 * - `not-found`: the customer, fund or fiscal ID does not exist;
 * - `service`: the service or the network failed after all retries, the answer made no sense, or the address is not the
 *   service's;
 * - `incomplete`: something was delivered, but not all;
 * - `differs`: all was delivered, and two sides that should be equal are not;
 * - `output`: the result could not be written;
 * - `interrupted`: the user or the system stopped the run;
 * - `fault`: a bug in folio, or a file that it cannot read.
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

/**
 * Why records may be missing:
 * - `changing`: the listing kept changing while it was read;
 * - `order`: the service's order changes from request to request;
 * - `unsteady`: pages do not hold together, and no total shows why;
 * - `adjoining`: pages do not overlap, and two readings did not show the same;
 * - `total`: the service names a higher total than it serves;
 * - `repeating`: page after page brought records that had come before;
 * - `more`: more records came than the service names, so that some of them are one record before and after a change;
 * - `ids`: of a list of fiscal IDs, the service may have read a part.
 */
export type IncompleteReason =
  | 'changing'
  | 'order'
  | 'unsteady'
  | 'adjoining'
  | 'total'
  | 'repeating'
  | 'more'
  | 'ids';

/** A finding as values, for a view with its own words, such as a page in another language. */
export type FindingDetails =
  | {
      readonly code: 'records missing';
      readonly delivered: number;
      /** Positions in the listing that the service does not serve, from 1. */
      readonly unserved: readonly number[];
      /** Why others may be missing, too. */
      readonly reason: IncompleteReason | undefined;
    }
  /** Records that are left out because cells of theirs cannot be read: how many, and the first of the cells. */
  | { readonly code: 'unreadable'; readonly count: number; readonly cells: readonly UnreadableCell[] }
  /** No source of the page has the records of this listing. */
  | { readonly code: 'no source' }
  /** No record has a column of this role. */
  | { readonly code: 'column missing'; readonly role: string; readonly columns: readonly string[] }
  /** Unknown fiscal IDs, as the user typed them. */
  | { readonly code: 'unknown ids'; readonly ids: readonly string[] }
  /** The records are of an earlier moment, in ISO 8601. */
  | { readonly code: 'as of'; readonly readAt: string }
  /** There are more rows than are shown. */
  | { readonly code: 'more rows' }
  /** A message of the service beside the records. */
  | { readonly code: 'service says'; readonly words: string };

/** A result of a run besides its records. Standard error, the receipt, pages and the exit code are views of the findings. */
export interface Finding {
  /**
   * A `failure` decides the exit code; a `warning`, and an `answer`, which stands beside the records, are for every user; a
   * `remark` is for a user who watches; a `fact` is for the receipt alone.
   */
  readonly level: 'failure' | 'warning' | 'answer' | 'remark' | 'fact';
  /** Of a failure. */
  readonly kind?: FailureKind;
  /** A clause in English, without a full stop. Empty for a fact. */
  readonly text: string;
  /** What the user can do about it, as a whole sentence. */
  readonly hint?: string | undefined;
  readonly details?: FindingDetails | undefined;
  /** The part of the run, if there are several. */
  readonly part?: string;
  /** How many records lack which value, so that they could not be tested: the member `missing` of the receipt. */
  readonly missing?: Readonly<Record<string, number>>;
  /** Other members of the receipt. */
  readonly facts?: Readonly<Record<string, unknown>>;
}
