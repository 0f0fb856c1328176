import type { Finding } from '../../findings.ts';
import { IN_NO_SUM, type Family } from '../../invoices/documents.ts';
import type { DeclaredType } from '../../invoices/fields.ts';
import { formatDay } from '../../json/calendar-day.ts';
import { addDecimals, DECIMAL_ZERO, formatDecimal, negateDecimal, type Decimal } from '../../json/decimal.ts';
import type { ColumnRole, ShownColumns } from '../../output/column-roles.ts';
import { countOf, digitGrouper, type GroupDigits } from '../../output/terminal/number-text.ts';
import { compareOrders } from '../cell-order.ts';
import { amountJson, textJson, type Row } from '../rows.ts';
import { ROW_OUTCOMES, totalBeside, type Difference, type Entry, type Outcome } from './entries.ts';
import type { ListsRead, OpenLists } from './lists.ts';

/** What a row is of: a document on one side, or on both. */
interface Sides {
  /** What says what became of it. */
  readonly entry: Entry;
  readonly list?: Entry | undefined;
  readonly service?: Entry | undefined;
  /** The one of which a row says more: that of the service, if there is one. */
  readonly one: Entry;
}

type SideJson = (entry: Entry) => string;

const numberJson: SideJson = ({ number }) =>
  number !== undefined && PLAIN_NUMBER.test(number) ? number : textJson(number);
const dayJson: SideJson = ({ day }) => textJson(day === undefined ? undefined : formatDay(day));
const netJson: SideJson = ({ net, exempt }) => amountJson(net ?? exempt);
const taxJson: SideJson = ({ tax }) => amountJson(tax);
const typeJson: SideJson = ({ type }) => textJson(type);
const fiscalIdJson: SideJson = ({ fiscalId }) => textJson(fiscalId);

interface Column extends NonNullable<ShownColumns[string]> {
  /** The fact that it shows, where the sides differ in it. */
  readonly fact?: Difference;
  readonly json: (sides: Sides) => string;
}

/** A column of what a side says, where the two sides differ in that, or may not be one document at all. */
function whereOther(
  fact: Difference,
  side: 'list' | 'service',
  json: SideJson,
  role: ColumnRole = 'other',
): Column {
  return {
    role,
    rank: 7,
    fact,
    json: ({ entry, [side]: one }) => {
      const isOther = entry.outcome === 'near' || entry.differs.includes(fact);
      return isOther && one !== undefined ? json(one) : 'null';
    },
  };
}

/**
 * The columns of the result, and which of them a narrow terminal has room for: that of the highest rank goes first, and before any
 * other those in which nothing is.
 */
const COLUMN_TABLE: Readonly<Record<string, Column>> = {
  _match: { role: 'kind', rank: 1, json: ({ entry }) => JSON.stringify(entry.outcome) },
  number: { rank: 2, json: ({ one }) => numberJson(one) },
  documentType: { role: 'document', rank: 8, fact: 'type', json: ({ one }) => typeJson(one) },
  counterpartyFiscalId: { rank: 11, fact: 'counterparty', json: ({ one }) => fiscalIdJson(one) },
  counterpartyName: { role: 'party', rank: 6, json: ({ one }) => textJson(one.name) },
  date: { rank: 7, fact: 'date', json: ({ one }) => dayJson(one) },
  currency: { rank: 9, json: ({ one }) => textJson(one.currency) },
  total: { rank: 3, json: ({ service }) => amountJson(service?.total) },
  'list.total': { role: 'amount', rank: 4, json: ({ list }) => amountJson(list?.total) },
  difference: { role: 'amount', rank: 11, json: (sides) => amountJson(differenceOf(sides)) },
  differs: { role: 'kind', rank: 5, json: ({ entry }) => textJson(entry.differs.join(', ') || undefined) },
  'list.number': whereOther('number', 'list', numberJson),
  'list.date': whereOther('date', 'list', dayJson),
  net: whereOther('net', 'service', netJson, 'amount'),
  'list.net': whereOther('net', 'list', netJson, 'amount'),
  tax: whereOther('tax', 'service', taxJson, 'amount'),
  'list.tax': whereOther('tax', 'list', taxJson, 'amount'),
  'list.documentType': whereOther('type', 'list', typeJson, 'document'),
  'list.counterpartyFiscalId': whereOther('counterparty', 'list', fiscalIdJson),
  'list.file': { rank: 12, json: ({ list }) => textJson(list?.file) },
  'list.row': { rank: 10, json: ({ list }) => (list === undefined ? 'null' : String(list.line)) },
  'list.repeats': { rank: 10, json: ({ list }) => textJson(list && placeOfFirst(list)) },
};
export const COLUMNS = Object.keys(COLUMN_TABLE);

const AMOUNTS: readonly string[] = ['total', 'difference', 'net', 'tax'];

/** What the cells of a column are, in files that have types. */
export function typeOfColumn(column: string): DeclaredType {
  const fact = column.replace(/^list\./, '');
  if (AMOUNTS.includes(fact)) return 'money';
  return fact === 'date' ? 'date' : fact === 'row' ? 'count' : 'text';
}

/** What the columns are to their reader: before others, what differs, and, of several lists, where a document stands. */
export function shownFor(entries: Outcomes, isSeveral: boolean): ShownColumns {
  const differing = new Set([...entries.values()].flat().flatMap(({ differs }) => differs));
  const isWanted = (column: string, { fact }: Column): boolean =>
    fact === undefined ? isSeveral && ['list.file', 'list.row'].includes(column) : differing.has(fact);
  const columns = Object.entries(COLUMN_TABLE).map(([column, shown]) => [
    column,
    isWanted(column, shown) ? { ...shown, rank: shown.fact === undefined ? 4.4 : 4.5 } : shown,
  ]);
  return Object.fromEntries(columns) as ShownColumns;
}

/** By how much the service has more, in the currency of the list; undefined where the two cannot be compared. */
function differenceOf({ list, service }: Sides): Decimal | undefined {
  const total = list && service && totalBeside(list, service)?.total;
  return total && list.total && addDecimals(total, negateDecimal(list.total));
}

/** Where the document stands that this one repeats. */
function placeOfFirst({ file, repeats }: Entry): string | undefined {
  if (repeats === undefined) return undefined;
  return repeats.file === file ? `line ${repeats.line}` : `${repeats.file}, line ${repeats.line}`;
}

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
  const sides = sidesOf(entry);
  return Object.entries(COLUMN_TABLE).map(([column, { json }]) => [column, json(sides)]);
}

function sidesOf(entry: Entry): Sides {
  const { side, mate } = entry;
  if (side === 'service') return { entry, service: entry, one: entry };
  return { entry, list: entry, service: mate, one: mate ?? entry };
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
  const other = entries.get('not compared') ?? [];
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
    const { list, service } = sidesOf(entry);
    for (const [side, one, other] of [
      ['service', service, list],
      ['list', list, service],
    ] as const) {
      if (one === undefined || one.validity === 'void' || IN_NO_SUM.has(one.family)) continue;
      const currency = one.currency ?? other?.currency ?? 'without a currency';
      const sum = sums.get(currency) ?? {};
      sums.set(currency, sum);
      sum[side] = addDecimals(sum[side] ?? DECIMAL_ZERO, one.total ?? DECIMAL_ZERO);
    }
  }
  const areOnBoth = entries.some(({ mate }) => mate !== undefined);
  return [...sums].flatMap(([currency, { service, list }]) => {
    const amountOf = (sum: Decimal | undefined) => sum && `${currency} ${group(formatDecimal(sum))}`;
    const [served, listed] = [amountOf(service), amountOf(list)];
    if (!areOnBoth || served === listed) return served ?? listed ?? [];
    const ofSides = [served && `${served} in the service`, listed && `${listed} in the list`];
    return ofSides.filter((side) => side !== undefined);
  });
}
