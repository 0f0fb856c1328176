import { UsageError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import { CellReader, type Cell } from '../json/cells.ts';
import { addDecimals, DECIMAL_ZERO, type Decimal } from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';
import { Counted } from '../invoices/counted.ts';
import { type FieldsOf, type Role } from '../invoices/fields.ts';
import { InvoiceReader, type Invoice } from '../invoices/invoice.ts';
import {
  bucketOf,
  dayIn,
  OPEN_ITEM_ROLES,
  openItemOf,
  type Buckets,
  type OpenItem,
} from '../invoices/open-items.ts';
import { Unreadable } from '../invoices/unreadable.ts';
import { ColumnWatch } from './column-watch.ts';
import type { PlaceOf } from './questions.ts';

/** How open amounts are aged. */
export interface AgingOptions {
  readonly fields: FieldsOf;
  readonly buckets: Buckets;
  /** The day to which overdue days are counted, in days since 1970-01-01. */
  readonly asOf: number;
  /** Today: the service tells the balances of today. Where `asOf` is earlier, invoices issued after it are left out. */
  readonly today: number;
  /** Whether open amounts without a currency are told apart by counterparty, too. */
  readonly apart?: boolean;
  /** What is read of each document besides, for whoever is handed it: roles, and columns by their own names. */
  readonly besides?: { readonly roles: readonly Role[]; readonly columns: readonly string[] };
}

/** A counterparty, which owes or is owed; or all whose invoices lack a currency. */
interface Party {
  /** Undefined for open amounts without a currency. */
  readonly currency: string | undefined;
  /** The profile whose invoices these are, where there are several. */
  readonly profile: string | undefined;
  /** `noCurrency` stands for all invoices that lack it, of any counterparty unless they are told apart. */
  readonly kind: 'counterparty' | 'noCurrency';
  /** Equal for the balances of one counterparty in several currencies; empty for that of any counterparty. */
  readonly key: string;
  /** Undefined where the invoices have no name, and for the balance of any counterparty. */
  name: string | undefined;
  readonly fiscalId: string | undefined;
}

/** The open amounts of a party in one currency. */
export interface AgedBalance extends Party {
  /** How many documents are open, credits among them. */
  invoices: number;
  /** First what is not due, then a sum for each bucket. */
  readonly amounts: Decimal[];
  /** Open amounts without a due date, which are in no bucket. */
  undated: Decimal;
  /** What reduces the debt: zero or less. It is not aged. */
  credits: Decimal;
  /** The part of the credits that is credit notes. */
  creditNotes: Decimal;
  /** What is left out because it was cancelled, with its sign. */
  cancelled: Decimal;
  /** Documents without an open amount. */
  missing: number;
}

const MAX_BALANCES = 100_000;

/** A document, and what it is among those that are open. */
export interface AgedDocument {
  readonly invoice: Invoice;
  /** Its number in the listing, from 1. */
  readonly place: number;
  /** The cells of the columns that were asked for besides. */
  readonly cells: readonly (Cell | undefined)[];
  readonly item: OpenItem;
  /** In which it counts, or from which it is left out as cancelled; undefined where it has no open amount, or was issued after `asOf`. */
  readonly balance: AgedBalance | undefined;
}

/** Sorts open amounts by how long they are overdue, for each counterparty and currency, exactly. */
export class Aging {
  /** How many open invoices were left out because they were issued after `asOf`. */
  issuedLater = 0;
  /** Knows which roles no record had. */
  readonly invoices: InvoiceReader;
  readonly #options: AgingOptions;
  readonly #reader: CellReader;
  readonly #balances = new Map<string, AgedBalance>();
  readonly #unreadable = new Unreadable();
  readonly #unreadableOf = new Map<string, number>();
  readonly #counted = new Counted();
  readonly #columns = new ColumnWatch([]);
  #records = 0;
  /** Open items of each kind so far. */
  readonly #open = { open: 0, credit: 0 };

  constructor(options: AgingOptions) {
    const { fields, besides: { roles = [], columns = [] } = {} } = options;
    this.#options = options;
    this.invoices = new InvoiceReader(fields, [
      ...OPEN_ITEM_ROLES,
      'date',
      'currency',
      'counterpartyName',
      'counterpartyFiscalId',
      ...roles,
    ]);
    this.#reader = new CellReader([...this.invoices.columns, ...columns]);
  }

  /** Learns which columns there are, also from records that are not added. */
  sample(batch: RecordBatch): void {
    this.#columns.sample(batch);
  }

  /**
   * Adds records.
   *
   * @param placeOf the place in the listing, from 1, of the nth record that is added
   * @param each is handed every document once it is added
   */
  add(batch: RecordBatch, placeOf: PlaceOf = (nth) => nth, each?: (document: AgedDocument) => void): void {
    const own = this.invoices.columns.length;
    this.#columns.sample(batch);
    for (let index = 0; index < batch.count; index++) {
      const cells = this.#reader.read(batch, index);
      const invoice = this.invoices.read(cells);
      const place = placeOf(++this.#records);
      const item = openItemOf(invoice);
      const balance = this.#addItem(item, invoice, place);
      const isCancelled = item.kind === 'cancelled';
      this.#counted.add(invoice, {
        sum: balance !== undefined && !isCancelled,
        cancelled: balance !== undefined && isCancelled,
      });
      each?.({ invoice, place, cells: cells.slice(own), item, balance });
    }
  }

  /** The balances in order of first appearance. Throws UsageError where no record has one of the columns at all. */
  finish(): AgedBalance[] {
    const { open, credit } = this.#open;
    const wanted: Role[] = this.#records > 0 ? ['open'] : [];
    if (open > 0) wanted.push('due');
    if (open > 0 && this.#isPast) wanted.push('date');
    if (open + credit > 0) wanted.push('currency');
    // A counterparty is known by its name or by its fiscal ID: one of them is enough.
    const isThere = (name: string): boolean => this.#columns.has(name);
    const hasIds =
      this.invoices.has('counterpartyFiscalId') ||
      this.invoices.columnsOf('counterpartyFiscalId').some(isThere);
    if (open + credit > 0 && !hasIds) wanted.push('counterpartyName');
    this.invoices.refuseWithout(wanted, 'no figures', isThere);
    return [...this.#balances.values()];
  }

  /** What is left out of the figures, a failure where there is any. */
  finding(what: string): Finding {
    return this.#unreadable.finding(what);
  }

  /** How many documents are left out because they cannot be read. */
  get unreadable(): number {
    return this.#unreadable.count;
  }

  /** How many documents of each counterparty, by its key, are left out because they cannot be read; where they are told apart. */
  get unreadableOf(): ReadonlyMap<string, number> {
    return this.#unreadableOf;
  }

  /** What was treated in a way of its own, a clause for each kind. */
  clauses(): string[] {
    return this.#counted.clauses('open');
  }

  /** The balance in which an item counts, or from which it is left out; undefined where it has no open amount there. */
  #addItem(item: OpenItem, invoice: Invoice, place: number): AgedBalance | undefined {
    const { kind } = item;
    if (kind === 'settled') return undefined;
    if (kind === 'unreadable') {
      this.#unreadable.noteRole(invoice, item.role, place);
      if (this.#options.apart) {
        const { counterpartyKey: key } = invoice;
        this.#unreadableOf.set(key, (this.#unreadableOf.get(key) ?? 0) + 1);
      }
      return undefined;
    }
    const isOpen = kind === 'open' || kind === 'credit';
    if (isOpen) this.#open[kind]++;
    if (this.#isIssuedLater(invoice)) {
      if (isOpen) this.issuedLater++;
      return undefined;
    }
    const balance = this.#balanceOf(invoice);
    if (kind === 'absent') {
      balance.missing++;
      return undefined;
    }
    if (kind === 'cancelled') {
      balance.cancelled = addDecimals(balance.cancelled, item.amount);
      return balance;
    }
    balance.invoices++;
    this.#addAmount(balance, item, invoice);
    return balance;
  }

  #addAmount(
    balance: AgedBalance,
    item: Extract<OpenItem, { kind: 'open' | 'credit' }>,
    invoice: Invoice,
  ): void {
    const { amount } = item;
    if (item.kind === 'credit') {
      balance.credits = addDecimals(balance.credits, amount);
      if (invoice.family === 'credit note') balance.creditNotes = addDecimals(balance.creditNotes, amount);
    } else if (item.due === undefined) {
      balance.undated = addDecimals(balance.undated, amount);
    } else {
      const bucket = bucketOf(this.#options.buckets, this.#options.asOf - item.due);
      balance.amounts[bucket] = addDecimals(balance.amounts[bucket]!, amount);
    }
  }

  #isIssuedLater(invoice: Invoice): boolean {
    if (!this.#isPast) return false;
    const day = dayIn(invoice, 'date');
    return typeof day === 'number' && day > this.#options.asOf;
  }

  get #isPast(): boolean {
    return this.#options.asOf < this.#options.today;
  }

  #balanceOf(invoice: Invoice): AgedBalance {
    const { profile, counterparty, currency } = invoice;
    const isKnown = currency !== undefined;
    const isApart = isKnown || this.#options.apart === true;
    const key = isApart ? invoice.counterpartyKey : '';
    const place = JSON.stringify([currency, profile, key]);
    const known = this.#balances.get(place);
    if (known !== undefined) {
      if (isApart) known.name ??= counterparty.name;
      return known;
    }
    if (this.#balances.size === MAX_BALANCES) this.#refuseMore();
    const kind = isKnown ? 'counterparty' : 'noCurrency';
    const whose = isApart ? counterparty : { name: undefined, fiscalId: undefined };
    const party: Party = { kind, key, currency, profile, ...whose };
    const balance = { ...party, ...emptyBalance(this.#options.buckets.length + 2) };
    this.#balances.set(place, balance);
    return balance;
  }

  #refuseMore(): never {
    throw new UsageError(`more than ${MAX_BALANCES.toLocaleString('en')} counterparties have open amounts`, {
      hint: 'The column of the fiscal ID may be the wrong one. To read another, add --field counterpartyFiscalId=<column>.',
    });
  }
}

function emptyBalance(buckets: number): Omit<AgedBalance, keyof Party> {
  return {
    invoices: 0,
    amounts: Array.from({ length: buckets }, () => DECIMAL_ZERO),
    undated: DECIMAL_ZERO,
    credits: DECIMAL_ZERO,
    creditNotes: DECIMAL_ZERO,
    cancelled: DECIMAL_ZERO,
    missing: 0,
  };
}

/** Everything that is open: the sum of the buckets, of what has no due date, and of the credits. */
export function totalOf(balance: AgedBalance): Decimal {
  return agesOf(balance).reduce(addDecimals, DECIMAL_ZERO);
}

/** The parts of that sum, in this order. */
export function agesOf({ amounts, undated, credits }: AgedBalance): readonly Decimal[] {
  return [...amounts, undated, credits];
}

/** The part of a balance that is past due. Credits are not. */
export function overdueOf({ amounts }: AgedBalance): Decimal {
  return amounts.slice(1).reduce(addDecimals, DECIMAL_ZERO);
}

/** The sum of balances of one currency, as a balance of that name. */
export function sumOfBalances(balances: readonly AgedBalance[], name: string): AgedBalance {
  const [first] = balances as readonly [AgedBalance];
  const add = (of: (balance: AgedBalance) => Decimal): Decimal =>
    balances.map(of).reduce(addDecimals, DECIMAL_ZERO);
  const count = (of: (balance: AgedBalance) => number): number =>
    balances.reduce((sum, one) => sum + of(one), 0);
  return {
    ...{
      kind: 'counterparty',
      key: '',
      currency: first.currency,
      profile: undefined,
      name,
      fiscalId: undefined,
    },
    invoices: count(({ invoices }) => invoices),
    amounts: first.amounts.map((_, index) => add(({ amounts }) => amounts[index]!)),
    undated: add(({ undated }) => undated),
    credits: add(({ credits }) => credits),
    creditNotes: add(({ creditNotes }) => creditNotes),
    cancelled: add(({ cancelled }) => cancelled),
    missing: count(({ missing }) => missing),
  };
}
