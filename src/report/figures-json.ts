import { formatDay } from '../json/calendar-day.ts';
import { formatDecimal, type Decimal } from '../json/decimal.ts';
import { agesOf, overdueOf, totalOf, type AgedBalance } from '../query/aging.ts';
import { AGES } from './ages.ts';
import {
  type CurrencySection,
  type OpenFigures,
  type OrganizationFigures,
  type ReportFigures,
} from './figures.ts';
import type { InvoiceList } from './invoice-figures.ts';
import { TYPE_ROLES } from './period-figures.ts';

/**
 * The figures behind the page as JSON. Amounts are strings with every digit, days are `2026-11-21`, months `2026-11`;
 * null is what the records do not say.
 */
export function figuresJson({ dates, complete, doubts, organization }: ReportFigures): string {
  const report = {
    asOf: formatDay(dates.asOf),
    period: {
      name: dates.period.name,
      first: formatDay(dates.period.first),
      last: formatDay(dates.period.last),
    },
    complete,
    doubts: doubts.map(({ text }) => text),
    buckets: AGES,
    organizations: [organizationOf(organization)],
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

function organizationOf(figures: OrganizationFigures): object {
  return {
    profile: figures.profile ?? null,
    organization: figures.organization ?? null,
    name: figures.name ?? null,
    fiscalIds: figures.fiscalIds,
    currencies: figures.currencies.map(currencyOf),
    funds: figures.funds.map(({ name, number, status, currency, amount, balance }) => ({
      ...{ name: name ?? null, number: number ?? null, status: status ?? null, currency: currency ?? null },
      ...{ amount: amount ? formatDecimal(amount) : null, balance: formatDecimal(balance) },
    })),
    fundCount: figures.fundCount,
    inNoSum: figures.inNoSum,
    missing: figures.missing.map(({ figure, direction, reason, hint }) => ({
      ...{ figure, direction, reason, hint: hint ?? null },
    })),
  };
}

function currencyOf({ currency, receivable, payable, net, issued, received }: CurrencySection): object {
  return {
    currency: currency ?? null,
    receivable: openOf(receivable),
    payable: openOf(payable),
    net: formatDecimal(net),
    ...{ issued: issued && directionOf(issued), received: received && directionOf(received) },
  };
}

function openOf(figures: OpenFigures): object {
  const { open, overdue, invoices, buckets, creditNotes, cancelled, missing, parties, partyCount } = figures;
  return {
    open: formatDecimal(open),
    overdue: formatDecimal(overdue),
    invoices,
    buckets: buckets.map(asText),
    creditNotes: formatDecimal(creditNotes),
    cancelled: formatDecimal(cancelled),
    missing,
    counterparties: parties.map(partyOf),
    counterpartyCount: partyCount,
  };
}

function partyOf(balance: AgedBalance): object {
  return {
    name: balance.name ?? null,
    fiscalId: balance.fiscalId ?? null,
    invoices: balance.invoices,
    total: formatDecimal(totalOf(balance)),
    overdue: formatDecimal(overdueOf(balance)),
    buckets: agesOf(balance).map(asText),
  };
}

function directionOf(figures: NonNullable<CurrencySection['issued']>): object {
  const { period } = figures;
  const months = [...figures.months].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return {
    inPeriod: formatDecimal(period.all.amounts.total),
    documentsInPeriod: period.all.documents,
    creditNotesInPeriod: formatDecimal(period.creditNotes),
    cancelledInPeriod: formatDecimal(period.cancelled.total),
    cancelledDocumentsInPeriod: period.cancelled.documents,
    byType: period.types.map(({ type, isRest, documents, amounts, missing }) => ({
      ...{ type: type ?? null, ...(isRest && { isRest }), documents },
      ...Object.fromEntries(TYPE_ROLES.map((role) => [role, formatDecimal(amounts[role])])),
      missing,
    })),
    missing: figures.missing,
    months: Object.fromEntries(months.map(([month, amount]) => [month, formatDecimal(amount)])),
    dueSoon: listOf(figures.dueSoon),
    overdue: listOf(figures.overdue),
  };
}

function listOf({ first, count, sum }: InvoiceList): object {
  const invoices = first.map(({ number, counterparty, fiscalId, due, amount }) => ({
    ...{ number: number ?? null, counterparty: counterparty ?? null, fiscalId: fiscalId ?? null },
    ...{ due: formatDay(due), amount: formatDecimal(amount) },
  }));
  return { count, sum: formatDecimal(sum), first: invoices };
}

function asText(amount: Decimal): string {
  return formatDecimal(amount);
}
