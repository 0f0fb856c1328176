import { formatDay, localDay, localMinute } from '../json/calendar-day.ts';
import { compareOrders } from '../query/cell-order.ts';
import type { RecordNote } from '../report/page-frame.ts';
import type { Notices } from './notices.ts';

/** What has records that were read earlier: an export, or a listing in a database. */
export interface Origin {
  /** A clause: `books.db has the issued invoices`. */
  readonly shown: string;
  /** When the last of them was read, in ISO 8601, where that is known. */
  readonly readAt: string | undefined;
  /** The flags that left others out: `--limit 1`. */
  readonly only: readonly string[];
  /** Whose records they are, where others are of another day. */
  readonly profiles?: readonly string[];
}

/**
 * The day from which `today`, `-30d`, `last-month`, overdue and ages count: that of `--as-of`, else the oldest on which records were
 * read; for the service, today.
 */
export class RunDay {
  readonly #startedAt: number;
  readonly #asOf: number | undefined;
  readonly #notices: Notices;
  readonly #origins: Origin[] = [];
  #isUndatedSaid = false;

  /**
   * @param startedAt milliseconds since 1970
   * @param asOf the day of `--as-of`, in days since 1970-01-01
   */
  constructor(startedAt: number, notices: Notices, asOf?: number) {
    this.#startedAt = startedAt;
    this.#asOf = asOf;
    this.#notices = notices;
  }

  get #now(): number {
    return localDay(this.#startedAt);
  }

  /** Adds origins of records, and reports of when they are. A moment in the future counts as unknown. */
  add(origins: readonly Origin[]): void {
    for (const origin of origins) {
      const { shown, readAt } = origin;
      const [day = Infinity] = daysOf([origin]);
      this.#origins.push(day > this.#now ? { ...origin, readAt: undefined } : origin);
      if (day > this.#now) continue;
      const text = `${shown} as of ${localMinute(readAt!)}`;
      const details = { code: 'as of', readAt: readAt! } as const;
      this.#notices.add(
        day < this.#now
          ? { level: 'warning', text: `${text}, not as of today`, details }
          : { level: 'remark', text: `${text}.`, details },
      );
    }
  }

  /** The day of the records, in days since 1970-01-01. */
  get day(): number {
    return Math.min(this.#now, ...daysOf(this.#origins));
  }

  /** The day from which an answer counts. Warns, unless it is today, or another than that of the records: `countedTo` warns of that. */
  dayWithWarning(): number {
    const { day, caveats } = this;
    if (this.#asOf !== undefined && this.#asOf !== day) return this.#asOf;
    this.#warnOfUndated(day);
    const read = caveats.includes('newer') ? 'oldest records' : 'records';
    if (day < this.#now) this.#notices.warn(`days count from ${formatDay(day)}, when the ${read} were read`);
    return day;
  }

  /** The day to which a report of a period counts: its last, or that of the records where it is not over. */
  endOf(period: { readonly last: number }): number {
    if (period.last >= this.day) return this.dayWithWarning();
    this.#warnOfUndated(period.last);
    return period.last;
  }

  #warnOfUndated(day: number): void {
    if (this.#isUndatedSaid) return;
    this.#isUndatedSaid = true;
    for (const { shown } of this.#origins.filter(({ readAt }) => readAt === undefined)) {
      const text = `${shown}, and nothing says when they were read, as --receipt beside would have done`;
      this.#notices.warn(`${text}: days count from ${formatDay(day)}`);
    }
  }

  /** The day to which a statement or a report counts: that of --as-of, with a warning, else that of the records. */
  countedTo(): number {
    const counted = this.dayWithWarning();
    if (this.#asOf === undefined || counted === this.day) return counted;
    const lack = counted < this.day ? 'later payments are not undone' : 'what came since is not in them';
    this.#notices.warn(`counts to ${formatDay(counted)} with balances of ${formatDay(this.day)}: ${lack}`);
    return counted;
  }

  /** For pages: what limits the figures. */
  get caveats(): readonly RecordNote[] {
    const all = {
      undated: this.#origins.some(({ readAt }) => readAt === undefined),
      newer: new Set(daysOf(this.#origins)).size > 1,
      part: this.#origins.some(({ only }) => only.length > 0),
    };
    return (['undated', 'newer', 'part'] as const).filter((note) => all[note]);
  }

  /** For receipts: when the oldest records of a profile, or of all, were read, and the flags that left others out. */
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

function daysOf(origins: readonly Origin[]): number[] {
  return origins.flatMap(({ readAt }) => (readAt === undefined ? [] : localDay(Date.parse(readAt))));
}
