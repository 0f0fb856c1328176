const DAY = /^(\d{4})-(\d{2})-(\d{2})(?:$|[T ])/;
export const MILLISECONDS_A_DAY = 86_400_000;

/**
 * The calendar day that a date's text begins with (`2024-10-15`, `2024-10-15T00:00:00Z`), in days since 1970-01-01;
 * undefined where it begins with none. It is the day as written: no time zone shifts it.
 */
export function parseCalendarDay(text: string): number | undefined {
  const day = text.slice(0, 'yyyy-mm-ddT'.length);
  const known = days.get(day);
  if (known !== undefined) return known;
  const found = calendarDay(day);
  if (found === undefined) return undefined;
  if (days.size === MAX_DAYS) days.clear();
  days.set(day, found);
  return found;
}

/** The days of texts that came before: the records of a listing have few different ones. */
const days = new Map<string, number>();
const MAX_DAYS = 10_000;

function calendarDay(text: string): number | undefined {
  const match = DAY.exec(text);
  if (!match) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const date = new Date(Date.UTC(2000, month - 1, day));
  // The year is set afterwards, because Date.UTC takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return date.getTime() / MILLISECONDS_A_DAY;
}

/** A text that is nothing but a day: `2024-10-15`, or the midnight with which the day begins, perhaps in the zone UTC. */
export const DAY_ALONE = /^\d{4}-\d{2}-\d{2}(T00:00:00(?:\.0+)?(Z|[+-]00:?00)?)?$/;

/** The day of such a text, in days since 1970-01-01. Undefined for any other text, and for a midnight in no zone. */
export function parseDayAlone(text: string): number | undefined {
  const match = DAY_ALONE.exec(text);
  if (match === null || (match[1] !== undefined && match[2] === undefined)) return undefined;
  return parseCalendarDay(text);
}

/** Today in the user's time zone, in days since 1970-01-01. `now` is in milliseconds since 1970. */
export function localDay(now: number): number {
  const date = new Date(now);
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / MILLISECONDS_A_DAY;
}

/** A moment in ISO 8601, in the user's time zone and to the minute: `2024-10-15 09:30`. Another text stays as it is. */
export function localMinute(moment: string): string {
  const date = new Date(moment);
  if (Number.isNaN(date.getTime())) return moment;
  const [hours, minutes] = [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0'));
  return `${formatDay(localDay(date.getTime()))} ${hours}:${minutes}`;
}

/** `2024-10-15` for a day in days since 1970-01-01. */
export function formatDay(day: number): string {
  return new Date(day * MILLISECONDS_A_DAY).toISOString().slice(0, 10);
}
