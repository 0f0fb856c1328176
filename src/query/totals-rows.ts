import { cellJson } from '../json/cells.ts';
import { compareDecimals, formatDecimal, widestScale, type Decimal } from '../json/decimal.ts';
import type { RecordBatch } from '../json/records.ts';
import { isAmountRole, mapProfiles, type DeclaredType, type Fields, type Role } from '../invoices/fields.ts';
import type { ShownColumns } from '../output/column-roles.ts';
import { compareOrders, orderOf } from './cell-order.ts';
import { roleNamed, type ColumnNames } from './named-cells.ts';
import { groupColumn } from './question-syntax.ts';
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
import { textJson, type RowField } from './rows.ts';
import {
  filled,
  Totals,
  type RequestRoles,
  type Sum,
  type TotalsGroup,
  type TotalsRequest,
} from './totals.ts';

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
export function totalsRows(totals: Totals, request: TotalsRequest, terminal?: BarTerminal): ResultRows {
  const groups = totals.finish();
  const layout = {
    request,
    roles: rolesOf(request),
    hasFiscalIds: totals.hasFiscalIds,
    hasAmounts: totals.hasAmounts,
  };
  const columns = columnsOf(groups, layout, terminal !== undefined);
  const currencies = byCurrency(groups, (group) => currencyOf(group, layout)).map((ofOneCurrency) => {
    const sorted = ofOneCurrency.toSorted(
      (a, b) => comparePeriods(a, b, request) || compareDecimals(sizeOf(b), sizeOf(a)),
    );
    const scales = request.sums.map((_, index) =>
      widestScale(
        sorted.flatMap(({ sums }) => [sums[index]!.total, sums[index]!.creditNotes, sums[index]!.cancelled]),
      ),
    );
    return sorted.map((group): MeasuredRow => ({
      row: fieldsOf(group, layout, scales).filter(([name]) => columns.includes(name)),
      value: sizeOf(group),
    }));
  });
  return resultRows(currencies, { columns, shown: shownOf(request), spare: [], further: [] }, terminal);
}

/** What was asked for matters most to a reader: the first total, whose it is, the other totals. What is beside them comes after that. */
function shownOf({ sums: [first = 'records', ...others], groupBy }: TotalsRequest): ShownColumns {
  const asked = [...new Set([first, ...groupBy, CURRENCY, ...others])];
  return Object.fromEntries(asked.map((column, at) => [column, { rank: at - asked.length }]));
}

/** What a column of the totals holds: sums are money, values of groups are text, also where they are numbers. */
function typeOf(column: string, { sums, groupBy }: TotalsRequest): DeclaredType {
  if (groupBy.includes(column)) return 'text';
  if (column === 'records' || column.endsWith('.missing')) return 'count';
  return sums.some((sum) => column === sum || column.startsWith(`${sum}.`)) ? 'money' : 'text';
}

interface TotalsLayout {
  readonly hasAmounts: boolean;
  readonly request: TotalsRequest;
  readonly roles: RequestRoles;
  readonly hasFiscalIds: boolean;
}

function rolesOf({ groupBy, sums, names }: TotalsRequest): RequestRoles {
  const of = (columns: readonly string[]): (Role | undefined)[] =>
    columns.map((column) => roleNamed(column, names, names.fields.usual));
  return { groupBy: of(groupBy), sums: of(sums) };
}

/** The currency of a group, also where --group-by names it: each currency has its own scale and order. */
function currencyOf({ currency, values }: TotalsGroup, { roles }: TotalsLayout): string | undefined {
  const at = roles.groupBy.indexOf('currency');
  return at === -1 ? currency : values[at]?.text;
}

/** The column beside the counterparties of the groups: of their fiscal IDs or names, where one of the two is asked for. */
function otherColumn({ roles: { groupBy }, hasFiscalIds }: TotalsLayout): string | undefined {
  const [hasName, hasId] = [groupBy.includes('counterpartyName'), groupBy.includes('counterpartyFiscalId')];
  if (hasName === hasId) return undefined;
  if (hasId) return 'counterparty';
  return hasFiscalIds ? 'fiscalId' : undefined;
}

function columnsOf(groups: readonly TotalsGroup[], layout: TotalsLayout, onTerminal: boolean): string[] {
  const { request, roles } = layout;
  const other = otherColumn(layout);
  const columns = [...request.groupBy, ...(other === undefined ? [] : [other])];
  const isOfMoney = layout.hasAmounts && !layout.roles.groupBy.includes('currency');
  if (isOfMoney || groups.some(({ currency }) => currency !== undefined)) columns.push(CURRENCY);
  columns.push('records');
  for (const [index, column] of request.sums.entries()) {
    columns.push(column);
    const isThere = (of: (sum: Sum) => bigint | number): boolean =>
      !onTerminal || groups.some(({ sums }) => of(sums[index]!) !== 0n && of(sums[index]!) !== 0);
    if (isAmountRole(roles.sums[index])) {
      if (isThere(({ creditNotes }) => creditNotes.coefficient)) columns.push(`${column}.creditNotes`);
      if (isThere(({ cancelled }) => cancelled.coefficient)) columns.push(`${column}.cancelled`);
    }
    if (isThere(({ missing }) => missing)) columns.push(`${column}.missing`);
  }
  return [...new Set(columns)];
}

function fieldsOf(group: TotalsGroup, layout: TotalsLayout, scales: readonly number[]): RowField[] {
  const { groupBy, sums } = layout.request;
  const fields: RowField[] = groupBy.map((column, index) => [column, cellJson(filled(group.values[index]))]);
  const other = otherColumn(layout);
  if (other !== undefined) fields.push([other, cellJson(group.other)]);
  // With --group-by currency, that column is there already.
  if (!layout.roles.groupBy.includes('currency')) fields.push([CURRENCY, textJson(group.currency)]);
  fields.push(['records', String(group.records)]);
  for (const [index, column] of sums.entries()) {
    const { total, creditNotes, cancelled, missing, isFound } = group.sums[index]!;
    const amount = (value: Decimal): string => formatDecimal(value, scales[index]);
    fields.push(
      [column, group.records > 0 && !isFound ? 'null' : amount(total)],
      [`${column}.creditNotes`, amount(creditNotes)],
      [`${column}.cancelled`, amount(cancelled)],
      [`${column}.missing`, String(missing)],
    );
  }
  return fields;
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

/** The column of a result with the currency of its amounts, whatever the records call it. */
const CURRENCY = 'currency';

interface TotalsFlags {
  readonly sum?: readonly string[] | undefined;
  readonly groupBy?: readonly string[] | undefined;
  readonly asSent?: boolean | undefined;
  /** The column whose objects are the rows. */
  readonly expand?: string | undefined;
}

/** All columns that the totals can have. */
export function columnsOfTotals({ sum = [], groupBy = [] }: TotalsFlags): readonly string[] {
  const ofSums = sum.flatMap((column) => [
    column,
    ...['creditNotes', 'cancelled', 'missing'].map((part) => `${column}.${part}`),
  ]);
  const besides = groupBy.length > 0 ? ['fiscalId', 'counterparty'] : [];
  return [...new Set([...groupBy, ...besides, ...(sum.length > 0 ? [CURRENCY] : []), 'records', ...ofSums])];
}

/** The question of `--sum`, `--count` and `--group-by`. */
export function totalsQuestion(
  { sum = [], groupBy = [], asSent, expand }: TotalsFlags,
  given: ColumnNames,
  { terminal, placeOf }: ResultContext,
): Question {
  // A payment of a credit note is what was paid, whatever the document is worth.
  const isAsSent = asSent ?? expand !== undefined;
  const names = expand === undefined ? given : withCurrencyOf(expand, given);
  const request: TotalsRequest = { sums: sum, groupBy, names, asSent: isAsSent };
  const totals = new Totals(request);
  let columns: readonly string[] = [];
  return {
    sample: (batch) => totals.sample(batch),
    async *answer(records): AsyncGenerator<RecordBatch> {
      for await (const batch of records) totals.add(batch, placeOf);
      const result = totalsRows(totals, request, terminal);
      columns = result.columns;
      yield result.batch;
    },
    result: {
      columns: (asked) =>
        asked === undefined ? columns : chosenColumns(columns, { asked, flag: '--columns' }),
      shown: shownOf(request),
      typeOf: (column) => typeOf(column, request),
    },
    findings: () => totals.findings(),
  };
}

/** The names for rows, each of which may say its own currency. */
function withCurrencyOf(expanded: string, names: ColumnNames): ColumnNames {
  const own = ['currency', 'currencyCode'].map((column) => `${expanded}.${column}`);
  const of = ({ columns, ...rest }: Fields): Fields => ({
    ...rest,
    columns: { ...columns, currency: [...own, ...columns.currency] },
  });
  return { ...names, fields: mapProfiles(names.fields, of) };
}
