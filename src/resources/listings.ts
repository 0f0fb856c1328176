import { amountColumns, issued, keyWithIssuer, otherNamesOfInvoices, received } from './invoices.ts';
import type { Resource } from './resource.ts';

const NOT_ACCEPTED = 'the service does not accept it on customers at present: any value is an error';

/** `folio customers`. */
export const customers: Resource = {
  name: 'customers',
  records: 'customers',
  label: 'name',
  path: '/customers',
  // The specification leaves the limit of the page size open (spec 4.3).
  paging: { kind: 'cursor', walkSize: 1000, recordsIn: 'data' },
  columns: [
    ['id', 'text'],
    ['fiscalId', 'text', 'counterpartyFiscalId'],
    ['name', 'text', 'counterpartyName'],
    ['email', 'text'],
    ['phone', 'text'],
    ['address.street', 'text'],
    ['address.city', 'text'],
    ['address.country', 'text'],
    ['contacts', 'list'],
    ['contacts.name', 'text'],
    ['contacts.email', 'text'],
    ['paymentTermDays', 'text'],
    ['currency', 'text', 'currency'],
    ['balance.total', 'money', 'balance'],
    ['balance.overdue', 'money'],
    ['creditLimit', 'money'],
    ['createdAt', 'date'],
    ['assignedTo.name', 'text'],
    ['assignedTo.team', 'text'],
    ['legalName', 'text', 'counterpartyName'],
    ['businessName', 'text', 'counterpartyName'],
    ['taxId', 'text', 'counterpartyFiscalId'],
    ['balance', 'money', 'balance'],
    ['overdueAmount', 'money'],
    ['currencyCode', 'text', 'currency'],
  ],
  shown: [
    { in: 'counterpartyName', look: 'party', word: 'name', rank: 1 },
    { in: 'counterpartyFiscalId', look: 'fiscalId', word: 'fiscal ID', rank: 2 },
    { in: 'balance', look: 'amount', word: 'balance', rank: 3 },
    { in: ['balance.overdue', 'overdueAmount'], look: 'amount', word: 'overdue', rank: 4 },
    { in: 'currency', look: 'currency', word: 'cur', rank: 5 },
    { in: ['email'], look: 'other', word: 'email' },
    { in: ['phone'], look: 'other', word: 'phone' },
  ],
  defaultOrder: 'the service’s own',
  sortDirections: ['ASC', 'DESC'],
  refusedParameters: {
    fiscalId: NOT_ACCEPTED,
    overdueAmount: NOT_ACCEPTED,
    options_sortBy: 'the service does not sort customers',
  },
  examples: [
    ['folio customers --limit 20', 'the first twenty customers'],
    ['folio customers -o customers.csv', 'every customer, as a file'],
    ['folio customers get 4711', 'one customer'],
    ['folio customers portal-link 4711', 'the link to a customer’s portal'],
  ],
};

/** `folio funds`. */
export const funds: Resource = {
  name: 'funds',
  records: 'prepaid-expense funds',
  label: 'number',
  naturalKey: ['number', 'documentType'],
  path: '/accounts-payable/prepaid-expenses',
  paging: {
    kind: 'numbered',
    firstPage: 1,
    serviceSize: 20,
    walkSize: 1000,
    maxSize: 1000,
    recordsIn: 'pageResults',
  },
  columns: [
    ['id', 'text'],
    ['number', 'text', 'number'],
    ['name', 'text'],
    ['status', 'text', 'status'],
    ['owner.name', 'text'],
    ['owner.fiscalId', 'text'],
    ['currency', 'text', 'currency'],
    ['amount', 'money', 'total'],
    ['accountedAmount', 'money'],
    ['balance', 'money', 'balance'],
    ['transferId', 'text'],
    ['createdAt', 'date', 'date'],
    ['closedAt', 'date'],
    ['folio', 'text', 'number'],
    ['description', 'text'],
    ['ownerName', 'text'],
    ['responsible.name', 'text'],
    ['date', 'date', 'date'],
    ['totalAmount', 'money', 'total'],
    ['availableAmount', 'money', 'balance'],
    ['remainingAmount', 'money', 'balance'],
    ['currencyCode', 'text', 'currency'],
    ['state', 'text', 'status'],
  ],
  shown: [
    { in: 'number', look: 'number', word: 'number', rank: 1 },
    { in: ['name', 'description'], look: 'party', word: 'name', rank: 2 },
    { in: ['owner.name', 'ownerName', 'responsible.name'], look: 'party', word: 'owner', rank: 6 },
    { in: 'date', look: 'date', word: 'date', rank: 8 },
    { in: 'total', look: 'amount', word: 'amount', rank: 4 },
    { in: 'balance', look: 'amount', word: 'balance', rank: 3 },
    { in: 'currency', look: 'currency', word: 'cur', rank: 5 },
    { in: 'status', look: 'status', word: 'status', rank: 7 },
  ],
  defaultOrder: 'by creation date, descending',
  byDate: { field: 'createdAt', usual: 'desc' },
  sortDirections: ['asc', 'desc'],
  refusedParameters: {},
  examples: [
    ['folio funds', 'the funds, newest first'],
    ['folio funds get 4711', 'one fund with every document assigned to it'],
    ['folio funds documents 4711 -o documents.csv', 'the documents of a fund, one a row'],
  ],
};

/** `folio funds documents <id>`: they come page by page, within the fund that they belong to. */
export const fundDocuments: Resource = {
  name: 'fund documents',
  records: 'documents of the fund',
  label: 'number',
  naturalKey: keyWithIssuer,
  path: '/accounts-payable/prepaid-expenses/{id}',
  paging: {
    kind: 'numbered',
    firstPage: 1,
    serviceSize: 20,
    walkSize: 100,
    maxSize: 100,
    recordsIn: 'assignedDocuments',
  },
  columns: [
    ['id', 'text'],
    ['documentType', 'text', 'documentType'],
    ['number', 'text', 'number'],
    ['date', 'date', 'date'],
    ['issuerFiscalId', 'text', 'counterpartyFiscalId'],
    ['issuer.fiscalId', 'text', 'counterpartyFiscalId'],
    ['issuer.name', 'text', 'counterpartyName'],
    ...amountColumns,
    ['dueBy', 'date', 'due'],
    ['status', 'text', 'status'],
    ['category', 'text'],
    ['rejection.reason', 'text'],
    ...otherNamesOfInvoices,
    ['supplier.name', 'text', 'counterpartyName'],
    ['name', 'text', 'counterpartyName'],
    ['supplierFiscalId', 'text', 'counterpartyFiscalId'],
  ],
  shown: [
    { in: 'number', look: 'number', word: 'number', rank: 1 },
    { in: 'date', look: 'date', word: 'date', rank: 4 },
    { in: 'counterpartyName', look: 'party', word: 'issuer', rank: 2 },
    { in: 'total', look: 'amount', word: 'total', rank: 3 },
    { in: 'currency', look: 'currency', word: 'cur', rank: 5 },
    { in: ['category'], look: 'other', word: 'category' },
    { in: 'documentType', look: 'document', word: 'type' },
  ],
  defaultOrder: 'the service’s own',
  refusedParameters: {},
  examples: [
    ['folio funds documents 4711', 'the documents of one fund'],
    ['folio funds documents 4711 -o documents.csv', 'the same as a file'],
  ],
};

/** What the service lists by itself: each is a command, is checked by the doctor, and can be synced. */
export const listings: readonly Resource[] = [issued, received, customers, funds];

/** What they list, for texts: `issued invoices, received invoices, customers and …`. */
export function listedRecords(): string {
  const names = listings.map(({ records }) => records);
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)!}`;
}

/** Everything that the service lists, also what belongs to another thing. */
export const resources: readonly Resource[] = [...listings, fundDocuments];
