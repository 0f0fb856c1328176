import type { DeclaredColumn } from '../invoices/fields.ts';
import type { Resource, ShownField } from './resource.ts';

/*
 * What listings of invoices, and of the documents of funds, have in common.
 */

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
    { in: 'number', look: 'number', word: 'number', rank: 1 },
    { in: 'date', look: 'date', word: 'date', rank: 7 },
    { in: 'due', look: 'due', word: 'due', rank: 9 },
    { in: 'counterpartyName', look: 'party', word: party, rank: 2 },
    { in: 'total', look: 'amount', word: 'total', rank: 5 },
    { in: 'open', look: 'open', word: 'open', rank: 3 },
    { in: 'currency', look: 'currency', word: 'cur', rank: 6 },
    { in: 'status', look: 'status', word: 'status', rank: 8 },
    { in: 'counterpartyFiscalId', look: 'fiscalId', word: 'fiscal ID' },
    { in: 'documentType', look: 'document', word: 'type' },
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
