import { IdentityReader, type KeyColumns } from '../json/identity.ts';
import type { RecordBatch } from '../json/records.ts';

/** Records looked at on either end of a page: it is there that one is lost between two pages. */
const AT_EITHER_END = 24;

/** Where a record first stood: the number of the page, and its place in it. Undefined where it stood there twice. */
type Place = { readonly page: number; readonly index: number } | undefined;

/**
 * Watches whether the service's order depends on the request: whether two records that stood in one page were seen the
 * other way round in another. Inserting and deleting records never does that, and a record that was changed is another.
 *
 * In such an order pages that have a record in common may still lose others between them.
 */
export class SeenOrder {
  /** True when two records were seen in either order. */
  changes = false;
  readonly #identity: IdentityReader;
  readonly #places = new Map<string, Place>();
  #pages = 0;

  constructor(columns?: KeyColumns) {
    this.#identity = new IdentityReader(columns);
  }

  /** A page came, in whatever order pages come. */
  see(records: RecordBatch): void {
    if (this.changes) return;
    const page = this.#pages++;
    /** The place of the record seen last, of those of each earlier page. */
    const reached = new Map<number, number>();
    for (let index = 0; index < records.count; index++) {
      if (index === AT_EITHER_END) index = Math.max(index, records.count - AT_EITHER_END);
      const content = this.#identity.read(records, index).content();
      const place = this.#places.get(content);
      if (place === undefined && !this.#places.has(content)) this.#places.set(content, { page, index });
      else if (place?.page === page) this.#places.set(content, undefined);
      else if (place !== undefined) {
        this.changes ||= place.index < (reached.get(place.page) ?? 0);
        reached.set(place.page, place.index);
      }
    }
  }
}
