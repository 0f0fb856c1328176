import type { Ledger } from './ledger.ts';

export const sortKeys = ['NUMBER', 'DATE', 'DUE_BY', 'AMOUNT'] as const;
export type SortKey = (typeof sortKeys)[number];

/** Records of a listing by their position in it: which of them are asked for, and in which order. */
export interface View {
  readonly total: number;
  /** The index of the record at `position`, 0 <= position < total. */
  at(position: number): number;
}

const mostFiltered = 4;

/** The orders of one ledger. Each is made when it is first asked for and kept: four bytes a record. */
export class Ordering {
  readonly #ledger: Ledger;
  readonly #filtered = new Map<string, View>();
  readonly #orders = new Map<SortKey, Uint32Array>();

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** All records by `key`, or as they arrived without one; records of equal key as they arrived. */
  view(key: SortKey | undefined, descending: boolean): View {
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
  filtered(name: string, view: View, wanted: (index: number) => boolean): View {
    const kept = this.#filtered.get(name) ?? filterView(view, wanted);
    this.#filtered.delete(name);
    this.#filtered.set(name, kept);
    if (this.#filtered.size > mostFiltered) this.#filtered.delete([...this.#filtered.keys()][0]!);
    return kept;
  }

  #order(key: SortKey): Uint32Array {
    const order = this.#orders.get(key) ?? sortIndices(this.#ledger.count, traitOf(this.#ledger, key));
    this.#orders.set(key, order);
    return order;
  }
}

function filterView(view: View, wanted: (index: number) => boolean): View {
  const kept: number[] = [];
  for (let position = 0; position < view.total; position++) {
    const index = view.at(position);
    if (wanted(index)) kept.push(index);
  }
  const indices = Uint32Array.from(kept);
  return { total: indices.length, at: (position) => indices[position]! };
}

function traitOf(ledger: Ledger, key: SortKey): (index: number) => number {
  if (key === 'NUMBER') return (index) => ledger.numberOf(index);
  if (key === 'DATE') return (index) => ledger.dayOf(index);
  if (key === 'DUE_BY') return (index) => ledger.dueDayOf(index);
  return (index) => ledger.amountOf(index);
}

/**
 * Sorts trait and index packed into one double each (trait × 2^23 + index is exact for traits under 2^30): the
 * numeric sort of a typed array is several times faster than one with a comparison function, and keeps ties in order.
 */
function sortIndices(count: number, trait: (index: number) => number): Uint32Array {
  const packed = new Float64Array(count);
  for (let index = 0; index < count; index++) packed[index] = trait(index) * span + index;
  packed.sort();
  return Uint32Array.from(packed, (value) => value - Math.floor(value / span) * span);
}

/** More than the largest number of records that the options allow. */
const span = 2 ** 23;
