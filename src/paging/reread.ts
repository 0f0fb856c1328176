/**
 * A region of a listing that is read again. It holds together with what was read before when it has a record of a page in
 * front of the doubtful place (or begins with the listing), and one of a page behind it (or ends with the listing).
 */
export class Reread {
  readonly from: number;
  readonly to: number;
  readonly #after: number;
  readonly #before: number;
  #first = Infinity;
  #last = -Infinity;

  /** @param torn the numbers of the pages between which records may be lost; without it, every reading holds together */
  constructor(from: number, to: number, torn?: { readonly after: number; readonly before: number }) {
    this.from = from;
    this.to = to;
    this.#after = torn?.after ?? Infinity;
    this.#before = torn?.before ?? -Infinity;
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
  get holdsTogether(): boolean {
    return (this.from === 0 || this.#first <= this.#after) && this.#last >= this.#before;
  }

  /** The region to read the next time: a larger one, where this one does not hold together. */
  next(): Reread {
    const more = this.holdsTogether ? 0 : this.to - this.from;
    const torn = { after: this.#after, before: this.#before };
    return new Reread(Math.max(0, this.from - more), this.to + more, torn);
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
export function mergeRereads(regions: readonly Reread[]): Reread[] {
  const merged: Reread[] = [];
  for (const region of regions.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && region.from <= last.to) merged[merged.length - 1] = last.with(region);
    else merged.push(region);
  }
  return merged;
}
