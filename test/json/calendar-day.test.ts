import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDay, parseCalendarDay, parseDayAlone } from '../../src/json/calendar-day.ts';

describe('calendar day', () => {
  it.each([
    ['1970-01-01', 0],
    ['1970-01-02T23:59:59-12:00', 1],
    ['1970-01-02 00:00', 1],
    ['2000-03-01', 11_017],
    ['1969-12-31', -1],
    ['0050-01-01', -701_265],
  ])('%s is day %i', (text, day) => {
    expect(parseCalendarDay(text)).toBe(day);
  });

  it.each([
    '',
    ...'2026-02-29 2026-13-01 2026-00-10 2026-04-31 2026-4-3 20260403 2026-04-030 soon'.split(' '),
  ])('%j is none', (text) => {
    expect(parseCalendarDay(text)).toBeUndefined();
  });

  it('reads back what it writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: -600_000, max: 2_900_000 }), (day) => {
        expect(parseCalendarDay(formatDay(day))).toBe(day);
      }),
    );
  });

  it.each([
    ['2026-02-28', true],
    ['2026-02-28T00:00:00Z', true],
    ['2026-02-28T00:00:00.000+00:00', true],
    ['2026-02-28T00:00:00', false],
    ['2026-02-28 and more', false],
    ['2026-02-28T00:00:00-03:00', false],
    ['2026-02-28T00:00:01Z', false],
    ['2026-02-28T00:00:00.001Z', false],
    ['2026-02-29T00:00:00Z', false],
  ])('%s is a day and nothing else: %s', (text, isAlone) => {
    expect(parseDayAlone(text)).toBe(isAlone ? parseCalendarDay(text) : undefined);
  });
});
