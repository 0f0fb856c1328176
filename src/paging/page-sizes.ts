import type { Window } from './page.ts';

/** What a page of the received listing may weigh before the service answers 502 (spec 8), less a margin for the envelope. */
const PAGE_BYTES = 6_000_000 * 0.95;

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
 * Sizes are taken from the divisors of the first, so that every offset stays a whole number of pages. A refused size
 * makes the following pages smaller. A size is tried again, by one page at a time, where the bytes per record seen last
 * say that it fits; each such trial that fails doubles the number of good pages before the next.
 */
export class PageSizes {
  #chain: number[];
  #level = 0;
  #calm = 0;
  #patience = 1;
  #trial = 0;
  #bytesPerRecord = 0;
  #isFixed = false;

  /** @param size the largest page, in records */
  constructor(size: number) {
    this.#chain = divisorChain(size);
  }

  /** The largest page, in records. */
  get largest(): number {
    return this.#chain[0]!;
  }

  /** Whether the service applies the largest size to every request, whatever it asks for. */
  get isFixed(): boolean {
    return this.#isFixed;
  }

  /** The page to ask for so that it holds the record at `offset`: it begins there, unless the service fixes its pages. */
  windowAt(offset: number, most?: number): Window {
    if (this.#isFixed) return { offset: offset - (offset % this.largest), size: this.largest };
    return { offset, size: this.sizeAt(offset, most) };
  }

  /** The size for a page that begins at `offset`, at most `most` records. Always a divisor of the offset. */
  sizeAt(offset: number, most = Infinity): number {
    const level = this.#trialLevel(offset, most) ?? this.#level;
    return this.#chain.find((size, index) => index >= level && size <= most && offset % size === 0) ?? 1;
  }

  /** The page of this size was refused. Returns the next smaller size. */
  refused(size: number): number {
    if (size === this.#trial) {
      this.#trial = 0;
      this.#patience *= 2;
    }
    const smaller = this.#chain.find((candidate) => candidate < size) ?? 1;
    this.#level = Math.max(this.#level, this.#chain.indexOf(smaller));
    this.#calm = 0;
    return smaller;
  }

  /** A page of this size came, with so many records in so many bytes. Only a full one says that its size is served. */
  served(size: number, count: number, bytes: number): void {
    if (size === this.#trial) this.#trial = 0;
    if (count < size) return;
    this.#bytesPerRecord = bytes / count;
    const level = this.#chain.indexOf(size);
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
    this.#chain = divisorChain(size);
    this.#level = 0;
    this.#trial = 0;
  }

  #trialLevel(offset: number, most: number): number | undefined {
    const larger = this.#chain[this.#level - 1];
    if (larger === undefined || this.#trial > 0 || this.#calm < this.#patience) return undefined;
    if (larger > most || offset % larger !== 0 || larger * this.#bytesPerRecord > PAGE_BYTES)
      return undefined;
    this.#trial = larger;
    this.#calm = 0;
    return this.#level - 1;
  }
}
