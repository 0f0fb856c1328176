import { ServiceError } from '../errors.ts';
import { sliceRecords, type RecordBatch } from '../json/records.ts';
import { Extent } from './extent.ts';
import type { TaskResult } from './in-order.ts';
import { CHECK_SIZE, PageSizes, type LocalLimit, type SizedWindow } from './page-sizes.ts';
import { PageRefused, type FetchPage, type Page, type OnRefusal } from './page.ts';
import type { PlacedPage } from './pass.ts';
import { Pass } from './pass.ts';
import type { UniqueRecords } from './unique-records.ts';
import type { WalkStatus } from './walk-status.ts';

/** What is read, and how far. */
export interface PageReaderOptions {
  readonly fetchPage: FetchPage;
  /** Records a page, at most. */
  readonly size: number;
  /** Records a page that the service takes, at most. */
  readonly maxSize?: number | undefined;
  /** Where to begin, in records: 0, or where an earlier walk was stopped. */
  readonly from?: number;
  /** Ends before this offset, whatever the total: for a limit, or for a single page. */
  readonly until?: number | undefined;
  /** One page: whatever the service serves as that is all that was asked for. */
  readonly isSinglePage?: boolean;
  readonly status: WalkStatus;
}

/** Records in a row that cannot be read alone before the service counts as down. */
const UNREADABLE_IN_A_ROW = 5;

/** Records that a page shares with the one before it, at most, where pages were refused. */
const LOCAL_OVERLAP = 16;

/** Records not yet asked for, from `from` up to `to`. Without `to`: as far as the listing goes. */
export interface Region {
  readonly from: number;
  readonly to?: number;
  /** What is known of page sizes here, where one was refused: then it is read page after page. */
  readonly limit?: LocalLimit | undefined;
  /** True where a page at `from` came back slow, or without it, and is asked for once more. */
  readonly again?: boolean;
  /** Records that a page here may share with the one before it, at most: where pages fall short, more would be all there is. */
  readonly overlap?: number;
  /** The refusal that is looked into here: a small page shows whether it was for the size alone. */
  readonly check?: { readonly size: number; readonly refusal: Error };
}

/** One page, asked for to hold the records from `from` up to `to`. It may begin before. */
export interface PageTask extends SizedWindow {
  readonly from: number;
  readonly to: number;
  readonly region: Region;
}

/**
 * Reads pages of a numbered listing for a walk: decides on the size of each, shrinks what the service refuses, follows
 * the size that it applies, and goes on behind pages that fall short. Keeps what the pages tell of the listing.
 */
export class PageReader {
  readonly sizes: PageSizes;
  readonly extent = new Extent();
  /** The present one. */
  pass: Pass;
  #fetchPage: FetchPage;
  readonly #options: PageReaderOptions;
  readonly #unique: UniqueRecords;
  readonly #until: number;
  readonly #servedSize: ServedSize;
  /** Where pages of a size that the service fixes began, in this pass: those that came. */
  readonly #served = new Set<number>();
  #lastPage: Buffer | undefined;
  #unreadableInARow = 0;
  #isFirstShort = false;

  constructor(options: PageReaderOptions, unique: UniqueRecords) {
    this.#options = options;
    this.#unique = unique;
    this.#fetchPage = options.fetchPage;
    this.#until = options.until ?? Infinity;
    this.sizes = new PageSizes(options.size, options.maxSize);
    this.#servedSize = new ServedSize(this.sizes);
    this.pass = new Pass(unique);
  }

  /** Begins to read again, in another order where `fetchPage` reads in one. */
  begin(pass: Pass, fetchPage: FetchPage = this.#options.fetchPage): void {
    this.pass = pass;
    this.#fetchPage = fetchPage;
    this.#lastPage = undefined;
    this.extent.reopen();
    this.#served.clear();
  }

  /** Cuts the next page off the front of a region, as `inOrder` asks for it. */
  nextTask(region: Region, running: number): { task: PageTask; rest?: Region | undefined } | 'wait' {
    const { from, limit, again = false, overlap = Infinity } = region;
    const end = Math.min(region.to ?? Infinity, this.#until);
    if (from >= end || !this.extent.goesOnAt(from, running)) return 'wait';
    // A first page that is short is looked into before the others.
    if (this.#isFirstShort && !again && running > 0) return 'wait';
    const floor = Math.max(this.#floorBelow(from), from - overlap);
    // Where pages were refused, none goes far beyond the place, nor back to what may have been too much.
    const most = limit && Math.min(limit.most, 2 * (end - from) + LOCAL_OVERLAP);
    const window = this.sizes.windowAt(
      from,
      most,
      limit && limit.isWeighed !== true ? Math.max(floor, from - LOCAL_OVERLAP) : floor,
    );
    const next = window.offset + window.size;
    if (this.#served.has(window.offset) && !again) return this.nextTask({ ...region, from: next }, running);
    const to = Math.min(next, end);
    const task = { ...window, from, to, region };
    // This page shows how large the next one may be.
    if (limit !== undefined) return { task };
    return { task, rest: to < end ? { ...region, from: to, again: false } : undefined };
  }

  /** A single page begins where it is asked for; and none is to hold a record again that cannot be read. */
  #floorBelow(from: number): number {
    const { isSinglePage = false, from: start = 0, status } = this.#options;
    let floor = isSinglePage ? start : 0;
    for (const offset of status.unreadable) if (offset < from && offset >= floor) floor = offset + 1;
    return floor;
  }

  /** Asks for one page. What takes its place is the page, and what is still to be read where it fell short. */
  async run(task: PageTask, signal: AbortSignal): Promise<TaskResult<Region, PlacedPage>> {
    const { size, region } = task;
    const lastTry = size === 1 || this.sizes.isFixed || this.sizes.isSlowEvenAt(size);
    const isTrial = region.check !== undefined || this.sizes.isUntried(size);
    const onRefusal: OnRefusal = isTrial ? 'once' : lastTry ? 'retry' : 'shrink';
    try {
      return this.#read(task, await this.#fetchPage({ offset: task.offset, size }, signal, onRefusal));
    } catch (error) {
      if (error instanceof PageRefused) return this.#refused(task, error, onRefusal);
      throw error;
    }
  }

  /** A smaller page; after a slow answer the same page once more, since slowness may pass. */
  #refused(
    task: PageTask,
    { reason, cause }: PageRefused,
    onRefusal: OnRefusal,
  ): TaskResult<Region, PlacedPage> {
    const { size, step, from, to, region } = task;
    if (region.check !== undefined) throw region.check.refusal;
    const end = region.limit === undefined ? to : (region.to ?? to);
    if (reason === 'size') {
      if (this.sizes.wasServed(size)) throw cause;
      const limit = { most: CHECK_SIZE, refused: size, calm: 0, patience: 1 };
      return { rest: [{ from, to: end, limit, check: { size, refusal: cause } }] };
    }
    if (size === 1) {
      this.#options.status.cannotRead(from);
      if (++this.#unreadableInARow >= UNREADABLE_IN_A_ROW) throw cause;
      return from + 1 < end ? { rest: [{ from: from + 1, to: end, limit: region.limit }] } : {};
    }
    if (onRefusal === 'retry') throw cause;
    if (reason === 'slow') {
      this.sizes.slow(size);
      if (region.again !== true) {
        return { rest: [{ ...region, from, to: end, again: true, limit: region.limit ?? stayAt(step) }] };
      }
    }
    const limit = this.sizes.refused(task, reason, region.limit);
    this.#options.status.shrink(size, limit.most, reason);
    return { rest: [{ from, to: end, limit }] };
  }

  #read(asked: PageTask, page: Page): TaskResult<Region, PlacedPage> {
    const task = this.#servedSize.placed(asked, page, this.#until);
    const { from, to, offset, size, region } = task;
    // A page that begins elsewhere, by its number, than where it was expected.
    if (from >= offset + size || offset - from >= size) return { rest: [{ from, to: asked.to }] };
    if ((page.total ?? this.extent.total) === undefined && this.#isRepeated(page.records)) {
      this.extent.endsAt(offset + 1);
      return {};
    }
    const limit = this.#note(task, page);
    const { count } = page.records;
    const { total } = this.extent;
    this.#options.status.page(Math.max(0, offset + count - from), page.total);
    // More than was asked for is kept, up to where the walk ends.
    const end = count > size || this.sizes.isFixed ? this.#until : to;
    const records = sliceRecords(page.records, 0, end - offset);
    const reached = offset + count;
    const isLast = total === undefined ? reached <= from && count > 0 : count < size && reached >= total;
    const placed = { offset, from, records, isLast, epoch: this.pass.arrived(total) };
    const rest = total === undefined ? this.#goOn(task, count) : this.#fill(task, count, total);
    const behind = region.limit !== undefined && region.to !== undefined && to < region.to;
    if (behind) rest.push({ from: to, to: region.to, limit });
    return reached > from || isLast ? { result: placed, rest } : { rest };
  }

  /** What a page tells of the listing, and of the sizes that may be asked for in its place. */
  #note(task: PageTask, { records, total }: Page): LocalLimit | undefined {
    const { offset, region } = task;
    const { count, bytes } = records;
    this.extent.total = total ?? this.extent.total;
    this.#unreadableInARow = 0;
    if (this.sizes.isFixed) this.#served.add(offset);
    this.extent.held(task, count);
    const limit = this.sizes.served(task, { count, bytes: bytes.length }, region.limit);
    return region.check === undefined ? limit : this.sizes.refusedOutright(region.check.size);
  }

  /** Without a total, a page that repeats the one before it comes after the last. */
  #isRepeated({ bytes, bounds, count }: RecordBatch): boolean {
    if (this.#lastPage === undefined) this.#unique.count('pass');
    const page = bytes.subarray(bounds[0] ?? 0, bounds.at(-1) ?? 0);
    const repeated = count > 0 && (this.#lastPage?.equals(page) ?? false);
    this.#lastPage = page;
    return repeated;
  }

  /** Where to go on without a total: at the size that the first page shows, until a page has nothing new in its place. */
  #goOn({ from, to, offset, size }: PageTask, count: number): Region[] {
    const reached = offset + count;
    if (reached <= from) {
      this.extent.endsAt(from);
      return [];
    }
    if (count >= size || reached >= to) return [];
    if (offset === 0 && !this.sizes.isFixed) this.sizes.cap(count);
    return [{ from: reached, to, overlap: Math.ceil(count / 8) }];
  }

  /** Where to go on after a page that held fewer records than asked for, although the total says that there are more. */
  #fill({ from, to, region, offset, size }: PageTask, count: number, total: number): Region[] {
    const reached = offset + count;
    const { again = false, limit } = region;
    if (offset === 0) this.#isFirstShort = false;
    if (reached >= to || reached >= total) return [];
    if (offset === 0 && count > 0 && count < size && !this.sizes.isFixed) {
      // The first page may be short by a fault that passes. If not, it shows how much there is at a time.
      this.#isFirstShort = !again;
      if (!again) return [{ from, to, limit, again: true }];
      this.sizes.cap(count);
      return [{ from: reached, to: Math.min(to, total) }];
    }
    // Where pages are fixed, asking from there would bring the same page.
    if (reached > from && !this.sizes.isFixed) {
      const overlap = count < size ? Math.ceil(count / 8) : Infinity;
      return [{ from: reached, to: Math.min(to, total), limit, overlap }];
    }
    if (!again) return [{ from, to, limit, again: true, overlap: 0 }];
    this.extent.emptyAt(from);
    return [];
  }
}

/** A place where pages of this size are asked for. */
function stayAt(size: number): LocalLimit {
  return { most: size, refused: Infinity, calm: 0, patience: 1 };
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
   * The task as it was served: where its size is not the one asked for, its number says that it begins elsewhere. What a
   * page holds counts for more than the size that the service says it applied. Throws ServiceError where that never
   * stays the same.
   *
   * @param until where the walk ends, in records
   */
  placed(task: PageTask, { pageSize = 0, records }: Page, until: number): PageTask {
    const { offset, size } = task;
    const told = pageSize > 0 ? pageSize : size;
    // The last page may be short: then a size that the service was seen to apply says more than it.
    const served = records.count > Math.max(size, told) ? Math.max(records.count, this.#sizes.applied) : told;
    if (served === size) return task;
    this.#rebase(served, size);
    const begin = (offset / size) * served;
    const to = Math.max(task.to, Math.min(begin + served, until));
    return { ...task, offset: begin, size: served, to };
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
