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
    options_page: 'customers come by cursor, not by page: use --next-token',
  },
  examples: [
    ['folio customers --limit 20', 'the first twenty customers'],
    ['folio customers -o customers.csv', 'every customer, as a file'],
    ['folio customers get 4711', 'one customer'],
    ['folio customers portal-link 4711', 'the link to a customer’s portal'],
  ],
};
