import { ServiceError } from '../../errors.ts';
import { CellReader, type Cell } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';
import type { FetchPage } from '../../paging/page.ts';

/** One file of one invoice, as the listing names it. */
export interface InvoiceFile {
  /** What tells the invoice from all others: its id, else its number. */
  readonly invoice: string;
  /** The number of the invoice, else its id, as JSON exactly as the service wrote it. `null` without either. */
  readonly shown: string;
  /** The same as text, for the name of the file. Empty without either. */
  readonly stem: string;
  /** The number of the file within the invoice, from 1. */
  readonly index: number;
  /** The signed link. Undefined when the service names a file without a link. */
  readonly link: string | undefined;
  /** About where the invoice is in the listing, from 0. Undefined when it is not known. */
  readonly place: number | undefined;
}

/** Finds the files of invoices. A record may have `files[].fileUrl` (spec 2.5); nothing else is assumed. */
export class InvoiceFileReader {
  readonly #cells = new CellReader(['id', 'number', 'files']);

  /** The files of record `index`, in their order. */
  read(batch: RecordBatch, index: number, place: number | undefined): InvoiceFile[] {
    const [id, number, files] = this.#cells.read(batch, index);
    const name = number ?? id;
    const about = {
      invoice: (id ?? number)?.text ?? '',
      shown: name === undefined ? 'null' : asJson(name),
      stem: name?.text ?? '',
      place,
    };
    return elementsOf(files).map((element, at) => ({ ...about, index: at + 1, link: linkOf(element) }));
  }
}

function asJson({ kind, text }: Cell): string {
  return kind === 'string' ? JSON.stringify(text) : text;
}

/** The most characters of an invoice's list of files, which is parsed. Two thousand signed links take less. */
const MAX_LIST = 1024 * 1024;

function elementsOf(files: Cell | undefined): readonly unknown[] {
  if (files?.kind !== 'array') return [];
  if (files.text.length > MAX_LIST) {
    throw new ServiceError(`the list of files of one invoice is longer than ${MAX_LIST / 2 ** 20} MiB`);
  }
  const value: unknown = JSON.parse(files.text);
  return Array.isArray(value) ? value : [];
}

function linkOf(element: unknown): string | undefined {
  if (typeof element !== 'object' || element === null || !Object.hasOwn(element, 'fileUrl')) return undefined;
  const { fileUrl } = element as { fileUrl: unknown };
  return typeof fileUrl === 'string' && fileUrl !== '' ? fileUrl : undefined;
}

/** Invoices that are asked for together: when one link has ended, those of its neighbours have, too. */
const WINDOW = 100;

/** The links of one window of the listing, by invoice and number of the file. */
type Links = ReadonlyMap<string, string>;

/**
 * Gives new links for those that have ended (spec 2.5: after 24 hours). A single invoice cannot be asked for, so the window
 * of the listing around its place is read again, once for all its invoices. If the invoice is no longer there, the windows
 * before and after it are read, too.
 */
export class LinkRenewal {
  readonly #fetchPage: FetchPage;
  readonly #signal: AbortSignal;
  readonly #windows = new Map<number, Promise<Links>>();

  constructor(fetchPage: FetchPage, signal: AbortSignal) {
    this.#fetchPage = fetchPage;
    this.#signal = signal;
  }

  /** A new link for the file; undefined when the service gives none. Rejects as reading a page does. */
  async renew(file: InvoiceFile): Promise<string | undefined> {
    if (file.place === undefined) return undefined;
    const home = Math.floor(file.place / WINDOW) * WINDOW;
    for (const offset of [home, home + WINDOW, home - WINDOW]) {
      if (offset < 0) continue;
      const link = (await this.#window(offset)).get(fileKey(file));
      if (link !== undefined) return link === file.link ? undefined : link;
    }
    return undefined;
  }

  #window(offset: number): Promise<Links> {
    const known = this.#windows.get(offset) ?? this.#read(offset);
    this.#windows.set(offset, known);
    return known;
  }

  async #read(offset: number): Promise<Links> {
    const { records } = await this.#fetchPage({ offset, size: WINDOW }, this.#signal);
    const reader = new InvoiceFileReader();
    const links = new Map<string, string>();
    for (let index = 0; index < records.count; index++) {
      for (const file of reader.read(records, index, offset + index)) {
        if (file.link !== undefined) links.set(fileKey(file), file.link);
      }
    }
    return links;
  }
}

/** A text that tells a file from all others of the listing. */
export function fileKey({ invoice, index }: Pick<InvoiceFile, 'invoice' | 'index'>): string {
  return `${index} ${invoice}`;
}
