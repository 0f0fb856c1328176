import { recordKey, sliceRecords, type RecordBatch } from '../json/records.ts';

/** A page as it was read. */
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
interface Edge {
  readonly offset: number;
  /** One past its last record. */
  readonly reached: number;
  /** The first record, where it has an id. */
  readonly first: string | undefined;
  /** The last record of it, or, where it is empty, of a page before. */
  readonly last: string | undefined;
  readonly epoch: number;
}

function edgeOf({ offset, records, epoch }: PlacedPage, before: Edge | undefined): Edge {
  const { count, ids } = records;
  return {
    offset,
    reached: offset + count,
    first: count > 0 && ids[0] !== -1 ? recordKey(records, 0) : undefined,
    last: count > 0 ? recordKey(records, count - 1) : before?.last,
    epoch,
  };
}

/** How many records, from its front, a page has in common with the one before it. Undefined where they are torn apart. */
function inCommon({ offset, from, records }: PlacedPage, before: Edge): number | undefined {
  const overlap = before.reached - offset;
  // Pages that only adjoin show nothing either way; a gap is torn, unless the place between was asked for by itself.
  if (overlap <= 0) return overlap < 0 && offset > from ? undefined : 0;
  if (overlap <= records.count && recordKey(records, overlap - 1) === before.last) return overlap;
  for (let index = 0; index < records.count; index++) {
    if (recordKey(records, index) === before.last) return index + 1;
  }
  return undefined;
}

/** True when a page, asked for from further on, holds just what the one before it held. */
function isSame(page: Edge, before: Edge): boolean {
  const moved = page.offset - before.offset;
  const begins = page.first !== undefined && page.first === before.first;
  return begins && page.last === before.last && moved > 0 && moved === page.reached - before.reached;
}

/**
 * A stretch of a listing that is read again. It holds together with what was read before when it meets a page in front of the
 * doubtful place and one behind it, or begins with the listing, or ends with it.
 */
class Reread {
  readonly from: number;
  readonly to: number;
  readonly #after: number;
  readonly #before: number;
  #first = Infinity;
  #last = -Infinity;

  /** @param torn the pages, by number, between which records may be lost; without it nothing is to be met */
  constructor(from: number, to: number, torn?: { readonly after: number; readonly before: number }) {
    this.from = from;
    this.to = to;
    this.#after = torn?.after ?? Infinity;
    this.#before = torn?.before ?? -Infinity;
  }

  /** It holds a record of the page of this number. */
  meets(page: number): void {
    this.#first = Math.min(this.#first, page);
    this.#last = Math.max(this.#last, page);
  }

  /** The listing was seen to end within it. */
  meetsEnd(): void {
    this.#last = Infinity;
  }

  get isTied(): boolean {
    return (this.from === 0 || this.#first <= this.#after) && this.#last >= this.#before;
  }

  /** What is to be read the next time: more, where this was not enough to hold together. */
  next(): Reread {
    const more = this.isTied ? 0 : this.to - this.from;
    const torn = { after: this.#after, before: this.#before };
    return new Reread(Math.max(0, this.from - more), this.to + more, torn);
  }

  /** This one and another that it touches, as one. */
  with(other: Reread): Reread {
    return new Reread(Math.min(this.from, other.from), Math.max(this.to, other.to), {
      after: Math.min(this.#after, other.#after),
      before: Math.max(this.#before, other.#before),
    });
  }
}

/** The stretches in order, those that touch made one. */
function mergeRereads(stretches: readonly Reread[]): Reread[] {
  const merged: Reread[] = [];
  for (const stretch of stretches.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && stretch.from <= last.to) merged[merged.length - 1] = last.with(stretch);
    else merged.push(stretch);
  }
  return merged;
}

/**
 * One pass over a listing, or over stretches of it, and whether a record was lost on the way.
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
  readonly #stretches: readonly Reread[];
  readonly #whole: Pass | undefined;
  /** The number of the page that begins or ends with a record, by that record. */
  readonly #pageOf = new Map<string, number>();
  /** Where pages were torn apart, or came with different totals. */
  readonly #borders: { readonly offset: number; readonly page: number; readonly isTorn: boolean }[] = [];
  #pages = 0;
  #previous: Edge | undefined;
  #isStuck = false;
  #mayRepeat = false;
  #epoch = 0;
  #total: number | undefined;
  #lowest = Infinity;
  #highest = -Infinity;

  /** @param again stretches that are read again, and the pass over everything that left them in doubt */
  constructor(again?: { readonly stretches: readonly Reread[]; readonly whole: Pass }) {
    this.#stretches = again?.stretches ?? [];
    this.#whole = again?.whole;
  }

  /** The pass over everything: this one, or the one of which it reads stretches again. */
  get whole(): Pass {
    return this.#whole ?? this;
  }

  /** Pages so far. */
  get pages(): number {
    return this.#pages;
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
  join(sighting: PlacedPage): RecordBatch {
    const { offset, from, records, epoch } = sighting;
    const before = this.#previous;
    const page = this.#pages++;
    const common = before === undefined ? Math.max(0, from - offset) : inCommon(sighting, before);
    const isTorn = common === undefined;
    if (before !== undefined && (isTorn || before.epoch !== epoch)) {
      this.#borders.push({ offset, page, isTorn });
      this.#mayRepeat ||= isTorn || offset >= before.reached;
    }
    const edge = edgeOf(sighting, before);
    this.#previous = edge;
    this.#isStuck ||= before !== undefined && isSame(edge, before);
    this.#tie(sighting, page);
    return sliceRecords(records, common ?? 0, records.count);
  }

  /** True when pages may hold records again that others before them held, and that could not be told from them by place. */
  get mayRepeat(): boolean {
    return this.#mayRepeat;
  }

  /** True when a page held just what the one before it held: the service may send the same for ever. */
  get isStuck(): boolean {
    return this.#isStuck;
  }

  /** True when the listing was seen to move: nothing is proven of what crossed the place. */
  get moved(): boolean {
    return this.#epoch > 0 || this.#borders.length > 0 || this.#stretches.some(({ isTied }) => !isTied);
  }

  /**
   * What to read again, in pages of this size: around each doubtful border, and what was in doubt before. Nothing where
   * no place is known.
   */
  doubtful(size: number): Reread[] {
    if (this.#isStuck) return [];
    const change = Math.max(0, this.#highest - this.#lowest);
    const reach = size + Math.ceil(change / size) * size;
    const around = this.#borders.map(({ offset, page, isTorn }) => {
      const border = Math.floor(offset / size) * size;
      const torn = isTorn && this.#whole === undefined ? { after: page - 1, before: page } : undefined;
      return new Reread(Math.max(0, border - reach), border + reach, torn);
    });
    return mergeRereads([...this.#stretches.map((stretch) => stretch.next()), ...around]);
  }

  #tie({ from, records, isLast }: PlacedPage, page: number): void {
    const { count } = records;
    if (this.#whole === undefined) {
      if (count === 0) return;
      this.#pageOf.set(recordKey(records, 0), page).set(recordKey(records, count - 1), page);
      return;
    }
    const stretch = this.#stretches.find((candidate) => candidate.from <= from && from < candidate.to);
    if (isLast) stretch?.meetsEnd();
    for (let index = 0; index < count; index++) {
      const met = this.#whole.#pageOf.get(recordKey(records, index));
      if (met !== undefined) stretch?.meets(met);
    }
  }
}
