import { shownOfInvoices, sortingOfInvoices, type NumberedResource } from './resource.ts';

/** `folio issued`: invoices that the organization issued. The flags that the command has beside these are in `cli/flags.ts`. */
export const issued: NumberedResource = {
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
    ['folio issued --limit 20', 'the first twenty invoices'],
    ['folio issued --sort-by due_by --sort-order asc', 'what is due first'],
    ['folio issued --customer-fiscal-id 86345678-9,80765432-k', 'the invoices of two customers'],
    ['folio issued -o issued.csv', 'every invoice, for a script'],
    ['folio issued --excel -o issued.csv', 'every invoice, for a spreadsheet'],
    ['folio issued -o issued.xlsx', 'the same as a workbook'],
    ['folio issued --param status=OVERDUE --format jsonl', 'any other filter of the service'],
    [
      'folio issued --where status=OVERDUE --where "dueBy<2026-10-01"',
      'what no filter of the service can say',
    ],
    ['folio issued --sum amountToBePaid --group-by customer.name', 'open amounts of each customer'],
    ['folio issued --changes-since yesterday.jsonl', 'what is new, changed and gone since an export'],
  ],
};
