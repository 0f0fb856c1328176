import { RefusedQuery } from '../errors.ts';
import { sliceRecords } from '../json/records.ts';
import { runCooperatively, type CooperativeTask } from '../json/cooperative-task.ts';
import { PageReader, type PageReaderOptions } from './page-reader.ts';
import type { Delivery, FetchPage } from './page.ts';
import { Pass, SeenOrder, type DoubtfulRegion, type PlacedPage } from './pass.ts';
import { UniqueRecords } from './unique-records.ts';
import type { IncompleteReason } from '../findings.ts';

export interface NumberedWalkOptions extends PageReaderOptions {
  /** Reads the same listing in the order of a key that few records share; undefined where there is none. */
  readonly fetchSorted?: FetchPage | undefined;
  /** True where the key that the listing is sorted by may change, so that a record may come again from another place. */
  readonly orderMayMove?: boolean;
  /** Tells the listing's records apart. */
  readonly unique?: UniqueRecords;
}

/** Rounds of reading again where the listing moved, at most. */
const ROUNDS_OF_MOVING = 2;
/** Rounds of reading again where its order is not stable, at most. */
const ROUNDS_OF_ORDER = 3;
/** A service that repeats itself is read once more only where it sent no more pages than this. */
const PAGES_OF_REPEATING = 20;
/** Pages with nothing new show that the service repeats itself only where they have so many records together. */
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
 * In a stable order, pages that hold together prove that no record was missed. If two records were seen in both orders, a whole
 * pass has to bring as many different records as the total names. Pages that only adjoin prove nothing until they are read again.
 *
 * `status.complete` is false where records may still be missing.
 */
export function walkNumbered(options: NumberedWalkOptions): AsyncGenerator<Delivery> {
  return new NumberedWalk(options).walk();
}

/** How a round reads, in one pass: all for the first time, parts of the listing, all once more, or all in another way. */
type Round = 'first' | 'parts' | 'everything' | 'one-size' | 'sorted';

class NumberedWalk {
  readonly #options: NumberedWalkOptions;
  readonly #until: number;
  readonly #unique: UniqueRecords;
  readonly #reader: PageReader;
  /** The rounds so far. */
  readonly #rounds: Round[] = ['first'];
  /** Pages of the last pass over everything. */
  #pages = 0;
  /** In this round, the service seems to send the same records for ever. */
  #isRepeating = false;
  /** The total changed within a round, or between two. */
  #hasNewTotal = false;
  /** Watches the order that is read now. The sorted order has a watcher of its own. */
  #order: SeenOrder;
  /** The service's order depends on the request, as far as was seen: then records do not vanish, but change their places. */
  #isUnordered = false;
  /** The listing moved in a pass over everything: a record that was delivered may be gone. */
  #hasMoved = false;
  /** A hash of the records in order, for each pass that read everything again and saw nothing move. */
  readonly #sequences = new Map<Round, string>();

  constructor(options: NumberedWalkOptions) {
    this.#options = options;
    this.#until = options.until ?? Infinity;
    this.#unique = options.unique ?? new UniqueRecords();
    this.#order = new SeenOrder(this.#unique.newReader);
    this.#reader = new PageReader(options, this.#newPass());
  }

  async *walk(): AsyncGenerator<Delivery> {
    const { isSinglePage = false, status } = this.#options;
    yield* this.#read();
    if (isSinglePage) return;
    for (let next = this.#finishRound(); next !== undefined; next = this.#finishRound()) {
      status.reread();
      this.#begin(next);
      try {
        yield* this.#read();
      } catch (error) {
        // The service does not know that order, so the walk stays incomplete.
        if (next !== 'sorted' || !(error instanceof RefusedQuery)) throw error;
        return;
      }
    }
  }

  get #round(): Round {
    return this.#rounds.at(-1)!;
  }

  async *#read(): AsyncGenerator<Delivery> {
    for await (const placed of this.#reader.read()) {
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
    // Without a total, nothing else counts the records.
    if (pass.pages === 1 && extent.total === undefined) this.#unique.countEqualWithin('pass');
    if (pass.mayRepeat) this.#unique.countEqualWithin('page');
    const moved = pass.moved || this.#round === 'parts' || orderMayMove;
    const { fresh, duplicates, changed } = yield* this.#unique.deduplicate(records, { moved });
    // In a few small pages, records of equal dates may merely have changed places.
    this.#isRepeating ||= pass.isStuck || (this.#round !== 'parts' && this.#unique.isRepeating(OLD_RECORDS));
    if (this.#isRepeating) extent.endsAt(placed.offset);
    pass.hasNews ||= fresh.count > 0;
    const wanted = sliceRecords(fresh, 0, this.#until - status.records);
    status.records += wanted.count;
    status.repeat(duplicates + changed);
    status.orderMayMove ||= orderMayMove && pass.pages > 1;
    const next = this.#round === 'first' ? placed.offset + placed.records.count : undefined;
    return wanted.count > 0 ? { records: wanted, next } : undefined;
  }

  /**
   * Returns how to read in the next round, or undefined: when every record was delivered, as far as the walk can tell, and
   * when another round would not help. The status has which of the two it is.
   */
  #finishRound(): Round | undefined {
    const { status } = this.#options;
    const { pass } = this.#reader;
    if (this.#round !== 'parts') this.#pages = pass.pages;
    this.#hasNewTotal ||= pass.hasNewTotal || status.totalAtStart !== status.totalAtEnd;
    this.#isUnordered ||= this.#order.isUnstable || pass.isUnordered;
    this.#hasMoved ||= this.#hasNewTotal || (pass.moved && this.#round !== 'parts');
    status.drift ||= pass.hasNewTotal || (pass.moved && !this.#isUnordered);
    if (this.#isReread && !pass.moved) this.#sequences.set(this.#round, this.#unique.sequence);
    const { count, reason, next } = this.#judge();
    status.setIncomplete(count, reason);
    return next;
  }

  /** Judges what was seen, in the last round and so far, by the first rule that holds. */
  #judge(): Verdict {
    const { status } = this.#options;
    const { pass, extent, isFullRepeated } = this.#reader;
    const { size, allHaveKeys, keysRepeat, repeatedInPass } = this.#unique;
    const { total, reached } = extent;
    const expected = this.#expected;
    // Of the records that exist, and new ones found after the limit was reached.
    const missing = Math.max(0, expected - size - status.givenUp.size) + size - status.records;
    // More came than exist. Where no key tells them apart, some may have come in two forms.
    const tooMany = allHaveKeys && !keysRepeat ? 0 : Math.max(0, size - Math.max(total ?? 0, reached));
    const count = Math.max(missing, tooMany, this.#isProven() ? 0 : 1);
    if (count === 0) return { count };
    // Without a total, nothing shows whether the listing ends with a full page that came again.
    if (isFullRepeated) return { count, reason: 'repeating' };
    // Another kind of repetition may pass, where it takes few calls to see.
    const mayPass = this.#rereads === 0 && pass.pages <= PAGES_OF_REPEATING;
    if (this.#isRepeating) return { count, reason: 'repeating', next: mayPass ? 'everything' : undefined };
    // Where the order is stable, what came and went shows in the places where it did.
    const mayReread = this.#rereads < ROUNDS_OF_MOVING;
    if (this.#hasNewTotal && !this.#isUnordered)
      return { count, reason: 'changing', next: mayReread ? this.#partsOrAll : undefined };
    // From here on the order may be at fault, too.
    const next = this.#nextWay();
    if (this.#hasNewTotal) return { count, reason: 'changing', next };
    // Keys repeat, so that none shows which of two records is the other one in an earlier form.
    if (tooMany > 0 && allHaveKeys) return { count, reason: 'more', next };
    // An order that changes explains what is missing, unless more came than there is: then some are gone.
    const hasLost = allHaveKeys && size > expected;
    if (this.#isUnordered && !hasLost) return { count, reason: 'order', next };
    if (pass.moved || hasLost || repeatedInPass > 0) return { count, reason: 'unsteady', next };
    // Nothing moved: the service names more records than it sends.
    if (total !== undefined && missing > 0) return { count, reason: 'total', next };
    // Nothing moved, and nothing is missing, but the pages prove nothing.
    return { count, reason: pass.isProven ? 'unsteady' : 'adjoining', next };
  }

  /** Whether the round shows that no record was missed. */
  #isProven(): boolean {
    const { pass, extent, isFullRepeated } = this.#reader;
    const { size, inPass, unsure, keysRepeat, sequence } = this.#unique;
    if (pass.moved || isFullRepeated) return false;
    // A pass over everything that brings as many records as were delivered shows that none was delivered in two forms.
    const isSame = inPass === size;
    const mayBeOneChanged = unsure > 0 || (pass.changedAtBorder > 0 && keysRepeat);
    if (mayBeOneChanged && !(this.#isReread && isSame)) return false;
    // In an order that changes, parts may hold together by chance.
    if (this.#round === 'parts') return pass.isProven && !this.#isUnordered;
    // Without a total, nothing counts the records: one that changed meanwhile may have been delivered in both forms.
    if (extent.total === undefined && keysRepeat && this.#round === 'first') return false;
    // Equal records may be different ones, when they come in the same places again in pages of other sizes.
    for (const [round, before] of this.#sequences)
      if (round !== this.#round && before === sequence) return true;
    if (inPass + this.#options.status.givenUp.size < this.#expected) return false;
    // In an order that is stable, pages that hold together leave nothing out.
    if (pass.isProven && !this.#order.isUnstable) return true;
    // In any order, the count does, where no record came twice: in one pass, or in two that brought the same records.
    return isSame && (pass.isProven || this.#isReread);
  }

  /** How to read again where the total stays, in turn: around the places, in pages of one size, in another order, once more. */
  #nextWay(): Round | undefined {
    const { fetchSorted } = this.#options;
    const rereads = this.#rereads;
    if (rereads >= ROUNDS_OF_ORDER) return undefined;
    // Where only the order of a listing is not stable, no record vanishes.
    const mayHaveLost = this.#round === 'first' || this.#unique.size > this.#expected;
    const isMoving = !this.#reader.pass.isProven && !this.#isUnordered && mayHaveLost;
    if (isMoving && rereads < ROUNDS_OF_MOVING) return this.#partsOrAll;
    if (!this.#rounds.includes('one-size')) return 'one-size';
    const isSortable = fetchSorted !== undefined && this.#until === Infinity;
    if (isSortable && !this.#rounds.includes('sorted')) return 'sorted';
    return rereads < ROUNDS_OF_MOVING ? 'everything' : undefined;
  }

  get #rereads(): number {
    return this.#rounds.length - 1;
  }

  /** Whether the round read everything again, in whichever way. */
  get #isReread(): boolean {
    return this.#round !== 'first' && this.#round !== 'parts';
  }

  /** How many records there are to deliver, as far as is known. */
  get #expected(): number {
    const { total, reached } = this.#reader.extent;
    return Math.min(total ?? reached, this.#until);
  }

  /** What to read again where the listing moved: parts, where they are known and the listing is not short. */
  get #partsOrAll(): Round {
    return this.#regions.length > 0 ? 'parts' : 'everything';
  }

  /** The regions around the places where the listing moved. None where they are unknown, or the listing is short. */
  get #regions(): DoubtfulRegion[] {
    const { pass, sizes } = this.#reader;
    return this.#pages <= 2 * this.#options.concurrency ? [] : pass.toReadAgain(sizes.largest);
  }

  /** Begins another round. */
  #begin(round: Round): void {
    const { fetchPage, fetchSorted = fetchPage } = this.#options;
    const [isSorted, isOfParts] = [round === 'sorted', round === 'parts'];
    const regions = isOfParts ? this.#regions : [];
    this.#rounds.push(round);
    this.#isRepeating = false;
    this.#reader.sizes.keepConstant(round === 'one-size');
    if (isSorted) this.#order = new SeenOrder(this.#unique.newReader);
    this.#reader.begin(this.#newPass(regions), isSorted ? fetchSorted : fetchPage);
    if (isOfParts) this.#unique.countEqualWithin('page');
    // In a listing that moves, a record that comes again on another page is more likely the same one than an equal one.
    else this.#unique.beginPass(this.#hasMoved ? 'page' : 'pass');
  }

  #newPass(regions?: readonly DoubtfulRegion[]): Pass {
    const { givenUp } = this.#options.status;
    return new Pass({ newReader: this.#unique.newReader, seen: this.#order, givenUp }, regions);
  }
}

/** How many records may be missing, at least, and why; and how to read again, where that may help. */
interface Verdict {
  readonly count: number;
  readonly reason?: IncompleteReason;
  readonly next?: Round | undefined;
}
