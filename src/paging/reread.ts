/**
 * A part of a listing that is read again. It holds together with what was read before when it meets a page in front of the
 * doubtful place and one behind it, or begins with the listing, or ends with it.
 */
export class Reread {
  readonly from: number;
  readonly to: number;
  readonly #after: number;
  readonly #before: number;
  #first = Infinity;
  #last = -Infinity;

  /** @param torn the pages, by number, between which records may be lost; without it nothing is to be met */
  constructor(from: number, to: number, torn?: { readonly after: number; readonly before: number }) {
    this.from = from;
    this.to = to;
    this.#after = torn?.after ?? Infinity;
    this.#before = torn?.before ?? -Infinity;
  }

  /** It holds a record of the page of this number. */
  meets(page: number): void {
    this.#first = Math.min(this.#first, page);
    this.#last = Math.max(this.#last, page);
  }

  /** The listing was seen to end within it. */
  meetsEnd(): void {
    this.#last = Infinity;
  }

  get isTied(): boolean {
    return (this.from === 0 || this.#first <= this.#after) && this.#last >= this.#before;
  }

  /** What is to be read the next time: more, where this was not enough to hold together. */
  next(): Reread {
    const more = this.isTied ? 0 : this.to - this.from;
    const torn = { after: this.#after, before: this.#before };
    return new Reread(Math.max(0, this.from - more), this.to + more, torn);
  }

  /** This one and another that it touches, as one. */
  with(other: Reread): Reread {
    return new Reread(Math.min(this.from, other.from), Math.max(this.to, other.to), {
      after: Math.min(this.#after, other.#after),
      before: Math.max(this.#before, other.#before),
    });
  }
}

/** The stretches in order, those that touch made one. */
export function mergeRereads(stretches: readonly Reread[]): Reread[] {
  const merged: Reread[] = [];
  for (const stretch of stretches.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && stretch.from <= last.to) merged[merged.length - 1] = last.with(stretch);
    else merged.push(stretch);
  }
  return merged;
}
