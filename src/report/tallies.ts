import { findingOf, UsageError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import type { Party } from '../invoices/counterparties.ts';
import { DocumentReader } from '../invoices/document-reader.ts';
import { familyOf, type Family } from '../invoices/document-types.ts';
import { OWN_ID_AND_NAME, type FieldsOf, type Role } from '../invoices/fields.ts';
import { Unreadable } from '../invoices/left-out.ts';
import { DEFAULT_BUCKETS, dayIn, readAmount, worthOf } from '../invoices/open-items.ts';
import { monthOf, type Period } from '../invoices/periods.ts';
import { firstFilled } from '../json/cells.ts';
import { addDecimals, compareDecimals, DECIMAL_ZERO, type Decimal } from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';
import { Aging, type AgedBalance } from '../query/aging.ts';

/** The days of a report, counted since 1970-01-01. */
export interface ReportDates {
  readonly today: number;
  /** The day to which ages are counted: today, or the end of a period that is over. */
  readonly asOf: number;
  readonly period: Period;
}

export type FigureName = 'balances' | 'months' | 'funds';
/** Why figures of a listing are missing. */
type Reasons = Partial<Record<FigureName, Finding>>;

/** The amounts of the tables by type, in the order of their columns. */
export const TYPE_ROLES = ['exempt', 'net', 'tax', 'total'] as const;
type TypeRole = (typeof TYPE_ROLES)[number];

/** Documents of one type, dated in the period. Each amount is that of `--sum`. */
export interface TypeFigures extends Record<TypeRole, Decimal> {
  /** As it was sent; undefined where documents name none. */
  readonly type: string | undefined;
  documents: number;
  readonly missing: Record<TypeRole, number>;
}

export type InvoiceFigures = ReturnType<InvoiceTally['finish']>;
export type CurrencyTally = ReturnType<typeof newTally>;

const DUE_SOON_DAYS = 30;

/** Gathers the figures of one organization's issued or received invoices, in memory that does not grow with them. */
export class InvoiceTally {
  readonly #dates: ReportDates;
  readonly #aging: Aging;
  readonly #own: OwnNames;
  readonly #currencies = new Map<string | undefined, CurrencyTally>();
  readonly #unreadable = new Unreadable();
  #inNoSum = 0;

  constructor(fields: FieldsOf, listing: 'issued' | 'received', dates: ReportDates) {
    this.#dates = dates;
    const { asOf, today } = dates;
    this.#own = new OwnNames(listing);
    const alsoReads = { roles: TYPE_ROLES, names: this.#own.columns };
    this.#aging = new Aging({ fields, buckets: DEFAULT_BUCKETS, asOf, today, alsoReads });
  }

  add(batch: RecordBatch): void {
    const { documents } = this.#aging;
    const { asOf } = this.#dates;
    this.#aging.add(batch, (item, balance, party) => {
      if (balance !== undefined && item.kind === 'open' && item.due !== undefined) {
        const { due, amount } = item;
        const list = due < asOf ? 'overdue' : due <= asOf + DUE_SOON_DAYS ? 'dueSoon' : undefined;
        const invoice = { number: documents.text('number'), party, due, amount };
        if (list !== undefined) this.#tally()[list].add(invoice);
      }
      this.#addTotals();
      this.#own.add(documents);
    });
  }

  finish() {
    const { documents } = this.#aging;
    const missing: Reasons = {};
    let balances: readonly AgedBalance[] | undefined;
    try {
      balances = this.#aging.finish();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      missing.balances = findingOf(error);
    }
    const role = (['total', 'date', 'currency'] as const).find((one) => !documents.hasColumnOf(one));
    if (documents.records > 0 && role !== undefined)
      missing.months = columnMissing(role, documents, 'invoice');
    return {
      currencies: this.#currencies as ReadonlyMap<string | undefined, CurrencyTally>,
      /** The balances by age; undefined if they are missing. */
      balances,
      ownFiscalIds: this.#own.fiscalIds,
      ownName: this.#own.name,
      /** Delivery guides, quotes, orders and void documents of the period. */
      inNoSum: this.#inNoSum,
      missing,
      findings: [this.#aging.unreadable.finding('open amounts'), this.#unreadable.finding('months')],
    };
  }

  /** Adds the document to the month of its date, and to the period, unless it is in no sum. */
  #addTotals(): void {
    const { documents } = this.#aging;
    const { first, last } = this.#dates.period;
    const day = dayIn(documents, 'date');
    const isInPeriod = typeof day === 'number' && day >= first && day <= last;
    if (!documents.isInSums) {
      if (isInPeriod) this.#inNoSum++;
      return;
    }
    if (day === 'unreadable') return this.#unreadable.noteRole(documents, 'date');
    const tally = this.#tally();
    tally.documents++;
    const total = worthOf(documents, 'total');
    if (total === 'unreadable') this.#unreadable.noteRole(documents, 'total');
    else if (typeof total === 'string' || day === undefined) tally.missing++;
    else {
      const { name } = monthOf(day);
      tally.months.set(name, addDecimals(tally.months.get(name) ?? DECIMAL_ZERO, total.amount));
    }
    const unreadable = isInPeriod ? addToPeriod(tally, documents) : undefined;
    if (unreadable !== undefined) this.#unreadable.noteRole(documents, unreadable);
  }

  #tally(): CurrencyTally {
    const { currency } = this.#aging.documents;
    let tally = this.#currencies.get(currency);
    if (tally === undefined) this.#currencies.set(currency, (tally = newTally()));
    return tally;
  }
}

/** The figures of invoices in one currency, or of those without a currency. */
function newTally() {
  return {
    /** How many documents are in sums, whatever their date. */
    documents: 0,
    /** Documents without a total or a date of issue, which are in no month. */
    missing: 0,
    /** By the name of the month, such as `2026-11`: the totals by date of issue, less credit notes. */
    months: new Map<string, Decimal>(),
    /** Due in the thirty days after `asOf`, the soonest first. */
    dueSoon: new InvoiceList((left, right) => left.due - right.due),
    /** Due before `asOf`, the largest first. */
    overdue: new InvoiceList((left, right) => compareDecimals(right.amount, left.amount)),
    /** Of the period, as is all below: how many documents are cancelled, and what their totals are. */
    cancelledDocuments: 0,
    cancelled: DECIMAL_ZERO,
    types: new Map<string | undefined, TypeFigures>(),
  };
}

/** Adds a document of the period. Returns the first of its amounts that cannot be read, which is not in the sums. */
function addToPeriod(tally: CurrencyTally, document: DocumentReader): TypeRole | undefined {
  const type = document.text('documentType');
  const [exempt, net, tax, total] = [DECIMAL_ZERO, DECIMAL_ZERO, DECIMAL_ZERO, DECIMAL_ZERO];
  const missing = { exempt: 0, net: 0, tax: 0, total: 0 };
  const figures = tally.types.get(type) ?? { type, documents: 0, exempt, net, tax, total, missing };
  tally.types.set(type, figures);
  figures.documents++;
  if (document.validity === 'cancelled') tally.cancelledDocuments++;
  let unreadable: TypeRole | undefined;
  for (const role of TYPE_ROLES) {
    const worth = worthOf(document, role);
    if (worth === 'unreadable') unreadable ??= role;
    else if (typeof worth === 'string') figures.missing[role]++;
    else {
      figures[role] = addDecimals(figures[role], worth.amount);
      if (role === 'total') tally.cancelled = addDecimals(tally.cancelled, worth.cancelled);
    }
  }
  return unreadable;
}

const FAMILY_ORDER: readonly Family[] = [
  'invoice',
  'receipt',
  'fee note',
  'debit note',
  'import declaration',
  'unknown',
  'credit note',
];

/** Invoices first, then other documents, and last credit notes. */
export function typesOf({ types }: CurrencyTally): readonly Readonly<TypeFigures>[] {
  const rank = ({ type }: TypeFigures): number => FAMILY_ORDER.indexOf(familyOf(type));
  return [...types.values()].toSorted((left, right) => rank(left) - rank(right));
}

interface OpenInvoice {
  readonly number: string | undefined;
  /** Its name is final once all documents were read. */
  readonly party: Party;
  readonly due: number;
  readonly amount: Decimal;
}

const MAX_LISTED = 50;

/** The first of many open invoices in some order, and the count and sum of all. */
export class InvoiceList {
  count = 0;
  sum = DECIMAL_ZERO;
  #first: OpenInvoice[] = [];
  readonly #order: (left: OpenInvoice, right: OpenInvoice) => number;

  constructor(order: (left: OpenInvoice, right: OpenInvoice) => number) {
    this.#order = order;
  }

  add(invoice: OpenInvoice): void {
    this.count++;
    this.sum = addDecimals(this.sum, invoice.amount);
    this.#first.push(invoice);
    if (this.#first.length === 2 * MAX_LISTED) this.#first = this.first;
  }

  get first(): OpenInvoice[] {
    return this.#first.toSorted(this.#order).slice(0, MAX_LISTED);
  }
}

/** The most different fiscal IDs, and different names, that are counted for an organization. */
const MAX_OWN = 5;

/** The organization's own fiscal IDs and names in the invoices of a listing. */
export class OwnNames {
  readonly columns: readonly string[];
  readonly #ids: number;
  readonly #fiscalIds = new Map<string, number>();
  readonly #names = new Map<string, number>();

  constructor(listing: 'issued' | 'received') {
    const { fiscalId, name } = OWN_ID_AND_NAME[listing];
    this.#ids = fiscalId.length;
    this.columns = [...fiscalId, ...name];
  }

  /** Adds a document, whose names begin with `columns`. */
  add(document: DocumentReader): void {
    countText(this.#fiscalIds, firstFilled(document.namedCells(0, this.#ids))?.text);
    countText(this.#names, firstFilled(document.namedCells(this.#ids, this.columns.length))?.text);
  }

  get fiscalIds(): readonly string[] {
    return [...this.#fiscalIds.keys()];
  }

  get name(): string | undefined {
    return [...this.#names].toSorted(([, left], [, right]) => right - left)[0]?.[0];
  }
}

function countText(counts: Map<string, number>, text: string | undefined): void {
  const count = text === undefined ? undefined : counts.get(text);
  if (text !== undefined && (count !== undefined || counts.size < MAX_OWN))
    counts.set(text, (count ?? 0) + 1);
}

const MAX_FUNDS = 300;
const FUND_ROLES = ['number', 'status', 'currency', 'total', 'balance'] as const;
const FUND_NAMES = ['name', 'title', 'description'];

interface Fund {
  readonly name: string | undefined;
  readonly number: string | undefined;
  readonly status: string | undefined;
  readonly currency: string | undefined;
  readonly amount: Decimal | undefined;
  readonly balance: Decimal;
}

/** The funds with a balance that is not zero: the first few hundred, and how many there are. */
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
    const missing: Reasons = {};
    if (this.#fund.records > 0 && !this.#fund.hasColumnOf('balance'))
      missing.funds = columnMissing('balance', this.#fund, 'fund');
    const first: readonly Fund[] = this.#first;
    return { first, count: this.#count, missing, findings: [this.#unreadable.finding('funds')] };
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

function columnMissing(role: Role, documents: DocumentReader, what: string): Finding {
  const { text, ...rest } = documents.noneHas(role, what);
  return { level: 'failure', text: `N${text.slice(1)}`, ...rest };
}
