import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { register, type Listed } from '../query/reconcile/tax-lists.ts';
import { issuedInvoice } from './invoices.ts';
import { figureOf, folio, measureInTurn, printTable, ratio, withService } from './measure.ts';

const RECORDS = 100_000;
const ROUNDS = 3;

const MATCH =
  'number=Folio,total=Monto total,documentType=Tipo Doc,counterpartyFiscalId=Rut cliente,date=Fecha Docto,counterpartyName=Razon Social';

/** 100,000 lines of a register beside as many records: all the same, and none that is on both sides. */
export async function measureReconcile(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'folio-bench-'));
  const output = ['-o', join(folder, 'x.csv')];
  const candidates = Object.entries({ 'all the same': 0, 'none the same': RECORDS }).map(([name, more]) => {
    const list = join(folder, `${more}.csv`);
    const documents = Array.from({ length: RECORDS }, (_, at) => listed(at + 1, more));
    writeFileSync(list, register('sales', documents));
    return { name, args: ['reconcile', list, '--against', 'issued', '--match', MATCH, ...output] };
  });
  const csv = { name: 'folio issued -o x.csv', args: ['issued', ...output] };
  try {
    await withService([RECORDS, 2000], async ({ env }) => {
      const commands = [csv, ...candidates].map(({ name, args }) => {
        return { name, command: folio(...args), env, mayFail: true };
      });
      const results = await measureInTurn(commands, ROUNDS);
      printTable(
        `folio reconcile of 100,000 lines and as many records (medians of ${ROUNDS}; goals 3 times, 400 MB)`,
        ['what', 'time', `times ${csv.name}`, 'peak memory'],
        [...results].map(([name, runs]) => {
          const times = ratio(runs, results.get(csv.name)!);
          return [name, figureOf(runs, 'seconds'), times, figureOf(runs, 'peak')];
        }),
      );
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Served {
  readonly totalAmount: number;
  readonly receiverFiscalId: string;
  readonly customer: { readonly name: string };
  readonly date: string;
}

/** The line of a record in the register, under another number. */
function listed(record: number, more: number): Listed {
  const { totalAmount, receiverFiscalId, customer, date } = JSON.parse(issuedInvoice(record)) as Served;
  const facts = { rut: receiverFiscalId, name: customer.name, date: date.slice(0, 10) };
  return { type: 33, number: record + more, total: totalAmount.toFixed(2), ...facts };
}
