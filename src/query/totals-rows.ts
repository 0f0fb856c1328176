import { isCurrency, withCurrencyOf, type ColumnNames } from '../invoices/column-names.ts';
import { fieldsOfColumns, isAmountRole, type DeclaredType } from '../invoices/fields.ts';
import { cellJson } from '../json/cells.ts';
import { compareDecimals, formatDecimal, widestScale, type Decimal } from '../json/decimal.ts';
import type { ShownColumns } from '../output/column-roles.ts';
import { compareOrders, orderOf } from './cell-order.ts';
import type { Question } from './questions.ts';
import {
  byCurrency,
  isZeroIn,
  resultQuestion,
  resultRows,
  type MeasuredRow,
  type ResultContext,
  type ResultRows,
} from './result-rows.ts';
import { textJson, type RowField } from './rows.ts';
import { filled, foldTotals, type Sum, type Totals, type TotalsFlags, type TotalsGroup } from './totals.ts';

/** The column of a result with the currency of its amounts, whatever the records call it. */
const CURRENCY = 'currency';
/** The columns beside a total, so that nothing is left out in silence. */
const [CREDIT_NOTES, CANCELLED, MISSING] = ['.creditNotes', '.cancelled', '.missing'];

/** Those beside an amount. */
const BESIDE_AMOUNT = [CREDIT_NOTES, CANCELLED, MISSING];

/** The question of `--sum`, `--count` and `--group-by`. */
export function totalsQuestion(
  flags: TotalsFlags,
  names: ColumnNames,
  { terminal, placeOf }: ResultContext,
): Question {
  const { expand } = flags;
  const totals = foldTotals(flags, expand === undefined ? names : withCurrencyOf(expand, names));
  return resultQuestion({
    sample: (batch) => totals.sample(batch),
    add: (batch) => totals.add(batch, placeOf),
    rows: () => totalsRows(totals, flags, terminal),
    shown: shownOf(flags),
    typeOf: (column) => typeOf(column, flags),
    findings: () => totals.findings(),
  });
}

/**
 * A row for each group: the columns of `--group-by`, `currency` where the records have one, `records`, and for each `--sum`
 * its column, the parts of its total that are credit notes and cancelled documents where it is an amount of documents, and
 * `<column>.missing`, which counts the records without a value in it. The total of a column is null where no record of the
 * group has a value. Where groups are counterparties, `fiscalId` stands beside the name, and `counterparty` beside the ID.
 *
 * Currencies come in order of first appearance; within each, periods of the calendar in their order, then the group with the largest
 * first total, or the most records. On a terminal bars show the first total, or the records, and columns beside a total that are all
 * zeros are left out.
 */
function totalsRows(totals: Totals, flags: TotalsFlags, terminal: ResultContext['terminal']): ResultRows {
  const { sum = [], groupBy = [] } = flags;
  const { keys, documents } = totals;
  const groups = totals.finish();
  const currencyAt = keys.findIndex(({ role }) => role === 'currency');
  const other = otherColumn(totals);
  const isAny = documents.records > 0;
  // Each currency has its own scale and order, also where --group-by names it.
  const ofCurrency = ({ currency, values }: TotalsGroup): string | undefined =>
    currencyAt === -1 ? currency : values[currencyAt]?.text;
  const currencies = byCurrency(groups, ofCurrency).map((ofOne) => {
    const scales = sum.map((_, at) =>
      widestScale(ofOne.flatMap(({ sums }) => [sums[at]!.total, sums[at]!.creditNotes, sums[at]!.cancelled])),
    );
    const rowOf = (group: TotalsGroup): RowField[] => [
      ...groupBy.map((column, at) => [column, cellJson(filled(group.values[at]))] as const),
      ...(other === undefined ? [] : [[other, cellJson(group.other)] as const]),
      // With --group-by currency, that column is there already.
      ...(currencyAt === -1 ? [[CURRENCY, textJson(group.currency)] as const] : []),
      ['records', String(group.records)],
      ...sum.flatMap((column, at) => sumFields(column, group.sums[at]!, { isAny, scale: scales[at]! })),
    ];
    return ofOne
      .toSorted((a, b) => comparePeriods(a, b, keys) || compareDecimals(sizeOf(b), sizeOf(a)))
      .map((group): MeasuredRow => ({ row: rowOf(group), value: sizeOf(group) }));
  });
  const besideSum = (column: string, at: number): string[] => {
    const parts = isAmountRole(totals.sums[at]!.role) ? BESIDE_AMOUNT : [MISSING];
    const columns = parts.map((part) => `${column}${part}`);
    return terminal === undefined ? columns : columns.filter((one) => !isZeroIn(currencies, one));
  };
  const isOfMoney = totals.hasAmounts() && currencyAt === -1;
  const hasCurrency = isOfMoney || groups.some(({ currency }) => currency !== undefined);
  const columns = [
    ...groupBy,
    ...(other === undefined ? [] : [other]),
    ...(hasCurrency ? [CURRENCY] : []),
    'records',
    ...sum.flatMap((column, at) => [column, ...besideSum(column, at)]),
  ];
  const shownRows = currencies.map((ofOne) =>
    ofOne.map(({ row, value }) => ({ row: row.filter(([name]) => columns.includes(name)), value })),
  );
  return resultRows(shownRows, { columns: [...new Set(columns)], shown: shownOf(flags) }, terminal);
}

function sumFields(
  column: string,
  { total, creditNotes, cancelled, missing, isFound }: Sum,
  { isAny, scale }: { readonly isAny: boolean; readonly scale: number },
): RowField[] {
  return [
    [column, isAny && !isFound ? 'null' : formatDecimal(total, scale)],
    [`${column}${CREDIT_NOTES}`, formatDecimal(creditNotes, scale)],
    [`${column}${CANCELLED}`, formatDecimal(cancelled, scale)],
    [`${column}${MISSING}`, String(missing)],
  ];
}

/** The columns of the flags come first to a reader: the first total, whose it is, the other totals; then what is beside them. */
function shownOf({ sum = [], groupBy = [] }: TotalsFlags): ShownColumns {
  const [first = 'records', ...others] = sum;
  const named = [...new Set([first, ...groupBy, CURRENCY, ...others])];
  return Object.fromEntries(named.map((column, at) => [column, { rank: at - named.length }]));
}

/** What a column of the totals has: sums are money, values of groups are text, also where they are numbers. */
function typeOf(column: string, { sum = [], groupBy = [] }: TotalsFlags): DeclaredType {
  if (groupBy.includes(column)) return 'text';
  if (column === 'records' || column.endsWith(MISSING)) return 'count';
  return sum.some((one) => column === one || column.startsWith(`${one}.`)) ? 'money' : 'text';
}

/** The column for the fiscal IDs or the names of counterparties, where `--group-by` names only the other of the two. */
function otherColumn({ keys, documents }: Totals): string | undefined {
  const hasName = keys.some(({ role }) => role === 'counterpartyName');
  const hasId = keys.some(({ role }) => role === 'counterpartyFiscalId');
  if (hasName === hasId) return undefined;
  if (hasId) return 'counterparty';
  return documents.has('counterpartyFiscalId') ? 'fiscalId' : undefined;
}

/** Compares groups by their days, months, quarters or years: the earliest first, those without a date last. */
function comparePeriods(a: TotalsGroup, b: TotalsGroup, keys: Totals['keys']): number {
  for (const [at, { unit }] of keys.entries()) {
    if (unit === undefined) continue;
    const order = compareOrders(orderOf(a.values[at]), orderOf(b.values[at]));
    if (order !== 0) return order;
  }
  return 0;
}

/** The value by which groups are ordered, and which bars show. */
function sizeOf(group: TotalsGroup): Decimal {
  return group.sums[0]?.total ?? { coefficient: BigInt(group.records), scale: 0 };
}

/** All columns that the totals can have. */
export function columnsOfTotals({ sum = [], groupBy = [] }: TotalsFlags): readonly string[] {
  const ofSums = sum.flatMap((column) => ['', ...BESIDE_AMOUNT].map((part) => `${column}${part}`));
  const ofParties = groupBy.length > 0 ? ['fiscalId', 'counterparty'] : [];
  return [
    ...new Set([...groupBy, ...ofParties, ...(sum.length > 0 ? [CURRENCY] : []), 'records', ...ofSums]),
  ];
}

/** What the columns of the totals mean: amounts are money of the currency beside them. */
export function namesOfTotals(flags: TotalsFlags, names: ColumnNames): ColumnNames {
  const currency = flags.groupBy?.find((column) => isCurrency(column, names)) ?? CURRENCY;
  const money = columnsOfTotals(flags).filter((column) => typeOf(column, flags) === 'money');
  const columns = money.map((column) => [column, 'money'] as const);
  return { fields: { usual: fieldsOfColumns([[currency, 'text', 'currency'], ...columns]) } };
}
