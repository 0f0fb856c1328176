import { UsageError } from '../errors.ts';
import { Counted } from '../invoices/counted.ts';
import { DocumentReader, type PlaceOf } from '../invoices/document-reader.ts';
import type { FieldsOf, Role } from '../invoices/fields.ts';
import {
  bucketOf,
  dayIn,
  OPEN_ITEM_ROLES,
  openItemOf,
  type Buckets,
  type OpenItem,
} from '../invoices/open-items.ts';
import { Counterparties } from '../invoices/counterparties.ts';
import { Unreadable } from '../invoices/unreadable.ts';
import { addDecimals, DECIMAL_ZERO, type Decimal } from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';

/** How open amounts are aged. */
export interface AgingOptions {
  readonly fields: FieldsOf;
  readonly buckets: Buckets;
  /** The day to which overdue days are counted, in days since 1970-01-01. */
  readonly asOf: number;
  /** Today: the service tells the balances of today. Where `asOf` is earlier, invoices issued after it are left out. */
  readonly today: number;
  /** What is read, in messages: `document of 1-9`. */
  readonly record?: string | undefined;
  /** Whether open amounts without a currency are told apart by counterparty, too. */
  readonly apart?: boolean;
  /** What is read of each document besides, for whoever is handed it. */
  readonly besides?: { readonly roles: readonly Role[]; readonly names: readonly string[] };
}

/** The open amounts of a counterparty in one currency; or those of all whose invoices lack a currency. */
export interface AgedBalance {
  /** Undefined for open amounts without a currency. */
  readonly currency: string | undefined;
  /** The profile whose invoices these are, where there are several. */
  readonly profile: string | undefined;
  /** `noCurrency` stands for all invoices that lack it, of any counterparty unless they are told apart. */
  readonly kind: 'counterparty' | 'noCurrency';
  /** Equal for the balances of one counterparty in several currencies; empty for that of any counterparty. */
  readonly key: string;
  /** Undefined where the invoices have no name, and for the balance of any counterparty. Final at the end, like the fiscal ID. */
  name: string | undefined;
  fiscalId: string | undefined;
  /** How many documents are open, credits among them. */
  invoices: number;
  /** What is not due, a sum for each bucket, what has no due date, and the credits, which are zero or less and have no age. */
  readonly ages: Decimal[];
  /** The part of the credits that is credit notes. */
  creditNotes: Decimal;
  /** What is left out because it was cancelled, with its sign. */
  cancelled: Decimal;
  /** Documents without an open amount. */
  missing: number;
}

const MAX_BALANCES = 100_000;

/**
 * Is handed every document once it is added, which is shown by `Aging.documents`.
 *
 * @param balance in which it counts, or from which it is left out as cancelled; undefined where it has no open amount, or was
 *   issued after `asOf`
 * @param party the key of its counterparty
 */
type EachDocument = (item: OpenItem, balance: AgedBalance | undefined, party: string) => void;

/** Sorts open amounts by how long they are overdue, for each counterparty and currency, exactly. */
export class Aging {
  readonly documents: DocumentReader;
  readonly parties: Counterparties;
  /** How many open invoices were left out because they were issued after `asOf`. */
  issuedLater = 0;
  /** The documents that are left out because they cannot be read. */
  readonly unreadable = new Unreadable();
  /** How many these are of each counterparty, by its key; where they are told apart. */
  readonly unreadableOf = new Map<string, number>();
  readonly counted = new Counted();
  readonly #options: AgingOptions;
  readonly #balances = new Map<string, AgedBalance>();
  /** Open items of each kind so far. */
  readonly #open = { open: 0, credit: 0 };

  constructor(options: AgingOptions) {
    const { fields, besides: { roles = [], names = [] } = {} } = options;
    this.#options = options;
    const own = [...OPEN_ITEM_ROLES, 'date', 'currency', 'counterpartyName', 'counterpartyFiscalId'] as const;
    this.documents = new DocumentReader({ fields }, { roles: [...own, ...roles], names });
    this.parties = new Counterparties({ fields });
  }

  /** Learns from records before a filter keeps some of them. */
  sample(batch: RecordBatch): void {
    this.documents.sample(batch);
    this.parties.sample(batch);
  }

  /**
   * Adds records.
   *
   * @param placeOf the place in the listing, from 1, of the nth record that is added
   */
  add(batch: RecordBatch, placeOf?: PlaceOf, each?: EachDocument): void {
    const addDocument = (): void => {
      const item = openItemOf(this.documents);
      const { key } = this.parties.of(this.documents);
      const balance = this.#addItem(item, key);
      const isCancelled = item.kind === 'cancelled';
      const isThere = balance !== undefined;
      this.counted.add(this.documents, { sum: isThere && !isCancelled, cancelled: isThere && isCancelled });
      each?.(item, balance, key);
    };
    this.documents.fold(batch, addDocument, placeOf);
  }

  /** The balances in order of first appearance. Throws UsageError where no record has one of the columns at all. */
  finish(): AgedBalance[] {
    const { open, credit } = this.#open;
    const wanted: Role[] = this.documents.records > 0 ? ['open'] : [];
    if (open > 0) wanted.push('due');
    if (open > 0 && this.#isPast) wanted.push('date');
    if (open + credit > 0) {
      wanted.push('currency');
      // A counterparty is known by its name or by its fiscal ID: one of them is enough.
      if (!this.documents.hasColumnOf('counterpartyFiscalId')) wanted.push('counterpartyName');
    }
    this.documents.refuseWithout(wanted, 'no figures', this.#options.record);
    for (const balance of this.#balances.values()) {
      const party = this.parties.named(balance.key);
      [balance.name, balance.fiscalId] = [party?.name?.text, party?.fiscalId?.text];
    }
    return [...this.#balances.values()];
  }

  /** The balance in which an item counts, or from which it is left out; undefined where it has no open amount there. */
  #addItem(item: OpenItem, key: string): AgedBalance | undefined {
    const { kind } = item;
    if (kind === 'settled') return undefined;
    if (kind === 'unreadable') {
      this.unreadable.noteRole(this.documents, item.role);
      if (this.#options.apart) this.unreadableOf.set(key, (this.unreadableOf.get(key) ?? 0) + 1);
      return undefined;
    }
    const isOpen = kind === 'open' || kind === 'credit';
    if (isOpen) this.#open[kind]++;
    if (this.#isIssuedLater()) {
      if (isOpen) this.issuedLater++;
      return undefined;
    }
    const balance = this.#balance(key);
    if (kind === 'absent') {
      balance.missing++;
      return undefined;
    }
    const { amount } = item;
    if (kind === 'cancelled') {
      balance.cancelled = addDecimals(balance.cancelled, amount);
      return balance;
    }
    balance.invoices++;
    const { buckets, asOf } = this.#options;
    const undated = buckets.length + 2;
    const age =
      kind === 'credit' ? undated + 1 : item.due === undefined ? undated : bucketOf(buckets, asOf - item.due);
    balance.ages[age] = addDecimals(balance.ages[age]!, amount);
    if (kind === 'credit' && this.documents.family === 'credit note')
      balance.creditNotes = addDecimals(balance.creditNotes, amount);
    return balance;
  }

  #isIssuedLater(): boolean {
    if (!this.#isPast) return false;
    const day = dayIn(this.documents, 'date');
    return typeof day === 'number' && day > this.#options.asOf;
  }

  get #isPast(): boolean {
    return this.#options.asOf < this.#options.today;
  }

  /** The balance of the document's counterparty. */
  #balance(party: string): AgedBalance {
    const { profile, currency } = this.documents;
    const isKnown = currency !== undefined;
    const key = isKnown || this.#options.apart ? party : '';
    const place = `${currency ?? ''}\n${profile ?? ''}\n${key}`;
    const known = this.#balances.get(place);
    if (known !== undefined) return known;
    if (this.#balances.size === MAX_BALANCES) refuseMore();
    const balance: AgedBalance = {
      kind: isKnown ? 'counterparty' : 'noCurrency',
      key,
      currency,
      profile,
      ...{ name: undefined, fiscalId: undefined },
      invoices: 0,
      ages: Array.from({ length: this.#options.buckets.length + 4 }, () => DECIMAL_ZERO),
      creditNotes: DECIMAL_ZERO,
      cancelled: DECIMAL_ZERO,
      missing: 0,
    };
    this.#balances.set(place, balance);
    return balance;
  }
}

function refuseMore(): never {
  throw new UsageError(`more than ${MAX_BALANCES.toLocaleString('en')} counterparties have open amounts`, {
    hint: 'The column of the fiscal ID may be the wrong one. To read another, add --field counterpartyFiscalId=<column>.',
  });
}

/** Everything that is open: the sum of the buckets, of what has no due date, and of the credits. */
export function totalOf({ ages }: AgedBalance): Decimal {
  return ages.reduce(addDecimals, DECIMAL_ZERO);
}

/** The parts of that sum, in this order. */
export function agesOf({ ages }: AgedBalance): readonly Decimal[] {
  return ages;
}

/** The part of a balance that is past due. Credits are not. */
export function overdueOf({ ages }: AgedBalance): Decimal {
  return ages.slice(1, -2).reduce(addDecimals, DECIMAL_ZERO);
}

/** The sum of balances of one currency, as a balance of that name. There is at least one. */
export function sumOfBalances(balances: readonly AgedBalance[], name: string): AgedBalance {
  const sum = balances.reduce((all, one) => ({
    ...all,
    invoices: all.invoices + one.invoices,
    ages: all.ages.map((amount, age) => addDecimals(amount, one.ages[age]!)),
    creditNotes: addDecimals(all.creditNotes, one.creditNotes),
    cancelled: addDecimals(all.cancelled, one.cancelled),
    missing: all.missing + one.missing,
  }));
  return { ...sum, kind: 'counterparty', key: '', profile: undefined, name, fiscalId: undefined };
}
