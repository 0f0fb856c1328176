import type { RefusalReason, Window } from './page.ts';

/** What a page may weigh before the service answers 502 (spec 8), in bytes, less a margin for the envelope. */
const PAGE_BYTES = 6_000_000 * 0.95;
/** The smallest size over every border of which a page can reach. */
const LEAST_OVERLAPPING = 10;
/** Records by which a page may be larger where none of its size overlaps: enough for a listing of 12 million. */
const MOST_BEYOND = 9;
/** Refusals without a page between them after which a size counts as not served, though it was before. */
const OFTEN = 4;
/** Records of a page that tells whether it is the size at all that the service does not take. */
export const CHECK_SIZE = 10;

/** Records of a page that tells what a record weighs: up to 114 KB come. */
const WEIGHING_SIZE = 50;

/** A page to ask for, and the size for which it gave way by a few records. */
export interface SizedWindow extends Window {
  readonly step: number;
}

/** How far sizes have come down in a place where pages were refused, and how they climb again. */
export interface LocalLimit {
  /** Records a page, at most. */
  readonly most: number;
  /** The smallest size that was refused here. */
  readonly refused: number;
  /** Pages that came at this size since it was set. */
  readonly calm: number;
  /** Pages that are to come before a larger one is tried. */
  readonly patience: number;
  /** True where what records weigh here says that so many fit. */
  readonly isWeighed?: boolean;
}

/**
 * Decides on the size of pages, so that they are large and still come.
 *
 * A refused size is halved, in the place where it was refused; the first one, before anything came, gives way to a
 * small one. What a page weighs then tells how many records fit into one; where weight does not explain the refusal, a larger size is tried after some pages, one at a time, and each trial
 * that fails doubles that number. A size that was refused and never served is given up for the whole listing.
 */
export class PageSizes {
  /** Records a page, at most. */
  largest: number;
  /** The most that the service takes. */
  #cap: number;
  #size: number;
  /** The largest size that was served in full, or as good as: pages give way by a few records. */
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
  /** The service was seen to refuse a size outright. */
  #isPicky = false;
  readonly #slowSizes = new Set<number>();

  /**
   * @param size the largest page, in records
   * @param cap the most that the service takes: where no page of `size` overlaps the one before it, one of a record more may
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

  /** Asks for pages of one size from here on, the largest that comes; or again for such as overlap. */
  keepConstant(isConstant: boolean): void {
    this.#isConstant = isConstant;
    if (isConstant) this.#trial = 0;
  }

  /**
   * The page to ask for next, so that it holds the record at `from`.
   *
   * @param most records, at most
   * @param floor the offset at which it may begin at the earliest; at `from` it is to begin there
   */
  windowAt(from: number, most = Infinity, floor = 0): SizedWindow {
    const { largest } = this;
    if (this.#isFixed) return windowOf(from, largest);
    if (this.#isConstant && most >= this.#size) return windowOf(from, this.#size);
    const size = Math.min(this.#trialSize(most) ?? this.#size, most);
    const adjoins =
      floor === from || this.#isConstant || (this.#isCapped && size === largest && from % largest === 0);
    const window = adjoins
      ? adjoiningWindow(from, size)
      : overlappingWindow(from, size, {
          floor,
          mayExceed: size + MOST_BEYOND < Math.min(this.#refused, this.#cap),
        });
    return { ...window, step: size };
  }

  /**
   * The page was refused. Returns how to go on in its place.
   *
   * @param before what was known of the place
   */
  refused({ size, step }: SizedWindow, reason: RefusalReason, before?: LocalLimit): LocalLimit {
    if (step === this.#trial) {
      this.#trial = 0;
      this.#patience *= 2;
    }
    this.#calm = 0;
    let half = Math.max(1, Math.floor(size / 2));
    // Nothing came so far: a page that is small beyond doubt shows whether size matters, or what a record weighs.
    if (this.#served === 0) {
      half = Math.min(half, reason === 'slow' ? CHECK_SIZE : Math.max(WEIGHING_SIZE, Math.floor(size / 10)));
    }
    // Of a place where pages were refused already, another refusal says nothing about the rest.
    if (before === undefined && ++this.#refusedInARow >= OFTEN) this.#served = Math.min(this.#served, half);
    if (size > this.#served) {
      this.#refused = Math.min(this.#refused, size);
      this.#size = Math.min(this.#size, Math.max(half, this.#served));
    }
    const isFailedTrial = before?.refused === Infinity;
    const patience = (before?.patience ?? 1) * (isFailedTrial ? 2 : 1);
    return { most: half, refused: Math.min(size, before?.refused ?? Infinity), calm: 0, patience };
  }

  /** The service does not take the size; it took CHECK_SIZE in its place. Returns what to ask for next. */
  refusedOutright(size: number): LocalLimit {
    this.#isPicky = true;
    const half = Math.max(CHECK_SIZE, Math.floor(size / 2));
    this.#refused = size;
    this.#size = Math.min(this.#size, half);
    this.largest = Math.min(this.largest, size);
    return { most: half, refused: size, calm: 0, patience: 1 };
  }

  /** A page of this size was too slow. Sizes that are much the same count as one. */
  slow(size: number): void {
    this.#slowSizes.add(Math.round(Math.log2(size)));
  }

  /**
   * Whether the service is slow whatever is asked for, so that a page of this size is not to be tried smaller: two sizes
   * were too slow, nothing came since, and no smaller one came ever.
   */
  isSlowEvenAt(size: number): boolean {
    return this.#slowSizes.size >= 2 && (size <= this.#came || this.#came === 0);
  }

  /** Whether the service takes no large page, and none of this size came so far. */
  isUntried(size: number): boolean {
    return this.#isPicky && !this.wasServed(size);
  }

  /** Whether a page of this size came, so that it cannot be the size for which one is refused. */
  wasServed(size: number): boolean {
    return size <= this.#came || size <= CHECK_SIZE;
  }

  /**
   * The page came, with so many records in so many bytes. Only a full one says that its size is served. Returns what may
   * be asked for next in the place, where pages were refused there.
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
      // A page that gave way by more than a few records says nothing about its step.
      const came = size * 1.2 >= step && !this.#isPicky ? step : size;
      this.#served = Math.max(this.#served, came);
      if (came >= this.#refused) this.#refused = Infinity;
      if (place === undefined || came >= this.#size) this.#learn(came, fits);
    }
    return place && this.#climb(place, fits);
  }

  /**
   * The service applies another size than the one asked for: from here on that one is the largest. Where it is more than
   * was asked for, a smaller one would not be applied either.
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
   * The service serves no more than so many records, and does not say so. Whether it then takes the size that it is asked for
   * is not known either: pages of just that size, one behind the other, are the same to it in any case.
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
    // Weight explains the refusal, and says what fits.
    this.#size = Math.min(fits, this.largest);
    this.#refused = Infinity;
  }

  /** The limit of a place after a page of it came. */
  #climb(place: LocalLimit, fits: number): LocalLimit {
    const { most, refused, patience } = place;
    const calm = place.calm + 1;
    if (fits < refused && fits > most * 1.1) return { ...place, most: fits, calm: 0, isWeighed: true };
    // What is not served anywhere is tried for the whole listing, not in each place.
    const larger = Math.min(most * 2, fits, this.#size);
    if (calm < patience || larger <= most) return { ...place, calm };
    return { most: larger, refused: Infinity, calm: 0, patience };
  }

  /** A larger size than the present one, where it is time to try it. */
  #trialSize(most: number): number | undefined {
    if (this.#size >= this.largest || this.#trial > 0 || this.#calm < this.#patience) return undefined;
    const fits = this.#bytesPerRecord === 0 ? Infinity : Math.floor(PAGE_BYTES / this.#bytesPerRecord);
    const half = this.#refused === Infinity ? 0 : Math.floor(this.#refused / 2);
    const larger = Math.min(this.largest, Math.max(this.#size * 2, half), fits);
    if (larger > most || larger <= this.#size) return undefined;
    if (this.#isPicky && larger >= this.#refused) return undefined;
    this.#trial = larger;
    this.#calm = 0;
    return larger;
  }
}

/** The page of this size that holds the record at `from`. */
function windowOf(from: number, size: number): SizedWindow {
  return { offset: from - (from % size), size, step: size };
}

/**
 * The page of at most `most` records that goes furthest beyond `from` and begins before it, at `floor` at the earliest:
 * so that it holds the last record of the page before as well. A page begins at a multiple of its size, thus the
 * size gives way by a few records. Some places, such as 2520, are a multiple of every small size: there a page is
 * one record larger, where it may be. One that begins at `from` itself is taken only where no other goes on from there.
 */
export function overlappingWindow(
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
    best === undefined && mayExceed && from > floor && size <= most + MOST_BEYOND;
    size++
  ) {
    if (most >= LEAST_OVERLAPPING) consider(size);
  }
  return best ?? adjoiningWindow(from, most);
}

/** The largest page of at most `most` records that begins at `from`. */
export function adjoiningWindow(from: number, most: number): Window {
  let size = most;
  while (from % size !== 0) size--;
  return { offset: from, size };
}
