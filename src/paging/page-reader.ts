import { ServiceError } from '../errors.ts';
import { sliceRecords, type RecordBatch } from '../json/record-batch.ts';
import { Extent } from './extent.ts';
import type { Outcome } from './in-order.ts';
import type { NumberedWalkOptions } from './numbered-walk-options.ts';
import { PageRefused, type Page, type Window } from './page.ts';
import { PageSizes } from './page-sizes.ts';
import { Sightings } from './sightings.ts';
import type { UniqueRecords } from './unique-records.ts';

/** Records not yet asked for, from `from` up to `to`. Without `to`: as far as the listing goes. */
export interface Region {
  readonly from: number;
  readonly to?: number;
  /** Records a page here, at most: a larger page was refused. */
  readonly most?: number;
  /** True where a page at `from` came back slow, or empty, and is asked for once more. */
  readonly again?: boolean;
}

export interface Piece extends Window {
  readonly to: number;
  readonly again: boolean;
}

export interface Reading {
  readonly piece: Piece;
  readonly records: RecordBatch;
}

/** Records in a row that cannot be read alone before the service counts as down. */
const UNREADABLE_IN_A_ROW = 5;
/** Times that the service may change the page size that it applies. */
const REBASES = 8;

/**
 * Reads pages of a numbered listing for a walk: decides on the size of each, shrinks what the service refuses, follows
 * the size that it applies, and goes on behind pages that fall short. Keeps what the pages tell of the listing.
 */
export class PageReader {
  readonly sizes: PageSizes;
  readonly extent = new Extent();
  /** The pages of the present pass. */
  sightings = new Sightings();
  readonly #options: NumberedWalkOptions;
  readonly #unique: UniqueRecords;
  readonly #until: number;
  #lastPage: Buffer | undefined;
  #unreadableInARow = 0;
  #rebases = 0;

  constructor(options: NumberedWalkOptions, unique: UniqueRecords) {
    this.#options = options;
    this.#unique = unique;
    this.#until = options.until ?? Infinity;
    this.sizes = new PageSizes(options.size);
  }

  /** Cuts the next page off the front of a region. */
  carve(region: Region, running: number): { piece: Piece; rest?: Region | undefined } | 'wait' {
    const { from, most, again = false } = region;
    const end = Math.min(region.to ?? Infinity, this.#until);
    if (from >= end || !this.extent.goesOnAt(from, running)) return 'wait';
    const { offset, size } = this.sizes.windowAt(from, most);
    const to = Math.min(offset + size, end);
    const rest = to < end ? { ...region, from: to, again: false } : undefined;
    return { piece: { offset, size, to, again }, rest };
  }

  /** Asks for one page. What takes its place is the page, and what is still to be read where it fell short. */
  async run(piece: Piece, signal: AbortSignal): Promise<Outcome<Region, Reading>> {
    try {
      return this.#read(piece, await this.#options.fetchPage(piece, signal));
    } catch (error) {
      if (error instanceof PageRefused) return this.#refused(piece, error);
      throw error;
    }
  }

  /** A smaller page; after a slow answer the same page once more, since slowness may pass. */
  #refused({ offset, size, to, again }: Piece, refusal: PageRefused): Outcome<Region, Reading> {
    if (size === 1) {
      this.#options.account.cannotRead(offset);
      if (++this.#unreadableInARow >= UNREADABLE_IN_A_ROW) throw refusal.cause;
      return {};
    }
    if (this.sizes.isFixed) throw refusal.cause;
    if (refusal.reason === 'slow' && !again) return { rest: [{ from: offset, to, most: size, again: true }] };
    const most = this.sizes.refused(size);
    this.#options.account.shrink(size, most, refusal.reason);
    return { rest: [{ from: offset, to, most }] };
  }

  #read(piece: Piece, page: Page): Outcome<Region, Reading> {
    const { offset, size, to } = piece;
    if (page.pageSize !== undefined && page.pageSize > 0 && page.pageSize !== size) {
      this.#rebase(page.pageSize, size);
      // Its page of that number begins elsewhere, unless it is the first.
      if (offset > 0) return { rest: [{ from: offset, to }] };
    }
    const { count, bytes } = page.records;
    const total = (this.extent.total = page.total ?? this.extent.total);
    this.#unreadableInARow = 0;
    this.#options.account.page(count, page.total);
    this.sizes.served(size, count, bytes.length);
    this.extent.held(offset, size, count);
    if (total === undefined) return this.#readOfUnknownTotal(piece, page.records);
    this.sightings.add({ offset, count, total });
    // More than was asked for is kept, up to where the walk ends; fixed pages may begin before it does.
    const start = Math.max(0, (this.#options.from ?? 0) - offset);
    const records = sliceRecords(page.records, start, (count > size ? this.#until : to) - offset);
    return { result: { piece, records }, rest: this.#after(piece, count, total) };
  }

  /** Without a total a page that is not full is the last, and so is one that repeats the page before it. */
  #readOfUnknownTotal(piece: Piece, records: RecordBatch): Outcome<Region, Reading> {
    if (this.#lastPage === undefined) this.#unique.beginOnlyPass();
    const page = records.bytes.subarray(records.bounds[0] ?? 0, records.bounds.at(-1) ?? 0);
    const repeated = this.#lastPage?.equals(page) ?? false;
    this.#lastPage = page;
    if (repeated || records.count !== piece.size) this.extent.endsAt(piece.offset + 1);
    return repeated
      ? {}
      : { result: { piece, records: sliceRecords(records, 0, this.#until - piece.offset) } };
  }

  /** Where to go on after a page that held fewer records than asked for, although the total says that there are more. */
  #after({ offset, to, again }: Piece, count: number, total: number): Region[] {
    const reached = offset + count;
    if (reached >= to || reached >= total) return [];
    // Where pages are fixed, asking from there would bring the same page.
    if (count > 0 && !this.sizes.isFixed) return [{ from: reached, to: Math.min(to, total) }];
    if (!again) return [{ from: offset, to, again: true }];
    this.extent.emptyAt(offset);
    return [];
  }

  #rebase(pageSize: number, asked: number): void {
    // Of pages that were on their way before the size was known.
    if (pageSize === this.sizes.largest && (asked > pageSize || this.sizes.isFixed)) return;
    if (++this.#rebases > REBASES) {
      throw new ServiceError('the service keeps changing the page size that it applies', {
        hint: 'give --page-size a smaller number',
      });
    }
    this.sizes.rebase(pageSize, asked);
  }
}
