import type { Resource } from './resource.ts';

export const fundDocuments: Resource = {
  name: 'fund documents',
  records: 'documents of the fund',
  label: 'number',
  naturalKey: ['number', 'documentType'],
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
    { in: ['number', 'folio'], role: 'number', word: 'number', rank: 1 },
    { in: ['date', 'emissionDate'], role: 'date', word: 'date', rank: 4 },
    { in: ['issuer.name', 'supplier.name', 'name'], role: 'party', word: 'issuer', rank: 2 },
    { in: ['totalAmount', 'total', 'amount'], role: 'amount', word: 'total', rank: 3 },
    { in: ['currency'], role: 'currency', word: 'cur', rank: 5 },
    { in: ['category'], role: 'other', word: 'category' },
    { in: ['type', 'documentType'], role: 'document', word: 'type' },
  ],
  defaultOrder: 'the service’s own',
  refusedParameters: {},
  examples: [
    ['folio funds documents 4711', 'the documents of one fund'],
    ['folio funds documents 4711 -o documents.csv', 'the same as a file'],
  ],
};
