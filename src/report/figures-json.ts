import { formatDay } from '../json/calendar-day.ts';
import { formatDecimal, type Decimal } from '../json/decimal.ts';
import { AGES } from './terms.ts';
import { isKnown, type ReportFigures } from './figures.ts';
import { REST, type CurrencyFigures, type InvoiceList } from './invoice-figures.ts';

/** The figures of the page as JSON: amounts are strings with every digit, days `2026-11-21`, months `2026-11`; null is unknown. */
export function figuresJson({ dates, caveats, complete, failures, organization }: ReportFigures): string {
  const { name, first, last } = dates.period;
  const { currencies, missing, inNoSum } = organization;
  const isOfIssued: Has = (figure) => isKnown(missing, 'issued', figure);
  const isOfReceived: Has = (figure) => isKnown(missing, 'received', figure);
  const [hasReceivable, hasPayable] = [isOfIssued('balances'), isOfReceived('balances')];
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
        ...(!isKnown(missing, 'funds', 'funds') && { funds: null, fundCount: null }),
        inNoSum: {
          issued: isOfIssued('months') ? inNoSum.issued : null,
          received: isOfReceived('months') ? inNoSum.received : null,
        },
        currencies: currencies.map(({ currency, receivable, payable, net, issued, received }) => ({
          currency,
          receivable: hasReceivable ? receivable : null,
          payable: hasPayable ? payable : null,
          net: hasReceivable && hasPayable ? net : null,
          ...(issued && { issued: directionOf(issued, isOfIssued) }),
          ...(received && { received: directionOf(received, isOfReceived) }),
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

/** Whether a figure of a listing is there. */
type Has = (figure: 'balances' | 'months') => boolean;

function directionOf(figures: CurrencyFigures, has: Has): object {
  const { all, types, creditNotes, cancelled, months } = figures;
  const ofMonths = {
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
  };
  const ofBalances = { dueSoon: listOf(figures.dueSoon), overdue: listOf(figures.overdue) };
  return {
    ...(has('months') ? ofMonths : unknown(ofMonths)),
    ...(has('balances') ? ofBalances : unknown(ofBalances)),
  };
}

function unknown(members: object): object {
  return Object.fromEntries(Object.keys(members).map((name) => [name, null]));
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
