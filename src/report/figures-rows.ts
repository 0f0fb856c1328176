import { formatDay } from '../json/calendar-day.ts';
import { DECIMAL_ZERO, formatDecimal, widestScale, type Decimal } from '../json/decimal.ts';
import type { ShownColumns } from '../output/column-roles.ts';
import { textJson, type Row } from '../query/result-rows.ts';
import type { OrganizationFigures, ReportFigures } from './figures.ts';
import { REST, type CurrencyFigures, type InvoiceList } from './invoice-figures.ts';
import { AGES } from './terms.ts';
import type { Writing } from './words.ts';

/** The figures of the page as JSON: amounts are strings with every digit, days `2026-11-21`, months `2026-11`; null is unknown. */
export function figuresJson({ dates, caveats, complete, failures, organization }: ReportFigures): string {
  const { name, first, last } = dates.period;
  const { known, ...own } = organization;
  const { currencies, missing, inNoSum } = own;
  const [hasReceivable, hasPayable] = [known.issued.balances, known.received.balances];
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
        ...own,
        ...(!known.funds && { funds: null, fundCount: null }),
        inNoSum: {
          issued: known.issued.months ? inNoSum.issued : null,
          received: known.received.months ? inNoSum.received : null,
        },
        currencies: currencies.map(({ currency, receivable, payable, net, issued, received }) => ({
          currency,
          receivable: hasReceivable ? receivable : null,
          payable: hasPayable ? payable : null,
          net: hasReceivable && hasPayable ? net : null,
          ...(issued && { issued: directionOf(issued, known.issued) }),
          ...(received && { received: directionOf(received, known.received) }),
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

function directionOf(figures: CurrencyFigures, known: OrganizationFigures['known']['issued']): object {
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
    ...(known.months ? ofMonths : unknown(ofMonths)),
    ...(known.balances ? ofBalances : unknown(ofBalances)),
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

const FIGURES = ['receivable', 'overdue', 'payable', 'overduePayable', 'billed', 'tax'] as const;

/** The columns of `monthRows` in the words of the language, and what they are to a reader. */
export function monthColumns(
  { words }: Writing,
  isSeveral: boolean,
): { readonly columns: readonly string[]; readonly shown: ShownColumns } {
  const roles = [
    ...(isSeveral ? [[words.organization, 'profile'] as const] : []),
    [words.currency, 'currency'] as const,
    ...FIGURES.map((name) => [words[name], 'amount'] as const),
  ];
  return {
    columns: roles.map(([column]) => column),
    shown: Object.fromEntries(roles.map(([column, role]) => [column, { role }])),
  };
}

/** How an organization stands, a row for each currency, as on the first screen of the page. What is not known is null. */
export function monthRows({ organization }: ReportFigures, { words }: Writing, isSeveral: boolean): Row[] {
  const { profile, name, fiscalIds, currencies, known } = organization;
  const { balances, months } = known.issued;
  const payables = known.received.balances;
  const isKnown = [balances, balances, payables, payables, months, months];
  const sections = currencies.length > 0 ? currencies : [undefined];
  return sections.map((section): Row => {
    const { receivable, payable, issued } = section ?? {};
    const { total, tax } = issued?.all.amounts ?? {};
    const amounts = [receivable?.open, receivable?.overdue, payable?.open, payable?.overdue, total, tax].map(
      (amount = DECIMAL_ZERO) => amount,
    );
    // A currency has one number of decimals, in its zeros too.
    const scale = widestScale(amounts);
    return [
      ...(isSeveral ? [[words.organization, textJson(profile ?? name ?? fiscalIds[0])] as const] : []),
      [words.currency, textJson(section?.currency)],
      ...FIGURES.map(
        (figure, at) => [words[figure], isKnown[at] ? formatDecimal(amounts[at]!, scale) : 'null'] as const,
      ),
    ];
  });
}
