import type { WalkEvent } from './page.ts';

/** What became of a walk: for its progress, its receipt and its exit code. Counts are of records unless they say else. */
export class WalkStatus {
  /** Given, each once. */
  records = 0;
  pages = 0;
  /** Pages that were refused and asked for again in smaller pieces. */
  shrinks = 0;
  /** Came a second time and were left out. */
  repeats = 0;
  /** Rounds of reading again, because the listing had moved. */
  rereads = 0;
  totalAtStart: number | undefined;
  totalAtEnd: number | undefined;
  /** True when the listing was seen to change: pages came with different totals, or do not hold together. */
  drift = false;
  /** Offsets of records that the service does not serve even alone. */
  readonly unreadable = new Set<number>();
  /** May be missing, because the listing would not keep still or its total is not met. */
  inDoubt = 0;

  readonly #observe: (event: WalkEvent) => void;

  constructor(observe: (event: WalkEvent) => void = () => {}) {
    this.#observe = observe;
  }

  page(records: number, total: number | undefined): void {
    this.pages++;
    if (total !== undefined) {
      this.totalAtStart ??= total;
      this.totalAtEnd = total;
    }
    this.#observe({ kind: 'page', records, total });
  }

  /** Takes over what an earlier walk, which this one continues, had come to. */
  takeOver(
    earlier: Pick<WalkStatus, 'records' | 'totalAtStart' | 'drift'> & { unreadable: Iterable<number> },
  ): void {
    this.records = earlier.records;
    this.totalAtStart = earlier.totalAtStart;
    this.drift = earlier.drift;
    for (const offset of earlier.unreadable) this.unreadable.add(offset);
  }

  /** Gives up what was found of the records: the walk begins anew. What it cost so far stays. */
  beginAnew(): void {
    this.records = 0;
    this.totalAtStart = undefined;
    this.totalAtEnd = undefined;
    this.drift = false;
    this.unreadable.clear();
  }

  shrink(from: number, to: number, reason: 'large' | 'slow'): void {
    this.shrinks++;
    this.#observe({ kind: 'shrink', from, to, reason });
  }

  cannotRead(offset: number): void {
    this.unreadable.add(offset);
  }

  reread(): void {
    this.rereads++;
    this.#observe({ kind: 'reread', round: this.rereads });
  }

  /** False when something that was asked for may be missing. */
  get complete(): boolean {
    return this.unreadable.size === 0 && this.inDoubt === 0;
  }
}
