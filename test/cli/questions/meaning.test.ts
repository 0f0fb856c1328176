import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryStore } from '../../support/memory-store.ts';
import { pageOf, runScripted, type ScriptedExit } from '../../support/scripted-run.ts';
import { fileOf, temporaryFolder } from '../../support/temporary-folder.ts';
import { expectAnswer, expectRefused } from '../../support/expect-exit.ts';

type Fields = Readonly<Record<string, unknown>>;

const invoice = (fields: Fields = {}): string =>
  JSON.stringify({
    documentType: 'INVOICE',
    status: 'PENDING',
    amountToBePaid: 100,
    totalAmount: 100,
    currency: 'CLP',
    dueBy: '2026-11-01',
    date: '2026-10-01',
    receiverFiscalId: '1-9',
    customer: { name: 'Roble' },
    ...fields,
  });

const ask = (records: readonly string[], line: string, store: object = {}): Promise<ScriptedExit> =>
  runScripted(line.split(' '), [pageOf(records)], { config: async () => memoryStore(store) });

/** The values of a row of a result. */
async function row(records: readonly string[], line: string, store: object = {}): Promise<Fields> {
  const { stdout } = await ask(records, `${line} --format jsonl`, store);
  return JSON.parse(stdout.split('\n')[0]!) as Fields;
}

describe('a column of --field that no record has', () => {
  it.each(['issued --sum open', 'aging', 'statement --all --format json'])('is said: %s', async (line) => {
    const { code, stderr } = await ask([invoice()], `${line} --field documentType=nosuch`);
    expect(code).toBe(0);
    expect(stderr).toBe('warning: --field: no record has a value in nosuch (1 record read)\n');
  });

  it('is refused where it is a near miss, and may be a text that stands for a column', async () => {
    await expectRefused(
      ask([invoice()], 'issued --sum open --field documentType=documentTyp'),
      'folio: --field: no record has a column documentTyp\n  Did you mean documentType?\n',
    );
    expect((await ask([invoice()], 'issued --sum open --field currency==CLP')).stderr).toBe('');
    // A column that is there, be it without a value, or empty records: nothing shows that it is misspelt.
    expect((await ask([invoice({ ref: null })], 'issued --sum open --field cancelled=ref')).stderr).toBe('');
    expect((await ask([], 'issued --sum open --field cancelled=ref')).stderr).toBe('');
  });
});

it('currencies in other letters stay as sent in records', async () => {
  const book = ['usd', 'USD', ' Usd'].map((currency) => invoice({ currency }));
  await expectAnswer(ask(book, 'issued --columns currency --no-header'), 'usd\nUSD\n Usd\n');
});

describe('what a document is worth', () => {
  const book = [
    invoice({ amountToBePaid: 200, totalAmount: 200, taxAmount: 38 }),
    invoice({ documentType: 'CREDIT_NOTE', amountToBePaid: 30, totalAmount: 30, taxAmount: 6 }),
    invoice({ documentType: 61, amountToBePaid: -20, totalAmount: -20, taxAmount: -4 }),
    invoice({ status: 'NULLIFIED', amountToBePaid: 70, totalAmount: 70, taxAmount: 13 }),
    invoice({ status: 'VOIDED', amountToBePaid: 1000, totalAmount: 1000, taxAmount: 1000 }),
    invoice({ documentType: 52, amountToBePaid: 1000, totalAmount: 1000, taxAmount: 1000 }),
    invoice({ amountToBePaid: null, totalAmount: null, taxAmount: null }),
  ];

  it('is said of the credits that --open leaves out, which are those of the documents that are asked for', async () => {
    const line = 'issued --open --count';
    const { stdout, stderr } = await ask(book, line);
    expect(stdout).toBe('1\n');
    expect(stderr).toBe('warning: --open leaves out 2 credits, -50 CLP (record 2, record 3)\n');
    const due = 'warning: --overdue leaves out 2 credits, -50 CLP (record 2, record 3)\n';
    for (const command of ['issued --sum open', 'statement --all', 'statement --customer-fiscal-id 1-9'])
      expect(await ask(book, `${command} --overdue`)).toMatchObject({ code: 0, stderr: due });
    // Said once.
    expect((await ask(book, `${line} --overdue`)).stderr).toBe(stderr);
    expect((await ask(book, `${line} --where total=200`)).stderr).toBe('');
    expect((await ask(book, `${line} -q`)).stderr).toBe('');
    expect((await ask(book, 'issued --open --sum open -q')).stdout).toMatch(
      /^currency,records,open,open.creditNotes,open.cancelled,open.missing\n/,
    );
    const unreadable = [invoice({ dueBy: 'soon' }), invoice({ amountToBePaid: 'much' })];
    expect(await ask(unreadable, line)).toMatchObject({
      ...{ code: 6, stdout: '1\n' },
      stderr: expect.stringContaining(
        '--open: 1 record was left out, since it cannot be read: amountToBePaid of',
      ),
    });
  });

  it.each([
    ['date=2026-10', '1', ['date of record 2 is the text "31/10/2026"']],
    ['dueBy=2026-11,2026-12', '1', ['dueBy of record 2 is the text "soon"']],
    ['open=5', '1', ['open of record 2 is the text "much"']],
    ['payments.amount>=5', '1', ['payments.amount of record 2 is the text "much"']],
    ['payments.date=2026-10', '1', ['payments.date of record 2 is the text "soon"']],
    // What cannot be read differs from any value, and is found as it stands.
    ['date!=2026-10', '1', undefined],
    ['dueBy=soon', '1', undefined],
  ])('is not asked in silence of what cannot be read: --where %s', async (condition, count, says) => {
    const paid = { date: '2026-10-31', amount: 5 };
    const fine = invoice({ date: '2026-10-31', dueBy: '2026-11-30', amountToBePaid: 5, payments: [paid] });
    const payments = [{ date: 'soon', amount: 'much' }];
    const broken = invoice({ date: '31/10/2026', dueBy: 'soon', amountToBePaid: 'much', payments });
    const { code, stdout, stderr } = await ask([fine, broken], `issued --count --where ${condition}`);
    expect([code, stdout]).toEqual([says === undefined ? 0 : 6, `${count}\n`]);
    for (const text of says ?? []) expect(stderr).toContain(text);
    if (says === undefined) expect(stderr).toBe('');
  });

  it.each([
    ['--open --period 2026-10', 200, /Credits are not subtracted.*period are shown: 2026-10/],
    ['--period 2026-10', 150, /documents issued in this period are shown: 2026-10/],
  ])('%s keeps documents of aging and of statements, which say so', async (flags, total, says) => {
    const books = [...book, invoice({ date: '2026-08-01', documentType: 61 })];
    expect(await row(books, `aging ${flags}`)).toMatchObject({ total });
    const { stdout } = await ask(books, `statement --all --format json ${flags}`);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ onlyPeriod: '2026-10', statements: [{ currencies: [{ amountDue: total }] }] },
    });
    const page = 'statement --customer-fiscal-id 1-9 --format html --lang en';
    expect((await ask(books, `${page} ${flags}`)).stdout).toMatch(says);
    expect((await ask(books, page)).stdout).not.toMatch(says);
    expect(await ask(books, `${page} --period 2025`)).toMatchObject({
      ...{ code: 4, stderr: expect.stringContaining('Leave out --open, --overdue and --period') },
    });
  });

  it('is due soon, too, where the invoice is dated tomorrow', async () => {
    const file = fileOf(`${invoice({ date: '2026-11-21', dueBy: '2026-11-30' })}\n`);
    const report = await runScripted(['report', '--from', file, '--format', 'json'], []);
    const { organizations } = JSON.parse(report.stdout) as { organizations: { currencies: object[] }[] };
    expect(organizations[0]!.currencies).toMatchObject([
      { receivable: { open: '100', overdue: '0' }, issued: { dueSoon: { count: 1, sum: '100' } } },
    ]);
  });

  it('is nobody’s in a report of an export that names no organization, though the current profile’s settings hold', async () => {
    const file = fileOf(`${invoice({ amountToBePaid: 1, saldo: 7 })}\n`);
    const profile = { baseUrl: 'https://api.example.com/v1', settings: { 'fields.amount': 'saldo' } };
    const store = memoryStore({ currentProfile: 'north', profiles: { north: profile } });
    const config = async (): Promise<typeof store> => store;
    const report = await runScripted(['report', '--from', file, '--format', 'json'], [], { config });
    expect(JSON.parse(report.stdout)).toMatchObject({
      organizations: [{ profile: null, currencies: [{ receivable: { open: '7' } }] }],
    });
  });

  it('takes a month’s tax of credit notes away, and counts what they cancel', async () => {
    const tax = { taxAmount: 41, 'taxAmount.creditNotes': -10, 'taxAmount.cancelled': 13 };
    expect(await row(book, 'issued --sum taxAmount')).toMatchObject(tax);
    const asSent = { taxAmount: 2053, 'taxAmount.creditNotes': 2, 'taxAmount.cancelled': 13 };
    expect(await row(book, 'issued --sum taxAmount --as-sent')).toMatchObject(asSent);
    expect(await runScripted(['issued', '--as-sent'], [])).toMatchObject({ code: 2, stdout: '' });
  });

  it('counts in words what changes a sum, not credit notes of which nothing is open', async () => {
    const records = [
      invoice({ amountToBePaid: 100 }),
      invoice({ documentType: 'CREDIT_NOTE', amountToBePaid: 10 }),
      invoice({ documentType: 'CREDIT_NOTE', amountToBePaid: 0 }),
      invoice({ status: 'ANULADA', amountToBePaid: 0 }),
    ];
    for (const argv of [['aging'], ['issued', '--sum', 'open']]) {
      const screen = { terminal: true, env: { NO_COLOR: '1' } };
      const { code, stderr } = await runScripted(argv, [pageOf(records)], screen);
      expect([code, stderr]).toEqual([0, expect.stringContaining('1 credit note subtracted')]);
      expect(stderr).not.toContain('cancelled');
    }
  });

  it('is what a table marks as past due, as --overdue has it', async () => {
    const others = [
      { amountToBePaid: 0 },
      { amountToBePaid: -7 },
      { dueBy: '2026-11-20' },
      { dueBy: null, status: 'OVERDUE' },
      { dueBy: '2026-11-01T00:00:00Z', status: 'PAID' },
    ];
    const texts = [...book, ...others.map(invoice)];
    const records = texts.map((record, at) => record.replace('{', `{"number":${at + 1},`));
    const terminal = { terminal: true, env: { NO_COLOR: '1' } };
    const marked = async (flags: string): Promise<readonly string[]> => {
      const { stdout } = await runScripted(`issued ${flags}`.trim().split(' '), [pageOf(records)], terminal);
      return [...stdout.matchAll(/^ *(\d+) .*2026-11-01!/gm)].map(([, number]) => number!);
    };
    for (const flags of ['', '--overdue', '--columns number,dueBy,amountToBePaid'])
      expect(await marked(flags)).toEqual(['1', '12']);
    expect(await marked('--raw')).toEqual([]);
    // The rows of names that stand for columns lack what tells a credit note: nothing is marked.
    expect(await marked('--columns number,counterpartyName,dueBy,amountToBePaid')).toEqual([]);
  });
});

describe('what cannot be judged', () => {
  const bad = [
    invoice({ number: 1 }),
    invoice({ number: 2, dueBy: 1_790_000_000 }),
    invoice({ number: 3, dueBy: '15/10/2024' }),
    invoice({ number: '4 or 5', amountToBePaid: 'N/A' }),
    invoice({ number: 5, amountToBePaid: null }),
    invoice({ number: 6, dueBy: null }),
    invoice({ number: 7, dueBy: 'whenever', amountToBePaid: 0 }),
    invoice({ number: 8, dueBy: 'whenever', documentType: 'CREDIT_NOTE', amountToBePaid: 1 }),
    invoice({ number: 9, amountToBePaid: 'x', status: 'NULLIFIED' }),
  ];

  it('is left out of --overdue, counted, named and exit 6, and costs no other record', async () => {
    const { code, stdout, stderr } = await ask(bad, 'issued --overdue --columns number');
    expect({ code, stdout }).toEqual({ code: 6, stdout: 'number\n1\n' });
    expect(stderr).toContain(
      '--overdue: 3 records were left out, since they cannot be read: dueBy of record 2 (number 2) is the number ' +
        '"1790000000"; dueBy of record 3 (number 3) is the text "15/10/2024"; amountToBePaid of record 4 (number "4 or 5") is the text "N/A"\n' +
        '  Amounts are JSON numbers, and dates begin with year, month and day: 2024-10-15. Where they are in another column, name it',
    );
    const ages = { '1 to 30': 100, 'no due date': 100, credits: -1, 'total.missing': 1 };
    expect(await row(bad, 'aging')).toMatchObject(ages);
    expect((await ask(bad, 'aging')).code).toBe(6);
    expect(await ask(bad, 'issued --sum open')).toMatchObject({ code: 6 });
  });

  it('is counted in the receipt of a list', async () => {
    const receipt = join(temporaryFolder(), 'receipt.json');
    await ask(bad, `issued --overdue -o ${receipt}.csv --receipt ${receipt}`);
    expect(JSON.parse(readFileSync(receipt, 'utf8'))).toMatchObject({
      missing: { open: 1, due: 1, unreadable: 3 },
    });
  });

  it('is never an empty answer of --where', async () => {
    const texts = [invoice({ number: 1, dueBy: '15/10/2024' }), invoice({ number: 2, dueBy: '15/10/2024' })];
    const { code, stdout, stderr } = await ask(texts, 'issued --where dueBy<today --count');
    expect({ code, stdout }).toEqual({ code: 6, stdout: '0\n' });
    expect(stderr).toContain("--where 'dueBy<today': 2 records were left out");
    const number = await ask([invoice({ dueBy: 1_790_000_000 })], 'issued --where dueBy<today');
    expect(number.code).toBe(2);
    const amounts = [5000, 'N/A', true, '2000', null];
    const mixed = amounts.map((totalAmount, number) => invoice({ number, totalAmount }));
    const large = await ask(mixed, 'issued --where totalAmount>=1000 --columns number');
    expect(large).toMatchObject({ code: 6, stdout: 'number\n0\n' });
    const numbers = ['7', 'A-17', 9].map((number) => invoice({ number }));
    expect(await ask(numbers, 'issued --where number>=8 --columns number')).toMatchObject({
      code: 0,
      stdout: 'number\n9\n',
      stderr: expect.stringContaining('1 record was left out'),
    });
  });

  it('is exit 2 where no record has the column at all', async () => {
    const bare = [JSON.stringify({ totalAmount: 1, currency: 'CLP' })];
    expect(await ask(bare, 'issued --overdue')).toMatchObject({ code: 2, stdout: '' });
    expect(await ask(bare, 'aging')).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('--sort by an amount', () => {
  const records = [
    invoice({ number: 1, amountToBePaid: 34_250 }),
    invoice({ number: 2, amountToBePaid: 687, currency: 'usd', totalAmount: 3 }),
    invoice({ number: 3, amountToBePaid: 900, status: 'PAID' }),
    invoice({ number: 4, amountToBePaid: 700, currency: 'USD' }),
    invoice({ number: 5, amountToBePaid: 5, currency: null }),
  ];

  it.each([
    ['issued --sort=-open --columns number', '1 3 4 2 5', 'open is in order within each currency: CLP, USD,'],
    ['issued --sort status,amountToBePaid --columns number', '3 1 2 4 5', 'amountToBePaid is in order'],
    ['issued --sort number --columns number', '1 2 3 4 5', ''],
    ['issued --where currency=usd --sort total --columns number', '2 4', ''],
    ['issued --sum open --group-by status --sort=-open --columns open', '34250 900 1387 5', 'CLP, USD, none'],
    ['issued --count --group-by status --sort=-records --columns records', '4 1', ''],
  ])('is within each currency, and says so: %s', async (line, values, said) => {
    const { code, stdout, stderr } = await ask(records, line);
    expect([code, stdout.trimEnd().split('\n').slice(1).join(' ')]).toEqual([0, values]);
    expect(stderr).toMatch(said === '' ? /^$/ : new RegExp(`^warning: --sort: .*${said}.*\n$`));
  });
});

describe('a currency that no record says', () => {
  const bare = [10, 5000].map((amount) =>
    invoice({ currency: undefined, divisa: 'USD', totalAmount: amount, amountToBePaid: amount }),
  );

  it.each([
    'aging',
    'issued --sum open',
    'issued --sum totalAmount --as-sent',
    'issued --sum total --group-by divisa',
  ])('is asked for: %s', async (line) => {
    expect(await ask(bare, line)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `folio: no figures: no record has a currency in currency or currencyCode
  Say which column it is in with --field currency=<column>. All in one currency: --field currency==CLP.
`,
    });
  });

  it('is one of the rows where other records say theirs, be they left out', async () => {
    const all = [...bare, invoice({ currency: 'CLP', number: 7, totalAmount: 3, amountToBePaid: 3 })];
    const kept = '--where number!=7 --columns currency,total';
    await expectAnswer(ask(all, `issued --sum total ${kept}`), 'currency,total\n,5010\n');
    await expectAnswer(ask(all, `aging ${kept}`), 'currency,total\n,5010\n');
  });

  it('is no matter to what is not an amount of money, as --as-sent says of a column that nothing declares', async () => {
    const rows = [...bare, invoice({ currency: undefined, totalAmount: 0 })].map((row, at) =>
      row.replace('{', `{"pages":${at + 1},`),
    );
    await expectRefused(
      ask(rows, 'issued --sum pages'),
      'If pages is not money, add --as-sent. Say which column it is in with --field currency=',
    );
    await expectAnswer(ask(rows, 'issued --sum pages --as-sent --columns pages'), 'pages\n6\n');
    const none = 'issued --sum total --where totalAmount=0 --columns total';
    await expectAnswer(ask(rows, none), 'total\n0\n');
    const fixed = '--field currency==CLP --columns currency,total';
    await expectAnswer(ask(rows, `issued --sum total ${fixed}`), 'currency,total\nCLP,5010\n');
  });
});

it('of a counterparty whose ID many share, as the setting says, is as many counterparties as it has names', async () => {
  const records = ['Roble', 'Lago', 'Roble'].map((name) => invoice({ customer: { name } }));
  const totals = 'issued --sum open --group-by customer --columns customer,open --no-header';
  await expectAnswer(ask(records, totals), 'Roble,300\n');
  const shared = { settings: { 'fields.sharedIds': '1-9' } };
  await expectAnswer(ask(records, totals, shared), 'Roble,200\nLago,100\n');
});

describe('the name of a role, and a heading', () => {
  const records = [
    invoice({ number: 1 }),
    invoice({ number: 2, amountToBePaid: 0, receiverFiscalId: '2-7', customer: { name: 'Lago' } }),
  ];

  it('stand for the column wherever one is named', async () => {
    await expectAnswer(
      ask(records, 'issued --where open>0 --columns number,open,customer,cur'),
      'number,open,customer,cur\n1,100,Roble,CLP\n',
    );
    await expectAnswer(ask(records, 'issued --sort customer --columns number'), 'number\n2\n1\n');
    await expectAnswer(
      ask(records, 'issued --group-by customer --count --columns customer,records'),
      'customer,records\nRoble,1\nLago,1\n',
    );
    // A customer without a name has none, and no other columns go.
    const nameless = [invoice({ number: 3, customer: { id: 7 } })];
    const lines = ask([...records, ...nameless], 'issued --where customer= --columns number');
    await expectAnswer(lines, 'number\n3\n');
    const others = 'documentType,status,totalAmount,dueBy,date,currency,amountToBePaid';
    const { stdout } = await ask(nameless, `issued --columns=customer,*,-${others.replaceAll(',', ',-')}`);
    expect(stdout).toBe('customer,receiverFiscalId,customer.id,number\n,1-9,7,3\n');
    const store = { settings: { 'fields.amount': 'saldo' } };
    const own = records.map((record) => record.replace('amountToBePaid', 'saldo'));
    await expectAnswer(ask(own, 'issued --where open>0 --columns open', store), 'open\n100\n');
    expect((await ask(records, 'issued --columns=-open,-customer,-cur')).stdout.split('\n')[0]).toBe(
      'documentType,status,totalAmount,dueBy,date,receiverFiscalId,number',
    );
  });

  it('may have been meant by a near miss of theirs, in another case, too', async () => {
    for (const flags of ['--where Open>0', '--columns Open', '--sort Open', '--sum Open'])
      expect(await ask(records, `issued ${flags}`)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/did you mean open\?/i),
      });
  });

  it('are refused where records have another column of that name; amount is no such name', async () => {
    const clash = [invoice({ open: true })];
    const { code, stderr } = await ask(clash, 'issued --where open=true');
    expect([code, stderr]).toEqual([2, expect.stringMatching(/open can mean two columns.*amountToBePaid/)]);
    expect(await ask(clash, 'issued --columns open')).toMatchObject({ code: 2 });
    const others = 'documentType,status,currency,dueBy,date,receiverFiscalId,customer';
    const columns = `--columns=amountToBePaid,*,-totalAmount,-${others.replaceAll(',', ',-')}`;
    await expectAnswer(ask(clash, `issued ${columns}`), 'amountToBePaid,open\n100,true\n');
    const kept = ask([invoice({ amount: 7 })], 'issued --where amount=7 --columns amount');
    await expectAnswer(kept, 'amount\n7\n');
  });
});

describe('text', () => {
  it('folds accents of Latin, Greek and Cyrillic, and no other marks', async () => {
    const names = ['กิน', 'กัน', 'ガラス', 'カラス', 'Ñandú', 'Άλφα', 'a-b'];
    const records = names.map((name) => JSON.stringify({ id: name, customer: { name }, taxId: '1-9' }));
    const found = async (condition: string): Promise<string[]> =>
      (await ask(records, `issued --where ${condition} --columns id --no-header`)).stdout
        .split('\n')
        .slice(0, -1);
    expect(await found('customer.name=กัน')).toEqual(['กัน']);
    expect(await found('customer.name~カ')).toEqual(['カラス']);
    expect(await found('customer.name=nandu')).toEqual(['Ñandú']);
    expect(await found('customer.name~αλφα')).toEqual(['Άλφα']);
    expect(await found('customer.name~\u0301')).toEqual([]);
    expect(await found('customer.name~-')).toEqual(['a-b']);
    expect(await found('taxId~.')).toEqual([]);
  });
});
