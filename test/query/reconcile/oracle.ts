/*
 * What reconciling has to say, written down a second time and without any code of the program: plainly, each document held against
 * every other. Amounts are whole numbers.
 */

export interface OracleDocument {
  readonly number: string;
  /** A code, a word, or '' where it says none. */
  readonly type: string;
  readonly party: string;
  readonly total: number;
  readonly net: number | undefined;
  /** `2026-10-15`; '' where it says none. */
  readonly date: string;
  /** '' where it says none. */
  readonly currency: string;
}

export interface OracleQuestion {
  readonly against: 'issued' | 'received';
  readonly tolerance: number;
  /** The month: `2026-10`. */
  readonly month: string;
  readonly list: readonly OracleDocument[];
  readonly service: readonly OracleDocument[];
}

/** `outcome | place in the list | place in the service | differs`, in any order. */
export type OracleRow = string;

const CODES: Readonly<Record<string, readonly number[]>> = {
  invoice: [30, 32, 33, 34, 40, 43, 45, 46, 101, 110],
  debit: [55, 56, 104, 111],
  credit: [60, 61, 106, 112],
  receipt: [35, 38, 39, 41, 48],
  guide: [50, 52],
  import: [914],
};
const WORDS: Readonly<Record<string, string>> = {
  INVOICE: 'invoice',
  DEBIT_NOTE: 'debit',
  CREDIT_NOTE: 'credit',
  RECEIPT: 'receipt',
  DELIVERY_GUIDE: 'guide',
};

/** The family of a type; undefined where nobody knows it. */
function familyOf(type: string): string | undefined {
  if (!isCode(type)) return WORDS[type];
  return Object.keys(CODES).find((family) => CODES[family]!.includes(Number(type)));
}

function isCode(type: string): boolean {
  return /^\d+$/.test(type);
}

function worth(of: OracleDocument, amount: number): number {
  return familyOf(of.type) === 'credit' ? -Math.abs(amount) : amount;
}

/** Holds every document of the list against every one of the service. */
export function oracle({ against, tolerance, month, list, service }: OracleQuestion): OracleRow[] {
  const rows: OracleRow[] = [];
  const say = (outcome: string, one: number | '', other: number | '', differs = ''): void => {
    rows.push(`${outcome} | ${one} | ${other} | ${differs}`);
  };
  const near = (one: number, other: number): boolean => Math.abs(one - other) <= tolerance;
  const comparable = (one: OracleDocument, other: OracleDocument): boolean =>
    one.currency === '' || other.currency === '' || one.currency === other.currency;
  const sameTotal = (one: OracleDocument, other: OracleDocument): boolean =>
    comparable(one, other) && near(worth(one, one.total), worth(other, other.total));

  // What is there again is no candidate.
  const firstOf = (all: readonly OracleDocument[], at: number): number => {
    const one = all[at]!;
    return all.findIndex((each) => {
      const isSame = each.number === one.number && each.type === one.type && each.party === one.party;
      if (isCode(one.type)) return isSame;
      return isSame && each.total === one.total && each.date === one.date && each.currency === one.currency;
    });
  };
  const places = (all: readonly OracleDocument[]): number[] =>
    [...all.keys()].filter((at) => firstOf(all, at) === at);
  let listLeft = places(list);
  let serviceLeft = places(service);

  const kind = (one: number, other: number): 'type' | 'unknown' | 'none' => {
    const [a, b] = [list[one]!, service[other]!];
    if (a.number !== b.number) return 'none';
    if (against === 'received' && a.party !== b.party) return 'none';
    if (isCode(a.type) && isCode(b.type)) return a.type === b.type ? 'type' : 'none';
    const [family, otherFamily] = [familyOf(a.type), familyOf(b.type)];
    if (family !== undefined && otherFamily !== undefined) return family === otherFamily ? 'type' : 'none';
    return a.type !== '' && a.type === b.type ? 'type' : 'unknown';
  };
  const mates = new Map<number, number>();
  const pair = (holds: (one: number, other: number) => boolean): void => {
    const found = listLeft.flatMap((one) => {
      const candidates = serviceLeft.filter((other) => holds(one, other));
      const [other] = candidates;
      if (candidates.length !== 1 || listLeft.filter((rival) => holds(rival, other!)).length !== 1) return [];
      return [[one, other!] as const];
    });
    for (const [one, other] of found) mates.set(one, other);
    listLeft = listLeft.filter((one) => !mates.has(one));
    serviceLeft = serviceLeft.filter((other) => ![...mates.values()].includes(other));
  };
  const ambiguous = (holds: (one: number, other: number) => boolean): void => {
    const [ones, others] = [
      listLeft.filter((one) => serviceLeft.some((other) => holds(one, other))),
      serviceLeft.filter((other) => listLeft.some((one) => holds(one, other))),
    ];
    for (const one of ones) say('ambiguous', one, '');
    for (const other of others) say('ambiguous', '', other);
    listLeft = listLeft.filter((one) => !ones.includes(one));
    serviceLeft = serviceLeft.filter((other) => !others.includes(other));
    for (const other of others) judged.add(other);
  };
  const judged = new Set<number>();
  const isType = (one: number, other: number): boolean => kind(one, other) === 'type';
  const isExact = (one: number, other: number): boolean =>
    isType(one, other) &&
    comparable(list[one]!, service[other]!) &&
    worth(list[one]!, list[one]!.total) === worth(service[other]!, service[other]!.total);
  const isEqual = (one: number, other: number): boolean =>
    isType(one, other) && sameTotal(list[one]!, service[other]!);
  const isOfDay = (one: number, other: number): boolean =>
    list[one]!.date !== '' && list[one]!.date === service[other]!.date;
  pair(isExact);
  pair(isEqual);
  pair((one, other) => isEqual(one, other) && isOfDay(one, other));
  pair(isEqual);
  const [equalOnes, equalOthers] = [
    listLeft.filter((one) => serviceLeft.some((other) => isEqual(one, other))),
    serviceLeft.filter((other) => listLeft.some((one) => isEqual(one, other))),
  ];
  pair(
    (one, other) =>
      isType(one, other) && isOfDay(one, other) && !equalOnes.includes(one) && !equalOthers.includes(other),
  );
  pair(isType);
  ambiguous(isType);
  pair((one, other) => kind(one, other) === 'unknown');
  ambiguous((one, other) => kind(one, other) === 'unknown');

  for (const [one, other] of mates) {
    const [a, b] = [list[one]!, service[other]!];
    judged.add(other);
    if (!comparable(a, b)) continue;
    const differs: string[] = [];
    if (!sameTotal(a, b)) differs.push('total');
    if (a.net !== undefined && b.net !== undefined && !near(worth(a, a.net), worth(b, b.net)))
      differs.push('net');
    if (a.date !== '' && b.date !== '' && a.date !== b.date) differs.push('date');
    if (a.party !== b.party) differs.push('counterparty');
    say(differs.length === 0 ? 'same' : 'differs', one, other, differs.join(', '));
  }

  const day = (date: string): number => Date.parse(`${date}T00:00:00Z`) / 86_400_000;
  const first = day(`${month}-01`);
  const last = day(
    new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), 0)).toISOString().slice(0, 10),
  );
  const inPeriod = ({ date }: OracleDocument): boolean =>
    date !== '' && day(date) >= first && day(date) <= last;
  const inReach = ({ date }: OracleDocument): boolean => day(date) >= first - 31 && day(date) <= last + 31;
  const families = new Set(list.map(({ type }) => familyOf(type)));
  const isApart = ({ type }: OracleDocument): boolean =>
    ['receipt', 'guide'].includes(familyOf(type) ?? '') && !families.has(familyOf(type));

  const nearOnes = listLeft.filter((one) => list[one]!.date === '' || inReach(list[one]!));
  const nearOthers = serviceLeft.filter(
    (other) => service[other]!.date !== '' && inReach(service[other]!) && !isApart(service[other]!),
  );
  const alike = (one: number, other: number): boolean => {
    const [a, b] = [list[one]!, service[other]!];
    if (!comparable(a, b) || worth(a, a.total) !== worth(b, b.total)) return false;
    return (a.party === b.party) !== (a.number === b.number);
  };
  const nearPairs = nearOnes.flatMap((one) => {
    const candidates = nearOthers.filter((other) => alike(one, other));
    const [other] = candidates;
    const isOnly = candidates.length === 1 && nearOnes.filter((rival) => alike(rival, other!)).length === 1;
    return isOnly ? [[one, other!] as const] : [];
  });
  for (const [one, other] of nearPairs) {
    say('near', one, '');
    say('near', '', other);
  }
  for (const one of listLeft) if (!nearPairs.some(([near]) => near === one)) say('only in the list', one, '');
  for (const other of serviceLeft) {
    if (nearPairs.some(([, near]) => near === other)) {
      judged.add(other);
      continue;
    }
    if (isApart(service[other]!) || !inPeriod(service[other]!)) continue;
    judged.add(other);
    say('only in the service', '', other);
  }
  for (const at of list.keys()) if (firstOf(list, at) !== at) say('twice in the list', at, '');
  for (const at of service.keys()) {
    const original = firstOf(service, at);
    if (original !== at && (inPeriod(service[at]!) || judged.has(original)))
      say('twice in the service', '', at);
  }
  return rows;
}
