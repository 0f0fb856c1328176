import type { RecordBatch } from '../json/record-batch.ts';
import { bucketNames, type Buckets } from './aging-buckets.ts';
import type { AgedBalance } from './aging.ts';
import { barOf, longestOf, type BarStyle } from './bars.ts';
import { byCurrency } from './by-currency.ts';
import { addDecimals, compareDecimals, formatDecimal, ZERO, type Decimal } from './decimal.ts';
import { batchOfRows, type Field, type Row } from './rows.ts';

/**
 * A row for each counterparty and currency, the most owed first, and behind those of a currency its total. `_row` says
 * which is which (`counterparty`, `total`), so that nobody adds a total to what it totals. Columns: `_row`,
 * `counterparty`, `fiscalId`, `currency`, `invoices`, the buckets, `total`, and `bar` where bars are wanted.
 */
export function agingRows(balances: readonly AgedBalance[], buckets: Buckets, bars?: BarStyle): RecordBatch {
  const rows: Row[] = [];
  for (const ofOneCurrency of byCurrency(balances, ({ currency }) => currency)) {
    const sorted = ofOneCurrency.toSorted((a, b) => compareDecimals(totalOf(b), totalOf(a)));
    const longest = longestOf(sorted.map(totalOf));
    for (const balance of sorted) {
      const bar = bars && barOf(totalOf(balance), longest, bars);
      rows.push(agedRow('counterparty', balance, { buckets, bar }));
    }
    rows.push(agedRow('total', addBalances(sorted), { buckets, bar: bars && '' }));
  }
  return batchOfRows(rows);
}

function agedRow(
  kind: 'counterparty' | 'total',
  balance: AgedBalance,
  { buckets, bar }: { buckets: Buckets; bar: string | undefined },
): Row {
  return [
    ['_row', JSON.stringify(kind)],
    ['counterparty', JSON.stringify(balance.name ?? null)],
    ['fiscalId', JSON.stringify(balance.fiscalId ?? null)],
    ['currency', JSON.stringify(balance.currency)],
    ['invoices', String(balance.invoices)],
    ...bucketNames(buckets).map((name, index): Field => [name, formatDecimal(balance.amounts[index]!)]),
    ['total', formatDecimal(totalOf(balance))],
    ...(bar === undefined ? [] : [['bar', JSON.stringify(bar)] satisfies Field]),
  ];
}

function totalOf({ amounts }: AgedBalance): Decimal {
  return amounts.reduce(addDecimals, ZERO);
}

/** Of balances in one currency. */
function addBalances(balances: readonly AgedBalance[]): AgedBalance {
  const [{ currency, amounts }] = balances as readonly [AgedBalance];
  return {
    currency,
    name: 'Total',
    fiscalId: undefined,
    invoices: balances.reduce((sum, { invoices }) => sum + invoices, 0),
    amounts: amounts.map((_, index) =>
      balances.map(({ amounts }) => amounts[index]!).reduce(addDecimals, ZERO),
    ),
  };
}
