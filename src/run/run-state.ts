import type { RequestEvent } from '../api/client.ts';
import type { Clock } from '../context.ts';
import type { FolioError } from '../errors.ts';
import { formatDay, localDay, localMinute } from '../json/calendar-day.ts';
import type { Destination } from '../output/files/destination.ts';
import { WalkStatus } from '../paging/walk-status.ts';
import { compareOrders } from '../query/cell-order.ts';
import type { RecordNote } from '../report/page-frame.ts';
import type { Notices, Written } from './notices.ts';
import type { OutputPlan } from './output-plan.ts';
import type { Session } from './session.ts';

/** What is known of a part of a run so far, for progress, receipt and the end of the run. */
export class PartState {
  /** Undefined where the run has one part, and for what joins several. */
  readonly name: string | undefined;
  readonly notices: Notices;
  readonly status: WalkStatus;
  stage: 'waiting' | 'running' | 'ended' = 'waiting';
  /** Milliseconds since 1970. */
  startedAt = 0;
  /** The most records that are read. */
  limit: number | undefined;
  /** The requests that are sent and not answered. */
  readonly inFlight = new Set<number>();
  /** No request is sent before this time, in milliseconds since 1970. */
  waitsUntil = 0;
  /** The owner of the records, if there is no session, once it is known. */
  owner: string | undefined;
  /** What is read, once the part is open: the fiscal IDs, and whether the records have a column with their profile. */
  source: { readonly fiscalIds?: readonly string[]; readonly hasProfileColumn?: boolean } = {};
  /** The session whose token was used, once it is open. */
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
  readonly #clock: Clock;

  constructor(name: string | undefined, { clock, notices }: { clock: Clock; notices: Notices }) {
    this.name = name;
    this.notices = name === undefined ? notices : notices.forPart(name);
    this.status = new WalkStatus((event) => this.notices.walked(event));
    this.#clock = clock;
  }

  readonly requested = (event: RequestEvent): void => {
    this.notices.requested(event);
    if (event.kind === 'request') this.inFlight.add(event.request);
    else this.inFlight.delete(event.request);
    if (event.kind === 'retry') this.waitsUntil = Math.max(this.waitsUntil, this.#clock.now() + event.wait);
  };
}

/** The states of the parts of a run, or of its only one. */
export function statesOf({ whole, parts }: RunStates): readonly PartState[] {
  return parts.length > 0 ? parts : [whole];
}

/** The state of the part of this name; without one, of the only part, or of what joins all. */
export function stateOf({ whole, parts }: RunStates, name: string | undefined): PartState {
  return parts.find((part) => part.name === name) ?? whole;
}

interface RunStates {
  readonly whole: PartState;
  readonly parts: readonly PartState[];
}

/** A stored copy of records: an export, or a listing in a database. */
export interface Origin {
  /** A clause: `books.db has the issued invoices`. */
  readonly shown: string;
  /** When the last of them was read, in ISO 8601, where that is known. */
  readonly readAt: string | undefined;
  /** The flags that left others out: `--limit 1`. */
  readonly only: readonly string[];
  /** The profiles of the records, if other records were read on another day. */
  readonly profiles?: readonly string[];
  /** The time in the future at which they claim to have been read. */
  readonly future?: string | undefined;
}

export type RunDay = ReturnType<typeof runDay>;

/**
 * The day from which `today`, `-30d`, `last-month`, overdue and ages count: that of `--as-of`, else the oldest on which records
 * were read; for the service, today. Days count from 1970-01-01.
 *
 * @param startedAt milliseconds since 1970
 * @param asOf the day of `--as-of`
 */
export function runDay(startedAt: number, notices: Notices, asOf?: number) {
  const today = (): number => localDay(startedAt);
  const all: Origin[] = [];
  let isUndatedSaid = false;

  const dayOfRecords = (): number => Math.min(today(), ...daysOf(all));

  const areOfSeveralDays = (): boolean => new Set(daysOf(all)).size > 1;

  const warnOfUndated = (day: number): void => {
    if (isUndatedSaid) return;
    isUndatedSaid = true;
    for (const { shown, future } of all.filter(({ readAt }) => readAt === undefined)) {
      const why = future
        ? `since ${localMinute(future)} is in the future`
        : 'which --receipt beside would have recorded';
      const text = `${shown}, but it is unknown when they were read, ${why}`;
      notices.warn(`${text}: days count from ${formatDay(day)}`);
    }
  };

  /** The day from which an answer counts. Warns if the records were read before today; `countedTo` warns for --as-of. */
  const dayWithWarning = (): number => {
    const day = dayOfRecords();
    if (asOf !== undefined && asOf !== day) return asOf;
    warnOfUndated(day);
    const read = areOfSeveralDays() ? 'oldest records' : 'records';
    if (day < today()) notices.warn(`days count from ${formatDay(day)}, when the ${read} were read`);
    return day;
  };

  return {
    dayWithWarning,
    get day() {
      return dayOfRecords();
    },
    /** For pages: what limits the figures. */
    get caveats(): readonly RecordNote[] {
      return [
        ...(all.some(({ readAt }) => readAt === undefined) ? (['undated'] as const) : []),
        ...(areOfSeveralDays() ? (['newer'] as const) : []),
        ...(all.some(({ only }) => only.length > 0) ? (['part'] as const) : []),
      ];
    },
    /** Adds origins of records, and reports when the records were read. A time in the future counts as unknown. */
    add(origins: readonly Origin[]): void {
      for (const origin of origins) {
        const { shown, readAt } = origin;
        const [day = Infinity] = daysOf([origin]);
        all.push(day > today() ? { ...origin, readAt: undefined, future: readAt } : origin);
        if (day > today()) continue;
        const text = `${shown} as of ${localMinute(readAt!)}`;
        const details = { code: 'as of', readAt: readAt! } as const;
        notices.add(
          day < today()
            ? { level: 'warning', text: `${text}, not as of today`, details }
            : { level: 'remark', text: `${text}.`, details },
        );
      }
    },
    /** The day to which a report counts: the last day of its period, or the day of the records if the period is not over. */
    endOf({ last }: { readonly last: number }): number {
      if (last >= dayOfRecords()) return dayWithWarning();
      warnOfUndated(last);
      return last;
    },
    /** The day to which a statement or a report counts: that of --as-of, with a warning, else that of the records. */
    countedTo(): number {
      const [counted, day] = [dayWithWarning(), dayOfRecords()];
      if (asOf === undefined || counted === day) return counted;
      const lack = counted < day ? 'later payments are not undone' : 'what came since is not in them';
      notices.warn(`counts to ${formatDay(counted)} with balances of ${formatDay(day)}: ${lack}`);
      return counted;
    },
    /** For receipts: when the oldest records of a profile, or of all, were read, and the flags that left others out. */
    facts(profile: string | undefined) {
      const origins = all.filter(
        ({ profiles }) => profile === undefined || profiles?.includes(profile) !== false,
      );
      if (origins.length === 0) return {};
      const times = origins.map(({ readAt }) => readAt);
      const isDated = times.every((time) => time !== undefined);
      const readAt = isDated ? times.toSorted(compareOrders)[0] : null;
      return { readAt, only: [...new Set(origins.flatMap(({ only }) => only))] };
    },
  };
}

function daysOf(origins: readonly Origin[]): number[] {
  return origins.flatMap(({ readAt }) => (readAt === undefined ? [] : localDay(Date.parse(readAt))));
}
