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

/** How open amounts are aged. Days are counted since 1970-01-01. */
export interface AgingOptions {
  readonly fields: FieldsOf;
  readonly buckets: Buckets;
  /** The day to which overdue days are counted. */
  readonly asOf: number;
  /** The day of the balances. Where `asOf` is earlier, invoices issued after it are left out. */
  readonly today: number;
  /** Whether open amounts without a currency are kept apart by counterparty, too. */
  readonly apart?: boolean;
  /** What else is read of each document, for `EachDocument`. */
  readonly besides?: { readonly roles: readonly Role[]; readonly names: readonly string[] };
  /** What is read, in messages: `document of 1-9`. */
  readonly record?: string | undefined;
}

/** The open amounts of a counterparty in one currency; or those of all whose invoices have no currency. */
export interface AgedBalance {
  /** Undefined for open amounts without a currency. */
  readonly currency: string | undefined;
  /** The profile whose invoices these are, where there are several. */
  readonly profile: string | undefined;
  /** `noCurrency` is for all invoices without one, of any counterparty unless they are kept apart. */
  readonly kind: 'counterparty' | 'noCurrency';
  /** Equal for the balances of one counterparty in several currencies; empty for that of any counterparty. */
  readonly key: string;
  /** Undefined where the invoices have none, and for the balance of any counterparty. Final at the end, like the fiscal ID. */
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
 * Gets every document once it is added, while `Aging.documents` shows it.
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
  /** Documents that are left out. */
  readonly unreadable = new Unreadable();
  /** Their number by the key of the counterparty; where counterparties are kept apart. */
  readonly unreadableOf = new Map<string, number>();
  readonly counted = new Counted();
  readonly #options: AgingOptions;
  readonly #balances = new Map<string, AgedBalance>();
  readonly #items = { open: 0, credit: 0 };

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

  /** @param placeOf the place in the listing, from 1, of the nth record that is added */
  add(batch: RecordBatch, placeOf?: PlaceOf, each?: EachDocument): void {
    const addDocument = (): void => {
      const item = openItemOf(this.documents);
      const { key } = this.parties.of(this.documents);
      const balance = this.#addItem(item, key);
      const isCancelled = item.kind === 'cancelled';
      const isAdded = balance !== undefined;
      this.counted.add(this.documents, { sum: isAdded && !isCancelled, cancelled: isAdded && isCancelled });
      each?.(item, balance, key);
    };
    this.documents.fold(batch, addDocument, placeOf);
  }

  /** The balances in order of first appearance. Throws UsageError where no record has one of the columns at all. */
  finish(): AgedBalance[] {
    const { open, credit } = this.#items;
    const wanted: Role[] = this.documents.records > 0 ? ['open'] : [];
    if (open > 0) wanted.push('due');
    if (open > 0 && this.#isPast) wanted.push('date');
    if (open + credit > 0) {
      wanted.push('currency');
      // The name or the fiscal ID of a counterparty is enough.
      if (!this.documents.hasColumnOf('counterpartyFiscalId')) wanted.push('counterpartyName');
    }
    this.documents.refuseWithout(wanted, 'no figures', this.#options.record);
    for (const balance of this.#balances.values()) {
      const party = this.parties.named(balance.key);
      [balance.name, balance.fiscalId] = [party?.name?.text, party?.fiscalId?.text];
    }
    return [...this.#balances.values()];
  }

  #addItem(item: OpenItem, key: string): AgedBalance | undefined {
    const { kind } = item;
    const { buckets, asOf, apart = false } = this.#options;
    if (kind === 'settled') return undefined;
    if (kind === 'unreadable') {
      this.unreadable.noteRole(this.documents, item.role);
      if (apart) this.unreadableOf.set(key, (this.unreadableOf.get(key) ?? 0) + 1);
      return undefined;
    }
    const isOpen = kind === 'open' || kind === 'credit';
    if (isOpen) this.#items[kind]++;
    const issued = this.#isPast ? dayIn(this.documents, 'date') : undefined;
    if (typeof issued === 'number' && issued > asOf) {
      if (isOpen) this.issuedLater++;
      return undefined;
    }
    const balance = this.#balanceOf(key);
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
    const undated = buckets.length + 2;
    const age =
      kind === 'credit' ? undated + 1 : item.due === undefined ? undated : bucketOf(buckets, asOf - item.due);
    balance.ages[age] = addDecimals(balance.ages[age]!, amount);
    if (kind === 'credit' && this.documents.family === 'credit note')
      balance.creditNotes = addDecimals(balance.creditNotes, amount);
    return balance;
  }

  get #isPast(): boolean {
    return this.#options.asOf < this.#options.today;
  }

  #balanceOf(party: string): AgedBalance {
    const { profile, currency } = this.documents;
    const isKnown = currency !== undefined;
    const key = isKnown || this.#options.apart ? party : '';
    const text = `${currency ?? ''}\n${profile ?? ''}\n${key}`;
    const known = this.#balances.get(text);
    if (known !== undefined) return known;
    if (this.#balances.size === MAX_BALANCES) {
      throw new UsageError(
        `more than ${MAX_BALANCES.toLocaleString('en')} counterparties have open amounts`,
        {
          hint: 'The column of the fiscal ID may be the wrong one. To read another, add --field counterpartyFiscalId=<column>.',
        },
      );
    }
    const balance: AgedBalance = {
      kind: isKnown ? 'counterparty' : 'noCurrency',
      key,
      currency,
      profile,
      name: undefined,
      fiscalId: undefined,
      invoices: 0,
      ages: Array.from({ length: this.#options.buckets.length + 4 }, () => DECIMAL_ZERO),
      creditNotes: DECIMAL_ZERO,
      cancelled: DECIMAL_ZERO,
      missing: 0,
    };
    this.#balances.set(text, balance);
    return balance;
  }
}

/** Everything that is open: the sum of the ages. */
export function totalOf({ ages }: AgedBalance): Decimal {
  return ages.reduce(addDecimals, DECIMAL_ZERO);
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
