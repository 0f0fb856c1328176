import type { OnRefusal, PageRefused, RefusalReason, Window } from './page.ts';
import type { WalkStatus } from './walk-status.ts';

/** What a page may weigh before the service refuses it (spec 8), in bytes, less a margin for the envelope. */
const PAGE_BYTES = 6_000_000 * 0.95;
/** Below this size, some pages cannot overlap the one before them. */
const LEAST_OVERLAPPING = 10;
/** How many records larger a page may be where none of its size overlaps: enough for a listing of 12 million. */
const MAX_EXCESS = 9;
/** Records of the page that shows whether the service is slow whatever the size. */
const CHECK_SIZE = 10;
/** Records of the page that shows how many bytes a record takes: it comes where they take up to 114 KB each. */
const WEIGHING_SIZE = 50;
/** A trial between the size that comes and the one that was refused has to be larger than the first by this factor. */
const LEAST_STEP = 1.15;

export interface SizedWindow extends Window {
  /** The size that was decided. The page may be a few records smaller or larger, so that it overlaps the one before it. */
  readonly nominal: number;
}

/**
 * Decides on the size of pages, so that they are large and still come.
 *
 * A refused size is halved, in the place where it was refused (`Place`). Where nothing came before, a small page is requested
 * instead. The bytes of that page show how many records fit into one. Where they do not explain the refusal, a larger size is
 * tried after some pages, one at a time; each trial that fails doubles that number of pages. A size that was refused and
 * never served lowers that of the whole listing.
 */
export class PageSizes {
  /** Records a page, at most. */
  largest: number;
  /** The size of the next pages. */
  size: number;
  /** The smallest size that was refused. */
  #refused = Infinity;
  /** Whether the service was seen to apply one size, `largest`, to requests of any size. */
  isFixed = false;
  /** The most that the service takes. */
  #cap: number;
  /** The largest size that was served in full. */
  #served = 0;
  /** Pages that came since a size was refused or tried, and how many have to before a larger one is tried. */
  #pagesSinceRefusal = 0;
  #pagesBeforeTrial = 1;
  /** The size that is being tried; 0 where none is. */
  #trial = 0;
  /** How many records fit into a page, by the weight of those that came last. */
  #fits = Infinity;
  #isConstant = false;
  readonly #slowSizes = new Set<number>();

  /**
   * @param size the largest page, in records
   * @param cap the most records that the service takes: a page may have a few more than `size` to overlap the one before it
   */
  constructor(size: number, cap = Infinity) {
    this.largest = size;
    this.size = size;
    this.#cap = cap;
  }

  /** Sets whether all pages are of one size, so that they adjoin and none overlaps another. */
  keepConstant(isConstant: boolean): void {
    this.#isConstant = isConstant;
  }

  /**
   * Returns the next page to request, which has the record at `from`. Where it is time, it is the trial of a larger size.
   *
   * @param floor the earliest offset at which it may begin; where that is `from`, it begins there
   */
  beginPage(from: number, most = Infinity, floor = 0): SizedWindow {
    const { size } = this;
    // Where pages are refused, the page of that size is one of them.
    if (this.isFixed || (this.#isConstant && most === Infinity))
      return { offset: from - (from % size), size, nominal: size };
    const nominal = most === Infinity ? (this.#beginTrial() ?? size) : Math.min(size, most);
    const mayExceed =
      nominal >= LEAST_OVERLAPPING && nominal + MAX_EXCESS < Math.min(this.#refused, this.#cap);
    const excess = mayExceed ? MAX_EXCESS : 0;
    const earliest = this.#isConstant ? from : floor;
    return { ...overlappingWindow(from, nominal, { floor: earliest, excess }), nominal };
  }

  /** The page was refused. Returns the size to go on with in its place. */
  refuse({ size, nominal }: SizedWindow, reason: RefusalReason): number {
    const isFailedTrial = this.isTrial(nominal);
    if (isFailedTrial) {
      this.#trial = 0;
      this.#pagesBeforeTrial *= 2;
    }
    this.#pagesSinceRefusal = 0;
    let half = Math.max(1, Math.floor(size / 2));
    // Nothing came so far: a page that is surely small enough shows whether the size matters, and what a record takes.
    if (this.#served === 0)
      half = Math.min(half, reason === 'slow' ? CHECK_SIZE : Math.max(WEIGHING_SIZE, Math.floor(size / 10)));
    if (size > this.#served) {
      this.#refused = Math.min(this.#refused, size);
      // Where the service does not take a size, a size that came is the start for larger ones.
      this.size = Math.min(this.size, Math.max(reason === 'size' ? 1 : half, this.#served));
    }
    // The size before the trial is known to come.
    return isFailedTrial ? Math.max(1, Math.min(size - 1, this.size)) : half;
  }

  /** Whether a page of this nominal size is the trial of a larger size, which is not retried. */
  isTrial(nominal: number): boolean {
    return nominal === this.#trial;
  }

  /** Notes a size that was too slow. Sizes of about the same power of two count as one. */
  slow(size: number): void {
    this.#slowSizes.add(Math.round(Math.log2(size)));
  }

  /**
   * Whether the service is slow whatever the size, so that a smaller page would not help: two sizes were too slow since a
   * page last came, and a page of at least this size came before, or none ever did.
   */
  isSlowEvenAt(size: number): boolean {
    return this.#slowSizes.size >= 2 && (size <= this.#served || this.#served === 0);
  }

  /**
   * Notes a page that came. Only a full one shows that its size is served.
   *
   * @param isLocal whether its size was chosen for its place alone
   */
  serve(
    { size, nominal }: SizedWindow,
    { count, bytes }: { count: number; bytes: number },
    isLocal: boolean,
  ): void {
    const isFull = count >= size;
    if (this.isTrial(nominal)) {
      this.#trial = 0;
      if (isFull) this.#pagesBeforeTrial = 1;
    }
    this.#slowSizes.clear();
    if (!isFull) return;
    // A page that is smaller than its nominal size, so that it overlaps, shows nothing of that size.
    this.#served = Math.max(this.#served, size);
    if (isLocal && size < this.size) return;
    const fits = Math.floor(PAGE_BYTES / (bytes / count));
    this.#fits = fits;
    this.size = Math.max(this.size, size);
    this.#pagesSinceRefusal++;
    if (fits < this.#refused && fits > this.size && !this.isFixed && !this.#isConstant) {
      // The bytes of records explain the refusal, and show how many fit.
      this.size = Math.min(fits, this.largest);
      this.#refused = Infinity;
    }
  }

  /**
   * The service applies another size than the requested one: from here on it is the largest. Where it is larger than the
   * requested one, the service would apply no smaller one either: the size is fixed.
   */
  rebase(size: number, requested: number): void {
    this.isFixed = size > requested;
    this.largest = size;
    this.#cap = size;
    this.size = size;
  }

  /**
   * Begins to try a larger size, where it is time: twice the present one, since a refusal may have been a fault that passed.
   * Where a trial failed, or what was refused is far, the geometric mean of the two, which finds the largest size that comes
   * in a few trials, until the two are close.
   */
  #beginTrial(): number | undefined {
    const { size } = this;
    const refused = this.#refused;
    if (size >= this.largest || this.#trial > 0 || this.#pagesSinceRefusal < this.#pagesBeforeTrial)
      return undefined;
    const isSearch = refused < Infinity && (this.#pagesBeforeTrial > 1 || refused > 2 * size);
    const middle = Math.floor(Math.sqrt(size * refused));
    const next = isSearch && middle >= size * LEAST_STEP ? middle : 2 * size;
    const larger = Math.min(this.largest, next, this.#fits);
    if (larger <= size) return undefined;
    this.#trial = larger;
    this.#pagesSinceRefusal = 0;
    return larger;
  }
}

/**
 * The descent to smaller pages in one place of a listing. A refused page is brought in halves, and a half that is refused in
 * halves of its own; behind them, pages are as large as they were. A slow page is first requested once more, since slowness
 * may pass.
 */
export class Place {
  readonly #sizes: PageSizes;
  readonly #status: WalkStatus;
  /** Pages that were refused and have not come whole yet, one within the other: the end of each, and the size of pages in it. */
  readonly #refused: { readonly end: number; readonly most: number }[] = [];
  /** Whether the next page is one that was slow, requested once more. */
  #isRetry = false;

  constructor(sizes: PageSizes, status: WalkStatus) {
    this.#sizes = sizes;
    this.#status = status;
  }

  /** Leaves the refused pages that end by `from`. Returns the most records of a page there; Infinity where any size may come. */
  moveTo(from: number): number {
    for (let page; (page = this.#refused.at(-1)) !== undefined; this.#refused.pop())
      if (page.end > from && page.most < this.#sizes.size) return page.most;
    return Infinity;
  }

  get isLimited(): boolean {
    return this.#refused.length > 0;
  }

  /** What is to follow where a page of this size is refused. `isLast`: no smaller page is to follow. */
  onRefusal(size: number, isLast: boolean): OnRefusal {
    return isLast || size === 1 || this.#sizes.isSlowEvenAt(size) ? 'retry' : 'shrink';
  }

  came(window: SizedWindow, weight: { readonly count: number; readonly bytes: number }): void {
    this.#sizes.serve(window, weight, this.isLimited);
    this.#isRetry = false;
  }

  /**
   * Notes that a page was refused: the next one is smaller, or, after a slow one, the same once more. Throws the error that
   * ends the walk where the page was already retried.
   *
   * @param onRefusal what was to follow, as it was requested
   * @param at the offset of the first record; undefined where pages have cursors
   */
  refuse(
    window: SizedWindow,
    { reason, cause }: PageRefused,
    { onRefusal, at }: { readonly onRefusal: OnRefusal; readonly at?: number },
  ): void {
    const { offset, size } = window;
    if (onRefusal === 'retry') throw cause;
    if (reason === 'slow') {
      this.#sizes.slow(size);
      if (!this.#isRetry && !this.#sizes.isTrial(window.nominal)) {
        this.#isRetry = true;
        return this.#status.slowPage(size, at);
      }
    }
    this.#isRetry = false;
    const to = this.#sizes.refuse(window, reason);
    this.#refused.push({ end: offset + size, most: to });
    this.#status.shrink({ at, from: size, to, reason });
  }
}

/**
 * The page of at most `most` records that reaches furthest beyond `from` and begins before it, at `floor` at the earliest: so
 * it also has the last record of the page before it. Since it begins at a multiple of its size, it may be a few records
 * smaller than `most`, or, at multiples of every small size, such as 2520, up to `excess` records larger. Where there is no
 * such page, it is the largest one that begins at `from`.
 */
function overlappingWindow(
  from: number,
  most: number,
  { floor, excess }: { readonly floor: number; readonly excess: number },
): Window {
  let best: Window | undefined;
  let gain = 0;
  const consider = (size: number): void => {
    const overlap = from % size;
    if (overlap === 0 || overlap > from - floor || size - overlap <= gain) return;
    gain = size - overlap;
    best = { offset: from - overlap, size };
  };
  for (let size = most; size > gain; size--) consider(size);
  for (let size = most + 1; best === undefined && size <= most + excess; size++) consider(size);
  let size = most;
  while (from % size !== 0) size--;
  return best ?? { offset: from, size };
}
