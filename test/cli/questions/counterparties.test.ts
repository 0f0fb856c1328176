import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pageOf, runScripted } from '../../support/scripted-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

type InvoiceRow = readonly [date: string, number: unknown, fiscalId: unknown, name: unknown, open: number];

function invoice([date, number, receiverFiscalId, name, open]: InvoiceRow): string {
  const common = { documentType: 'INVOICE', status: 'PENDING', currency: 'CLP', dueBy: '2026-11-01' };
  const amounts = { amountToBePaid: open, totalAmount: open };
  const issuerFiscalId = open % 2 === 1 ? '076.123.456-0' : '76123456-0';
  const party = typeof receiverFiscalId === 'string' ? receiverFiscalId.replace('-', '') : null;
  return JSON.stringify({
    ...common,
    date,
    number,
    issuerFiscalId,
    receiverFiscalId,
    party,
    customer: { name },
    ...amounts,
  });
}

/** The lines of a csv without its header. FILE stands for a file of the records; without it, the service has them. */
async function answer(line: string, invoices: readonly InvoiceRow[]): Promise<string[]> {
  const records = invoices.map(invoice);
  const file = join(temporaryFolder(), 'issued.jsonl');
  writeFileSync(file, records.join('\n'));
  const argv = line.replace('FILE', file).split(' ');
  const run = await runScripted([...argv, '--format', 'csv'], line.includes('FILE') ? [] : [pageOf(records)]);
  expect(run.code, run.stderr).toBe(0);
  return run.stdout.trimEnd().split('\n').slice(1);
}

describe('zeros before a fiscal ID', () => {
  const invoices: readonly InvoiceRow[] = [
    ['2026-10-01', 1, '5.126.663-3', 'Roble', 100],
    ['2026-10-02', 2, '05126663-3', 'Roble', 50],
    ['2026-10-03', 3, '0512666-4', 'Lago', 8],
    ['2026-10-03', 4, '512666-4', 'Lago Sur', 7],
  ];

  it.each([
    ['aging --columns total', '150 8 7'],
    ['aging --columns total --from FILE', '150 8 7'],
    ['issued --sum open --group-by receiverFiscalId --columns open', '150 8 7'],
    ['issued --sum open --group-by customer.name --columns open', '150 8 7'],
    ['issued --columns number --where receiverFiscalId=5.126.663-3', '1 2'],
    ['issued --columns number --where receiverFiscalId!=5.126.663-3', '3 4'],
    ['issued --columns number --where counterpartyFiscalId~005126663-3', '1 2'],
    ['issued --columns number --from FILE --customer-fiscal-id 5126663-3', '1 2'],
    ['issued --columns number --from FILE --customer-fiscal-id 00512666-4', ''],
    ['issued --columns number --field counterpartyFiscalId=party --where party=5.126663-3', '1 2'],
    ['statement --columns open --from FILE --customer-fiscal-id 5126663-3', '100 50'],
  ])('are no part of it where its check digit proves it: %s', async (line, values) => {
    expect((await answer(line, invoices)).join(' ')).toBe(values);
  });
});

describe('a counterparty that is written in several ways', () => {
  const invoices: readonly InvoiceRow[] = [
    ['2026-10-01', 1, '60.139.595-9', 'Roble', 1],
    ['2026-10-20', 9, '60139595-9 ', 'Roble SpA', 2],
    ['2026-10-20', 10, '060139595-9', 'El Roble SpA', 4],
    ['2026-10-20T09:00:00Z', 8, '60139595-9', 'Roble Ltda', 8],
    ['2026-10-21', 11, '60139595-9', null, 16],
    ['2026-10-21', 12, ' -.', 'Sin ID', 32],
    ['2026-10-21', 13, null, 'Sin ID', 64],
    ['2026-10-21', 14, '55.555.555-5', 'Ada', 128],
    ['2026-10-22', 15, '55555555-5', 'Ada', 256],
    ['2026-10-22', 16, '55555555-5', 'Eva', 512],
    ['2026-10-22', 17, '7-6', 'Eva', 1024],
    ['soon', 99, '7-6', 'EVA', 2048],
    [undefined as unknown as string, 100, '7-6', 'eva', 4096],
  ];
  const all = [
    'El Roble SpA,60139595-9,31',
    'Sin ID,,96',
    'Ada,55555555-5,384',
    'Eva,55555555-5,512',
    'Eva,7-6,7168',
  ];

  it.each([
    ['aging --columns counterparty,fiscalId,total', all],
    ['aging --columns counterparty,fiscalId,total --from FILE', all],
    ['issued --sum open --group-by customer.name --columns customer.name,fiscalId,open', all],
    ['issued --sum open --group-by receiverFiscalId --columns counterparty,receiverFiscalId,open', all],
    [
      'issued --sum open --group-by customer.name,receiverFiscalId --columns customer.name,receiverFiscalId,open',
      all,
    ],
    [
      'issued --sum open --group-by customer.name --where number=1 --columns customer.name,fiscalId,open',
      ['El Roble SpA,60139595-9,1'],
    ],
    ['aging --where number=9 --columns counterparty,fiscalId,total', ['El Roble SpA,60139595-9,2']],
    [
      'issued --group-by number,customer.name --where number<=10 --columns customer.name',
      ['El Roble SpA', 'El Roble SpA', 'El Roble SpA', 'El Roble SpA'],
    ],
    [
      'statement --customer-fiscal-id 60139595-9 --from FILE --columns counterparty,fiscalId,open',
      [1, 2, 4, 8, 16].map((open) => `El Roble SpA,60139595-9,${open}`),
    ],
  ])('has the name and the ID of its newest document in every row: %s', async (line, rows) => {
    expect((await answer(line, invoices)).toSorted()).toEqual(rows.toSorted());
  });

  it.each<[why: string, ...names: readonly (readonly [number: unknown, name: string])[]]>([
    ['10 is after 9', [9, 'Nine'], [10, 'B']],
    ['a number is after a word', ['Z1', 'Word'], ['9', 'B']],
    ['no number but digits', ['9a', 'Word'], ['1', 'B']],
    ['of words, the greater', ['A-1', 'First'], ['A-2', 'B']],
    ['of equal numbers, the greater name', [9, 'A'], [9, 'B']],
  ])('has the name of its last document of a day, in any order: %s', async (_, ...named) => {
    const invoices = named.map(([number, name]): InvoiceRow => ['2026-10-20', number, '7-6', name, 1]);
    for (const order of [invoices, invoices.toReversed()])
      expect(await answer('aging --columns counterparty,total', order)).toEqual(['B,2']);
  });

  it('is the same in every list of a report, whatever order the records come in', async () => {
    for (const order of [invoices, invoices.toReversed()]) {
      const records = order.map(invoice);
      const file = join(temporaryFolder(), 'issued.jsonl');
      writeFileSync(file, records.join('\n'));
      const { stdout } = await runScripted(['report', '--from', file, '--format', 'json'], []);
      const names = [...stdout.matchAll(/"(?:name|counterparty)": "(.*(?:Roble|ROBLE).*)"/g)].map(
        ([, name]) => name,
      );
      expect(names.length).toBeGreaterThan(5);
      expect(new Set(names)).toEqual(new Set(['El Roble SpA']));
      expect(stdout.match(/"fiscalIds": \[\s*"[^"]*"\s*\]/)).not.toBeNull();
    }
  });
});
