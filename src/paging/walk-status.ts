import type { IncompleteReason } from '../findings.ts';
import type { RefusalReason } from './page.ts';

/**
 * An event of a walk, for the lines of --debug: it may explain why a record is missing, comes late or twice. `at` is the offset
 * of a record, from 0.
 * - `shrink`: a page was refused, and its records are requested in smaller pages;
 * - `slow`: a page took too long, and is requested once more as it was;
 * - `give up`: a record is not served even alone, so it is left out;
 * - `repeat`: records came that had come before, and were left out;
 * - `reread`: pages did not hold together, or records may be missing, so parts or all of the listing are read again.
 */
export type WalkEvent =
  | {
      readonly kind: 'shrink';
      /** Undefined where pages have cursors. */
      readonly at?: number | undefined;
      readonly from: number;
      readonly to: number;
      readonly reason: RefusalReason;
    }
  | { readonly kind: 'slow'; readonly at?: number | undefined; readonly size: number }
  | { readonly kind: 'give up'; readonly at: number }
  | { readonly kind: 'repeat'; readonly records: number }
  | { readonly kind: 'reread'; readonly round: number; readonly reason?: IncompleteReason | undefined };

const COUNTS_OF_CALLS = ['pages', 'shrinks', 'slowPages', 'repeats', 'rereads'] as const;

/** The state of a walk: for its progress, its receipt and its exit code. */
export class WalkStatus {
  /** Records delivered, each once. */
  records = 0;
  pages = 0;
  /** Pages that were refused and requested again in smaller ones. */
  shrinks = 0;
  /** Pages that were slow and requested again as they were. */
  slowPages = 0;
  /** Records that came again and were left out. */
  repeats = 0;
  /** Rounds of reading again, because pages did not hold together. */
  rereads = 0;
  totalAtStart: number | undefined;
  totalAtEnd: number | undefined;
  /** True when the last page of a listing of cursors came, and every record was delivered: there are no more. */
  isAtEnd = false;
  /** True when the listing was seen to change: pages came with different totals, or do not hold together. */
  drift = false;
  /** True when several pages were read in an order whose key can change, so that a record may have changed its place. */
  orderMayMove = false;
  /** Offsets of the records that the service does not serve, even alone. */
  readonly givenUp = new Set<number>();
  /** How many records may be missing, at least. */
  incomplete = 0;
  /** Why they may be missing; undefined where none may be. */
  reason: IncompleteReason | undefined;

  readonly #observe: (event: WalkEvent) => void;

  constructor(observe: (event: WalkEvent) => void = () => {}) {
    this.#observe = observe;
  }

  /** Counts a page that came, with the total that it names. */
  page(total?: number): void {
    this.pages++;
    this.totalAtStart ??= total;
    this.totalAtEnd = total ?? this.totalAtEnd;
  }

  /** The status of one of several walks that make up this one. Its events are also events of this one. */
  subwalk(): WalkStatus {
    return new WalkStatus(this.#observe);
  }

  /** Adds the status of a subwalk that has ended, but for its records: these are counted where they are delivered. */
  addSubwalk(subwalk: WalkStatus): void {
    this.addCalls(subwalk);
    const before = this.totalAtEnd ?? 0;
    for (const offset of subwalk.givenUp) this.givenUp.add(before + offset);
    this.totalAtStart = (this.totalAtStart ?? 0) + (subwalk.totalAtStart ?? 0);
    this.totalAtEnd = before + (subwalk.totalAtEnd ?? 0);
    this.drift ||= subwalk.drift;
    this.orderMayMove ||= subwalk.orderMayMove;
    this.setIncomplete(this.incomplete + subwalk.incomplete, this.reason ?? subwalk.reason);
  }

  /** Adds what a subwalk took, where its records do not count. */
  addCalls(subwalk: WalkStatus): void {
    for (const count of COUNTS_OF_CALLS) this[count] += subwalk[count];
  }

  shrink(refused: Omit<WalkEvent & { readonly kind: 'shrink' }, 'kind'>): void {
    this.shrinks++;
    this.#observe({ kind: 'shrink', ...refused });
  }

  /** @param at the offset of the first record; undefined where pages have cursors */
  slowPage(size: number, at?: number): void {
    this.slowPages++;
    this.#observe({ kind: 'slow', at, size });
  }

  giveUp(offset: number): void {
    this.givenUp.add(offset);
    this.#observe({ kind: 'give up', at: offset });
  }

  repeat(records: number): void {
    if (records === 0) return;
    this.repeats += records;
    this.#observe({ kind: 'repeat', records });
  }

  /** Counts records no more as repeats: they turned out to be others, equal to those that came before. */
  takeBackRepeats(records: number): void {
    this.repeats -= records;
  }

  reread(): void {
    this.rereads++;
    this.#observe({ kind: 'reread', round: this.rereads, reason: this.reason });
  }

  /** Sets how many records may be missing, and why. */
  setIncomplete(records: number, reason: IncompleteReason | undefined): void {
    this.incomplete = records;
    this.reason = records === 0 ? undefined : reason;
  }

  /** False when something may be missing. */
  get complete(): boolean {
    return this.givenUp.size === 0 && this.incomplete === 0;
  }
}
