import { UsageError } from '../errors.ts';
import { parseCalendarDay } from '../json/calendar-day.ts';
import { CellReader, type Cell } from '../json/cells.ts';
import { addDecimals, compareDecimals, DECIMAL_ZERO, negateDecimal, type Decimal } from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';
import { Aging, DEFAULT_BUCKETS, type AgedBalance } from '../query/aging.ts';
import { amountOf } from '../query/amount.ts';
import { isCreditNote } from '../query/where/invoice-tests.ts';
import { FieldFinder, KNOWN_FIELDS, type KnownColumns } from '../query/known-columns.ts';
import { monthOf, type Period } from './period.ts';

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
  /** The same, of the period. */
  readonly inPeriod: Decimal;
  readonly documentsInPeriod: number;
  /** Due in the thirty days after `asOf`, the soonest first. */
  readonly dueSoon: InvoiceList;
  /** Due before `asOf`, the largest first. */
  readonly overdue: InvoiceList;
}

/** A figure that cannot be told, and why: two sentences. */
export interface MissingFigure {
  readonly figure: 'balances' | 'months' | 'dueSoon' | 'funds';
  readonly reason: string;
  readonly hint: string | undefined;
}

export interface DirectionFigures {
  readonly invoices: number;
  readonly currencies: readonly CurrencyFigures[];
  /** Who owes, or is owed, by age; empty where that is missing. */
  readonly balances: readonly AgedBalance[];
  /** The organization's own fiscal IDs, as its invoices have them; at most a few. */
  readonly ownFiscalIds: readonly string[];
  readonly missing: readonly MissingFigure[];
}

const DUE_SOON_DAYS = 30;
const MAX_LISTED = 50;
const MAX_OWN_IDS = 5;
const DOCUMENT_TYPE = 'documentType';
const NUMBER = 'number';

/** Gathers the figures of one organization's issued or received invoices, in memory that does not grow with them. */
export class InvoiceFigures {
  readonly #dates: ReportDates;
  readonly #aging: Aging;
  readonly #finder: FieldFinder;
  readonly #reader: CellReader;
  readonly #ownColumns: readonly string[];
  readonly #currencies = new Map<string | undefined, CurrencyTally>();
  readonly #ownFiscalIds = new Set<string>();
  #agingFault: UsageError | undefined;
  #totalsFault: UsageError | undefined;
  #invoices = 0;

  /** @param ownColumns the columns that may hold the organization's own fiscal ID, the likeliest first */
  constructor(fields: KnownColumns, ownColumns: readonly string[], dates: ReportDates) {
    this.#dates = dates;
    this.#ownColumns = ownColumns;
    const { asOf, today } = dates;
    this.#aging = new Aging({ fields, buckets: DEFAULT_BUCKETS, asOf, today });
    this.#finder = new FieldFinder(fields, KNOWN_FIELDS);
    this.#reader = new CellReader([...this.#finder.columns, DOCUMENT_TYPE, NUMBER, ...ownColumns]);
  }

  add(batch: RecordBatch): void {
    this.#agingFault ??= faultOf(() => this.#aging.add(batch));
    for (let index = 0; index < batch.count; index++) {
      this.#invoices++;
      const cells = this.#reader.read(batch, index);
      this.#totalsFault ??= faultOf(() => this.#addTotals(cells));
      this.#noteOwnFiscalId(cells);
    }
  }

  finish(): DirectionFigures {
    const missing: MissingFigure[] = [];
    let balances: AgedBalance[] = [];
    this.#agingFault ??= faultOf(() => (balances = this.#aging.finish()));
    if (this.#agingFault !== undefined) missing.push(missingFigure('balances', this.#agingFault));
    const lacks = (['total', 'date'] as const).find((field) => !this.#finder.has(field));
    if (this.#totalsFault !== undefined) missing.push(missingFigure('months', this.#totalsFault));
    else if (this.#invoices > 0 && lacks !== undefined) {
      const reason = `No invoice has a ${this.#finder.describe(lacks)}.`;
      missing.push({ figure: 'months', reason, hint: undefined });
    }
    return {
      invoices: this.#invoices,
      currencies: [...this.#currencies].map(([currency, tally]) => tally.figures(currency)),
      balances,
      ownFiscalIds: [...this.#ownFiscalIds],
      missing,
    };
  }

  #addTotals(cells: readonly (Cell | undefined)[]): void {
    const place = this.#invoices;
    const currency = this.#finder.find('currency', cells)?.text;
    const tally = this.#tallyOf(currency);
    const signed = (field: 'amount' | 'total'): Decimal | undefined => {
      const amount = amountOf(this.#finder.find(field, cells), {
        column: this.#finder.columnOf(field),
        place,
      });
      const turned = isCreditNote(cells[this.#finder.columns.length]) && (amount?.coefficient ?? 0n) > 0n;
      return amount && turned ? negateDecimal(amount) : amount;
    };
    const day = this.#dayOf('date', cells);
    const total = signed('total');
    if (day !== undefined && total !== undefined) tally.addIssued(day, total, this.#dates.period);
    const due = this.#dayOf('due', cells);
    const open = signed('amount');
    if (due === undefined || open === undefined || open.coefficient === 0n) return;
    if (day !== undefined && day > this.#dates.asOf) return;
    tally.addOpen(
      {
        number: cells[this.#finder.columns.length + 1]?.text,
        counterparty:
          this.#finder.find('counterpartyName', cells)?.text ??
          this.#finder.find('counterpartyFiscalId', cells)?.text,
        due,
        amount: open,
      },
      this.#dates.asOf,
    );
  }

  #dayOf(field: 'date' | 'due', cells: readonly (Cell | undefined)[]): number | undefined {
    const cell = this.#finder.find(field, cells);
    return cell && parseCalendarDay(cell.text);
  }

  #tallyOf(currency: string | undefined): CurrencyTally {
    const known = this.#currencies.get(currency);
    if (known !== undefined) return known;
    const tally = new CurrencyTally();
    this.#currencies.set(currency, tally);
    return tally;
  }

  #noteOwnFiscalId(cells: readonly (Cell | undefined)[]): void {
    if (this.#ownFiscalIds.size === MAX_OWN_IDS) return;
    const first = this.#finder.columns.length + 2;
    const at = this.#ownColumns.findIndex((_, index) => (cells[first + index]?.text ?? '') !== '');
    if (at >= 0) this.#ownFiscalIds.add(cells[first + at]!.text);
  }
}

class CurrencyTally {
  readonly #months = new Map<string, Decimal>();
  #inPeriod = DECIMAL_ZERO;
  #documentsInPeriod = 0;
  readonly #dueSoon = new LeadingInvoices((left, right) => left.due - right.due);
  readonly #overdue = new LeadingInvoices((left, right) => compareDecimals(right.amount, left.amount));

  addIssued(day: number, total: Decimal, period: Period): void {
    const { name } = monthOf(day);
    this.#months.set(name, addDecimals(this.#months.get(name) ?? DECIMAL_ZERO, total));
    if (day < period.first || day > period.last) return;
    this.#inPeriod = addDecimals(this.#inPeriod, total);
    this.#documentsInPeriod++;
  }

  addOpen(invoice: OpenInvoice, asOf: number): void {
    if (invoice.due < asOf) this.#overdue.add(invoice);
    else if (invoice.due <= asOf + DUE_SOON_DAYS) this.#dueSoon.add(invoice);
  }

  figures(currency: string | undefined): CurrencyFigures {
    return {
      currency,
      months: this.#months,
      inPeriod: this.#inPeriod,
      documentsInPeriod: this.#documentsInPeriod,
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

function missingFigure(figure: MissingFigure['figure'], { message, hint }: UsageError): MissingFigure {
  return { figure, reason: message, hint };
}
