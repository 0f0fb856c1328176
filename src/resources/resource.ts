/**
 * A resource is a declaration: what the service lists, under which address and in which dialect. Commands, flags, help,
 * validation and requests come from it. Only the files of this folder know the service's own spelling.
 */
export interface Resource {
  /** As in messages and receipts: `issued`, `fund documents`. */
  readonly name: string;
  /** What its records are, in the plural: `issued invoices`. */
  readonly records: string;
  /** The column by which people know a record. */
  readonly label: string;
  /** Columns that tell a record from others where it has no `id` (the specification promises none). */
  readonly naturalKey?: readonly string[];
  /** Below the base address; `{id}` stands for the positional argument. */
  readonly path: string;
  readonly paging: NumberedPaging | CursorPaging;
  /** The columns that people look for, in the order in which a table shows them. */
  readonly shown: readonly ShownField[];
  /** The order in which records come when none is asked for, for the help. */
  readonly defaultOrder: string;
  /** The field with the date by which the service can sort, and its direction where no order is asked for. */
  readonly byDate?: { readonly field: string; readonly usual: 'asc' | 'desc' | undefined };
  readonly sortBy?: SortKeys;
  /** The order that brings the newest records first, where the service's own order begins with the oldest. */
  readonly newestFirst?: { readonly sortBy: string; readonly sortOrder: 'asc' | 'desc' };
  readonly sortDirections?: readonly [ascending: string, descending: string];
  readonly fiscalIds?: FiscalIdFilter;
  /** Parameters that the service is known to refuse, each with the reason that the error gives. */
  readonly refusedParameters: Readonly<Record<string, string>>;
  /** Command lines for the help, each with what it answers. */
  readonly examples: readonly (readonly [commandLine: string, answer: string])[];
}

/** A resource whose pages have numbers. */
export interface NumberedResource extends Resource {
  readonly paging: NumberedPaging;
}

/** Something that people look for in a record. */
export interface ShownField {
  /** A field that questions know too, which says where it is; or the columns that it may be in, the likeliest first. */
  readonly in: InvoiceField | readonly string[];
  /** Its meaning for a reader. An amount that is `open` is overdue after the day of `due`. */
  readonly role: ShownRole;
  /** The head of the column, where the column is too narrow for the field's own name. */
  readonly word: string;
  /**
   * A narrow terminal leaves out the fields of the highest numbers first; the currency stays as long as the amounts. A
   * field without a number is shown only where all of it has room beside the others.
   */
  readonly rank?: number;
}

type InvoiceField =
  'amount' | 'total' | 'due' | 'date' | 'currency' | 'counterpartyName' | 'counterpartyFiscalId';

type ShownRole =
  'number' | 'status' | 'date' | 'due' | 'party' | 'amount' | 'open' | 'currency' | 'document' | 'other';

/** How a listing of numbered pages is paged. */
export interface NumberedPaging {
  readonly kind: 'numbered';
  /** The number of the first page: 0 or 1. */
  readonly firstPage: 0 | 1;
  /** Records a page when the request names no size. */
  readonly serviceSize: number;
  /** Records a page that a whole export asks for. */
  readonly walkSize: number;
  /** The most that the service accepts; undefined where there is no practical cap. */
  readonly maxSize?: number;
  /** Pages of more records than this are compressed, so that one of them is cheaper than two smaller ones. */
  readonly compressedOver?: number;
  /** The member with the records. `assignedDocuments` is a member of one fund, and is an array or an envelope. */
  readonly recordsIn: 'pageResults' | 'assignedDocuments';
}

/** How a listing of cursor pages is paged. */
export interface CursorPaging {
  readonly kind: 'cursor';
  /** Records a page that a whole export asks for. */
  readonly walkSize: number;
  readonly recordsIn: 'data';
}

interface SortKeys {
  /** In the service's spelling. */
  readonly known: readonly string[];
  /** The keys whose values never change, so that a record keeps its place. */
  readonly lasting: readonly string[];
  /** The key that no two records share. */
  readonly unique: string;
}

/** The filter of a listing by fiscal IDs. */
export interface FiscalIdFilter {
  /** The flag's name, without the two dashes before it: `customer-fiscal-id`. */
  readonly flag: string;
  readonly parameter: string;
  /** Whom the IDs name: `customer`. */
  readonly whose: string;
  /** Whether the listing says which IDs match nobody where others do match. */
  readonly namesUnknown: boolean;
}

/** The name in one word: `fund-documents` on the command line, `fund_documents` as a table. */
export function oneWordName({ name }: Pick<Resource, 'name'>, joint: '-' | '_'): string {
  return name.replaceAll(' ', joint);
}

/** A fiscal ID as the service writes it in its answers: without dots, spaces and dash (spec 2.4), in upper case. */
export function normalizedFiscalId(id: string): string {
  return id.replace(/[.\-\s]/g, '').toUpperCase();
}

/** Whether a text is a Chilean fiscal ID, written with its dash, and with the right check digit: no other number is. */
export function isChileanFiscalId(text: string): boolean {
  const [, written = '', check = ''] = /^(\d{1,3}(?:\.\d{3}){1,2}|\d{6,9})-([\dk])$/i.exec(text) ?? [];
  const digits = [...written.replaceAll('.', '')].toReversed().map(Number);
  const sum = digits.reduce((total, digit, at) => total + digit * (2 + (at % 6)), 0);
  return digits.length > 0 && '0K987654321'[sum % 11] === check.toUpperCase();
}

/** The fields that people look for in invoices. `party` is the word for the other side: `customer`, `issuer`. */
export function shownOfInvoices(party: string): readonly ShownField[] {
  return [
    { in: ['number', 'folio', 'documentNumber', 'invoiceNumber'], role: 'number', word: 'number', rank: 1 },
    { in: 'date', role: 'date', word: 'date', rank: 7 },
    { in: 'due', role: 'due', word: 'due', rank: 4 },
    { in: 'counterpartyName', role: 'party', word: party, rank: 2 },
    { in: 'total', role: 'amount', word: 'total', rank: 5 },
    { in: 'amount', role: 'open', word: 'open', rank: 3 },
    { in: 'currency', role: 'currency', word: 'cur', rank: 6 },
    { in: ['status', 'state'], role: 'status', word: 'status', rank: 8 },
    { in: 'counterpartyFiscalId', role: 'other', word: 'fiscal ID' },
    { in: ['documentType', 'type'], role: 'document', word: 'type' },
  ];
}
