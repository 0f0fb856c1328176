import { describe, expect, it } from 'vitest';
import { inZone } from '../../support/midday.ts';
import { pageOf, runScripted } from '../../support/scripted-run.ts';

/** Due on the days around the one that it is in UTC. */
const DAYS = ['2026-11-18', '2026-11-19', '2026-11-20', '2026-11-21', '2026-11-22'];
const PAGE = pageOf(
  DAYS.map((day, number) => {
    const due = `"customer":{"name":"Ada","fiscalId":"1-9"},"date":"2026-01-01","dueBy":"${day}T00:00:00Z"`;
    return `{"number":${number},${due},"currency":"CLP","totalAmount":1.00,"amountToBePaid":1.00}`;
  }),
);

describe.each([
  ['Pacific/Auckland', '2026-11-20T12:00:00Z', '2026-11-21'],
  ['Pacific/Auckland', '2026-11-20T10:59:00Z', '2026-11-20'],
  ['America/Los_Angeles', '2026-11-20T07:59:00Z', '2026-11-19'],
  ['America/Los_Angeles', '2026-11-20T08:00:00Z', '2026-11-20'],
])('in %s at %s', (zone, instant, today) => {
  inZone(zone);
  const run = async (line: string): Promise<string> => {
    const clock = { now: Date.parse(instant) };
    const exit = await runScripted(line.split(' '), [PAGE], { clock });
    expect(exit).toMatchObject({ code: 0, stderr: '' });
    return exit.stdout;
  };
  const overdue = DAYS.filter((day) => day < today).length;

  it(`it is ${today}: for --overdue, conditions on today, and ages`, async () => {
    expect(await run('issued --overdue --count')).toBe(`${overdue}\n`);
    expect(await run('issued --where dueBy<today --count')).toBe(`${overdue}\n`);
    expect(await run('issued --where dueBy=today --columns dueBy --no-header --format csv')).toBe(
      `${today}T00:00:00Z\n`,
    );
    const [row] = JSON.parse(await run('aging --format json')) as [Record<string, unknown>];
    expect([row['not due'], row['1 to 30']].map(Number)).toEqual([DAYS.length - overdue, overdue]);
  });
});
