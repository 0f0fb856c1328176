import type { IdentityReader } from '../json/identity.ts';
import type { RecordBatch } from '../json/records.ts';
import type { NewReader } from './unique-records.ts';

/** Records that are noted at either end of a page: between two pages, records are lost there. */
const AT_EITHER_END = 24;

/** Where a record was first seen: its page, as an object of its own, and its index there. */
interface Seen {
  readonly page: object;
  readonly index: number;
  /** False where the record stood twice in that page. */
  isUnique: boolean;
  /** The last page of a whole pass that had the record at an end. */
  number: number | undefined;
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
    for (let index = 0; index < records.count; index++) {
      if (index === AT_EITHER_END) index = Math.max(index, records.count - AT_EITHER_END);
      const content = this.#identity.read(records, index).content();
      const seen = this.#seen.get(content);
      if (seen === undefined) this.#seen.set(content, { page, index, isUnique: true, number });
      else {
        if (seen.page === page) seen.isUnique = false;
        else if (seen.isUnique) {
          this.isUnstable ||= seen.index < (reached.get(seen.page) ?? 0);
          reached.set(seen.page, seen.index);
        }
        seen.number = number ?? seen.number;
      }
    }
  }

  /** The numbers of the pages of a pass over everything that ended or began with records of this page. */
  *numbersIn(records: RecordBatch): Generator<number> {
    for (let index = 0; index < records.count; index++) {
      const number = this.#seen.get(this.#identity.read(records, index).content())?.number;
      if (number !== undefined) yield number;
    }
  }
}
