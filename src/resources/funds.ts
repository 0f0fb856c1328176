import { usualFields } from '../invoices/fields.ts';
import type { NumberedResource } from './resource.ts';

/** `folio funds`. */
export const funds: NumberedResource = {
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
  shown: [
    { in: 'number', role: 'number', word: 'number', rank: 1 },
    { in: ['name', 'description'], role: 'party', word: 'name', rank: 2 },
    { in: ['owner.name', 'ownerName', 'responsible.name'], role: 'party', word: 'owner', rank: 6 },
    { in: 'date', role: 'date', word: 'date', rank: 8 },
    { in: 'total', role: 'amount', word: 'amount', rank: 4 },
    { in: 'balance', role: 'amount', word: 'balance', rank: 3 },
    { in: 'currency', role: 'currency', word: 'cur', rank: 5 },
    { in: 'status', role: 'status', word: 'status', rank: 7 },
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
export const fundDocuments: NumberedResource = {
  name: 'fund documents',
  records: 'documents of the fund',
  label: 'number',
  // Each issuer counts its own documents.
  naturalKey: ['number', 'documentType', ...usualFields('fund documents').columns.counterpartyFiscalId],
  path: '/accounts-payable/prepaid-expenses/{id}',
  paging: {
    kind: 'numbered',
    firstPage: 1,
    serviceSize: 20,
    walkSize: 100,
    maxSize: 100,
    recordsIn: 'assignedDocuments',
  },
  shown: [
    { in: 'number', role: 'number', word: 'number', rank: 1 },
    { in: 'date', role: 'date', word: 'date', rank: 4 },
    { in: 'counterpartyName', role: 'party', word: 'issuer', rank: 2 },
    { in: 'total', role: 'amount', word: 'total', rank: 3 },
    { in: 'currency', role: 'currency', word: 'cur', rank: 5 },
    { in: ['category'], role: 'other', word: 'category' },
    { in: 'documentType', role: 'document', word: 'type' },
  ],
  defaultOrder: 'the service’s own',
  refusedParameters: {},
  examples: [
    ['folio funds documents 4711', 'the documents of one fund'],
    ['folio funds documents 4711 -o documents.csv', 'the same as a file'],
  ],
};
