import type { IdentityReader } from '../json/identity.ts';
import type { RecordBatch } from '../json/records.ts';
import type { NewReader } from './unique-records.ts';

/** How two pages adjoin: their records at the border were not seen so before, or were (`again`), each in a reading of its own. */
export type Adjoining = 'adjoining' | 'again';

/** Records that are noted at either end of a page: between two pages, records are lost there. */
const AT_EITHER_END = 24;

/** Where a record was first seen: its page, as an object of its own, and its index there. */
interface Seen {
  readonly page: object;
  readonly index: number;
  /** The last page of a whole pass that had the record at an end. */
  number: number | undefined;
  /** The content of the record that was last seen behind it, in one page, and in front of the next page. */
  next?: string;
  nextPage?: string;
}

/**
 * Remembers the records at the ends of pages, by their contents: a changed record counts as another one.
 *
 * It shows whether the service's order depends on the request: then two records of one page stand in the opposite order in
 * another page. Inserting and deleting records never causes that. In such an order, records may be lost even between pages
 * that have one in common.
 */
export class SeenOrder {
  /** True when two records were seen in both orders. */
  isUnstable = false;
  readonly #identity: IdentityReader;
  readonly #seen = new Map<string, Seen>();

  constructor(newReader: NewReader) {
    this.#identity = newReader();
  }

  /** @param number of the page in its pass over everything; undefined where parts are read again */
  note(records: RecordBatch, number?: number): void {
    const page = {};
    /** By earlier page: the index there of its last record that was met in this page. */
    const reached = new Map<object, number>();
    let before: Seen | undefined;
    for (let index = 0; index < records.count; index++) {
      if (index === AT_EITHER_END && index < records.count - AT_EITHER_END) {
        index = records.count - AT_EITHER_END;
        before = undefined;
      }
      const content = this.#identity.read(records, index).content();
      if (before !== undefined) before.next = content;
      const seen = this.#seen.get(content);
      before = seen ?? { page, index, number };
      if (seen === undefined) this.#seen.set(content, before);
      else {
        if (seen.page !== page) {
          this.isUnstable ||= seen.index < (reached.get(seen.page) ?? 0);
          reached.set(seen.page, seen.index);
        }
        seen.number = number ?? seen.number;
      }
    }
  }

  /**
   * Notes that two pages adjoin, one ending with `last`, one beginning with `first`. Returns undefined where a page held the two
   * one behind the other: then there is none between them.
   */
  noteNeighbors(last: string, first: string): Adjoining | undefined {
    const seen = this.#seen.get(last)!;
    if (seen.next === first) return undefined;
    const isAgain = seen.nextPage === first;
    seen.nextPage = first;
    return isAgain ? 'again' : 'adjoining';
  }

  /** The numbers of the pages of a pass over everything that ended or began with records of this page. */
  *numbersIn(records: RecordBatch): Generator<number> {
    for (let index = 0; index < records.count; index++) {
      const number = this.#seen.get(this.#identity.read(records, index).content())?.number;
      if (number !== undefined) yield number;
    }
  }
}
