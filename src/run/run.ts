import type { RequestEvent } from '../api/client.ts';
import type { Clock, Context } from '../context.ts';
import { IncompleteError, type FolioError } from '../errors.ts';
import type { Destination } from '../output/files/destination.ts';
import { WalkStatus, type WalkEvent } from '../paging/walk-status.ts';
import type { GlobalFlags, OutputFlags, QuestionFlags, ReceiptFlags, RequestFlags } from './flags.ts';
import type { Notices } from './notices.ts';
import type { OutputPlan } from './output-plan.ts';
import type { ReadPath, WrittenPath } from './paths.ts';
import type { RunDay } from './run-day.ts';
import type { Session, SharedBySessions } from './session.ts';

/** The flags that concern a run as a whole: which service is asked and how, how much is said, and what columns mean. */
type RunFlags = GlobalFlags &
  RequestFlags &
  ReceiptFlags &
  Pick<QuestionFlags, 'field'> &
  Pick<OutputFlags, 'columns'>;

/** What a run begins with. */
export interface RunOptions {
  readonly flags: RunFlags;
  /** What is asked for, as receipts name it: `issued`. */
  readonly name: string;
  /** The same in the plural, for progress: `issued invoices`. */
  readonly records: string;
  /** What it reads besides the token file and the store: none of it is ever written over. */
  readonly reads?: readonly ReadPath[] | undefined;
  /** Where the records go, as given to -o. The receipt names it. */
  readonly output?: string | undefined;
  /** The folder that gets a file for each part, as given to --output-dir. It is made if need be. */
  readonly folder?: string | undefined;
  /** What else it writes: a database, or the files of that folder, whose receipts are those of their parts. */
  readonly files?: readonly WrittenPath[] | undefined;
  /** Where the run has several parts, their names, in the order of progress and receipt. */
  readonly parts?: readonly string[] | undefined;
  /** What the parts are: profiles, unless given. */
  readonly partKind?: 'profiles' | 'listings' | undefined;
}

/** A run: what all its parts share. */
export interface Run {
  /** Its standard output removes the progress from the same terminal with the first byte. */
  readonly context: Context;
  readonly flags: RunFlags;
  readonly notices: Notices;
  /** What is known of the only part, or of what joins all of them. */
  readonly whole: PartState;
  /** The parts, where there are several, in their order. */
  readonly parts: readonly PartState[];
  readonly shared: SharedBySessions;
  readonly day: RunDay;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** What is known of the part of this name; without one, of the only part, or of what joins all. */
export function stateOf({ whole, parts }: Pick<Run, 'whole' | 'parts'>, name: string | undefined): PartState {
  return parts.find((part) => part.name === name) ?? whole;
}

/**
 * What is known of a part of a run so far, whether or not it was begun: progress and receipt tell of it, and whoever joins several
 * parts asks what became of each.
 */
export class PartState {
  /** Undefined where the run has one part, and for what joins several. */
  readonly name: string | undefined;
  readonly notices: Notices;
  readonly progress = new ProgressState();
  readonly status: WalkStatus;
  /** Whose records they are, where its parts are listings of one organization; once it is known. */
  owner: string | undefined;
  /** Whose token was used, once it is known. */
  session: Pick<Session, 'profile' | 'baseUrl' | 'client' | 'tokenEndsSoon'> | undefined;
  /** How the records are written, once it is known. */
  plan: OutputPlan | undefined;
  /** Where the records were written, once all of them were. */
  delivered: Destination | undefined;
  /** Records handed to the writer. */
  records = 0;
  /** Why the part is missing; where it is an IncompleteError, why it is not whole. */
  failure: FolioError | undefined;
  /** Notes a request, as it is sent and answered. */
  readonly requested: (event: RequestEvent) => void;

  constructor(name: string | undefined, { clock, notices }: { clock: Clock; notices: Notices }) {
    this.name = name;
    this.notices = name === undefined ? notices : notices.about(name);
    this.status = new WalkStatus((event) => {
      this.progress.walked(event);
      this.notices.walked(event);
    });
    this.requested = (event) => {
      this.progress.requested(event, clock.now());
      this.notices.requested(event);
    };
  }
}

/** How far a part is, computed from the events of its walk and requests. */
export class ProgressState {
  /** Milliseconds since 1970. */
  startedAt = 0;
  records = 0;
  pages = 0;
  retries = 0;
  shrinks = 0;
  /** How often the walk read again what may have moved. */
  rereads = 0;
  /** No request is sent before this time, in milliseconds since 1970. */
  waitsUntil = 0;
  /** The most records that are wanted. */
  limit: number | undefined;
  state: 'waiting' | 'running' | 'done' | 'failed' = 'waiting';
  #total: number | undefined;
  readonly #inFlight = new Set<number>();

  /** Requests in flight. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** How many records will come, as far as is known. */
  get goal(): number | undefined {
    if (this.limit === undefined) return this.#total;
    return this.#total === undefined ? undefined : Math.min(this.#total, this.limit);
  }

  begin(now: number): void {
    this.state = 'running';
    this.startedAt = now;
  }

  walked(event: WalkEvent): void {
    if (event.kind === 'shrink') this.shrinks++;
    else if (event.kind === 'reread') this.rereads = event.round;
    else if (event.kind === 'page') {
      this.pages++;
      this.#total = event.total ?? this.#total;
      // Records that are read again were counted before.
      if (this.rereads === 0) this.records = Math.min(this.records + event.records, this.goal ?? Infinity);
    }
  }

  /** @param now milliseconds since 1970 */
  requested(event: RequestEvent, now: number): void {
    if (event.kind === 'request') this.#inFlight.add(event.request);
    else if (event.kind === 'response') this.#inFlight.delete(event.request);
    else {
      this.waitsUntil = Math.max(this.waitsUntil, now + event.wait);
      if (event.kind === 'throttled') return;
      this.#inFlight.delete(event.request);
      this.retries++;
    }
  }
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

interface OutcomeWords {
  /** What the parts are: `profiles`. */
  readonly what: string;
  /** What became of those that failed, where others did not: `left as they were`. */
  readonly lack: string;
  /** What to do, where the failures have no hint in common. */
  readonly hint?: string | undefined;
}

/**
 * How a run of several parts ends: without a failure where all are whole; else with one that names those that are not, with their
 * reasons, or with the failure that all have in common. Where nothing was had of any, it is of the kind of the first, and so is the
 * exit code; else it is an IncompleteError.
 */
export function outcomeOf(
  results: readonly PartResult[],
  { what, lack, hint }: OutcomeWords,
): FolioError | undefined {
  const failed = results.flatMap(({ name = '', failure }) => (failure ? [{ name, failure }] : []));
  const first = failed[0]?.failure;
  if (first === undefined) return undefined;
  const parts = failed.map(({ name, failure }) => ({ name, reason: failure.message }));
  const hasCommonHint = failed.every(({ failure }) => failure.hint === first.hint);
  const advice = hasCommonHint ? (first.hint ?? hint) : (hint ?? first.hint);
  const isCommon = failed.every(({ failure }) => failure.message === first.message);
  if (failed.length === results.length && isCommon) return first;
  const isNone = !results.some(hasRecords);
  const count = isNone ? `none of ${results.length}` : `${failed.length} of ${results.length}`;
  const says = isNone ? `${count} ${what}` : `${count} ${what} ${lack}`;
  const lines = [says, ...parts.map(({ name, reason }) => `${name}: ${reason}`)];
  const text = `${says}: ${reasonsOf(parts)}`;
  return isNone
    ? first.reworded(text, advice, lines)
    : new IncompleteError(text, { hint: advice, cause: first, lines });
}

/** The same, thrown. */
export function checkResults(results: readonly PartResult[], words: OutcomeWords): void {
  const failure = outcomeOf(results, words);
  if (failure !== undefined) throw failure;
}

/** How profiles that are missing, or not whole, are told. */
export function wordsOfProfiles(results: readonly PartResult[]): OutcomeWords {
  const failed = results.filter(({ failure }) => failure !== undefined);
  const names = failed.map(({ name }) => name);
  return {
    what: 'profiles',
    lack: failed.every(hasRecords) ? 'not whole' : 'missing',
    hint: `Run \`folio doctor --profile ${names[0]}\` to see what to fix there; to run these again, use --profile ${names.join(',')}.`,
  };
}

/** Each reason once, behind the names of the parts that it is about: of a dozen that fail, most fail for the same. */
function reasonsOf(parts: readonly { readonly name: string; readonly reason: string }[]): string {
  const names = new Map<string, string[]>();
  for (const { name, reason } of parts) names.set(reason, [...(names.get(reason) ?? []), name]);
  return [...names].map(([reason, those]) => `${those.join(', ')}: ${reason}`).join('; ');
}
