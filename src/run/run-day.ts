import type { Clock } from '../context.ts';
import { formatDay, localDay } from '../json/calendar-day.ts';
import type { RecordNote } from '../report/invoice-figures.ts';
import { compareOrders } from '../query/cell-order.ts';
import type { Notices } from './notices.ts';

/** Records that were brought before: what has them, when they were read, and what left others out. */
export interface Origin {
  /** A clause: `books.db has the issued invoices`. */
  readonly shown: string;
  /** When the last of them was read, in ISO 8601; undefined where nothing says it. */
  readonly readAt: string | undefined;
  /** The flags with which a part of the listing was read: `--limit 1`. */
  readonly only: readonly string[];
  /** Whose records they are, where others are of another day. */
  readonly profiles?: readonly string[];
}

/**
 * The one day of a run: `today`, `-30d`, `last-month`, what is overdue and how old it is are all told from it. It is the day on which the
 * records were read, of several parts the oldest; for records of the service, the day that it is.
 */
export class RunDay {
  readonly #now: number;
  readonly #notices: Notices;
  readonly #origins: Origin[] = [];

  constructor(clock: Clock, notices: Notices) {
    this.#now = clock.now();
    this.#notices = notices;
  }

  /** Takes in where records come from, and says of when they are. A moment to come says nothing. */
  add(origins: readonly Origin[]): void {
    const now = localDay(this.#now);
    for (const origin of origins) {
      const { shown, readAt } = origin;
      const day = readAt === undefined ? Infinity : dayOf(readAt);
      this.#origins.push(day > now ? { ...origin, readAt: undefined } : origin);
      if (day < now) this.#notices.warn(`${shown} as of ${readAt}, not as of today`);
      else if (day === now) this.#notices.remark(`${shown} as of ${readAt}.`);
    }
  }

  /** In days since 1970-01-01. */
  get day(): number {
    return Math.min(localDay(this.#now), ...this.#days);
  }

  /** The same where an answer depends on it, and then said, unless it is today. */
  get today(): number {
    const { day } = this;
    for (const { shown, readAt } of this.#origins) {
      if (readAt !== undefined) continue;
      const says = `${shown}, and nothing says when they were read, as --receipt beside would have done`;
      this.#notices.warn(`${says}: days count from ${formatDay(day)}`);
    }
    if (day < localDay(this.#now))
      this.#notices.warn(`days count from ${formatDay(day)}, when the ${this.#oldest} were read`);
    return day;
  }

  /** The day to which a statement or a report counts: the one that is asked for, which is said, else that of the records. */
  countedTo(asked: number | undefined): number {
    if (asked === undefined || asked === this.day) return this.today;
    const lack = asked < this.day ? 'later payments are not undone' : 'what came since is not in them';
    this.#notices.warn(`counts to ${formatDay(asked)} with balances of ${formatDay(this.day)}: ${lack}`);
    return asked;
  }

  /** What pages say of the records. */
  get notes(): readonly RecordNote[] {
    const all = {
      undated: this.#origins.some(({ readAt }) => readAt === undefined),
      newer: new Set(this.#days).size > 1,
      part: this.#origins.some(({ only }) => only.length > 0),
    };
    return (Object.keys(all) as (keyof typeof all)[]).filter((note) => all[note]);
  }

  /**
   * What a receipt says of records that were brought before: when the oldest were read, and what left others out.
   *
   * @param profile whose records it is about; without it, all
   */
  facts(profile: string | undefined): Readonly<Record<string, unknown>> {
    const origins = this.#origins.filter(
      ({ profiles }) => profile === undefined || profiles?.includes(profile) !== false,
    );
    if (origins.length === 0) return {};
    const times = origins.map(({ readAt }) => readAt);
    const isDated = times.every((time) => time !== undefined);
    const readAt = isDated ? times.toSorted(compareOrders)[0] : null;
    return { readAt, only: [...new Set(origins.flatMap(({ only }) => only))] };
  }

  get #days(): number[] {
    return this.#origins.flatMap(({ readAt }) => (readAt === undefined ? [] : dayOf(readAt)));
  }

  get #oldest(): string {
    return this.notes.includes('newer') ? 'oldest records' : 'records';
  }
}

function dayOf(readAt: string): number {
  return localDay(Date.parse(readAt));
}
