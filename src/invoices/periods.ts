import { UsageError } from '../errors.ts';
import { MILLISECONDS_A_DAY } from '../json/calendar-day.ts';

/** A span of whole months: `2026-11`, `2026-Q3`, `2026`. */
export interface Period {
  /** Days since 1970-01-01, both within the period. */
  readonly first: number;
  readonly last: number;
  /** As it is written: `2026-11`, `2026-Q3`. */
  readonly name: string;
}

/**
 * Reads a period as `readPeriod` does. `today` is in days since 1970-01-01. Throws UsageError also for one that has not begun.
 */
export function readBegunPeriod(text: string, today: number): Period {
  const period = readPeriod(text, () => today);
  if (period.first > today) {
    throw new UsageError(`--period ${text} has not begun yet`, {
      hint: 'Name a period that has begun, such as this-month.',
    });
  }
  return period;
}

/**
 * Reads `2026-11`, `2026-Q3`, `2026`, `this-month` or `last-month`. Only the last two call `today`, in days since 1970-01-01.
 * Throws UsageError for anything else.
 */
export function readPeriod(text: string, today: () => number): Period {
  const period = periodOf(text, today);
  if (period !== undefined) return period;
  throw new UsageError(`--period ${JSON.stringify(text)}: expected a month, a quarter or a year`, {
    hint: 'Periods are written 2026-11, 2026-Q3, 2026, this-month or last-month.',
  });
}

/** Whether a text is written as a period is, even where it is a date, too: `2026-11`, `last-month`. */
export function isPeriod(text: string): boolean {
  return periodOf(text, () => 0) !== undefined;
}

/** The units that `--group-by date:month` can name after the column. */
export const CALENDAR_UNITS = ['day', 'month', 'quarter', 'year'] as const;
export type CalendarUnit = (typeof CALENDAR_UNITS)[number];

const NAME_LENGTHS = { day: 10, month: 7, year: 4 };

/** The day, month, quarter or year of a day or a time that begins with the day: `2026-11`, `2026-Q4`. */
export function calendarName(date: string, unit: CalendarUnit): string {
  if (unit !== 'quarter') return date.slice(0, NAME_LENGTHS[unit]);
  return `${date.slice(0, 4)}-Q${Math.ceil(Number(date.slice(5, 7)) / 3)}`;
}

export function monthOf(day: number): Period {
  const date = new Date(day * MILLISECONDS_A_DAY);
  return monthAt(date.getUTCFullYear(), date.getUTCMonth());
}

/** The last `count` months up to that of the day, in order. `day` is in days since 1970-01-01. */
export function monthsUpTo(day: number, count: number): Period[] {
  const date = new Date(day * MILLISECONDS_A_DAY);
  return Array.from({ length: count }, (_, index) =>
    monthAt(date.getUTCFullYear(), date.getUTCMonth() - count + 1 + index),
  );
}

function periodOf(written: string, today: () => number): Period | undefined {
  const text = written.trim().toLowerCase();
  if (text === 'this-month') return monthOf(today());
  if (text === 'last-month') return monthOf(monthOf(today()).first - 1);
  const [, year, quarter, month] = /^(\d{4})(?:-(?:q([1-4])|(0[1-9]|1[0-2])))?$/.exec(text) ?? [];
  if (year === undefined) return undefined;
  if (month !== undefined) return monthAt(Number(year), Number(month) - 1);
  const [from, to] = quarter === undefined ? [0, 11] : [3 * Number(quarter) - 3, 3 * Number(quarter) - 1];
  const name = text.toUpperCase();
  return { name, first: monthAt(Number(year), from).first, last: monthAt(Number(year), to).last };
}

/** `index` is from 0, and may be below 0 or above 11. */
function monthAt(year: number, index: number): Period {
  const first = dayOf(year, index);
  const date = new Date(first * MILLISECONDS_A_DAY);
  return { name: date.toISOString().slice(0, 7), first, last: dayOf(year, index + 1) - 1 };
}

function dayOf(year: number, month: number): number {
  const date = new Date(0);
  // Set apart: Date.UTC takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year, month, 1);
  return date.getTime() / MILLISECONDS_A_DAY;
}
