import { findingOf, UsageError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import { firstFilled } from '../json/cells.ts';
import { addDecimals, compareDecimals, DECIMAL_ZERO, type Decimal } from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';
import { DEFAULT_BUCKETS, dayIn, worthOf } from '../invoices/open-items.ts';
import type { Party } from '../invoices/counterparties.ts';
import type { Document } from '../invoices/document.ts';
import type { DocumentReader } from '../invoices/document-reader.ts';
import type { Family } from '../invoices/document-types.ts';
import { howToMap, OWN_ID_AND_NAME, type FieldsOf, type Role } from '../invoices/fields.ts';
import { monthOf, type Period } from '../invoices/periods.ts';
import { Unreadable } from '../invoices/left-out.ts';
import { Aging, type AgedBalance } from '../query/aging.ts';

/** For which days figures are made. Days are counted since 1970-01-01. */
export interface ReportDates {
  readonly today: number;
  /** The day to which ages are counted: today, or the end of a period that is over. */
  readonly asOf: number;
  readonly period: Period;
}

/**
 * What a reader has to know of records: when they were read is unknown, some are newer than others, flags left some out, the credits
 * are not among them, or only what is overdue is.
 */
export type RecordNote = 'undated' | 'newer' | 'part' | 'withoutCredits' | 'onlyOverdue';

interface OpenInvoice {
  readonly number: string | undefined;
  /** Its name is final once all documents were read. */
  readonly party: Party;
  readonly due: number;
  readonly amount: Decimal;
}

/** The amounts of the tables by type, in the order of their columns. */
export const TYPE_ROLES = ['exempt', 'net', 'tax', 'total'] as const;
type TypeRole = (typeof TYPE_ROLES)[number];

/** Documents dated in the period, of one type or of all. Each amount is that of `--sum`. */
interface TypeFigures {
  /** As it was sent; undefined where documents name none. `REST` stands for the types that have no row of their own. */
  readonly type: string | typeof REST | undefined;
  documents: number;
  readonly amounts: Record<TypeRole, Decimal>;
  readonly missing: Record<TypeRole, number>;
}
export const REST: unique symbol = Symbol('other types');

/** Figures that are missing, each with the reason. */
export type FiguresMissing = Readonly<Partial<Record<'balances' | 'months' | 'funds', Finding>>>;

export type DirectionFigures = ReturnType<InvoiceFigures['finish']>;

const DUE_SOON_DAYS = 30;

/** Gathers the figures of one organization's issued or received invoices, in memory that does not grow with them. */
export class InvoiceFigures {
  readonly #dates: ReportDates;
  readonly #aging: Aging;
  readonly #own: OwnNames;
  readonly #currencies = new Map<string | undefined, CurrencyFigures>();
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
    const { documents, parties } = this.#aging;
    const { asOf } = this.#dates;
    this.#aging.add(batch, undefined, (item, balance, party) => {
      if (balance !== undefined && item.kind === 'open' && item.due !== undefined) {
        const { due, amount } = item;
        const list = due < asOf ? 'overdue' : due <= asOf + DUE_SOON_DAYS ? 'dueSoon' : undefined;
        const invoice = { number: documents.text('number'), party: parties.ofKey(party)!, due, amount };
        if (list !== undefined) this.#tally()[list].add(invoice);
      }
      this.#addTotals();
      this.#own.add(documents);
    });
  }

  finish() {
    const { documents } = this.#aging;
    let missing: FiguresMissing = {};
    let balances: readonly AgedBalance[] = [];
    try {
      balances = this.#aging.finish();
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      missing = { balances: findingOf(error) };
    }
    const role = (['total', 'date', 'currency'] as const).find((one) => !documents.hasColumnOf(one));
    if (documents.records > 0 && role !== undefined)
      missing = { ...missing, months: columnMissing(role, documents, 'invoice') };
    return {
      currencies: [...this.#currencies.values()] as readonly CurrencyFigures[],
      /** Who owes, or is owed, by age; empty where that is missing. */
      balances,
      ownFiscalIds: this.#own.fiscalIds,
      ownName: this.#own.name,
      /** Delivery guides, quotes, orders and void documents of the period. */
      inNoSum: this.#inNoSum,
      missing,
      findings: [this.#aging.unreadable.finding('open amounts'), this.#unreadable.finding('months')],
    };
  }

  /** Adds the document to the month of its date, and to the period. What is in no sum is in neither. */
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
    const unreadable = isInPeriod ? tally.addToPeriod(documents) : undefined;
    if (unreadable !== undefined) this.#unreadable.noteRole(documents, unreadable);
  }

  #tally(): CurrencyFigures {
    const { currency } = this.#aging.documents;
    let tally = this.#currencies.get(currency);
    if (tally === undefined) this.#currencies.set(currency, (tally = new CurrencyFigures(currency)));
    return tally;
  }
}

export function columnMissing(role: Role, documents: DocumentReader, what: string): Finding {
  const details = { code: 'column missing', role, columns: documents.columnsOf(role) } as const;
  const text = `No ${what} has ${documents.describe(role)}`;
  return { level: 'failure', text, hint: howToMap(role), details };
}

/** Different fiscal IDs, and different names, of an organization that are counted. */
const MAX_OWN = 5;

/** What the invoices of a listing call the organization itself. */
export class OwnNames {
  readonly columns: readonly string[];
  readonly #ids: number;
  readonly #counts = { fiscalIds: new Map<string, number>(), names: new Map<string, number>() };

  constructor(listing: 'issued' | 'received') {
    const { fiscalId, name } = OWN_ID_AND_NAME[listing];
    this.#ids = fiscalId.length;
    this.columns = [...fiscalId, ...name];
  }

  /** Adds a document, whose names begin with `columns`. */
  add(document: Document): void {
    const { fiscalIds, names } = this.#counts;
    countText(fiscalIds, firstFilled(document.namedCells(0, this.#ids))?.text);
    countText(names, firstFilled(document.namedCells(this.#ids, this.columns.length))?.text);
  }

  get fiscalIds(): readonly string[] {
    return [...this.#counts.fiscalIds.keys()];
  }

  get name(): string | undefined {
    return [...this.#counts.names].toSorted(([, left], [, right]) => right - left)[0]?.[0];
  }
}

function countText(counts: Map<string, number>, text: string | undefined): void {
  const count = text === undefined ? undefined : counts.get(text);
  if (text !== undefined && (count !== undefined || counts.size < MAX_OWN))
    counts.set(text, (count ?? 0) + 1);
}

const MAX_TYPES = 40;
const FAMILY_ORDER: readonly Family[] = [
  'invoice',
  'receipt',
  'fee note',
  'debit note',
  'import declaration',
  'unknown',
  'credit note',
];

/** The figures of invoices in one currency; undefined is the currency of invoices that name none. */
export class CurrencyFigures {
  readonly currency: string | undefined;
  /** How many documents are in sums, whatever their date. */
  documents = 0;
  /** Documents without a total or a date of issue, which are in no month. */
  missing = 0;
  /** By the name of the month, such as `2026-11`: totals of what was issued in it, credit notes taken away. */
  readonly months = new Map<string, Decimal>();
  /** Due in the thirty days after `asOf`, the soonest first. */
  readonly dueSoon = new InvoiceList((left, right) => left.due - right.due);
  /** Due before `asOf`, the largest first. */
  readonly overdue = new InvoiceList((left, right) => compareDecimals(right.amount, left.amount));
  /** Of the period, as is all below. */
  readonly all = newTypeTally(undefined);
  /** The part of the total that is credit notes. */
  creditNotes = DECIMAL_ZERO;
  readonly cancelled = { documents: 0, total: DECIMAL_ZERO };
  readonly #types = new Map<TypeFigures['type'], TypeFigures & { readonly family: Family }>();

  constructor(currency: string | undefined) {
    this.currency = currency;
  }

  /** Invoices first, then other documents, then credit notes. */
  get types(): readonly Readonly<TypeFigures>[] {
    const rank = ({ type, family }: { type: unknown; family: Family }): number =>
      type === REST ? FAMILY_ORDER.length : FAMILY_ORDER.indexOf(family);
    return [...this.#types.values()].toSorted((left, right) => rank(left) - rank(right));
  }

  /** Adds a document of the period. Returns the first of its amounts that cannot be read, which is not in the sums. */
  addToPeriod(document: Document): TypeRole | undefined {
    const { family } = document;
    const named = document.text('documentType');
    const type = this.#types.has(named) || this.#types.size < MAX_TYPES ? named : REST;
    const ofType = this.#types.get(type) ?? { ...newTypeTally(type), family };
    this.#types.set(type, ofType);
    const tallies = [this.all, ofType];
    for (const tally of tallies) tally.documents++;
    let unreadable: TypeRole | undefined;
    let total = DECIMAL_ZERO;
    for (const role of TYPE_ROLES) {
      const worth = worthOf(document, role);
      if (worth === 'unreadable') unreadable ??= role;
      else if (typeof worth === 'string') for (const { missing } of tallies) missing[role]++;
      else {
        if (role === 'total') total = worth.amount;
        for (const { amounts } of tallies) amounts[role] = addDecimals(amounts[role], worth.amount);
      }
    }
    if (family === 'credit note') this.creditNotes = addDecimals(this.creditNotes, total);
    if (document.validity === 'cancelled') {
      this.cancelled.documents++;
      this.cancelled.total = addDecimals(this.cancelled.total, total);
    }
    return unreadable;
  }
}

function newTypeTally(type: TypeFigures['type']): TypeFigures {
  return {
    type,
    documents: 0,
    amounts: { exempt: DECIMAL_ZERO, net: DECIMAL_ZERO, tax: DECIMAL_ZERO, total: DECIMAL_ZERO },
    missing: { exempt: 0, net: 0, tax: 0, total: 0 },
  };
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
