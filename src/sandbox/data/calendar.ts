const millisecondsPerDay = 86_400_000;
const texts = new Map<number, string>();

/** A day as `2024-10-15`; `day` counts from 1970-01-01. */
export function dayText(day: number): string {
  let text = texts.get(day);
  if (text === undefined) {
    text = new Date(day * millisecondsPerDay).toISOString().slice(0, 10);
    texts.set(day, text);
  }
  return text;
}

/** The first day of the data, the day that counts as today in it, and the days between. */
export const firstDay = Date.UTC(2024, 10, 1) / millisecondsPerDay;
export const referenceDay = Date.UTC(2026, 10, 1) / millisecondsPerDay;
export const daysOfData = referenceDay - firstDay;

/**
 * An ISO 8601 date, or date with time, as days since 1970-01-01 (with a fraction for the time); undefined when the
 * text is neither, or no such day exists.
 */
export function parseDay(text: string): number | undefined {
  const form = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/.exec(text);
  const [midnight, moment] = [Date.parse(`${form?.[1]}T00:00:00Z`), Date.parse(text)];
  if (form === null || Number.isNaN(midnight) || Number.isNaN(moment)) return undefined;
  // Date.parse makes 1 March of 30 February.
  if (new Date(midnight).toISOString().slice(0, 10) !== form[1]) return undefined;
  return moment / millisecondsPerDay;
}
