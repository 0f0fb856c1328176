import type { ShownField } from './resource.ts';

/** What people look for in invoices; `party` is what they call the other side. */
export function shownOfInvoices(party: string): readonly ShownField[] {
  return [
    { in: ['number', 'folio', 'documentNumber', 'invoiceNumber'], role: 'number', word: 'number', rank: 1 },
    { in: 'date', role: 'date', word: 'date', rank: 7 },
    { in: 'due', role: 'due', word: 'due', rank: 4 },
    { in: 'counterpartyName', role: 'party', word: party, rank: 2 },
    { in: 'total', role: 'amount', word: 'total', rank: 5 },
    { in: 'amount', role: 'open', word: 'open', rank: 3 },
    { in: 'currency', role: 'currency', word: 'cur', rank: 6 },
    { in: ['status', 'state'], role: 'status', word: 'status', rank: 8 },
    { in: 'counterpartyFiscalId', role: 'other', word: 'fiscal ID' },
    { in: ['documentType', 'type'], role: 'document', word: 'type' },
  ];
}
