import { UsageError } from '../errors.ts';
import { failureIn, type Finding, type FindingDetails } from '../findings.ts';
import { firstFilled, type Cell } from '../json/cells.ts';
import { addDecimals, compareDecimals, DECIMAL_ZERO, type Decimal } from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';
import { worthOf } from '../invoices/amounts.ts';
import { ownIdColumns, ownNameColumns, type FieldsOf } from '../invoices/fields.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { dayIn, DEFAULT_BUCKETS } from '../invoices/open-items.ts';
import { monthOf, type Period } from '../invoices/periods.ts';
import { Unreadable } from '../invoices/unreadable.ts';
import { Aging, type AgedBalance, type AgedDocument } from '../query/aging.ts';
import { PeriodTally, TYPE_ROLES, type PeriodFigures } from './period-figures.ts';

/** For which days figures are made. Days are counted since 1970-01-01. */
export interface ReportDates {
  readonly today: number;
  /** The day to which ages are counted: today, or the end of a period that is over. */
  readonly asOf: number;
  readonly period: Period;
}

/** One open invoice, as a line of a list. */
interface OpenInvoice {
  readonly number: string | undefined;
  readonly counterparty: string | undefined;
  readonly fiscalId: string | undefined;
  readonly due: number;
  readonly amount: Decimal;
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
  /** The columns that may hold the organization's own fiscal ID, and its name, the likeliest first. */
  readonly #ownColumns: { readonly fiscalId: readonly string[]; readonly name: readonly string[] };
  readonly #currencies = new Map<string | undefined, CurrencyTally>();
  readonly #ownFiscalIds = new Map<string, number>();
  readonly #ownNames = new Map<string, number>();
  readonly #unreadable = new Unreadable();
  #count = 0;
  #inNoSum = 0;

  constructor({ fields, listing, dates }: InvoiceFiguresOptions) {
    this.#dates = dates;
    this.#ownColumns = { fiscalId: ownIdColumns(listing), name: ownNameColumns(listing) };
    const { asOf, today } = dates;
    const columns = [...this.#ownColumns.fiscalId, ...this.#ownColumns.name];
    const besides = { roles: TYPE_ROLES, columns };
    this.#aging = new Aging({ fields, buckets: DEFAULT_BUCKETS, asOf, today, besides });
  }

  add(batch: RecordBatch): void {
    this.#aging.add(batch, undefined, (document) => {
      this.#count++;
      this.#addOpen(document);
      this.#addTotals(document);
      this.#noteOwn(document.cells);
    });
  }

  finish(): DirectionFigures {
    const missing: MissingFigure[] = [];
    let balances: AgedBalance[] = [];
    const fault = faultOf(() => (balances = this.#aging.finish()));
    if (fault !== undefined) missing.push(missingFigure('balances', fault));
    const role = (['total', 'date'] as const).find((one) => !this.#aging.invoices.has(one));
    if (this.#count > 0 && role !== undefined) {
      const reason = `No invoice has ${this.#aging.invoices.describe(role)}.`;
      const columns = this.#aging.invoices.columnsOf(role);
      missing.push({
        figure: 'months',
        reason,
        hint: undefined,
        details: { code: 'column missing', role, columns },
      });
    }
    return {
      invoices: this.#count,
      currencies: [...this.#currencies].map(([currency, tally]) => tally.figures(currency)),
      balances,
      ownFiscalIds: [...this.#ownFiscalIds.keys()],
      ownName: [...this.#ownNames].toSorted(([, left], [, right]) => right - left)[0]?.[0],
      inNoSum: this.#inNoSum,
      missing,
      failure: failureIn([this.#aging.finding('open amounts'), this.#unreadable.finding('months')]),
    };
  }

  /** The total in the month of issue, and what the period is told by. What is in no sum is in no month. */
  #addTotals({ invoice, place }: AgedDocument): void {
    const { period } = this.#dates;
    const day = dayIn(invoice, 'date');
    const isInPeriod = typeof day === 'number' && day >= period.first && day <= period.last;
    if (!invoice.isInSums) {
      if (isInPeriod) this.#inNoSum++;
      return;
    }
    if (day === 'unreadable') {
      this.#unreadable.noteRole(invoice, 'date', place);
      return;
    }
    const worth = worthOf(invoice, { role: 'total', cell: invoice.cell('total') });
    if (worth.kind === 'unreadable') this.#unreadable.noteRole(invoice, 'total', place);
    else if (worth.kind !== 'amount' || day === undefined) this.#tallyOf(invoice).addMissing();
    else this.#tallyOf(invoice).addIssued(day, worth.amount);
    if (!isInPeriod) return;
    const unreadable = this.#tallyOf(invoice).period.add(invoice);
    if (unreadable !== undefined) this.#unreadable.noteRole(invoice, unreadable, place);
  }

  #addOpen({ item, invoice, balance }: AgedDocument): void {
    if (balance === undefined || item.kind !== 'open' || item.due === undefined) return;
    const { name, fiscalId } = invoice.counterparty;
    const { due, amount } = item;
    const open = {
      number: invoice.cell('number')?.text,
      counterparty: name ?? fiscalId,
      fiscalId,
      due,
      amount,
    };
    this.#tallyOf(invoice).addOpen(open, this.#dates.asOf);
  }

  #tallyOf({ currency }: Invoice): CurrencyTally {
    const known = this.#currencies.get(currency);
    if (known !== undefined) return known;
    const tally = new CurrencyTally();
    this.#currencies.set(currency, tally);
    return tally;
  }

  #noteOwn(cells: readonly (Cell | undefined)[]): void {
    const { fiscalId } = this.#ownColumns;
    countFirst(this.#ownFiscalIds, cells.slice(0, fiscalId.length));
    countFirst(this.#ownNames, cells.slice(fiscalId.length));
  }
}

/** Counts the text of the first cell that has one, in a map of a few texts. */
function countFirst(counts: Map<string, number>, cells: readonly (Cell | undefined)[]): void {
  const text = firstFilled(cells)?.text;
  if (text === undefined) return;
  const count = counts.get(text);
  if (count === undefined && counts.size === MAX_OWN) return;
  counts.set(text, (count ?? 0) + 1);
}

class CurrencyTally {
  readonly #months = new Map<string, Decimal>();
  readonly period = new PeriodTally();
  #missing = 0;
  readonly #dueSoon = new LeadingInvoices((left, right) => left.due - right.due);
  readonly #overdue = new LeadingInvoices((left, right) => compareDecimals(right.amount, left.amount));

  addMissing(): void {
    this.#missing++;
  }

  addIssued(day: number, total: Decimal): void {
    const { name } = monthOf(day);
    this.#months.set(name, addDecimals(this.#months.get(name) ?? DECIMAL_ZERO, total));
  }

  addOpen(invoice: OpenInvoice, asOf: number): void {
    if (invoice.due < asOf) this.#overdue.add(invoice);
    else if (invoice.due <= asOf + DUE_SOON_DAYS) this.#dueSoon.add(invoice);
  }

  figures(currency: string | undefined): CurrencyFigures {
    return {
      currency,
      months: this.#months,
      period: this.period.figures,
      missing: this.#missing,
      dueSoon: this.#dueSoon.list,
      overdue: this.#overdue.list,
    };
  }
}

/** Keeps the first of many invoices in some order, and counts and sums all of them. */
class LeadingInvoices {
  readonly #order: (left: OpenInvoice, right: OpenInvoice) => number;
  readonly #first: OpenInvoice[] = [];
  #count = 0;
  #sum = DECIMAL_ZERO;

  constructor(order: (left: OpenInvoice, right: OpenInvoice) => number) {
    this.#order = order;
  }

  add(invoice: OpenInvoice): void {
    this.#count++;
    this.#sum = addDecimals(this.#sum, invoice.amount);
    const last = this.#first.at(-1);
    if (last !== undefined && this.#first.length === MAX_LISTED && this.#order(last, invoice) <= 0) return;
    const at = this.#first.findIndex((other) => this.#order(invoice, other) < 0);
    this.#first.splice(at === -1 ? this.#first.length : at, 0, invoice);
    if (this.#first.length > MAX_LISTED) this.#first.pop();
  }

  get list(): InvoiceList {
    return { first: this.#first, count: this.#count, sum: this.#sum };
  }
}

/** The UsageError that the work ends in, if it does: why a figure is missing. Any other error is thrown on. */
function faultOf(work: () => unknown): UsageError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

function missingFigure(figure: MissingFigure['figure'], fault: UsageError): MissingFigure {
  const { message: reason, hint, details } = fault;
  return { figure, reason, hint, details };
}
