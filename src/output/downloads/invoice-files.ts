import { ServiceError } from '../../errors.ts';
import { cellJson, CellReader, type Cell } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';
import type { Page, Window } from '../../paging/page.ts';

export interface InvoiceFile {
  /** Identifies the document: its organization, number, id and type. */
  readonly document: string;
  readonly number: string | undefined;
  readonly id: string | undefined;
  /** The path of its link, without what changes when the link is renewed; empty without a link. */
  readonly path: string;
  /** Its number among the document's files with that path, from 1. */
  readonly nth: number;
  /** The number of the invoice, else its id, as the service wrote it in JSON; `null` without either. */
  readonly shown: string;
  /** The same as text, for messages. Empty without either. */
  readonly invoice: string;
  readonly index: number;
  /** Signed. Undefined where the service names a file without a link. */
  readonly link: string | undefined;
  /** About where the invoice is in the listing, from 0. */
  readonly place: number | undefined;
}

/** The files of record `index`, in their order; `place` is that of the record in the listing. */
export type ReadFiles = (batch: RecordBatch, index: number, place: number | undefined) => InvoiceFile[];

/**
 * Finds the files of invoices. A record may have `files[].fileUrl` (spec 2.5); nothing else is assumed.
 *
 * @param owner the organization of the documents: another one may have the same ids
 */
export function invoiceFilesOf(owner: string): ReadFiles {
  const cells = new CellReader(['id', 'number', 'documentType', 'files']);
  return (batch, index, place) => {
    const [id, number, type, files] = cells.read(batch, index);
    const name = number ?? id;
    const about = {
      document: JSON.stringify([owner, number?.text, id?.text, type?.text]),
      number: number?.text,
      id: id?.text,
      shown: cellJson(name),
      invoice: name?.text ?? '',
      place,
    };
    const times = new Map<string, number>();
    return elementsOf(files).map((element, at) => {
      const link = linkOf(element);
      const path = link === undefined ? '' : pathOf(link);
      const nth = (times.get(path) ?? 0) + 1;
      times.set(path, nth);
      return { ...about, index: at + 1, path, nth, link };
    });
  };
}

/** Characters of an invoice's list of files. Two thousand signed links take less. */
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

/** Without the signature, which changes. */
function pathOf(link: string): string {
  return URL.canParse(link) ? new URL(link).pathname : link.replace(/[?#].*$/s, '');
}

/** Invoices that are read together: when one link has ended, those of its neighbours have, too. */
const WINDOW = 100;

/** Reads a new link for the file; undefined where the service gives none. Rejects as reading a page does. */
export type RenewLink = (file: InvoiceFile) => Promise<string | undefined>;

/**
 * Renews links, which end after 24 hours (spec 2.5). A single invoice cannot be read, so the window of the listing around its
 * place is read again, once for all its invoices, and if the invoice is no longer there, the windows after and before it.
 */
export function linkRenewal(readPage: (window: Window) => Promise<Page>, readFiles: ReadFiles): RenewLink {
  /** The links of one window of the listing, by file. Undefined where several documents claim the same file. */
  const read = async (offset: number): Promise<ReadonlyMap<string, string | undefined>> => {
    const { records } = await readPage({ offset, size: WINDOW });
    const links = new Map<string, string | undefined>();
    for (let index = 0; index < records.count; index++) {
      for (const file of readFiles(records, index, offset + index)) {
        const key = fileKey(file);
        if (file.link !== undefined) links.set(key, links.has(key) ? undefined : file.link);
      }
    }
    return links;
  };
  const windows = new Map<number, ReturnType<typeof read>>();
  return async (file) => {
    if (file.place === undefined) return undefined;
    const home = Math.floor(file.place / WINDOW) * WINDOW;
    for (const offset of [home, home + WINDOW, home - WINDOW]) {
      if (offset < 0) continue;
      const links = windows.get(offset) ?? read(offset);
      windows.set(offset, links);
      const link = (await links).get(fileKey(file));
      if (link !== undefined) return link === file.link ? undefined : link;
    }
    return undefined;
  };
}

/** Identifies a file by its document and path, regardless of its position in the document's list. */
export function fileKey({ document, path, nth }: Pick<InvoiceFile, 'document' | 'path' | 'nth'>): string {
  return JSON.stringify([document, path, nth]);
}
