import type { Finding } from '../findings.ts';
import { familyOf } from '../invoices/document-types.ts';
import { foldFiscalId } from '../invoices/fiscal-ids.ts';
import { formatDay } from '../json/calendar-day.ts';
import {
  addDecimals,
  compareDecimals,
  DECIMAL_ZERO,
  formatDecimal,
  negateDecimal,
  type Decimal,
} from '../json/decimal.ts';
import { overdueOf, sumOfBalances, totalOf, type AgedBalance } from '../query/aging.ts';
import { compareOrders } from '../query/cell-order.ts';
import type { RecordNote } from './page-frame.ts';
import {
  FundTally,
  InvoiceTally,
  typesOf,
  type FigureName,
  type InvoiceFigures,
  type InvoiceList,
  type ReportDates,
  type TypeFigures,
} from './tallies.ts';
import { AGES } from './terms.ts';

export type ListingName = 'issued' | 'received' | 'funds';

export interface ListingFinding extends Finding {
  readonly part: ListingName;
}

export interface MissingFigure extends ListingFinding {
  readonly figure: FigureName;
}

export interface ReportFigures {
  readonly dates: ReportDates;
  readonly caveats: readonly RecordNote[];
  /** Whether every listing was read whole; else the failures say why not. */
  readonly complete: boolean;
  readonly failures: readonly ListingFinding[];
  readonly organization: OrganizationFigures;
}

/** The result of reading one listing of an organization. */
export interface ListingRead {
  readonly listing: ListingName;
  readonly profile: string | undefined;
  /** As the token names it. */
  readonly organization: string | undefined;
  /** The tally of the records that could be read; undefined if there are none. */
  readonly tally: InvoiceTally | FundTally | undefined;
  /** Why it is not whole. */
  readonly failure: Finding | undefined;
}

export type OrganizationFigures = Readonly<ReturnType<typeof organizationFigures>>;
export type CurrencySection = OrganizationFigures['currencies'][number];
export type OpenFigures = NonNullable<CurrencySection['receivable']>;
/** The figures of issued or received documents in one currency. */
export type DatedFigures = NonNullable<CurrencySection['issued']>;
export type ListedInvoices = NonNullable<DatedFigures['overdue']>;

/** The report of one organization, of the listings that were read. */
export function reportFigures(
  read: readonly ListingRead[],
  { dates, caveats }: Pick<ReportFigures, 'dates' | 'caveats'>,
): ReportFigures {
  const failures = read.flatMap(({ listing: part, failure, tally }): ListingFinding[] => {
    const others = tally
      ?.finish()
      .findings.filter(({ level, text }) => level === 'failure' && text !== failure?.text);
    return [...(failure ? [failure] : []), ...(others ?? [])].map((one) => ({ ...one, part }));
  });
  const complete = failures.length === 0 && !caveats.includes('part');
  return { dates, caveats, complete, failures, organization: organizationFigures(read) };
}

/** The figures, by their names in JSON. An unknown figure is undefined, and listed in `missing`. */
function organizationFigures(read: readonly ListingRead[]) {
  const { profile, organization } = read.find((one) => one.organization !== undefined) ?? read[0]!;
  const invoicesOf = (listing: ListingName): InvoiceFigures | undefined => {
    const tally = read.find((one) => one.listing === listing)?.tally;
    return tally instanceof InvoiceTally ? tally.finish() : undefined;
  };
  const [issued, received] = [invoicesOf('issued'), invoicesOf('received')];
  const funds = read.flatMap(({ tally }) => (tally instanceof FundTally ? tally.finish() : []))[0];
  const listings = { issued, received, funds };
  const missing = FIGURES.flatMap(([part, figure]): MissingFigure[] => {
    const failure = read.find(({ listing }) => listing === part)?.failure ?? noSource(part);
    const reason = listings[part] === undefined ? failure : listings[part].missing[figure];
    return reason === undefined ? [] : [{ ...reason, figure, part }];
  });
  const ids = [issued, received].flatMap((one) => one?.ownFiscalIds ?? []);
  const folded = ids.map(foldFiscalId);
  const known = funds?.missing.funds === undefined ? funds : undefined;
  return {
    /** The profile's name; undefined where the token is not that of a profile. */
    profile,
    /** The organization's name or number in the token, if the token has one. */
    organization,
    name: issued?.ownName ?? received?.ownName,
    /** Each ID in its first spelling. */
    fiscalIds: ids.filter((_, at) => folded.indexOf(folded[at]!) === at),
    currencies: currenciesOf(issued, received).map((currency) => sectionOf(currency, issued, received)),
    /** The funds with a balance that is not zero, the first few hundred. */
    funds: known?.first,
    fundCount: known?.count,
    /** Documents of the period that are in no sum: delivery guides, quotes, orders, what is void. */
    inNoSum: { issued: inNoSumOf(issued), received: inNoSumOf(received) },
    missing,
  };
}

/** The figures that are missing where a listing could not be read. */
const FIGURES = [
  ['issued', 'balances'],
  ['issued', 'months'],
  ['received', 'balances'],
  ['received', 'months'],
  ['funds', 'funds'],
] as const satisfies readonly (readonly [ListingName, FigureName])[];

function noSource(listing: ListingName): Finding {
  const text = `No ${listing === 'funds' ? 'prepaid-expense funds' : `${listing} invoices`} were given`;
  return { level: 'warning', text, details: { code: 'no source' } };
}

/** Whether a figure is known, even if a currency has none of it. */
export function isKnown(
  { missing }: OrganizationFigures,
  wanted: MissingFigure['figure'],
  ...listings: readonly ListingName[]
): boolean {
  return !missing.some(({ figure, part }) => figure === wanted && listings.includes(part));
}

function inNoSumOf(figures: InvoiceFigures | undefined): number | undefined {
  return figures?.missing.months === undefined ? figures?.inNoSum : undefined;
}

/** All currencies, those with most documents first, then by name; invoices without a currency come last. */
function currenciesOf(...directions: readonly (InvoiceFigures | undefined)[]): (string | undefined)[] {
  const documents = new Map<string | undefined, number>();
  for (const { balances = [], currencies } of directions.flatMap((one) => one ?? [])) {
    for (const { currency } of balances) documents.set(currency, documents.get(currency) ?? 0);
    for (const [currency, tally] of currencies)
      documents.set(currency, (documents.get(currency) ?? 0) + tally.documents);
  }
  const most = (left: string | undefined, right: string | undefined): number =>
    left === undefined || right === undefined ? 0 : documents.get(right)! - documents.get(left)!;
  return [...documents.keys()].toSorted((left, right) => most(left, right) || compareOrders(left, right));
}

function sectionOf(
  currency: string | undefined,
  ...directions: readonly [issued: InvoiceFigures | undefined, received: InvoiceFigures | undefined]
) {
  const [receivable, payable] = directions.map((one) => openFigures(currency, one?.balances));
  const [issued, received] = directions.map((one) => datedFigures(currency, one));
  return {
    currency,
    receivable,
    payable,
    net: receivable && payable && addDecimals(receivable.open, negateDecimal(payable.open)),
    // A currency without documents of a listing has no such member.
    ...(issued && { issued }),
    ...(received && { received }),
  };
}

const MAX_PARTIES = 10;

function openFigures(currency: string | undefined, balances: readonly AgedBalance[] | undefined) {
  if (balances === undefined) return undefined;
  const own = balances.filter((balance) => balance.currency === currency);
  const sum = sumOfBalances(own);
  const parties = own.filter(({ invoices }) => invoices > 0).map(partyOf);
  return {
    open: totalOf(sum),
    overdue: overdueOf(sum),
    invoices: sum.invoices,
    /** Not due, then the buckets of `folio aging`, then amounts without a due date, then credits. */
    buckets: own.length > 0 ? sum.ages : AGES.map(() => DECIMAL_ZERO),
    creditNotes: sum.creditNotes,
    /** The amount left out because its documents are cancelled, with its sign. */
    cancelled: sum.cancelled,
    missing: sum.missing,
    /** The counterparties with the largest amounts, the largest first. */
    counterparties: parties
      .toSorted((left, right) => compareDecimals(right.total, left.total))
      .slice(0, MAX_PARTIES),
    counterpartyCount: parties.length,
  };
}

function partyOf(balance: AgedBalance) {
  const { party, invoices, ages: buckets } = balance;
  const [name, fiscalId] = [party?.name?.text, party?.fiscalId?.text];
  return { name, fiscalId, invoices, total: totalOf(balance), overdue: overdueOf(balance), buckets };
}

function datedFigures(currency: string | undefined, figures: InvoiceFigures | undefined) {
  const tally = figures?.currencies.get(currency);
  if (figures === undefined || tally === undefined) return undefined;
  const { missing } = figures;
  const types = missing.months === undefined ? typesOf(tally) : undefined;
  return {
    inPeriod: types && totalOfTypes(types),
    documentsInPeriod: types?.reduce((sum, { documents }) => sum + documents, 0),
    creditNotesInPeriod: types && totalOfTypes(types.filter(({ type }) => familyOf(type) === 'credit note')),
    cancelledInPeriod: types && tally.cancelled,
    cancelledDocumentsInPeriod: types && tally.cancelledDocuments,
    byType: types,
    missing: types && tally.missing,
    months:
      types && Object.fromEntries([...tally.months].toSorted(([left], [right]) => (left < right ? -1 : 1))),
    dueSoon: missing.balances === undefined ? listOf(tally.dueSoon) : undefined,
    overdue: missing.balances === undefined ? listOf(tally.overdue) : undefined,
  };
}

function totalOfTypes(types: readonly TypeFigures[]): Decimal {
  return sumOf(types.map(({ total }) => total));
}

function listOf({ first, count, sum }: InvoiceList) {
  const invoices = first.map(({ number, party: { name, fiscalId }, due, amount }) => ({
    number,
    counterparty: (name ?? fiscalId)?.text,
    fiscalId: fiscalId?.text,
    due,
    amount,
  }));
  return { count, sum, first: invoices };
}

export function sumOf(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce(addDecimals, DECIMAL_ZERO);
}

export function taxIn(figures: DatedFigures | undefined): Decimal {
  return sumOf((figures?.byType ?? []).map(({ tax }) => tax));
}

/** The figures of the page as JSON: amounts are strings, days `2026-11-21`, months `2026-11`; null is unknown. */
export function figuresJson({ dates, caveats, complete, failures, organization }: ReportFigures): string {
  const { name, first, last } = dates.period;
  const missing = organization.missing.map(({ figure, part: direction, text, hint }) => ({
    figure,
    direction,
    reason: `${text}.`,
    hint,
  }));
  const report = {
    asOf: formatDay(dates.asOf),
    balancesOf: formatDay(dates.today),
    notes: caveats,
    period: { name, first: formatDay(first), last: formatDay(last) },
    complete,
    doubts: failures.map(({ part, text }) => `${part}: ${text}`),
    buckets: AGES,
    organizations: [{ ...organization, missing }],
  };
  const plain = (key: string, value: unknown): unknown => {
    if (key === 'due') return formatDay(value as number);
    const isAmount = typeof value === 'object' && value !== null && 'coefficient' in value;
    return isAmount ? formatDecimal(value as Decimal) : (value ?? null);
  };
  return `${JSON.stringify(report, plain, 2)}\n`;
}
