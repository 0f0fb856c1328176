import { ServiceError } from '../errors.ts';
import { sliceRecords, type RecordBatch } from '../json/record-batch.ts';
import { Extent } from './extent.ts';
import { inOrder, type Outcome } from './in-order.ts';
import { PageRefused, type Delivery, type FetchPage, type Page, type Window } from './page.ts';
import { PageSizes } from './page-sizes.ts';
import { Sightings } from './sightings.ts';
import { UniqueRecords } from './unique-records.ts';
import type { WalkAccount } from './walk-account.ts';

export interface NumberedWalkOptions {
  readonly fetchPage: FetchPage;
  /** Records a page, at most. */
  readonly size: number;
  /** Where to begin, in records: 0, or where an earlier walk was stopped. */
  readonly from?: number;
  /** Ends before this offset, whatever the total: for a limit, or for a single page. */
  readonly until?: number | undefined;
  /** Pages asked for at once. */
  readonly concurrency: number;
  readonly account: WalkAccount;
  readonly signal: AbortSignal;
  /** Records given by an earlier walk that this one continues. */
  readonly given?: UniqueRecords;
}

/** Records not yet asked for, from `from` up to `to`. Without `to`: as far as the listing goes. */
interface Region {
  readonly from: number;
  readonly to?: number;
  /** Records a page here, at most: a larger page was refused. */
  readonly most?: number;
  /** True where a page at `from` came back slow, or empty, and is asked for once more. */
  readonly again?: boolean;
}

interface Piece extends Window {
  readonly to: number;
  readonly again: boolean;
}

interface Reading {
  readonly piece: Piece;
  readonly records: RecordBatch;
}

/** Re-reads of a listing that moved, at most. */
const ROUNDS = 2;
/** Records in a row that cannot be read alone before the service counts as down. */
const UNREADABLE_IN_A_ROW = 5;
/** Times that the service may change the page size that it applies. */
const REBASES = 8;

/**
 * Walks a listing of numbered pages: every record once, in the order of the listing, several pages in flight.
 *
 * The first page goes alone and tells the total; the others follow in parallel. At the end the records given are held
 * against the last total. Where the listing moved meanwhile it is read again around the place, at most twice; records
 * found then come last. What may still be missing is in the account: `account.complete` is the word to trust.
 */
export async function* walkNumbered(options: NumberedWalkOptions): AsyncGenerator<Delivery> {
  const walk = new NumberedWalk(options);
  yield* walk.read([{ from: options.from ?? 0 }], true);
  if (options.until !== undefined) return;
  for (let round = 0; !walk.settled() && round < ROUNDS; round++) {
    options.account.reread();
    yield* walk.read(walk.doubtful(), false);
  }
}

class NumberedWalk {
  readonly #options: NumberedWalkOptions;
  readonly #account: WalkAccount;
  readonly #sizes: PageSizes;
  readonly #unique: UniqueRecords;
  readonly #until: number;
  readonly #extent = new Extent();
  #sightings = new Sightings();
  #lastPage: Buffer | undefined;
  #unreadableInARow = 0;
  #rebases = 0;

  constructor(options: NumberedWalkOptions) {
    this.#options = options;
    this.#account = options.account;
    this.#sizes = new PageSizes(options.size);
    this.#unique = options.given ?? new UniqueRecords();
    this.#until = options.until ?? Infinity;
  }

  /** Reads regions in order and gives what was not given before. */
  async *read(regions: readonly Region[], firstTime: boolean): AsyncGenerator<Delivery> {
    const { concurrency, signal } = this.#options;
    const plan = {
      regions,
      concurrency,
      ahead: concurrency * 2,
      carve: (region: Region, running: number) => this.#carve(region, running),
      run: (piece: Piece, within: AbortSignal) => this.#run(piece, within),
    };
    for await (const { piece, records } of inOrder<Region, Piece, Reading>(plan, signal)) {
      const fresh = this.#unique.fresh(records);
      this.#account.records += fresh.count;
      this.#account.repeats += records.count - fresh.count;
      const next = firstTime ? piece.offset + records.count : undefined;
      if (fresh.count > 0) yield { records: fresh, next };
    }
  }

  /** True when nothing speaks against every record having been given. Closes the books of the pass just read. */
  settled(): boolean {
    const { moved } = this.#sightings;
    const unreadable = this.#account.unreadable.size;
    const missing = Math.max(0, (this.#extent.total ?? 0) - this.#unique.size - unreadable);
    this.#account.drift ||= moved;
    this.#account.inDoubt = moved ? Math.max(missing, 1) : missing;
    return this.#account.inDoubt === 0;
  }

  /** What to read again: around the places where the listing moved; all of it where those are unknown, or it is short. */
  doubtful(): Region[] {
    const stretches = this.#sightings.doubtful(this.#sizes.largest);
    const everything = stretches.length === 0 || this.#sightings.count <= 2 * this.#options.concurrency;
    this.#sightings = new Sightings(stretches);
    this.#extent.reopen();
    if (!everything) return stretches;
    this.#unique.beginStillPass();
    return [{ from: 0 }];
  }

  #carve(region: Region, running: number): { piece: Piece; rest?: Region | undefined } | 'wait' {
    const { from, most, again = false } = region;
    const end = Math.min(region.to ?? Infinity, this.#until);
    if (from >= end || !this.#extent.goesOnAt(from, running)) return 'wait';
    const { offset, size } = this.#sizes.windowAt(from, most);
    const to = Math.min(offset + size, end);
    const rest = to < end ? { ...region, from: to, again: false } : undefined;
    return { piece: { offset, size, to, again }, rest };
  }

  async #run(piece: Piece, signal: AbortSignal): Promise<Outcome<Region, Reading>> {
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
      this.#account.cannotRead(offset);
      if (++this.#unreadableInARow >= UNREADABLE_IN_A_ROW) throw refusal.cause;
      return {};
    }
    if (this.#sizes.isFixed) throw refusal.cause;
    if (refusal.reason === 'slow' && !again) return { rest: [{ from: offset, to, most: size, again: true }] };
    const most = this.#sizes.refused(size);
    this.#account.shrink(size, most, refusal.reason);
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
    const total = (this.#extent.total = page.total ?? this.#extent.total);
    this.#unreadableInARow = 0;
    this.#account.page(count, page.total);
    this.#sizes.served(size, count, bytes.length);
    this.#extent.held(offset, size, count);
    if (total === undefined) return this.#readOfUnknownTotal(piece, page.records);
    this.#sightings.add({ offset, count, total });
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
    if (repeated || records.count !== piece.size) this.#extent.endsAt(piece.offset + 1);
    return repeated
      ? {}
      : { result: { piece, records: sliceRecords(records, 0, this.#until - piece.offset) } };
  }

  /** Where to go on after a page that held fewer records than asked for, although the total says that there are more. */
  #after({ offset, to, again }: Piece, count: number, total: number): Region[] {
    const reached = offset + count;
    if (reached >= to || reached >= total) return [];
    // Where pages are fixed, asking from there would bring the same page.
    if (count > 0 && !this.#sizes.isFixed) return [{ from: reached, to: Math.min(to, total) }];
    if (!again) return [{ from: offset, to, again: true }];
    this.#extent.emptyAt(offset);
    return [];
  }

  #rebase(pageSize: number, asked: number): void {
    // Of pages that were on their way before the size was known.
    if (pageSize === this.#sizes.largest && (asked > pageSize || this.#sizes.isFixed)) return;
    if (++this.#rebases > REBASES) {
      throw new ServiceError('the service keeps changing the page size that it applies', {
        hint: 'give --page-size a smaller number',
      });
    }
    this.#sizes.rebase(pageSize, asked);
  }
}
