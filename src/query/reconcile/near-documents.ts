import { compareDecimals } from '../../json/decimal.ts';
import type { Steps } from '../../json/turns.ts';
import { KeyIndex, type DocumentsKept } from './documents-kept.ts';
import { plainAmount, type Matching, type Side } from './match-documents.ts';

/** Documents between two turns of the event loop. */
const A_STEP = 2_000;
/** The most documents of one party and total, or number and total, that are looked at: among more nothing is alike. */
const MAX_ALIKE = 1_000;

interface NearOptions {
  /** Whether a day is so near to the period that a document of it may be meant; undefined is no day. */
  readonly isInReach: (day: number | undefined, side: 'list' | 'service') => boolean;
  /** Whether a document of the service, which no list has, may be one of the list with another number. */
  readonly isWanted: (index: number) => boolean;
  /** A text that is equal for two documents of one counterparty. */
  readonly partyKey: (documents: DocumentsKept, index: number) => string | undefined;
}

/**
 * Finds what is on both sides with a mistake in it: documents without another side that have the same party and total and
 * another number, or the same number and total and another party, and are each other's only candidate.
 */
export function* findNear(matching: Matching, options: NearOptions): Steps<void> {
  const { list, service } = matching;
  const left = {
    list: unmatchedOf(list).filter((index) => options.isInReach(list.documents.dayOf(index), 'list')),
    service: unmatchedOf(service).filter(
      (index) => options.isInReach(service.documents.dayOf(index), 'service') && options.isWanted(index),
    ),
  };
  const inList = alikeIn(list, left.list, options);
  const inService = alikeIn(service, left.service, options);
  yield;
  const isPair = (one: number, other: number): boolean => {
    if (!matching.isComparable(one, other)) return false;
    const [total, otherTotal] = [
      list.documents.amountOf(one, 'total'),
      service.documents.amountOf(other, 'total'),
    ];
    if (total === undefined || otherTotal === undefined || compareDecimals(total, otherTotal) !== 0)
      return false;
    const isOfNumber = list.documents.numberOf(one) === service.documents.numberOf(other);
    const party = options.partyKey(list.documents, one);
    const isOfParty = party !== undefined && party === options.partyKey(service.documents, other);
    return isOfNumber !== isOfParty;
  };
  /** The only one that is alike; undefined where there is none, or another. */
  const onlyIn = (
    known: Alike,
    [side, index]: readonly [Side, number],
    isAlike: (candidate: number) => boolean,
  ): number | undefined => {
    let only: number | undefined;
    const keys = keysOf(side, index, options);
    for (const by of BY) {
      const candidates = keys[by] === undefined ? [] : known[by].of(keys[by], MAX_ALIKE);
      if (candidates === undefined) return undefined;
      for (const candidate of candidates) {
        if (candidate === only || !isAlike(candidate)) continue;
        if (only !== undefined) return undefined;
        only = candidate;
      }
    }
    return only;
  };
  const pairs = new Map<number, number>();
  for (const [at, one] of left.list.entries()) {
    if (at % A_STEP === 0) yield;
    const other = onlyIn(inService, [list, one], (candidate) => isPair(one, candidate));
    if (other === undefined) continue;
    if (onlyIn(inList, [service, other], (candidate) => isPair(candidate, other)) === one)
      pairs.set(one, other);
  }
  for (const [one, other] of pairs) {
    list.setOutcome(one, 'near');
    service.setOutcome(other, 'near');
  }
}

function unmatchedOf(side: Side): number[] {
  const unmatched: number[] = [];
  for (let index = 0; index < side.documents.count; index++)
    if (side.outcomeOf(index) === 'unmatched') unmatched.push(index);
  return unmatched;
}

/** By what documents are alike. */
const BY = ['party', 'number'] as const;
type Alike = Readonly<Record<(typeof BY)[number], KeyIndex>>;

/** Finds documents by party and total, and by number and total. */
function alikeIn(side: Side, all: readonly number[], options: NearOptions): Alike {
  const known = { party: new KeyIndex(all.length), number: new KeyIndex(all.length) };
  for (const index of all) {
    const keys = keysOf(side, index, options);
    for (const by of BY) if (keys[by] !== undefined) known[by].add(keys[by], index);
  }
  return known;
}

function keysOf({ documents }: Side, index: number, { partyKey }: NearOptions) {
  const total = documents.amountOf(index, 'total');
  const text = total && plainAmount(total);
  const keyOf = (what: string | undefined): string | undefined =>
    text === undefined || what === undefined ? undefined : `${text} ${what}`;
  return { party: keyOf(partyKey(documents, index)), number: keyOf(documents.numberOf(index)) };
}
