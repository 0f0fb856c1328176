import { sliceRecords } from '../json/records.ts';
import { inOrder } from './in-order.ts';
import type { NumberedWalkOptions } from './page-reader.ts';
import type { Delivery } from './page.ts';
import { PageReader } from './page-reader.ts';
import { Pass } from './pass.ts';
import type { PageTask, Region } from './page-reader.ts';
import type { PlacedPage } from './pass.ts';
import { UniqueRecords } from './unique-records.ts';

/** Re-reads of a listing that moved, at most. */
const ROUNDS = 2;

/**
 * Walks a listing of numbered pages: every record once, in the order of the listing, several pages in flight.
 *
 * The first page goes alone and tells the total; the others follow in parallel, each beginning in the one before it.
 * At the end the records given are held against the last total, or against the limit where that is lower. Where the
 * listing moved meanwhile it is read again around the place, at most twice; records found then come last. What may still
 * be missing is in the account: `account.complete` is the word to trust.
 */
export async function* walkNumbered(options: NumberedWalkOptions): AsyncGenerator<Delivery> {
  const walk = new NumberedWalk(options);
  yield* walk.read([{ from: options.from ?? 0 }], true);
  if (options.isSinglePage) return;
  for (let round = 0; !walk.settled() && round < ROUNDS; round++) {
    options.account.reread();
    yield* walk.read(walk.beginAgain(), false);
  }
}

class NumberedWalk {
  readonly #options: NumberedWalkOptions;
  readonly #unique: UniqueRecords;
  readonly #reader: PageReader;
  /** Found while reading again, when as many were given as the limit allows. */
  #leftOut = 0;

  constructor(options: NumberedWalkOptions) {
    this.#options = options;
    this.#unique = options.given ?? new UniqueRecords();
    this.#reader = new PageReader(options, this.#unique);
  }

  /** Reads regions in order and gives what was not given before. */
  async *read(regions: readonly Region[], firstTime: boolean): AsyncGenerator<Delivery> {
    const { account, concurrency, signal } = this.#options;
    const plan = {
      regions,
      concurrency,
      ahead: concurrency * 2,
      carve: (region: Region, running: number) => this.#reader.carve(region, running),
      run: (piece: PageTask, within: AbortSignal) => this.#reader.run(piece, within),
    };
    for await (const sighting of inOrder<Region, PageTask, PlacedPage>(plan, signal)) {
      const { pass, extent } = this.#reader;
      const records = pass.join(sighting);
      if (pass.isStuck) extent.endsAt(sighting.offset);
      if (pass.mayRepeat) this.#unique.countByPage();
      const fresh = this.#unique.fresh(records);
      const given = sliceRecords(fresh, 0, this.#until - account.records);
      account.records += given.count;
      account.repeats += records.count - fresh.count;
      this.#leftOut += fresh.count - given.count;
      const next = firstTime ? sighting.offset + sighting.records.count : undefined;
      if (given.count > 0) yield { records: given, next };
    }
  }

  /** True when nothing speaks against every record having been given. Closes the books of the pass just read. */
  settled(): boolean {
    const { account } = this.#options;
    const { moved } = this.#reader.pass;
    const unreadable = account.unreadable.size;
    const expected = Math.min(this.#reader.extent.total ?? 0, this.#until);
    const missing = Math.max(0, expected - this.#unique.size - unreadable) + this.#leftOut;
    account.drift ||= moved;
    account.inDoubt = moved ? Math.max(missing, 1) : missing;
    return account.inDoubt === 0;
  }

  get #until(): number {
    return this.#options.until ?? Infinity;
  }

  /**
   * Begins another pass. Returns what to read again: around the places where the listing moved; all of it where those are
   * unknown, or it is short.
   */
  beginAgain(): Region[] {
    const { pass, sizes } = this.#reader;
    const stretches = pass.doubtful(sizes.largest);
    const isShort = pass.whole.pages <= 2 * this.#options.concurrency;
    const everything = stretches.length === 0 || isShort;
    this.#reader.begin(everything ? new Pass() : new Pass({ stretches, whole: pass.whole }));
    this.#unique.beginAgain(everything);
    return everything ? [{ from: 0 }] : stretches;
  }
}
