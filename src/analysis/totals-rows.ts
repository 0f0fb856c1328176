import type { RecordBatch } from '../json/record-batch.ts';
import { barOf, longestOf, type BarStyle } from './bars.ts';
import { byCurrency } from './by-currency.ts';
import { compareDecimals, formatDecimal, type Decimal } from './decimal.ts';
import { batchOfRows, cellJson, type Field, type Row } from './rows.ts';
import type { Group, Sum, TotalsRequest } from './totals.ts';

/** How the totals are to be seen: for a terminal with bars and without columns of zeros, else the same columns always. */
export interface TotalsLook {
  readonly bars?: BarStyle | undefined;
}

/**
 * A row for each group: the columns of `--group-by`, `currency` where the records have one, `records`, and for each
 * `--sum` its column and `<column>.missing`, the records without a value there. A total of nothing but missing values is
 * null. Currencies in order of first appearance; within each the largest first total, or the most records, first.
 */
export function totalsRows(
  groups: readonly Group[],
  request: TotalsRequest,
  look: TotalsLook = {},
): RecordBatch {
  const hasCurrency = groups.some(({ currency }) => currency !== undefined);
  const someMissing = request.sums.map((_, index) => groups.some(({ sums }) => sums[index]!.missing > 0));
  const rows: Row[] = [];
  for (const ofOneCurrency of byCurrency(groups, ({ currency }) => currency?.text)) {
    const sorted = ofOneCurrency.toSorted((a, b) => compareDecimals(magnitude(b), magnitude(a)));
    const longest = longestOf(sorted.map(magnitude));
    for (const group of sorted) {
      const fields: Field[] = request.groupBy.map((column, index) => [column, cellJson(group.values[index])]);
      if (hasCurrency) fields.push([request.currency, cellJson(group.currency)]);
      fields.push(['records', String(group.records)]);
      for (const [index, column] of request.sums.entries()) {
        fields.push([column, totalJson(group, group.sums[index]!)]);
        if (!look.bars || someMissing[index])
          fields.push([`${column}.missing`, String(group.sums[index]!.missing)]);
      }
      if (look.bars) fields.push(['bar', JSON.stringify(barOf(magnitude(group), longest, look.bars))]);
      rows.push(fields);
    }
  }
  return batchOfRows(rows);
}

/** What a group is ordered by and its bar shows: its first total, or how many records it has. */
function magnitude(group: Group): Decimal {
  return group.sums[0]?.total ?? { coefficient: BigInt(group.records), scale: 0 };
}

function totalJson(group: Group, { total, missing }: Sum): string {
  return missing === group.records ? 'null' : formatDecimal(total);
}
