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
  /** True for one page: whatever the service serves as that page is the whole result. */
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
  /** True where the page at `from` is asked for a second time: the first was slow, or came without that record. */
  readonly again?: boolean;
  /** Records that a page here may share with the one before it, at most: short pages could else bring no other records. */
  readonly overlap?: number;
  /** A refusal to examine: a small page shows whether the service refuses only the size. */
  readonly check?: { readonly size: number; readonly refusal: Error };
}

/** One page, asked for to bring the records from `from` up to `to`. It may begin before `from`. */
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
  /** The present pass. */
  pass: Pass;
  #fetchPage: FetchPage;
  readonly #options: PageReaderOptions;
  readonly #unique: UniqueRecords;
  readonly #until: number;
  readonly #servedSize: ServedSize;
  /** Offsets of the pages that came in this pass, where the service fixes the page size. */
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

  /** Begins another pass. `fetchPage` may read in another order. */
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
    // A first page that came short is asked for again before any other page.
    if (this.#isFirstShort && !again && running > 0) return 'wait';
    const floor = Math.max(this.#floorBelow(from), from - overlap);
    // Near a refused page, a page goes neither far beyond the place nor far back, where records may have been too large.
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

  /** The earliest offset of a page: a single page begins where it was asked for, and none may hold an unreadable record. */
  #floorBelow(from: number): number {
    const { isSinglePage = false, from: start = 0, status } = this.#options;
    let floor = isSinglePage ? start : 0;
    for (const offset of status.unreadable) if (offset < from && offset >= floor) floor = offset + 1;
    return floor;
  }

  /** Asks for one page. Returns the page and, where it came short, the regions that are still to be read. */
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

  /** Asks for a smaller page instead; after a slow answer first for the same page again, since slowness may pass. */
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
      if (region.again !== true && !this.sizes.isTrial(step)) {
        this.#options.status.again(size, from);
        return { rest: [{ ...region, from, to: end, again: true, limit: region.limit ?? stayAt(step) }] };
      }
    }
    const limit = this.sizes.refused(task, reason, region.limit);
    this.#options.status.shrink({ at: from, from: size, to: limit.most, reason });
    return { rest: [{ from, to: end, limit }] };
  }

  #read(asked: PageTask, page: Page): TaskResult<Region, PlacedPage> {
    const task = this.#servedSize.placed(asked, page, this.#until);
    const { from, to, offset, size, region } = task;
    // By its number, the page began elsewhere than expected, and does not hold the record.
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
    const placed = { offset, from, records, isLast, revision: this.pass.arrived(total) };
    const rest = total === undefined ? this.#goOn(task, count) : this.#fill(task, count, total);
    const behind = region.limit !== undefined && region.to !== undefined && to < region.to;
    if (behind) rest.push({ from: to, to: region.to, limit });
    return reached > from || isLast ? { result: placed, rest } : { rest };
  }

  /** Notes what a page shows of the listing. Returns the limit for the pages that follow in its place. */
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

  /** True when a page repeats the one before it. Without a total, this shows that the listing has ended. */
  #isRepeated({ bytes, bounds, count }: RecordBatch): boolean {
    if (this.#lastPage === undefined) this.#unique.count('pass');
    const page = bytes.subarray(bounds[0] ?? 0, bounds.at(-1) ?? 0);
    const repeated = count > 0 && (this.#lastPage?.equals(page) ?? false);
    this.#lastPage = page;
    return repeated;
  }

  /**
   * Where to go on without a total: at the size that the first page shows, until a page does not reach beyond the one before
   * it.
   */
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
    // Where the service fixes the page size, asking from there would bring the same page.
    if (reached > from && !this.sizes.isFixed) {
      const overlap = count < size ? Math.ceil(count / 8) : Infinity;
      return [{ from: reached, to: Math.min(to, total), limit, overlap }];
    }
    if (!again) return [{ from, to, limit, again: true, overlap: 0 }];
    this.extent.emptyAt(from);
    return [];
  }
}

/** The limit of a place where pages of this size are asked for. */
function stayAt(size: number): LocalLimit {
  return { most: size, refused: Infinity, calm: 0, patience: 1 };
}

/** How often the service may change the page size that it applies. */
const MAX_REBASES = 8;

/** Finds out which size the service gave a page, and has the sizes to come follow it. */
class ServedSize {
  readonly #sizes: PageSizes;
  #rebases = 0;

  constructor(sizes: PageSizes) {
    this.#sizes = sizes;
  }

  /**
   * The task as it was served. Where the service applied another size than the one asked for, the page's number stands for
   * another offset. The records that a page holds count for more than the size that the service names. Throws ServiceError
   * where the service keeps changing the size.
   *
   * @param until where the walk ends, in records
   */
  placed(task: PageTask, { pageSize = 0, records }: Page, until: number): PageTask {
    const { offset, size } = task;
    const told = pageSize > 0 ? pageSize : size;
    // The last page may be short: a size that the service was seen to apply says more than its count.
    const served = records.count > Math.max(size, told) ? Math.max(records.count, this.#sizes.applied) : told;
    if (served === size) return task;
    this.#rebase(served, size);
    const begin = (offset / size) * served;
    const to = Math.max(task.to, Math.min(begin + served, until));
    return { ...task, offset: begin, size: served, to };
  }

  #rebase(pageSize: number, asked: number): void {
    // This page was on its way before the size was known.
    if (pageSize === this.#sizes.largest && (asked > pageSize || this.#sizes.isFixed)) return;
    if (++this.#rebases > MAX_REBASES) {
      throw new ServiceError('the service keeps changing the page size that it applies', {
        hint: 'Give --page-size a smaller number.',
      });
    }
    this.#sizes.rebase(pageSize, asked);
  }
}
