import type { Finding } from '../../findings.ts';
import { IN_NO_SUM, type Family } from '../../invoices/document-types.ts';
import type { DeclaredType } from '../../invoices/fields.ts';
import { formatDay } from '../../json/calendar-day.ts';
import { addDecimals, DECIMAL_ZERO, formatDecimal, negateDecimal, type Decimal } from '../../json/decimal.ts';
import type { ColumnRole, ShownColumns } from '../../output/column-roles.ts';
import { countOf, digitGrouper, type GroupDigits } from '../../output/terminal/number-text.ts';
import { compareOrders } from '../cell-order.ts';
import { amountJson, textJson, type Row } from '../result-rows.ts';
import { ROW_OUTCOMES, totalBeside, type Difference, type Entry, type Outcome } from './matching.ts';
import type { ListsRead, OpenLists } from './lists.ts';

/** The document of a row, on one side or on both. */
interface Sides {
  /** The entry with the outcome. */
  readonly entry: Entry;
  readonly list?: Entry | undefined;
  readonly service?: Entry | undefined;
  /** The one that fills the columns of either side: that of the service, if there is one. */
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
  readonly fact?: Difference;
  readonly json: (sides: Sides) => string;
}

/** A column of a fact of one side, filled where the two sides differ in it or may not be one document. */
function whereDifferent(
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
      const isDifferent = entry.outcome === 'near' || entry.differs.includes(fact);
      return isDifferent && one !== undefined ? json(one) : 'null';
    },
  };
}

/** The columns of the result. On a narrow terminal those of the highest rank go first, after those that are empty. */
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
  'list.number': whereDifferent('number', 'list', numberJson),
  'list.date': whereDifferent('date', 'list', dayJson),
  net: whereDifferent('net', 'service', netJson, 'amount'),
  'list.net': whereDifferent('net', 'list', netJson, 'amount'),
  tax: whereDifferent('tax', 'service', taxJson, 'amount'),
  'list.tax': whereDifferent('tax', 'list', taxJson, 'amount'),
  'list.documentType': whereDifferent('type', 'list', typeJson, 'document'),
  'list.counterpartyFiscalId': whereDifferent('counterparty', 'list', fiscalIdJson),
  'list.file': { rank: 12, json: ({ list }) => textJson(list?.file) },
  'list.row': { rank: 10, json: ({ list }) => (list === undefined ? 'null' : String(list.line)) },
  'list.repeats': { rank: 10, json: ({ list }) => textJson(list && placeOfFirst(list)) },
};
export const COLUMNS = Object.keys(COLUMN_TABLE);

const AMOUNTS: readonly string[] = ['total', 'difference', 'net', 'tax'];

export function typeOfColumn(column: string): DeclaredType {
  const fact = column.replace(/^list\./, '');
  if (AMOUNTS.includes(fact)) return 'money';
  return fact === 'date' ? 'date' : fact === 'row' ? 'count' : 'text';
}

/** The columns for a table: what differs comes first, and with several lists the place of a document in them. */
export function shownFor(entries: Outcomes, isSeveral: boolean): ShownColumns {
  const differing = new Set([...entries.values()].flat().flatMap(({ differs }) => differs));
  const columns = Object.entries(COLUMN_TABLE).map(([name, column]) => {
    const { fact } = column;
    if (fact !== undefined) return [name, differing.has(fact) ? { ...column, rank: 4.5 } : column];
    const isPlace = isSeveral && ['list.file', 'list.row'].includes(name);
    return [name, isPlace ? { ...column, rank: 4.4 } : column];
  });
  return Object.fromEntries(columns) as ShownColumns;
}

/** By how much the service has more, in the currency of the list; undefined where the two cannot be compared. */
function differenceOf({ list, service }: Sides): Decimal | undefined {
  const total = list && service && totalBeside(list, service)?.total;
  return total && list.total && addDecimals(total, negateDecimal(list.total));
}

/** Where the document is that this one repeats. */
function placeOfFirst({ file, repeats }: Entry): string | undefined {
  if (repeats === undefined) return undefined;
  return repeats.file === file ? `line ${repeats.line}` : `${repeats.file}, line ${repeats.line}`;
}

/** The documents by outcome. One that is on both sides is there once, as the entry of the list. */
type Outcomes = ReadonlyMap<Outcome, readonly Entry[]>;

/** The rows of the result, by outcome, then counterparty and number. */
export function* rowsOf(entries: Outcomes, all: boolean): Generator<Row> {
  const columns = Object.entries(COLUMN_TABLE);
  for (const outcome of ROW_OUTCOMES) {
    if (outcome === 'same' && !all) continue;
    for (const entry of inOrder(entries.get(outcome) ?? [])) {
      const sides = sidesOf(entry);
      yield columns.map(([column, { json }]) => [column, json(sides)]);
    }
  }
}

/** Digits of fiscal IDs that are sorted by value. */
const PAD = 12;

/** A number of digits that JavaScript holds exactly. */
const PLAIN_NUMBER = /^(?:0|[1-9]\d{0,14})$/;

/** By counterparty, then number: those of digits by value. */
function inOrder(entries: readonly Entry[]): Entry[] {
  const keyed = entries.map((entry) => {
    const { party, name = '', number = '' } = entry.mate ?? entry;
    const isPlain = PLAIN_NUMBER.test(number);
    const value = isPlain ? Number(number) : 0;
    return { entry, party: (party ?? name).padStart(PAD, '0'), value, word: isPlain ? '' : number };
  });
  keyed.sort((a, b) => compareOrders(a.party, b.party) || a.value - b.value || compareOrders(a.word, b.word));
  return keyed.map(({ entry }) => entry);
}

function sidesOf(entry: Entry): Sides {
  const { side, mate } = entry;
  if (side === 'service') return { entry, service: entry, one: entry };
  return { entry, list: entry, service: mate, one: mate ?? entry };
}

interface Reconciled extends OpenLists, ListsRead {
  /** How many records of the service were compared. */
  readonly records: number;
  readonly entries: Outcomes;
  readonly isSame: boolean;
  /** How many documents of the service are of kinds that the list has none of. */
  readonly ofKind: ReadonlyMap<Family, number>;
  readonly voids: number;
  /** How many documents that are in no list have no date. */
  readonly undated: number;
}

/** The counts and sums. They are part of the answer where the two sides differ. */
export function countsOf(reconciled: Reconciled, locale: string): Finding[] {
  const { listed, against, months, records, entries, isSame, ofKind, receiptTotals, voids, undated } =
    reconciled;
  const group = digitGrouper(locale);
  const count = (n: number, what: string): string =>
    countOf(n, what).replace(/^\d+/, (digits) => group(digits));
  const period = months.length === 0 ? '' : `${months.map(({ name }) => name).join(', ')}: `;
  const lines = [
    `${period}${count(listed.length, 'document')} listed, ${count(records, `${against} invoice`)} looked at`,
  ];
  for (const outcome of ROW_OUTCOMES) {
    const some = entries.get(outcome);
    if (some === undefined) continue;
    lines.push(`${outcome}: ${[group(String(some.length)), ...sumsOf(some, group)].join(' \u00b7 ')}`);
  }
  const addLine = (n: number, what: string, rest: string): void => {
    if (n > 0) lines.push(`${count(n, what)} ${rest}`);
  };
  for (const [family, n] of ofKind) addLine(n, family, 'of the service counted apart: the list has none');
  addLine(receiptTotals, 'row', 'of the list left out: totals of receipts');
  const other = entries.get('not compared') ?? [];
  const currencies = [...new Set(other.map(({ mate }) => mate!.currency))].join(', ');
  addLine(
    other.length,
    'document',
    `in another currency than the list’s (${currencies}): there on both sides, amounts not compared`,
  );
  const pending = entries.get('pending before')?.length ?? 0;
  addLine(pending, 'document', 'also listed as pending: the other list counts');
  addLine(voids, 'void document', 'of the service left out');
  if (months.length === 0) lines.push('the lists have no dates: nothing counts as only in the service');
  addLine(undated, 'document', 'of the service without a date, in no period');
  return lines.map((text) => ({ level: isSame ? 'remark' : 'answer', text }));
}

/** The sums of the documents, by currency: once where both sides agree. */
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
