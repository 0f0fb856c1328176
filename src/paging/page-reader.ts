import { sliceRecords, type RecordBatch } from '../json/record-batch.ts';
import { Extent } from './extent.ts';
import type { Outcome } from './in-order.ts';
import type { NumberedWalkOptions } from './numbered-walk-options.ts';
import { PageRefused, type Page } from './page.ts';
import { PageSizes } from './page-sizes.ts';
import { Pass } from './pass.ts';
import type { Piece, Region } from './piece.ts';
import { ServedSize } from './served-size.ts';
import type { Sighting } from './sighting.ts';
import type { UniqueRecords } from './unique-records.ts';

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
  carve(region: Region, running: number): { piece: Piece; rest?: Region | undefined } | 'wait' {
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
  async run(piece: Piece, signal: AbortSignal): Promise<Outcome<Region, Sighting>> {
    try {
      return this.#read(piece, await this.#options.fetchPage(piece, signal));
    } catch (error) {
      if (error instanceof PageRefused) return this.#refused(piece, error);
      throw error;
    }
  }

  /** A smaller page; after a slow answer the same page once more, since slowness may pass. */
  #refused(piece: Piece, refusal: PageRefused): Outcome<Region, Sighting> {
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

  #read(asked: Piece, page: Page): Outcome<Region, Sighting> {
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
  #endsAt({ offset, size }: Piece, { bytes, bounds, count }: RecordBatch): boolean {
    if (this.#lastPage === undefined) this.#unique.beginOnlyPass();
    const page = bytes.subarray(bounds[0] ?? 0, bounds.at(-1) ?? 0);
    const repeated = this.#lastPage?.equals(page) ?? false;
    this.#lastPage = page;
    if (repeated || count < size) this.extent.endsAt(offset + 1);
    return repeated;
  }

  /** Where to go on after a page that held fewer records than asked for, although the total says that there are more. */
  #after({ from, to, again, offset, size }: Piece, count: number, total: number): Region[] {
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
