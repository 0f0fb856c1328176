/** A calendar day, alone or as its midnight in UTC. */
const DAY = /^(\d{4})-(\d{2})-(\d{2})(?:T00:00:00(?:\.0+)?(?:Z|[+-]00:00))?$/;
const MILLISECONDS_A_DAY = 86_400_000;
/** Day 0 of spreadsheets. */
const ORIGIN = Date.UTC(1899, 11, 30);
/** The first of March 1900: before it, spreadsheets count a 29th of February that there was not. */
const FIRST_SURE_DAY = 61;

/** The day of `2024-10-15` or `2024-10-15T00:00:00Z` as spreadsheets count days; undefined for any other text. */
export function dateSerial(text: string): number | undefined {
  const match = DAY.exec(text);
  if (!match) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const serial = (date.getTime() - ORIGIN) / MILLISECONDS_A_DAY;
  return date.getUTCFullYear() === year && serial >= FIRST_SURE_DAY ? serial : undefined;
}
