import type { Finding } from '../findings.ts';
import { PROFILE_COLUMN, type DeclaredType } from '../invoices/fields.ts';
import { bucketNames, type Buckets } from '../invoices/open-items.ts';
import { formatDay } from '../json/calendar-day.ts';
import type { Cell } from '../json/cells.ts';
import { compareDecimals, formatDecimal, widestScale, type Decimal } from '../json/decimal.ts';
import type { ShownColumns } from '../output/column-roles.ts';
import { countOf } from '../output/terminal/number-text.ts';
import { Aging, overdueOf, sumOfBalances, totalOf, type AgedBalance, type AgingOptions } from './aging.ts';
import { compareOrders, orderOf } from './cell-order.ts';
import type { SortColumn } from './question-syntax.ts';
import type { Question } from './questions.ts';
import {
  byCurrency,
  chosenColumns,
  isZeroIn,
  resultQuestion,
  resultRows,
  type BarTerminal,
  type MeasuredRow,
  type ResultContext,
  type ResultRows,
} from './result-rows.ts';
import { textJson, type Row } from './rows.ts';

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
  const { note } = layout;
  const hasTotals = layout.totals || isShown;
  const isProfiled = balances.some(({ profile }) => profile !== undefined);
  const [first, ...late] = bucketNames(buckets) as [string, ...string[]];
  const ages = [first, ...late, NO_DUE_DATE, 'credits'];

  type CellOf = (balance: AgedBalance, amount: (value: Decimal) => string, isTotal: boolean) => string;
  const all: readonly (readonly [column: string, CellOf])[] = [
    ['_row', ({ kind }, _, isTotal) => JSON.stringify(isTotal ? 'total' : (ownName(kind) ?? 'counterparty'))],
    [PROFILE_COLUMN, ({ profile }) => textJson(profile)],
    ['counterparty', ({ name, kind }) => textJson(name ?? ownName(kind))],
    ['fiscalId', ({ fiscalId }) => textJson(fiscalId)],
    ['currency', ({ currency }) => textJson(currency)],
    ['invoices', ({ invoices }) => String(invoices)],
    ...ages.map((column, age): [string, CellOf] => [column, (one, amount) => amount(one.ages[age]!)]),
    [OVERDUE, (one, amount) => amount(overdueOf(one))],
    ['total', (one, amount) => amount(totalOf(one))],
    ['total.creditNotes', ({ creditNotes }, amount) => amount(creditNotes)],
    ['total.cancelled', ({ cancelled }, amount) => amount(cancelled)],
    ['total.missing', ({ missing }) => String(missing)],
    ['note', () => textJson(note)],
  ];
  const hidden = new Set([
    ...(hasTotals && !isShown ? [] : ['_row']),
    ...(isProfiled ? [] : [PROFILE_COLUMN]),
    ...(isShown || note === undefined ? ['note'] : []),
    ...(isShown ? [] : [OVERDUE]),
  ]);
  const cells = all.filter(([column]) => !hidden.has(column));
  const rowOf = (balance: AgedBalance, scale: number, isTotal = false): Row =>
    cells.map(([column, json]) => [column, json(balance, (value) => formatDecimal(value, scale), isTotal)]);

  const listed = isShown ? balances.filter(({ invoices }) => invoices > 0) : balances;
  // Balances without a currency come last: they are in no total.
  const inOrder = listed.toSorted(
    (a, b) => Number(a.kind === 'noCurrency') - Number(b.kind === 'noCurrency'),
  );
  const currencies = byCurrency(inOrder, ({ currency }) => currency).map((ofOne) => {
    const scale = widestScale(ofOne.flatMap((one) => [...one.ages, one.creditNotes, one.cancelled]));
    const rows = ofOne
      .toSorted((a, b) => (partyOf(a) < partyOf(b) ? -1 : 1))
      .map((balance): MeasuredRow => ({ row: rowOf(balance, scale), value: totalOf(balance) }))
      .toSorted((a, b) => compareDecimals(b.value!, a.value!));
    const sorted = layout.sort === undefined ? rows : sortRows(rows, layout.sort);
    if (ofOne[0]?.kind === 'noCurrency') return sorted;
    const most = sorted.slice(0, layout.limit);
    if (!hasTotals) return most;
    return [...most, { row: rowOf(sumOfBalances(ofOne, TOTAL), scale, true), value: undefined }];
  });

  const isEmpty = (column: string): boolean => isZeroIn(currencies, column);
  const leftOut = isShown ? [OVERDUE, ...[NO_DUE_DATE, 'credits', ...BESIDE].filter(isEmpty)] : [];
  const empty = listed.length > 0 ? ages.filter(isEmpty) : [];
  return resultRows(
    currencies,
    {
      columns: cells.flatMap(([column]) => (leftOut.includes(column) ? [] : column)),
      shown: FIRST,
      spare: [...BESIDE, 'fiscalId', 'invoices', ...empty],
      together: { columns: late, as: OVERDUE },
      last: [first, NO_DUE_DATE, 'credits', ...late, OVERDUE],
    },
    terminal,
  );
}

function ownName(kind: AgedBalance['kind']): string | undefined {
  return kind === 'noCurrency' ? NO_CURRENCY : undefined;
}

/** Orders counterparties of equal totals, so that a service and a database of it have the same rows in the same order. */
function partyOf({ name, fiscalId, profile }: AgedBalance): string {
  return JSON.stringify([name ?? '', fiscalId ?? '', profile ?? '']);
}

/** Sorts rows as records are sorted: those without a value last. Throws UsageError for a column that the rows do not have. */
function sortRows(rows: readonly MeasuredRow[], keys: readonly SortColumn[]): MeasuredRow[] {
  const columns = rows[0]?.row.map(([name]) => name) ?? [];
  chosenColumns(
    columns,
    keys.map(({ column }) => column),
    '--sort',
  );
  const orderIn = ({ row }: MeasuredRow, column: string): string | undefined =>
    orderOf(cellOf(row[columns.indexOf(column)]![1]), column === 'fiscalId');
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
  // Records have what is open on their own day, not on another one.
  const missing =
    asOf < today
      ? `payments after ${formatDay(asOf)} are not undone`
      : 'what was issued or paid since is not in them';
  const note = asOf === today ? undefined : `balances of ${formatDay(today)}: ${missing}`;
  let balances: readonly AgedBalance[] = [];
  const sum = (of: (balance: AgedBalance) => number): number =>
    balances.reduce((all, balance) => all + of(balance), 0);
  return resultQuestion({
    sample: (batch) => aging.sample(batch),
    add: (batch) => aging.add(batch, placeOf),
    rows: () => {
      balances = aging.finish();
      return agingRows(balances, { buckets, layout: { ...layout, note } }, terminal);
    },
    shown: FIRST,
    typeOf: (column) => TYPES[column] ?? 'money',
    findings: (leftOut) => {
      const counted = countOf(
        sum(({ invoices }) => invoices),
        'open document',
      );
      const texts = [`${counted} as of ${formatDay(asOf)}; the columns are days overdue`];
      if (note !== undefined)
        texts.push(`${note}; ${countOf(aging.issuedLater, 'open document')} issued later left out`);
      texts.push(...aging.counted.clauses('open'));
      const known = balances.filter(({ kind }) => kind === 'counterparty');
      const { limit = Infinity } = layout;
      const shown = byCurrency(known, ({ currency }) => currency).reduce(
        (all, { length }) => all + Math.min(length, limit),
        0,
      );
      const more = `${shown} of ${known.length} shown; totals are of all`;
      if (shown < known.length) texts.push(more);
      const absent = sum((balance) => balance.missing);
      if (absent > 0) texts.push(`${countOf(absent, 'document')} without an open amount`);
      if (leftOut.length > 0)
        texts.push(`Not shown: ${leftOut.join(', ')}. Choose with --columns, see all with --wide`);
      const remarks = texts.map((text): Finding => {
        const details = text === more ? ({ code: 'more rows' } as const) : undefined;
        return { level: 'remark', text, details };
      });
      const hasOpen = (profile: string): boolean =>
        balances.some(
          (one) => one.profile === profile && one.ages.slice(0, -1).some((age) => age.coefficient),
        );
      const ofProfiles = [
        ...aging.documents.profilesWithout('aging', { roles: ['open'] }),
        ...aging.documents.profilesWithout('aging', { roles: ['due'] }, hasOpen),
      ];
      return [...remarks, ...ofProfiles, aging.unreadable.finding('aging')];
    },
  });
}
