import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readParquet } from '../output/parquet/read-parquet.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** The columns of roles, the likeliest first. */
const INVOICES = {
  number: 'number folio documentNumber invoiceNumber',
  documentType: 'documentType type',
  status: 'status state',
  currency: 'currency currencyCode',
  date: 'date emissionDate issueDate',
  total: 'totalAmount total amount',
  due: 'dueBy dueByDate dueDate',
  net: 'netAmount',
  exempt: 'exemptAmount',
  tax: 'taxAmount',
  open: 'amountToBePaid openAmount amountDue',
  paid: 'paidAmount amountPaid conciliatedAmount',
};
const ROLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  issued: {
    ...INVOICES,
    counterpartyName: 'customer.name customerName receiver.name receiverName',
    counterpartyFiscalId: 'customer.fiscalId receiverFiscalId customerFiscalId',
  },
  received: {
    ...INVOICES,
    counterpartyName: 'issuer.name issuerName supplier.name supplierName',
    counterpartyFiscalId: 'issuerFiscalId issuer.fiscalId supplierFiscalId',
  },
  customers: {
    counterpartyName: 'name legalName businessName',
    counterpartyFiscalId: 'fiscalId taxId',
    currency: 'currency currencyCode',
    balance: 'balance.total balance',
  },
  funds: {
    number: 'number folio',
    status: 'status state',
    currency: 'currency currencyCode',
    date: 'createdAt date',
    total: 'amount totalAmount',
    balance: 'balance availableAmount remainingAmount',
  },
  'funds documents 4711': {
    ...INVOICES,
    paid: 'paidAmount amountPaid',
    counterpartyName: 'issuer.name supplier.name name',
    counterpartyFiscalId: 'issuerFiscalId issuer.fiscalId supplierFiscalId',
  },
};

it.each(Object.keys(ROLES))('%s: a role is read in each column that is known for it', async (listing) => {
  for (const [role, columns] of Object.entries(ROLES[listing]!)) {
    for (const column of columns.split(' ')) {
      const value = /^(?:due|date)$/.test(role) ? '2026-10-15' : '4711';
      const [member, inner] = column.split('.');
      const record = JSON.stringify({ [member!]: inner === undefined ? value : { [inner]: value } });
      const line = `${listing} --from - --columns ${role} --format csv --no-header`;
      const { code, stdout } = await runHere(line.split(' '), { input: `${record}\n` });
      expect([column, role, code, stdout.toString()]).toEqual([column, role, 0, `${value}\n`]);
    }
  }
});

/** The type of a declared column, which its name shows. */
function typeOf(name: string): string {
  const isMoney = /(?:[aA]mount(?:ToBePaid|Paid|Due)?|[tT]otal|Rate|debit|credit|balance|overdue|Limit)$/;
  if (isMoney.test(name)) return 'DECIMAL(38,9)';
  if (/(?:[dD]ate|At|dueBy)$/.test(name)) return 'TIMESTAMP';
  return /(?:sentByEmail|\.accepted|\.recoverable)$/.test(name) ? 'BOOLEAN' : 'VARCHAR';
}

it.each([
  ['issued', undefined, 'number=0'],
  ['issued', 'payments', 'number=0'],
  ['issued', 'categories', 'number=0'],
  ['received', undefined, 'number=0'],
  ['received', 'accountingEntries', 'number=0'],
  ['customers', undefined, 'name=x'],
  ['customers', 'contacts', 'name=x'],
  ['funds', undefined, 'number=0'],
  ['funds documents ID', undefined, 'number=0'],
])('%s declares what the embedded service shows, with lists as rows: %s', async (listing, list, none) => {
  const folder = temporaryFolder();
  const run = async (line: string): Promise<string> => {
    const { code, stdout, stderr } = await runHere(['--sandbox', ...line.split(' ')], { awkward: false });
    expect([line, code, stderr]).toEqual([line, 0, '']);
    return stdout.toString();
  };
  const id = await run('funds --limit 1 --columns id --format csv --no-header');
  const rows = `${listing.replace('ID', id.trim())}${list === undefined ? '' : ` --expand ${list}`}`;
  const file = join(folder, 'none.parquet');
  await run(`${rows} --where ${none} -o ${file}`);
  const { columns } = await readParquet(file);
  expect(columns).toEqual(columns.map(([name]) => [name, typeOf(name)]));
  const declared = columns.map(([name]) => name);
  const [head = ''] = (await run(`${rows} --all --format csv`)).split('\n');
  const shown = head.split(',');
  expect(shown.filter((name) => !declared.includes(name))).toEqual([]);
});
