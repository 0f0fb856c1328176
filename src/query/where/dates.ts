import { formatDay, parseCalendarDay } from '../../json/calendar-day.ts';
import { compareOrders } from '../cell-order.ts';
import { UsageError } from '../../errors.ts';
import { isPeriod, readBegunPeriod, readPeriod } from '../../invoices/periods.ts';

/** A date in a question: a day, month or year (`2026-11-21`, `2026-11`, `2026`), or a point in time. */
export type DateValue = { readonly period: string } | { readonly instant: Instant; readonly day: string };

interface Instant {
  /** Since 1970-01-01T00:00:00Z. */
  readonly seconds: number;
  /** The digits of the fraction of a second, without zeros at the end. */
  readonly fraction: string;
}

const RELATIVE = /^(?:today)?([+-]\d{1,5})([dw])$/;
const INSTANT =
  /^(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,18}))?)?(Z|[+-]\d{2}:?\d{2})?$/i;
const WORDS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };

/** A hint with the forms that `parseDate` reads. */
export const DATE_FORMS =
  'Write a date as 2026-11-21, 2026-11 (that month), 2026, today, -30d (30 days ago), +2w or 2026-11-21T10:00:00Z.';

/** The day to which `today` and `-30d` refer, in days since 1970-01-01. It is only called for such dates. */
export type DayOfQuestion = () => number;

/** Reads a date in one of the forms above; undefined for anything else. */
export function parseDate(text: string, today: DayOfQuestion): DateValue | undefined {
  const lower = text.trim().toLowerCase();
  const word = WORDS[lower];
  if (word !== undefined) return { period: formatDay(today() + word) };
  const [, distance, unit] = RELATIVE.exec(lower) ?? [];
  if (distance !== undefined)
    return { period: formatDay(today() + Number(distance) * (unit === 'w' ? 7 : 1)) };
  if (/^\d{4}(?:-\d{2}){0,2}$/.test(lower)) {
    return parseCalendarDay(`${lower}-01-01`.slice(0, 10)) === undefined ? undefined : { period: lower };
  }
  const instant = parseInstant(text.trim());
  return instant && { instant, day: text.trim().slice(0, 10) };
}

/** Whether the text of a cell is a date, with or without a time of day. */
export function isDate(text: string): boolean {
  return parseCalendarDay(text) !== undefined;
}

/**
 * Negative, zero or positive if the date in a cell is before, within or after the wanted one. A period is compared with the
 * date as it is written, whatever its time zone. A point in time is compared with the cell's point in time, in UTC if it
 * names no zone; if the cell has no time, the days are compared.
 */
export function compareDate(cell: string, wanted: DateValue): number {
  if ('period' in wanted) return compareOrders(cell.slice(0, wanted.period.length), wanted.period);
  const instant = parseInstant(cell);
  if (instant === undefined) return compareOrders(cell.slice(0, 10), wanted.day);
  const { seconds, fraction } = wanted.instant;
  return instant.seconds === seconds ? compareOrders(instant.fraction, fraction) : instant.seconds - seconds;
}

/** Whether no date is within both. False for points in time, since they are compared across time zones. */
function isEmptySpan(from: DateValue, to: DateValue): boolean {
  return 'period' in from && 'period' in to && compareDate(`${from.period}-01-01`.slice(0, 10), to) > 0;
}

function parseInstant(text: string): Instant | undefined {
  const match = INSTANT.exec(text);
  const day = match && parseCalendarDay(match[1]!);
  if (!match || day === null || day === undefined) return undefined;
  const [hours, minutes, seconds] = [Number(match[2]), Number(match[3]), Number(match[4] ?? '0')];
  if (hours > 23 || minutes > 59 || seconds > 60) return undefined;
  const time = day * 86_400 + hours * 3600 + minutes * 60 + seconds;
  return { seconds: time - offsetOf(match[6]), fraction: (match[5] ?? '').replace(/0+$/, '') };
}

/** How many seconds a zone is ahead of UTC. */
function offsetOf(zone: string | undefined): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '') ?? [];
  if (sign === undefined) return 0;
  return (Number(hours) * 3600 + Number(minutes) * 60) * (sign === '-' ? -1 : 1);
}

/** The first and the last date that count; undefined for an open end. */
export interface DateSpan {
  readonly from?: DateValue | undefined;
  readonly to?: DateValue | undefined;
}

/** The value of a flag for a date or a period. */
export interface DateRange {
  readonly flag: string;
  /** As typed: `-30d`. */
  readonly text: string;
  /** Its span. Throws UsageError for a text that has no span. */
  readonly on: (days: Days) => DateSpan;
}

export interface Days {
  /** The day of the run. */
  readonly today: DayOfQuestion;
  /** The day of the clock. */
  readonly now: number;
}

/** Reads the value of a flag for a date, which is one end of a span. Throws UsageError. */
export function parseDateEnd(text: string, flag: string, end: keyof DateSpan): DateRange {
  if (parseDate(text, () => 0) === undefined) {
    const asPeriod = `A month or a quarter is a period: write a day, or, by the date of issue, --period ${text.trim()}.`;
    const hint = isPeriod(text) ? asPeriod : DATE_FORMS;
    throw new UsageError(`${flag} ${JSON.stringify(text)} is not a date`, { hint });
  }
  return { flag, text, on: ({ today }) => ({ [end]: parseDate(text, today) }) };
}

/** Reads the value of a flag for a period, which has begun. Throws UsageError as `parseDateEnd` does. */
export function parsePeriod(text: string, flag: string): DateRange {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) {
    throw new UsageError(`${flag} ${text}: expected a month, a quarter or a year`, {
      hint: `Write --since ${text} --until ${text}.`,
    });
  }
  readPeriod(text, () => 0);
  const on = ({ today, now }: Days): DateSpan => {
    const { first, last } = readPeriod(text, today);
    // Nothing is issued in a period that has not begun.
    readBegunPeriod(text, now);
    return { from: { period: formatDay(first) }, to: { period: formatDay(last) } };
  };
  return { flag, text, on };
}

/** Throws UsageError for two dates that no document can satisfy. */
export function refuseEmptySpan(since: DateRange, until: DateRange, days: Days): void {
  const [{ from }, { to }] = [since.on(days), until.on(days)];
  if (from === undefined || to === undefined || !isEmptySpan(from, to)) return;
  throw new UsageError(
    `${since.flag} ${since.text} is later than ${until.flag} ${until.text}: no date is in both`,
    { hint: `Write the earlier date behind ${since.flag}.` },
  );
}
