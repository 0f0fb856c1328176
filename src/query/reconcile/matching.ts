import {
  familyOf,
  signedAmount,
  typeCodeOf,
  type Family,
  type Validity,
} from '../../invoices/document-types.ts';
import { foldFiscalId } from '../../invoices/fiscal-ids.ts';
import type { CooperativeTask } from '../../json/cooperative-task.ts';
import {
  DECIMAL_ZERO,
  absoluteDecimal,
  addDecimals,
  canonicalNumber,
  compareDecimals,
  formatDecimal,
  multiplyDecimals,
  negateDecimal,
  type Decimal,
} from '../../json/decimal.ts';
import { groupsBy } from '../result-rows.ts';
import { PESOS, type Against } from './list-layout.ts';

/** The outcomes that have a row, in the order of the rows. */
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

/** The outcome for a document. Documents counted apart, and the service's outside the period, have no row. */
export type Outcome =
  | (typeof ROW_OUTCOMES)[number]
  | 'pending before'
  | 'apart'
  | 'void'
  | 'undated'
  | 'elsewhere'
  /** Not decided yet. */
  | 'unmatched';

/** The documents by outcome. A document on both sides is there once, as the entry of the list. */
export type Outcomes = ReadonlyMap<Outcome, readonly Entry[]>;

/** The facts that may differ between the two sides. `void` and `cancelled` are states in the service. */
const DIFFERENCES = [
  ...(['total', 'net', 'tax', 'date', 'type', 'counterparty', 'number'] as const),
  ...(['void', 'cancelled'] as const),
] as const;
export type Difference = (typeof DIFFERENCES)[number];

/** The facts of one side about a document; undefined for a missing fact. */
interface Facts {
  readonly number: string | undefined;
  /** A code or a word. */
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
  /** Other taxes, which one side may count as part of the tax. */
  otherTax?: Decimal | undefined;
  /** How many pesos one unit of its currency is worth. */
  readonly rate?: Decimal | undefined;
  readonly validity?: Validity;
  /** Its list, and its line there; undefined for a document of the service. */
  readonly list?: { readonly path: string; readonly isPending: boolean };
  readonly line?: number;
}

/** A document on one side, and its outcome. Amounts have their sign: negative for a credit note. */
export interface Entry extends Facts {
  readonly side: 'list' | 'service';
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

const NO_DIFFERENCE: readonly Difference[] = [];

/** Makes an unmatched entry of this object, with amounts as written. A copy by spread takes three times the memory. */
export function entryOf(facts: Facts): Entry {
  const family = familyOf(facts.type);
  const signed = (amount: Decimal | undefined): Decimal | undefined => amount && signedAmount(amount, family);
  return Object.assign(facts, {
    side: facts.list === undefined ? ('service' as const) : ('list' as const),
    number: facts.number?.trim().replace(/^0+(?=\d)/, '') || undefined,
    family,
    code: typeCodeOf(facts.type),
    party: facts.fiscalId === undefined ? undefined : foldFiscalId(facts.fiscalId),
    total: signed(facts.total),
    net: signed(facts.net),
    exempt: signed(facts.exempt),
    tax: signed(facts.tax),
    otherTax: signed(facts.otherTax),
    outcome: 'unmatched' as const,
    mate: undefined,
    differs: NO_DIFFERENCE,
    repeats: undefined,
  });
}

/**
 * The total of a document of the service in the currency of the list's entry: unchanged where the currencies are equal or one is
 * unknown, in pesos where the document has an exchange rate. Undefined where the two totals cannot be compared.
 */
export function totalBeside(
  one: Entry,
  { total, currency, rate }: Entry,
): { readonly total: Decimal | undefined; readonly isConverted: boolean } | undefined {
  if (!isOther(one.currency, currency)) return { total, isConverted: false };
  if (rate === undefined || total === undefined || one.currency !== PESOS) return undefined;
  return { total: multiplyDecimals(total, rate), isConverted: true };
}

interface MatchOptions {
  readonly against: Against;
  readonly hasIds: boolean;
  readonly hasTypes: boolean;
  /** How much amounts may differ. */
  readonly tolerance: Decimal;
  /** Whether many parties share its fiscal ID, so that the ID does not identify one. */
  readonly isShared: (entry: Entry) => boolean;
  /** Whether an entry without a match may be one of the other side with a mistake in it. */
  readonly mayBeNear: (entry: Entry) => boolean;
}

/** Entries that have something in common. */
type Group = Readonly<Record<Entry['side'], readonly Entry[]>>;

/** Whether an entry of a list and one of the service may be one document. */
type IsPair = (one: Entry, other: Entry) => boolean;

/** Matches entries of lists and service by issuer, code and number, then near ones. The others stay `unmatched`. */
export function* matchEntries(entries: readonly Entry[], options: MatchOptions): CooperativeTask<void> {
  const { against, hasIds, isShared, mayBeNear } = options;
  const rules = rulesOf(options);
  // Each issuer has its own numbers. All issued documents have one issuer.
  const isOfOneIssuer = against === 'issued' || !hasIds;
  const keyOf = ({ number, party = '' }: Entry): string | undefined =>
    isOfOneIssuer || number === undefined ? number : `${party} ${number}`;
  for (const { list, service } of groupsOf(entries, keyOf)) {
    yield;
    const voids = service.filter(({ validity }) => validity === 'void');
    const documents = service.filter(({ validity }) => validity !== 'void');
    const group = { list: withoutRepeats(list, against), service: withoutRepeats(documents, against) };
    if (list.length > 0 && service.length > 0) matchNumber(group, voids, rules);
  }
  const left = entries.filter((entry) => entry.outcome === 'unmatched' && mayBeNear(entry));
  for (const group of groupsOf(left, ({ total }) => total && plainAmount(total))) {
    yield;
    if (isTooMany(group, MAX_NEAR_PAIRS)) continue;
    for (const [one, other] of onlyPairs(group, (each, its) => isNear(each, its, isShared)))
      rules.pair(one, other, 'near');
  }
}

type Rules = ReturnType<typeof rulesOf>;

/** How much totals may differ after an exchange rate, since rate and pesos are rounded. */
const ONE_PESO: Decimal = { coefficient: 1n, scale: 0 };

/** The rules that compare two entries. */
function rulesOf({ hasTypes, tolerance, isShared }: MatchOptions) {
  const converted = [tolerance, ONE_PESO].toSorted(compareDecimals)[1]!;
  const isWithin = (one: Decimal, other: Decimal, most = tolerance): boolean => {
    const apart = addDecimals(one, negateDecimal(other));
    return compareDecimals(absoluteDecimal(apart), most) <= 0;
  };

  /** Whether an amount equals `one`, or `one` plus `more`. An undefined amount equals any. */
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

  const differencesOf = (one: Entry, other: Entry): readonly Difference[] => {
    const isAlike = isComparable(one, other);
    const differs: Readonly<Record<Difference, boolean>> = {
      total: totalBeside(one, other) !== undefined && !isSameTotal(one, other),
      net: isAlike && !isEither(other.net, one.net, one.exempt),
      tax: isAlike && !isEither(other.tax, one.tax, one.otherTax),
      date: isOther(one.day, other.day),
      type: compareTypes(one, other) === 'other',
      counterparty: isOther(one.party, other.party) && !isShared(one) && !isShared(other),
      number: one.number !== other.number,
      void: other.validity === 'void',
      cancelled: other.validity === 'cancelled',
    };
    return DIFFERENCES.filter((fact) => differs[fact]);
  };

  /** Pairs two entries as one document. The default outcome is that of the comparison. */
  const pair = (one: Entry, other: Entry, outcome?: Outcome): void => {
    one.mate = other;
    other.mate = one;
    one.differs = differencesOf(one, other);
    const isCompared = totalBeside(one, other) !== undefined;
    one.outcome = outcome ?? (one.differs.length > 0 ? 'differs' : isCompared ? 'same' : 'not compared');
    other.outcome = one.outcome;
  };
  return { isSameTotal, compareTypes, pair };
}

/** Matches entries of one issuer and number: the surest pairs first, so that few candidates are left for the others. */
function matchNumber(
  { list, service }: Group,
  voids: readonly Entry[],
  { isSameTotal, compareTypes, pair }: Rules,
): void {
  const isOfType: IsPair = (one, other) => compareTypes(one, other) === 'equal';
  const isEqual: IsPair = (one, other) => isOfType(one, other) && isSameTotal(one, other);
  /** Whether the two are one document with a wrong type on one side. */
  const isOfOtherType: IsPair = (one, other) =>
    isSameTotal(one, other) && isSameDay(one, other) && !isOther(one.party, other.party);
  const left = (): Group => ({ list: unmatched(list), service: unmatched(service) });
  /** Pairs entries that are each other's only candidate. */
  const pairUp = (isPair: IsPair, group = left()): void => {
    if (!isTooMany(group)) for (const [one, other] of onlyPairs(group, isPair)) pair(one, other);
  };

  // Totals that are equal to the last digit come first: they pair many of one number quickly.
  for (const group of groupsOf([...list, ...service], ({ total }) => total && plainAmount(total)))
    pairUp(isEqual, group);
  pairUp(isEqual);
  pairUp((one, other) => isSameDay(one, other) && isEqual(one, other));
  pairUp(isEqual);
  // If equal totals leave several candidates, the day alone does not decide.
  const rest = left();
  const equal = new Set(isTooMany(rest) ? [] : candidatesIn(rest, isEqual));
  const isUndecided: IsPair = (one, other) => equal.has(one) || equal.has(other);
  pairUp((one, other) => isSameDay(one, other) && isOfType(one, other) && !isUndecided(one, other));
  // An entry of unknown type matches the only remaining candidate. Those that still have several are ambiguous.
  for (const kind of ['equal', 'unknown'] as const) {
    const isOfKind: IsPair = (one, other) => compareTypes(one, other) === kind;
    pairUp(isOfKind);
    for (const entry of candidatesIn(left(), isOfKind)) entry.outcome = 'ambiguous';
  }
  pairUp(isOfOtherType);
  const { list: without } = left();
  if (isTooMany({ list: without, service: voids })) return;
  for (const one of without) {
    const candidates = unmatched(voids).filter((each) => compareTypes(one, each) !== 'other');
    const other = candidates.find((each) => isSameTotal(one, each)) ?? candidates[0];
    if (other !== undefined) pair(one, other);
  }
}

/**
 * Each document once; the other entries become its repeats. A document in a list of pending ones yields to one in another list.
 */
function withoutRepeats(entries: readonly Entry[], against: Against): readonly Entry[] {
  if (entries.length < 2) return entries;
  const kept = new Map<string, Entry>();
  for (const entry of entries) {
    const key = identityOf(entry, against);
    const first = kept.get(key);
    const isPending = entry.list?.isPending;
    const [stays, repeat] = first?.list?.isPending && !isPending ? [entry, first] : [first ?? entry, entry];
    kept.set(key, stays);
    if (first === undefined) continue;
    repeat.repeats = stays;
    repeat.outcome = first.list?.isPending === isPending ? `twice in the ${entry.side}` : 'pending before';
  }
  return [...kept.values()];
}

/** A key for a document. Without code or party it includes total and day: an invoice and an exempt one may share a number. */
function identityOf({ side, type, code, party, total, day, currency }: Entry, against: Against): string {
  const isIssuerKnown = party !== undefined || (side === 'service' && against === 'issued');
  if (code !== undefined && isIssuerKnown) return JSON.stringify([code, party]);
  return JSON.stringify([type?.toUpperCase(), party, total && plainAmount(total), day, currency]);
}

/** Whether two entries with one total have the same party or number. A shared fiscal ID identifies a party only with the name. */
function isNear(one: Entry, other: Entry, isShared: (entry: Entry) => boolean): boolean {
  const isOfParty = one.party !== undefined && one.party === other.party;
  const isSameParty = isOfParty && (!isShared(one) || one.name === other.name);
  return isComparable(one, other) && isSameParty !== (one.number === other.number);
}

/** Whether amounts can be compared: the currencies are equal, or one is unknown. */
function isComparable(one: Entry, other: Entry): boolean {
  return !isOther(one.currency, other.currency);
}

/** Whether two facts differ. An undefined fact differs from nothing. */
function isOther<Fact>(one: Fact | undefined, other: Fact | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other;
}

function isSameDay(one: Entry, other: Entry): boolean {
  return one.day !== undefined && one.day === other.day;
}

/** Entries grouped by a key. Entries without a key are left out. */
function* groupsOf(
  entries: readonly Entry[],
  keyOf: (entry: Entry) => string | undefined,
): Generator<Group, undefined> {
  for (const [key, group] of groupsBy(entries, keyOf)) {
    if (key === undefined) continue;
    const of = (wanted: Entry['side']): Entry[] => group.filter(({ side }) => side === wanted);
    yield { list: of('list'), service: of('service') };
  }
}

function unmatched(entries: readonly Entry[]): readonly Entry[] {
  return entries.filter(({ outcome }) => outcome === 'unmatched');
}

/** The most pairs of documents whose amounts are compared one by one. Among more of one number only equal totals match. */
const MAX_PAIRS = 40_000;
/** The most pairs of documents of one total whose parties and numbers are compared. */
const MAX_NEAR_PAIRS = 16_000_000;

function isTooMany({ list, service }: Group, most = MAX_PAIRS): boolean {
  return list.length * service.length > most;
}

/** The entries with a candidate on the other side. */
function candidatesIn({ list, service }: Group, isPair: IsPair): readonly Entry[] {
  return [
    ...list.filter((one) => service.some((other) => isPair(one, other))),
    ...service.filter((other) => list.some((one) => isPair(one, other))),
  ];
}

/** The pairs of those that are each other's only candidate. */
function onlyPairs({ list, service }: Group, isPair: IsPair): (readonly [one: Entry, other: Entry])[] {
  return list.flatMap((one) => {
    const other = onlyOne(service, (each) => isPair(one, each));
    if (other === undefined || onlyOne(list, (each) => isPair(each, other)) === undefined) return [];
    return [[one, other] as const];
  });
}

function onlyOne(entries: readonly Entry[], matches: (entry: Entry) => boolean): Entry | undefined {
  const at = entries.findIndex(matches);
  return at < 0 || entries.slice(at + 1).some(matches) ? undefined : entries[at];
}

/** A text that is equal for equal amounts: 10.0 and 10. */
function plainAmount(amount: Decimal): string {
  return canonicalNumber(formatDecimal(amount));
}
