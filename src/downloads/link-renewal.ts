import type { FetchPage } from '../paging/page.ts';
import { InvoiceFileReader, type InvoiceFile } from './invoice-files.ts';

/** Invoices that are asked for again at once: when one link has ended, those of its neighbours have too. */
const WINDOW = 100;

/** The links of one stretch of the listing, by invoice and number of the file. */
type Links = ReadonlyMap<string, string>;

/**
 * Gives new links for ones that have ended (spec 2.5: after 24 hours). There is no way to ask for a single invoice, so the
 * stretch of the listing around its place is read again, once for all its invoices; where the listing moved meanwhile,
 * the stretches beside it are looked at too.
 */
export class LinkRenewal {
  readonly #fetchPage: FetchPage;
  readonly #signal: AbortSignal;
  readonly #stretches = new Map<number, Promise<Links>>();

  constructor(fetchPage: FetchPage, signal: AbortSignal) {
    this.#fetchPage = fetchPage;
    this.#signal = signal;
  }

  /** A link other than the one that the file has; undefined where the service gives none. Rejects as a page does. */
  async renew(file: InvoiceFile): Promise<string | undefined> {
    if (file.place === undefined) return undefined;
    const home = Math.floor(file.place / WINDOW) * WINDOW;
    for (const offset of [home, home + WINDOW, home - WINDOW]) {
      if (offset < 0) continue;
      const link = (await this.#stretch(offset)).get(keyOf(file));
      if (link !== undefined) return link === file.link ? undefined : link;
    }
    return undefined;
  }

  #stretch(offset: number): Promise<Links> {
    const known = this.#stretches.get(offset) ?? this.#read(offset);
    this.#stretches.set(offset, known);
    return known;
  }

  async #read(offset: number): Promise<Links> {
    const { records } = await this.#fetchPage({ offset, size: WINDOW }, this.#signal);
    const reader = new InvoiceFileReader();
    const links = new Map<string, string>();
    for (let index = 0; index < records.count; index++) {
      for (const file of reader.read(records, index, offset + index)) {
        if (file.link !== undefined) links.set(keyOf(file), file.link);
      }
    }
    return links;
  }
}

function keyOf({ invoice, index }: InvoiceFile): string {
  return `${index} ${invoice}`;
}
