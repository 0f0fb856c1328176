import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { DECIMAL_ZERO, parseDecimal, type Decimal } from '../../json/decimal.ts';
import { DECIMAL_MARKS, parseMatch, type Match } from '../../query/reconcile/list-layout.ts';
import { issued, received } from '../../resources/invoices.ts';
import { parser, type Flags, type Values } from '../../run/flag.ts';
import {
  fieldFlag,
  fromFlags,
  outputFlags,
  receiptFlags,
  requestFlags,
  type ExportFlags,
} from '../../run/flags.ts';
import { declareCommand } from '../command.ts';
import { counterpartyFlags, fiscalIdsOf } from '../counterparty-flags.ts';

const tolerance = parser((text): Decimal | undefined => {
  const amount = parseDecimal(text);
  return typeof amount === 'object' && amount.coefficient >= 0n ? amount : undefined;
}, 'an amount, such as 1 or 0.50');

const reconcileFlags = {
  against: {
    syntax: '--against <listing>',
    daily: true,
    about: 'issued or received, if the list itself does not tell',
    choices: ['issued', 'received'],
  },
  match: {
    syntax: '--match <field=heading,...>',
    daily: true,
    about:
      'which column of the list is which: number and total, also documentType, counterpartyFiscalId, ' +
      'counterpartyName, date, currency, net, exempt, tax',
    parse: (text: string, _: string, before?: Match) => parseMatch(text, before),
  },
  decimal: {
    syntax: '--decimal <mark>',
    about: 'comma or point: the decimal mark in the amounts of --match, if they do not show it',
    choices: DECIMAL_MARKS,
    rules: [{ needs: ['--match'], why: 'needs --match: registers have whole numbers' }],
  },
  issuerFiscalId: {
    ...counterpartyFlags.issuerFiscalId,
    about: 'whose list it is: only received invoices of this issuer; several, with commas, @file or @-',
  },
  customerFiscalId: {
    ...counterpartyFlags.customerFiscalId,
    about: 'whose list it is: only invoices issued to this customer; several, with commas, @file or @-',
  },
  month: {
    syntax: '--period <month>',
    daily: true,
    about: 'the month, quarter or year that the lists are of: 2026-10 (default: as their names or dates say)',
  },
  tolerance: {
    syntax: '--tolerance <amount>',
    about: 'how far amounts may be apart (default 0)',
    parse: tolerance,
  },
  same: { syntax: '--all', daily: true, about: 'also show what is the same on both sides' },
  field: fieldFlag,
} as const satisfies Flags;

export const reconcileCommand = declareCommand({
  description:
    'Compares lists, such as the registers of purchases and sales of Chile’s tax service, with the invoices of the ' +
    'service: a row for each document that is on one side only, or differs. Several lists count as one. For any other list, ' +
    '--match says which column is which. Exit code 0: all is the same; 7: something differs, or cannot be compared.',
  examples: [
    ['folio reconcile RCV_COMPRA_REGISTRO_76123456-7_202610.csv', 'a month of purchases, as its name says'],
    ['folio reconcile sales-2026-09.csv sales-2026-10.csv --against issued', 'two months of sales'],
    ['folio reconcile compras.csv --period 2026-10 -o october.xlsx', 'a list whose name says no month'],
    ['folio reconcile s.csv --against received --match number=Invoice,total=Amount', 'any other list'],
    [
      'folio reconcile s.csv --match number=N,total=Sum --issuer-fiscal-id 77155510-1',
      'one supplier’s own list',
    ],
    ['folio reconcile rcv.csv --period 2026-10 --from books.db', 'offline'],
  ],
  arguments: [['<list...>', 'the lists: csv with ; , or tabs']],
  flags: { ...reconcileFlags, ...fromFlags, ...outputFlags, ...receiptFlags, ...requestFlags },
  run: runReconcile,
});

/** Reads the lists before the first request, and compares them with the service, or offline against an export. */
async function runReconcile(
  context: Context,
  flags: Values<typeof reconcileFlags> & ExportFlags,
  [paths]: readonly [readonly string[]],
): Promise<void> {
  const { against, match, decimal, month, tolerance: most = DECIMAL_ZERO, same: all = false } = flags;
  const { openLists, readLists } = await import('../../query/reconcile/lists.ts');
  const { reconcileQuestion, WHERE_INCOMPLETE } = await import('../../query/reconcile/reconcile.ts');
  const { testContext } = await import('../../run/open-questions.ts');
  const { now, locale } = testContext(context);
  // For records of an earlier day, `last-month` is not the month before today.
  if (flags.from !== undefined && /^(?:this|last)-/i.test(month ?? ''))
    throw new UsageError(`--period ${month} does not go with --from, whose records may be of another day`, {
      hint: 'Name the month, such as --period 2026-10.',
    });
  const isSupplier = flags.issuerFiscalId !== undefined;
  const impliedAgainst = isSupplier ? 'received' : flags.customerFiscalId && 'issued';
  const { signal } = context;
  const how = { against, match, period: month, today: now };
  const opened = await openLists(paths, signal, { ...how, impliedAgainst });
  const isReceived = opened.against === 'received';
  const fiscalIds = fiscalIdsOf(flags, isReceived, 'name another list');
  const flag = isReceived ? '--issuer-fiscal-id' : '--customer-fiscal-id';
  const narrowing = fiscalIds === undefined ? flag : undefined;
  const { exportRecords, sourceFor } = await import('../../run/pipeline.ts');
  await exportRecords(context, {
    flags,
    source: await sourceFor(flags, {
      resource: isReceived ? received : issued,
      fiscalIds,
      ifPartial: 'fail',
    }),
    sheet: 'reconcile',
    reads: paths.map((path) => ({ path, what: 'a list that is to be read' })),
    consequence: WHERE_INCOMPLETE,
    makeResult: async ({ isJoined, meanings: { fields } }) => {
      if (isJoined)
        throw new UsageError('a list is of one organization, and the records are of several profiles', {
          hint: 'Name the one whose list it is with --profile.',
        });
      const read = await readLists(opened.lists, decimal);
      return reconcileQuestion({
        ...opened,
        ...read,
        tolerance: most,
        narrowing,
        fields,
        all,
        locale,
        signal,
      });
    },
  });
}
