import type { DeclaredColumn, Role } from '../invoices/fields.ts';

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
  /**
   * The columns that its records may have: those that the embedded service shows, in its order, and all in which a role is known to
   * be. Flags, types of files and databases, and the questions come from this.
   */
  readonly columns: readonly DeclaredColumn[];
  /** The columns that people look for, in the order in which a table shows them. */
  readonly shown: readonly ShownField[];
  /** The order of the service, for the help. */
  readonly defaultOrder: string;
  /** Which records that order begins with, where it is one by date. */
  readonly begins?: 'oldest' | 'newest';
  /** The field with the date by which the service can sort, and its direction where the flags name no order. */
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
interface ShownField {
  /** A role, whose columns are known; or the columns that it may be in, the likeliest first. */
  readonly in: Role | readonly string[];
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

type ShownAmount = 'amount' | 'open' | 'currency';
type ShownParty = 'party' | 'fiscalId';
type ShownRole = 'number' | 'status' | 'date' | 'due' | ShownParty | ShownAmount | 'document' | 'other';

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
  /** Whether the listing names the IDs that match nobody where others do match. */
  readonly namesUnknown: boolean;
}

/** The name in one word: `fund-documents` on the command line, `fund_documents` as a table. */
export function oneWordName({ name }: Pick<Resource, 'name'>, joint: '-' | '_'): string {
  return name.replaceAll(' ', joint);
}

/** How the service sorts invoices. */
export const sortingOfInvoices = {
  sortBy: {
    known: ['NUMBER', 'DATE', 'DUE_BY', 'AMOUNT'],
    // Amounts and due dates change, and move a record with them.
    lasting: ['NUMBER', 'DATE'],
    unique: 'NUMBER',
  },
  newestFirst: { sortBy: 'DATE', sortOrder: 'desc' },
  sortDirections: ['ASC', 'DESC'],
} satisfies Partial<Resource>;

/** The fields that people look for in invoices. `party` is the word for the other side: `customer`, `issuer`. */
export function shownOfInvoices(party: string): readonly ShownField[] {
  return [
    { in: 'number', role: 'number', word: 'number', rank: 1 },
    { in: 'date', role: 'date', word: 'date', rank: 7 },
    { in: 'due', role: 'due', word: 'due', rank: 9 },
    { in: 'counterpartyName', role: 'party', word: party, rank: 2 },
    { in: 'total', role: 'amount', word: 'total', rank: 5 },
    { in: 'open', role: 'open', word: 'open', rank: 3 },
    { in: 'currency', role: 'currency', word: 'cur', rank: 6 },
    { in: 'status', role: 'status', word: 'status', rank: 8 },
    { in: 'counterpartyFiscalId', role: 'fiscalId', word: 'fiscal ID' },
    { in: 'documentType', role: 'document', word: 'type' },
  ];
}

/** The amounts of invoices, and of the documents of funds. */
export const amountColumns: readonly DeclaredColumn[] = [
  ['currency', 'text', 'currency'],
  ['totalAmount', 'money', 'total'],
  ['netAmount', 'money', 'net'],
  ['exemptAmount', 'money', 'exempt'],
  ['taxAmount', 'money', 'tax'],
  ['amountToBePaid', 'money', 'open'],
  ['paidAmount', 'money', 'paid'],
  ['amountPaid', 'money', 'paid'],
];

/** What tells documents of suppliers apart: each issuer counts its own. */
export const keyWithIssuer = [
  'number',
  'documentType',
  'issuerFiscalId',
  'issuer.fiscalId',
  'supplierFiscalId',
];

/** The columns that invoices of both directions have before those of a counterparty. */
export const columnsOfInvoices: readonly DeclaredColumn[] = [
  ['id', 'text'],
  ['number', 'text', 'number'],
  ['documentType', 'text', 'documentType'],
  ['status', 'text', 'status'],
  ['date', 'date', 'date'],
  ['dueBy', 'date', 'due'],
  ...amountColumns,
  ['conciliatedAmount', 'money', 'paid'],
];

/** What other services call these columns. */
export const otherNamesOfInvoices: readonly DeclaredColumn[] = [
  ['openAmount', 'money', 'open'],
  ['amountDue', 'money', 'open'],
  ['total', 'money', 'total'],
  ['amount', 'money', 'total'],
  ['dueByDate', 'date', 'due'],
  ['dueDate', 'date', 'due'],
  ['emissionDate', 'date', 'date'],
  ['issueDate', 'date', 'date'],
  ['folio', 'text', 'number'],
  ['documentNumber', 'text', 'number'],
  ['invoiceNumber', 'text', 'number'],
  ['type', 'text', 'documentType'],
  ['state', 'text', 'status'],
  ['currencyCode', 'text', 'currency'],
];

/** The columns of a party below a member of that name. */
export function columnsOfParty(member: string): readonly DeclaredColumn[] {
  const names = ['email', 'address.street', 'address.city', 'address.country'];
  return names.map((name) => [`${member}.${name}`, 'text']);
}
