import type { OnRefusal, PageRefused, RefusalReason, Window } from './page.ts';
import type { WalkStatus } from './walk-status.ts';

/** What a page may weigh before the service refuses it (spec 8), in bytes, less a margin for the envelope. */
const PAGE_BYTES = 6_000_000 * 0.95;
/** Below this size, some pages cannot overlap the one before them. */
const LEAST_OVERLAPPING = 10;
/** How many records larger a page may be where none of its size overlaps: enough for a listing of 12 million. */
const MAX_EXCESS = 9;
/** Refusals in a row after which a size that came before no longer counts as served. */
const MAX_REFUSALS_IN_A_ROW = 4;
/** Records of the page that shows whether the service refuses the size, or whatever is asked for. */
const CHECK_SIZE = 10;

/** Records of the page that shows how many bytes a record takes: it comes where they take up to 114 KB each. */
const WEIGHING_SIZE = 50;

/** How many times larger a size must be to be worth a trial between what comes and what was refused. */
const LEAST_STEP = 1.15;

/** A page to ask for. */
export interface SizedWindow extends Window {
  /** The size that is tried with it: the page may be a few records smaller or larger, so that it overlaps another. */
  readonly step: number;
}

/** The page size in a place where pages were refused, and when it may grow again. */
export interface LocalLimit {
  /** Records a page, at most. */
  readonly most: number;
  /** The smallest size that was refused here. */
  readonly refused: number;
  /** Pages that came at this size since it was set. */
  readonly calm: number;
  /** Pages that must come at this size before a larger one is tried. */
  readonly patience: number;
  /** True where `most` follows from how many bytes records take here. */
  readonly isWeighed?: boolean;
}

/**
 * Decides on the size of pages, so that they are large and still come.
 *
 * A refused size is halved, in the place where it was refused. Where nothing came before, a small page is asked for instead.
 * The bytes of that page show how many records fit into one. Where they do not explain the refusal, a larger size is tried
 * after some pages, one at a time; each trial that fails doubles that number of pages. A size that was refused and never
 * served is given up for the whole listing.
 */
export class PageSizes {
  /** Records a page, at most. */
  largest: number;
  /** The most that the service takes. */
  #cap: number;
  #size: number;
  /** The largest size that was served. A page may have been a few records smaller, so that it overlaps. */
  #served = 0;
  /** The largest page that came. */
  #came = 0;
  #refused = Infinity;
  #refusedInARow = 0;
  #calm = 0;
  #patience = 1;
  #trial = 0;
  #bytesPerRecord = 0;
  #isFixed = false;
  #isCapped = false;
  #isConstant = false;
  /** True when the service was seen to refuse a size outright. */
  #refusesSizes = false;
  readonly #slowSizes = new Set<number>();

  /**
   * @param size the largest page, in records
   * @param cap the most records that the service takes: a page may have a few more than `size` to overlap the one before it
   */
  constructor(size: number, cap = Infinity) {
    this.largest = size;
    this.#cap = cap;
    this.#size = size;
  }

  /** Whether the service applies the largest size to every request, whatever it asks for. */
  get isFixed(): boolean {
    return this.#isFixed;
  }

  /** The size that the service was seen to apply whatever was asked for; 0 where it was not. */
  get applied(): number {
    return this.#isFixed || this.#isCapped ? this.largest : 0;
  }

  /** Whether all pages are of one size, so that they adjoin and none overlaps the one before it. */
  get isConstant(): boolean {
    return this.#isFixed || this.#isCapped || this.#isConstant;
  }

  /** From here on, asks for pages of one size, the largest that comes; or, with false, again for pages that overlap. */
  keepConstant(isConstant: boolean): void {
    this.#isConstant = isConstant;
    this.#trial = 0;
  }

  /**
   * The page to ask for next, so that it holds the record at `from`.
   *
   * @param most records, at most
   * @param floor the earliest offset at which it may begin; where that is `from`, it begins there
   */
  windowAt(from: number, most = Infinity, floor = 0): SizedWindow {
    const { largest } = this;
    if (this.#isFixed) return windowOf(from, largest);
    // Where pages are refused, the one that begins before `from` is among them: to ask for it again would bring nothing.
    const isWhole = most === Infinity || from % this.#size === 0;
    if (this.#isConstant && isWhole && most >= this.#size) return windowOf(from, this.#size);
    const size = Math.min(this.#trialSize(most) ?? this.#size, most);
    const adjoins =
      floor === from || this.#isConstant || (this.#isCapped && size === largest && from % largest === 0);
    const window = adjoins
      ? adjoiningWindow(from, size)
      : overlappingWindow(from, size, {
          floor,
          mayExceed: size + MAX_EXCESS < Math.min(this.#refused, this.#cap),
        });
    return { ...window, step: size };
  }

  /**
   * The page was refused. Returns how to go on in its place.
   *
   * @param before what was known of the place
   */
  refused({ size, step }: SizedWindow, reason: RefusalReason, before?: LocalLimit): LocalLimit {
    const isFailedSearch = this.isTrial(step);
    if (isFailedSearch) {
      this.#trial = 0;
      this.#patience *= 2;
    }
    this.#calm = 0;
    let half = Math.max(1, Math.floor(size / 2));
    // Nothing came so far: a page that is surely small enough shows whether the size matters, and what a record takes.
    if (this.#served === 0) {
      half = Math.min(half, reason === 'slow' ? CHECK_SIZE : Math.max(WEIGHING_SIZE, Math.floor(size / 10)));
    }
    // A further refusal in the same place says nothing about the rest of the listing.
    if (before === undefined && ++this.#refusedInARow >= MAX_REFUSALS_IN_A_ROW)
      this.#served = Math.min(this.#served, half);
    if (size > this.#served) {
      this.#refused = Math.min(this.#refused, size);
      this.#size = Math.min(this.#size, Math.max(half, this.#served));
    }
    // The size before the trial is known to come.
    if (isFailedSearch) half = Math.max(1, Math.min(size - 1, this.#size));
    const isFailedTrial = before?.refused === Infinity;
    const patience = (before?.patience ?? 1) * (isFailedTrial ? 2 : 1);
    return { most: half, refused: Math.min(size, before?.refused ?? Infinity), calm: 0, patience };
  }

  /** The service does not take the size; it took CHECK_SIZE in its place. Returns what to ask for next. */
  refusedOutright(size: number): LocalLimit {
    this.#refusesSizes = true;
    const half = Math.max(CHECK_SIZE, Math.floor(size / 2));
    this.#refused = size;
    this.#size = Math.min(this.#size, half);
    this.largest = Math.min(this.largest, size);
    return { most: half, refused: size, calm: 0, patience: 1 };
  }

  /** Whether a page of this step is the one that shows whether a larger size comes: then it is asked for once. */
  isTrial(step: number): boolean {
    return step === this.#trial;
  }

  /** Notes that a page of this size was too slow. Sizes that are much the same count as one. */
  slow(size: number): void {
    this.#slowSizes.add(Math.round(Math.log2(size)));
  }

  /**
   * Whether the service is slow whatever the size, so that a smaller page would not help: two sizes were too slow since a
   * page last came, and a page of at least this size came before, or none ever did.
   */
  isSlowEvenAt(size: number): boolean {
    return this.#slowSizes.size >= 2 && (size <= this.#came || this.#came === 0);
  }

  /** Whether a page of this size is a trial: the service was seen to refuse sizes, and none of this size came so far. */
  isUntried(size: number): boolean {
    return this.#refusesSizes && !this.wasServed(size);
  }

  /** Whether a page of this size came, so that a refusal cannot be for the size. */
  wasServed(size: number): boolean {
    return size <= this.#came || size <= CHECK_SIZE;
  }

  /**
   * Notes that the page came, with so many records in so many bytes. Only a full page shows that its size is served. Returns
   * the limit for the next page in the place, where pages were refused there.
   */
  served(
    { size, step }: SizedWindow,
    { count, bytes }: { count: number; bytes: number },
    place?: LocalLimit,
  ): LocalLimit | undefined {
    if (step === this.#trial) {
      this.#trial = 0;
      if (count >= size) this.#patience = 1;
    }
    this.#slowSizes.clear();
    this.#refusedInARow = 0;
    const fits = count === 0 ? Infinity : Math.floor(PAGE_BYTES / (bytes / count));
    if (count >= size) {
      this.#came = Math.max(this.#came, size);
      // A page that is smaller than its step, so that it overlaps, says nothing about the step.
      this.#served = Math.max(this.#served, size);
      if (size >= this.#refused) this.#refused = Infinity;
      if (place === undefined || size >= this.#size) this.#learn(size, fits);
    }
    return place && this.#climb(place, fits);
  }

  /**
   * The service applies another size than the one asked for: from here on it is the largest. Where it is larger than the one
   * asked for, the service would apply no smaller one either: the size is fixed.
   */
  rebase(size: number, asked: number): void {
    this.#isFixed = size > asked;
    this.largest = size;
    this.#cap = size;
    this.#size = size;
    this.#refused = Infinity;
    this.#trial = 0;
  }

  /**
   * The service serves at most so many records a page, and does not say so. It may count pages in that size or in the size
   * that it is asked for. Pages of exactly that size, one behind the other, are the same to it in both cases.
   */
  cap(size: number): void {
    this.rebase(size, size);
    this.#isCapped = true;
  }

  #learn(size: number, fits: number): void {
    this.#bytesPerRecord = PAGE_BYTES / fits;
    this.#size = Math.max(this.#size, size);
    this.#calm++;
    if (fits >= this.#refused || fits <= this.#size * 1.1 || this.#isConstant) return;
    // The bytes of records explain the refusal, and show how many fit.
    this.#size = Math.min(fits, this.largest);
    this.#refused = Infinity;
  }

  /** The limit of a place after a page of it came; undefined where the place turned out to be like the rest of the listing. */
  #climb(place: LocalLimit, fits: number): LocalLimit | undefined {
    const { most, refused, patience } = place;
    const calm = place.calm + 1;
    if (fits < refused && fits > most * 1.1) return { ...place, most: fits, calm: 0, isWeighed: true };
    // Nothing near the refused size came anywhere: the search for what comes is that of the whole listing.
    if (most >= this.#size && refused >= this.#refused && this.#refused > 2 * this.#size) return undefined;
    // A size that came nowhere is tried once for the whole listing, not in each place.
    const larger = Math.min(most * 2, fits, this.#size);
    if (calm < patience || larger <= most) return { ...place, calm };
    return { most: larger, refused: Infinity, calm: 0, patience };
  }

  /**
   * The size to try next. Twice the present one, since a refusal may have been a fault that passed. Where a trial failed, or
   * what was refused is far, a size between the two: as many times larger than what comes as it is smaller than what was
   * refused, so that the largest size that comes is found in a few trials. Where the two are close, the search is over.
   */
  #sizeToTry(): number {
    const twice = this.#size * 2;
    const isSearch = this.#refused < Infinity && (this.#patience > 1 || this.#refused > twice);
    const middle = Math.floor(Math.sqrt(this.#size * this.#refused));
    return isSearch && middle >= this.#size * LEAST_STEP ? middle : twice;
  }

  /** A larger size than the present one, where it is time to try it. */
  #trialSize(most: number): number | undefined {
    if (this.#size >= this.largest || this.#trial > 0 || this.#calm < this.#patience) return undefined;
    const fits = this.#bytesPerRecord === 0 ? Infinity : Math.floor(PAGE_BYTES / this.#bytesPerRecord);
    const larger = Math.min(this.largest, this.#sizeToTry(), fits);
    if (larger > most || larger <= this.#size) return undefined;
    if (this.#refusesSizes && larger >= this.#refused) return undefined;
    this.#trial = larger;
    this.#calm = 0;
    return larger;
  }
}

/**
 * The descent to smaller pages in one place of a listing: what was refused there, and what to ask for instead. A slow page is first
 * asked for once more, since slowness may pass.
 */
export class Place {
  /** What is known of page sizes here, where one was refused. */
  limit: LocalLimit | undefined;
  readonly #sizes: PageSizes;
  readonly #status: WalkStatus;
  #isAgain = false;
  /** A refusal to examine: a small page shows whether the service refuses only the size. */
  #check: { readonly size: number; readonly refusal: Error } | undefined;

  constructor(sizes: PageSizes, status: WalkStatus) {
    this.#sizes = sizes;
    this.#status = status;
  }

  get isChecked(): boolean {
    return this.#check !== undefined;
  }

  /** @param isLast whether no smaller page is to follow */
  onRefusal(size: number, isLast: boolean): OnRefusal {
    if (this.isChecked || this.#sizes.isUntried(size)) return 'once';
    return isLast || size === 1 || this.#sizes.isSlowEvenAt(size) ? 'retry' : 'shrink';
  }

  came(window: SizedWindow, weight: { readonly count: number; readonly bytes: number }): void {
    this.limit = this.#sizes.served(window, weight, this.limit);
    if (this.#check !== undefined) this.limit = this.#sizes.refusedOutright(this.#check.size);
    this.#check = undefined;
    this.#isAgain = false;
  }

  /** Decides how to go on. Returns true to ask for the same page again. Throws the error that ends the walk. */
  refused(
    window: SizedWindow,
    { reason, cause }: PageRefused,
    { onRefusal, at }: { readonly onRefusal: OnRefusal; readonly at?: number },
  ): boolean {
    const { size, step } = window;
    if (this.#check !== undefined) throw this.#check.refusal;
    if (reason === 'size') {
      if (this.#sizes.wasServed(size)) throw cause;
      this.#check = { size, refusal: cause };
      this.limit = { most: CHECK_SIZE, refused: size, calm: 0, patience: 1 };
      return false;
    }
    if (onRefusal === 'retry') throw cause;
    if (reason === 'slow') {
      this.#sizes.slow(size);
      if (!this.#isAgain && !this.#sizes.isTrial(step)) {
        this.#isAgain = true;
        this.limit ??= { most: step, refused: Infinity, calm: 0, patience: 1 };
        this.#status.again(size, at);
        return true;
      }
    }
    this.#isAgain = false;
    this.limit = this.#sizes.refused(window, reason, this.limit);
    this.#status.shrink({ at, from: size, to: this.limit.most, reason });
    return false;
  }
}

/** The page of this size that holds the record at `from`. */
function windowOf(from: number, size: number): SizedWindow {
  return { offset: from - (from % size), size, step: size };
}

/**
 * The page of at most `most` records that reaches furthest beyond `from` and begins before it, at `floor` at the earliest: so
 * it also holds the last record of the page before it. A page begins at a multiple of its size, so it may be a few records
 * smaller than `most`. Some places, such as 2520, are multiples of every small size: there the page is a record larger, if it
 * may be. Where no page begins before `from` and reaches beyond it, the page begins at `from`.
 */
function overlappingWindow(
  from: number,
  most: number,
  { floor = 0, mayExceed = true }: { readonly floor?: number; readonly mayExceed?: boolean } = {},
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
  for (
    let size = most + 1;
    best === undefined && mayExceed && from > floor && size <= most + MAX_EXCESS;
    size++
  ) {
    if (most >= LEAST_OVERLAPPING) consider(size);
  }
  return best ?? adjoiningWindow(from, most);
}

/** The largest page of at most `most` records that begins at `from`. */
function adjoiningWindow(from: number, most: number): Window {
  let size = most;
  while (from % size !== 0) size--;
  return { offset: from, size };
}
