/** One page as it was read: its place, how many records it held, and the total that came with it. */
export interface Sighting {
  readonly offset: number;
  readonly count: number;
  readonly total: number;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * The pages of one pass over a listing, to tell where it moved meanwhile.
 *
 * A record that was there throughout is missed only if it was behind one page when that was read and before the next
 * page when that was read: it crossed the border between them, so something was inserted or deleted in between, and
 * the total changed on the way from one reading to the other. Changes that cancel each other between two readings
 * leave no such trace.
 */
export class Sightings {
  readonly #pages: (Sighting & { readonly epoch: number })[] = [];
  /** How often the total changed from one page to the next, in the order in which they came. */
  #epoch = 0;
  readonly #doubts: readonly Stretch[];

  /** @param doubts stretches that the passes before this one left in doubt */
  constructor(doubts: readonly Stretch[] = []) {
    this.#doubts = doubts;
  }

  add(page: Sighting): void {
    if (page.total !== (this.#pages.at(-1)?.total ?? page.total)) this.#epoch++;
    this.#pages.push({ ...page, epoch: this.#epoch });
  }

  get count(): number {
    return this.#pages.length;
  }

  /** True when the pages did not all come with one total. */
  get moved(): boolean {
    return this.#epoch > 0;
  }

  /** The stretches around each border where the total changed, in this pass or before: wide enough for what crossed it. */
  doubtful(size: number): Stretch[] {
    const pages = this.#pages.toSorted((a, b) => a.offset - b.offset);
    const totals = pages.map(({ total }) => total);
    const reach = size + Math.ceil((Math.max(...totals) - Math.min(...totals)) / size) * size;
    const borders = pages.filter((page, at) => at > 0 && page.epoch !== pages[at - 1]!.epoch);
    const around = borders.map(({ offset }) => {
      const border = Math.floor(offset / size) * size;
      return { from: Math.max(0, border - reach), to: border + reach };
    });
    return merge([...this.#doubts, ...around]);
  }
}

/** The stretches in order, those that touch made one. */
function merge(stretches: readonly Stretch[]): Stretch[] {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of stretches.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}
