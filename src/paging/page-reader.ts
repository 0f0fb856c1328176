import { ServiceError } from '../errors.ts';
import { sliceRecords, type RecordBatch } from '../json/records.ts';
import { inOrder } from './map-in-order.ts';
import { PageSizes, Place, type SizedWindow } from './page-sizes.ts';
import { PageRefused, type FetchPage, type Page, type Window } from './page.ts';
import type { Pass, PlacedPage } from './pass.ts';
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

/** Records that are still to come: next a page with the one at `from`, and more pages until `end`. */
interface Range {
  from: number;
  end: number;
  /** The next page to request. */
  window: SizedWindow;
  /** True where this page came before, but short or without the record at `from`. */
  isSecondRequest: boolean;
  readonly place: Place;
}

/** Records in a row that cannot be read alone before the service counts as down: so many, or all that are wanted. */
const GIVEN_UP_IN_A_ROW = 5;
/** How often the service may change the page size that it applies. */
const MAX_REBASES = 8;

/**
 * Reads pages of a numbered listing for a walk, several at once. Each is requested for a range of records. Where it is refused
 * or comes short, more pages bring the rest of the range, one after the other.
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
  readonly #until: number;
  #fetchPage: FetchPage;
  /** The parts of the listing that no range has taken yet. */
  #remaining: { from: number; readonly to?: number | undefined }[] = [];
  /** Ranges whose pages have not all come. */
  #coming = 0;
  #rebases = 0;
  /** The page that came last. */
  #last: { readonly offset: number; readonly bytes: Buffer; readonly isFull: boolean } | undefined;
  #givenUpInARow = 0;

  constructor(options: PageReaderOptions, pass: Pass) {
    this.#options = options;
    this.#fetchPage = options.fetchPage;
    this.#until = options.until ?? Infinity;
    this.sizes = new PageSizes(options.size, options.maxSize);
    this.pass = pass;
  }

  /** Begins another pass, with pages of this order. */
  begin(pass: Pass, fetchPage: FetchPage): void {
    this.pass = pass;
    this.#fetchPage = fetchPage;
    this.#last = undefined;
    this.extent.reopen();
  }

  /** The pages of the present pass, in the order of the listing. */
  read(): AsyncGenerator<PlacedPage> {
    const { from = 0, concurrency, signal } = this.#options;
    const { regions } = this.pass;
    this.#remaining = regions.length === 0 ? [{ from }] : regions.map(({ from, to }) => ({ from, to }));
    this.#coming = 0;
    const next = (within: AbortSignal): Promise<PlacedPage[]> | undefined => {
      const range = this.#nextRange();
      return range && this.#readRange(range, within);
    };
    return inOrder({ next, concurrency, ahead: 2 * concurrency, signal });
  }

  /** Takes the next range, of one page. Undefined at the end, and where it depends on pages that are still to come. */
  #nextRange(): Range | undefined {
    for (;;) {
      const [part] = this.#remaining;
      if (part === undefined) return undefined;
      const { from } = part;
      const end = Math.min(part.to ?? Infinity, this.#until);
      if (from < end && this.extent.isOpenAt(from) && this.#coming > 0) return undefined;
      if (from < end && this.extent.goesOnAt(from)) {
        const place = new Place(this.sizes, this.#options.status);
        const window = this.#beginPage(from, place);
        part.from = window.offset + window.size;
        return { from, end: Math.min(part.from, end), window, isSecondRequest: false, place };
      }
      this.#remaining.shift();
    }
  }

  /** Brings a range, page by page, each as large as the ones before it show. */
  async #readRange(range: Range, signal: AbortSignal): Promise<PlacedPage[]> {
    const pages: PlacedPage[] = [];
    this.#coming++;
    try {
      for (;;) {
        const page = await this.#fetch(range, signal);
        const placed = page && this.#take(range, page);
        if (placed !== undefined) pages.push(placed);
        if (range.from >= range.end || !this.extent.goesOnAt(range.from)) return pages;
        range.window = this.#beginPage(range.from, range.place);
      }
    } finally {
      this.#coming--;
    }
  }

  /** Requests the next page of a range. Undefined where it was refused: then a smaller one is next, or another record. */
  async #fetch(range: Range, signal: AbortSignal): Promise<Page | undefined> {
    const { place, from } = range;
    const { offset, size } = range.window;
    const onRefusal = place.onRefusal(size, this.sizes.isFixed);
    try {
      return await this.#fetchPage({ offset, size }, signal, onRefusal);
    } catch (error) {
      if (!(error instanceof PageRefused)) throw error;
      range.isSecondRequest = false;
      if (size > 1) place.refuse(range.window, error, { onRefusal, at: from });
      else {
        this.#options.status.giveUp(from);
        const { from: first = 0 } = this.#options;
        if (++this.#givenUpInARow >= Math.min(GIVEN_UP_IN_A_ROW, this.#until - first)) throw error.cause;
        range.from++;
      }
      return undefined;
    }
  }

  /** Moves a range on behind a page that came. Returns the page where it has what it was requested for. */
  #take(range: Range, page: Page): PlacedPage | undefined {
    const { from, window, place } = range;
    const { count, bytes } = page.records;
    const applied = this.#appliedWindow(window, page);
    // By its number, the page begins a page or more behind the record for which it was requested.
    if (applied.offset >= from + applied.size) {
      range.isSecondRequest = false;
      return undefined;
    }
    if (applied !== window)
      range.end = Math.max(range.end, Math.min(applied.offset + applied.size, this.#until));
    if (this.#endsByRepeating(applied, page)) {
      range.from = range.end;
      return undefined;
    }
    this.#givenUpInARow = 0;
    // First what the page shows of the listing and of its size: what is still to come depends on both.
    this.extent.note(applied, from, page);
    this.#options.status.page(page.total);
    place.came(applied, { count, bytes: bytes.length });
    this.#moveOn(range, applied, count);
    const [part] = this.#remaining;
    if (part !== undefined) {
      // What the page brought beyond its range is not read again.
      part.from = Math.max(part.from, range.end);
      // Nothing behind the range was taken yet: the rest of it is given back, to be read in several pages at once.
      if (part.from === range.end && range.from < range.end && !place.isLimited && !range.isSecondRequest)
        part.from = range.end = range.from;
    }
    return this.#placed(applied, from, page.records);
  }

  /** The page for the pass; undefined where it does not reach the record at `from`, and shows no end either. */
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

  /**
   * The page as the service applied it. Where it applied another size than the requested one, the page's number stands for
   * another offset. A page with more records than the size that the service names shows the size that it applied. Throws
   * ServiceError where the service keeps changing the size.
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

  /** Whether a page repeats the one before it: without a total, this shows that the listing has ended. */
  #endsByRepeating({ offset, size }: Window, { records, total = this.extent.total }: Page): boolean {
    if (total !== undefined) return false;
    const { bounds, count } = records;
    const last = this.#last;
    const bytes = records.bytes.subarray(bounds[0] ?? 0, bounds.at(-1) ?? 0);
    this.#last = { offset, bytes, isFull: count >= size };
    if (count === 0 || last === undefined || last.offset === offset || !last.bytes.equals(bytes))
      return false;
    this.isFullRepeated ||= last.isFull;
    this.extent.endsAt(offset + 1);
    return true;
  }

  /** Moves a range on behind a page, which may have come short of where the requested one was to end. */
  #moveOn(range: Range, { offset, size }: Window, count: number): void {
    const { sizes, extent } = this;
    const { total } = extent;
    const { from, isSecondRequest, window } = range;
    const reached = offset + count;
    const pageEnd = Math.max(reached, offset + size);
    // Without a total, a page that does not reach beyond the one before it is the end.
    if (total === undefined && reached <= from) extent.endsAt(from);
    const isEnd = total === undefined ? reached <= from || sizes.isFixed : reached >= total;
    const isFirst = offset === 0 && !sizes.isFixed && count > 0;
    // Whether a short page is taken as it is. A short first page shows the size that the service applies, and no larger page is
    // requested from then on. With a total, it may be short by a fault that passes: then the same page is requested once more.
    const isTrusted = total === undefined || (isFirst ? isSecondRequest : reached > from && !sizes.isFixed);
    range.isSecondRequest = false;
    // The listing ends with the page that came, even if a larger one was requested.
    if (isEnd) range.from = Math.max(pageEnd, window.offset + window.size);
    else if (count >= size || reached >= range.end) range.from = pageEnd;
    else if (isTrusted) {
      if (isFirst) sizes.rebase(count, count);
      range.from = reached;
    }
    // The same page once more: where the service fixes the size, a request from where it ended would bring that one anyway.
    else if (!isSecondRequest) range.isSecondRequest = true;
    else {
      extent.emptyAt(from);
      range.from = offset + size;
    }
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

  /** Whether pages that are on their way may show whether the listing goes so far. */
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
