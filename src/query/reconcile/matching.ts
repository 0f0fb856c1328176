import {
  familyOf,
  signedAmount,
  typeCodeOf,
  type Family,
  type Validity,
} from '../../invoices/document-types.ts';
import { foldFiscalId } from '../../invoices/fiscal-ids.ts';
import {
  DECIMAL_ZERO,
  absoluteDecimal,
  addDecimals,
  compareDecimals,
  multiplyDecimals,
  negateDecimal,
  type Decimal,
} from '../../json/decimal.ts';
import type { CooperativeTask } from '../../json/cooperative-task.ts';
import { compareOrders } from '../cell-order.ts';
import type { Against } from './list-file.ts';

/** What becomes of a document with a row, in the order in which the rows come out. */
export const ROW_OUTCOMES = [
  'same',
  'differs',
  'not compared',
  'only in the list',
  'only in the service',
  'near',
  'ambiguous',
  'twice in the list',
  'twice in the service',
] as const;

/** What became of a document. The last two have no row: they are counted apart, or do not belong to these lists. */
export type Outcome = (typeof ROW_OUTCOMES)[number] | 'pending before' | 'unmatched';

/** The facts in which a document may differ on the two sides. `void` and `cancelled` are states in the service. */
const DIFFERENCES = [
  ...(['total', 'net', 'tax', 'date', 'type', 'counterparty', 'number'] as const),
  ...(['void', 'cancelled'] as const),
] as const;
export type Difference = (typeof DIFFERENCES)[number];

const NO_DIFFERENCE: readonly Difference[] = [];

/** What one side states about a document; undefined for what it does not state. */
interface Facts {
  readonly side: 'list' | 'service';
  /** As it is compared, by `bareNumber`. */
  readonly number: string | undefined;
  /** A code or a word, as it is written. */
  readonly type: string | undefined;
  readonly fiscalId: string | undefined;
  readonly name: string | undefined;
  readonly currency: string | undefined;
  /** In days since 1970-01-01. */
  readonly day: number | undefined;
  readonly total: Decimal | undefined;
  readonly net: Decimal | undefined;
  readonly exempt?: Decimal | undefined;
  readonly tax: Decimal | undefined;
  /** How many pesos one unit of its currency is worth. */
  readonly rate?: Decimal | undefined;
  readonly validity?: Validity | undefined;
  /** Other taxes, which one side may count as part of the tax. */
  furtherTax?: Decimal | undefined;
  /** The path of its list, and its line there. */
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  /** Whether its list is of documents that are not accepted yet: other lists that have them count instead. */
  readonly isPending?: boolean | undefined;
}

/** A document on one side, and what became of it. Amounts have their sign: negative for a credit note. */
export interface Entry extends Facts {
  readonly family: Family;
  readonly code: number | undefined;
  /** Its fiscal ID, folded for comparing. */
  readonly party: string | undefined;
  outcome: Outcome;
  /** The matching document of the other side. */
  mate: Entry | undefined;
  differs: readonly Difference[];
  /** The entry of the same side that this one repeats. */
  repeats: Entry | undefined;
}

/** Makes an unmatched entry of the object that it gets, whose amounts are as written. */
export function entryOf(facts: Facts): Entry {
  const { type, fiscalId } = facts;
  const family = familyOf(type);
  const signed = (amount: Decimal | undefined): Decimal | undefined => amount && signedAmount(amount, family);
  // A copy by spread takes three times the memory, and there are hundreds of thousands of entries.
  return Object.assign(facts, {
    total: signed(facts.total),
    net: signed(facts.net),
    exempt: signed(facts.exempt),
    tax: signed(facts.tax),
    furtherTax: signed(facts.furtherTax),
    family,
    code: typeCodeOf(type),
    party: fiscalId === undefined ? undefined : foldFiscalId(fiscalId),
    outcome: 'unmatched' as const,
    mate: undefined,
    differs: NO_DIFFERENCE,
    repeats: undefined,
  });
}

const PESOS = 'CLP';

/**
 * The total of a document of the service in the currency of the list's entry: unchanged where the currencies are equal or one is
 * unknown, in pesos where the document has an exchange rate. Undefined where the two totals cannot be compared.
 */
export function totalBeside(
  { currency }: Entry,
  { total, currency: own, rate }: Entry,
): { readonly total: Decimal | undefined; readonly isConverted: boolean } | undefined {
  if (currency === undefined || own === undefined || currency === own) return { total, isConverted: false };
  if (rate === undefined || total === undefined || currency !== PESOS) return undefined;
  return { total: multiplyDecimals(total, rate), isConverted: true };
}

/** A document's number without leading zeros, for comparing; undefined for none. */
export function bareNumber(text: string | undefined): string | undefined {
  return text?.trim().replace(/^0+(?=\d)/, '') || undefined;
}

interface MatchOptions {
  readonly against: Against;
  readonly hasIds: boolean;
  readonly hasTypes: boolean;
  /** How far amounts may be apart. */
  readonly tolerance: Decimal;
  readonly isShared: (entry: Entry) => boolean;
  /** Whether an entry without a match may be one of the other side with a mistake in it. */
  readonly mayBeNear: (entry: Entry) => boolean;
}

/** How far apart totals may be after an exchange rate: it is rounded, as the pesos are. */
const ONE_PESO: Decimal = { coefficient: 1n, scale: 0 };

/** The most pairs of documents that are compared one by one. Among more of one number only equal totals match. */
const MAX_PAIRS = 40_000;

/** Entries that have something in common. */
interface Group {
  readonly list: readonly Entry[];
  readonly service: readonly Entry[];
}

/** Whether an entry of a list and one of the service may be one document. */
type IsPair = (one: Entry, other: Entry) => boolean;

/** Matches entries of lists and service by issuer, code and number, then near ones. The others stay `unmatched`. */
export function* matchEntries(
  entries: readonly Entry[],
  { against, hasIds, hasTypes, tolerance, isShared, mayBeNear }: MatchOptions,
): CooperativeTask<void> {
  const converted = compareDecimals(tolerance, ONE_PESO) < 0 ? ONE_PESO : tolerance;
  const isWithin = (one: Decimal, other: Decimal, most = tolerance): boolean => {
    const apart = addDecimals(one, negateDecimal(other));
    return compareDecimals(absoluteDecimal(apart), most) <= 0;
  };

  /** Whether an amount equals the first one, or that plus the second. An amount that a side does not state differs from none. */
  const isEither = (amount: Decimal | undefined, one: Decimal | undefined, more: Decimal | undefined) => {
    if (amount === undefined || (one ?? more) === undefined) return true;
    const first = one ?? DECIMAL_ZERO;
    return isWithin(amount, first) || (more !== undefined && isWithin(amount, addDecimals(first, more)));
  };

  const isSameTotal: IsPair = (one, other) => {
    const { total, isConverted } = totalBeside(one, other) ?? {};
    if (one.total === undefined || total === undefined) return false;
    return isWithin(one.total, total, isConverted ? converted : tolerance);
  };

  const differencesOf = (one: Entry, other: Entry): readonly Difference[] => {
    const isAlike = isComparable(one, other);
    const differs: Readonly<Record<Difference, boolean>> = {
      total: totalBeside(one, other) !== undefined && !isSameTotal(one, other),
      net: isAlike && !isEither(other.net, one.net, one.exempt),
      tax: isAlike && !isEither(other.tax, one.tax, one.furtherTax),
      date: isOther(one.day, other.day),
      type: compareTypes(one, other) === 'other',
      counterparty: isOther(one.party, other.party) && !isShared(one) && !isShared(other),
      number: one.number !== other.number,
      void: other.validity === 'void',
      cancelled: other.validity === 'cancelled',
    };
    return DIFFERENCES.filter((fact) => differs[fact]);
  };

  /** Whether the two are of one type. Two codes are of one type only if they are equal. */
  const compareTypes = (one: Entry, other: Entry): 'equal' | 'unknown' | 'other' => {
    if (!hasTypes) return 'equal';
    if (one.code !== undefined && other.code !== undefined)
      return one.code === other.code ? 'equal' : 'other';
    if (one.family !== 'unknown' && other.family !== 'unknown')
      return one.family === other.family ? 'equal' : 'other';
    const isSpelledAlike = one.type !== undefined && one.type.toUpperCase() === other.type?.toUpperCase();
    return isSpelledAlike ? 'equal' : 'unknown';
  };
  const isOfType: IsPair = (one, other) => compareTypes(one, other) === 'equal';
  const isUnknown: IsPair = (one, other) => compareTypes(one, other) === 'unknown';
  const isEqual: IsPair = (one, other) => isOfType(one, other) && isSameTotal(one, other);
  /** Whether the two are one document with a wrong type on one side. */
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

  /** Pairs those that are each other's only candidate. Returns the rest, as all steps below do. */
  const pairUp = (group: Group, isPair: IsPair): Group => {
    if (isTooMany(group)) return group;
    for (const one of group.list) {
      const other = onlyOne(group.service, (each) => isPair(one, each));
      if (other !== undefined && onlyOne(group.list, (each) => isPair(each, other)) === one) pair(one, other);
    }
    return unmatched(group);
  };

  /** Pairs those of equal total, then of equal day, then those that have no other candidate. */
  const pairByType = (group: Group): Group => {
    if (group.list.length === 1 && group.service.length === 1) return pairUp(group, isOfType);
    // Totals that are equal to the last digit come first: they pair many of one number quickly.
    const groups = groupsOf([...group.list, ...group.service], ({ total }) => total && plainAmount(total));
    for (const same of groups) pairUp(same, isEqual);
    let rest = unmatched(group);
    if (isTooMany(rest)) return rest;
    rest = pairUp(rest, isEqual);
    rest = pairUp(rest, (one, other) => isSameDay(one, other) && isEqual(one, other));
    rest = pairUp(rest, isEqual);
    // Where totals are equal and decide nothing, the day alone does not decide either.
    const equal = new Set(candidatesIn(rest, isEqual));
    rest = pairUp(
      rest,
      (one, other) => isSameDay(one, other) && !equal.has(one) && !equal.has(other) && isOfType(one, other),
    );
    return pairUp(rest, isOfType);
  };

  const pairVoid = ({ list, service }: Group): void => {
    if (isTooMany({ list, service })) return;
    for (const one of list) {
      const left = service.filter((each) => each.mate === undefined && compareTypes(one, each) !== 'other');
      const other = left.find((each) => isSameTotal(one, each)) ?? left[0];
      if (other !== undefined) pair(one, other);
    }
  };

  /** Marks those that still have several candidates. */
  const markAmbiguous = (group: Group, isPair: IsPair): Group => {
    for (const entry of candidatesIn(group, isPair)) entry.outcome = 'ambiguous';
    return unmatched(group);
  };

  /** Equal for one document. Without code or party also of total and day: an invoice and an exempt one may share a number. */
  const identityOf = ({ side, code, party, type, total, day, currency }: Entry): string => {
    const isIssuerKnown = party !== undefined || (side === 'service' && against === 'issued');
    if (code !== undefined && isIssuerKnown) return JSON.stringify([code, party]);
    return JSON.stringify([type?.toUpperCase(), party, total && plainAmount(total), day, currency]);
  };

  const withoutRepeats = (all: readonly Entry[]): readonly Entry[] => {
    if (all.length < 2) return all;
    const kept = new Map<string, Entry>();
    for (const entry of all) {
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

  // Each issuer has numbers of its own. What is issued has one issuer.
  const issuerOf = ({ party = '' }: Entry): string => (against === 'issued' || !hasIds ? '' : party);
  const groups = groupsOf(entries, (entry) => entry.number && `${issuerOf(entry)} ${entry.number}`);
  for (const all of groups) {
    yield;
    const group = { list: withoutRepeats(all.list), service: withoutRepeats(all.service.filter(isDocument)) };
    if (group.list.length === 0 || all.service.length === 0) continue;
    let rest = markAmbiguous(pairByType(group), isOfType);
    // An entry of unknown type matches the only remaining candidate.
    rest = pairUp(markAmbiguous(pairUp(rest, isUnknown), isUnknown), isOfOtherType);
    pairVoid({ list: rest.list, service: all.service.filter((entry) => !isDocument(entry)) });
  }
  for (const [one, other] of yield* findNear(entries, mayBeNear, isShared)) {
    pair(one, other);
    one.outcome = other.outcome = 'near';
  }
}

/** Finds unmatched entries of one total, and of one party or number, that are each other's only candidate. */
function* findNear(
  entries: readonly Entry[],
  mayBeNear: (entry: Entry) => boolean,
  isShared: (entry: Entry) => boolean,
): CooperativeTask<[one: Entry, other: Entry][]> {
  const left = entries.filter((entry) => entry.outcome === 'unmatched' && mayBeNear(entry));
  /** An ID that many share identifies a counterparty only with the name. */
  const partyKey = (entry: Entry): string | undefined =>
    isShared(entry) ? JSON.stringify([entry.party, entry.name]) : entry.party;
  const isPair: IsPair = (one, other) => {
    const party = partyKey(one);
    const isOfParty = party !== undefined && party === partyKey(other);
    return isComparable(one, other) && isOfParty !== (one.number === other.number);
  };
  const candidates = new Map<Entry, Entry | 'several'>();
  const addCandidate = (entry: Entry, other: Entry): void => {
    candidates.set(entry, candidates.has(entry) ? 'several' : other);
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
      for (const entry of [...list, ...service]) candidates.set(entry, 'several');
      continue;
    }
    for (const one of list) {
      for (const other of service.filter((each) => isPair(one, each))) {
        addCandidate(one, other);
        addCandidate(other, one);
      }
    }
  }
  const pairs: [Entry, Entry][] = [];
  for (const [one, other] of candidates)
    if (one.side === 'list' && other !== 'several' && candidates.get(other) === one) pairs.push([one, other]);
  return pairs;
}

/** Whether amounts can be compared: the currencies are equal, or one is unknown. */
function isComparable(one: Entry, other: Entry): boolean {
  return !isOther(one.currency, other.currency);
}

/** Whether two facts differ. One that a side does not state differs from none. */
function isOther<Fact>(one: Fact | undefined, other: Fact | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

function isDocument({ validity }: Entry): boolean {
  return validity !== 'void';
}

function isSameDay(one: Entry, other: Entry): boolean {
  return one.day !== undefined && one.day === other.day;
}

/** Entries by a key, group after group; one without a key is in none. Sorting takes less memory than a map of lists. */
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

function onlyOne(entries: readonly Entry[], matches: (entry: Entry) => boolean): Entry | undefined {
  const at = entries.findIndex(matches);
  return at < 0 || entries.slice(at + 1).some(matches) ? undefined : entries[at];
}

/** A text that is equal for equal amounts: 10.0 and 10. */
function plainAmount({ coefficient, scale }: Decimal): string {
  let [digits, decimals] = [coefficient, scale];
  while (decimals > 0 && digits % 10n === 0n) {
    digits /= 10n;
    decimals--;
  }
  return `${digits}e-${decimals}`;
}
