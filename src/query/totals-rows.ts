import { isCurrency, withCurrencyOf, type ColumnNames } from '../invoices/column-names.ts';
import { fieldsOfColumns, isAmountRole, type DeclaredType } from '../invoices/fields.ts';
import { cellJson } from '../json/cells.ts';
import { compareDecimals, formatDecimal, widestScale, type Decimal } from '../json/decimal.ts';
import type { ShownColumns } from '../output/column-roles.ts';
import { compareOrders, orderOf } from './cell-order.ts';
import { groupColumn } from './question-syntax.ts';
import type { Question } from './questions.ts';
import {
  byCurrency,
  isZeroIn,
  resultQuestion,
  resultRows,
  type BarTerminal,
  type MeasuredRow,
  type ResultContext,
  type ResultRows,
} from './result-rows.ts';
import { textJson, type RowField } from './rows.ts';
import { filled, Totals, type Sum, type TotalsGroup, type TotalsRequest } from './totals.ts';

/** The column of a result with the currency of its amounts, whatever the records call it. */
const CURRENCY = 'currency';
/** What stands beside a total, so that nothing is left out in silence. */
const [CREDIT_NOTES, CANCELLED, MISSING] = ['.creditNotes', '.cancelled', '.missing'];

/** Those of an amount. Neither credit notes nor cancelled documents pass --open and --overdue: a zero would say that there are none. */
function partsBeside({ open, overdue }: TotalsFlags): readonly string[] {
  return open || overdue ? [MISSING] : [CREDIT_NOTES, CANCELLED, MISSING];
}

/**
 * A row for each group: the columns of `--group-by`, `currency` where the records have one, `records`, and for each `--sum`
 * its column, the parts of its total that are credit notes and cancelled documents where it is an amount of documents, and
 * `<column>.missing`, which counts the records without a value in it. The total of a column is null where no record of the
 * group has a value. Where groups are counterparties, `fiscalId` stands beside the name, and `counterparty` beside the ID.
 *
 * Currencies come in order of first appearance; within each, the group with the largest first total comes first, or the one
 * with the most records; groups of a day, month, quarter or year come in the order of the calendar before that. On a terminal the bars show the first total, or the records. What is beside a total and is all
 * zeros is left out there.
 */
function totalsRows(
  totals: Totals,
  request: TotalsRequest & TotalsFlags,
  terminal?: BarTerminal,
): ResultRows {
  const groups = totals.finish();
  const { roles } = totals;
  const currencyAt = roles.groupBy.indexOf('currency');
  const other = otherColumn(totals);
  const isAny = totals.documents.records > 0;
  // Each currency has its own scale and order, also where --group-by names it.
  const ofCurrency = ({ currency, values }: TotalsGroup): string | undefined =>
    currencyAt === -1 ? currency : values[currencyAt]?.text;
  const currencies = byCurrency(groups, ofCurrency).map((ofOneCurrency) => {
    const scales = request.sums.map((_, index) =>
      widestScale(
        ofOneCurrency.flatMap(({ sums }) => {
          const { total, creditNotes, cancelled } = sums[index]!;
          return [total, creditNotes, cancelled];
        }),
      ),
    );
    const rowOf = (group: TotalsGroup): RowField[] => [
      ...request.groupBy.map((column, at) => [column, cellJson(filled(group.values[at]))] as const),
      ...(other === undefined ? [] : [[other, cellJson(group.other)] as const]),
      // With --group-by currency, that column is there already.
      ...(currencyAt === -1 ? [[CURRENCY, textJson(group.currency)] as const] : []),
      ['records', String(group.records)],
      ...request.sums.flatMap((column, at) =>
        sumFields(column, group.sums[at]!, { isAny, scale: scales[at]! }),
      ),
    ];
    return ofOneCurrency
      .toSorted((a, b) => comparePeriods(a, b, request) || compareDecimals(sizeOf(b), sizeOf(a)))
      .map((group): MeasuredRow => ({ row: rowOf(group), value: sizeOf(group) }));
  });
  const beside = (column: string, index: number): string[] => {
    const parts = isAmountRole(roles.sums[index]) ? partsBeside(request) : [MISSING];
    const columns = parts.map((part) => `${column}${part}`);
    return terminal === undefined ? columns : columns.filter((one) => !isZeroIn(currencies, one));
  };
  const isOfMoney = totals.hasAmounts && currencyAt === -1;
  const hasCurrency = isOfMoney || groups.some(({ currency }) => currency !== undefined);
  const columns = [
    ...request.groupBy,
    ...(other === undefined ? [] : [other]),
    ...(hasCurrency ? [CURRENCY] : []),
    'records',
    ...request.sums.flatMap((column, index) => [column, ...beside(column, index)]),
  ];
  const shownRows = currencies.map((ofOne) =>
    ofOne.map(({ row, value }) => ({ row: row.filter(([name]) => columns.includes(name)), value })),
  );
  const choice = { columns: [...new Set(columns)], shown: shownOf(request), spare: [], further: [] };
  return resultRows(shownRows, choice, terminal);
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

/** What was asked for matters most to a reader: the first total, whose it is, the other totals. What is beside them comes after that. */
function shownOf({ sums: [first = 'records', ...others], groupBy }: TotalsRequest): ShownColumns {
  const asked = [...new Set([first, ...groupBy, CURRENCY, ...others])];
  return Object.fromEntries(asked.map((column, at) => [column, { rank: at - asked.length }]));
}

/** What a column of the totals holds: sums are money, values of groups are text, also where they are numbers. */
function typeOf(column: string, { sums, groupBy }: Pick<TotalsRequest, 'sums' | 'groupBy'>): DeclaredType {
  if (groupBy.includes(column)) return 'text';
  if (column === 'records' || column.endsWith(MISSING)) return 'count';
  return sums.some((sum) => column === sum || column.startsWith(`${sum}.`)) ? 'money' : 'text';
}

/** The column beside the counterparties of the groups: of their fiscal IDs or names, where one of the two is asked for. */
function otherColumn({ roles: { groupBy }, documents }: Totals): string | undefined {
  const [hasName, hasId] = [groupBy.includes('counterpartyName'), groupBy.includes('counterpartyFiscalId')];
  if (hasName === hasId) return undefined;
  if (hasId) return 'counterparty';
  return documents.has('counterpartyFiscalId') ? 'fiscalId' : undefined;
}

/** Compares groups by their days, months, quarters or years: the earliest first, those without a date last. */
function comparePeriods(a: TotalsGroup, b: TotalsGroup, { groupBy }: TotalsRequest): number {
  for (const [index, asked] of groupBy.entries()) {
    if (groupColumn(asked).unit === undefined) continue;
    const order = compareOrders(orderOf(a.values[index]), orderOf(b.values[index]));
    if (order !== 0) return order;
  }
  return 0;
}

/** The value by which groups are ordered, and which bars show. */
function sizeOf(group: TotalsGroup): Decimal {
  return group.sums[0]?.total ?? { coefficient: BigInt(group.records), scale: 0 };
}

interface TotalsFlags {
  readonly open?: boolean | undefined;
  readonly overdue?: boolean | undefined;
  readonly sum?: readonly string[] | undefined;
  readonly groupBy?: readonly string[] | undefined;
  readonly asSent?: boolean | undefined;
  /** The column whose objects are the rows. */
  readonly expand?: string | undefined;
}

/** All columns that the totals can have. */
export function columnsOfTotals(flags: TotalsFlags): readonly string[] {
  const { sum = [], groupBy = [] } = flags;
  const ofSums = sum.flatMap((column) => ['', ...partsBeside(flags)].map((part) => `${column}${part}`));
  const besides = groupBy.length > 0 ? ['fiscalId', 'counterparty'] : [];
  return [...new Set([...groupBy, ...besides, ...(sum.length > 0 ? [CURRENCY] : []), 'records', ...ofSums])];
}

/** The question of `--sum`, `--count` and `--group-by`. */
export function totalsQuestion(
  { sum = [], groupBy = [], asSent, expand, open, overdue }: TotalsFlags,
  given: ColumnNames,
  { terminal, placeOf }: ResultContext,
): Question {
  const request: TotalsRequest & TotalsFlags = {
    open,
    overdue,
    sums: sum,
    groupBy,
    names: expand === undefined ? given : withCurrencyOf(expand, given),
    // A payment of a credit note is what was paid, whatever the document is worth.
    asSent: asSent ?? expand !== undefined,
    takesUndeclared: asSent === true,
  };
  const totals = new Totals(request);
  return resultQuestion({
    sample: (batch) => totals.sample(batch),
    add: (batch) => totals.add(batch, placeOf),
    rows: () => totalsRows(totals, request, terminal),
    shown: shownOf(request),
    typeOf: (column) => typeOf(column, request),
    findings: () => totals.findings(),
  });
}

/** What the columns of the totals mean: amounts are money of the currency beside them. */
export function namesOfTotals({ sum = [], groupBy = [] }: TotalsFlags, names: ColumnNames): ColumnNames {
  const currency = groupBy.find((column) => isCurrency(column, names)) ?? CURRENCY;
  const money = columnsOfTotals({ sum }).filter(
    (column) => typeOf(column, { sums: sum, groupBy }) === 'money',
  );
  const columns = money.map((column) => [column, 'money'] as const);
  return { fields: { usual: fieldsOfColumns([[currency, 'text', 'currency'], ...columns]) } };
}
