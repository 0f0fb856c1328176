import { describe, expect, it } from 'vitest';
import { walkNumbered } from '../../src/paging/numbered-walk.ts';
import { WalkAccount } from '../../src/paging/walk-account.ts';
import { fakeListing, gather } from '../support/fake-listing.ts';
import { countFigure } from '../support/figures.ts';
import { randomFrom } from '../support/random.ts';

/** A listing into which records are inserted, and from which they are deleted, one between two readings at most. */
class MovingListing {
  records: string[];
  readonly throughout: Set<string>;
  #nextId: number;
  readonly #random: (below: number) => number;
  changes: number;

  constructor(random: (below: number) => number) {
    this.#random = random;
    this.#nextId = random(80);
    this.records = Array.from({ length: this.#nextId }, (_, id) => this.#record(id));
    this.throughout = new Set(this.records);
    this.changes = random(6);
  }

  change(): void {
    if (this.changes === 0 || this.#random(3) > 0) return;
    this.changes--;
    const at = this.#random(this.records.length + 1);
    if (this.#random(2) === 0) this.records.splice(at, 0, this.#record(this.#nextId++));
    else for (const gone of this.records.splice(at, 1)) this.throughout.delete(gone);
  }

  #record(id: number): string {
    return `{"id":${id}}`;
  }
}

async function walkSchedule(seed: number) {
  const random = randomFrom(seed);
  const listing = new MovingListing(random);
  const { fetchPage } = fakeListing(
    () => listing.records,
    async (page) => {
      listing.change();
      for (let turns = random(12); turns > 0; turns--) await Promise.resolve();
      return page;
    },
  );
  const account = new WalkAccount();
  const [size, concurrency] = [1 + random(12), 1 + random(4)];
  const signal = new AbortController().signal;
  const given = await gather(walkNumbered({ fetchPage, size, concurrency, account, signal }));
  return { listing, given, account };
}

const SCHEDULES = 10_000;

describe('a listing that moves while it is walked', () => {
  it('gives no record twice and every lasting record, or says that it may not have, in 10,000 random schedules', async () => {
    let [incomplete, lost] = [0, 0];
    for (let seed = 0; seed < SCHEDULES; seed++) {
      const { listing, given, account } = await walkSchedule(seed);
      expect(new Set(given).size, `seed ${seed}: a record came twice`).toBe(given.length);
      if (!account.complete) incomplete++;
      else {
        const missing = [...listing.throughout].filter((text) => !given.includes(text));
        if (missing.length > 0) lost++;
        expect.soft(missing, `seed ${seed}`).toEqual([]);
      }
    }
    countFigure({ what: 'schedules of a moving listing', ran: SCHEDULES, lost });
    // Most schedules settle: a walk that always gave up would pass the checks above.
    expect(incomplete).toBeLessThan(2_500);
  });
});
