import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { pageOf, runScripted } from '../../support/scripted-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

type InvoiceRow = readonly [date: string, number: unknown, fiscalId: unknown, name: unknown, open: number];

function invoice([date, number, receiverFiscalId, name, open]: InvoiceRow): string {
  const common = { documentType: 'INVOICE', status: 'PENDING', currency: 'CLP', dueBy: '2026-11-01' };
  const amounts = { amountToBePaid: open, totalAmount: open };
  return JSON.stringify({ ...common, date, number, receiverFiscalId, customer: { name }, ...amounts });
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
    ['statement --columns open --from FILE --customer-fiscal-id 5126663-3', '100 50'],
  ])('are no part of it where its check digit proves it: %s', async (line, values) => {
    expect((await answer(line, invoices)).join(' ')).toBe(values);
  });
});
