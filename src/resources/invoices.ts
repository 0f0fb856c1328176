import type { DeclaredColumn } from '../invoices/fields.ts';
import type { NumberedPaging, Resource, ShownField } from './resource.ts';

/*
 * The listings of invoices, and what they have in common with each other and with the documents of funds.
 */

/** How the service sorts invoices. */
const sortingOfInvoices = {
  sortBy: {
    known: ['NUMBER', 'DATE', 'DUE_BY', 'AMOUNT'],
    // Amounts and due dates change, and move a record with them.
    lasting: ['NUMBER', 'DATE'],
    mostDistinct: 'NUMBER',
  },
  newestFirst: { sortBy: 'DATE', sortOrder: 'desc' },
  sortDirections: ['ASC', 'DESC'],
} satisfies Partial<Resource>;

/** The fields that people look for in invoices. `party` is the word for the other side: `customer`, `issuer`. */
function shownOfInvoices(party: string): readonly ShownField[] {
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

/** The columns that identify documents of suppliers: each issuer numbers its own. */
export const keyWithIssuer = [
  'number',
  'documentType',
  'issuerFiscalId',
  'issuer.fiscalId',
  'supplierFiscalId',
];

/** The columns that invoices of both directions have before those of a counterparty. */
const columnsOfInvoices: readonly DeclaredColumn[] = [
  ['id', 'text'],
  ['number', 'text', 'number'],
  ['documentType', 'text', 'documentType'],
  ['status', 'text', 'status'],
  ['date', 'date', 'date'],
  ['dueBy', 'date', 'due'],
  ...amountColumns,
  ['conciliatedAmount', 'money', 'paid'],
];

/** Other names that these columns may have: the specification does not show them (spec 2.5, 2.6). */
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
function columnsOfParty(member: string): readonly DeclaredColumn[] {
  const names = ['email', 'address.street', 'address.city', 'address.country'];
  return names.map((name) => [`${member}.${name}`, 'text']);
}

/** `folio issued`: invoices that the organization issued. */
export const issued: Resource & { readonly paging: NumberedPaging } = {
  name: 'issued',
  records: 'issued invoices',
  label: 'number',
  naturalKey: ['number', 'documentType'],
  path: '/invoices/issued',
  paging: {
    kind: 'numbered',
    firstPage: 0,
    serviceSize: 10,
    // Over 1729 results the service compresses what it sends (spec 4.1 rule 4).
    walkSize: 2000,
    compressedOver: 1729,
    recordsIn: 'pageResults',
  },
  columns: [
    ...columnsOfInvoices,
    ['exchangeRate', 'money'],
    ['issuerFiscalId', 'text'],
    ['receiverFiscalId', 'text', 'counterpartyFiscalId'],
    ['customer.id', 'text'],
    ['customer.fiscalId', 'text', 'counterpartyFiscalId'],
    ['customer.name', 'text', 'counterpartyName'],
    ...columnsOfParty('customer'),
    ['categories', 'list'],
    ['categories.id', 'text'],
    ['categories.name', 'text'],
    ['payments', 'list'],
    ['payments.id', 'text'],
    ['payments.date', 'date'],
    ['payments.amount', 'money'],
    ['payments.method', 'text'],
    ['referenceNumber', 'text'],
    ['relatedDocumentId', 'text'],
    ['relatedDocumentNumber', 'text'],
    ['purchaseOrder', 'text'],
    ['notes', 'text'],
    ['paymentInstructions.bank', 'text'],
    ['paymentInstructions.account', 'text'],
    ['paymentInstructions.note', 'text'],
    ['sentByEmail', 'boolean'],
    ['files', 'list'],
    ['files.fileUrl', 'text'],
    ['createdAt', 'date'],
    ['trackingId', 'text'],
    ['dispute', 'text'],
    ['dispute.openedAt', 'date'],
    ['dispute.reason', 'text'],
    ...otherNamesOfInvoices,
    ['customerName', 'text', 'counterpartyName'],
    ['receiver.name', 'text', 'counterpartyName'],
    ['receiverName', 'text', 'counterpartyName'],
    ['customerFiscalId', 'text', 'counterpartyFiscalId'],
  ],
  shown: shownOfInvoices('customer'),
  defaultOrder: 'by DATE, ascending',
  byDate: { field: 'date', usual: 'asc' },
  ...sortingOfInvoices,
  fiscalIds: {
    flag: 'customer-fiscal-id',
    parameter: 'customerFiscalIds',
    whose: 'customer',
    namesUnknown: true,
  },
  refusedParameters: {},
  examples: [
    ['folio issued --limit 20', 'twenty invoices; on a terminal, the newest'],
    ['folio issued --sort-by due_by --sort-order asc', 'what is due first'],
    ['folio issued --customer-fiscal-id 60155440-2,60155465-8', 'the invoices of two customers'],
    ['folio issued -o issued.csv', 'every invoice, for a script'],
    ['folio issued --excel -o issued.csv', 'every invoice, for a spreadsheet'],
    ['folio issued -o issued.xlsx', 'the same as a workbook'],
    ['folio issued --param documentType=CREDIT_NOTE --format jsonl', 'any other filter of the service'],
    ['folio issued --open --where "dueBy<-30d"', 'what no filter of the service can say'],
    ['folio issued --changes-since yesterday.jsonl', 'what is new, changed and gone since an export'],
    ['folio issued --period last-month --sum total --group-by counterpartyName', 'last month, by customer'],
    ['folio issued --overdue', 'what is late, partly paid or not'],
    ['folio issued --open -o open.xlsx', 'what is still to be paid, as a workbook'],
  ],
};

/** `folio received`: invoices that suppliers sent. */
export const received: Resource = {
  name: 'received',
  records: 'received invoices',
  label: 'number',
  naturalKey: keyWithIssuer,
  path: '/invoices/received',
  paging: {
    kind: 'numbered',
    firstPage: 0,
    serviceSize: 10,
    // Larger pages may pass the 6 MB that the service can answer with (spec 4.2 rule 3).
    walkSize: 500,
    maxSize: 1000,
    recordsIn: 'pageResults',
  },
  columns: [
    ...columnsOfInvoices,
    ['receivedDate', 'date'],
    ['issuerFiscalId', 'text', 'counterpartyFiscalId'],
    ['receiverFiscalId', 'text'],
    ['issuer.id', 'text'],
    ['issuer.fiscalId', 'text', 'counterpartyFiscalId'],
    ['issuer.name', 'text', 'counterpartyName'],
    ...columnsOfParty('issuer'),
    ['approval', 'text'],
    ['approval.state', 'text'],
    ['approval.by.name', 'text'],
    ['approval.by.role', 'text'],
    ['approval.steps', 'text'],
    ['accountingEntries', 'list'],
    ['accountingEntries.line', 'text'],
    ['accountingEntries.account.code', 'text'],
    ['accountingEntries.account.name', 'text'],
    ['accountingEntries.debit', 'money'],
    ['accountingEntries.credit', 'money'],
    ['accountingEntries.costCenter.code', 'text'],
    ['accountingEntries.costCenter.name', 'text'],
    ['accountingEntries.description', 'text'],
    ['accountingEntries.tax.code', 'text'],
    ['accountingEntries.tax.rate', 'text'],
    ['accountingEntries.tax.recoverable', 'boolean'],
    ['accountingEntries.project', 'text'],
    ['referenceNumber', 'text'],
    ['relatedDocumentId', 'text'],
    ['relatedDocumentNumber', 'text'],
    ['claim.code', 'text'],
    ['claim.date', 'date'],
    ['claim.accepted', 'boolean'],
    ...otherNamesOfInvoices,
    ['issuerName', 'text', 'counterpartyName'],
    ['supplier.name', 'text', 'counterpartyName'],
    ['supplierName', 'text', 'counterpartyName'],
    ['supplierFiscalId', 'text', 'counterpartyFiscalId'],
  ],
  shown: shownOfInvoices('issuer'),
  defaultOrder: 'the service’s own, unsorted',
  byDate: { field: 'date', usual: undefined },
  ...sortingOfInvoices,
  fiscalIds: { flag: 'issuer-fiscal-id', parameter: 'issuerFiscalIds', whose: 'issuer', namesUnknown: false },
  refusedParameters: {
    totalAmount: 'the service does not accept it on received invoices at present: any value is an error',
  },
  examples: [
    ['folio received --limit 20', 'twenty invoices that suppliers sent'],
    ['folio received --issuer-fiscal-id @suppliers.txt', 'those of the suppliers in a file, one ID a line'],
    ['folio received --param receivedDateSince=2026-01-01 -o received.csv', 'this year’s, as a file'],
    ['folio received --sort -totalAmount --limit 10', 'the ten largest'],
    ['folio received --all -o received.jsonl --receipt received.receipt.json', 'everything, with a receipt'],
  ],
};
