import { ServiceError } from '../errors.ts';
import { sliceRecords, type RecordBatch } from '../json/records.ts';
import type { TaskResult } from './in-order.ts';
import { PageSizes, type SizedWindow } from './page-sizes.ts';
import { PageRefused, type FetchPage, type Page } from './page.ts';
import { Pass, type PlacedPage } from './pass.ts';
import type { UniqueRecords } from './unique-records.ts';
import type { WalkStatus } from './walk-status.ts';

export interface NumberedWalkOptions {
  readonly fetchPage: FetchPage;
  /** Records a page, at most. */
  readonly size: number;
  /** Where to begin, in records: 0, or where an earlier walk was stopped. */
  readonly from?: number;
  /** Ends before this offset, whatever the total: for a limit, or for a single page. */
  readonly until?: number | undefined;
  /** One page: whatever the service serves as that is all that was asked for. */
  readonly isSinglePage?: boolean;
  /** Pages asked for at once. */
  readonly concurrency: number;
  readonly account: WalkStatus;
  readonly signal: AbortSignal;
  /** Records given by an earlier walk that this one continues. */
  readonly given?: UniqueRecords;
}

/** Records not yet asked for, from `from` up to `to`. Without `to`: as far as the listing goes. */
export interface Region {
  readonly from: number;
  readonly to?: number;
  /** Records a page here, at most: a larger page was refused. */
  readonly most?: number;
  /** True where a page at `from` came back slow, or without it, and is asked for once more. */
  readonly again?: boolean;
  /** Records that a page here may share with the one before it, at most: where pages fall short, more would be all there is. */
  readonly overlap?: number;
}

/** One page, asked for to hold the records from `from` up to `to`. It may begin before. */
export interface PageTask extends SizedWindow {
  readonly from: number;
  readonly to: number;
  readonly again: boolean;
}

/** Pages in a row that come back empty, although the total says more, before they count as the end. */
const EMPTY_IN_A_ROW = 3;

/**
 * How far a listing goes, as far as is known: the total that the service names, and what the pages themselves showed.
 * A total is a hint. One that is too low is found out by full pages, one that is too high by empty ones.
 */
class Extent {
  /** The last total that the service named. */
  total: number | undefined;
  /** One past the last record that a full page held: the listing goes at least so far. */
  #fullUntil = 0;
  #end = Infinity;
  #emptyInARow = 0;
  #emptyFrom = Infinity;

  /** Whether a page is worth asking for at this offset. Beyond the total that is known only when no page is coming. */
  goesOnAt(offset: number, coming: number): boolean {
    if (offset >= this.#end) return false;
    if (this.total === undefined) return coming === 0;
    if (offset < this.total) return true;
    // Where the last page before the total is full, one more page shows whether the total is true.
    if (offset === this.total) return offset > 0;
    return coming === 0 && offset <= this.#fullUntil;
  }

  /** A page of `size` records, asked for because of the one at `from`, held so many. */
  held({ offset, from, size }: { offset: number; from: number; size: number }, count: number): void {
    if (offset + count > from) this.#emptyInARow = 0;
    if (count >= size) this.#fullUntil = Math.max(this.#fullUntil, offset + count);
  }

  /** A page did not reach the record at `offset`, twice, although the total says that there is one. */
  emptyAt(offset: number): void {
    this.#emptyFrom = this.#emptyInARow === 0 ? offset : Math.min(offset, this.#emptyFrom);
    if (++this.#emptyInARow >= EMPTY_IN_A_ROW) this.#end = this.#emptyFrom;
  }

  /** The listing was seen to end before this offset. */
  endsAt(offset: number): void {
    this.#end = offset;
  }

  /** Forgets where the listing ended, for reading it again; the total stays. */
  reopen(): void {
    this.#end = Infinity;
    this.#emptyInARow = 0;
  }
}

/** Times that the service may change the page size that it applies. */
const REBASES = 8;

/** Finds out which size the service gave a page, and has the sizes to come follow it. */
class ServedSize {
  readonly #sizes: PageSizes;
  #rebases = 0;

  constructor(sizes: PageSizes) {
    this.#sizes = sizes;
  }

  /**
   * The piece as it was served: where its size is not the one asked for, its number says that it begins elsewhere. What a
   * page holds counts for more than the size that the service says it applied. Throws ServiceError where that never
   * stays the same.
   *
   * @param until where the walk ends, in records
   */
  placed(piece: PageTask, { pageSize = 0, records }: Page, until: number): PageTask {
    const { offset, size } = piece;
    const told = pageSize > 0 ? pageSize : size;
    const served = records.count > Math.max(size, told) ? records.count : told;
    if (served === size) return piece;
    this.#rebase(served, size);
    const begin = (offset / size) * served;
    const to = Math.max(piece.to, Math.min(begin + served, until));
    return { ...piece, offset: begin, size: served, to };
  }

  #rebase(pageSize: number, asked: number): void {
    // Of pages that were on their way before the size was known.
    if (pageSize === this.#sizes.largest && (asked > pageSize || this.#sizes.isFixed)) return;
    if (++this.#rebases > REBASES) {
      throw new ServiceError('the service keeps changing the page size that it applies', {
        hint: 'Give --page-size a smaller number.',
      });
    }
    this.#sizes.rebase(pageSize, asked);
  }
}

/** Records in a row that cannot be read alone before the service counts as down. */
const UNREADABLE_IN_A_ROW = 5;

/**
 * Reads pages of a numbered listing for a walk: decides on the size of each, shrinks what the service refuses, follows
 * the size that it applies, and goes on behind pages that fall short. Keeps what the pages tell of the listing.
 */
export class PageReader {
  readonly sizes: PageSizes;
  readonly extent = new Extent();
  /** The present one. */
  pass = new Pass();
  readonly #options: NumberedWalkOptions;
  readonly #unique: UniqueRecords;
  readonly #until: number;
  readonly #servedSize: ServedSize;
  /** Where pages of a size that the service fixes began, in this pass: those that came. */
  readonly #served = new Set<number>();
  #lastPage: Buffer | undefined;
  #unreadableInARow = 0;

  constructor(options: NumberedWalkOptions, unique: UniqueRecords) {
    this.#options = options;
    this.#unique = unique;
    this.#until = options.until ?? Infinity;
    this.sizes = new PageSizes(options.size);
    this.#servedSize = new ServedSize(this.sizes);
  }

  /** Begins to read again. */
  begin(pass: Pass): void {
    this.pass = pass;
    this.extent.reopen();
    this.#served.clear();
  }

  /** Cuts the next page off the front of a region. */
  carve(region: Region, running: number): { piece: PageTask; rest?: Region | undefined } | 'wait' {
    const { from, most, again = false, overlap = Infinity } = region;
    const end = Math.min(region.to ?? Infinity, this.#until);
    if (from >= end || !this.extent.goesOnAt(from, running)) return 'wait';
    const floor = Math.max(this.#floorBelow(from), from - overlap);
    const window = this.sizes.windowAt(from, most, floor);
    const next = window.offset + window.size;
    if (this.#served.has(window.offset) && !again) return this.carve({ ...region, from: next }, running);
    const to = Math.min(next, end);
    const rest = to < end ? { ...region, from: to, again: false } : undefined;
    return { piece: { ...window, from, to, again }, rest };
  }

  /** A single page begins where it is asked for; and none is to hold a record again that cannot be read. */
  #floorBelow(from: number): number {
    const { isSinglePage = false, from: start = 0, account } = this.#options;
    let floor = isSinglePage ? start : 0;
    for (const offset of account.unreadable) if (offset < from && offset >= floor) floor = offset + 1;
    return floor;
  }

  /** Asks for one page. What takes its place is the page, and what is still to be read where it fell short. */
  async run(piece: PageTask, signal: AbortSignal): Promise<TaskResult<Region, PlacedPage>> {
    try {
      return this.#read(piece, await this.#options.fetchPage(piece, signal));
    } catch (error) {
      if (error instanceof PageRefused) return this.#refused(piece, error);
      throw error;
    }
  }

  /** A smaller page; after a slow answer the same page once more, since slowness may pass. */
  #refused(piece: PageTask, refusal: PageRefused): TaskResult<Region, PlacedPage> {
    const { size, step, from, to, again } = piece;
    if (size === 1) {
      this.#options.account.cannotRead(from);
      if (++this.#unreadableInARow >= UNREADABLE_IN_A_ROW) throw refusal.cause;
      return {};
    }
    if (this.sizes.isFixed) throw refusal.cause;
    if (refusal.reason === 'slow' && !again) return { rest: [{ from, to, most: step, again: true }] };
    const most = this.sizes.refused(piece);
    this.#options.account.shrink(size, most, refusal.reason);
    return { rest: [{ from, to, most }] };
  }

  #read(asked: PageTask, page: Page): TaskResult<Region, PlacedPage> {
    const piece = this.#servedSize.placed(asked, page, this.#until);
    const { from, to, offset, size } = piece;
    // A page that begins elsewhere, by its number, than where it was expected.
    if (from >= offset + size || offset - from >= size) return { rest: [{ from, to: asked.to }] };
    const { count, bytes } = page.records;
    const total = (this.extent.total = page.total ?? this.extent.total);
    this.#unreadableInARow = 0;
    this.#options.account.page(Math.max(0, offset + count - from), page.total);
    if (this.sizes.isFixed) this.#served.add(offset);
    this.sizes.served(piece, count, bytes.length);
    this.extent.held(piece, count);
    if (total === undefined && this.#endsAt(piece, page.records)) return {};
    // More than was asked for is kept, up to where the walk ends.
    const end = count > size || this.sizes.isFixed ? this.#until : to;
    const records = sliceRecords(page.records, 0, end - offset);
    const isLast = count < size && offset + count >= (total ?? 0);
    const result = { offset, from, records, isLast, epoch: this.pass.arrived(total) };
    const rest = total === undefined ? [] : this.#after(piece, count, total);
    return offset + count > from || isLast ? { result, rest } : { rest };
  }

  /** Without a total a page that is not full is the last, and one that repeats the page before it comes after the last. */
  #endsAt({ offset, size }: PageTask, { bytes, bounds, count }: RecordBatch): boolean {
    if (this.#lastPage === undefined) this.#unique.beginOnlyPass();
    const page = bytes.subarray(bounds[0] ?? 0, bounds.at(-1) ?? 0);
    const repeated = this.#lastPage?.equals(page) ?? false;
    this.#lastPage = page;
    if (repeated || count < size) this.extent.endsAt(offset + 1);
    return repeated;
  }

  /** Where to go on after a page that held fewer records than asked for, although the total says that there are more. */
  #after({ from, to, again, offset, size }: PageTask, count: number, total: number): Region[] {
    const reached = offset + count;
    if (reached >= to || reached >= total) return [];
    if (offset === 0 && count > 0 && count < size && !this.sizes.isFixed) {
      // The first page may be short by a fault that passes. If not, it shows how much there is at a time.
      if (!again) return [{ from, to, again: true }];
      this.sizes.cap(count);
      return [{ from: reached, to: Math.min(to, total) }];
    }
    // Where pages are fixed, asking from there would bring the same page.
    if (reached > from && !this.sizes.isFixed) {
      const overlap = count < size ? Math.ceil(count / 8) : Infinity;
      return [{ from: reached, to: Math.min(to, total), overlap }];
    }
    if (!again) return [{ from, to, again: true, overlap: 0 }];
    this.extent.emptyAt(from);
    return [];
  }
}
