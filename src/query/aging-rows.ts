import type { RecordBatch } from '../json/records.ts';
import { countOf } from '../output/terminal/number-text.ts';
import { Aging, bucketNames, type AgedBalance, type AgingOptions, type Buckets } from './aging.ts';
import { formatDay } from '../json/calendar-day.ts';
import {
  addDecimals,
  compareDecimals,
  DECIMAL_ZERO,
  formatDecimal,
  widestScale,
  type Decimal,
} from '../json/decimal.ts';
import type { Question } from './questions.ts';
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

const TOTAL = 'Total';

/**
 * A row for each counterparty and currency, the most owed first, and behind those of a currency its total. `_row` says
 * which is which (`counterparty`, `total`), so that nobody adds a total to what it totals. Columns: `_row`,
 * `counterparty`, `fiscalId`, `currency`, `invoices`, the buckets, `total`. A terminal has `bar` as well, but no `_row`,
 * and where it is narrow no `fiscalId`, no `invoices` and no
 * bucket that is empty.
 */
export function agingRows(
  balances: readonly AgedBalance[],
  buckets: Buckets,
  terminal?: BarTerminal,
): ResultRows {
  const currencies = byCurrency(balances, ({ currency }) => currency).map((ofOneCurrency) => {
    const scale = widestScale(ofOneCurrency.flatMap(({ amounts }) => amounts));
    const sorted = ofOneCurrency.toSorted((a, b) => compareDecimals(totalOf(b), totalOf(a)));
    const rows = sorted.map((balance): MeasuredRow => ({
      row: agedRow('counterparty', balance, { buckets, scale }),
      value: totalOf(balance),
    }));
    return [...rows, { row: agedRow('total', addBalances(sorted), { buckets, scale }), value: undefined }];
  });
  const columns = [
    '_row',
    'counterparty',
    'fiscalId',
    'currency',
    'invoices',
    ...bucketNames(buckets),
    'total',
  ];
  // On a terminal the name of a total tells that it is one.
  const shown = terminal === undefined ? columns : columns.slice(1);
  const empty = bucketNames(buckets).filter(
    (_, index) => balances.length > 0 && balances.every(({ amounts }) => amounts[index]!.coefficient === 0n),
  );
  return resultRows(currencies, { columns: shown, spare: ['fiscalId', 'invoices', ...empty] }, terminal);
}

function agedRow(
  kind: 'counterparty' | 'total',
  balance: AgedBalance,
  { buckets, scale }: { buckets: Buckets; scale: number },
): Row {
  return [
    ['_row', JSON.stringify(kind)],
    ['counterparty', JSON.stringify(balance.name ?? null)],
    ['fiscalId', JSON.stringify(balance.fiscalId ?? null)],
    ['currency', JSON.stringify(balance.currency)],
    ['invoices', String(balance.invoices)],
    ...bucketNames(buckets).map((name, index): RowField => [
      name,
      formatDecimal(balance.amounts[index]!, scale),
    ]),
    ['total', formatDecimal(totalOf(balance), scale)],
  ];
}

function totalOf({ amounts }: AgedBalance): Decimal {
  return amounts.reduce(addDecimals, DECIMAL_ZERO);
}

/** Of balances in one currency. */
function addBalances(balances: readonly AgedBalance[]): AgedBalance {
  const [{ currency, amounts }] = balances as readonly [AgedBalance];
  return {
    currency,
    name: TOTAL,
    fiscalId: undefined,
    invoices: balances.reduce((sum, { invoices }) => sum + invoices, 0),
    amounts: amounts.map((_, index) =>
      balances.map(({ amounts }) => amounts[index]!).reduce(addDecimals, DECIMAL_ZERO),
    ),
  };
}

/** The open amounts by how long they are overdue. */
export function agingQuestion(options: AgingOptions, { terminal, placeOf }: ResultSite): Question {
  const aging = new Aging(options, placeOf);
  let columns: readonly string[] = [];
  let invoices = 0;
  return {
    async *answer(records): AsyncGenerator<RecordBatch> {
      for await (const batch of records) aging.add(batch);
      const balances = aging.finish();
      invoices = balances.reduce((sum, balance) => sum + balance.invoices, 0);
      const result = agingRows(balances, options.buckets, terminal);
      columns = result.columns;
      yield result.batch;
    },
    result: { columns: (asked) => chosenColumns(columns, asked) },
    notes: () => [
      {
        kind: 'remark',
        text: `${countOf(invoices, 'open invoice')} as of ${formatDay(options.asOf)}; the columns are days overdue`,
      },
    ],
  };
}
