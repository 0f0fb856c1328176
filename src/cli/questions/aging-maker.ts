import { Aging, type AgingOptions } from '../../analysis/aging.ts';
import { agingRows } from '../../analysis/aging-rows.ts';
import { formatDay } from '../../analysis/calendar-day.ts';
import type { RecordBatch } from '../../json/record-batch.ts';
import { count } from '../count.ts';
import { chosenColumns } from './chosen-columns.ts';
import type { ResultSite } from './open-questions.ts';
import type { ResultMaker } from './result-maker.ts';

/** The open amounts by how long they are overdue. */
export function makeAging(options: AgingOptions, { terminal, placeOf }: ResultSite): ResultMaker {
  const aging = new Aging(options, placeOf);
  let columns: readonly string[] = [];
  let invoices = 0;
  return {
    async *rows(records): AsyncGenerator<RecordBatch> {
      for await (const batch of records) aging.add(batch);
      const balances = aging.finish();
      invoices = balances.reduce((sum, balance) => sum + balance.invoices, 0);
      const result = agingRows(balances, options.buckets, terminal);
      columns = result.columns;
      yield result.batch;
    },
    columns: (asked) => chosenColumns(columns, asked),
    announce: (notices) =>
      notices.remark(
        `${count(invoices, 'open invoice')} as of ${formatDay(options.asOf)}; the columns are days overdue`,
      ),
  };
}
