import type { RequestEvent } from '../../api/request-event.ts';
import type { WalkEvent } from '../../paging/page.ts';

/** Where a walk stands, gathered from what happens to it. Counts are of records unless they say else. */
export class Standing {
  /** Of the organization, where there are several. */
  readonly name: string | undefined;
  /** Milliseconds since 1970. */
  startedAt: number;
  records = 0;
  pages = 0;
  retries = 0;
  shrinks = 0;
  /** Rounds of reading again what may have moved. */
  rereads = 0;
  /** Until when nothing is asked for, in milliseconds since 1970. */
  waitsUntil = 0;
  /** The most that is wanted, for a limit. */
  limit: number | undefined;
  state: 'waiting' | 'running' | 'done' | 'failed' = 'waiting';
  #total: number | undefined;
  readonly #inFlight = new Set<number>();

  constructor(name: string | undefined, startedAt: number) {
    this.name = name;
    this.startedAt = startedAt;
  }

  /** Calls in flight. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** How many records there will be, as far as the service has said. */
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
    else {
      this.pages++;
      this.#total = event.total ?? this.#total;
      // What is read again was counted before.
      if (this.rereads === 0) this.records = Math.min(this.records + event.records, this.goal ?? Infinity);
    }
  }

  /** @param now milliseconds since 1970 */
  asked(event: RequestEvent, now: number): void {
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
