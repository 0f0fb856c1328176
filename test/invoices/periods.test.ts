import { describe, expect, it } from 'vitest';
import { formatDay, parseCalendarDay } from '../../src/json/calendar-day.ts';
import { monthsUpTo, readBegunPeriod } from '../../src/invoices/periods.ts';

const TODAY = parseCalendarDay('2026-11-21')!;

describe('a period', () => {
  it('may begin today', () => {
    const first = parseCalendarDay('2026-11-01')!;
    expect(readBegunPeriod('2026-11', first).first).toBe(first);
    expect(() => readBegunPeriod('2026-12', first)).toThrow('--period 2026-12 has not begun yet');
  });

  it.each([
    ['2026-11', '2026-11', '2026-11-01', '2026-11-30'],
    ['2024-02', '2024-02', '2024-02-01', '2024-02-29'],
    ['2026-Q3', '2026-Q3', '2026-07-01', '2026-09-30'],
    ['2026-q4', '2026-Q4', '2026-10-01', '2026-12-31'],
    ['2025', '2025', '2025-01-01', '2025-12-31'],
    ['this-month', '2026-11', '2026-11-01', '2026-11-30'],
    ['last-month', '2026-10', '2026-10-01', '2026-10-31'],
    [' Last-Month ', '2026-10', '2026-10-01', '2026-10-31'],
  ])('%s is %s', (text, name, first, last) => {
    const period = readBegunPeriod(text, TODAY);
    expect({ ...period, first: formatDay(period.first), last: formatDay(period.last) }).toEqual({
      ...{ name, first, last },
    });
  });

  it('before January is December', () => {
    expect(readBegunPeriod('last-month', parseCalendarDay('2026-01-15')!).name).toBe('2025-12');
  });

  const NO_PERIODS = ['', 'november', '10/2026', '2026-13', '2026-00', '2026-Q5', '2026-11-21', '26-11'];
  it.each(NO_PERIODS)('is not %j, and the forms are named', (text) => {
    expect(() => readBegunPeriod(text, TODAY)).toThrow(
      expect.objectContaining({
        name: 'UsageError',
        hint: 'Periods are written 2026-11, 2026-Q3, 2026, this-month or last-month.',
      }),
    );
  });
});

it('the months up to a day are in a row, over the turn of the year', () => {
  expect(monthsUpTo(parseCalendarDay('2026-02-28')!, 4).map(({ name }) => name)).toEqual([
    '2025-11',
    '2025-12',
    '2026-01',
    '2026-02',
  ]);
});
