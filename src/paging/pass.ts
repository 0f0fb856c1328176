import type { IdentityReader } from '../json/identity.ts';
import { sliceRecords, type RecordBatch } from '../json/records.ts';
import type { CooperativeTask } from '../json/cooperative-task.ts';
import type { UniqueRecords } from './unique-records.ts';

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

/** A place where two pages do not hold together, or between which the total changed. */
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
 * Between two pages without a common record there is a gap: the place is read again, until a reading has records of pages on
 * either side. Where the total changed between two pages, the place is read again as well, since a record may have been
 * inserted there. Pages too small to overlap, or of a size that the service fixes, are compared with the total alone.
 */
export class Pass {
  /** Pages so far. */
  pages = 0;
  /** True when a page held just what the one before it held: the service may send the same for ever. */
  isStuck = false;
  /** True when pages may repeat records of earlier pages, and no place shows which. */
  mayRepeat = false;
  /** True when two pages do not hold together, although the total was the same. */
  misfits = false;
  /** Records that two pages have in common by their keys, but with other contents. */
  changedAtBorder = 0;
  /** The pass over everything: this one, or the one of which it reads parts again. */
  readonly whole: Pass;
  readonly #unique: UniqueRecords;
  readonly #identity: IdentityReader;
  readonly #doubts: readonly Doubt[];
  /** The number of the page that begins or ends with a record, by that record's key and by its content. */
  readonly #pageOf = new Map<string, number>();
  readonly #borders: Border[] = [];
  #previous: PageEdge | undefined;
  #overlaps = 0;
  #gaps = 0;
  #revision = 0;
  #total: number | undefined;
  #lowest = Infinity;
  #highest = -Infinity;

  /** @param again what is read again, and the pass over everything that shows nothing of it */
  constructor(unique: UniqueRecords, again?: { readonly doubts: readonly Doubt[]; readonly whole: Pass }) {
    this.#unique = unique;
    this.#identity = unique.newReader();
    this.#doubts = again?.doubts ?? [];
    this.whole = again?.whole ?? this;
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
    const fits = typeof common === 'number';
    if (before !== undefined && (!fits || before.revision !== revision)) {
      this.#borders.push({ offset, page, isGap: common === 'gap' });
      this.mayRepeat ||= !fits || offset >= before.reached;
      this.misfits ||= !fits && this.#total !== undefined && before.revision === revision;
      if (common === 'gap') this.#gaps++;
    }
    const edge = this.#edgeOf(placed, before);
    this.#previous = edge;
    this.isStuck ||= before !== undefined && isSame(edge, before);
    yield* this.#noteMeeting(placed, page);
    // Records in front of one that has moved may be new.
    return fits ? sliceRecords(records, common, records.count) : records;
  }

  get hasNewTotal(): boolean {
    return this.#revision > 0;
  }

  /** True when the listing was seen to move, so that a record may have been missed: its total changed, or pages do not hold together. */
  get moved(): boolean {
    return this.#revision > 0 || this.#borders.length > 0 || this.#doubts.some(isOpen);
  }

  /** True when there are so many gaps with the same total that the order itself must change. */
  get isUnordered(): boolean {
    return this.#revision === 0 && this.#gaps >= OFTEN_GAPS && this.#gaps * 2 >= this.#overlaps;
  }

  /**
   * The regions to read again, in pages of this size: around each border where pages do not hold together, and those that
   * were in doubt before. Empty where no place is known.
   */
  toReadAgain(size: number): Doubt[] {
    if (this.isStuck) return [];
    const change = Math.max(0, this.#highest - this.#lowest);
    const reach = size + Math.ceil(change / size) * size;
    const around = this.#borders.map(({ offset, page, isGap }) => {
      const border = Math.floor(offset / size) * size;
      const gap = isGap && this.whole === this ? { after: page - 1, before: page } : NO_GAP;
      return doubtIn(Math.max(0, border - reach), border + reach, gap);
    });
    return mergeDoubts([...this.#doubts.map(nextDoubt), ...around]);
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
      const known = knownBy(this.#identity, records, index);
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
      const before = knownBy(this.#identity, page, page.count - count + index);
      const now = knownBy(this.#identity, next, index);
      if (now.content === before.content) continue;
      if (!this.#isKey(now) || now.key !== before.key) return false;
      changed++;
    }
    this.changedAtBorder += changed;
    return true;
  }

  #edgeOf({ offset, records, revision }: PlacedPage, before: PageEdge | undefined): PageEdge {
    const { count } = records;
    const [first, last] =
      count === 0
        ? [undefined, before?.last]
        : [knownBy(this.#identity, records, 0), knownBy(this.#identity, records, count - 1)];
    return { offset, reached: offset + count, records, first, last, revision };
  }

  /** Notes which pages of the pass over everything this page has records of; in that pass, keeps the page's ends for it. */
  *#noteMeeting({ from, records, isLast }: PlacedPage, page: number): CooperativeTask<void> {
    const { count } = records;
    if (this.whole === this) {
      const { first, last } = this.#previous!;
      for (const known of count === 0 ? [] : [first, last])
        this.#pageOf.set(known!.key, page).set(known!.content, page);
      return;
    }
    const doubt = this.#doubts.find((candidate) => candidate.from <= from && from < candidate.to);
    if (doubt === undefined) return;
    if (isLast) doubt.isMetBehind = true;
    for (let index = 0; index < count && isOpen(doubt); index++) {
      if (index % STEP === STEP - 1) yield;
      const { key, content } = knownBy(this.#identity, records, index);
      const met = this.whole.#pageOf.get(content) ?? this.whole.#pageOf.get(key);
      if (met === undefined) continue;
      doubt.isMetBefore ||= met <= doubt.after;
      doubt.isMetBehind ||= met >= doubt.before;
    }
  }

  /** Whether a key tells a record from all others. */
  #isKey({ hasKey }: Known): boolean {
    return hasKey && !this.#unique.keysRepeat;
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
  return (
    moved >= LEAST_REPEATED &&
    moved === page.reached - before.reached &&
    page.first?.hasKey === true &&
    page.first.content === before.first?.content &&
    page.last?.content === before.last?.content
  );
}

/** The numbers of two pages between which records may be lost. */
interface Gap {
  readonly after: number;
  readonly before: number;
}

const NO_GAP: Gap = { after: Infinity, before: -Infinity };

/**
 * A region of a listing that is read again. It holds together with what was read before when it has a record of a page in
 * front of its gap (or begins with the listing), and one of a page behind it (or ends with the listing).
 */
interface Doubt extends Gap {
  readonly from: number;
  readonly to: number;
  isMetBefore: boolean;
  isMetBehind: boolean;
}

function doubtIn(from: number, to: number, { after, before }: Gap): Doubt {
  const isMetBefore = from === 0 || after === NO_GAP.after;
  return { from, to, after, before, isMetBefore, isMetBehind: before === NO_GAP.before };
}

function isOpen({ isMetBefore, isMetBehind }: Doubt): boolean {
  return !isMetBefore || !isMetBehind;
}

/** The region to read the next time: a larger one, where this one does not hold together. */
function nextDoubt(doubt: Doubt): Doubt {
  const more = isOpen(doubt) ? doubt.to - doubt.from : 0;
  return doubtIn(Math.max(0, doubt.from - more), doubt.to + more, doubt);
}

/** The regions in order. Regions that touch become one. */
function mergeDoubts(doubts: readonly Doubt[]): Doubt[] {
  const merged: Doubt[] = [];
  for (const doubt of doubts.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last === undefined || doubt.from > last.to) merged.push(doubt);
    else {
      const gap = { after: Math.min(last.after, doubt.after), before: Math.max(last.before, doubt.before) };
      merged[merged.length - 1] = doubtIn(last.from, Math.max(last.to, doubt.to), gap);
    }
  }
  return merged;
}
