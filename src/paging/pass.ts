import { IdentityReader, type KeyColumns } from '../json/identity.ts';
import { sliceRecords, type RecordBatch } from '../json/records.ts';
import type { Steps } from '../json/turns.ts';
import { mergeRereads, Reread } from './reread.ts';

/** A page as it was read, in its place. */
export interface PlacedPage {
  readonly offset: number;
  /** The record for whose sake it was asked for: the first that the pages before it were not to hold. */
  readonly from: number;
  readonly records: RecordBatch;
  /** Whether the listing was seen to end with it. */
  readonly isLast: boolean;
  /** How often the total had changed when it came. */
  readonly epoch: number;
}

/** What is kept of a page to hold the next one against. */
interface PageEdge {
  readonly offset: number;
  /** One past its last record. */
  readonly reached: number;
  readonly records: RecordBatch;
  readonly first: Known | undefined;
  /** The last record of it, or, where it is empty, of a page before. */
  readonly last: Known | undefined;
  readonly epoch: number;
}

/** What a record is known by. Without a key of its own, its key is its content. */
interface Known {
  readonly key: string;
  readonly content: string;
  readonly hasKey: boolean;
}

interface Keys {
  readonly columns?: KeyColumns | undefined;
  /** True when a key was seen that stands for several records. */
  readonly keysRepeat: boolean;
}

/** Where pages do not hold together. */
interface Border {
  readonly offset: number;
  /** The number of the page behind it. */
  readonly page: number;
  readonly isTorn: boolean;
}

/** Records of a page that are looked at in one step. */
const STEP = 256;
/** Records of a page from which on it tells that the service repeats itself. */
const LEAST_REPEATED = 5;
/** Torn borders from which on it looks as if the order changed from page to page, where they are half of all. */
const OFTEN_TORN = 3;

/**
 * One pass over a listing, or over parts of it, and whether a record was lost on the way.
 *
 * Records keep their order. Where two pages have a record in common, none that was there throughout is lost between
 * them: what came after the one page came after that record, and so did not come before the other page, whatever was
 * inserted or deleted between the two readings. Therefore each page is asked for with the last record of the page before
 * it, and pages that hold together from the beginning of the listing to its end have every lasting record.
 *
 * Where two pages are torn apart the place is read again, until what is read holds together with a page on either
 * side. Where the total changed between them the place is read again as well: what was inserted there may be wanted.
 * Pages too small to overlap, or of a size that the service fixes, are held against the total alone.
 */
export class Pass {
  /** Pages so far. */
  pages = 0;
  /** Pages that were torn from the one before them. */
  torn = 0;
  /** True when records stood in other places of two pages than they should, though the total was the same. */
  isQuietlyShifted = false;
  /** True when a page held just what the one before it held: the service may send the same for ever. */
  isStuck = false;
  /** True when pages may hold records again that others before them held, and that could not be told from them by place. */
  mayRepeat = false;
  /** Pages whose first record had been the last of the page before, by its key, with other content. */
  changedAtBorder = 0;
  readonly #keys: Keys;
  readonly #identity: IdentityReader;
  readonly #rereads: readonly Reread[];
  readonly #whole: Pass | undefined;
  /** The number of the page that begins or ends with a record, by that record's key and by its content. */
  readonly #pageOf = new Map<string, number>();
  readonly #borders: Border[] = [];
  #previous: PageEdge | undefined;
  #overlaps = 0;
  #epoch = 0;
  #total: number | undefined;
  #lowest = Infinity;
  #highest = -Infinity;

  /** @param again parts that are read again, and the pass over everything that left them in doubt */
  constructor(keys: Keys, again?: { readonly rereads: readonly Reread[]; readonly whole: Pass }) {
    this.#keys = keys;
    this.#identity = new IdentityReader(keys.columns);
    this.#rereads = again?.rereads ?? [];
    this.#whole = again?.whole;
  }

  /** The pass over everything: this one, or the one of which it reads parts again. */
  get whole(): Pass {
    return this.#whole ?? this;
  }

  /** A page came with this total. Returns how often it has changed. To be told in the order in which pages come. */
  arrived(total: number | undefined): number {
    if (total === undefined) return this.#epoch;
    if (total !== (this.#total ?? total)) this.#epoch++;
    this.#total = total;
    this.#lowest = Math.min(this.#lowest, total);
    this.#highest = Math.max(this.#highest, total);
    return this.#epoch;
  }

  /** Takes the next page in the order of the listing. Returns its records without those that the page before it had. */
  *join(placed: PlacedPage): Steps<RecordBatch> {
    const { offset, from, records, epoch } = placed;
    const before = this.#previous;
    const page = this.pages++;
    const common = before === undefined ? Math.max(0, from - offset) : yield* this.#inCommon(placed, before);
    const isTorn = common === 'torn';
    const fits = typeof common === 'number';
    if (before !== undefined && (!fits || before.epoch !== epoch)) {
      this.#borders.push({ offset, page, isTorn });
      this.mayRepeat ||= !fits || offset >= before.reached;
      this.isQuietlyShifted ||= !fits && before.epoch === epoch;
      if (isTorn) this.torn++;
    }
    const edge = this.#edgeOf(placed, before);
    this.#previous = edge;
    this.isStuck ||= before !== undefined && isSame(edge, before);
    yield* this.#noteMeeting(placed, page);
    // What stands in front of a record that is elsewhere may have come there since.
    return fits ? sliceRecords(records, common, records.count) : records;
  }

  /** True when the total changed. */
  get hasNewTotal(): boolean {
    return this.#epoch > 0;
  }

  /** True when the listing was seen to move: nothing is proven of what crossed the place. */
  get moved(): boolean {
    return this.#epoch > 0 || this.#borders.length > 0 || this.#rereads.some(({ isTied }) => !isTied);
  }

  /** True when records were seen in other places than before: a record may come again. */
  get isShifted(): boolean {
    return this.moved || this.#whole !== undefined;
  }

  /** True when so many pages are torn, though the total stands still, that it must be the order that changes. */
  get looksUnordered(): boolean {
    return this.#epoch === 0 && this.torn >= OFTEN_TORN && this.torn * 2 >= this.#overlaps;
  }

  /**
   * What to read again, in pages of this size: around each doubtful border, and what was in doubt before. Nothing where
   * no place is known.
   */
  doubtful(size: number): Reread[] {
    if (this.isStuck) return [];
    const change = Math.max(0, this.#highest - this.#lowest);
    const reach = size + Math.ceil(change / size) * size;
    const around = this.#borders.map(({ offset, page, isTorn }) => {
      const border = Math.floor(offset / size) * size;
      const torn = isTorn && this.#whole === undefined ? { after: page - 1, before: page } : undefined;
      return new Reread(Math.max(0, border - reach), border + reach, torn);
    });
    return mergeRereads([...this.#rereads.map((reread) => reread.next()), ...around]);
  }

  /** How many records, from its front, a page has again that the one before it ended with; or how they do not fit. */
  *#inCommon({ offset, from, records }: PlacedPage, before: PageEdge): Steps<number | 'shifted' | 'torn'> {
    const overlap = before.reached - offset;
    // Pages that only adjoin show nothing either way; a gap is torn, unless the place between was asked for by itself.
    if (overlap <= 0) return overlap < 0 && offset > from ? 'torn' : 0;
    this.#overlaps++;
    const { last } = before;
    if (last === undefined) return 'torn';
    if (yield* this.#isEndOf(before.records, records, overlap)) return overlap;
    let isThere = false;
    let isChanged = false;
    for (let index = 0; index < records.count && !isThere; index++) {
      if (index % STEP === STEP - 1) yield;
      const known = this.#known(records, index);
      isThere = known.content === last.content;
      isChanged ||= this.#isKey(known) && known.key === last.key;
    }
    if (!isThere && !isChanged) return 'torn';
    if (!isThere) this.changedAtBorder++;
    return 'shifted';
  }

  /** Whether a page ends with the records with which the next one begins, changed or not: so many, or as many as it has. */
  *#isEndOf(page: RecordBatch, next: RecordBatch, count: number): Steps<boolean> {
    if (count > next.count || page.count === 0) return false;
    let changed = 0;
    for (let index = count - 1; index >= Math.max(0, count - page.count); index--) {
      if (index % STEP === STEP - 1) yield;
      const before = this.#known(page, page.count - count + index);
      const now = this.#known(next, index);
      if (now.content === before.content) continue;
      if (!this.#isKey(now) || now.key !== before.key) return false;
      changed++;
    }
    this.changedAtBorder += changed;
    return true;
  }

  #edgeOf({ offset, records, epoch }: PlacedPage, before: PageEdge | undefined): PageEdge {
    const { count } = records;
    return {
      offset,
      reached: offset + count,
      records,
      first: count > 0 ? this.#known(records, 0) : undefined,
      last: count > 0 ? this.#known(records, count - 1) : before?.last,
      epoch,
    };
  }

  *#noteMeeting({ from, records, isLast }: PlacedPage, page: number): Steps<void> {
    const { count } = records;
    if (this.#whole === undefined) {
      if (count === 0) return;
      for (const { key, content } of [this.#known(records, 0), this.#known(records, count - 1)])
        this.#pageOf.set(key, page).set(content, page);
      return;
    }
    const reread = this.#rereads.find((candidate) => candidate.from <= from && from < candidate.to);
    if (isLast) reread?.meetsEnd();
    for (let index = 0; index < count; index++) {
      if (index % STEP === STEP - 1) yield;
      const { key, content } = this.#known(records, index);
      const met = this.#whole.#pageOf.get(content) ?? this.#whole.#pageOf.get(key);
      if (met !== undefined) reread?.meets(met);
    }
  }

  /** Whether a key tells a record from all others. */
  #isKey({ hasKey }: Known): boolean {
    return hasKey && !this.#keys.keysRepeat;
  }

  #known(records: RecordBatch, index: number): Known {
    const identity = this.#identity.read(records, index);
    return { key: identity.key(), content: identity.content(), hasKey: identity.hasKey };
  }
}

/** True when a page, asked for from further on, holds just what the one before it held. */
function isSame(page: PageEdge, before: PageEdge): boolean {
  const moved = page.offset - before.offset;
  // Of fewer records, equal dates may have changed places.
  if (moved < LEAST_REPEATED) return false;
  const begins = page.first?.hasKey === true && page.first.content === before.first?.content;
  return (
    begins &&
    page.last?.content === before.last?.content &&
    moved > 0 &&
    moved === page.reached - before.reached
  );
}
