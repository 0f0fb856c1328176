import { IN_NO_SUM } from '../../invoices/document-types.ts';
import type { DeclaredType } from '../../invoices/fields.ts';
import { formatDay } from '../../json/calendar-day.ts';
import { addDecimals, DECIMAL_ZERO, formatDecimal, negateDecimal, type Decimal } from '../../json/decimal.ts';
import type { ColumnLook, ShownColumns } from '../../output/column-looks.ts';
import { countOf, digitGrouper, type GroupDigits } from '../../output/terminal/number-text.ts';
import { compareOrders } from '../cell-order.ts';
import { amountJson, textJson, type Row } from '../result-rows.ts';
import {
  ROW_OUTCOMES,
  totalBeside,
  type Difference,
  type Entry,
  type Outcome,
  type Outcomes,
} from './matching.ts';
import type { ListsRead, OpenLists } from './lists.ts';

/** The document in the list. A row's entry is the list's, if there is one; then its mate is the service's. */
const inList = (entry: Entry): Entry | undefined => (entry.side === 'list' ? entry : undefined);
const inService = (entry: Entry): Entry | undefined => (entry.side === 'service' ? entry : entry.mate);
/** The document for the columns that both sides have: the service's, if there is one. */
const onEither = (entry: Entry): Entry => entry.mate ?? entry;

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
  readonly json: SideJson;
}

/** A column of a fact of one side, filled where the two sides differ in it or may not be one document. */
function whereDifferent(
  fact: Difference,
  side: typeof inList,
  json: SideJson,
  look: ColumnLook = 'other',
): Column {
  return {
    look,
    rank: 7,
    fact,
    json: (entry) => {
      const isDifferent = entry.outcome === 'near' || entry.differs.includes(fact);
      const one = isDifferent ? side(entry) : undefined;
      return one === undefined ? 'null' : json(one);
    },
  };
}

/** The columns of the result. On a narrow terminal those of the highest rank go first, after those that are empty. */
const COLUMN_TABLE: Readonly<Record<string, Column>> = {
  _match: { look: 'kind', rank: 1, json: ({ outcome }) => JSON.stringify(outcome) },
  number: { rank: 2, json: (entry) => numberJson(onEither(entry)) },
  documentType: { look: 'document', rank: 8, fact: 'type', json: (entry) => typeJson(onEither(entry)) },
  counterpartyFiscalId: { rank: 11, fact: 'counterparty', json: (entry) => fiscalIdJson(onEither(entry)) },
  counterpartyName: { look: 'party', rank: 6, json: (entry) => textJson(onEither(entry).name) },
  date: { rank: 7, fact: 'date', json: (entry) => dayJson(onEither(entry)) },
  currency: { rank: 9, json: (entry) => textJson(onEither(entry).currency) },
  total: { rank: 3, json: (entry) => amountJson(inService(entry)?.total) },
  'list.total': { look: 'amount', rank: 4, json: (entry) => amountJson(inList(entry)?.total) },
  difference: { look: 'amount', rank: 11, json: (entry) => amountJson(differenceOf(entry)) },
  differs: { look: 'kind', rank: 5, json: ({ differs }) => textJson(differs.join(', ') || undefined) },
  'list.number': whereDifferent('number', inList, numberJson),
  'list.date': whereDifferent('date', inList, dayJson),
  net: whereDifferent('net', inService, netJson, 'amount'),
  'list.net': whereDifferent('net', inList, netJson, 'amount'),
  tax: whereDifferent('tax', inService, taxJson, 'amount'),
  'list.tax': whereDifferent('tax', inList, taxJson, 'amount'),
  'list.documentType': whereDifferent('type', inList, typeJson, 'document'),
  'list.counterpartyFiscalId': whereDifferent('counterparty', inList, fiscalIdJson),
  'list.file': { rank: 12, json: ({ list }) => textJson(list?.path) },
  'list.row': { rank: 10, json: ({ line = null }) => String(line) },
  'list.repeats': { rank: 10, json: (entry) => textJson(placeOfFirst(entry)) },
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
function differenceOf(entry: Entry): Decimal | undefined {
  const total = entry.mate && totalBeside(entry, entry.mate)?.total;
  return total && entry.total && addDecimals(total, negateDecimal(entry.total));
}

function placeOfFirst({ list, repeats }: Entry): string | undefined {
  if (list === undefined || repeats === undefined) return undefined;
  return repeats.list === list ? `line ${repeats.line}` : `${repeats.list?.path}, line ${repeats.line}`;
}

/** The rows of the result, by outcome, then counterparty and number. */
export function* rowsOf(entries: Outcomes, all: boolean): Generator<Row> {
  const columns = Object.entries(COLUMN_TABLE);
  for (const outcome of ROW_OUTCOMES) {
    if (outcome === 'same' && !all) continue;
    const ordered = (entries.get(outcome) ?? []).map((entry) => ({ entry, order: orderOf(onEither(entry)) }));
    for (const { entry } of ordered.sort((a, b) => compareOrders(a.order, b.order)))
      yield columns.map(([column, { json }]) => [column, json(entry)]);
  }
}

/** Digits of fiscal IDs, and of numbers, that are sorted by value. */
const ID_DIGITS = 12;
const NUMBER_DIGITS = 15;

/** A number of digits that JavaScript holds exactly. */
const PLAIN_NUMBER = /^(?:0|[1-9]\d{0,14})$/;

/** A sort key: it orders documents by counterparty, then by number. */
function orderOf({ party, name = '', number = '' }: Entry): string {
  const value = PLAIN_NUMBER.test(number) ? number.padStart(NUMBER_DIGITS, '0') : ` ${number}`;
  return `${(party ?? name).padStart(ID_DIGITS, '0')}\0${value}`;
}

interface Reconciled extends OpenLists, ListsRead {
  /** How many records of the service were compared. */
  readonly records: number;
  readonly entries: Outcomes;
}

/** The counts and sums, a line each. */
export function countsOf(reconciled: Reconciled, locale: string): string[] {
  const { listed, against, months, records, entries, receiptTotals } = reconciled;
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
  const numberOf = (outcome: Outcome): number => entries.get(outcome)?.length ?? 0;
  const apart = entries.get('apart')?.map(({ family }) => family) ?? [];
  for (const family of new Set(apart))
    addLine(
      apart.filter((one) => one === family).length,
      family,
      'of the service counted apart: the list has none',
    );
  addLine(receiptTotals, 'row', 'of the list left out: totals of receipts');
  const currencies = new Set(entries.get('not compared')?.map(({ mate }) => mate!.currency));
  addLine(
    numberOf('not compared'),
    'document',
    `in another currency than the list’s (${[...currencies].join(', ')}): there on both sides, amounts not compared`,
  );
  addLine(numberOf('pending before'), 'document', 'also listed as pending: the other list counts');
  addLine(numberOf('void'), 'void document', 'of the service left out');
  return lines;
}

/** Open points even if both sides agree: documents of the service that may be missing from the list. */
export function openPointsOf({ months, entries }: Reconciled): string[] {
  if (months.length === 0) return ['the lists have no dates: nothing counts as only in the service'];
  const undated = entries.get('undated');
  if (undated === undefined) return [];
  return [`${countOf(undated.length, 'document')} of the service without a date, in no period`];
}

/** The sums of the documents, by currency: once where both sides agree. */
function sumsOf(entries: readonly Entry[], group: GroupDigits): string[] {
  const sums = new Map<string, { service?: Decimal; list?: Decimal }>();
  const add = (one: Entry, currency = 'without a currency'): void => {
    if (one.validity === 'void' || IN_NO_SUM.has(one.family)) return;
    const sum = sums.get(currency) ?? {};
    sum[one.side] = addDecimals(sum[one.side] ?? DECIMAL_ZERO, one.total ?? DECIMAL_ZERO);
    sums.set(currency, sum);
  };
  for (const entry of entries) {
    const { mate } = entry;
    if (mate !== undefined) add(mate, mate.currency ?? entry.currency);
    add(entry, entry.currency ?? mate?.currency);
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
