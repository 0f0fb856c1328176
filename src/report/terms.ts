import { familyOf, type Family } from '../invoices/document-types.ts';
import { PROFILE_COLUMN } from '../invoices/fields.ts';
import { isChileanFiscalId } from '../invoices/fiscal-ids.ts';
import { DEFAULT_BUCKETS, NO_DUE_DATE, CREDITS, ageColumns } from '../invoices/open-items.ts';
import type { ReportLanguage, Texts, Writing } from './texts.ts';

/** The ages of what is open, in the order of `AgedBalance.ages`. */
export const AGES: readonly string[] = ageColumns(DEFAULT_BUCKETS);

/** The positions of the last two ages. Credits have no length in a bar. */
export const UNDATED = AGES.length - 2;
export const CREDIT = AGES.length - 1;

/** Not one of the ages, since cancelled documents are in no sum. */
export const CANCELLED = AGES.length;

export function ageNames(texts: Texts): string[] {
  const ranges = DEFAULT_BUCKETS.map((last, index) =>
    texts.daysRange({ from: (DEFAULT_BUCKETS[index - 1] ?? 0) + 1, to: last }),
  );
  return [
    texts.notDue,
    ...ranges,
    texts.over({ days: DEFAULT_BUCKETS.at(-1)! }),
    texts.noDueDate,
    texts.credits,
  ];
}

/** The headings of aging and statements in a workbook, as pages call them; other columns keep their names. */
export function headingsIn(texts: Texts): (columns: readonly string[]) => readonly string[] {
  const known: Readonly<Record<string, string>> = {
    [PROFILE_COLUMN]: texts.organization,
    counterparty: texts.counterparty,
    fiscalId: texts.fiscalId,
    currency: texts.currency,
    invoices: texts.documents,
    'not due': texts.notDue,
    [NO_DUE_DATE]: texts.noDueDate,
    [CREDITS]: texts.credits,
    total: texts.total,
    'total.creditNotes': texts.creditNotes,
    'total.cancelled': texts.cancelled,
    'total.missing': texts.missing,
    age: texts.ages,
    number: texts.number,
    documentType: texts.type,
    date: texts.date,
    due: texts.dueDate,
    daysLate: texts.daysLate,
    open: texts.open,
    payments: texts.payments,
  };
  return (columns) =>
    columns.map((column) => {
      const [, from, to] = /^(\d+) to (\d+)$/.exec(column) ?? [];
      const [, days] = /^over (\d+)$/.exec(column) ?? [];
      if (from !== undefined) return texts.daysRange({ from, to: to! });
      if (days !== undefined) return texts.over({ days });
      return known[column] ?? column;
    });
}

/** The term for fiscal IDs: in Chile there is a special one. */
export function fiscalIdTerm(
  parties: readonly { readonly fiscalId: string | undefined }[],
  { texts }: Writing,
): string {
  const ids = parties.flatMap(({ fiscalId }) => fiscalId ?? []);
  return ids.length > 0 && ids.every(isChileanFiscalId) ? 'RUT' : texts.fiscalId;
}

type Term = Readonly<Record<ReportLanguage, string>>;

/** The terms for families of documents. A document of unknown family keeps its type as sent. */
const FAMILIES: Readonly<Record<Exclude<Family, 'unknown'>, Term>> = {
  invoice: { en: 'Invoice', es: 'Factura' },
  'debit note': { en: 'Debit note', es: 'Nota de débito' },
  'credit note': { en: 'Credit note', es: 'Nota de crédito' },
  receipt: { en: 'Receipt', es: 'Boleta' },
  'fee note': { en: 'Fee note', es: 'Boleta de honorarios' },
  guide: { en: 'Delivery guide', es: 'Guía de despacho' },
  'import declaration': { en: 'Import declaration', es: 'Declaración de importación' },
  quote: { en: 'Quote', es: 'Cotización' },
  order: { en: 'Order', es: 'Orden de compra' },
};

/** The terms for special kinds of documents, by `keyOf`. */
const KINDS: Readonly<Record<string, Term>> = {
  EXEMPT_INVOICE: { en: 'Exempt invoice', es: 'Factura exenta' },
  EXPORT_INVOICE: { en: 'Export invoice', es: 'Factura de exportación' },
  PURCHASE_INVOICE: { en: 'Purchase invoice', es: 'Factura de compra' },
  EXPORT_CREDIT_NOTE: { en: 'Export credit note', es: 'Nota de crédito de exportación' },
  EXPORT_DEBIT_NOTE: { en: 'Export debit note', es: 'Nota de débito de exportación' },
};

/** `Factura` for `INVOICE`, `Factura (33)` for a code or a word with more in it; an unknown type as sent, none as empty text. */
export function typeTerm(type: string | undefined, language: ReportLanguage): string {
  const family = familyOf(type);
  if (type === undefined || family === 'unknown') return type ?? '';
  const kind = keyOf(type);
  if (Object.hasOwn(KINDS, kind)) return KINDS[kind]![language];
  const term = FAMILIES[family][language];
  return [family, term].some((name) => keyOf(type) === keyOf(name)) ? term : `${term} (${type})`;
}

/** Statuses of documents and funds that are known, by `keyOf`. They are of either gender: of an invoice, or of a fund. */
const STATUSES: Readonly<Record<string, string>> = {
  OPEN: 'Abierto',
  CLOSED: 'Cerrado',
  ACCOUNTED: 'Rendido',
  PENDING: 'Pendiente',
  APPROVED: 'Aprobado',
  REJECTED: 'Rechazado',
  PAID: 'Pagado',
  PARTIALLY_PAID: 'Pagado en parte',
  MANUALLY_MARKED_AS_PAID: 'Marcado como pagado',
  OVERDUE: 'Vencido',
  NULLIFIED: 'Anulado',
  CANCELLED: 'Anulado',
  CANCELED: 'Anulado',
  VOID: 'Nulo',
  DRAFT: 'Borrador',
  TRANSFERRED: 'Transferido',
  IN_REVIEW: 'En revisión',
};

/** The term for a status: `Partially paid` for `PARTIALLY_PAID`. An unknown status is shown as sent. */
export function statusTerm(status: string, language: ReportLanguage): string {
  const key = keyOf(status);
  const spanish = Object.hasOwn(STATUSES, key) ? STATUSES[key] : undefined;
  if (spanish === undefined) return status;
  const english = key.toLowerCase().replaceAll('_', ' ');
  return language === 'es' ? spanish : `${english[0]!.toUpperCase()}${english.slice(1)}`;
}

/** `PARTIALLY_PAID` for `partially paid` and `partially-paid`. */
function keyOf(text: string): string {
  return text
    .trim()
    .toUpperCase()
    .replaceAll(/[\s-]+/g, '_');
}
