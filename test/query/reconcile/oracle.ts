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
  /** Of the service: a thousand times the pesos for one of its currency; undefined where it says none. */
  readonly rate?: number | undefined;
  /** Of the service. */
  readonly status?: 'VOID' | 'NULLIFIED' | undefined;
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

/** An ID that many share. */
const SHARED = '555555555';

/** The family of a type; undefined where nobody knows it. */
function familyOf(type: string): string | undefined {
  if (!isCode(type)) return WORDS[type];
  return Object.keys(CODES).find((family) => CODES[family]!.includes(Number(type)));
}

const isCode = (type: string): boolean => /^\d+$/.test(type);

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
  const convertible = (one: OracleDocument, other: OracleDocument): boolean =>
    !comparable(one, other) && one.currency === 'CLP' && ![undefined, 1000].includes(other.rate);
  const sameTotal = (one: OracleDocument, other: OracleDocument): boolean => {
    const [a, b] = [worth(one, one.total), worth(other, other.total)];
    if (convertible(one, other)) return Math.abs(1000 * a - b * other.rate!) <= 1000 * Math.max(1, tolerance);
    return comparable(one, other) && near(a, b);
  };

  // What is there again is not a candidate.
  const firstOf = (all: readonly OracleDocument[], at: number): number => {
    const one = all[at]!;
    return all.findIndex((each) => {
      if (each.status === 'VOID') return false;
      const isSame = each.number === one.number && each.type === one.type && each.party === one.party;
      if (isCode(one.type)) return isSame;
      return isSame && each.total === one.total && each.date === one.date && each.currency === one.currency;
    });
  };
  const places = (all: readonly OracleDocument[]): number[] =>
    [...all.keys()].filter((at) => all[at]!.status !== 'VOID' && firstOf(all, at) === at);
  let listLeft = places(list);
  let serviceLeft = places(service);

  type Kind = 'type' | 'unknown' | 'other';
  const typeOf = (a: OracleDocument, b: OracleDocument): Kind => {
    if (isCode(a.type) && isCode(b.type)) return a.type === b.type ? 'type' : 'other';
    const [family, otherFamily] = [familyOf(a.type), familyOf(b.type)];
    if (family !== undefined && otherFamily !== undefined) return family === otherFamily ? 'type' : 'other';
    return a.type !== '' && a.type === b.type ? 'type' : 'unknown';
  };
  const kind = (one: number, other: number): Kind | 'none' => {
    const [a, b] = [list[one]!, service[other]!];
    if (a.number !== b.number) return 'none';
    return against === 'received' && a.party !== b.party ? 'none' : typeOf(a, b);
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
    isEqual(one, other) &&
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
  pair(
    (one, other) =>
      kind(one, other) === 'other' &&
      list[one]!.party === service[other]!.party &&
      sameTotal(list[one]!, service[other]!) &&
      isOfDay(one, other),
  );
  const voids = new Set([...service.keys()].filter((at) => service[at]!.status === 'VOID'));
  for (const one of listLeft) {
    const candidates = [...voids].filter((at) => ['type', 'unknown'].includes(kind(one, at)));
    const other = candidates.find((at) => sameTotal(list[one]!, service[at]!)) ?? candidates[0];
    if (other === undefined) continue;
    mates.set(one, other);
    voids.delete(other);
  }
  listLeft = listLeft.filter((one) => !mates.has(one));

  const differencesOf = (a: OracleDocument, b: OracleDocument): string[] => [
    ...((comparable(a, b) || convertible(a, b)) && !sameTotal(a, b) ? ['total'] : []),
    ...(comparable(a, b) &&
    a.net !== undefined &&
    b.net !== undefined &&
    !near(worth(a, a.net), worth(b, b.net))
      ? ['net']
      : []),
    ...(a.date !== '' && b.date !== '' && a.date !== b.date ? ['date'] : []),
    ...(typeOf(a, b) === 'other' ? ['type'] : []),
    ...(a.party !== b.party && a.party !== SHARED && b.party !== SHARED ? ['counterparty'] : []),
    ...(a.number === b.number ? [] : ['number']),
    ...(b.status === 'VOID' ? ['void'] : []),
    ...(b.status === 'NULLIFIED' ? ['cancelled'] : []),
  ];
  for (const [one, other] of mates) {
    const [a, b] = [list[one]!, service[other]!];
    judged.add(other);
    const differs = differencesOf(a, b);
    const alike = comparable(a, b) || convertible(a, b) ? 'same' : 'not compared';
    say(differs.length === 0 ? alike : 'differs', one, other, differs.join(', '));
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
    return (a.party === b.party && a.party !== SHARED) !== (a.number === b.number);
  };
  const nearPairs = nearOnes.flatMap((one) => {
    const candidates = nearOthers.filter((other) => alike(one, other));
    const [other] = candidates;
    const isOnly = candidates.length === 1 && nearOnes.filter((rival) => alike(rival, other!)).length === 1;
    return isOnly ? [[one, other!] as const] : [];
  });
  for (const [one, other] of nearPairs)
    say('near', one, other, differencesOf(list[one]!, service[other]!).join(', '));
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
    if (service[at]!.status === 'VOID') continue;
    const original = firstOf(service, at);
    if (original !== at && (inPeriod(service[at]!) || judged.has(original)))
      say('twice in the service', '', at);
  }
  return rows;
}
