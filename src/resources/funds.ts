import type { Resource } from './resource.ts';

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
  defaultOrder: 'by creation date, descending',
  sortDirections: ['asc', 'desc'],
  refusedParameters: {},
  examples: [
    ['folio funds', 'the funds, newest first'],
    ['folio funds get 4711', 'one fund with every document assigned to it'],
    ['folio funds documents 4711 -o documents.csv', 'the documents of a fund, one a row'],
  ],
};
