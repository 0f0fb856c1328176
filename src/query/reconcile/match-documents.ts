import { familyOf, typeCodeOf } from '../../invoices/documents.ts';
import { addDecimals, compareDecimals, negateDecimal, type Decimal } from '../../json/decimal.ts';
import type { CooperativeTask } from '../../json/cooperative-task.ts';
import { NO_NUMBER, type DocumentsKept } from './documents-kept.ts';
import type { Against } from './list-match.ts';
import { Hash, HashIndex, NumberTable } from './tables.ts';

/** What a row says of a document, in the order in which the rows come out. */
export const ROW_OUTCOMES = [
  'same',
  'differs',
  'only in the list',
  'only in the service',
  'near',
  'ambiguous',
  'twice in the list',
  'twice in the service',
] as const;

/** What became of a document. The last ones are counted apart, or are no matter of these lists: they are no rows. */
const OUTCOMES = [...ROW_OUTCOMES, 'in another currency', 'pending before', 'unmatched'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** In which of its facts a document differs on the two sides. */
type Difference = 'total' | 'net' | 'tax' | 'date' | 'counterparty';

export interface MatchOptions {
  readonly against: Against;
  /** Whether all lists say whose each document is. */
  readonly hasIds: boolean;
  /** Whether the lists say of which type each document is. */
  readonly hasTypes: boolean;
  /** How far amounts may be apart. */
  readonly tolerance: Decimal;
  /** Whether the list of this place holds documents that were not accepted yet: they count in the other lists that have them. */
  readonly isPending: (file: number) => boolean;
}

/** The most pairs of documents of one number that are compared one by one; with more, only equal totals tell which is which. */
const MAX_PAIRS = 40_000;

/** Documents between two turns of the event loop. */
const A_STEP = 2_000;

/** One side: its documents, and what became of each. */
export class Side {
  readonly documents: DocumentsKept;
  readonly #outcomes = new NumberTable(Uint8Array);
  readonly #mates = new NumberTable(Int32Array);

  constructor(documents: DocumentsKept) {
    this.documents = documents;
  }

  outcomeOf(index: number): Outcome {
    return OUTCOMES[this.#outcomes.get(index)]!;
  }

  setOutcome(index: number, outcome: Outcome): void {
    this.#outcomes.set(index, OUTCOMES.indexOf(outcome));
  }

  /** The document of the other side that it was matched with. */
  mateOf(index: number): number | undefined {
    const mate = this.#mates.get(index);
    return mate === 0 ? undefined : mate - 1;
  }

  setMate(index: number, mate: number): void {
    this.#mates.set(index, mate + 1);
  }
}

/** Finds for each document of a list the one of the service, by what a document is known: issuer, code and number. */
export class Matching {
  readonly list: Side;
  readonly service: Side;
  readonly #options: MatchOptions;
  /** For each document of the service that is there again, the first of them. */
  readonly #repeats = new Map<number, number>();
  readonly #hash = new Hash();

  constructor(list: DocumentsKept, service: DocumentsKept, options: MatchOptions) {
    this.list = new Side(list);
    this.service = new Side(service);
    this.#options = options;
  }

  /** Decides on every document. What has no other side is `unmatched`. */
  *match(): CooperativeTask<void> {
    const count = Math.max(this.list.documents.count, this.service.documents.count);
    const places = { list: new HashIndex(count), service: new HashIndex(count) };
    for (const side of ['list', 'service'] as const) {
      const { documents } = this[side];
      // From the last to the first, so that they come out in their order.
      for (let index = documents.count - 1; index >= 0; index--) {
        if (index % A_STEP === 0) yield;
        this[side].setOutcome(index, 'unmatched');
        const number = documents.numberKeyOf(index);
        if (number !== NO_NUMBER)
          places[side].add(this.#hash.of(this.#partyOf(documents, index), number), index);
      }
    }
    for (let place = 0; place < places.list.places; place++) {
      if (place % A_STEP === 0) yield;
      const [list, service] = [places.list.at(place), places.service.at(place)];
      if (list.length + service.length > 1) this.#matchPlace(list, service);
    }
  }

  /** Whether a document of the service, which is there again, has been matched the first time. */
  isOfMatched(repeat: number): boolean {
    const first = this.#repeats.get(repeat);
    return first !== undefined && this.service.outcomeOf(first) !== 'unmatched';
  }

  /** In what the two differ. */
  differencesOf(one: number, other: number): Difference[] {
    const [list, service] = [this.list.documents, this.service.documents];
    const differences: Difference[] = [];
    const net = list.amountOf(one, 'net');
    const exempt = list.amountOf(one, 'exempt');
    const tax = list.amountOf(one, 'tax');
    const further = list.amountOf(one, 'furtherTax');
    if (!this.#isSameTotal(one, other)) differences.push('total');
    if (!this.#isEither(service.amountOf(other, 'net'), net, exempt)) differences.push('net');
    if (!this.#isEither(service.amountOf(other, 'tax'), tax, further)) differences.push('tax');
    const [day, otherDay] = [list.dayOf(one), service.dayOf(other)];
    if (day !== undefined && otherDay !== undefined && day !== otherDay) differences.push('date');
    const [party, otherParty] = [list.partyOf(one), service.partyOf(other)];
    if (party !== 0 && otherParty !== 0 && party !== otherParty) differences.push('counterparty');
    return differences;
  }

  /** Whether the amounts of the two are of one currency, as far as both say theirs. */
  isComparable(one: number, other: number): boolean {
    const [currency, otherCurrency] = [
      this.list.documents.currencyOf(one),
      this.service.documents.currencyOf(other),
    ];
    return currency === undefined || otherCurrency === undefined || currency === otherCurrency;
  }

  /** Whose documents have numbers of their own: the party, where that is the issuer, else 0. */
  #partyOf(documents: DocumentsKept, index: number): number {
    const { against, hasIds } = this.#options;
    return against === 'issued' || !hasIds ? 0 : documents.partyOf(index);
  }

  /** Matches those of each number and party: others never are one document. */
  #matchPlace(list: readonly number[], service: readonly number[]): void {
    const groups = new Map<string, { list: number[]; service: number[] }>();
    const all = { list, service };
    for (const side of ['list', 'service'] as const) {
      const { documents } = this[side];
      for (const index of all[side]) {
        const key = `${this.#partyOf(documents, index)} ${documents.numberKeyOf(index)}`;
        const group = groups.get(key) ?? { list: [], service: [] };
        group[side].push(index);
        groups.set(key, group);
      }
    }
    for (const group of groups.values()) this.#matchGroup(group.list, group.service);
  }

  #matchGroup(listed: readonly number[], served: readonly number[]): void {
    const list = this.#withoutRepeats(listed, 'list');
    const service = this.#withoutRepeats(served, 'service');
    if (list.length === 0 || service.length === 0) return;
    const isOfType: IsPair = (one, other) => this.#isOfType(one, other) === 'type';
    const isUnknown: IsPair = (one, other) => this.#isOfType(one, other) === 'unknown';
    const rest = this.#markAmbiguous(isOfType, this.#matchByType(isOfType, { list, service }));
    // Of a type that nobody knows is whatever is the only one left.
    this.#markAmbiguous(isUnknown, isTooMany(rest) ? rest : this.#pairUp(isUnknown, rest));
  }

  /** Pairs those of equal total, then of equal day, then those that have no other candidate. Returns what is left. */
  #matchByType(isCandidate: IsPair, given: Candidates): Candidates {
    if (given.list.length === 1 && given.service.length === 1) return this.#pairUp(isCandidate, given);
    let rest = this.#pairExact(isCandidate, given);
    if (isTooMany(rest)) return rest;
    const isEqual: IsPair = (one, other) => isCandidate(one, other) && this.#isSameTotal(one, other);
    const isOfDay: IsPair = (one, other) => this.#isSameDay(one, other);
    rest = this.#pairUp(isEqual, rest);
    rest = this.#pairUp((one, other) => isOfDay(one, other) && isEqual(one, other), rest);
    rest = this.#pairUp(isEqual, rest);
    // Where totals are equal and tell nothing, the day alone does not tell either.
    const equal = candidatesAmong(isEqual, rest);
    const hasEqual: IsPair = (one, other) => equal.list.has(one) || equal.service.has(other);
    rest = this.#pairUp(
      (one, other) => isOfDay(one, other) && !hasEqual(one, other) && isCandidate(one, other),
      rest,
    );
    return this.#pairUp(isCandidate, rest);
  }

  /** Pairs those of equal total to the last digit, where there may be many of one number. Returns what is left. */
  #pairExact(isCandidate: IsPair, given: Candidates): Candidates {
    const byTotal = new Map<string, { list: number[]; service: number[] }>();
    for (const side of ['list', 'service'] as const) {
      for (const index of given[side]) {
        const total = this[side].documents.amountOf(index, 'total');
        const key = total === undefined ? '' : plainAmount(total);
        const known = byTotal.get(key) ?? { list: [], service: [] };
        known[side].push(index);
        byTotal.set(key, known);
      }
    }
    const isEqual: IsPair = (one, other) => isCandidate(one, other) && this.#isSameTotal(one, other);
    for (const same of byTotal.values()) if (!isTooMany(same)) this.#pairUp(isEqual, same);
    return {
      list: given.list.filter((one) => this.list.mateOf(one) === undefined),
      service: given.service.filter((other) => this.service.mateOf(other) === undefined),
    };
  }

  /** Pairs those that have no other candidate. Returns what is left. */
  #pairUp(isCandidate: IsPair, { list, service }: Candidates): Candidates {
    const pairs = new Map<number, number>();
    for (const one of list) {
      const other = onlyOne(service, (each) => isCandidate(one, each));
      if (other === undefined || list.some((rival) => rival !== one && isCandidate(rival, other))) continue;
      pairs.set(one, other);
    }
    if (pairs.size === 0) return { list, service };
    for (const [one, other] of pairs) this.#pair(one, other);
    const paired = new Set(pairs.values());
    return {
      list: list.filter((one) => !pairs.has(one)),
      service: service.filter((other) => !paired.has(other)),
    };
  }

  /** Marks those that still have candidates: nothing tells which is which. Returns the others. */
  #markAmbiguous(isCandidate: IsPair, given: Candidates): Candidates {
    const several = candidatesAmong(isCandidate, given);
    for (const one of several.list) this.list.setOutcome(one, 'ambiguous');
    for (const other of several.service) this.service.setOutcome(other, 'ambiguous');
    return {
      list: given.list.filter((one) => !several.list.has(one)),
      service: given.service.filter((other) => !several.service.has(other)),
    };
  }

  #pair(one: number, other: number): void {
    this.list.setMate(one, other);
    this.service.setMate(other, one);
    const outcome = !this.isComparable(one, other)
      ? 'in another currency'
      : this.differencesOf(one, other).length === 0
        ? 'same'
        : 'differs';
    this.list.setOutcome(one, outcome);
    this.service.setOutcome(other, outcome);
  }

  /** Whether the two are of one type, or one of them is of a type that nobody knows. Two codes are of one type or are not. */
  #isOfType(one: number, other: number): 'type' | 'unknown' | 'other' {
    const [list, service] = [this.list.documents, this.service.documents];
    if (!this.#options.hasTypes) return 'type';
    const [type, otherType] = [list.typeOf(one), service.typeOf(other)];
    const [code, otherCode] = [typeCodeOf(type), typeCodeOf(otherType)];
    if (code !== undefined && otherCode !== undefined) return code === otherCode ? 'type' : 'other';
    const [family, otherFamily] = [familyOf(type), familyOf(otherType)];
    if (family !== 'unknown' && otherFamily !== 'unknown') return family === otherFamily ? 'type' : 'other';
    const isSaidAlike = type !== undefined && type.toUpperCase() === otherType?.toUpperCase();
    return isSaidAlike ? 'type' : 'unknown';
  }

  #isSameTotal(one: number, other: number): boolean {
    if (!this.isComparable(one, other)) return false;
    const [total, otherTotal] = [
      this.list.documents.amountOf(one, 'total'),
      this.service.documents.amountOf(other, 'total'),
    ];
    return total !== undefined && otherTotal !== undefined && this.#isNear(total, otherTotal);
  }

  #isSameDay(one: number, other: number): boolean {
    const day = this.list.documents.dayOf(one);
    return day !== undefined && day === this.service.documents.dayOf(other);
  }

  /** Whether an amount is the first one, or that with the other; where one side does not say, nothing differs. */
  #isEither(amount: Decimal | undefined, one: Decimal | undefined, more: Decimal | undefined): boolean {
    if (amount === undefined || (one ?? more) === undefined) return true;
    const first = one ?? { coefficient: 0n, scale: 0 };
    return (
      this.#isNear(amount, first) || (more !== undefined && this.#isNear(amount, addDecimals(first, more)))
    );
  }

  #isNear(one: Decimal, other: Decimal): boolean {
    const apart = addDecimals(one, negateDecimal(other));
    const size = apart.coefficient < 0n ? negateDecimal(apart) : apart;
    return compareDecimals(size, this.#options.tolerance) <= 0;
  }

  /**
   * Leaves out what is there again. Where a side does not say code or party, total and day have to be the same as well: a
   * supplier may have an invoice and an exempt invoice of one number.
   */
  #withoutRepeats(members: readonly number[], which: 'list' | 'service'): readonly number[] {
    if (members.length < 2) return members;
    const side = this[which];
    const kept = new Map<string, number>();
    for (const index of members) {
      const key = this.#repeatKey(side.documents, index, which);
      const first = kept.get(key);
      if (first === undefined) {
        kept.set(key, index);
        continue;
      }
      const [isPending, wasPending] = [index, first].map((one) => this.#isPending(one, which));
      if (wasPending && !isPending) kept.set(key, index);
      const repeat = wasPending && !isPending ? first : index;
      side.setOutcome(repeat, isPending === wasPending ? TWICE[which] : 'pending before');
      if (which === 'service') this.#repeats.set(repeat, first);
    }
    return [...kept.values()];
  }

  #isPending(index: number, which: 'list' | 'service'): boolean {
    return which === 'list' && this.#options.isPending(this.list.documents.fileOf(index));
  }

  #repeatKey(documents: DocumentsKept, index: number, which: 'list' | 'service'): string {
    const type = documents.typeOf(index);
    const code = typeCodeOf(type);
    const party = documents.partyOf(index);
    const isKnown =
      code !== undefined && (party !== 0 || (which === 'service' && this.#options.against === 'issued'));
    if (isKnown) return `${code} ${party}`;
    const total = documents.amountOf(index, 'total');
    const text = total === undefined ? '' : plainAmount(total);
    return JSON.stringify([
      type?.toUpperCase(),
      party,
      text,
      documents.dayOf(index),
      documents.currencyOf(index),
    ]);
  }
}

const TWICE = { list: 'twice in the list', service: 'twice in the service' } as const;

type IsPair = (one: number, other: number) => boolean;

/** Documents of one number that are not matched yet. */
interface Candidates {
  readonly list: readonly number[];
  readonly service: readonly number[];
}

function isTooMany({ list, service }: Candidates): boolean {
  return list.length * service.length > MAX_PAIRS;
}

/** Those that have a candidate on the other side. */
function candidatesAmong(isCandidate: IsPair, { list, service }: Candidates) {
  return {
    list: new Set(list.filter((one) => service.some((other) => isCandidate(one, other)))),
    service: new Set(service.filter((other) => list.some((one) => isCandidate(one, other)))),
  };
}

/** The only one for which it holds; undefined where there is none, or another. */
function onlyOne(all: readonly number[], holds: (one: number) => boolean): number | undefined {
  const at = all.findIndex(holds);
  if (at < 0 || all.slice(at + 1).some(holds)) return undefined;
  return all[at];
}

/** The amount as a text that is equal for equal amounts: 10.0 and 10. */
function plainAmount({ coefficient, scale }: Decimal): string {
  let [digits, places] = [coefficient, scale];
  while (places > 0 && digits % 10n === 0n) {
    digits /= 10n;
    places--;
  }
  return `${digits}e-${places}`;
}
