import { formatDay } from '../json/calendar-day.ts';
import { formatDecimal, type Decimal } from '../json/decimal.ts';
import { AGES } from './ages.ts';
import type { CurrencySection, OrganizationFigures, ReportFigures } from './figures.ts';
import type { InvoiceList } from './invoice-figures.ts';

/**
 * The figures behind the page as JSON. Amounts are strings with every digit, days are `2026-11-21`, months `2026-11`;
 * null is what the records do not say.
 */
export function figuresJson({ dates, notes, complete, doubts, organization }: ReportFigures): string {
  const { name, first, last } = dates.period;
  const report = {
    asOf: formatDay(dates.asOf),
    balancesOf: formatDay(dates.today),
    notes,
    period: { name, first: formatDay(first), last: formatDay(last) },
    complete,
    doubts: doubts.map(({ text }) => text),
    buckets: AGES,
    organizations: [organizationOf(organization)],
  };
  return `${JSON.stringify(report, (_, value: unknown) => plain(value), 2)}\n`;
}

function plain(value: unknown): unknown {
  if (value === undefined) return null;
  const isAmount = typeof value === 'object' && value !== null && 'coefficient' in value;
  return isAmount ? formatDecimal(value as Decimal) : value;
}

function organizationOf(figures: OrganizationFigures): object {
  const { currencies, missing } = figures;
  return {
    ...figures,
    currencies: currencies.map(currencyOf),
    missing: missing.map(({ figure, direction, reason, hint }) => ({ figure, direction, reason, hint })),
  };
}

function currencyOf({ issued, received, ...open }: CurrencySection): object {
  return {
    ...open,
    ...(issued && { issued: directionOf(issued) }),
    ...(received && { received: directionOf(received) }),
  };
}

function directionOf({ period, months, ...figures }: NonNullable<CurrencySection['issued']>): object {
  const { all, creditNotes, cancelled, types } = period;
  return {
    inPeriod: all.amounts.total,
    documentsInPeriod: all.documents,
    creditNotesInPeriod: creditNotes,
    cancelledInPeriod: cancelled.total,
    cancelledDocumentsInPeriod: cancelled.documents,
    byType: types.map(({ type, isRest, documents, amounts, missing }) => ({
      type,
      ...(isRest && { isRest }),
      documents,
      ...amounts,
      missing,
    })),
    missing: figures.missing,
    months: Object.fromEntries([...months].toSorted(([left], [right]) => (left < right ? -1 : 1))),
    dueSoon: listOf(figures.dueSoon),
    overdue: listOf(figures.overdue),
  };
}

function listOf({ first, count, sum }: InvoiceList): object {
  return { count, sum, first: first.map((invoice) => ({ ...invoice, due: formatDay(invoice.due) })) };
}
