import type { CooperativeTask } from '../../json/cooperative-task.ts';
import {
  addDecimals,
  compareDecimals,
  DECIMAL_ZERO,
  negateDecimal,
  type Decimal,
} from '../../json/decimal.ts';
import { compareOrders } from '../cell-order.ts';
import { DIFFERENCES, totalBeside, type Difference, type Entry } from './entries.ts';
import type { Against } from './list-layout.ts';

interface MatchOptions {
  readonly against: Against;
  /** Whether all lists say whose each document is. */
  readonly hasIds: boolean;
  /** Whether the lists say of which type each document is. */
  readonly hasTypes: boolean;
  /** How far amounts may be apart. */
  readonly tolerance: Decimal;
  /** Whether the fiscal ID of an entry is one that many share. */
  readonly isShared: (entry: Entry) => boolean;
  /** Whether an entry without another side may be one of that side with a mistake in it. */
  readonly isWanted: (entry: Entry) => boolean;
}

/** How far apart totals may be after an exchange rate: it is rounded, as the pesos are. */
const ONE_PESO: Decimal = { coefficient: 1n, scale: 0 };

/** The most pairs of documents that are compared one by one: among more of one number only equal totals tell which is which. */
const MAX_PAIRS = 40_000;

/** Entries that have something in common. */
interface Group {
  readonly list: readonly Entry[];
  readonly service: readonly Entry[];
}

/** Whether the first, of a list, and the second, of the service, may be one document. */
type IsPair = (one: Entry, other: Entry) => boolean;

/**
 * Finds for each entry of a list the one of the service, by what a document is known: issuer, code and number; then those that are
 * near. Sets what became of each; what has no other side stays `unmatched`.
 */
export function* matchEntries(
  entries: readonly Entry[],
  { against, hasIds, hasTypes, tolerance, isShared, isWanted }: MatchOptions,
): CooperativeTask<void> {
  const converted = compareDecimals(tolerance, ONE_PESO) < 0 ? ONE_PESO : tolerance;
  const isNear = (one: Decimal, other: Decimal, most = tolerance): boolean => {
    const apart = addDecimals(one, negateDecimal(other));
    return compareDecimals(apart.coefficient < 0n ? negateDecimal(apart) : apart, most) <= 0;
  };

  /** Whether an amount is the first one, or that with the other; where one side does not say, nothing differs. */
  const isEither = (amount: Decimal | undefined, one: Decimal | undefined, more: Decimal | undefined) => {
    if (amount === undefined || (one ?? more) === undefined) return true;
    const first = one ?? DECIMAL_ZERO;
    return isNear(amount, first) || (more !== undefined && isNear(amount, addDecimals(first, more)));
  };

  const isSameTotal: IsPair = (one, other) => {
    const { total, isConverted } = totalBeside(one, other) ?? {};
    if (one.total === undefined || total === undefined) return false;
    return isNear(one.total, total, isConverted ? converted : tolerance);
  };

  const differencesOf = (one: Entry, other: Entry): readonly Difference[] => {
    const isAlike = isComparable(one, other);
    const differs: Readonly<Record<Difference, boolean>> = {
      total: totalBeside(one, other) !== undefined && !isSameTotal(one, other),
      net: isAlike && !isEither(other.net, one.net, one.exempt),
      tax: isAlike && !isEither(other.tax, one.tax, one.furtherTax),
      date: isOther(one.day, other.day),
      type: typesOf(one, other) === 'other',
      counterparty: isOther(one.party, other.party) && !isShared(one) && !isShared(other),
      number: one.number !== other.number,
      void: other.validity === 'void',
      cancelled: other.validity === 'cancelled',
    };
    return DIFFERENCES.filter((fact) => differs[fact]);
  };

  /** Whether the two are of one type, or the type of one is unknown. Two codes are of one type or are not. */
  const typesOf = (one: Entry, other: Entry): 'equal' | 'unknown' | 'other' => {
    if (!hasTypes) return 'equal';
    if (one.code !== undefined && other.code !== undefined)
      return one.code === other.code ? 'equal' : 'other';
    if (one.family !== 'unknown' && other.family !== 'unknown')
      return one.family === other.family ? 'equal' : 'other';
    const isSpelledAlike = one.type !== undefined && one.type.toUpperCase() === other.type?.toUpperCase();
    return isSpelledAlike ? 'equal' : 'unknown';
  };
  const isOfType: IsPair = (one, other) => typesOf(one, other) === 'equal';
  const isUnknown: IsPair = (one, other) => typesOf(one, other) === 'unknown';
  const isEqual: IsPair = (one, other) => isOfType(one, other) && isSameTotal(one, other);
  /** Whether the two are one document, of which one side has the wrong type. */
  const isOfOtherType: IsPair = (one, other) =>
    isSameTotal(one, other) && isSameDay(one, other) && !isOther(one.party, other.party);

  const pair = (one: Entry, other: Entry): void => {
    one.mate = other;
    other.mate = one;
    one.differs = differencesOf(one, other);
    const isCompared = totalBeside(one, other) !== undefined;
    one.outcome = one.differs.length > 0 ? 'differs' : isCompared ? 'same' : 'not compared';
    other.outcome = one.outcome;
  };

  /** Pairs those that have no other candidate. Returns what is left. */
  const pairUp = (group: Group, isPair: IsPair): Group => {
    for (const one of group.list) {
      const other = onlyOne(group.service, (each) => isPair(one, each));
      if (other !== undefined && onlyOne(group.list, (each) => isPair(each, other)) === one) pair(one, other);
    }
    return unmatched(group);
  };

  /** Pairs those of equal total, then of equal day, then those that have no other candidate. Returns what is left. */
  const pairByType = (group: Group): Group => {
    if (group.list.length === 1 && group.service.length === 1) return pairUp(group, isOfType);
    // Totals that are equal to the last digit come first: they pair many of one number quickly.
    const groups = groupsOf([...group.list, ...group.service], ({ total }) => total && plainAmount(total));
    for (const same of groups) if (!isTooMany(same)) pairUp(same, isEqual);
    let rest = unmatched(group);
    if (isTooMany(rest)) return rest;
    rest = pairUp(rest, isEqual);
    rest = pairUp(rest, (one, other) => isSameDay(one, other) && isEqual(one, other));
    rest = pairUp(rest, isEqual);
    // Where totals are equal and tell nothing, the day alone does not tell either.
    const equal = new Set(candidatesIn(rest, isEqual));
    rest = pairUp(
      rest,
      (one, other) => isSameDay(one, other) && !equal.has(one) && !equal.has(other) && isOfType(one, other),
    );
    return pairUp(rest, isOfType);
  };

  /** Pairs those that are left with what never was a document in the service. */
  const pairVoid = ({ list, service }: Group): void => {
    if (isTooMany({ list, service })) return;
    for (const one of list) {
      const left = service.filter((each) => each.mate === undefined && typesOf(one, each) !== 'other');
      const other = left.find((each) => isSameTotal(one, each)) ?? left[0];
      if (other !== undefined) pair(one, other);
    }
  };

  /** Marks those that still have candidates: nothing tells which is which. Returns the others. */
  const markAmbiguous = (group: Group, isPair: IsPair): Group => {
    for (const entry of candidatesIn(group, isPair)) entry.outcome = 'ambiguous';
    return unmatched(group);
  };

  /**
   * A text that is equal for one document. Where a side does not say code or party, total and day have to be the same as well: a
   * supplier may have an invoice and an exempt invoice of one number.
   */
  const identityOf = ({ side, code, party, type, total, day, currency }: Entry): string => {
    const isIssuerKnown = party !== undefined || (side === 'service' && against === 'issued');
    if (code !== undefined && isIssuerKnown) return JSON.stringify([code, party]);
    return JSON.stringify([type?.toUpperCase(), party, total && plainAmount(total), day, currency]);
  };

  /** Leaves out what is there again. */
  const withoutRepeats = (entries: readonly Entry[]): readonly Entry[] => {
    if (entries.length < 2) return entries;
    const kept = new Map<string, Entry>();
    for (const entry of entries) {
      const key = identityOf(entry);
      const first = kept.get(key);
      const [stays, repeat] = first?.isPending && !entry.isPending ? [entry, first] : [first ?? entry, entry];
      kept.set(key, stays);
      if (first === undefined) continue;
      repeat.repeats = stays;
      repeat.outcome =
        first.isPending === entry.isPending ? (`twice in the ${entry.side}` as const) : 'pending before';
    }
    return [...kept.values()];
  };

  /** Whose documents have numbers of their own: the issuer's, where the lists say who that is. */
  const issuerOf = ({ party = '' }: Entry): string => (against === 'issued' || !hasIds ? '' : party);
  const groups = groupsOf(entries, (entry) => entry.number && `${issuerOf(entry)} ${entry.number}`);
  for (const all of groups) {
    yield;
    const group = { list: withoutRepeats(all.list), service: withoutRepeats(all.service.filter(isDocument)) };
    if (group.list.length === 0 || all.service.length === 0) continue;
    let rest = markAmbiguous(pairByType(group), isOfType);
    // An entry of an unknown type matches the only one that is left.
    rest = markAmbiguous(isTooMany(rest) ? rest : pairUp(rest, isUnknown), isUnknown);
    if (!isTooMany(rest)) rest = pairUp(rest, isOfOtherType);
    pairVoid({ list: rest.list, service: all.service.filter((entry) => !isDocument(entry)) });
  }
  for (const [one, other] of yield* findNear(entries, isWanted, isShared)) {
    pair(one, other);
    one.outcome = other.outcome = 'near';
  }
}

/**
 * Finds what is on both sides with a mistake in it: entries without another side that have the same party and total and another
 * number, or the same number and total and another party, and are each other's only candidate.
 */
function* findNear(
  entries: readonly Entry[],
  isWanted: (entry: Entry) => boolean,
  isShared: (entry: Entry) => boolean,
): CooperativeTask<[one: Entry, other: Entry][]> {
  const left = entries.filter((entry) => entry.outcome === 'unmatched' && isWanted(entry));
  /** An ID that many share is no counterparty: there it and the name together are. */
  const partyKey = (entry: Entry): string | undefined =>
    isShared(entry) ? JSON.stringify([entry.party, entry.name]) : entry.party;
  const isPair: IsPair = (one, other) => {
    const party = partyKey(one);
    const isOfParty = party !== undefined && party === partyKey(other);
    return isComparable(one, other) && isOfParty !== (one.number === other.number);
  };
  /** The entry of the other side that one is like. */
  const likes = new Map<Entry, Entry | 'several'>();
  const like = (entry: Entry, other: Entry): void => {
    likes.set(entry, likes.has(entry) ? 'several' : other);
  };
  const withTotal = (what: string | undefined, { total }: Entry): string | undefined =>
    what && total && `${what} ${plainAmount(total)}`;
  const groups = [
    ...groupsOf(left, (entry) => withTotal(partyKey(entry), entry)),
    ...groupsOf(left, (entry) => withTotal(entry.number, entry)),
  ];
  for (const group of groups) {
    yield;
    const { list, service } = group;
    if (isTooMany(group)) {
      for (const entry of [...list, ...service]) likes.set(entry, 'several');
      continue;
    }
    for (const one of list) {
      for (const other of service.filter((each) => isPair(one, each))) {
        like(one, other);
        like(other, one);
      }
    }
  }
  const pairs: [Entry, Entry][] = [];
  for (const [one, other] of likes)
    if (one.side === 'list' && other !== 'several' && likes.get(other) === one) pairs.push([one, other]);
  return pairs;
}

/** Whether the amounts of the two are of one currency, as far as both say theirs. */
function isComparable(one: Entry, other: Entry): boolean {
  return !isOther(one.currency, other.currency);
}

/** Whether two facts differ. What one side does not say does not differ. */
function isOther<Fact>(one: Fact | undefined, other: Fact | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

/** Whether it is more than a mark of what never was a document. */
function isDocument({ validity }: Entry): boolean {
  return validity !== 'void';
}

function isSameDay(one: Entry, other: Entry): boolean {
  return one.day !== undefined && one.day === other.day;
}

/** The entries that have a key in common, group after group; those without one are in no group. Sorted, they take less memory than a map of lists. */
function* groupsOf(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string | undefined,
): Generator<Group, undefined> {
  const keyed: { readonly key: string; readonly entry: Entry }[] = [];
  for (const entry of entries) {
    const key = keyOf(entry);
    if (key !== undefined) keyed.push({ key, entry });
  }
  keyed.sort((a, b) => compareOrders(a.key, b.key));
  for (let [start, end] = [0, 0]; start < keyed.length; start = end) {
    const { key } = keyed[start]!;
    while (keyed[end]?.key === key) end++;
    const group = keyed.slice(start, end).map(({ entry }) => entry);
    yield {
      list: group.filter(({ side }) => side === 'list'),
      service: group.filter(({ side }) => side === 'service'),
    };
  }
}

function unmatched({ list, service }: Group): Group {
  const isLeft = ({ outcome }: Entry): boolean => outcome === 'unmatched';
  return { list: list.filter(isLeft), service: service.filter(isLeft) };
}

function isTooMany({ list, service }: Group): boolean {
  return list.length * service.length > MAX_PAIRS;
}

/** Those that have a candidate on the other side. */
function candidatesIn({ list, service }: Group, isPair: IsPair): readonly Entry[] {
  return [
    ...list.filter((one) => service.some((other) => isPair(one, other))),
    ...service.filter((other) => list.some((one) => isPair(one, other))),
  ];
}

/** The only one for which it holds; undefined where there is none, or another. */
function onlyOne(entries: readonly Entry[], matches: (entry: Entry) => boolean): Entry | undefined {
  const at = entries.findIndex(matches);
  return at < 0 || entries.slice(at + 1).some(matches) ? undefined : entries[at];
}

/** The amount as a text that is equal for equal amounts: 10.0 and 10. */
function plainAmount({ coefficient, scale }: Decimal): string {
  let [digits, decimals] = [coefficient, scale];
  while (decimals > 0 && digits % 10n === 0n) {
    digits /= 10n;
    decimals--;
  }
  return `${digits}e-${decimals}`;
}
