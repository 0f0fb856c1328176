import type { LedgerDocument, Ledger } from './ledger.ts';
import { hash32 } from './values.ts';

export const sortKeys = ['NUMBER', 'DATE', 'DUE_BY', 'AMOUNT'] as const;
type SortKey = (typeof sortKeys)[number];

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
    if (key === 'DUE_BY' && ledger.presenceOf('dueBy', index) !== 'there') return NO_DAY;
    const { number: NUMBER, day: DATE, due: DUE_BY, total: AMOUNT, arrival } = ledger.at(index);
    return key === undefined ? arrival : { NUMBER, DATE, DUE_BY, AMOUNT }[key];
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
 * Makes the views of one ledger, by the name that stands for their order. They are kept, four bytes a record, so that the pages of a
 * listing are not sorted again and again.
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
