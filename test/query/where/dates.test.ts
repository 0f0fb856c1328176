import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCalendarDay } from '../../../src/json/calendar-day.ts';
import { compareDate, parseDate } from '../../../src/query/where/dates.ts';

const TODAY = parseCalendarDay('2026-11-21')!;

const orderOf = (text: string, cell: string): number =>
  compareDate(
    cell,
    parseDate(text, () => TODAY)!,
  );

describe('parseDate', () => {
  it.each([
    ...['', ...'hoy 21/11/2026 11/21/2026 2026-13 2026-02-30 2026-1-1 20261121 30d -30m'.split(' ')],
    ...['2026-11-21T25:00:00Z', '2026-11-21T10', '2026-11-21T10:00:00 CET', 'now', '-123456d'],
  ])('has no date in %j', (text) => {
    expect(parseDate(text, () => TODAY)).toBeUndefined();
  });

  it('counts days over months and leap years as the calendar does', () => {
    fc.assert(
      fc.property(fc.integer({ min: -20_000, max: 20_000 }), (days) => {
        const date = new Date(Date.UTC(2026, 10, 21 + days)).toISOString().slice(0, 10);
        expect(parseDate(`${days < 0 ? '' : '+'}${days}d`, () => TODAY)).toEqual({ period: date });
      }),
    );
  });
});

describe('compareDate', () => {
  it('holds a period against that part of a date as it is written, in no time zone', () => {
    expect(orderOf('2026-11-21', '2026-11-21T23:59:59-11:00')).toBe(0);
    expect(orderOf('2026-11', '2026-11-30')).toBe(0);
    expect(orderOf('2026', '2025-12-31T23:59:59.999Z')).toBeLessThan(0);
  });

  it('holds a point in time against another as the runtime does', () => {
    const moment = fc.integer({ min: 0, max: 4_000_000_000_000 });
    const zone = fc.integer({ min: -14 * 60, max: 14 * 60 });
    fc.assert(
      fc.property(moment, moment, zone, (one, other, minutes) => {
        const order = orderOf(new Date(one).toISOString(), inZone(other, minutes));
        expect(Math.sign(order)).toBe(Math.sign(other - one));
      }),
    );
  });

  it('loses no digit of a second', () => {
    expect(orderOf('2026-11-21T10:00:00.123456789Z', '2026-11-21T10:00:00.12345678900Z')).toBe(0);
    expect(orderOf('2026-11-21T10:00:00.123456789Z', '2026-11-21T10:00:00.123456788Z')).toBeLessThan(0);
    expect(orderOf('2026-11-21T10:00:00Z', '2026-11-21T10:00')).toBe(0);
  });
});

/** The moment as a clock shows it that is so many minutes ahead of UTC. */
function inZone(moment: number, minutes: number): string {
  const local = new Date(moment + minutes * 60_000).toISOString().slice(0, -1);
  const two = (value: number): string => String(value).padStart(2, '0');
  const ahead = Math.abs(minutes);
  return `${local}${minutes < 0 ? '-' : '+'}${two(Math.floor(ahead / 60))}:${two(ahead % 60)}`;
}
