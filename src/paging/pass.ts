import { sliceRecords, type RecordBatch } from '../json/record-batch.ts';
import { recordKey } from '../json/record-identity.ts';
import { edgeOf, inCommon, isSame, type Edge, type Sighting } from './sighting.ts';
import { mergeStretches, Stretch } from './stretch.ts';

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
  readonly #stretches: readonly Stretch[];
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
  constructor(again?: { readonly stretches: readonly Stretch[]; readonly whole: Pass }) {
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
  join(sighting: Sighting): RecordBatch {
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
  doubtful(size: number): Stretch[] {
    if (this.#isStuck) return [];
    const change = Math.max(0, this.#highest - this.#lowest);
    const reach = size + Math.ceil(change / size) * size;
    const around = this.#borders.map(({ offset, page, isTorn }) => {
      const border = Math.floor(offset / size) * size;
      const torn = isTorn && this.#whole === undefined ? { after: page - 1, before: page } : undefined;
      return new Stretch(Math.max(0, border - reach), border + reach, torn);
    });
    return mergeStretches([...this.#stretches.map((stretch) => stretch.next()), ...around]);
  }

  #tie({ from, records, isLast }: Sighting, page: number): void {
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
