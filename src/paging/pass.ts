import type { IdentityReader } from '../json/identity.ts';
import { sliceRecords, type RecordBatch } from '../json/records.ts';
import type { NewReader } from './unique-records.ts';

/** A page as it was read, in its place. */
export interface PlacedPage {
  readonly offset: number;
  /** The offset of the record for which it was requested: the first that earlier pages were not to hold. */
  readonly from: number;
  readonly records: RecordBatch;
  /** Whether it has as many records as a page has. */
  readonly isFull: boolean;
  /** Whether the listing was seen to end with it. */
  readonly isLast: boolean;
  /** By how much the total had changed in this pass when it came, up and down together. */
  readonly churn: number;
}

/** What a pass shares with others over the same listing. */
interface PassOptions {
  readonly newReader: NewReader;
  readonly seen: SeenOrder;
  /** Offsets of records that the service does not serve. */
  readonly givenUp: ReadonlySet<number>;
}

/** A place between two pages that do not show that they hold together, or between which the total changed. */
interface Border {
  readonly offset: number;
  /** The number of the second page. */
  readonly page: number;
  readonly kind: 'total' | Misfit;
}

/**
 * Why two pages do not show that they hold together:
 * - `shifted`: the second has the last record of the first, but not in the place where they overlap;
 * - `gap`: the second does not have that record, so that others may be lost between the two;
 * - `adjoining`: the second begins where the first ended, so that they have no record in common;
 * - `seenTwice`: the same, and an earlier pass had the same two records there.
 */
type Misfit = 'shifted' | 'gap' | Adjoining;

/** How many records two pages have to be apart so that equal ones show that the service repeats itself. */
const LEAST_REPEATED = 5;
/** The fewest gaps that show that the order changes from page to page; half of the pages that overlap must have one, too. */
const OFTEN_GAPS = 3;

/**
 * One pass over a listing, or over parts of it, and whether a record was lost on the way.
 *
 * As long as records keep their order, two pages with a record in common lose none between them: a record behind the first
 * page stands behind the common record, and so not in front of the second page, whatever was inserted or deleted between
 * the two requests. Therefore each page is requested with the last record of the page before it. Pages that hold together
 * from the beginning of the listing to its end have every record that existed throughout.
 *
 * Between two pages without a common record there is a gap. The region around it is read again, until a pass over it has records
 * of pages on either side of the gap. Where the total changed between two pages, the region is read again as well, since a record
 * may have been inserted there. Pages too small to overlap, or of a size that the service fixes, adjoin. That proves nothing, so
 * the region is read again, too, unless a page had the last record of the one and the first of the other next to each other.
 */
export class Pass {
  /** Pages so far. */
  pages = 0;
  /** True when a page began and ended as the one before it: the service may send the same page for ever. */
  isStuck = false;
  /** True when pages may repeat records of earlier pages, and their places do not show which. */
  mayRepeat = false;
  /** True when it brought a record that no pass had brought before. */
  hasNews = false;
  /** Records that two pages have in common by their keys, but with other contents. */
  changedAtBorder = 0;
  /** What is read again; none in a pass over everything. */
  readonly regions: readonly DoubtfulRegion[];
  readonly #identity: IdentityReader;
  readonly #seen: SeenOrder;
  readonly #givenUp: ReadonlySet<number>;
  readonly #borders: Border[] = [];
  /** The last page that had records. */
  #previous: PlacedPage | undefined;
  #overlaps = 0;
  #total: number | undefined;
  #churn = 0;

  constructor({ newReader, seen, givenUp }: PassOptions, regions: readonly DoubtfulRegion[] = []) {
    this.#identity = newReader();
    this.#seen = seen;
    this.#givenUp = givenUp;
    this.regions = regions;
  }

  /** Notes the total of a page, in the order in which pages arrive. Returns by how much it has changed so far. */
  arrived(total: number | undefined): number {
    if (total === undefined) return this.#churn;
    this.#churn += Math.abs(total - (this.#total ?? total));
    this.#total = total;
    return this.#churn;
  }

  /** Takes the next page in the order of the listing. Returns its records without those of the page before it. */
  join(placed: PlacedPage): RecordBatch {
    const { offset, from, records, churn } = placed;
    const before = this.#previous;
    const page = this.pages++;
    const isOfAll = this.regions.length === 0;
    // In a region that is read again, records in front of it may be new, too.
    const inFront = isOfAll ? Math.max(0, from - offset) : 0;
    const common = before === undefined ? inFront : this.#inCommon(placed, before);
    const fits = typeof common === 'number';
    if (before !== undefined && (!fits || before.churn !== churn))
      this.#borders.push({ offset, page, kind: fits ? 'total' : common });
    this.mayRepeat ||= common === 'shifted' || common === 'gap';
    this.isStuck ||= before !== undefined && this.#isSame(placed, before);
    if (records.count > 0) this.#previous = placed;
    this.#seen.note(records, isOfAll ? page : undefined);
    if (!isOfAll) this.#noteMet(placed);
    // Where pages do not fit, any record may be new.
    return fits ? sliceRecords(records, common, records.count) : records;
  }

  /** Notes in the region that is read again the pages around it that have a record of this one. */
  #noteMet({ from, records, isLast }: PlacedPage): void {
    const region = this.regions.find((candidate) => candidate.from <= from && from < candidate.to);
    if (region === undefined) return;
    for (const page of this.#seen.pageNumbersIn(records)) region.meet(page);
    if (isLast) region.meet(Infinity);
  }

  get hasNewTotal(): boolean {
    return this.#churn > 0;
  }

  /** True when the listing was seen to move: the total changed, or pages do not hold together. */
  get moved(): boolean {
    return (
      this.#churn > 0 ||
      this.#borders.some((border) => !isAdjoining(border)) ||
      this.regions.some(({ isOpen }) => isOpen)
    );
  }

  /** True when no record was missed between two pages, in an order that does not change. */
  get isProven(): boolean {
    return !this.moved && this.#doubtful.length === 0;
  }

  /** The borders to read again. One that two passes showed alike is fine, unless this one brought new records. */
  get #doubtful(): readonly Border[] {
    return this.#borders.filter(({ kind }) => kind !== 'seenTwice' || this.hasNews);
  }

  /** True when there are so many gaps that the order itself must change. */
  get isUnordered(): boolean {
    const gaps = this.#borders.filter(({ kind }) => kind === 'gap').length;
    return gaps >= OFTEN_GAPS && gaps * 2 >= this.#overlaps;
  }

  /**
   * The regions to read again, in pages of this size: around each border where pages do not hold together, and those of this
   * pass, wider where they were read in vain. Empty where no place is known.
   */
  toReadAgain(size: number): DoubtfulRegion[] {
    const reach = size + Math.ceil(this.#churn / size) * size;
    const around = this.#doubtful.map((border) => {
      const { offset, page, kind } = border;
      // Pages of a pass over parts have other numbers. What is lost there lies in the gap of the region that was read again.
      const mayLose = this.regions.length === 0 && (kind === 'gap' || isAdjoining(border));
      const gap = mayLose ? ([page - 1, page] as const) : NO_GAP;
      const middle = isAdjoining(border) ? offset : Math.floor(offset / size) * size;
      const most = isAdjoining(border) ? 1 : reach;
      return new DoubtfulRegion(middle - most, middle + most, gap);
    });
    const readBefore = this.regions.map((region) => region.forNextRound);
    return DoubtfulRegion.merged([...readBefore, ...around], size);
  }

  /** How many records at the front of a page are the last of the page before it; or how the pages do not fit. */
  #inCommon(placed: PlacedPage, before: PlacedPage): number | Misfit {
    const { offset, records } = placed;
    const overlap = endOf(before) - offset;
    const last = this.#known(before.records, before.records.count - 1).content;
    if (overlap < 0) return this.#isLeftOut(endOf(before), placed) ? 'gap' : 0;
    if (overlap === 0) {
      const isEnd = records.count === 0;
      // Behind a full page, an empty one adjoins it like any other: a record may be lost between the two.
      if (isEnd && !before.isFull) return 0;
      const first = isEnd ? '' : this.#known(records, 0).content;
      return this.#seen.noteNeighbors(last, first) ?? 0;
    }
    this.#overlaps++;
    if (this.#isEndOf(before.records, records, overlap)) return overlap;
    for (let index = 0; index < records.count; index++)
      if (this.#known(records, index).content === last) return 'shifted';
    return 'gap';
  }

  /** Whether records between the end of the page before and this page were to be read, and no page brought them. */
  #isLeftOut(end: number, { offset, from, records }: PlacedPage): boolean {
    if (records.count === 0 || this.regions.some((region) => region.from === from)) return false;
    for (let place = end; place < offset; place++) if (!this.#givenUp.has(place)) return true;
    return false;
  }

  /** Whether the last `count` records of a page, or all of them, are the first of the next page, changed or not. */
  #isEndOf(page: RecordBatch, next: RecordBatch, count: number): boolean {
    if (count > next.count) return false;
    let changed = 0;
    for (let index = count - 1; index >= Math.max(0, count - page.count); index--) {
      const before = this.#known(page, page.count - count + index);
      const now = this.#known(next, index);
      if (now.content === before.content) continue;
      if (now.key === undefined || now.key !== before.key) return false;
      changed++;
    }
    this.changedAtBorder += changed;
    return true;
  }

  /** True when a page from another place has as many records as the one before it, and the same first and last one. */
  #isSame({ offset, records }: PlacedPage, before: PlacedPage): boolean {
    const { count } = records;
    // In pages that are closer, records of equal dates may merely have changed places.
    if (offset - before.offset < LEAST_REPEATED || count !== before.records.count || count === 0)
      return false;
    const isEqual = (index: number): boolean =>
      this.#known(records, index).content === this.#known(before.records, index).content;
    return isEqual(0) && this.#identity.hasKey && isEqual(count - 1);
  }

  /** A record by its content, and by its key. */
  #known(
    records: RecordBatch,
    index: number,
  ): { readonly content: string; readonly key: string | undefined } {
    const identity = this.#identity.read(records, index);
    return { content: identity.content(), key: identity.hasKey ? identity.key() : undefined };
  }
}

function isAdjoining({ kind }: Border): boolean {
  return kind === 'adjoining' || kind === 'seenTwice';
}

function endOf({ offset, records }: PlacedPage): number {
  return offset + records.count;
}

/** The numbers of two pages of a pass over everything between which records may be lost. */
type Gap = readonly [after: number, before: number];

/** A region with this gap is never open. */
const NO_GAP: Gap = [Infinity, -Infinity];

/**
 * A region of a listing that is read again, since records may be lost in a gap between two pages. The gap is closed when the region
 * has a record of a page in front of it (or begins with the listing), and one of a page behind it (or ends with the listing).
 */
export class DoubtfulRegion {
  readonly from: number;
  readonly to: number;
  readonly #gap: Gap;
  /** The numbers of the first and of the last page of the pass over everything that it has records of. */
  #firstMet: number;
  #lastMet = -Infinity;

  constructor(from: number, to: number, gap: Gap) {
    this.from = Math.max(0, from);
    this.to = to;
    this.#gap = gap;
    this.#firstMet = from <= 0 ? -Infinity : Infinity;
  }

  /** Notes that it has a record of this page; Infinity stands for the end of the listing. */
  meet(page: number): void {
    this.#firstMet = Math.min(this.#firstMet, page);
    this.#lastMet = Math.max(this.#lastMet, page);
  }

  /** Whether records may still be lost in the gap. */
  get isOpen(): boolean {
    const [after, before] = this.#gap;
    return this.#firstMet > after || this.#lastMet < before;
  }

  /** The same region for another pass; a wider one where this one was read in vain. */
  get forNextRound(): DoubtfulRegion {
    const more = this.isOpen ? this.to - this.from : 0;
    return new DoubtfulRegion(this.from - more, this.to + more, this.#gap);
  }

  /** Regions in their order, as one where no page of this size fits between them. */
  static merged(regions: readonly DoubtfulRegion[], size: number): DoubtfulRegion[] {
    const all: DoubtfulRegion[] = [];
    for (const region of regions.toSorted((a, b) => a.from - b.from)) {
      const last = all.at(-1);
      if (last === undefined || region.from > last.to + size) all.push(region);
      else {
        const [after, before] = last.#gap;
        const gap = [Math.min(after, region.#gap[0]), Math.max(before, region.#gap[1])] as const;
        all[all.length - 1] = new DoubtfulRegion(last.from, Math.max(last.to, region.to), gap);
      }
    }
    return all;
  }
}

/** Two pages adjoin: for the first time with these two records there, or as in an earlier pass. */
type Adjoining = 'adjoining' | 'seenTwice';

/** Records that are noted at either end of a page: where records are lost, it is there. */
const AT_EITHER_END = 24;

/** Where a record was first seen: its page, as an object of its own, and its index there. */
interface Seen {
  readonly page: object;
  readonly index: number;
  /** The number of the last page of a pass over everything that had the record at an end. */
  pageNumber: number | undefined;
  /** The content of the record that was last seen behind it in one page. */
  next?: string;
  /** The content of the record with which the page after that of this record began. */
  nextPage?: string;
}

/**
 * Remembers the records at the ends of pages, by their contents: a changed record counts as another one.
 *
 * It shows whether the service's order depends on the request: then two records of one page stand in the opposite order in
 * another page. Inserting and deleting records never causes that. In such an order, records may be lost even between pages
 * that have one in common.
 */
export class SeenOrder {
  /** True when two records were seen in both orders. */
  isUnstable = false;
  readonly #identity: IdentityReader;
  readonly #seen = new Map<string, Seen>();

  constructor(newReader: NewReader) {
    this.#identity = newReader();
  }

  /** @param pageNumber in a pass over everything; undefined where parts are read again */
  note(records: RecordBatch, pageNumber?: number): void {
    const page = {};
    /** For each earlier page: the index there of the last of its records that came in this page. */
    const reached = new Map<object, number>();
    let before: Seen | undefined;
    for (let index = 0; index < records.count; index++) {
      if (index === AT_EITHER_END && index < records.count - AT_EITHER_END) {
        index = records.count - AT_EITHER_END;
        before = undefined;
      }
      const content = this.#identity.read(records, index).content();
      if (before !== undefined) before.next = content;
      const seen = this.#seen.get(content);
      before = seen ?? { page, index, pageNumber };
      before.pageNumber = pageNumber ?? before.pageNumber;
      if (seen === undefined) this.#seen.set(content, before);
      else if (seen.page !== page) {
        this.isUnstable ||= seen.index < (reached.get(seen.page) ?? 0);
        reached.set(seen.page, seen.index);
      }
    }
  }

  /**
   * Notes that two pages adjoin, one ending with `last`, one beginning with `first`. Returns undefined where a page had the two
   * next to each other: then no record is between them.
   */
  noteNeighbors(last: string, first: string): Adjoining | undefined {
    const seen = this.#seen.get(last)!;
    if (seen.next === first) return undefined;
    const isSeenTwice = seen.nextPage === first;
    seen.nextPage = first;
    return isSeenTwice ? 'seenTwice' : 'adjoining';
  }

  /** The numbers of the pages of a pass over everything that ended or began with records of this page. */
  *pageNumbersIn(records: RecordBatch): Generator<number> {
    for (let index = 0; index < records.count; index++) {
      const seen = this.#seen.get(this.#identity.read(records, index).content());
      if (seen?.pageNumber !== undefined) yield seen.pageNumber;
    }
  }
}
