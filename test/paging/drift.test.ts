import { describe, expect, it } from 'vitest';
import { walkNumbered } from '../../src/paging/numbered-walk.ts';
import { WalkStatus } from '../../src/paging/walk-status.ts';
import { fakeListing, gather } from '../support/fake-listing.ts';
import { countFigure, randomRuns, randomFrom } from '../support/random-runs.ts';
import { batchOf } from '../support/records.ts';
import { MovingListing } from '../support/moving-listing.ts';

interface Schedule {
  readonly change?: 'change' | 'changeOften' | 'changeMany';
  readonly hasTotal?: boolean;
  readonly name?: string;
  /** Whether the service fixes the size of pages, so that none overlap. */
  readonly isFixed?: boolean;
  /** Whether only the first records are wanted. */
  readonly isLimited?: boolean;
}

async function walkSchedule(
  seed: number,
  { change = 'change', hasTotal = true, name = 'id', isFixed = false, isLimited = false }: Schedule = {},
) {
  const random = randomFrom(seed);
  const listing = new MovingListing(random, (id) => `{"${name}":${id}}`);
  const until = isLimited ? 1 + random(60) : Infinity;
  const fixed = isFixed ? 1 + random(12) : 1;
  /** The records that were within the limit all the time. */
  let lasting = new Set(listing.records.slice(0, until));
  const { fetchPage } = fakeListing(
    () => listing.records,
    async (page, { offset, size }) => {
      const start = (offset / size) * fixed;
      const records = batchOf(...listing.records.slice(start, start + fixed));
      const sent = isFixed ? { records, total: page.total, pageSize: fixed } : page;
      listing[change]();
      if (isLimited) lasting = new Set(listing.records.slice(0, until).filter((text) => lasting.has(text)));
      for (let turns = random(12); turns > 0; turns--) await Promise.resolve();
      return hasTotal ? sent : { ...sent, total: undefined };
    },
  );
  const status = new WalkStatus();
  const [size, concurrency] = [1 + random(12), 1 + random(4)];
  const signal = new AbortController().signal;
  const given = await gather(walkNumbered({ fetchPage, size, concurrency, until, status, signal }));
  return { listing, lasting, until, given, status };
}

/** What was wrong in so many schedules, and how many walks said that they may not be complete. */
async function walkAll(schedules: number, schedule: Schedule) {
  let incomplete = 0;
  const wrong: string[] = [];
  for (let seed = 0; seed < schedules; seed++) {
    const { listing, given, status } = await walkSchedule(seed, schedule);
    if (!status.complete) incomplete++;
    // Without a key, a record that comes again elsewhere may be another one: the walk says so.
    if (schedule.name === 'n' && !status.complete) continue;
    const fault = listing.faultOf(given, status.complete);
    if (fault !== undefined) wrong.push(`seed ${seed}: ${fault}`);
  }
  return { wrong, incomplete };
}

const SCHEDULES = randomRuns(10_000);

describe('a listing that moves while it is walked', () => {
  it.each([
    ['schedules of a moving listing', 'change', 4],
    // Several records come and go between two readings.
    ['schedules of changes that leave the total alone', 'changeOften', 2],
  ] as const)(
    `gives no record twice and every lasting record, or says that it may not have, in ${SCHEDULES} %s`,
    async (what, change, share) => {
      const { wrong, incomplete } = await walkAll(SCHEDULES, { change });
      countFigure({ what, ran: SCHEDULES, lost: wrong.length });
      expect(wrong).toEqual([]);
      // Most schedules settle: a walk that always gave up would pass the checks above.
      expect(incomplete).toBeLessThan(SCHEDULES / share);
    },
  );

  it.each<Schedule>([
    { change: 'changeMany' },
    { change: 'changeMany', hasTotal: false },
    { change: 'changeOften', isFixed: true },
    { change: 'changeMany', isFixed: true },
    { change: 'changeOften', hasTotal: false, isFixed: true },
    { change: 'changeOften', name: 'n' },
  ])('does so where %j', async (schedule) => {
    expect((await walkAll(randomRuns(3_000), schedule)).wrong).toEqual([]);
  });

  it('gives, under a limit, every record that was within it all the time, or says that it may not have', async () => {
    let complete = 0;
    const schedules = randomRuns(2_000);
    for (let seed = 0; seed < schedules; seed++) {
      const { lasting, until, given, status } = await walkSchedule(seed, { isLimited: true });
      expect(given.length).toBeLessThanOrEqual(until);
      expect(new Set(given).size).toBe(given.length);
      if (!status.complete) continue;
      complete++;
      expect([...lasting].filter((record) => !given.includes(record))).toEqual([]);
    }
    expect(complete).toBeGreaterThan(schedules / 2);
  });
});
