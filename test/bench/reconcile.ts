import { mkdtempSync, openSync, rmSync, writeSync, closeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { register, type Listed } from '../query/reconcile/tax-lists.ts';
import { folio } from './folio-command.ts';
import { issuedInvoice } from './invoices.ts';
import { median, ratio, runOnce, type Measured } from './measure.ts';
import { printTable, seconds, times } from './print-table.ts';
import { startService } from './service.ts';

const RECORDS = 100_000;
const PAGE_SIZE = 2000;
const ROUNDS = 3;

const MATCH =
  'number=Folio,total=Monto total,documentType=Tipo Doc,counterpartyFiscalId=Rut cliente,date=Fecha Docto,counterpartyName=Razon Social';

/** 100,000 lines of a register beside as many records: all the same, and none that is on both sides. */
export async function measureReconcile(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'folio-bench-'));
  const service = await startService('issued', RECORDS, PAGE_SIZE);
  const lists = { 'all the same': join(folder, 'same.csv'), 'none the same': join(folder, 'none.csv') };
  writeList(lists['all the same'], (number) => number);
  writeList(lists['none the same'], (number) => number + RECORDS);
  const results = new Map<string, Measured[]>();
  const measure = async (name: string, ...args: string[]): Promise<void> => {
    const run = await runOnce({ name, command: folio(...args), env: service.env, mayFail: true });
    results.set(name, [...(results.get(name) ?? []), run]);
  };
  const csv = 'folio issued -o x.csv';
  try {
    for (let round = 0; round < ROUNDS; round++) {
      await measure(csv, 'issued', '-o', join(folder, 'x.csv'));
      for (const [name, list] of Object.entries(lists)) {
        const output = ['-o', join(folder, 'differences.csv')];
        await measure(name, 'reconcile', list, '--against', 'issued', '--match', MATCH, ...output);
      }
    }
  } finally {
    service.stop();
    rmSync(folder, { recursive: true });
  }
  printTable(
    `folio reconcile of 100,000 lines and as many records (medians of ${ROUNDS}; goals 3 times, 400 MB)`,
    ['what', 'time', `times ${csv}`, 'peak memory'],
    [...results].map(([name, runs]) => [
      name,
      seconds(median(runs.map((run) => run.seconds))),
      times(ratio(runs, results.get(csv)!)),
      `${Math.round(median(runs.map(({ peak }) => peak)))} MiB`,
    ]),
  );
}

/** The register of the records, under other numbers. */
function writeList(path: string, numberOf: (number: number) => number): void {
  const file = openSync(path, 'w');
  const listed = (number: number): Listed => {
    const { totalAmount, receiverFiscalId, customer, date } = JSON.parse(issuedInvoice(number)) as Served;
    const total = totalAmount.toFixed(2);
    const day = date.slice(0, 10);
    return {
      type: 33,
      number: numberOf(number),
      rut: receiverFiscalId,
      name: customer.name,
      date: day,
      total,
    };
  };
  for (let from = 1; from <= RECORDS; from += PAGE_SIZE) {
    const documents = Array.from({ length: PAGE_SIZE }, (_, at) => listed(from + at));
    const text = register('sales', documents);
    writeSync(file, from === 1 ? text : text.slice(text.indexOf('\n') + 1));
  }
  closeSync(file);
}

interface Served {
  readonly totalAmount: number;
  readonly receiverFiscalId: string;
  readonly customer: { readonly name: string };
  readonly date: string;
}
