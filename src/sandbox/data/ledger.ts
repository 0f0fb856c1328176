import { DAYS_OF_DATA, FIRST_DAY, hash32, REFERENCE_DAY, type Currency } from './values.ts';

export const statuses = [
  'PAID',
  'MANUALLY_MARKED_AS_PAID',
  'OVERDUE',
  'PENDING',
  'PARTIALLY_PAID',
  'NULLIFIED',
] as const;
export type Status = (typeof statuses)[number];
export const documentTypes = ['INVOICE', 'CREDIT_NOTE'] as const;
export type DocumentType = (typeof documentTypes)[number];

interface LedgerOptions {
  readonly seed: number;
  readonly count: number;
  /** How many customers or issuers the invoices are spread over, at least 1. */
  readonly parties: number;
  /** True when record follows record by date; otherwise they come as they arrived, up to 45 days late. */
  readonly dated: boolean;
}

/**
 * What the invoices of one kind are sorted and filtered by. Each trait is computed from the index of the record
 * alone, in nanoseconds, so that a listing of a million can be sorted and filtered without making its records.
 */
export class Ledger {
  readonly seed: number;
  readonly count: number;
  readonly dated: boolean;
  readonly #parties: number;

  constructor(options: LedgerOptions) {
    this.seed = options.seed;
    this.count = options.count;
    this.#parties = options.parties;
    this.dated = options.dated;
  }

  /** The index of the customer or issuer. */
  partyOf(index: number): number {
    return hash32(this.seed, index, 10) % this.#parties;
  }

  /** The day on which the record came in, in days since 1970-01-01; never before that of the record before it. */
  arrivalDayOf(index: number): number {
    return FIRST_DAY + Math.floor((index * DAYS_OF_DATA) / this.count);
  }

  /** The date of the invoice, in days since 1970-01-01. */
  dayOf(index: number): number {
    return this.arrivalDayOf(index) - (this.dated ? 0 : hash32(this.seed, index, 11) % 46);
  }

  /** The day by which the invoice is to be paid. */
  dueDayOf(index: number): number {
    return this.dayOf(index) + 15 * (hash32(this.seed, index, 12) % 7);
  }

  /** Whether a record has its due date: a few have null there, and a few do not have the member. */
  dueByOf(index: number): Presence {
    return presence(hash32(this.seed, index, 18));
  }

  /** The same for the customer. */
  customerOf(index: number): Presence {
    return presence(hash32(this.seed, index, 19));
  }

  typeOf(index: number): DocumentType {
    return hash32(this.seed, index, 13) % 23 === 22 ? 'CREDIT_NOTE' : 'INVOICE';
  }

  /** Credit notes have a series of their own. */
  numberOf(index: number): number {
    return index + (this.typeOf(index) === 'INVOICE' ? 10_001 : 501);
  }

  currencyOf(index: number): Currency {
    const share = hash32(this.seed, index, 14) % 100;
    return share < 75 ? 'CLP' : share < 92 ? 'USD' : 'EUR';
  }

  /** True for the few amounts that are spelled with an exponent or superfluous decimals. */
  isOddlySpelled(index: number): boolean {
    return this.currencyOf(index) === 'CLP' && hash32(this.seed, index, 15) % 29 === 0;
  }

  /** The total in hundredths, under 10^9 in size. A credit note's is negative or, in every other one, left to its type to tell. */
  amountOf(index: number): number {
    const random = hash32(this.seed, index, 16);
    const magnitude = 10 ** (3 + (random % 4));
    const whole = this.isOddlySpelled(index)
      ? magnitude * (1 + ((random >>> 8) % 9))
      : Math.floor((magnitude * (1000 + ((random >>> 8) % 8999))) / 1000);
    const hundredths = this.currencyOf(index) === 'CLP' ? whole * 100 : whole;
    const isNegative = this.typeOf(index) === 'CREDIT_NOTE' && hash32(this.seed, index, 21) % 2 === 0;
    return isNegative ? -hundredths : hundredths;
  }

  statusOf(index: number): Status {
    const share = hash32(this.seed, index, 17) % 100;
    if (share < 3) return 'NULLIFIED';
    if (this.dueDayOf(index) >= REFERENCE_DAY) {
      return share < 60 ? 'PENDING' : share < 90 ? 'PAID' : 'PARTIALLY_PAID';
    }
    return share < 15
      ? 'OVERDUE'
      : share < 22
        ? 'PARTIALLY_PAID'
        : share < 29
          ? 'MANUALLY_MARKED_AS_PAID'
          : 'PAID';
  }
}

export const sortKeys = ['NUMBER', 'DATE', 'DUE_BY', 'AMOUNT'] as const;
export type InvoiceSortKey = (typeof sortKeys)[number];

/** Whether a record has a member that most have. */
export type Presence = 'there' | 'null' | 'missing';

function presence(random: number): Presence {
  const share = random % 60;
  return share === 0 ? 'null' : share === 1 ? 'missing' : 'there';
}

/** Records of a listing by their position in it: which of them are asked for, and in which order. */
export interface RecordView {
  readonly total: number;
  /** The index of the record at `position`, 0 <= position < total. */
  at(position: number): number;
}

const MAX_FILTERED = 4;

/** The orders of one ledger. Each is made when it is first asked for and kept: four bytes a record. */
export class Ordering {
  readonly #ledger: Ledger;
  readonly #filtered = new Map<string, RecordView>();
  readonly #orders = new Map<InvoiceSortKey, Uint32Array>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** All records by `key`, or as they arrived without one; records of equal key as they arrived. */
  view(key: InvoiceSortKey | undefined, descending: boolean): RecordView {
    const total = this.#ledger.count;
    const asArrived = key === undefined || (key === 'DATE' && this.#ledger.dated);
    const order = asArrived ? undefined : this.#order(key);
    const at = (position: number): number => (order === undefined ? position : order[position]!);
    return { total, at: descending ? (position) => at(total - 1 - position) : at };
  }

  /**
   * Only the records that `wanted` accepts, in the order of `view`. `name` stands for both: the last few such views
   * are kept, so that the pages of one listing are not filtered again and again.
   */
  filtered(name: string, view: RecordView, wanted: (index: number) => boolean): RecordView {
    const kept = this.#filtered.get(name) ?? filterView(view, wanted);
    this.#filtered.delete(name);
    this.#filtered.set(name, kept);
    if (this.#filtered.size > MAX_FILTERED) this.#filtered.delete([...this.#filtered.keys()][0]!);
    return kept;
  }

  #order(key: InvoiceSortKey): Uint32Array {
    const order = this.#orders.get(key) ?? sortIndices(this.#ledger.count, traitOf(this.#ledger, key));
    this.#orders.set(key, order);
    return order;
  }
}

/**
 * The same records with those of an equal trait in another order, which follows from the salt, as a database gives them when
 * nothing but the trait is asked for. Each run of equals is turned by a step that has no divisor in common with its length.
 *
 * @param view sorted by the trait
 */
export function shuffleTies(view: RecordView, traitOf: (index: number) => number, salt: number): RecordView {
  if (salt === 0) return view;
  let [start, end, step, shift] = [0, 0, 1, 0];
  return {
    total: view.total,
    at(position) {
      if (position < start || position >= end) {
        [start, end] = runAround(position, view, traitOf);
        const count = end - start;
        shift = hash32(salt, start, 93) % count;
        step = (hash32(salt, start, 94) % count) + 1;
        while (greatestDivisor(step, count) !== 1) step++;
      }
      return view.at(start + (((position - start) * step + shift) % (end - start)));
    },
  };
}

/** The first position of the run of equals around a position, and that after its last. Looks further in growing steps. */
function runAround(
  position: number,
  view: RecordView,
  traitOf: (index: number) => number,
): [start: number, end: number] {
  const trait = traitOf(view.at(position));
  const isEqual = (place: number): boolean =>
    place >= 0 && place < view.total && traitOf(view.at(place)) === trait;
  const reach = (direction: 1 | -1): number => {
    let [within, step] = [position, 1];
    while (isEqual(within + direction * step)) {
      within += direction * step;
      step *= 2;
    }
    for (; step >= 1; step /= 2) if (isEqual(within + direction * step)) within += direction * step;
    return within;
  };
  return [reach(-1), reach(1) + 1];
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other);
}

function filterView(view: RecordView, wanted: (index: number) => boolean): RecordView {
  const kept: number[] = [];
  for (let position = 0; position < view.total; position++) {
    const index = view.at(position);
    if (wanted(index)) kept.push(index);
  }
  const indices = Uint32Array.from(kept);
  return { total: indices.length, at: (position) => indices[position]! };
}

/** Sorts records without a due date after all others. */
const NO_DAY = 2 ** 20;

/** What the listing is sorted by; without a key the day of arrival. */
export function traitOf(ledger: Ledger, key: InvoiceSortKey | undefined): (index: number) => number {
  if (key === undefined) return (index) => ledger.arrivalDayOf(index);
  if (key === 'NUMBER') return (index) => ledger.numberOf(index);
  if (key === 'DATE') return (index) => ledger.dayOf(index);
  if (key === 'DUE_BY')
    return (index) => (ledger.dueByOf(index) === 'there' ? ledger.dueDayOf(index) : NO_DAY);
  return (index) => ledger.amountOf(index);
}

/**
 * Sorts trait and index packed into one double each (trait × 2^23 + index is exact for traits under 2^30): the
 * numeric sort of a typed array is several times faster than one with a comparison function, and keeps ties in order.
 */
function sortIndices(count: number, trait: (index: number) => number): Uint32Array {
  const packed = new Float64Array(count);
  for (let index = 0; index < count; index++) packed[index] = trait(index) * SPAN + index;
  packed.sort();
  return Uint32Array.from(packed, (value) => value - Math.floor(value / SPAN) * SPAN);
}

/** More than the largest number of records that the options allow. */
const SPAN = 2 ** 23;
