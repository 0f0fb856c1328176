/** The numbers of two pages between which records may be lost. */
type Gap = readonly [after: number, before: number];

export const NO_GAP: Gap = [Infinity, -Infinity];

/**
 * A region of a listing that is read again, since records may be lost between two pages. It holds together with what was read
 * before when it has a record of a page in front of that gap (or begins with the listing), and one of a page behind it (or ends
 * with it).
 */
export class DoubtfulRegion {
  readonly from: number;
  readonly to: number;
  readonly #gap: Gap;
  /** The numbers of the first and of the last page that it has records of. */
  readonly #met: [first: number, last: number];

  constructor(from: number, to: number, gap: Gap) {
    this.from = Math.max(0, from);
    this.to = to;
    this.#gap = gap;
    this.#met = [from <= 0 ? -Infinity : Infinity, -Infinity];
  }

  /** Notes that it has a record of this page; Infinity stands for the end of the listing. */
  meet(page: number): void {
    this.#met[0] = Math.min(this.#met[0], page);
    this.#met[1] = Math.max(this.#met[1], page);
  }

  get isOpen(): boolean {
    return this.#met[0] > this.#gap[0] || this.#met[1] < this.#gap[1];
  }

  /** The region to read where this one was read in vain, or else once more. */
  get again(): DoubtfulRegion {
    const more = this.isOpen ? this.to - this.from : 0;
    return new DoubtfulRegion(this.from - more, this.to + more, this.#gap);
  }

  /** Regions in their order, as one where no page of this size fits between them. */
  static merged(regions: readonly DoubtfulRegion[], size: number): DoubtfulRegion[] {
    const all: DoubtfulRegion[] = [];
    for (const region of regions.toSorted((a, b) => a.from - b.from)) {
      const last = all.at(-1);
      if (last === undefined || region.from > last.to + size) all.push(region);
      else {
        const [after, before] = last.#gap;
        const gap = [Math.min(after, region.#gap[0]), Math.max(before, region.#gap[1])] as const;
        all[all.length - 1] = new DoubtfulRegion(last.from, Math.max(last.to, region.to), gap);
      }
    }
    return all;
  }
}
