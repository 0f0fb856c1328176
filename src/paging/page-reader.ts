import { ServiceError } from '../errors.ts';
import { sliceRecords, type RecordBatch } from '../json/records.ts';
import { inOrder } from './map-in-order.ts';
import { PageSizes, Place, type SizedWindow } from './page-sizes.ts';
import { PageRefused, type FetchPage, type Page, type Window } from './page.ts';
import type { Pass, PlacedPage } from './pass.ts';
import type { UniqueRecords } from './unique-records.ts';
import type { WalkStatus } from './walk-status.ts';

export interface PageReaderOptions {
  readonly fetchPage: FetchPage;
  /** Records a page, at most. */
  readonly size: number;
  /** Records a page that the service takes, at most. */
  readonly maxSize?: number | undefined;
  /** Where to begin, in records. */
  readonly from?: number;
  /** Ends before this offset, whatever the total: for a limit, or for a single page. */
  readonly until?: number | undefined;
  /** True for one page: whatever the service serves as that page is the whole result. */
  readonly isSinglePage?: boolean;
  /** Pages requested at once. */
  readonly concurrency: number;
  readonly status: WalkStatus;
  readonly signal: AbortSignal;
}

/** Records from `from` up to `to`; without `to`, as far as the listing goes. */
export interface Region {
  readonly from: number;
  readonly to?: number;
}

/** Records that are still to come: up to `end`, next a page with the one at `from`. */
interface Range {
  readonly from: number;
  readonly end: number;
  /** True where the page came before without the record at `from`, or short. */
  readonly isAgain?: boolean;
}

/** A range, and the next page of it. */
interface RangeInPlace extends Range {
  readonly window: SizedWindow;
  readonly place: Place;
}

/** Records in a row that cannot be read alone before the service counts as down. */
const GIVEN_UP_IN_A_ROW = 5;
/** How often the service may change the page size that it applies. */
const MAX_REBASES = 8;

/**
 * Reads pages of a numbered listing for a walk, several at once. Each is to bring a range of records: where it is refused or
 * comes short, more pages bring the rest of the range, one after the other.
 */
export class PageReader {
  readonly sizes: PageSizes;
  readonly extent = new Extent();
  pass: Pass;
  /**
   * A full page of a listing without a total came again in the next place: either the listing ends with it, or the service sends
   * this page for ever.
   */
  isFullRepeated = false;
  readonly #options: PageReaderOptions;
  readonly #unique: UniqueRecords;
  readonly #until: number;
  #fetchPage: FetchPage;
  /** What is not yet cut into ranges. */
  #regions: Region[] = [];
  /** Ranges whose pages have not all come. */
  #coming = 0;
  #rebases = 0;
  /** The page that came last. */
  #last: { readonly offset: number; readonly bytes: Buffer; readonly isFull: boolean } | undefined;
  #givenUpInARow = 0;

  constructor(options: PageReaderOptions, unique: UniqueRecords, pass: Pass) {
    this.#options = options;
    this.#unique = unique;
    this.#fetchPage = options.fetchPage;
    this.#until = options.until ?? Infinity;
    this.sizes = new PageSizes(options.size, options.maxSize);
    this.pass = pass;
  }

  begin(pass: Pass, fetchPage: FetchPage): void {
    this.pass = pass;
    this.#fetchPage = fetchPage;
    this.#last = undefined;
    this.extent.reopen();
  }

  read(regions: readonly Region[]): AsyncGenerator<PlacedPage> {
    const { concurrency, signal } = this.#options;
    this.#regions = [...regions];
    this.#coming = 0;
    const next = (within: AbortSignal): Promise<PlacedPage[]> | undefined => {
      const range = this.#nextRange();
      return range && this.#readRange(range, within);
    };
    return inOrder({ next, concurrency, ahead: 2 * concurrency, signal });
  }

  /** Cuts the next range off the regions. Undefined at their end, and where it depends on pages that are still to come. */
  #nextRange(): RangeInPlace | undefined {
    for (;;) {
      const [region] = this.#regions;
      if (region === undefined) return undefined;
      const { from } = region;
      const end = Math.min(region.to ?? Infinity, this.#until);
      if (from < end && this.extent.isOpenAt(from) && this.#coming > 0) return undefined;
      if (from < end && this.extent.goesOnAt(from)) {
        const place = new Place(this.sizes, this.#options.status);
        const window = this.#beginPage(from, place);
        const next = window.offset + window.size;
        this.#regions[0] = { ...region, from: next };
        return { from, end: Math.min(next, end), window, place };
      }
      this.#regions.shift();
    }
  }

  /** Brings a range, page by page, each as large as the ones before it show. */
  async #readRange(first: RangeInPlace, signal: AbortSignal): Promise<PlacedPage[]> {
    const pages: PlacedPage[] = [];
    const { place } = first;
    this.#coming++;
    try {
      for (let range = first; ;) {
        const page = await this.#fetch(range, signal);
        const rest = page instanceof PageRefused ? this.#refuse(range, page) : this.#take(range, page, pages);
        if (rest.from >= rest.end || !this.extent.goesOnAt(rest.from)) return pages;
        range = { ...rest, window: this.#beginPage(rest.from, place), place };
      }
    } finally {
      this.#coming--;
    }
  }

  /** Adds a page that came to `pages`, where it has what it was requested for. Returns what is still to come of its range. */
  #take({ window, place, ...range }: RangeInPlace, page: Page, pages: PlacedPage[]): Range {
    const { from } = range;
    const { count, bytes } = page.records;
    const applied = this.#appliedWindow(window, page);
    const pageEnd = applied.offset + applied.size;
    // By its number, the page began elsewhere than expected, and does not hold the record.
    if (applied.offset >= from + applied.size) return { from, end: range.end };
    const end = applied === window ? range.end : Math.max(range.end, Math.min(pageEnd, this.#until));
    if (this.#endsByRepeating(applied, page)) return { from: end, end };
    const [region] = this.#regions;
    // What it brings beyond its own records is not read again.
    if (region !== undefined && region.from < end) this.#regions[0] = { ...region, from: end };
    this.#givenUpInARow = 0;
    // First what the page shows of the listing and of its size: what is still to come depends on both.
    this.extent.note(applied, from, page);
    this.#options.status.page(page.total);
    place.came(applied, { count, bytes: bytes.length });
    const rest = this.#restBehind({ ...range, end, window }, applied, count);
    const placed = this.#placed(applied, from, page.records);
    if (placed !== undefined) pages.push(placed);
    return place.isLimited ? rest : this.#giveBack(rest);
  }

  /** The page in its place; none where it does not reach the record at `from`, and shows no end either. */
  #placed({ offset, size }: SizedWindow, from: number, records: RecordBatch): PlacedPage | undefined {
    const { total } = this.extent;
    const { count } = records;
    const reached = offset + count;
    const churn = this.pass.arrived(total);
    const isLast = total === undefined ? reached <= from : count < size && reached >= total;
    if (reached <= from && !isLast) return undefined;
    const wanted = sliceRecords(records, 0, this.#until - offset);
    return { offset, from, records: wanted, isFull: count >= size, isLast, churn };
  }

  /** The page to request for a record. None begins before the option `from`, or holds a record that was given up. */
  #beginPage(from: number, place: Place): SizedWindow {
    let { from: floor = 0 } = this.#options;
    for (const offset of this.#options.status.givenUp)
      if (offset < from && offset >= floor) floor = offset + 1;
    return this.sizes.beginPage(from, place.moveTo(from), floor);
  }

  /** Gives a range back, to be read several pages at once, unless the one behind it was cut off. Returns what is left. */
  #giveBack(range: Range): Range {
    const { from, end, isAgain } = range;
    const [region] = this.#regions;
    if (region?.from !== end || isAgain || from >= end) return range;
    this.#regions[0] = { ...region, from };
    return { from: end, end };
  }

  async #fetch({ window, place }: RangeInPlace, signal: AbortSignal): Promise<Page | PageRefused> {
    const { offset, size } = window;
    const onRefusal = place.decideRefusal(size, this.sizes.isFixed);
    try {
      return await this.#fetchPage({ offset, size }, signal, onRefusal);
    } catch (error) {
      if (error instanceof PageRefused) return error;
      throw error;
    }
  }

  /** Goes on with a smaller page, or behind a record that is given up. Returns what is still to come of the range. */
  #refuse({ from, end, window, place }: RangeInPlace, refusal: PageRefused): Range {
    if (window.size > 1) {
      place.refuse(window, refusal, from);
      return { from, end };
    }
    this.#options.status.giveUp(from);
    if (++this.#givenUpInARow >= GIVEN_UP_IN_A_ROW) throw refusal.cause;
    return { from: from + 1, end };
  }

  /**
   * The page as the service applied it. Where it applied another size than the requested one, the page's number stands for
   * another offset. Its count of records counts for more than the size that the service names. Throws ServiceError
   * where the service keeps changing the size.
   */
  #appliedWindow(window: SizedWindow, { pageSize = 0, records }: Page): SizedWindow {
    const { offset, size } = window;
    const named = pageSize > 0 ? pageSize : size;
    const applied = records.count > Math.max(size, named) ? records.count : named;
    if (applied === size) return window;
    // Otherwise this page was on its way before the size was known.
    if (applied !== this.sizes.largest || (size <= applied && !this.sizes.isFixed)) {
      if (++this.#rebases > MAX_REBASES) {
        throw new ServiceError('the service keeps changing the page size that it applies', {
          hint: 'Give --page-size a smaller number.',
        });
      }
      this.sizes.rebase(applied, size);
    }
    return { ...window, offset: (offset / size) * applied, size: applied };
  }

  /** Without a total, a page that repeats the one before it shows that the listing has ended. */
  #endsByRepeating({ offset, size }: Window, { records, total = this.extent.total }: Page): boolean {
    if (total !== undefined) return false;
    const { bounds, count } = records;
    const last = this.#last;
    if (last === undefined) this.#unique.countEqualWithin('pass');
    const bytes = records.bytes.subarray(bounds[0] ?? 0, bounds.at(-1) ?? 0);
    this.#last = { offset, bytes, isFull: count >= size };
    if (count === 0 || last === undefined || last.offset === offset || !last.bytes.equals(bytes))
      return false;
    this.isFullRepeated ||= last.isFull;
    this.extent.endsAt(offset + 1);
    return true;
  }

  /** What is still to come of a range behind a page, which may have come short of where the requested one was to end. */
  #restBehind(
    { from, end, isAgain = false, window }: Range & { window: Window },
    { offset, size }: Window,
    count: number,
  ): Range {
    const { sizes, extent } = this;
    const { total } = extent;
    const reached = offset + count;
    const pageEnd = Math.max(reached, offset + size);
    // Without a total, a page that does not reach beyond the one before it is the end.
    if (total === undefined && reached <= from) extent.endsAt(from);
    const isEnd = total === undefined ? reached <= from || sizes.isFixed : reached >= total;
    const isFirst = offset === 0 && !sizes.isFixed && count > 0;
    // The first page shows how much there is at a time. It may be short by a fault that passes, as a total shows. The service
    // may count pages in that size or in the requested one: for pages no larger than that, both are the same.
    const isTrusted = total === undefined || (isFirst ? isAgain : reached > from && !sizes.isFixed);
    // A larger page was requested, and the listing ends with the one that came.
    if (isEnd) return { from: Math.max(pageEnd, window.offset + window.size), end };
    if (count >= size || reached >= end) return { from: pageEnd, end };
    if (isTrusted) {
      if (isFirst) sizes.rebase(count, count);
      return { from: reached, end };
    }
    // Where the service fixes the page size, a request from where it ended would bring the same page.
    if (!isAgain) return { from, end, isAgain: true };
    extent.emptyAt(from);
    return { from: offset + size, end };
  }
}

/** Pages in a row that come back empty, although the total is higher, before they count as the end. */
const EMPTY_IN_A_ROW = 3;

/**
 * How far a listing goes, as far as is known: the total that the service names, and what the pages themselves showed.
 * A total is a hint: full pages show that it is too low, empty pages show that it is too high.
 */
class Extent {
  /** The last total that the service named. */
  total: number | undefined;
  /** One past the last record that any page held. */
  reached = 0;
  /** One past the last record that a full page held: the listing goes at least so far. */
  #fullUntil = 0;
  #end = Infinity;
  #emptyInARow = 0;

  /** Whether pages that are still to come may show more of this offset. */
  isOpenAt(offset: number): boolean {
    return this.total === undefined || offset > this.total;
  }

  /** Whether the listing may go on at this offset. Behind a full last page one more shows whether the total is true. */
  goesOnAt(offset: number): boolean {
    if (offset >= this.#end) return false;
    if (this.total === undefined || offset < this.total) return true;
    // A short page may have held records beyond those that it was to bring.
    return offset === this.total ? offset > 0 : offset <= this.#fullUntil || offset < this.reached;
  }

  /** Notes a page that was to bring the record at `from`. Where it names no total, that of an earlier page stays. */
  note({ offset, size }: Window, from: number, { records: { count }, total }: Page): void {
    this.total = total ?? this.total;
    if (offset + count > from) this.#emptyInARow = 0;
    if (count > 0) this.reached = Math.max(this.reached, offset + count);
    if (count >= size) this.#fullUntil = Math.max(this.#fullUntil, offset + count);
  }

  /** Notes that two pages ended before the record at `offset`, although the total is higher. */
  emptyAt(offset: number): void {
    if (++this.#emptyInARow >= EMPTY_IN_A_ROW) this.endsAt(offset);
  }

  endsAt(offset: number): void {
    this.#end = Math.min(this.#end, offset);
  }

  /** Forgets where the listing ended, for reading it again; the total stays. */
  reopen(): void {
    this.#end = Infinity;
    this.#emptyInARow = 0;
  }
}
