/** Pages in a row that come back empty, although the total says more, before they count as the end. */
const EMPTY_IN_A_ROW = 3;

/**
 * How far a listing goes, as far as is known: the total that the service names, and what the pages themselves showed.
 * A total is a hint: full pages show that it is too low, empty pages show that it is too high.
 */
export class Extent {
  /** The last total that the service named. */
  total: number | undefined;
  /** One past the last record that any page held. */
  reached = 0;
  /** One past the last record that a full page held: the listing goes at least so far. */
  #fullUntil = 0;
  #end = Infinity;
  #emptyInARow = 0;
  #emptyFrom = Infinity;

  /**
   * Whether to ask for a page at this offset. Beyond the total, that is decided when no page is on its way.
   *
   * @param coming pages that are on their way
   */
  goesOnAt(offset: number, coming: number): boolean {
    if (offset >= this.#end) return false;
    if (this.total === undefined) return coming === 0;
    if (offset < this.total) return true;
    // Where the last page before the total is full, one more page shows whether the total is true.
    if (offset === this.total) return offset > 0;
    // A short page may have held records beyond those that it was to bring.
    return coming === 0 && (offset <= this.#fullUntil || offset < this.reached);
  }

  /** Notes a page of `count` records. It was asked for at `offset`, with `size` records, to bring the one at `from`. */
  held({ offset, from, size }: { offset: number; from: number; size: number }, count: number): void {
    if (offset + count > from) this.#emptyInARow = 0;
    if (count > 0) this.reached = Math.max(this.reached, offset + count);
    if (count >= size) this.#fullUntil = Math.max(this.#fullUntil, offset + count);
  }

  /** Notes that two pages ended before the record at `offset`, although the total says that there is one. */
  emptyAt(offset: number): void {
    this.#emptyFrom = this.#emptyInARow === 0 ? offset : Math.min(offset, this.#emptyFrom);
    if (++this.#emptyInARow >= EMPTY_IN_A_ROW) this.#end = this.#emptyFrom;
  }

  /** Notes that the listing ends before this offset. */
  endsAt(offset: number): void {
    this.#end = Math.min(this.#end, offset);
  }

  /** Forgets where the listing ended, for reading it again; the total stays. */
  reopen(): void {
    this.#end = Infinity;
    this.#emptyInARow = 0;
  }
}
