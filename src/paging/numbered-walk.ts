import { UsageError } from '../errors.ts';
import { sliceRecords } from '../json/records.ts';
import { runCooperatively, type CooperativeTask } from '../json/cooperative-task.ts';
import { PageReader, type PageReaderOptions, type Region } from './page-reader.ts';
import type { Delivery, FetchPage } from './page.ts';
import { Pass, type DoubtfulRegion, type PlacedPage, SeenOrder } from './pass.ts';
import { UniqueRecords } from './unique-records.ts';
import type { IncompleteReason } from '../findings.ts';

export interface NumberedWalkOptions extends PageReaderOptions {
  /** Reads the same listing in an order whose key does not repeat; undefined where there is none. */
  readonly fetchSorted?: FetchPage | undefined;
  /** True where the key that the listing is sorted by may change, so that a record may come again from another place. */
  readonly orderMayMove?: boolean;
  /** Tells the listing's records apart. */
  readonly unique?: UniqueRecords;
}

/** Rounds of reading again where the listing moved, at most. */
const ROUNDS_OF_MOVING = 2;
/** The same where its order is not stable, among them one in another order. */
const ROUNDS_OF_ORDER = 3;
/** A service that repeats itself is read once more only where it sent no more pages than this. */
const PAGES_OF_REPEATING = 20;
/** The fewest records that pages with nothing new have together where the service counts as repeating itself. */
const OLD_RECORDS = 60;

/**
 * Walks a listing of numbered pages: every record once, in the order of the listing, several pages in flight.
 *
 * The first page goes alone and brings the total; the others follow in parallel, each beginning in the one before it.
 * Where pages do not hold together, or the records are not as many as the service names, the listing is read
 * again; records found then come last:
 * - around the places where it moved, or all of it where those are unknown;
 * - in pages of one size, where its order depends on the request or may do so: some services change the order of equal
 *   records with the size;
 * - in an order whose key does not repeat, where that does not help either.
 *
 * Pages that hold together prove that no record was missed, as long as no two records were seen in both orders. Where two
 * were, only the count of a whole pass proves it, or an order whose key does not repeat. Pages that only adjoin prove nothing
 * until they are read again.
 *
 * `status.complete` is false where records may still be missing.
 */
export async function* walkNumbered(options: NumberedWalkOptions): AsyncGenerator<Delivery> {
  const walk = new NumberedWalk(options);
  yield* walk.read([{ from: options.from ?? 0 }]);
  if (options.isSinglePage) return;
  for (let regions = walk.finishRound(); regions !== undefined; regions = walk.finishRound()) {
    options.status.reread();
    try {
      yield* walk.read(regions);
    } catch (error) {
      // The service does not know that order, so the walk stays incomplete.
      if (!walk.isSorted || !(error instanceof UsageError)) throw error;
      return;
    }
  }
}

/** How a round reads: the first time, parts of the listing, all of it, or all of it in another way. */
type Round = 'first' | 'parts' | 'everything' | 'one-size' | 'sorted';

class NumberedWalk {
  readonly #options: NumberedWalkOptions;
  readonly #until: number;
  readonly #unique: UniqueRecords;
  readonly #reader: PageReader;
  readonly #done: Round[] = [];
  #round: Round = 'first';
  /** Pages of the last pass over everything. */
  #pages = 0;
  /** New records found while reading again, when the limit was reached already. */
  #leftOut = 0;
  /** Delivered although they may be records that were delivered before, in another form. */
  #unsure = 0;
  /** Pages in a row, and their records, that brought nothing but what came before in their pass. */
  #withoutNews = { pages: 0, records: 0 };
  #isRepeating = false;
  #hasNewTotal = false;
  /** Watches the order that is read now. The sorted order has a watcher of its own. */
  #order: SeenOrder;
  /** The service's order depends on the request, as far as was seen: then records do not vanish, but change their places. */
  #isUnordered = false;
  /** The listing moved in a pass over everything: a record that was delivered may be gone. */
  #hasMoved = false;
  /** What the passes that read everything again held, in their order, where their pages hold together. */
  readonly #sequences = new Map<Round, string>();

  constructor(options: NumberedWalkOptions) {
    this.#options = options;
    this.#until = options.until ?? Infinity;
    this.#unique = options.unique ?? new UniqueRecords();
    this.#order = new SeenOrder(this.#unique.newReader);
    this.#reader = new PageReader(options, this.#unique, this.#newPass());
  }

  /** True while it reads in the order whose key does not repeat. */
  get isSorted(): boolean {
    return this.#round === 'sorted';
  }

  async *read(regions: readonly Region[]): AsyncGenerator<Delivery> {
    for await (const placed of this.#reader.read(regions)) {
      const delivery = await runCooperatively(this.#take(placed), this.#options.signal);
      if (delivery !== undefined) yield delivery;
      // Further pages of this round would hold together no better: the next round reads in another way.
      if (this.#round === 'first' && this.#reader.pass.isUnordered) return;
    }
  }

  *#take(placed: PlacedPage): CooperativeTask<Delivery | undefined> {
    const { status, orderMayMove = false } = this.#options;
    const { pass, extent } = this.#reader;
    const records = pass.join(placed);
    if (pass.mayRepeat) this.#unique.countEqualWithin('page');
    const before = this.#unique.inPass;
    const moved = pass.moved || this.#round === 'parts' || orderMayMove;
    const { fresh, again, changed, unsure } = yield* this.#unique.deduplicate(records, { moved });
    this.#isRepeating ||= pass.isStuck || this.#isRepeatedBy(records.count, this.#unique.inPass > before);
    if (this.#isRepeating) extent.endsAt(placed.offset);
    pass.hasNews ||= fresh.count > 0;
    this.#unsure += unsure;
    const wanted = sliceRecords(fresh, 0, this.#until - status.records);
    status.records += wanted.count;
    status.repeat(again + changed);
    status.orderMayMove ||= orderMayMove && pass.pages > 1;
    this.#leftOut += fresh.count - wanted.count;
    const next = this.#round === 'first' ? placed.offset + placed.records.count : undefined;
    return wanted.count > 0 ? { records: wanted, next } : undefined;
  }

  /** Whether page after page of a pass has nothing but what came before in it. */
  #isRepeatedBy(records: number, isNew: boolean): boolean {
    if (this.#round === 'parts' || records === 0) return false;
    this.#withoutNews = isNew
      ? NOTHING_OLD
      : { pages: this.#withoutNews.pages + 1, records: this.#withoutNews.records + records };
    // In a few small pages, records of equal dates may merely have changed places.
    return this.#withoutNews.records >= OLD_RECORDS && this.#unique.isRepeatedBy(this.#withoutNews.pages);
  }

  /**
   * Returns the regions to read in the next round, or undefined: when every record was delivered, as far as the walk can
   * tell, and when another round would not help. The status has which of the two it is.
   */
  finishRound(): readonly Region[] | undefined {
    const { status } = this.#options;
    const { pass } = this.#reader;
    if (this.#round !== 'parts') this.#pages = pass.pages;
    this.#hasNewTotal ||= pass.hasNewTotal || status.totalAtStart !== status.totalAtEnd;
    this.#isUnordered ||= this.#order.isUnstable || pass.isUnordered;
    this.#hasMoved ||= this.#hasNewTotal || (pass.moved && this.#round !== 'parts');
    status.drift ||= pass.hasNewTotal || (pass.moved && !this.#isUnordered);
    this.#done.push(this.#round);
    const incomplete = this.#incomplete();
    status.setIncomplete(incomplete.count, incomplete.reason);
    if (this.#isWholeReread && !pass.moved) this.#sequences.set(this.#round, this.#unique.sequence);
    const next = incomplete.count === 0 ? undefined : this.#nextRound();
    return next && this.#begin(next);
  }

  /** How many records may be missing, at least, and why. */
  #incomplete(): { readonly count: number; readonly reason: IncompleteReason } {
    const { pass, extent, isFullRepeated } = this.#reader;
    const { size, hasKeys, keysRepeat, repeatedInPass } = this.#unique;
    const [missing, tooMany] = [this.#missing, this.#tooMany];
    const unclear = !this.#isExact && (this.#unsure > 0 || (pass.changedAtBorder > 0 && keysRepeat));
    const isProven = this.#isProven && !unclear && !isFullRepeated;
    const count = Math.max(missing, tooMany, isProven ? 0 : 1);
    if (isFullRepeated || this.#isRepeating) return { count, reason: 'repeating' };
    if (this.#hasNewTotal) return { count, reason: 'changing' };
    if (tooMany > 0 && hasKeys) return { count, reason: 'more' };
    // Where only the order of a listing is not stable, no record vanishes.
    const hasLost = hasKeys && size > this.#expected;
    if (!hasLost && this.#isUnordered) return { count, reason: 'order' };
    const isNamed = extent.total !== undefined && missing > 0;
    const isSteady = !pass.moved && !unclear && !hasLost && repeatedInPass === 0;
    if (isNamed && isSteady) return { count, reason: 'total' };
    return { count, reason: isSteady && !pass.isProven ? 'adjoining' : 'unsteady' };
  }

  /** True when the pages read last show that none was missed: they hold together, and none of their records came twice. */
  get #isProven(): boolean {
    const { pass, extent } = this.#reader;
    if (pass.moved) return false;
    // In an order that changes, parts may hold together by chance.
    if (this.#round === 'parts') return pass.isProven && !this.#isUnordered;
    const { inPass, size, sequence, keysRepeat } = this.#unique;
    // Without a total nothing counts the records: one that changed meanwhile may have been delivered in both forms.
    if (extent.total === undefined && keysRepeat && this.#round === 'first') return false;
    const isWhole = inPass + this.#options.status.givenUp.size >= this.#expected;
    // Equal records may be different ones, when they come in the same places again in pages of other sizes.
    const isSame = [...this.#sequences].some(([round, other]) => round !== this.#round && other === sequence);
    if (isSame || !isWhole) return isSame;
    const isOrdered = !(this.isSorted ? this.#order.isUnstable : this.#isUnordered);
    if (pass.isProven && isOrdered) return true;
    return inPass === size && (pass.isProven || this.#isWholeReread);
  }

  /** True when the last pass over everything held just the records that were delivered. */
  get #isExact(): boolean {
    const { inPass, size } = this.#unique;
    return this.#isWholeReread && inPass === size && !this.#hasNewTotal;
  }

  /** Whether the last pass read everything again, in whichever way. */
  get #isWholeReread(): boolean {
    return this.#round !== 'first' && this.#round !== 'parts';
  }

  /** How many records there are to deliver, as far as is known. */
  get #expected(): number {
    const { total, reached } = this.#reader.extent;
    return Math.min(total ?? reached, this.#until);
  }

  get #missing(): number {
    const givenUp = this.#options.status.givenUp.size;
    return Math.max(0, this.#expected - this.#unique.size - givenUp) + this.#leftOut;
  }

  /**
   * Records delivered beyond those that there are: some of them must be one record in two forms. 0 where keys tell records
   * apart: then some are gone again.
   */
  get #tooMany(): number {
    const { total = 0, reached } = this.#reader.extent;
    const { size, hasKeys, keysRepeat } = this.#unique;
    return hasKeys && !keysRepeat ? 0 : Math.max(0, size - Math.max(total, reached));
  }

  #nextRound(): Round | undefined {
    const { pass, isFullRepeated } = this.#reader;
    const done = (round: Round): boolean => this.#done.includes(round);
    const rounds = this.#done.length - 1;
    if (isFullRepeated) return undefined;
    if (this.#isRepeating) return rounds === 0 && pass.pages <= PAGES_OF_REPEATING ? 'everything' : undefined;
    if (!this.#isUnordered && this.#hasNewTotal)
      return rounds < ROUNDS_OF_MOVING ? this.#partsOrAll() : undefined;
    if (rounds >= ROUNDS_OF_ORDER) return undefined;
    // Where only the order of a listing is not stable, no record vanishes.
    const isMoving = this.#round === 'first' || this.#unique.size > this.#expected;
    if (!pass.isProven && !this.#isUnordered && isMoving && rounds < ROUNDS_OF_MOVING)
      return this.#partsOrAll();
    if (!done('one-size')) return 'one-size';
    const isSortable = this.#options.fetchSorted !== undefined && this.#until === Infinity;
    if (!done('sorted') && isSortable) return 'sorted';
    return rounds < ROUNDS_OF_MOVING ? 'everything' : undefined;
  }

  /** Reads around the places where the listing moved; reads everything where they are unknown or the listing is short. */
  #partsOrAll(): Round {
    const { pass, sizes } = this.#reader;
    const isShort = this.#pages <= 2 * this.#options.concurrency;
    return isShort || pass.toReadAgain(sizes.largest).length === 0 ? 'everything' : 'parts';
  }

  #begin(round: Round): readonly Region[] {
    const { sizes, pass } = this.#reader;
    this.#round = round;
    this.#withoutNews = NOTHING_OLD;
    this.#isRepeating = false;
    sizes.keepConstant(round === 'one-size');
    if (round === 'parts') {
      const regions = pass.toReadAgain(sizes.largest);
      this.#reader.begin(this.#newPass(regions));
      this.#unique.countEqualWithin('page');
      return regions;
    }
    const { fetchPage, fetchSorted = fetchPage } = this.#options;
    if (round === 'sorted') this.#order = new SeenOrder(this.#unique.newReader);
    this.#reader.begin(this.#newPass(), round === 'sorted' ? fetchSorted : fetchPage);
    // In a listing that moves, a record that comes again on another page is more likely the same one than an equal one.
    this.#unique.beginPass(this.#hasMoved ? 'page' : 'pass');
    return [{ from: 0 }];
  }

  #newPass(regions?: readonly DoubtfulRegion[]): Pass {
    const { givenUp } = this.#options.status;
    return new Pass({ newReader: this.#unique.newReader, seen: this.#order, givenUp }, regions);
  }
}

const NOTHING_OLD = { pages: 0, records: 0 };
