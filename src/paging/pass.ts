import type { IdentityReader } from '../json/identity.ts';
import { sliceRecords, type RecordBatch } from '../json/records.ts';
import type { CooperativeTask } from '../json/cooperative-task.ts';
import type { NewReader } from './unique-records.ts';

/** A page as it was read, in its place. */
export interface PlacedPage {
  readonly offset: number;
  /** The offset of the record for which it was asked: the first that earlier pages were not asked to hold. */
  readonly from: number;
  readonly records: RecordBatch;
  /** Whether the listing was seen to end with it. */
  readonly isLast: boolean;
  /** How often the total had changed when it came. */
  readonly revision: number;
}

/** What is kept of a page, to compare the next page with it. */
interface PageEdge {
  readonly offset: number;
  /** One past its last record. */
  readonly reached: number;
  readonly records: RecordBatch;
  readonly first: Known | undefined;
  /** Its last record; where the page is empty, the last record before it. */
  readonly last: Known | undefined;
  readonly revision: number;
}

/** How a record is recognized. A record without a key has its content for a key. */
interface Known {
  readonly key: string;
  readonly content: string;
  readonly hasKey: boolean;
}

interface Keys {
  readonly newReader: NewReader;
  /** True when a key was seen that stands for several records. */
  readonly keysRepeat: boolean;
}

/** A place where two pages do not hold together. */
interface Border {
  readonly offset: number;
  /** The number of the page behind it. */
  readonly page: number;
  readonly isGap: boolean;
}

/** Records of a page that are looked at in one step. */
const STEP = 256;
/** The fewest records of a page that can show that the service repeats itself. */
const LEAST_REPEATED = 5;
/** The fewest gaps that show that the order changes from page to page; they must also be half of all borders. */
const OFTEN_GAPS = 3;

/**
 * One pass over a listing, or over parts of it, and whether a record was lost on the way.
 *
 * As long as records keep their order, two pages with a record in common lose none between them: a record behind the first
 * page stands behind the common record, and so not in front of the second page, whatever was inserted or deleted between
 * the two readings. Therefore each page is asked for with the last record of the page before it. Pages that hold together
 * from the beginning of the listing to its end have every record that existed throughout.
 *
 * Between two pages without a common record there is a gap: the place is read again, until a reading is contiguous with a
 * page on either side. Where the total changed between two pages, the place is read again as well, since a record may have been
 * inserted there. Pages too small to overlap, or of a size that the service fixes, are compared with the total alone.
 */
export class Pass {
  /** Pages so far. */
  pages = 0;
  /** Pages with a gap between them and the one before. */
  gaps = 0;
  /** True when two pages overlap in other places than they should, although the total was the same. */
  isQuietlyShifted = false;
  /** True when a page held just what the one before it held: the service may send the same for ever. */
  isStuck = false;
  /** True when pages may repeat records of earlier pages, and no place shows which. */
  mayRepeat = false;
  /** Records that two pages have in common by their keys, but with other contents. */
  changedAtBorder = 0;
  readonly #keys: Keys;
  readonly #identity: IdentityReader;
  /** Reads records of the page before, in turn with those of the next one: a reader keeps its place in a page. */
  readonly #identityBefore: IdentityReader;
  readonly #rereads: readonly Reread[];
  readonly #whole: Pass | undefined;
  /** The number of the page that begins or ends with a record, by that record's key and by its content. */
  readonly #pageOf = new Map<string, number>();
  readonly #borders: Border[] = [];
  #previous: PageEdge | undefined;
  #overlaps = 0;
  #revision = 0;
  #total: number | undefined;
  #lowest = Infinity;
  #highest = -Infinity;

  /** @param again the regions that are read again, and the pass over everything that shows nothing of them */
  constructor(keys: Keys, again?: { readonly rereads: readonly Reread[]; readonly whole: Pass }) {
    this.#keys = keys;
    this.#identity = keys.newReader();
    this.#identityBefore = keys.newReader();
    this.#rereads = again?.rereads ?? [];
    this.#whole = again?.whole;
  }

  /** The pass over everything: this one, or the one of which it reads parts again. */
  get whole(): Pass {
    return this.#whole ?? this;
  }

  /** Notes the total of a page, in the order in which pages arrive. Returns how often the total has changed so far. */
  arrived(total: number | undefined): number {
    if (total === undefined) return this.#revision;
    if (total !== (this.#total ?? total)) this.#revision++;
    this.#total = total;
    this.#lowest = Math.min(this.#lowest, total);
    this.#highest = Math.max(this.#highest, total);
    return this.#revision;
  }

  /** Takes the next page in the order of the listing. Returns its records without those of the page before it. */
  *join(placed: PlacedPage): CooperativeTask<RecordBatch> {
    const { offset, from, records, revision } = placed;
    const before = this.#previous;
    const page = this.pages++;
    const common = before === undefined ? Math.max(0, from - offset) : yield* this.#inCommon(placed, before);
    const isGap = common === 'gap';
    const fits = typeof common === 'number';
    if (before !== undefined && (!fits || before.revision !== revision)) {
      this.#borders.push({ offset, page, isGap });
      this.mayRepeat ||= !fits || offset >= before.reached;
      this.isQuietlyShifted ||= !fits && before.revision === revision;
      if (isGap) this.gaps++;
    }
    const edge = this.#edgeOf(placed, before);
    this.#previous = edge;
    this.isStuck ||= before !== undefined && isSame(edge, before);
    yield* this.#noteMeeting(placed, page);
    // Records in front of one that has moved may be new.
    return fits ? sliceRecords(records, common, records.count) : records;
  }

  /** True when the total changed. */
  get hasNewTotal(): boolean {
    return this.#revision > 0;
  }

  /** True when the listing was seen to move: then a record may have been missed. */
  get moved(): boolean {
    return (
      this.#revision > 0 ||
      this.#borders.length > 0 ||
      this.#rereads.some(({ isContiguous }) => !isContiguous)
    );
  }

  /** True when records may stand in other places than before, so that one may come again. */
  get isShifted(): boolean {
    return this.moved || this.#whole !== undefined;
  }

  /** True when there are so many gaps with the same total that the order itself must change. */
  get looksUnordered(): boolean {
    return this.#revision === 0 && this.gaps >= OFTEN_GAPS && this.gaps * 2 >= this.#overlaps;
  }

  /**
   * The regions to read again, in pages of this size: around each border where pages do not hold together, and those that
   * were in doubt before. Empty where no place is known.
   */
  toReadAgain(size: number): Reread[] {
    if (this.isStuck) return [];
    const change = Math.max(0, this.#highest - this.#lowest);
    const reach = size + Math.ceil(change / size) * size;
    const around = this.#borders.map(({ offset, page, isGap }) => {
      const border = Math.floor(offset / size) * size;
      const gap = isGap && this.#whole === undefined ? { after: page - 1, before: page } : undefined;
      return new Reread(Math.max(0, border - reach), border + reach, gap);
    });
    return mergeRereads([...this.#rereads.map((reread) => reread.next()), ...around]);
  }

  /** How many records at the front of a page are the last of the page before it; or how the pages do not fit. */
  *#inCommon(
    { offset, from, records }: PlacedPage,
    before: PageEdge,
  ): CooperativeTask<number | 'shifted' | 'gap'> {
    const overlap = before.reached - offset;
    // Pages that adjoin prove nothing. A place between them is a gap, unless it was asked for separately.
    if (overlap <= 0) return overlap < 0 && offset > from ? 'gap' : 0;
    this.#overlaps++;
    const { last } = before;
    if (last === undefined) return 'gap';
    if (yield* this.#isEndOf(before.records, records, overlap)) return overlap;
    let isThere = false;
    let isChanged = false;
    for (let index = 0; index < records.count && !isThere; index++) {
      if (index % STEP === STEP - 1) yield;
      const known = this.#known(records, index);
      isThere = known.content === last.content;
      isChanged ||= this.#isKey(known) && known.key === last.key;
    }
    if (!isThere && !isChanged) return 'gap';
    if (!isThere) this.changedAtBorder++;
    return 'shifted';
  }

  /** Whether a page ends with the records with which the next one begins, changed or not: so many, or as many as it has. */
  *#isEndOf(page: RecordBatch, next: RecordBatch, count: number): CooperativeTask<boolean> {
    if (count > next.count || page.count === 0) return false;
    let changed = 0;
    for (let index = count - 1; index >= Math.max(0, count - page.count); index--) {
      if (index % STEP === STEP - 1) yield;
      const before = knownBy(this.#identityBefore, page, page.count - count + index);
      const now = this.#known(next, index);
      if (now.content === before.content) continue;
      if (!this.#isKey(now) || now.key !== before.key) return false;
      changed++;
    }
    this.changedAtBorder += changed;
    return true;
  }

  #edgeOf({ offset, records, revision }: PlacedPage, before: PageEdge | undefined): PageEdge {
    const { count } = records;
    return {
      offset,
      reached: offset + count,
      records,
      first: count > 0 ? this.#known(records, 0) : undefined,
      last: count > 0 ? this.#known(records, count - 1) : before?.last,
      revision,
    };
  }

  /** Notes which pages of the pass over everything this page has records of; in that pass, keeps the page's ends for it. */
  *#noteMeeting({ from, records, isLast }: PlacedPage, page: number): CooperativeTask<void> {
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
    return knownBy(this.#identity, records, index);
  }
}

function knownBy(reader: IdentityReader, records: RecordBatch, index: number): Known {
  const identity = reader.read(records, index);
  return { key: identity.key(), content: identity.content(), hasKey: identity.hasKey };
}

/** True when a page, asked for from further on, holds just what the one before it held. */
function isSame(page: PageEdge, before: PageEdge): boolean {
  const moved = page.offset - before.offset;
  // Among fewer records, those of equal dates may merely have changed places.
  if (moved < LEAST_REPEATED) return false;
  const begins = page.first?.hasKey === true && page.first.content === before.first?.content;
  return (
    begins &&
    page.last?.content === before.last?.content &&
    moved > 0 &&
    moved === page.reached - before.reached
  );
}

/**
 * A region of a listing that is read again. It holds together with what was read before when it has a record of a page in
 * front of the doubtful place (or begins with the listing), and one of a page behind it (or ends with the listing).
 */
class Reread {
  readonly from: number;
  readonly to: number;
  readonly #after: number;
  readonly #before: number;
  #first = Infinity;
  #last = -Infinity;

  /** @param gap the numbers of the pages between which records may be lost; without it, every reading holds together */
  constructor(from: number, to: number, gap?: { readonly after: number; readonly before: number }) {
    this.from = from;
    this.to = to;
    this.#after = gap?.after ?? Infinity;
    this.#before = gap?.before ?? -Infinity;
  }

  /** Notes that it holds a record of the page of this number. */
  meets(page: number): void {
    this.#first = Math.min(this.#first, page);
    this.#last = Math.max(this.#last, page);
  }

  /** Notes that the listing ends within it. */
  meetsEnd(): void {
    this.#last = Infinity;
  }

  /** Whether it holds together with what was read before. */
  get isContiguous(): boolean {
    return (this.from === 0 || this.#first <= this.#after) && this.#last >= this.#before;
  }

  /** The region to read the next time: a larger one, where this one does not hold together. */
  next(): Reread {
    const more = this.isContiguous ? 0 : this.to - this.from;
    const gap = { after: this.#after, before: this.#before };
    return new Reread(Math.max(0, this.from - more), this.to + more, gap);
  }

  /** This region and another that it touches, as one. */
  with(other: Reread): Reread {
    return new Reread(Math.min(this.from, other.from), Math.max(this.to, other.to), {
      after: Math.min(this.#after, other.#after),
      before: Math.max(this.#before, other.#before),
    });
  }
}

/** The regions in order. Regions that touch become one. */
function mergeRereads(regions: readonly Reread[]): Reread[] {
  const merged: Reread[] = [];
  for (const region of regions.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && region.from <= last.to) merged[merged.length - 1] = last.with(region);
    else merged.push(region);
  }
  return merged;
}
