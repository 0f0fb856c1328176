import { expect, it } from 'vitest';
import { pageOf, runScripted } from '../../support/scripted-run.ts';
import { expectAnswer } from '../../support/expect-exit.ts';
import { fileOf } from '../../support/temporary-folder.ts';

/*
 * Who is one counterparty, and under which name, is held by the random books, whatever asks. Here are the questions that they
 * do not ask.
 */

const AGING = ['aging', '--columns', 'counterparty,total'];

type Row = readonly [number: unknown, fiscalId: string, name: string, date: string];

const invoice = ([number, receiverFiscalId, name, date]: Row): string =>
  JSON.stringify({
    ...{ number, receiverFiscalId, party: receiverFiscalId, customer: { name }, date, dueBy: '2026-11-01' },
    ...{ documentType: 'INVOICE', currency: 'CLP', amountToBePaid: 1, totalAmount: 1 },
  });

const INVOICES = (
  [
    [1, '5.126.663-3', 'Roble', '2026-10-01'],
    [2, '05126663-3', 'Roble SpA', '2026-10-20'],
    [3, '0512666-4', 'Lago', '2026-10-03'],
    [4, '512666-4', 'Lago Sur', '2026-10-03'],
  ] as const
).map(invoice);

it.each([
  ['issued --columns number --where receiverFiscalId!=5.126.663-3', '3 4'],
  ['issued --columns number --where counterpartyFiscalId~005126663-3', '1 2'],
  ['issued --columns number --from FILE --customer-fiscal-id 5126663-3', '1 2'],
  ['issued --columns number --from FILE --customer-fiscal-id 00512666-4,5126663-3', '1 2'],
  ['issued --columns number --field counterpartyFiscalId=party --where party=5.126663-3', '1 2'],
  // The name is that of the newest document of all that were read, before any filter.
  ['issued --sum open --group-by customer.name --where number=1 --columns customer.name', 'Roble SpA'],
  ['aging --where number=1 --columns counterparty,fiscalId', 'Roble SpA,05126663-3'],
  ['issued --group-by number,customer.name --where number<=2 --columns customer.name', 'Roble SpA Roble SpA'],
])('a counterparty is one, however its fiscal ID is written: %s', async (line, values) => {
  const file = fileOf(INVOICES.join('\n'));
  const argv = [...line.replace('FILE', file).split(' '), '--no-header', '--format', 'csv'];
  const { code, stdout } = await runScripted(argv, line.includes('FILE') ? [] : [pageOf(INVOICES)]);
  expect([code, stdout.trimEnd().replaceAll('\n', ' ')]).toEqual([0, values]);
});

it.each<[why: string, ...names: readonly (readonly [number: unknown, name: string])[]]>([
  ['10 is after 9', [9, 'Nine'], [10, 'B']],
  ['a number is after a word', ['Z1', 'Word'], ['9', 'B']],
  ['no number but digits', ['9a', 'Word'], ['1', 'B']],
  ['of words, the greater', ['A-1', 'First'], ['A-2', 'B']],
  ['of equal numbers, the greater name', [9, 'A'], [9, 'B']],
])('it has the name of its last document of a day, in any order: %s', async (_, ...named) => {
  const records = named.map(([number, name]) => invoice([number, '7-6', name, '2026-10-20']));
  for (const order of [records, records.toReversed()])
    await expectAnswer(runScripted(AGING, [pageOf(order)]), 'counterparty,total\nB,2\n');
});
