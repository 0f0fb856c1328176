import type { Finding } from '../../findings.ts';
import { IN_NO_SUM, type Family } from '../../invoices/documents.ts';
import { formatDay } from '../../json/calendar-day.ts';
import { addDecimals, DECIMAL_ZERO, formatDecimal, negateDecimal, type Decimal } from '../../json/decimal.ts';
import type { ShownColumns } from '../../output/column-roles.ts';
import { countOf, digitGrouper, type GroupDigits } from '../../output/terminal/number-text.ts';
import { compareOrders } from '../cell-order.ts';
import { amountJson, textJson, type Row } from '../rows.ts';
import { ROW_OUTCOMES, type Entry, type Outcome } from './entries.ts';
import type { ListsRead, OpenLists } from './lists.ts';

/** The columns of the result, and which of them a narrow terminal has room for: that of the highest rank goes first. */
export const SHOWN = {
  _match: { role: 'kind', rank: 1 },
  number: { rank: 2 },
  documentType: { role: 'document', rank: 8 },
  counterpartyFiscalId: { rank: 11 },
  counterpartyName: { role: 'party', rank: 5 },
  date: { rank: 7 },
  currency: { rank: 9 },
  total: { rank: 3 },
  'list.total': { role: 'amount', rank: 4 },
  difference: { role: 'amount', rank: 11 },
  differs: { role: 'kind', rank: 6 },
  'list.file': { rank: 12 },
  'list.row': { rank: 10 },
} as const satisfies ShownColumns;
export const COLUMNS = Object.keys(SHOWN);

/** What became of the documents: what is on both sides is there once, as the entry of the list. */
type Outcomes = ReadonlyMap<Outcome, readonly Entry[]>;

/** The rows of the result, by outcome, then counterparty and number. */
export function* rowsOf(entries: Outcomes, all: boolean): Generator<Row> {
  for (const outcome of ROW_OUTCOMES) {
    if (outcome === 'same' && !all) continue;
    for (const entry of inOrder(entries.get(outcome) ?? [])) yield rowOf(entry);
  }
}

/** Digits of fiscal IDs that are sorted by value. */
const PAD = 12;

/** By counterparty, then number, those of digits by value. */
function inOrder(entries: readonly Entry[]): Entry[] {
  const sorted = entries.map((entry) => {
    const { party, name = '', number = '' } = entry.mate ?? entry;
    const isPlain = PLAIN_NUMBER.test(number);
    const value = isPlain ? Number(number) : 0;
    return { entry, party: (party ?? name).padStart(PAD, '0'), value, word: isPlain ? '' : number };
  });
  sorted.sort(
    (a, b) => compareOrders(a.party, b.party) || a.value - b.value || compareOrders(a.word, b.word),
  );
  return sorted.map(({ entry }) => entry);
}

/** A number of digits that JavaScript holds exactly. */
const PLAIN_NUMBER = /^(?:0|[1-9]\d{0,14})$/;

function rowOf(entry: Entry): Row {
  const { list, service } = sidesOf(entry);
  const { number, type, fiscalId, name, day, currency } = service ?? entry;
  const isCompared = service?.total !== undefined && list?.total !== undefined;
  const difference = isCompared ? addDecimals(service.total, negateDecimal(list.total)) : undefined;
  return [
    ['_match', JSON.stringify(entry.outcome)],
    ['number', number !== undefined && PLAIN_NUMBER.test(number) ? number : textJson(number)],
    ['documentType', textJson(type)],
    ['counterpartyFiscalId', textJson(fiscalId)],
    ['counterpartyName', textJson(name)],
    ['date', textJson(day === undefined ? undefined : formatDay(day))],
    ['currency', textJson(currency)],
    ['total', amountJson(service?.total)],
    ['list.total', amountJson(list?.total)],
    ['difference', amountJson(difference)],
    ['differs', textJson(entry.differs.join(', ') || undefined)],
    ['list.file', textJson(list?.file)],
    ['list.row', list === undefined ? 'null' : String(list.line)],
  ];
}

function sidesOf(entry: Entry): { readonly list?: Entry | undefined; readonly service?: Entry | undefined } {
  return entry.side === 'list' ? { list: entry, service: entry.mate } : { service: entry };
}

/** What the counts are of. */
interface Reconciled extends OpenLists, ListsRead {
  /** How many records were looked at. */
  readonly records: number;
  readonly entries: Outcomes;
  readonly isSame: boolean;
  /** Documents of the service of kinds that the list has none of. */
  readonly ofKind: ReadonlyMap<Family, number>;
  /** Documents of the service that are void. */
  readonly voids: number;
  /** Documents of the service, in no list, that do not say of when they are. */
  readonly undated: number;
}

/** The counts and sums. They are part of the answer where the two sides differ. */
export function countsOf(reconciled: Reconciled, locale: string): Finding[] {
  const { listed, against, months, records, entries, isSame } = reconciled;
  const group = digitGrouper(locale);
  const count = (n: number, what: string): string =>
    countOf(n, what).replace(/^\d+/, (digits) => group(digits));
  const countOfOutcome = (outcome: Outcome): number => entries.get(outcome)?.length ?? 0;
  const period = months.length === 0 ? '' : `${months.map(({ name }) => name).join(', ')}: `;
  const lines = [
    `${period}${count(listed.length, 'document')} listed, ${count(records, `${against} invoice`)} looked at`,
  ];
  for (const outcome of ROW_OUTCOMES) {
    const some = entries.get(outcome);
    if (some === undefined) continue;
    lines.push(`${outcome}: ${[group(String(some.length)), ...sumsOf(some, group)].join(' \u00b7 ')}`);
  }
  for (const [family, n] of reconciled.ofKind)
    lines.push(`${count(n, family)} of the service counted apart: the list has none`);
  if (reconciled.receiptTotals > 0)
    lines.push(`${count(reconciled.receiptTotals, 'row')} of the list left out: totals of receipts`);
  const other = entries.get('in another currency') ?? [];
  if (other.length > 0) {
    const currencies = [...new Set(other.map(({ mate }) => mate!.currency))].join(', ');
    lines.push(
      `${count(other.length, 'document')} in another currency than the list’s (${currencies}): there on both sides, amounts not compared`,
    );
  }
  const pending = countOfOutcome('pending before');
  if (pending > 0) lines.push(`${count(pending, 'document')} also listed as pending: the other list counts`);
  if (reconciled.voids > 0) lines.push(`${count(reconciled.voids, 'void document')} of the service left out`);
  if (months.length === 0) lines.push('the lists have no dates: nothing counts as only in the service');
  if (reconciled.undated > 0)
    lines.push(`${count(reconciled.undated, 'document')} of the service without a date, in no period`);
  return lines.map((text) => ({ level: isSame ? 'remark' : 'answer', text }));
}

/** What the documents are worth, by currency: once where both sides agree. */
function sumsOf(entries: readonly Entry[], group: GroupDigits): string[] {
  const sums = new Map<string, { service?: Decimal; list?: Decimal }>();
  for (const entry of entries) {
    const sides = sidesOf(entry);
    const currency = entry.mate?.currency ?? entry.currency ?? 'without a currency';
    const sum = sums.get(currency) ?? {};
    sums.set(currency, sum);
    for (const side of ['service', 'list'] as const) {
      const one = sides[side];
      if (one === undefined || IN_NO_SUM.has(one.family)) continue;
      sum[side] = addDecimals(sum[side] ?? DECIMAL_ZERO, one.total ?? DECIMAL_ZERO);
    }
  }
  return [...sums].flatMap(([currency, { service, list }]) => {
    const amountOf = (sum: Decimal | undefined) => sum && `${currency} ${group(formatDecimal(sum))}`;
    const [served, listed] = [amountOf(service), amountOf(list)];
    if (served === undefined || listed === undefined || served === listed) return served ?? listed ?? [];
    return [`${served} in the service`, `${listed} in the list`];
  });
}
