import type { RequestEvent } from '../api/client.ts';
import type { Clock } from '../context.ts';
import type { FolioError } from '../errors.ts';
import type { Destination } from '../output/files/destination.ts';
import { WalkStatus, type WalkEvent } from '../paging/walk-status.ts';
import type { Notices, Written } from './notices.ts';
import type { OutputPlan } from './output-plan.ts';
import type { Session } from './session.ts';

/** What is known of a part of a run so far, for progress, receipt and the end of the run. */
export class PartState {
  /** Undefined where the run has one part, and for what joins several. */
  readonly name: string | undefined;
  readonly notices: Notices;
  readonly status: WalkStatus;
  stage: 'waiting' | 'running' | 'done' | 'failed' = 'waiting';
  /** Milliseconds since 1970. */
  startedAt = 0;
  /** The most records that are read. */
  limit: number | undefined;
  /** How far it is, by the events of its walk and requests. */
  readonly progress = {
    records: 0,
    pages: 0,
    retries: 0,
    shrinks: 0,
    rereads: 0,
    inFlight: new Set<number>(),
  };
  /** No request is sent before this time, in milliseconds since 1970. */
  waitsUntil = 0;
  /** Whose records they are, where no session says it; once it is known. */
  owner: string | undefined;
  /** The fiscal IDs whose records are read; none for those of all, or before that is known. */
  fiscalIds: readonly string[] = [];
  /** Whether its records have a column with their profile. */
  hasProfileColumn = false;
  /** Whose token was used, once it is known. */
  session: Pick<Session, 'profile' | 'baseUrl' | 'client' | 'token'> | undefined;
  plan: OutputPlan | undefined;
  /** Where the records were written, once all of them were. */
  delivered: Destination | undefined;
  /** What the source itself has written, such as files, for the closing line. */
  written: Written | undefined;
  /** Records handed to the writer. */
  records = 0;
  /** Why the part is missing; where it is an IncompleteError, why it is not whole. */
  failure: FolioError | undefined;
  #total: number | undefined;
  readonly #clock: Clock;

  constructor(name: string | undefined, { clock, notices }: { clock: Clock; notices: Notices }) {
    this.name = name;
    this.notices = name === undefined ? notices : notices.forPart(name);
    this.status = new WalkStatus((event) => this.#walked(event));
    this.#clock = clock;
  }

  begin(): void {
    this.stage = 'running';
    this.startedAt = this.#clock.now();
  }

  /** How many records will come, as far as is known. */
  get goal(): number | undefined {
    const { limit = Infinity } = this;
    const most = Math.min(this.#total ?? Infinity, limit);
    return this.#total === undefined ? undefined : most;
  }

  #walked(event: WalkEvent): void {
    const { progress } = this;
    this.notices.walked(event);
    if (event.kind === 'shrink') progress.shrinks++;
    else if (event.kind === 'reread') progress.rereads = event.round;
    else if (event.kind === 'page') {
      progress.pages++;
      this.#total = event.total ?? this.#total;
      // Records that are read again were counted before.
      if (progress.rereads === 0)
        progress.records = Math.min(progress.records + event.records, this.goal ?? Infinity);
    }
  }

  readonly requested = (event: RequestEvent): void => {
    const { inFlight } = this.progress;
    this.notices.requested(event);
    if (event.kind === 'request') inFlight.add(event.request);
    else if (event.kind === 'response') inFlight.delete(event.request);
    else {
      this.waitsUntil = Math.max(this.waitsUntil, this.#clock.now() + event.wait);
      inFlight.delete(event.request);
      this.progress.retries++;
    }
  };
}
