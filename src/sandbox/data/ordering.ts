import type { LedgerDocument, Ledger } from './ledger.ts';

export const sortKeys = ['NUMBER', 'DATE', 'DUE_BY', 'AMOUNT'] as const;
type SortKey = (typeof sortKeys)[number];

/** The records that a listing serves, by their position in it. */
export interface RecordView {
  readonly total: number;
  /** The index of the record at `position`, 0 <= position < total. */
  at(position: number): number;
}

/** Sorts records without a due date after all others. */
const NO_DAY = 2 ** 20;

/** What a listing is sorted by. */
function traitOf(ledger: Ledger, key: SortKey): (index: number) => number {
  return (index) => {
    if (key === 'DUE_BY' && ledger.presenceOf('dueBy', index) !== 'there') return NO_DAY;
    const { number: NUMBER, day: DATE, due: DUE_BY, total: AMOUNT } = ledger.at(index);
    return { NUMBER, DATE, DUE_BY, AMOUNT }[key];
  };
}

interface Order {
  /** Without it, records come as they arrived; so do those of equal key. */
  readonly key: SortKey | undefined;
  readonly descending: boolean;
  /** Undefined for all records. */
  readonly accepts: ((document: LedgerDocument) => boolean) | undefined;
}

export type ViewOf = (name: string, order: Order) => RecordView;

const MAX_VIEWS = 16;

/**
 * Makes the views of one ledger, by the name that stands for their order. They are kept, four bytes a record, so that the pages
 * of a listing are not sorted again and again.
 */
export function viewsOf(ledger: Ledger): ViewOf {
  const views = new Map<string, Uint32Array>();
  const indicesOf = ({ key, descending, accepts }: Order): Uint32Array => {
    const all = Uint32Array.from({ length: ledger.count }, (_, index) => index);
    const indices = accepts === undefined ? all : all.filter((index) => accepts(ledger.at(index)));
    if (key !== undefined && !(key === 'DATE' && ledger.dated)) {
      const traits = new Float64Array(ledger.count);
      const trait = traitOf(ledger, key);
      for (const index of indices) traits[index] = trait(index);
      indices.sort((one, other) => traits[one]! - traits[other]! || one - other);
    }
    return descending ? indices.toReversed() : indices;
  };
  return (name, order) => {
    const indices = views.get(name) ?? indicesOf(order);
    if (views.size === MAX_VIEWS) views.clear();
    views.set(name, indices);
    return { total: indices.length, at: (position) => indices[position]! };
  };
}
