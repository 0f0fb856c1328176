import { byCurrency } from './by-currency.ts';
import { compareDecimals, formatDecimal, widestScale, type Decimal } from './decimal.ts';
import { resultRows, type BarTerminal, type MeasuredRow, type ResultRows } from './result-rows.ts';
import { cellJson, type Field } from './rows.ts';
import type { Group, TotalsRequest } from './totals.ts';

/**
 * A row for each group: the columns of `--group-by`, `currency` where the records have one, `records`, and for each
 * `--sum` its column and `<column>.missing`, the records without a value there. A total of nothing but missing values is
 * null. Currencies in order of first appearance; within each the largest first total, or the most records, first.
 *
 * On a terminal the bars are of the first total, or of the records, and a column of zeros for what is missing is left out.
 */
export function totalsRows(
  groups: readonly Group[],
  request: TotalsRequest,
  terminal?: BarTerminal,
): ResultRows {
  const columns = columnsOf(groups, request, terminal !== undefined);
  const currencies = byCurrency(groups, ({ currency }) => currency?.text).map((ofOneCurrency) => {
    const sorted = ofOneCurrency.toSorted((a, b) => compareDecimals(sizeOf(b), sizeOf(a)));
    const scales = request.sums.map((_, index) => widestScale(sorted.map(({ sums }) => sums[index]!.total)));
    return sorted.map((group): MeasuredRow => ({
      row: fieldsOf(group, request, scales).filter(([name]) => columns.includes(name)),
      value: sizeOf(group),
    }));
  });
  return resultRows(currencies, { columns, spare: [] }, terminal);
}

function columnsOf(groups: readonly Group[], request: TotalsRequest, onTerminal: boolean): string[] {
  const columns = [...request.groupBy];
  if (groups.some(({ currency }) => currency !== undefined)) columns.push(request.currency);
  columns.push('records');
  for (const [index, column] of request.sums.entries()) {
    columns.push(column);
    if (!onTerminal || groups.some(({ sums }) => sums[index]!.missing > 0)) columns.push(`${column}.missing`);
  }
  return columns;
}

function fieldsOf(
  group: Group,
  { groupBy, currency, sums }: TotalsRequest,
  scales: readonly number[],
): Field[] {
  const fields: Field[] = groupBy.map((column, index) => [column, cellJson(group.values[index])]);
  // Where one groups by currency it is there already.
  if (!groupBy.includes(currency)) fields.push([currency, cellJson(group.currency)]);
  fields.push(['records', String(group.records)]);
  for (const [index, column] of sums.entries()) {
    const { total, missing } = group.sums[index]!;
    fields.push([
      column,
      group.records > 0 && missing === group.records ? 'null' : formatDecimal(total, scales[index]),
    ]);
    fields.push([`${column}.missing`, String(missing)]);
  }
  return fields;
}

/** What a group is ordered by, and its bar shows. */
function sizeOf(group: Group): Decimal {
  return group.sums[0]?.total ?? { coefficient: BigInt(group.records), scale: 0 };
}
