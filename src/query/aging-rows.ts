import { formatDay } from '../json/calendar-day.ts';
import type { Cell } from '../json/cells.ts';
import { compareDecimals, formatDecimal, widestScale, type Decimal } from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';
import { PROFILE_COLUMN, type DeclaredType } from '../invoices/fields.ts';
import { bucketNames, type Buckets } from '../invoices/open-items.ts';
import type { ShownColumns } from '../output/column-roles.ts';
import { countOf } from '../output/terminal/number-text.ts';
import {
  agesOf,
  Aging,
  overdueOf,
  sumOfBalances,
  totalOf,
  type AgedBalance,
  type AgingOptions,
} from './aging.ts';
import { compareOrders, orderOf } from './cell-order.ts';
import type { SortColumn } from './question-syntax.ts';
import type { Finding } from '../findings.ts';
import type { Question } from './questions.ts';
import {
  byCurrency,
  chosenColumns,
  resultRows,
  type BarTerminal,
  type MeasuredRow,
  type ResultRows,
  type ResultContext,
} from './result-rows.ts';
import { textJson, type Row, type RowField } from './rows.ts';

/** How the result of aging is laid out. */
interface AgingLayout {
  /** Whether totals are rows among the others, marked by `_row`. On a terminal they always are. */
  readonly totals: boolean;
  /** The order of the rows of a currency; without it, the largest total first. */
  readonly sort?: readonly SortColumn[] | undefined;
  /** The most rows of each currency, without its total; all rows without it. */
  readonly limit?: number | undefined;
  /** A remark on all figures. Off a terminal, it is a column `note` of every row. */
  readonly note?: string | undefined;
}

const TOTAL = 'Total';
const NO_CURRENCY = 'no currency';
const NO_DUE_DATE = 'no due date';
/** What matters most to a reader. */
const FIRST: ShownColumns = { total: { role: 'amount', rank: -1 } };
/** On a narrow terminal, the sum of the buckets that are late. */
const OVERDUE = 'overdue';
/** The columns that are no amounts. */
const TYPES: Readonly<Record<string, DeclaredType>> = {
  _row: 'text',
  [PROFILE_COLUMN]: 'text',
  counterparty: 'text',
  fiscalId: 'text',
  currency: 'text',
  invoices: 'count',
  'total.missing': 'count',
  note: 'text',
};

function typeOf(column: string): DeclaredType {
  return TYPES[column] ?? 'money';
}

/** What is beside the total, so that nothing is left out in silence. */
const BESIDE = ['total.creditNotes', 'total.cancelled', 'total.missing'];

/**
 * A row for each counterparty and currency, the largest total first, and at the end one for the invoices without a currency.
 *
 * Columns: `_row` where there are totals (the kind of the row: `counterparty`, `no currency`, `total`), `_profile` where there
 * are several, `counterparty`, `fiscalId`, `currency`, `invoices`, the buckets, `no due date`, `credits`, `total` (the sum of
 * the buckets, what has no due date, and the credits), then of the total the part that is credit notes, what was left out
 * since it was cancelled, and how many documents have no open amount; `note`.
 *
 * A terminal has totals and `bar`, but no `_row` and no `note`, and leaves out rows of nothing but zeros. A narrow one leaves
 * out `fiscalId`, `invoices` and columns of zeros, then has `overdue` for the late buckets, so that the columns still add up. Where
 * that is too much, too, it keeps `overdue` the longest.
 */
export function agingRows(
  balances: readonly AgedBalance[],
  { buckets, layout }: { readonly buckets: Buckets; readonly layout: AgingLayout },
  terminal?: BarTerminal,
): ResultRows {
  const isShown = terminal !== undefined;
  const hasTotals = layout.totals || isShown;
  const isProfiled = balances.some(({ profile }) => profile !== undefined);
  const listed = isShown ? balances.filter(({ invoices }) => invoices > 0) : balances;
  const currencies = byCurrency(inOrder(listed), ({ currency }) => currency).map((ofOneCurrency) => {
    const scale = widestScale(ofOneCurrency.flatMap(amountsIn));
    const rowOf = (balance: AgedBalance, kind?: string): Row => [
      ...agedRow(balance, { buckets, scale, note: layout.note, kind, isProfiled }),
      ...(isShown ? [[OVERDUE, formatDecimal(overdueOf(balance), scale)] as const] : []),
    ];
    const rows = ofOneCurrency
      .toSorted((a, b) => compareDecimals(totalOf(b), totalOf(a)))
      .map((balance): MeasuredRow & { readonly balance: AgedBalance } => {
        return { row: rowOf(balance), value: totalOf(balance), balance };
      });
    const sorted = layout.sort === undefined ? rows : sortRows(rows, layout.sort);
    const isKnown = ofOneCurrency[0]?.kind === 'counterparty';
    const shown = isKnown ? sorted.slice(0, layout.limit) : sorted;
    if (!hasTotals || !isKnown) return shown;
    return [...shown, { row: rowOf(sumOfBalances(ofOneCurrency, TOTAL), 'total'), value: undefined }];
  });
  const names = bucketNames(buckets);
  const amounts = [...names, NO_DUE_DATE, 'credits'];
  const isEmpty = (column: string): boolean =>
    currencies.every((rows) => rows.every(({ row }) => isZero(row.find(([name]) => name === column)?.[1])));
  const beside = isShown ? BESIDE.filter((column) => !isEmpty(column)) : BESIDE;
  const columns = [
    ...(hasTotals && !isShown ? ['_row'] : []),
    ...(isProfiled ? [PROFILE_COLUMN] : []),
    'counterparty',
    'fiscalId',
    'currency',
    'invoices',
    ...amounts.filter((column) => !isShown || names.includes(column) || !isEmpty(column)),
    'total',
    ...beside,
    ...(layout.note !== undefined && !isShown ? ['note'] : []),
  ];
  const empty = listed.length > 0 ? amounts.filter(isEmpty) : [];
  return resultRows(
    currencies,
    {
      ...{ columns, shown: FIRST, spare: [...beside, 'fiscalId', 'invoices', ...empty] },
      together: { columns: names.slice(1), as: OVERDUE },
      further: [names[0]!, NO_DUE_DATE, 'credits', ...names.slice(1), OVERDUE],
    },
    terminal,
  );
}

/** Whether a value is a zero, however many digits it has; what is not there is one, too. */
function isZero(json: string | undefined): boolean {
  return json === undefined || /^-?0*(?:\.0*)?$/.test(json);
}

/** Balances without a currency come last: they are in no total. */
function inOrder(balances: readonly AgedBalance[]): AgedBalance[] {
  const isLast = ({ kind }: AgedBalance): boolean => kind === 'noCurrency';
  return [...balances.filter((balance) => !isLast(balance)), ...balances.filter(isLast)];
}

function amountsIn(balance: AgedBalance): Decimal[] {
  return [...agesOf(balance), balance.creditNotes, balance.cancelled];
}

interface RowLayout {
  readonly buckets: Buckets;
  readonly scale: number;
  readonly note: string | undefined;
  readonly kind: string | undefined;
  /** Whether rows have the column `_profile`. */
  readonly isProfiled: boolean;
}

function agedRow(balance: AgedBalance, { buckets, scale, note, kind, isProfiled }: RowLayout): Row {
  const { ages, creditNotes, cancelled, missing } = balance;
  const { invoices, profile, name, fiscalId, currency } = balance;
  const own = balance.kind === 'noCurrency' ? NO_CURRENCY : undefined;
  const amount = (column: string, value: Decimal): RowField => [column, formatDecimal(value, scale)];
  return [
    ['_row', JSON.stringify(kind ?? own ?? 'counterparty')],
    ...(isProfiled ? [[PROFILE_COLUMN, textJson(profile)] as const] : []),
    ['counterparty', textJson(name ?? own)],
    ['fiscalId', textJson(fiscalId)],
    ['currency', textJson(currency)],
    ['invoices', String(invoices)],
    ...[...bucketNames(buckets), NO_DUE_DATE, 'credits'].map((column, age) => amount(column, ages[age]!)),
    amount('total', totalOf(balance)),
    amount('total.creditNotes', creditNotes),
    amount('total.cancelled', cancelled),
    ['total.missing', String(missing)],
    ...(note === undefined ? [] : [['note', JSON.stringify(note)] as const]),
  ];
}

/** Sorts rows as records are sorted: those without a value last. Throws UsageError for a column that the rows do not have. */
function sortRows<Sorted extends MeasuredRow>(
  rows: readonly Sorted[],
  keys: readonly SortColumn[],
): Sorted[] {
  const columns = rows[0]?.row.map(([name]) => name) ?? [];
  chosenColumns(columns, { asked: keys.map(({ column }) => column), flag: '--sort' });
  const orderIn = ({ row }: Sorted, column: string): string | undefined =>
    orderOf(cellOf(row[columns.indexOf(column)]![1]));
  return rows.toSorted((a, b) => {
    for (const { column, descending } of keys) {
      const order = compareOrders(orderIn(a, column), orderIn(b, column), descending);
      if (order !== 0) return order;
    }
    return 0;
  });
}

function cellOf(json: string): Cell | undefined {
  if (json === 'null') return undefined;
  return json.startsWith('"')
    ? { kind: 'string', text: JSON.parse(json) as string }
    : { kind: 'number', text: json };
}

/** The question that `folio aging` asks: open amounts by how long they are overdue. */
export function agingQuestion(
  options: AgingOptions,
  layout: Omit<AgingLayout, 'note'>,
  { terminal, placeOf }: ResultContext,
): Question {
  const aging = new Aging(options);
  const { asOf, today, buckets } = options;
  const note = asOf < today ? pastNote(asOf, today) : undefined;
  let columns: ResultRows['columns'] = [];
  let leftOut: ResultRows['leftOut'] = [];
  let balances: readonly AgedBalance[] = [];
  return {
    sample: (batch) => aging.documents.sample(batch),
    async *answer(records): AsyncGenerator<RecordBatch> {
      for await (const batch of records) aging.add(batch, placeOf);
      balances = aging.finish();
      const result = agingRows(balances, { buckets, layout: { ...layout, note } }, terminal);
      ({ columns, leftOut } = result);
      yield result.batch;
    },
    result: {
      columns: (asked) =>
        asked === undefined ? columns : chosenColumns([...columns, ...leftOut], { asked, flag: '--columns' }),
      shown: FIRST,
      typeOf,
    },
    findings: () => {
      const invoices = balances.reduce((sum, balance) => sum + balance.invoices, 0);
      const counted = countOf(invoices, 'open invoice');
      const texts = [`${counted} as of ${formatDay(asOf)}; the columns are days overdue`];
      if (note !== undefined)
        texts.push(`${note}; ${countOf(aging.issuedLater, 'open invoice')} issued later left out`);
      texts.push(...aging.counted.clauses('open'), ...limitNotes(balances, layout.limit));
      const missing = balances.reduce((sum, balance) => sum + balance.missing, 0);
      if (missing > 0) texts.push(`${countOf(missing, 'document')} without an open amount`);
      if (leftOut.length > 0)
        texts.push(`Not shown: ${leftOut.join(', ')}. Choose with --columns, see all with --wide`);
      return [
        ...texts.map((text): Finding => ({ level: 'remark', text })),
        aging.unreadable.finding('aging'),
      ];
    },
  };
}

/** The note for a day in the past: the service tells what is open now, not what was open on that day. */
function pastNote(asOf: number, today: number): string {
  return `balances of ${formatDay(today)}: payments after ${formatDay(asOf)} are not undone`;
}

/** How a note ends that says that there are more counterparties than rows. */
export const TOTALS_OF_ALL = 'totals are of all';

function limitNotes(balances: readonly AgedBalance[], limit: number | undefined): string[] {
  const known = balances.filter(({ kind }) => kind === 'counterparty');
  const shown = byCurrency(known, ({ currency }) => currency)
    .map(({ length }) => Math.min(length, limit ?? length))
    .reduce((sum, count) => sum + count, 0);
  return shown === known.length ? [] : [`${shown} of ${known.length} shown; ${TOTALS_OF_ALL}`];
}
