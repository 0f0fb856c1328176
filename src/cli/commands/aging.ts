import type { Context } from '../../context.ts';
import { parseBuckets } from '../../query/question-syntax.ts';
import { issued, received } from '../../resources/invoices.ts';
import type { Flags, Values } from '../../run/flag.ts';
import { filters } from '../../run/filters.ts';
import { declareCommand } from '../command.ts';
import { counterpartyFlags, fiscalIdsOf } from '../counterparty-flags.ts';
import {
  asOfFlag,
  langFlag,
  outputFlags,
  paramFlag,
  profilesFlags,
  receiptFlags,
  requestFlags,
  fieldFlag,
  fromFlags,
  sortFlag,
  type ExportFlags,
} from '../../run/flags.ts';

const agingFlags = {
  ...counterpartyFlags,
  asOf: asOfFlag,
  lang: { ...langFlag, about: 'of the headings of a workbook: en or es' },
  buckets: {
    syntax: '--buckets <days>',
    about: 'where one bucket ends and the next begins (default 30,60,90)',
    parse: parseBuckets,
  },
  totals: {
    syntax: '--totals',
    about: 'also a row with the total of each currency, marked by _row; a terminal always has them',
  },
  // Not by the names `sort` and `limit`, by which a run sorts and limits the records that it reads.
  order: {
    ...sortFlag,
    about: 'order of the rows of a currency: counterparty, or -total (a minus: descending)',
  },
  most: {
    syntax: '--limit <n>',
    daily: true,
    narrows: true,
    about: 'at most n counterparties of each currency; totals cover all',
    range: [1],
  },
  param: { ...paramFlag, about: 'any parameter of the service, sent as it is' },
  where: filters.where,
  open: filters.open,
  period: filters.period,
  field: fieldFlag,
} as const satisfies Flags;

export const agingCommand = declareCommand({
  description:
    'Open amounts of issued invoices by how long they are overdue: a row for each counterparty and currency, one ' +
    'for those without a currency. Credits, which reduce what is owed, and open amounts without a due date have ' +
    'columns of their own; invoices counts all these documents. Cancelled documents are not open; total.cancelled ' +
    'says what they would add. The service has only today’s balances, an export or a database those of its own ' +
    'day: --as-of in the past leaves out invoices issued later, but does not undo later payments.',
  examples: [
    ['folio aging', 'who owes you, as of today'],
    ['folio aging --payable', 'whom you owe'],
    ['folio aging --as-of 2026-10-31 -o aging.xlsx', 'days counted to the end of a month'],
    ['folio aging --limit 10', 'the ten who owe most, of each currency'],
    ['folio aging --from issued.jsonl --buckets 15,30', 'of an export, offline'],
    ['folio aging --field due=expiresOn', 'with the due date in another column'],
    ['folio aging --field currency==CLP', 'where no record names the currency'],
  ],
  flags: {
    ...agingFlags,
    ...fromFlags,
    ...outputFlags,
    ...receiptFlags,
    ...requestFlags,
    ...profilesFlags,
  },
  run: runAging,
});

async function runAging(context: Context, flags: Values<typeof agingFlags> & ExportFlags): Promise<void> {
  const { payable, buckets, asOf, totals = false, order, most } = flags;
  const resource = payable ? received : issued;
  const { exportRecords, sourceFor } = await import('../../run/pipeline.ts');
  await exportRecords(context, {
    flags,
    source: await sourceFor(flags, { resource, fiscalIds: fiscalIdsOf(flags, flags.payable === true) }),
    sheet: 'aging',
    words: { lang: flags.lang },
    makeResult: async ({ run: { day }, meanings: { fields } }, shown) => {
      const { agingQuestion } = await import('../../query/aging.ts');
      const { DEFAULT_BUCKETS } = await import('../../invoices/open-items.ts');
      const dates = { asOf: asOf ?? day.dayWithWarning(), today: day.day };
      const options = { fields, buckets: buckets ?? DEFAULT_BUCKETS, ...dates };
      return agingQuestion(options, { totals, sort: order, limit: most }, shown);
    },
  });
}
