import type { ApiClient, RequestEvent } from '../api/client.ts';
import type { Clock } from '../context.ts';
import { IncompleteError, type FolioError } from '../errors.ts';
import type { Destination } from '../output/files/destination.ts';
import { WalkStatus, type WalkEvent } from '../paging/walk-status.ts';
import type { Notices } from './notices.ts';
import type { OutputPlan } from './output-plan.ts';

/**
 * What is known of a part of a run so far, whether or not it was begun: progress and receipt tell of it, and whoever joins several
 * parts asks what became of each.
 */
export class PartState {
  /** Undefined where the run has one part, and for what joins several. */
  readonly name: string | undefined;
  readonly progress = new ProgressState();
  readonly status: WalkStatus;
  /** Whose token was used, once it is known. */
  session: AskedService | undefined;
  /** How the records are written, once it is known. */
  plan: OutputPlan | undefined;
  /** Where the records were written, once all of them were. */
  delivered: Destination | undefined;
  /** Records handed to the writer. */
  records = 0;
  /** Why the part is missing; where it is an IncompleteError, why it is not whole. */
  failure: FolioError | undefined;
  readonly #clock: Clock;
  readonly #notices: Notices;

  constructor(name: string | undefined, { clock, notices }: { clock: Clock; notices: Notices }) {
    this.name = name;
    this.#clock = clock;
    this.#notices = name === undefined ? notices : notices.about(name);
    this.status = new WalkStatus((event) => {
      this.progress.walked(event);
      this.#notices.walked(event);
    });
  }

  /** Notes a request, as it is sent and answered. */
  readonly requested = (event: RequestEvent): void => {
    this.progress.requested(event, this.#clock.now());
    this.#notices.requested(event);
  };
}

/** The service that a part asks, as receipts tell it. */
interface AskedService {
  readonly profile: string | undefined;
  readonly baseUrl: URL;
  readonly client: Pick<ApiClient, 'stats'>;
  /** When the token ends, in ms since 1970, in its last 14 days. */
  readonly tokenEndsSoon: number | undefined;
}

/** Whether there are records of the part, even if not all. */
export function hasRecords({ failure }: { readonly failure?: FolioError | undefined }): boolean {
  return failure === undefined || failure instanceof IncompleteError;
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
