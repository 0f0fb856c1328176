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
  defaultOrder: 'the service’s own',
  refusedParameters: {},
  examples: [
    ['folio funds documents 4711', 'the documents of one fund'],
    ['folio funds documents 4711 -o documents.csv', 'the same as a file'],
  ],
};
