import { afterAll, beforeAll } from 'vitest';

const hour = new Date().getUTCHours();

/** Hours that the clock of `MIDDAY_ZONE` is ahead of UTC: from -12 to 11, so that noon in UTC, which fake clocks tell, is there on the same day. */
const AHEAD = 11 - hour;

/** For TZ: a zone in which it is about noon, so that no day ends while a test compares what is said of today. */
export const MIDDAY_ZONE = `Etc/GMT${AHEAD > 0 ? '-' : '+'}${Math.abs(AHEAD)}`;

/** Has it be the middle of the day in this process while the tests of a file run. */
export function atMidday(): void {
  inZone(MIDDAY_ZONE);
}

/** Has this process be in a time zone during the tests of a file or a suite. */
export function inZone(zone: string): void {
  const before = process.env['TZ'];
  beforeAll(() => void (process.env['TZ'] = zone));
  afterAll(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });
}
