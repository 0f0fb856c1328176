import { usualFields } from '../invoices/fields.ts';
import { shownOfInvoices, sortingOfInvoices, type NumberedResource } from './resource.ts';

/** `folio received`: invoices that suppliers sent. The flags that the command has beside these are in `cli/flags.ts`. */
export const received: NumberedResource = {
  name: 'received',
  records: 'received invoices',
  label: 'number',
  // Each issuer counts its own documents.
  naturalKey: ['number', 'documentType', ...usualFields('received').columns.counterpartyFiscalId],
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
