/** Pages in a row that come back empty, although the total says more, before they count as the end. */
const EMPTY_IN_A_ROW = 3;

/**
 * How far a listing goes, as far as is known: the total that the service names, and what the pages themselves showed.
 * A total is a hint. One that is too low is found out by full pages, one that is too high by empty ones.
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

  /** Whether a page is worth asking for at this offset. Beyond the total that is known only when no page is coming. */
  goesOnAt(offset: number, coming: number): boolean {
    if (offset >= this.#end) return false;
    if (this.total === undefined) return coming === 0;
    if (offset < this.total) return true;
    // Where the last page before the total is full, one more page shows whether the total is true.
    if (offset === this.total) return offset > 0;
    return coming === 0 && offset <= this.#fullUntil;
  }

  /** A page of `size` records, asked for because of the one at `from`, held so many. */
  held({ offset, from, size }: { offset: number; from: number; size: number }, count: number): void {
    if (offset + count > from) this.#emptyInARow = 0;
    if (count > 0) this.reached = Math.max(this.reached, offset + count);
    if (count >= size) this.#fullUntil = Math.max(this.#fullUntil, offset + count);
  }

  /** A page did not reach the record at `offset`, twice, although the total says that there is one. */
  emptyAt(offset: number): void {
    this.#emptyFrom = this.#emptyInARow === 0 ? offset : Math.min(offset, this.#emptyFrom);
    if (++this.#emptyInARow >= EMPTY_IN_A_ROW) this.#end = this.#emptyFrom;
  }

  /** The listing was seen to end before this offset. */
  endsAt(offset: number): void {
    this.#end = Math.min(this.#end, offset);
  }

  /** Forgets where the listing ended, for reading it again; the total stays. */
  reopen(): void {
    this.#end = Infinity;
    this.#emptyInARow = 0;
  }
}
