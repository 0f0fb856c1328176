import { ServiceError } from '../errors.ts';
import type { Cell } from '../json/cells.ts';
import { CellReader } from '../json/cells.ts';
import type { RecordBatch } from '../json/record-batch.ts';

/** One file of one invoice, as the listing names it. */
export interface InvoiceFile {
  /** What tells the invoice from all others: its id, else its number. */
  readonly invoice: string;
  /** What people call the invoice, as JSON: exactly as the service wrote it. `null` where it has neither number nor id. */
  readonly shown: string;
  /** The same as text, for the name of the file. */
  readonly stem: string;
  /** Which of the invoice's files, from 1. */
  readonly index: number;
  /** The signed link; undefined where the service names a file and gives none. */
  readonly link: string | undefined;
  /** About where the invoice stands in the listing, from 0; undefined where it is not known. */
  readonly place: number | undefined;
}

/** Finds the files in invoices. All that is known of the record is that it may have `files[].fileUrl` (spec 2.5). */
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

/** Characters of the list of an invoice's files, which is parsed: two thousand signed links take less. */
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
