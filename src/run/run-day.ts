import type { Clock } from '../context.ts';
import { formatDay, localDay, localMinute } from '../json/calendar-day.ts';
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
  #isUndatedSaid = false;

  constructor(clock: Clock, notices: Notices) {
    this.#now = localDay(clock.now());
    this.#notices = notices;
  }

  /** Takes in where records come from, and says of when they are. A moment to come says nothing. */
  add(origins: readonly Origin[]): void {
    for (const origin of origins) {
      const { shown, readAt } = origin;
      const [day = Infinity] = daysOf([origin]);
      this.#origins.push(day > this.#now ? { ...origin, readAt: undefined } : origin);
      if (day < this.#now) this.#notices.warn(`${shown} as of ${localMinute(readAt!)}, not as of today`);
      else if (day === this.#now) this.#notices.remark(`${shown} as of ${localMinute(readAt!)}.`);
    }
  }

  /** In days since 1970-01-01. */
  get day(): number {
    return Math.min(this.#now, ...daysOf(this.#origins));
  }

  /** The same where an answer depends on it, and then said, unless it is today. */
  get today(): number {
    const { day, notes } = this;
    this.#warnOfUndated(day);
    const read = notes.includes('newer') ? 'oldest records' : 'records';
    if (day < this.#now) this.#notices.warn(`days count from ${formatDay(day)}, when the ${read} were read`);
    return day;
  }

  /** The day to which a report of a period counts: its last, or that of the records where it is not over. */
  endOf(period: { readonly last: number }): number {
    if (period.last >= this.day) return this.today;
    this.#warnOfUndated(period.last);
    return period.last;
  }

  #warnOfUndated(day: number): void {
    if (this.#isUndatedSaid) return;
    this.#isUndatedSaid = true;
    for (const { shown } of this.#origins.filter(({ readAt }) => readAt === undefined)) {
      const says = `${shown}, and nothing says when they were read, as --receipt beside would have done`;
      this.#notices.warn(`${says}: days count from ${formatDay(day)}`);
    }
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
      newer: new Set(daysOf(this.#origins)).size > 1,
      part: this.#origins.some(({ only }) => only.length > 0),
    };
    return (['undated', 'newer', 'part'] as const).filter((note) => all[note]);
  }

  /** What a receipt says of records that were brought before: when the oldest were read, of a profile or of all, and what left others out. */
  facts(profile: string | undefined): Readonly<Record<string, unknown>> {
    const isMeant = ({ profiles }: Origin): boolean =>
      profile === undefined || profiles?.includes(profile) !== false;
    const origins = this.#origins.filter(isMeant);
    if (origins.length === 0) return {};
    const times = origins.map(({ readAt }) => readAt);
    const isDated = times.every((time) => time !== undefined);
    const readAt = isDated ? times.toSorted(compareOrders)[0] : null;
    return { readAt, only: [...new Set(origins.flatMap(({ only }) => only))] };
  }
}

/** The days of those that say when they were read. */
function daysOf(origins: readonly Origin[]): number[] {
  return origins.flatMap(({ readAt }) => (readAt === undefined ? [] : localDay(Date.parse(readAt))));
}
