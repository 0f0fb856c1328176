import type { IdentityReader } from '../json/identity.ts';
import type { RecordBatch } from '../json/records.ts';
import type { NewReader } from './unique-records.ts';

/** Records looked at on either end of a page: between two pages, records are lost there. */
const AT_EITHER_END = 24;

/** Where a record first stood: the page, which is itself alone, and its place in it. Undefined where it stood there twice. */
type Place = { readonly page: object; readonly index: number } | undefined;

/**
 * Watches whether the service's order depends on the request: two records of one page stand in the opposite order in
 * another page. Inserting and deleting records never causes that. A record that changed counts as another record.
 *
 * In such an order, records may be lost even between pages that have one in common.
 */
export class SeenOrder {
  /** True when two records were seen in both orders. */
  isUnstable = false;
  readonly #identity: IdentityReader;
  readonly #places = new Map<string, Place>();

  constructor(newReader: NewReader) {
    this.#identity = newReader();
  }

  /** Notes a page. Pages may come in any order. */
  see(records: RecordBatch): void {
    if (this.isUnstable) return;
    const page = {};
    /** By earlier page: the place there of its last record that was met in this page. */
    const reached = new Map<object, number>();
    for (let index = 0; index < records.count; index++) {
      if (index === AT_EITHER_END) index = Math.max(index, records.count - AT_EITHER_END);
      const content = this.#identity.read(records, index).content();
      const place = this.#places.get(content);
      if (place === undefined && !this.#places.has(content)) this.#places.set(content, { page, index });
      else if (place?.page === page) this.#places.set(content, undefined);
      else if (place !== undefined) {
        this.isUnstable ||= place.index < (reached.get(place.page) ?? 0);
        reached.set(place.page, place.index);
      }
    }
  }
}
