import { spawnSync } from 'node:child_process';
import { extname } from 'node:path';
import type { Candidate } from './measure.ts';

/** The columns of the records, as jq names them; those that hold arrays as text. */
const COLUMNS = [
  '.id, .number, .documentType, .status, .date, .dueBy, .currency, .totalAmount, .netAmount, .taxAmount',
  '.amountToBePaid, .conciliatedAmount, .exchangeRate, .issuerFiscalId, .receiverFiscalId, .customer.id',
  '.customer.fiscalId, .customer.name, .customer.email, .customer.address.street, .customer.address.city',
  '.customer.address.country, (.categories|tojson), (.payments|tojson), .referenceNumber, .purchaseOrder',
  '.notes, .sentByEmail, .paymentInstructions.bank, .paymentInstructions.account, .paymentInstructions.note',
  '(.files|tojson), .createdAt',
].join(', ');

/**
 * What users have today, as far as it is on this machine, for a listing of so many pages. The first is the floor.
 *
 * @param files what the bare loop writes besides, by their endings
 */
export function yardsticks(
  baseUrl: string,
  { pages, pageSize, files }: { pages: number; pageSize: number; files: readonly string[] },
): Candidate[] {
  const url = `${baseUrl}/invoices/issued?options_pageSize=${pageSize}&options_page=`;
  const node = (script: string, ...args: string[]): string[] => {
    return [
      process.execPath,
      new URL(`${script}.mjs`, import.meta.url).pathname,
      url,
      String(pages),
      ...args,
    ];
  };
  const bare = (format: string, file?: string): Candidate => ({
    name: `Node, a bare loop to ${file === undefined ? format : `<file>.${format}`}`,
    command: node('node-minimal', format, ...(file === undefined ? [] : [file])),
  });
  const curl = [
    ...'curl -sZ --parallel-max 8 --compressed -o /dev/null'.split(' '),
    `${url}[0-${pages - 1}]`,
  ];
  const found: Candidate[] = [
    has('curl')
      ? { name: 'curl, eight at once, thrown away (the floor)', command: curl }
      : { name: 'node, eight at once, thrown away (the floor)', command: node('node-floor') },
    ...['csv', 'jsonl'].map((format) => bare(format)),
    ...files.map((file) => bare(extname(file).slice(1), file)),
  ];
  if (has('curl') && has('jq')) {
    const jq = `jq -r '.pageResults[] | [${COLUMNS}] | @csv'`;
    const loop = `for n in $(seq 0 ${pages - 1}); do curl -s --compressed "${url}$n" | ${jq}; done`;
    found.push({ name: 'curl page by page, jq -r @csv', command: ['sh', '-c', loop] });
  }
  // PYTHON names another one, such as that of a virtual environment with pandas.
  const python = process.env['PYTHON'] ?? 'python3';
  if (has(python, '-c', 'import pandas, requests')) {
    const script = new URL('../test/bench/pandas_export.py', import.meta.url).pathname;
    const command = [python, script, url, String(pages)];
    found.push({ name: 'Python, requests and pandas, to csv', command });
  }
  found.push({ name: 'Node, fetch, JSON.parse and csv-stringify', command: node('node-export') });
  return found;
}

function has(program: string, ...args: string[]): boolean {
  return spawnSync(program, args.length > 0 ? args : ['--version']).status === 0;
}
