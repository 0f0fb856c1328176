import { compareDecimals } from '../../json/decimal.ts';
import type { CooperativeTask } from '../../json/cooperative-task.ts';
import type { DocumentsKept } from './documents-kept.ts';
import type { Matching, Side } from './match-documents.ts';
import { Hash, HashIndex } from './tables.ts';

/** Documents between two turns of the event loop. */
const A_STEP = 2_000;
/** The most documents of one party and total, or number and total, that are looked at: among more nothing is alike. */
const MAX_ALIKE = 1_000;

interface NearOptions {
  /** Whether a day is so near to the period that a document of it may be meant; undefined is no day. */
  readonly isInReach: (day: number | undefined, side: 'list' | 'service') => boolean;
  /** Whether a document of the service, which no list has, may be one of the list with another number. */
  readonly isWanted: (index: number) => boolean;
  /** A number that is equal for two documents of one counterparty; undefined for a document that names none. */
  readonly partyKey: (documents: DocumentsKept, index: number) => number | undefined;
}

/**
 * Finds what is on both sides with a mistake in it: documents without another side that have the same party and total and
 * another number, or the same number and total and another party, and are each other's only candidate.
 */
export function* findNear(matching: Matching, options: NearOptions): CooperativeTask<void> {
  const { list, service } = matching;
  const left = {
    list: unmatchedOf(list).filter((index) => options.isInReach(list.documents.dayOf(index), 'list')),
    service: unmatchedOf(service).filter(
      (index) => options.isInReach(service.documents.dayOf(index), 'service') && options.isWanted(index),
    ),
  };
  const hash = new Hash();
  /** Equal for documents that are alike by party and total, or by number and total; undefined for those without. */
  const keyOf = ({ documents }: Side, index: number, by: (typeof BY)[number]): number | undefined => {
    const total = documents.totalKeyOf(index);
    const what = by === 'party' ? options.partyKey(documents, index) : documents.numberKeyOf(index);
    return total === undefined || what === undefined ? undefined : hash.of(what, total);
  };
  const alikeIn = (side: Side, all: readonly number[]): Alike => {
    const known = { party: new HashIndex(all.length), number: new HashIndex(all.length) };
    for (const index of all) {
      for (const by of BY) {
        const key = keyOf(side, index, by);
        if (key !== undefined) known[by].add(key, index);
      }
    }
    return known;
  };
  const inList = alikeIn(list, left.list);
  yield;
  const inService = alikeIn(service, left.service);
  const isPair = (one: number, other: number): boolean => {
    if (list.documents.totalKeyOf(one) !== service.documents.totalKeyOf(other)) return false;
    if (!matching.isComparable(one, other)) return false;
    const [total, otherTotal] = [
      list.documents.amountOf(one, 'total'),
      service.documents.amountOf(other, 'total'),
    ];
    if (total === undefined || otherTotal === undefined || compareDecimals(total, otherTotal) !== 0)
      return false;
    const isOfNumber = list.documents.numberKeyOf(one) === service.documents.numberKeyOf(other);
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
    for (const by of BY) {
      const key = keyOf(side, index, by);
      const candidates = key === undefined ? [] : known[by].of(key, MAX_ALIKE);
      if (candidates === undefined) return undefined;
      for (const candidate of candidates) {
        if (candidate === only || !isAlike(candidate)) continue;
        if (only !== undefined) return undefined;
        only = candidate;
      }
    }
    return only;
  };
  for (const [at, one] of left.list.entries()) {
    if (at % A_STEP === 0) yield;
    const other = onlyIn(inService, [list, one], (candidate) => isPair(one, candidate));
    if (other === undefined) continue;
    if (onlyIn(inList, [service, other], (candidate) => isPair(candidate, other)) !== one) continue;
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
type Alike = Readonly<Record<(typeof BY)[number], HashIndex>>;
