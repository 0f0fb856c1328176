import { UsageError } from '../errors.ts';
import { failureIn, type Finding, type FindingDetails } from '../findings.ts';
import { firstFilled } from '../json/cells.ts';
import { addDecimals, compareDecimals, DECIMAL_ZERO, type Decimal } from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';
import { worthOf } from '../invoices/amounts.ts';
import type { Document } from '../invoices/document.ts';
import type { DocumentReader } from '../invoices/document-reader.ts';
import { OWN_ID_AND_NAME, type FieldsOf, type Role } from '../invoices/fields.ts';
import { dayIn, DEFAULT_BUCKETS } from '../invoices/open-items.ts';
import { monthOf, type Period } from '../invoices/periods.ts';
import type { Counterparties } from '../invoices/counterparties.ts';
import { Unreadable } from '../invoices/unreadable.ts';
import { Aging, type AgedBalance } from '../query/aging.ts';
import { PeriodTally, TYPE_ROLES, type PeriodFigures } from './period-figures.ts';

/** For which days figures are made. Days are counted since 1970-01-01. */
export interface ReportDates {
  readonly today: number;
  /** The day to which ages are counted: today, or the end of a period that is over. */
  readonly asOf: number;
  readonly period: Period;
}

/** What there is to say of records besides their day: nothing says when they were read, some are newer, or they are a part. */
export type RecordNote = 'undated' | 'newer' | 'part' | 'withoutCredits';

/** One open invoice, as a line of a list. */
interface OpenInvoice {
  readonly number: string | undefined;
  readonly counterparty: string | undefined;
  readonly fiscalId: string | undefined;
  readonly due: number;
  readonly amount: Decimal;
}

/** An open invoice as it is found: who its counterparty is, is known at the end. */
interface FoundInvoice extends Pick<OpenInvoice, 'number' | 'due' | 'amount'> {
  /** The key of the counterparty. */
  readonly party: string;
}

/** The first of a list of open invoices that may be long, and the count and sum of all. */
export interface InvoiceList {
  readonly first: readonly OpenInvoice[];
  readonly count: number;
  readonly sum: Decimal;
}

/** The figures of invoices in one currency; undefined is the currency of invoices that name none. */
export interface CurrencyFigures {
  readonly currency: string | undefined;
  /** All documents that are in sums, whatever their date. */
  readonly documents: number;
  /** By the name of the month, such as `2026-11`: totals of what was issued in it, credit notes taken away. */
  readonly months: ReadonlyMap<string, Decimal>;
  /** The same of the period, with its parts and other amounts. */
  readonly period: PeriodFigures;
  /** Documents without a total or a date of issue, which are in no month. */
  readonly missing: number;
  /** Due in the thirty days after `asOf`, the soonest first. */
  readonly dueSoon: InvoiceList;
  /** Due before `asOf`, the largest first. */
  readonly overdue: InvoiceList;
}

/** A figure that cannot be told, and why: two sentences. */
export interface MissingFigure {
  readonly figure: 'balances' | 'months' | 'funds';
  readonly reason: string;
  readonly hint: string | undefined;
  /** Why, as values. */
  readonly details?: FindingDetails | undefined;
  /** Whether nobody asked for what it would be made of. */
  readonly isNotGiven?: boolean;
}

export interface DirectionFigures {
  readonly invoices: number;
  readonly currencies: readonly CurrencyFigures[];
  /** Who owes, or is owed, by age; empty where that is missing. */
  readonly balances: readonly AgedBalance[];
  /** The organization's own fiscal IDs, as its invoices have them; at most a few. */
  readonly ownFiscalIds: readonly string[];
  /** What most of its invoices call the organization. */
  readonly ownName: string | undefined;
  /** Delivery guides, quotes, orders and void documents of the period, which are in no sum. */
  readonly inNoSum: number;
  readonly missing: readonly MissingFigure[];
  /** Why not every document is in the figures. */
  readonly failure: Finding | undefined;
}

const DUE_SOON_DAYS = 30;
const MAX_LISTED = 50;
/** Of an organization's own fiscal IDs, and of its names. */
const MAX_OWN = 5;

/** What figures are made of. */
interface InvoiceFiguresOptions {
  readonly fields: FieldsOf;
  readonly listing: 'issued' | 'received';
  readonly dates: ReportDates;
}

/** Gathers the figures of one organization's issued or received invoices, in memory that does not grow with them. */
export class InvoiceFigures {
  readonly #dates: ReportDates;
  readonly #aging: Aging;
  readonly #own: OwnNames;
  readonly #currencies = new Map<string | undefined, CurrencyTally>();
  readonly #unreadable = new Unreadable();
  #inNoSum = 0;

  constructor({ fields, listing, dates }: InvoiceFiguresOptions) {
    this.#dates = dates;
    const { asOf, today } = dates;
    this.#own = new OwnNames(listing);
    const besides = { roles: TYPE_ROLES, names: this.#own.columns };
    this.#aging = new Aging({ fields, buckets: DEFAULT_BUCKETS, asOf, today, besides });
  }

  add(batch: RecordBatch): void {
    const { documents } = this.#aging;
    this.#aging.add(batch, undefined, (item, balance, party) => {
      if (balance !== undefined && item.kind === 'open' && item.due !== undefined) {
        const { due, amount } = item;
        this.#tally().addOpen({ number: documents.text('number'), party, due, amount }, this.#dates.asOf);
      }
      this.#addTotals();
      this.#own.add(documents, 0);
    });
  }

  finish(): DirectionFigures {
    const { documents } = this.#aging;
    const missing: MissingFigure[] = [];
    let balances: AgedBalance[] = [];
    try {
      balances = this.#aging.finish();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const { message: reason, hint, details } = error;
      missing.push({ figure: 'balances', reason, hint, details });
    }
    const role = (['total', 'date'] as const).find((one) => !documents.has(one));
    if (documents.records > 0 && role !== undefined)
      missing.push(figureWithout('months', role, documents, 'invoice'));
    return {
      invoices: documents.records,
      currencies: [...this.#currencies.values()].map((tally) => tally.figures(this.#aging.parties)),
      balances,
      ownFiscalIds: [...this.#own.fiscalIds.keys()],
      ownName: mostOften(this.#own.names),
      inNoSum: this.#inNoSum,
      missing,
      failure: failureIn([
        this.#aging.unreadable.finding('open amounts'),
        this.#unreadable.finding('months'),
      ]),
    };
  }

  /** The total in the month of issue, and what the period is told by. What is in no sum is in no month. */
  #addTotals(): void {
    const { documents } = this.#aging;
    const { period } = this.#dates;
    const day = dayIn(documents, 'date');
    const isInPeriod = typeof day === 'number' && day >= period.first && day <= period.last;
    if (!documents.isInSums) {
      if (isInPeriod) this.#inNoSum++;
      return;
    }
    if (day === 'unreadable') {
      this.#unreadable.noteRole(documents, 'date');
      return;
    }
    this.#tally().documents++;
    const total = worthOf(documents, 'total');
    if (total === 'unreadable') this.#unreadable.noteRole(documents, 'total');
    else if (typeof total === 'string' || day === undefined) this.#tally().missing++;
    else this.#tally().addIssued(day, total.amount);
    const unreadable = isInPeriod ? this.#tally().period.add(documents) : undefined;
    if (unreadable !== undefined) this.#unreadable.noteRole(documents, unreadable);
  }

  /** The tally of the document's currency. */
  #tally(): CurrencyTally {
    const { currency } = this.#aging.documents;
    const known = this.#currencies.get(currency);
    if (known !== undefined) return known;
    const tally = new CurrencyTally(currency);
    this.#currencies.set(currency, tally);
    return tally;
  }
}

/** A figure that cannot be told, since no record has a column of the role. */
export function figureWithout(
  figure: MissingFigure['figure'],
  role: Role,
  documents: DocumentReader,
  what: string,
): MissingFigure {
  const details = { code: 'column missing', role, columns: documents.columnsOf(role) } as const;
  return { figure, reason: `No ${what} has ${documents.describe(role)}.`, hint: undefined, details };
}

/** What the invoices of a listing call the organization itself: at most a few of each, and how many invoices do. */
export class OwnNames {
  readonly columns: readonly string[];
  readonly fiscalIds = new Map<string, number>();
  readonly names = new Map<string, number>();
  readonly #ids: number;

  constructor(listing: 'issued' | 'received') {
    const { fiscalId, name } = OWN_ID_AND_NAME[listing];
    this.#ids = fiscalId.length;
    this.columns = [...fiscalId, ...name];
  }

  /** Adds a document, whose names from the index `from` on are `columns`. */
  add(document: Document, from: number): void {
    const [middle, end] = [from + this.#ids, from + this.columns.length];
    countText(this.fiscalIds, firstFilled(document.namedCells(from, middle))?.text);
    countText(this.names, firstFilled(document.namedCells(middle, end))?.text);
  }
}

/** The text that was counted most often; undefined where there is none. */
export function mostOften(counts: ReadonlyMap<string, number>): string | undefined {
  return [...counts].toSorted(([, left], [, right]) => right - left)[0]?.[0];
}

function countText(counts: Map<string, number>, text: string | undefined): void {
  const count = text === undefined ? undefined : counts.get(text);
  if (text === undefined || (count === undefined && counts.size === MAX_OWN)) return;
  counts.set(text, (count ?? 0) + 1);
}

/** The figures of one currency, as they grow. */
class CurrencyTally {
  readonly currency: string | undefined;
  readonly months = new Map<string, Decimal>();
  readonly period = new PeriodTally();
  documents = 0;
  missing = 0;
  readonly dueSoon = new LeadingInvoices((left, right) => left.due - right.due);
  readonly overdue = new LeadingInvoices((left, right) => compareDecimals(right.amount, left.amount));

  constructor(currency: string | undefined) {
    this.currency = currency;
  }

  addIssued(day: number, total: Decimal): void {
    const { name } = monthOf(day);
    this.months.set(name, addDecimals(this.months.get(name) ?? DECIMAL_ZERO, total));
  }

  addOpen(invoice: FoundInvoice, asOf: number): void {
    if (invoice.due < asOf) this.overdue.add(invoice);
    else if (invoice.due <= asOf + DUE_SOON_DAYS) this.dueSoon.add(invoice);
  }

  /** @param parties who the counterparties are */
  figures(parties: Counterparties): CurrencyFigures {
    const [dueSoon, overdue] = [this.dueSoon.list(parties), this.overdue.list(parties)];
    return { ...this, period: this.period.figures, dueSoon, overdue };
  }
}

/** Keeps the first of many invoices in some order, and counts and sums all of them. */
class LeadingInvoices {
  readonly first: FoundInvoice[] = [];
  count = 0;
  sum = DECIMAL_ZERO;
  readonly #order: (left: FoundInvoice, right: FoundInvoice) => number;

  constructor(order: (left: FoundInvoice, right: FoundInvoice) => number) {
    this.#order = order;
  }

  list(parties: Counterparties): InvoiceList {
    const first = this.first.map(({ party, number, due, amount }): OpenInvoice => {
      const { name, fiscalId } = parties.named(party)!;
      return { number, counterparty: (name ?? fiscalId)?.text, fiscalId: fiscalId?.text, due, amount };
    });
    return { first, count: this.count, sum: this.sum };
  }

  add(invoice: FoundInvoice): void {
    this.count++;
    this.sum = addDecimals(this.sum, invoice.amount);
    const at = this.first.findIndex((other) => this.#order(invoice, other) < 0);
    if (at === -1 && this.first.length === MAX_LISTED) return;
    this.first.splice(at === -1 ? this.first.length : at, 0, invoice);
    if (this.first.length > MAX_LISTED) this.first.pop();
  }
}
