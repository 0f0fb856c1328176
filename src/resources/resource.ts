/**
 * A resource is a declaration: what the service lists, under which address and in which dialect. The commands make flags,
 * help, validation and requests of it. Only the files of this folder know the service's own spelling.
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
  /** The field that holds the date by which the service can order, and the way it does so when no order is asked for. */
  readonly byDate?: { readonly field: string; readonly usual: 'asc' | 'desc' | undefined };
  readonly sortBy?: SortKeys;
  /** What to ask for so that the newest records come first, where the service's own order would show the oldest. */
  readonly newestFirst?: { readonly sortBy: string; readonly sortOrder: 'asc' | 'desc' };
  readonly sortDirections?: readonly [ascending: string, descending: string];
  readonly fiscalIds?: FiscalIdFilter;
  /** Parameters that the service is known to refuse, each with what to say about it. */
  readonly refusedParameters: Readonly<Record<string, string>>;
  /** Command lines for the help, each with what it answers. */
  readonly examples: readonly (readonly [commandLine: string, answer: string])[];
}

/** Something that people look for in a record. */
export interface ShownField {
  /** A field that questions know too, which says where it is; or the columns that it may be in, the likeliest first. */
  readonly in: InvoiceField | readonly string[];
  /** What it is to who reads. An amount that is `open` is past due after the day of `due`. */
  readonly role: ShownRole;
  /** Names it in the head of a table, where the column is too narrow for its own name. */
  readonly word: string;
  /**
   * Where a terminal is narrow, fields of higher numbers are left out first; the currency stays with the amounts. Without
   * a number it is only shown where there is room for all of it beside those.
   */
  readonly rank?: number;
}

type InvoiceField =
  'amount' | 'total' | 'due' | 'date' | 'currency' | 'counterpartyName' | 'counterpartyFiscalId';

type ShownRole =
  'number' | 'status' | 'date' | 'due' | 'party' | 'amount' | 'open' | 'currency' | 'document' | 'other';

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
  /** The member that holds the records: of the envelope, or (`documents`) an array or an envelope within the item. */
  readonly recordsIn: 'pageResults' | 'assignedDocuments';
}

export interface CursorPaging {
  readonly kind: 'cursor';
  readonly walkSize: number;
  readonly recordsIn: 'data';
}

interface SortKeys {
  readonly known: readonly string[];
  /** Those by which a record keeps its place. */
  readonly lasting: readonly string[];
  /** The one that no two records share. */
  readonly unique: string;
}

export interface FiscalIdFilter {
  /** Without dashes: `customer-fiscal-id`. */
  readonly flag: string;
  readonly parameter: string;
  /** Whom the IDs name: `customer`. */
  readonly whose: string;
  /** Whether the listing names the IDs that match nobody, while others match. */
  readonly namesUnknown: boolean;
}

/** What people look for in invoices; `party` is what they call the other side. */
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
