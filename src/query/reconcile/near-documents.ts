import type { Steps } from '../../json/turns.ts';
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
  readonly partyKey: (side: Side, index: number) => string | undefined;
}

/**
 * Finds what is on both sides with a mistake in it: documents without another side that have the same party and total and
 * another number, or the same number and total and another party, and are each other's only candidate.
 */
export function* findNear(matching: Matching, options: NearOptions): Steps<void> {
  const { list, service } = matching;
  const left = {
    list: indicesOf(list).filter(
      (index) =>
        list.outcomeOf(index) === 'unmatched' && options.isInReach(list.documents.dayOf(index), 'list'),
    ),
    service: indicesOf(service).filter(
      (index) =>
        service.outcomeOf(index) === 'unmatched' &&
        options.isInReach(service.documents.dayOf(index), 'service') &&
        options.isWanted(index),
    ),
  };
  const alikeIn = (side: Side, all: readonly number[]) => {
    const known = { byParty: new Map<string, number[]>(), byNumber: new Map<string, number[]>() };
    for (const index of all) {
      const { byParty, byNumber } = keysOf(side, index, options);
      if (byParty !== undefined) pushTo(known.byParty, byParty, index);
      if (byNumber !== undefined) pushTo(known.byNumber, byNumber, index);
    }
    return known;
  };
  const [inList, inService] = [alikeIn(list, left.list), alikeIn(service, left.service)];
  const isPair = (one: number, other: number): boolean => {
    if (!matching.isComparable(one, other)) return false;
    const isOfNumber = list.documents.numberOf(one) === service.documents.numberOf(other);
    const party = options.partyKey(list, one);
    const isOfParty = party !== undefined && party === options.partyKey(service, other);
    return isOfNumber !== isOfParty;
  };
  const onlyIn = (
    known: ReturnType<typeof alikeIn>,
    [side, index]: readonly [Side, number],
    isAlike: (candidate: number) => boolean,
  ): number | undefined => {
    const { byParty, byNumber } = keysOf(side, index, options);
    const all = [known.byParty.get(byParty ?? ''), known.byNumber.get(byNumber ?? '')];
    const candidates = new Set<number>();
    for (const some of all) {
      if (some === undefined) continue;
      if (some.length > MAX_ALIKE) return undefined;
      for (const candidate of some) {
        if (isAlike(candidate)) candidates.add(candidate);
        if (candidates.size > 1) return undefined;
      }
    }
    return [...candidates][0];
  };
  const pairs: [number, number][] = [];
  for (const [at, one] of left.list.entries()) {
    if (at % A_STEP === 0) yield;
    const other = onlyIn(inService, [list, one], (candidate) => isPair(one, candidate));
    if (other === undefined) continue;
    if (onlyIn(inList, [service, other], (candidate) => isPair(candidate, other)) === one)
      pairs.push([one, other]);
  }
  for (const [one, other] of pairs) {
    list.setOutcome(one, 'near');
    service.setOutcome(other, 'near');
  }
}

function indicesOf({ documents }: Side): number[] {
  return Array.from({ length: documents.count }, (_, index) => index);
}

function keysOf(side: Side, index: number, { partyKey }: NearOptions) {
  const { documents } = side;
  const total = documents.amountOf(index, 'total');
  if (total === undefined) return { byParty: undefined, byNumber: undefined };
  const [party, number] = [partyKey(side, index), documents.numberOf(index)];
  const text = plainAmount(total);
  return {
    byParty: party === undefined ? undefined : `${text} ${party}`,
    byNumber: number === undefined ? undefined : `${text} ${number}`,
  };
}

function pushTo(map: Map<string, number[]>, key: string, index: number): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [index]);
  else known.push(index);
}
