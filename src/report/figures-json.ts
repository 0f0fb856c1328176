import { formatDay } from '../json/calendar-day.ts';
import { formatDecimal, type Decimal } from '../json/decimal.ts';
import { AGES } from './terms.ts';
import type { ReportFigures } from './figures.ts';
import { REST, type CurrencyFigures, type InvoiceList } from './invoice-figures.ts';

/** The figures of the page as JSON: amounts are strings with every digit, days `2026-11-21`, months `2026-11`; null is unknown. */
export function figuresJson({ dates, caveats, complete, failures, organization }: ReportFigures): string {
  const { name, first, last } = dates.period;
  const { currencies, missing } = organization;
  const report = {
    asOf: formatDay(dates.asOf),
    balancesOf: formatDay(dates.today),
    notes: caveats,
    period: { name, first: formatDay(first), last: formatDay(last) },
    complete,
    doubts: failures.map(({ part, text }) => `${part}: ${text}`),
    buckets: AGES,
    organizations: [
      {
        ...organization,
        currencies: currencies.map(({ issued, received, ...open }) => ({
          ...open,
          ...(issued && { issued: directionOf(issued) }),
          ...(received && { received: directionOf(received) }),
        })),
        missing: missing.map(({ figure, part: direction, text, hint }) => ({
          figure,
          direction,
          reason: `${text}.`,
          hint,
        })),
      },
    ],
  };
  return `${JSON.stringify(report, (_, value: unknown) => plain(value), 2)}\n`;
}

function plain(value: unknown): unknown {
  if (value === undefined) return null;
  const isAmount = typeof value === 'object' && value !== null && 'coefficient' in value;
  return isAmount ? formatDecimal(value as Decimal) : value;
}

function directionOf(figures: CurrencyFigures): object {
  const { all, types, creditNotes, cancelled, months } = figures;
  return {
    inPeriod: all.amounts.total,
    documentsInPeriod: all.documents,
    creditNotesInPeriod: creditNotes,
    cancelledInPeriod: cancelled.total,
    cancelledDocumentsInPeriod: cancelled.documents,
    byType: types.map(({ type, documents, amounts, missing }) => ({
      ...(type === REST ? { type: null, isRest: true } : { type }),
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
  const invoices = first.map(({ number, party: { name, fiscalId }, due, amount }) => ({
    number,
    counterparty: (name ?? fiscalId)?.text,
    fiscalId: fiscalId?.text,
    due: formatDay(due),
    amount,
  }));
  return { count, sum, first: invoices };
}
