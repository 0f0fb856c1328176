import type { BarTerminal } from '../../analysis/result-rows.ts';
import { Totals, type PlaceOf, type TotalsRequest } from '../../analysis/totals.ts';
import { totalsRows } from '../../analysis/totals-rows.ts';
import type { RecordBatch } from '../../json/record-batch.ts';
import { chosenColumns } from './chosen-columns.ts';
import type { ResultMaker } from './result-maker.ts';

/** What amounts are in: the service has it in records of every kind that have amounts. */
const CURRENCY = 'currency';

export interface TotalsWish {
  readonly sum?: readonly string[] | undefined;
  readonly groupBy?: readonly string[] | undefined;
  readonly terminal: BarTerminal | undefined;
  readonly placeOf?: PlaceOf | undefined;
}

/** The totals of `--sum` and `--group-by`. */
export function makeTotals({ sum = [], groupBy = [], terminal, placeOf }: TotalsWish): ResultMaker {
  const request: TotalsRequest = { sums: sum, groupBy, currency: CURRENCY };
  const totals = new Totals(request, placeOf);
  let columns: readonly string[] = [];
  return {
    async *rows(records): AsyncGenerator<RecordBatch> {
      for await (const batch of records) totals.add(batch);
      const result = totalsRows(totals.finish(), request, terminal);
      columns = result.columns;
      yield result.batch;
    },
    columns: (asked) => chosenColumns(columns, asked),
    announce: () => {},
  };
}
