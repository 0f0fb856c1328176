import type { Window } from './page.ts';

/**
 * The page of at most `most` records that goes furthest beyond `from` and begins before it, at `floor` at the earliest:
 * so that it holds the last record of the page before as well. A page begins at a multiple of its size, thus the
 * size gives way by a few records; one that begins at `from` itself is taken only where no other goes on from there.
 */
export function overlappingWindow(from: number, most: number, floor = 0): Window {
  let best: Window | undefined;
  let gain = 0;
  for (let size = most; size > gain; size--) {
    const overlap = from % size;
    if (overlap === 0 || overlap > from - floor || size - overlap <= gain) continue;
    gain = size - overlap;
    best = { offset: from - overlap, size };
  }
  return best ?? adjoiningWindow(from, most);
}

/** The largest page of at most `most` records that begins at `from`. */
export function adjoiningWindow(from: number, most: number): Window {
  let size = most;
  while (from % size !== 0) size--;
  return { offset: from, size };
}

/** What a page of the received listing may weigh before the service answers 502 (spec 8), less a margin for the envelope. */
const PAGE_BYTES = 6_000_000 * 0.95;

/** A page to ask for, and the step of the sizes from which its size was taken. */
export interface SizedWindow extends Window {
  readonly step: number;
}

/** `size` and the sizes below it, each a divisor of the one before: 1000, 500, 250, 125, 25, 5, 1. */
export function divisorChain(size: number): number[] {
  const chain = [size];
  for (let last = size; last > 1; chain.push(last)) last /= smallestPrimeFactor(last);
  return chain;
}

function smallestPrimeFactor(n: number): number {
  for (let factor = 2; factor * factor <= n; factor++) if (n % factor === 0) return factor;
  return n;
}

/**
 * Remembers which page sizes the service serves, so that a walk asks for pages that are large and still come.
 *
 * The sizes go down in steps, the divisors of the first; a page may be a little smaller than its step. A refused page
 * leads the following ones to a smaller step. A step is tried again, by one page at a time, where the bytes per record
 * seen last say that it fits; each such trial that fails doubles the number of good pages before the next.
 */
export class PageSizes {
  #steps: number[];
  #level = 0;
  #calm = 0;
  #patience = 1;
  #trial = 0;
  #bytesPerRecord = 0;
  #isFixed = false;
  #isCapped = false;

  /** @param size the largest page, in records */
  constructor(size: number) {
    this.#steps = divisorChain(size);
  }

  /** The largest page, in records. */
  get largest(): number {
    return this.#steps[0]!;
  }

  /** Whether the service applies the largest size to every request, whatever it asks for. */
  get isFixed(): boolean {
    return this.#isFixed;
  }

  /**
   * The page to ask for next, so that it holds the record at `from`.
   *
   * @param most records, at most
   * @param floor the offset at which it may begin at the earliest; at `from` it is to begin there
   */
  windowAt(from: number, most = Infinity, floor = 0): SizedWindow {
    const { largest } = this;
    if (this.#isFixed) return { offset: from - (from % largest), size: largest, step: largest };
    const level = this.#trialLevel(most) ?? this.#level;
    const step = this.#steps.find((size, index) => index >= level && size <= most) ?? 1;
    const adjoins = floor === from || (this.#isCapped && step === largest && from % largest === 0);
    const window = adjoins ? adjoiningWindow(from, step) : overlappingWindow(from, step, floor);
    return { ...window, step };
  }

  /** The page was refused. Returns how many records are to be asked for in its place, at most. */
  refused({ size, step }: SizedWindow): number {
    if (step === this.#trial) {
      this.#trial = 0;
      this.#patience *= 2;
    }
    const smaller = this.#steps.find((candidate) => candidate < size) ?? 1;
    this.#level = Math.max(this.#level, this.#steps.indexOf(smaller));
    this.#calm = 0;
    return smaller;
  }

  /** The page came, with so many records in so many bytes. Only a full one says that its size is served. */
  served({ size, step }: SizedWindow, count: number, bytes: number): void {
    if (step === this.#trial) this.#trial = 0;
    if (count < size) return;
    this.#bytesPerRecord = bytes / count;
    const level = this.#steps.indexOf(step);
    if (level >= 0 && level < this.#level) {
      this.#level = level;
      this.#calm = 0;
    }
    this.#calm++;
  }

  /**
   * The service applies another size than the one asked for: from here on that one is the largest. Where it is more than
   * was asked for, a smaller one would not be applied either.
   */
  rebase(size: number, asked: number): void {
    this.#isFixed = size > asked;
    this.#steps = divisorChain(size);
    this.#level = 0;
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

  /** The step above the present one, where it is time to try it. */
  #trialLevel(most: number): number | undefined {
    const larger = this.#steps[this.#level - 1];
    if (larger === undefined || this.#trial > 0 || this.#calm < this.#patience) return undefined;
    if (larger > most || larger * this.#bytesPerRecord > PAGE_BYTES) return undefined;
    this.#trial = larger;
    this.#calm = 0;
    return this.#level - 1;
  }
}
