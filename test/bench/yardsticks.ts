import { spawnSync } from 'node:child_process';
import { extname } from 'node:path';
import type { Candidate } from './measure.ts';

/** The columns of the records, as jq names them; those that hold arrays as text. */
const COLUMNS = [
  ...[
    '.id',
    '.number',
    '.documentType',
    '.status',
    '.date',
    '.dueBy',
    '.currency',
    '.totalAmount',
    '.netAmount',
  ],
  ...[
    '.taxAmount',
    '.amountToBePaid',
    '.conciliatedAmount',
    '.exchangeRate',
    '.issuerFiscalId',
    '.receiverFiscalId',
  ],
  ...['.customer.id', '.customer.fiscalId', '.customer.name', '.customer.email', '.customer.address.street'],
  ...['.customer.address.city', '.customer.address.country', '(.categories|tojson)', '(.payments|tojson)'],
  ...['.referenceNumber', '.purchaseOrder', '.notes', '.sentByEmail', '.paymentInstructions.bank'],
  ...['.paymentInstructions.account', '.paymentInstructions.note', '(.files|tojson)', '.createdAt'],
];

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
  const here = (name: string): string => new URL(name, import.meta.url).pathname;
  const found: Candidate[] = [];
  if (has('curl')) {
    const eight = [
      'curl',
      '-sZ',
      '--parallel-max',
      '8',
      '--compressed',
      '-o',
      '/dev/null',
      `${url}[0-${pages - 1}]`,
    ];
    found.push({ name: 'curl, eight at once, thrown away (the floor)', command: eight });
  } else {
    const command = [process.execPath, here('node-floor.mjs'), url, String(pages)];
    found.push({ name: 'node, eight at once, thrown away (the floor)', command });
  }
  const bare = [process.execPath, here('node-minimal.mjs'), url, String(pages)];
  for (const format of ['csv', 'jsonl'])
    found.push({ name: `Node, a bare loop to ${format}`, command: [...bare, format] });
  for (const file of files)
    found.push({
      name: `Node, a bare loop to <file>${extname(file)}`,
      command: [...bare, extname(file).slice(1), file],
    });
  if (has('curl') && has('jq')) {
    const jq = `jq -r '.pageResults[] | [${COLUMNS.join(', ')}] | @csv'`;
    const loop = `for n in $(seq 0 ${pages - 1}); do curl -s --compressed "${url}$n" | ${jq}; done`;
    found.push({ name: 'curl page by page, jq -r @csv', command: ['sh', '-c', loop] });
  }
  // PYTHON names another one, such as that of a virtual environment with pandas.
  const python = process.env['PYTHON'] ?? 'python3';
  if (has(python)) {
    const withPandas = spawnSync(python, ['-c', 'import pandas, requests']).status === 0;
    const script = new URL(`../test/bench/${withPandas ? 'pandas' : 'python'}_export.py`, import.meta.url)
      .pathname;
    const name = withPandas ? 'Python, requests and pandas, to csv' : 'Python, urllib, json and csv';
    found.push({ name, command: [python, script, url, String(pages)] });
  }
  const node = [process.execPath, here('node-export.mjs'), url, String(pages)];
  found.push({ name: 'Node, fetch, JSON.parse and csv-stringify', command: node });
  return found;
}

function has(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0;
}
