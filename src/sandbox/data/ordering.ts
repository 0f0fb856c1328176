import type { Ledger } from './ledger.ts';
import { hash32 } from './values.ts';

export const sortKeys = ['NUMBER', 'DATE', 'DUE_BY', 'AMOUNT'] as const;
export type SortKey = (typeof sortKeys)[number];

/** Records of a listing by their position in it: which of them, and in which order. */
export interface RecordView {
  readonly total: number;
  /** The index of the record at `position`, 0 <= position < total. */
  at(position: number): number;
}

type Trait = (index: number) => number;

/** Sorts records without a due date after all others. */
const NO_DAY = 2 ** 20;

/** What a listing is sorted by; without a key the day of arrival. */
export function traitOf(ledger: Ledger, key: SortKey | undefined): Trait {
  return (index) => {
    if (key === 'NUMBER') return ledger.numberOf(index);
    if (key === 'DATE') return ledger.dayOf(index);
    if (key === 'AMOUNT') return ledger.totalOf(index);
    if (key === undefined) return ledger.arrivalDayOf(index);
    return ledger.presenceOf('dueBy', index) === 'there' ? ledger.dueDayOf(index) : NO_DAY;
  };
}

/** The orders of one ledger. Each is made when it is first needed, and kept: four bytes a record. */
export class Ordering {
  readonly ledger: Ledger;
  #filtered: { readonly name: string; readonly view: RecordView } | undefined;
  readonly #orders = new Map<SortKey, Uint32Array>();

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  /** All records by `key`, or as they arrived without one; records of equal key as they arrived. */
  view(key: SortKey | undefined, descending: boolean): RecordView {
    const total = this.ledger.count;
    const asArrived = key === undefined || (key === 'DATE' && this.ledger.dated);
    const order = asArrived ? undefined : this.#order(key);
    const at = (position: number): number => (order === undefined ? position : order[position]!);
    return { total, at: descending ? (position) => at(total - 1 - position) : at };
  }

  /**
   * Only the records that `wanted` accepts, in the order of `view`. `name` stands for both: the last such view is kept, so that
   * the pages of one listing are not filtered again and again.
   */
  filtered(name: string, view: RecordView, wanted: (index: number) => boolean): RecordView {
    if (this.#filtered?.name !== name) this.#filtered = { name, view: filterView(view, wanted) };
    return this.#filtered.view;
  }

  #order(key: SortKey): Uint32Array {
    const order = this.#orders.get(key) ?? sortIndices(this.ledger.count, traitOf(this.ledger, key));
    this.#orders.set(key, order);
    return order;
  }
}

function filterView(view: RecordView, wanted: (index: number) => boolean): RecordView {
  const indices = Uint32Array.from({ length: view.total }, (_, position) => view.at(position)).filter(wanted);
  return { total: indices.length, at: (position) => indices[position]! };
}

function sortIndices(count: number, trait: Trait): Uint32Array {
  const traits = Float64Array.from({ length: count }, (_, index) => trait(index));
  return Uint32Array.from(traits.keys()).sort((one, other) => traits[one]! - traits[other]! || one - other);
}

/**
 * The same records with those of an equal trait in another order, which follows from the salt, as a database gives them when
 * the query names nothing but the trait; 0 leaves them. Each run of equals is turned by a step that has no divisor in common with
 * its length.
 *
 * @param view sorted by the trait
 */
export function shuffleTies(view: RecordView, trait: Trait, salt: number): RecordView {
  if (salt === 0) return view;
  let [start, end, step, shift] = [0, 0, 1, 0];
  return {
    total: view.total,
    at(position) {
      if (position < start || position >= end) {
        [start, end] = runAround(position, view, trait);
        const count = end - start;
        shift = hash32(salt, start, 93) % count;
        step = (hash32(salt, start, 94) % count) + 1;
        while (greatestDivisor(step, count) !== 1) step++;
      }
      return view.at(start + (((position - start) * step + shift) % (end - start)));
    },
  };
}

/** The first position of the run of equals around a position, and that after its last. */
function runAround(position: number, view: RecordView, trait: Trait): [start: number, end: number] {
  const value = trait(view.at(position));
  let [start, end] = [position, position + 1];
  while (start > 0 && trait(view.at(start - 1)) === value) start--;
  while (end < view.total && trait(view.at(end)) === value) end++;
  return [start, end];
}

function greatestDivisor(one: number, other: number): number {
  return other === 0 ? one : greatestDivisor(other, one % other);
}
