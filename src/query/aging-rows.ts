import { formatDay } from '../json/calendar-day.ts';
import type { Cell } from '../json/cells.ts';
import {
  addDecimals,
  compareDecimals,
  DECIMAL_ZERO,
  formatDecimal,
  widestScale,
  type Decimal,
} from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';
import { countOf } from '../output/terminal/number-text.ts';
import { Aging, bucketNames, type AgedBalance, type AgingOptions } from './aging.ts';
import { compareOrders, orderOf } from './cell-order.ts';
import { PROFILE_COLUMN } from './known-columns.ts';
import type { Buckets, SortColumn } from './question-syntax.ts';
import type { Note, Question } from './questions.ts';
import {
  byCurrency,
  chosenColumns,
  resultRows,
  type BarTerminal,
  type MeasuredRow,
  type ResultRows,
  type ResultSite,
} from './result-rows.ts';
import type { Row, RowField } from './rows.ts';

/** How the result of aging is laid out. */
export interface AgingLayout {
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
const NAMES = { noDueDate: 'no due date', noCurrency: 'no currency', counterparty: 'no counterparty' };

/**
 * A row for each counterparty and currency, the largest total first; then one for the invoices without a due date, and at the
 * end those without a currency.
 *
 * Columns: `_row` where there are totals (the kind of the row: `counterparty`, `no due date`, `no currency`, `total`),
 * `_profile` where there are several, `counterparty`, `fiscalId`, `currency`, `invoices`, the buckets, `total`, `note`.
 *
 * A terminal has totals and `bar`, but no `_row` and no `note`. A narrow one leaves out `fiscalId`, `invoices` and empty
 * buckets, then the other buckets from the first on. It keeps the last bucket longest, and always the total.
 */
export function agingRows(
  balances: readonly AgedBalance[],
  { buckets, layout }: { readonly buckets: Buckets; readonly layout: AgingLayout },
  terminal?: BarTerminal,
): ResultRows {
  const isShown = terminal !== undefined;
  const hasTotals = layout.totals || isShown;
  const isProfiled = balances.some(({ profile }) => profile !== undefined);
  const currencies = byCurrency(inOrder(balances), ({ currency }) => currency).map((ofOneCurrency) => {
    const scale = widestScale(ofOneCurrency.flatMap(({ amounts, undated }) => [...amounts, undated]));
    const rowOf = (balance: AgedBalance, kind?: string): Row =>
      agedRow(balance, { buckets, scale, note: layout.note, kind, isProfiled });
    const rows = ofOneCurrency
      .toSorted((a, b) => compareDecimals(totalOf(b), totalOf(a)))
      .map((balance): MeasuredRow & { readonly balance: AgedBalance } => {
        return { row: rowOf(balance), value: totalOf(balance), balance };
      });
    const sorted = layout.sort === undefined ? rows : sortRows(rows, layout.sort);
    // Rows without a counterparty are not sorted.
    const known = sorted.filter(({ balance }) => balance.kind === 'counterparty');
    const unknown = sorted.filter(({ balance }) => balance.kind !== 'counterparty');
    const shown = [...known.slice(0, layout.limit), ...unknown];
    const [{ currency }] = ofOneCurrency as [AgedBalance];
    if (!hasTotals || currency === undefined) return shown;
    return [...shown, { row: rowOf(addBalances(ofOneCurrency), 'total'), value: undefined }];
  });
  const names = bucketNames(buckets);
  const empty = names.filter((_, index) =>
    balances.every(({ amounts }) => amounts[index]!.coefficient === 0n),
  );
  const columns = [
    ...(hasTotals && !isShown ? ['_row'] : []),
    ...(isProfiled ? [PROFILE_COLUMN] : []),
    'counterparty',
    'fiscalId',
    'currency',
    'invoices',
    ...names,
    'total',
    ...(layout.note !== undefined && !isShown ? ['note'] : []),
  ];
  const spare = ['fiscalId', 'invoices', ...(balances.length > 0 ? empty : [])];
  return resultRows(currencies, { columns, spare, further: names }, terminal);
}

/** Balances without a currency come last: they are in no total. */
function inOrder(balances: readonly AgedBalance[]): AgedBalance[] {
  const isLast = ({ kind }: AgedBalance): boolean => kind === 'noCurrency';
  return [...balances.filter((balance) => !isLast(balance)), ...balances.filter(isLast)];
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
  const { amounts, invoices, profile, name, fiscalId, currency } = balance;
  const isDated = amounts.some(({ coefficient }) => coefficient !== 0n) || balance.kind === 'counterparty';
  const unnamed = fiscalId === undefined ? NAMES[balance.kind] : undefined;
  const kindOf = balance.kind === 'counterparty' ? 'counterparty' : NAMES[balance.kind];
  return [
    ['_row', JSON.stringify(kind ?? kindOf)],
    ...(isProfiled ? [[PROFILE_COLUMN, JSON.stringify(profile ?? null)] as const] : []),
    ['counterparty', JSON.stringify(name ?? unnamed ?? null)],
    ['fiscalId', JSON.stringify(fiscalId ?? null)],
    ['currency', JSON.stringify(currency ?? null)],
    ['invoices', String(invoices)],
    ...bucketNames(buckets).map((name, index): RowField => [
      name,
      isDated ? formatDecimal(amounts[index]!, scale) : 'null',
    ]),
    ['total', formatDecimal(totalOf(balance), scale)],
    ...(note === undefined ? [] : [['note', JSON.stringify(note)] as const]),
  ];
}

/** The sum of all buckets, and of the amounts without a due date, which are in no bucket. */
function totalOf({ amounts, undated }: AgedBalance): Decimal {
  return amounts.reduce(addDecimals, undated);
}

/** The total of balances in one currency. */
function addBalances(balances: readonly AgedBalance[]): AgedBalance {
  const [{ currency, amounts }] = balances as readonly [AgedBalance];
  return {
    kind: 'counterparty',
    currency,
    profile: undefined,
    name: TOTAL,
    fiscalId: undefined,
    invoices: balances.reduce((sum, { invoices }) => sum + invoices, 0),
    amounts: amounts.map((_, index) =>
      balances.map(({ amounts }) => amounts[index]!).reduce(addDecimals, DECIMAL_ZERO),
    ),
    undated: balances.map(({ undated }) => undated).reduce(addDecimals, DECIMAL_ZERO),
  };
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
  { terminal, placeOf }: ResultSite,
): Question {
  const aging = new Aging(options, placeOf);
  const { asOf, today, buckets } = options;
  const note = asOf < today ? pastNote(asOf, today) : undefined;
  let columns: ResultRows['columns'] = [];
  let leftOut: ResultRows['leftOut'] = [];
  let balances: readonly AgedBalance[] = [];
  return {
    async *answer(records): AsyncGenerator<RecordBatch> {
      for await (const batch of records) aging.add(batch);
      balances = aging.finish();
      const result = agingRows(balances, { buckets, layout: { ...layout, note } }, terminal);
      ({ columns, leftOut } = result);
      yield result.batch;
    },
    result: {
      columns: (asked) =>
        asked === undefined ? columns : chosenColumns([...columns, ...leftOut], { asked, flag: '--columns' }),
    },
    notes: () => {
      const invoices = balances.reduce((sum, balance) => sum + balance.invoices, 0);
      const counted = countOf(invoices, 'open invoice');
      const texts = [`${counted} as of ${formatDay(asOf)}; the columns are days overdue`];
      if (note !== undefined)
        texts.push(`${note}; ${countOf(aging.issuedLater, 'open invoice')} issued later left out`);
      texts.push(...limitNotes(balances, layout.limit));
      if (leftOut.length > 0)
        texts.push(`Not shown: ${leftOut.join(', ')}. Choose with --columns, see all with --wide`);
      return texts.map((text): Note => ({ kind: 'remark', text }));
    },
  };
}

/** The note for a day in the past: the service tells what is open now, not what was open on that day. */
function pastNote(asOf: number, today: number): string {
  return `balances of ${formatDay(today)}: payments after ${formatDay(asOf)} are not undone`;
}

function limitNotes(balances: readonly AgedBalance[], limit: number | undefined): string[] {
  const known = balances.filter(({ kind }) => kind === 'counterparty');
  const shown = byCurrency(known, ({ currency }) => currency)
    .map(({ length }) => Math.min(length, limit ?? length))
    .reduce((sum, count) => sum + count, 0);
  return shown === known.length ? [] : [`${shown} of ${known.length} shown; totals are of all`];
}
