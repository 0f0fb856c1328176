import type { Finding } from '../findings.ts';
import { firstFilled } from '../json/cells.ts';
import { addDecimals, compareDecimals, DECIMAL_ZERO, negateDecimal, type Decimal } from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';
import { readAmount } from '../invoices/open-items.ts';
import { DocumentReader } from '../invoices/document-reader.ts';
import type { FieldsOf } from '../invoices/fields.ts';
import { foldFiscalId } from '../invoices/fiscal-ids.ts';
import { Unreadable } from '../invoices/left-out.ts';
import { overdueOf, sumOfBalances, totalOf, type AgedBalance } from '../query/aging.ts';
import { compareOrders } from '../query/cell-order.ts';
import {
  columnMissing,
  type DirectionFigures,
  type FiguresMissing,
  type RecordNote,
  type ReportDates,
} from './invoice-figures.ts';

export type OpenFigures = ReturnType<typeof openFigures>;

export type CurrencySection = ReturnType<typeof sectionOf>;

interface Fund {
  readonly name: string | undefined;
  readonly number: string | undefined;
  readonly status: string | undefined;
  readonly currency: string | undefined;
  readonly amount: Decimal | undefined;
  readonly balance: Decimal;
}

export type OrganizationFigures = Readonly<ReturnType<typeof organizationFigures>>;

export type ListingName = 'issued' | 'received' | 'funds';

/** What was found about a listing. */
export interface ListingFinding extends Finding {
  readonly part: ListingName;
}

export interface MissingFigure extends ListingFinding {
  readonly figure: 'balances' | 'months' | 'funds';
}

export interface ReportFigures {
  readonly dates: ReportDates;
  readonly caveats: readonly RecordNote[];
  /** Whether every listing was read whole; else the failures say why not. */
  readonly complete: boolean;
  readonly failures: readonly ListingFinding[];
  readonly organization: OrganizationFigures;
}

interface OrganizationListings {
  readonly profile: string | undefined;
  readonly organization: string | undefined;
  /** The figures of each listing; undefined where there are none. */
  readonly issued: DirectionFigures | undefined;
  readonly received: DirectionFigures | undefined;
  readonly funds: ReturnType<FundTally['finish']> | undefined;
  /** Why there are none. */
  readonly reasonFor: (listing: ListingName) => Finding;
}

/** The figures that are missing where a listing could not be read. */
const FIGURES_OF = {
  issued: ['balances', 'months'],
  received: ['balances', 'months'],
  funds: ['funds'],
} as const satisfies Record<ListingName, readonly MissingFigure['figure'][]>;

export function organizationFigures(listings: OrganizationListings) {
  const { profile, organization, issued, received, funds, reasonFor } = listings;
  const ids = [...(issued?.ownFiscalIds ?? []), ...(received?.ownFiscalIds ?? [])];
  const folded = ids.map(foldFiscalId);
  const missing = (['issued', 'received', 'funds'] as const).flatMap((part) =>
    FIGURES_OF[part].flatMap((figure): MissingFigure[] => {
      const reason = listings[part] === undefined ? reasonFor(part) : listings[part].missing[figure];
      return reason === undefined ? [] : [{ ...reason, figure, part }];
    }),
  );
  const has = (wanted: ListingName, name: MissingFigure['figure']): boolean =>
    !missing.some(({ part, figure }) => part === wanted && figure === name);
  return {
    /** The profile's name; undefined where the token is not that of a profile. */
    profile,
    /** The organization's name or number in the token, if the token has one. */
    organization,
    name: issued?.ownName ?? received?.ownName,
    /** Each in the first of its spellings. */
    fiscalIds: ids.filter((_, at) => folded.indexOf(folded[at]!) === at),
    currencies: currenciesOf(issued, received).map((currency) => sectionOf(currency, issued, received)),
    /** The funds with a balance that is not zero, the first few hundred. */
    funds: funds?.first ?? [],
    fundCount: funds?.count ?? 0,
    /** Documents of the period that are in no sum: delivery guides, quotes, orders, what is void. */
    inNoSum: { issued: issued?.inNoSum ?? 0, received: received?.inNoSum ?? 0 },
    missing,
    /** Which figures are there: where one is missing, its amounts are zeros that nobody may take for an answer. */
    known: {
      issued: { balances: has('issued', 'balances'), months: has('issued', 'months') },
      received: { balances: has('received', 'balances'), months: has('received', 'months') },
      funds: has('funds', 'funds'),
    },
  };
}

/** All currencies, those of most documents first, equal ones by name; invoices without one come last. */
function currenciesOf(...directions: readonly (DirectionFigures | undefined)[]): (string | undefined)[] {
  const documents = new Map<string | undefined, number>();
  for (const { balances, currencies } of directions.flatMap((one) => one ?? [])) {
    for (const { currency } of balances) documents.set(currency, documents.get(currency) ?? 0);
    for (const { currency, documents: count } of currencies)
      documents.set(currency, (documents.get(currency) ?? 0) + count);
  }
  const most = (left: string | undefined, right: string | undefined): number =>
    left === undefined || right === undefined ? 0 : documents.get(right)! - documents.get(left)!;
  return [...documents.keys()].toSorted((left, right) => most(left, right) || compareOrders(left, right));
}

function sectionOf(
  currency: string | undefined,
  issued: DirectionFigures | undefined,
  received: DirectionFigures | undefined,
) {
  const [receivable, payable] = [openFigures(currency, issued), openFigures(currency, received)];
  return {
    currency,
    receivable,
    payable,
    net: addDecimals(receivable.open, negateDecimal(payable.open)),
    issued: issued?.currencies.find((one) => one.currency === currency),
    received: received?.currencies.find((one) => one.currency === currency),
  };
}

const MAX_PARTIES = 10;

function openFigures(currency: string | undefined, direction: DirectionFigures | undefined) {
  const own = (direction?.balances ?? []).filter((balance) => balance.currency === currency);
  const sum = own.length === 0 ? undefined : sumOfBalances(own);
  const {
    creditNotes = DECIMAL_ZERO,
    cancelled = DECIMAL_ZERO,
    missing = 0,
  }: Partial<AgedBalance> = sum ?? {};
  const parties = own.filter((balance) => balance.invoices > 0).map(partyOf);
  return {
    open: sum === undefined ? DECIMAL_ZERO : totalOf(sum),
    overdue: sum === undefined ? DECIMAL_ZERO : overdueOf(sum),
    invoices: sum?.invoices ?? 0,
    /** Not due, then by age as the buckets of `folio aging`; then what has no due date, and last the credits. */
    buckets: sum?.ages ?? [],
    creditNotes,
    /** What is left out because it was cancelled, with its sign. */
    cancelled,
    missing,
    /** Who owes, or is owed, most: the largest first. */
    counterparties: parties
      .toSorted((left, right) => compareDecimals(right.total, left.total))
      .slice(0, MAX_PARTIES),
    counterpartyCount: parties.length,
  };
}

function partyOf(balance: AgedBalance) {
  const { name, fiscalId, invoices, ages: buckets } = balance;
  return { name, fiscalId, invoices, total: totalOf(balance), overdue: overdueOf(balance), buckets };
}

const MAX_FUNDS = 300;
const FUND_ROLES = ['number', 'status', 'currency', 'total', 'balance'] as const;
const FUND_NAMES = ['name', 'title', 'description'];

export class FundTally {
  readonly #fund: DocumentReader;
  readonly #unreadable = new Unreadable();
  readonly #first: Fund[] = [];
  #count = 0;

  constructor(fields: FieldsOf) {
    this.#fund = new DocumentReader({ fields }, { roles: FUND_ROLES, names: [...FUND_NAMES, 'id'] });
  }

  add(batch: RecordBatch): void {
    this.#fund.fold(batch, () => this.#addFund());
  }

  finish() {
    const isMissing = this.#fund.records > 0 && !this.#fund.hasColumnOf('balance');
    return {
      first: this.#first as readonly Fund[],
      count: this.#count,
      missing: (isMissing ? { funds: columnMissing('balance', this.#fund, 'fund') } : {}) as FiguresMissing,
      findings: [this.#unreadable.finding('funds')],
    };
  }

  #addFund(): void {
    const fund = this.#fund;
    const balance = readAmount(fund.cell('balance'));
    if (balance === 'unreadable') this.#unreadable.noteRole(fund, 'balance');
    if (typeof balance === 'string' || balance.coefficient === 0n || this.#count++ >= MAX_FUNDS) return;
    const amount = readAmount(fund.cell('total'));
    this.#first.push({
      name: firstFilled(fund.namedCells(0, FUND_NAMES.length))?.text,
      number: fund.text('number') ?? fund.named(FUND_NAMES.length)?.text,
      status: fund.text('status'),
      currency: fund.currency,
      amount: typeof amount === 'string' ? undefined : amount,
      balance,
    });
  }
}
