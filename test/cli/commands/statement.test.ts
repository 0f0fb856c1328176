import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readParquet } from '../../output/parquet/read-parquet.ts';
import { readWorkbook } from '../../output/xlsx/read-workbook.ts';
import { runHere } from '../../support/run-here.ts';
import { runOrganizations } from '../../support/run-model.ts';
import { pageOf, runStub, type Answer, type ScriptedExit } from '../../support/scripted-run.ts';
import { withReceipt } from '../../support/receipt-of.ts';
import { withProfile } from '../../support/settings-folder.ts';
import { fileOf, temporaryFolder } from '../../support/temporary-folder.ts';
import { expectAnswer, expectPart, expectRefused } from '../../support/expect-exit.ts';

/** As of 2026-11-20, the day of the clock of tests. */
function invoice(number: number, fields: object = {}): string {
  return JSON.stringify({
    ...{ id: number, number, documentType: 'INVOICE', date: '2026-10-01', dueBy: '2026-11-10' },
    ...{ totalAmount: 119, amountToBePaid: 100.5, currency: 'CLP', issuerFiscalId: '9-9' },
    ...{ receiverFiscalId: '1-9', customer: { name: 'Roble', fiscalId: '1-9' } },
    ...fields,
  });
}

const ROBLE = '--customer-fiscal-id 1-9';

const LAGO = { receiverFiscalId: '2-7', customer: { name: 'Lago', fiscalId: '2-7' } };

const OF_ROBLE = [
  invoice(1, {
    payments: [
      { id: 5, date: '2026-10-30', amount: 18.5, method: 'TRANSFER', currency: 'clp' },
      { amount: 2, currency: 'usd' },
    ],
  }),
  invoice(2, { dueBy: '2026-12-01', amountToBePaid: 7 }),
  invoice(3, { documentType: 'CREDIT_NOTE', amountToBePaid: 10, totalAmount: 10, dueBy: null }),
  invoice(4, { dueBy: null, amountToBePaid: 3 }),
  invoice(5, { currency: 'USD', dueBy: '2025-11-20', amountToBePaid: 0.1 }),
  invoice(6, { amountToBePaid: 0 }),
];
const ALL = [...OF_ROBLE, invoice(7, LAGO), invoice(8, { ...LAGO, amountToBePaid: 0 })];

const ROWS = [
  'counterparty,fiscalId,currency,number,documentType,date,due,daysLate,total,open,age,payments',
  'Roble,1-9,CLP,1,INVOICE,2026-10-01,2026-11-10,10,119,100.5,1 to 30,"[{""date"":""2026-10-30"",""amount"":18.5},{""date"":null,""amount"":2,""currency"":""USD""}]"',
  'Roble,1-9,CLP,2,INVOICE,2026-10-01,2026-12-01,0,119,7,not due,[]',
  'Roble,1-9,CLP,4,INVOICE,2026-10-01,,,119,3,no due date,[]',
  'Roble,1-9,CLP,3,CREDIT_NOTE,2026-10-01,,,-10,-10,credits,[]',
  'Roble,1-9,USD,5,INVOICE,2026-10-01,2025-11-20,365,119,0.1,over 90,[]',
  '',
].join('\n');

function statement(
  line: string,
  answer: Answer = pageOf(OF_ROBLE),
  options: Parameters<typeof runStub>[2] = {},
): Promise<ScriptedExit> {
  const flags = line === '' ? [] : line.split(' ');
  const retries = flags.includes('--from') ? [] : ['--retries', '0'];
  return runStub(['statement', ...retries, ...flags], { issued: answer, received: answer }, options);
}

/** A page of what the records say of Roble. */
async function pageOfRoble(records: readonly string[], flags = ''): Promise<string> {
  return (await statement(`${ROBLE} --format html${flags}`, pageOf(records))).stdout;
}

const exportOf = (records: readonly string[]): string =>
  withReceipt(fileOf(records.map((record) => `${record}\n`).join('')));

describe('folio statement', () => {
  it('has a row for each open document and credit, the longest due first', async () => {
    const { code, stdout, stderr, asked } = await statement(ROBLE);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: ROWS, stderr: '' });
    expect(asked[0]).toContain('customerFiscalIds=1-9');
    const from = exportOf(ALL);
    expect(await statement(`${ROBLE} --from ${from}`)).toMatchObject({ code: 0, stdout: ROWS, asked: [] });
    const all = await statement(`--all --from ${from} --format csv`);
    expect(all.stdout).toBe(`${ROWS}Lago,2-7,CLP,7,INVOICE,2026-10-01,2026-11-10,10,119,100.5,1 to 30,[]\n`);
  });

  it('keeps with --overdue what is late, with the days, and a page says so', async () => {
    const { code, stdout } = await statement('--all --overdue --format csv', pageOf(ALL));
    const late = stdout.trimEnd().split('\n').slice(1);
    expect(code).toBe(0);
    expect(late.map((line) => line.split(',').slice(3, 8).join())).toEqual([
      '1,INVOICE,2026-10-01,2026-11-10,10',
      '5,INVOICE,2026-10-01,2025-11-20,365',
      '7,INVOICE,2026-10-01,2026-11-10,10',
    ]);
    expect(await pageOfRoble(OF_ROBLE, ' --overdue')).toContain('Only what was due before this day is shown');
    const { stderr } = await statement(`${ROBLE} --overdue --as-of 2026-10-31 --format csv`);
    expect(stderr).toContain('--overdue and --as-of do not go together');
  });

  it('has declared types in Parquet, whatever its documents hold', async () => {
    const file = join(temporaryFolder(), 'roble.parquet');
    const { code } = await runHere(['statement', '--all', '--from', exportOf(ALL), '-o', file]);
    expect(code).toBe(0);
    const { columns } = await readParquet(file);
    expect(columns.filter(([, type]) => type !== 'VARCHAR').join(' ')).toBe(
      'date,TIMESTAMP due,TIMESTAMP daysLate,BIGINT total,DECIMAL(38,9) open,DECIMAL(38,9)',
    );
  });

  it('has the columns that are asked for, under their headings, in rows alone', async () => {
    const { code, stdout } = await statement(`${ROBLE} --columns Folio=number,open`);
    expect([code, stdout]).toEqual([0, 'Folio,open\n1,100.5\n2,7\n4,3\n3,-10\n5,0.1\n']);
    const empty = await statement('--all --columns number,*,-age,-payments', pageOf([]));
    const head = 'number,counterparty,fiscalId,currency,documentType,date,due,daysLate,total,open\n';
    expect(empty.stdout).toBe(head);
    const near = 'folio: --columns: the result has no column nummer\n  Did you mean number?\n';
    await expectRefused(statement(`${ROBLE} --columns nummer`), near);
    for (const flags of ['--columns number', '--wide'])
      await expectRefused(statement(`${ROBLE} ${flags} --format json`), / goes with .*, not with json\n/);
  });

  it('writes a page that names the customer, what is open, and nobody else', async () => {
    const path = join(temporaryFolder(), 'roble.html');
    const flags = `${ROBLE} --from ${exportOf(ALL)}`;
    await expectAnswer(statement(`${flags} -o ${path} --organization Norte`), '');
    const page = readFileSync(path, 'utf8');
    for (const text of ['Norte', 'Roble', '1-9', '100.5', 'Nov 10, 2026', '18.5 on Oct 30, 2026; 2.0 USD'])
      expect(page).toContain(text);
    expect(page).not.toMatch(/Lago|2-7|https?:|<script|api\.example|TRANSFER/);
    expect((await statement(`${flags} -o - --format html`)).stdout).toContain('<bdi>9-9</bdi>');
  });

  it('is in the language and the format of the current profile, as every answer is', async () => {
    const env = withProfile({ settings: { lang: 'es', format: 'json' } });
    const of = (flags: string) => {
      const line = `statement ${ROBLE} --from ${fileOf(invoice(1), 'issued.jsonl')}${flags}`;
      return runHere(line.split(' '), { env });
    };
    expect((await of('')).stdout.toString()).toMatch(/^{[^]*"counterparty":\s*"Roble"/);
    expect((await of(' --format html')).stdout.toString()).toContain('<html lang="es">');
    await expectRefused(of(` -o ${temporaryFolder()}/roble.pdf`), 'roble.pdf: unknown file extension .pdf');
  });

  it('is in Spanish where asked, and has a note below', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'bank.txt'), 'Banco <Sur>\ncuenta 1\n\nGracias');
    const path = join(folder, 'roble.html');
    const flags = `${ROBLE} --lang es -o ${path}`;
    expect(await statement(`${flags} --note @${join(folder, 'bank.txt')}`)).toMatchObject({ code: 0 });
    const page = readFileSync(path, 'utf8');
    expect(page).toContain('<html lang="es">');
    expect(page).toContain('Estado de cuenta');
    expect(page).toMatch(/<p>Banco &lt;Sur&gt;<\/p><p>cuenta 1<\/p><p>\u00a0<\/p><p>Gracias<\/p>/);
    await statement(`${flags} --note @-`, pageOf(OF_ROBLE), { stdin: { text: 'from elsewhere' } });
    expect(readFileSync(path, 'utf8')).toContain('from elsewhere');
  });

  it('calls types of documents by their names, and those that nobody knows by what was sent', async () => {
    const types = ['INVOICE', '33', 'exempt-invoice', 'SOMETHING', '__proto__'];
    const records = types.map((documentType, at) => invoice(at + 1, { documentType }));
    const named = async (lang: string): Promise<string[]> => {
      const page = await pageOfRoble(records, ` --lang ${lang}`);
      return [...page.matchAll(/data-l="(?:Type|Tipo)"[^>]*><bdi>([^<]*)</g)].map(([, name]) => name!);
    };
    const own = ['SOMETHING', '__proto__'];
    expect(await named('en')).toEqual(['Invoice', 'Invoice (33)', 'Exempt invoice', ...own]);
    expect(await named('es')).toEqual(['Factura', 'Factura (33)', 'Factura exenta', ...own]);
  });

  it('is of received invoices with --payable', async () => {
    const ids = { issuerFiscalId: '5-1', receiverFiscalId: '9-9' };
    const issuer = { name: 'Proveedor', fiscalId: '5-1' };
    const answer = pageOf([invoice(1, { customer: undefined, issuer, ...ids })]);
    const flags = '--payable --issuer-fiscal-id 5-1';
    const { stdout, asked } = await statement(flags, answer);
    expect(stdout).toContain('\nProveedor,5-1,CLP,1,');
    expect(asked[0]).toContain('/invoices/received?');
    const page = await statement(`${flags} --format html`, answer);
    expect(page.stdout).toContain('Amount payable to you');
    const credit = pageOf([invoice(1, { customer: undefined, issuer, ...ids, amountToBePaid: -5 })]);
    expect((await statement(`${flags} --format html`, credit)).stdout).toContain('>In our favour<');
  });

  it('says that nothing is open, and that a credit is in the favour of the customer', async () => {
    const settled = await pageOfRoble([OF_ROBLE[5]!]);
    expect(settled).toContain('Nothing is open.');
    expect(settled).toContain('<bdi>Roble</bdi>');
    expect(await pageOfRoble([OF_ROBLE[2]!])).toMatch(
      /In your favour<\/h2>\s*<p class="sum">\s*<span class="code">CLP<\/span> 10</,
    );
  });

  it('has the totals of its documents, zeros, too, and no column of them where no document has one', async () => {
    const totals = async (totalAmount: number | null): Promise<string[]> =>
      (await pageOfRoble([invoice(1, { totalAmount })])).match(/data-l="Total"[^<]*/g) ?? [];
    expect(await totals(0)).toHaveLength(1);
    expect(await totals(null)).toEqual([]);
  });

  it('says what is cancelled, and what has no amount', async () => {
    const records = [
      ...OF_ROBLE,
      invoice(9, { status: 'NULLIFIED', amountToBePaid: 500 }),
      invoice(10, { amountToBePaid: null }),
    ];
    const page = await pageOfRoble(records);
    expect(page).toContain('Cancelled documents, which would add CLP 500, are not open.');
    expect(page).toContain('Documents without an open amount: 1.');
  });

  it('says that it is not whole where a document cannot be read, of whom it is, and ends in exit 6', async () => {
    const records = [...ALL, invoice(9, { ...LAGO, amountToBePaid: 'N/A' })];
    const from = exportOf(records);
    const page = async (id: string): Promise<ScriptedExit> =>
      statement(`--customer-fiscal-id ${id} --from ${from} --format html`);
    const lago = await page('2-7');
    expect(lago.code).toBe(6);
    expect(lago.stderr).toContain('record 9 (number 9) is the text "N/A"');
    expect(lago.stdout).toContain('This statement is not whole');
    expect(lago.stdout).toContain('could not be read: 1.');
    expect(lago.stdout).not.toContain('N/A');
    const roble = await page('1-9');
    expect(roble).toMatchObject({ code: 0, stderr: '' });
    expect(roble.stdout).not.toContain('not whole');
    const all = await statement(`--all --from ${from} --format json`);
    expect(all.code).toBe(6);
    expect(JSON.parse(all.stdout)).toMatchObject({
      statements: [
        { counterparty: 'Roble', complete: true },
        { counterparty: 'Lago', complete: false, unreadable: 1 },
      ],
    });
  });

  it('keeps the old page where nothing could be read, and says on a new one that not all could', async () => {
    const path = fileOf('old', 'roble.html');
    const refused: Answer = [403, '{"Message":"User is not authorized to access this resource"}'];
    expect(await statement(`${ROBLE} -o ${path}`, refused)).toMatchObject({ code: 3, stdout: '' });
    expect(readFileSync(path, 'utf8')).toBe('old');
    const short = pageOf(OF_ROBLE.slice(0, 2), { total: 5 });
    expect(await statement(`${ROBLE} -o ${path}`, short)).toMatchObject({ code: 6 });
    expect(readFileSync(path, 'utf8')).toContain('This statement is not whole');
  });

  it('takes an ID that many share for as many customers', async () => {
    const named = (number: number, name: string): string =>
      invoice(number, { receiverFiscalId: '55.555.555-5', customer: { name } });
    const from = exportOf([named(1, 'Sol'), named(2, 'Luz'), named(3, 'Sol')]);
    const shared = `--customer-fiscal-id 55555555-5 --from ${from}`;
    await expectRefused(
      statement(`${shared} --format html`),
      'folio: a page is for one, and 2 are meant: Sol, Luz\n' +
        '  Have a page for each with --all --output-dir <dir>, or all in one workbook with -o statements.xlsx.\n',
    );
    const { stdout } = await statement(`${shared} --format json`);
    const { statements } = JSON.parse(stdout) as { statements: readonly { counterparty: string }[] };
    expect(statements.map(({ counterparty }) => counterparty)).toEqual(['Sol', 'Luz']);
  });

  it('lists cancelled documents beside credit notes in no sum, and names whom that is about', async () => {
    const records = [
      invoice(1, { status: 'NULLIFIED', amountToBePaid: 119 }),
      invoice(2, { documentType: 'CREDIT_NOTE', amountToBePaid: 119 }),
      invoice(3, { amountToBePaid: 200 }),
      invoice(4, { ...LAGO, status: 'NULLIFIED', amountToBePaid: 7 }),
      invoice(5, { ...LAGO, amountToBePaid: 5 }),
    ];
    const both =
      'warning: cancelled documents and credit notes are both among those of "Roble": where a credit note cancels one of these ' +
      'documents, the amount due is too low\n';
    const json = await statement('--all --format json', pageOf(records));
    expect(json.stderr).toBe(both);
    const { statements } = JSON.parse(json.stdout) as {
      statements: readonly { currencies: readonly object[] }[];
    };
    expect(statements.map(({ currencies }) => currencies)).toMatchObject([
      [
        {
          ...{ amountDue: 81, creditNotes: -119, cancelled: 119 },
          cancelledDocuments: [{ number: 1, open: null, age: 'cancelled', daysLate: null }],
        },
      ],
      [{ amountDue: 5, cancelled: 7, cancelledDocuments: [] }],
    ]);
    const rows = await statement('--all --columns number,open,age', pageOf(records));
    expect(rows.stderr).toBe(both);
    expect(rows.stdout.split('\n').slice(1, 4).sort()).toEqual([
      '1,,cancelled',
      '2,-119,credits',
      expect.stringMatching(/^3,200,/) as string,
    ]);
    expect((await statement('--all -q --format json', pageOf(records))).stderr).toBe('');
    expect(await pageOfRoble(records.slice(0, 3))).toContain('Cancelled documents, in no sum');
    expect(await pageOfRoble(records.slice(3))).not.toContain('in no sum');
  });

  it('tells of each organization by itself, and of none that was not asked for', async () => {
    const south = { records: { issued: [invoice(9, LAGO)] } };
    const organizations = { north: { records: { issued: ALL } }, south };
    const run = (line: string) => runOrganizations(`statement --all ${line}`, { organizations });
    const rows = (text: string) => text.trimEnd().split('\n').slice(1);
    const [row, ...others] = rows((await run('--profile south')).stdout);
    expect([row?.slice(0, 14), others]).toEqual(['Lago,2-7,CLP,9', []]);
    const { stdout } = await run('--all-profiles');
    expect(stdout).toMatch(/^_profile,counterparty,/);
    const parties = new Set(rows(stdout).map((one) => one.split(',').slice(0, 2).join(' ')));
    expect([...parties]).toEqual(['north Roble', 'north Lago', 'south Lago']);
    const one = '--organization names one organization, and there are 2';
    await expectRefused(run('--all-profiles --organization X --format json'), one);
  });

  it('is headed by the name that is given, else by that in the records, else by the fiscal ID, else by the profile', async () => {
    const heading = async (flags: string, sender?: object, settings = {}): Promise<string | undefined> => {
      const organizations = { north: { records: { issued: [invoice(1, sender)] }, settings } };
      const folder = temporaryFolder();
      const run = (line: string) => runOrganizations(line, { organizations, folder });
      await expectAnswer(run('issued --profile north -o FOLDER/issued.jsonl --receipt beside'), '');
      const [service, file] = ['--profile north', '--from FOLDER/issued.jsonl'].map(async (source) => {
        const { stdout } = await run(`statement ${ROBLE} --format html ${source}${flags}`);
        return stdout.slice(stdout.indexOf('<html'));
      });
      const page = await service!;
      expect(await file).toBe(page);
      return /class="sender"><bdi>([^<]+)</.exec(page)?.[1];
    };
    const [own, set] = [{ issuer: { name: 'Own' } }, { organization: 'Set', lang: 'es' }];
    expect(await heading(' --organization Given', own)).toBe('Given');
    expect(await heading('', own)).toBe('Own');
    expect(await heading('', own, set)).toBe('Set');
    expect(await heading(' --organization Given', {}, set)).toBe('Given');
    expect(await heading('')).toBe('9-9');
    expect(await heading('', { issuerFiscalId: undefined })).toBe('north');
  });

  it('writes a workbook in which text is text and amounts are amounts', async () => {
    const path = join(temporaryFolder(), 'all.xlsx');
    const from = exportOf([invoice(1, { customer: { name: '=1+1', fiscalId: '1-9' } })]);
    expect(await statement(`--all --from ${from} -o ${path}`)).toMatchObject({ code: 0 });
    const workbook = readWorkbook(readFileSync(path));
    const [row] = workbook[0]!.rows.slice(1);
    expect(row!.get('A')).toMatchObject({ type: 'inlineStr', value: '=1+1' });
    expect(row!.get('J')).toMatchObject({ type: 'n', value: '100.5' });
    expect(workbook[0]!.xml).not.toContain('<f>');
  });

  it('names its sender where only some of the documents do', async () => {
    const ofSender = { issuerFiscalId: '76123456-0', issuer: { name: 'Mi Empresa SpA' } };
    const records = [invoice(1, { ...ofSender, issuer: { name: null } }), invoice(2, ofSender)];
    const folder = join(temporaryFolder(), 'pages');
    await statement(`--all --output-dir ${folder}`, pageOf(records));
    for (const [file, tag] of Object.entries({ '1-9 Roble.html': 'p class="sender"', 'index.html': 'h2' }))
      expect(readFileSync(join(folder, file), 'utf8')).toContain(`<${tag}><bdi>Mi Empresa SpA</bdi>`);
  });

  it('says of whom no document names a currency', async () => {
    const { code, stderr } = await statement(ROBLE, pageOf([invoice(1, { currency: undefined })]));
    expect(code).toBe(2);
    expect(stderr).toMatch(/^folio: no figures: no document of 1-9 has a currency in /);
    expect(stderr).toContain('--field currency==CLP');
  });

  it('ends on a terminal with what is due in each currency', async () => {
    const records = [...OF_ROBLE, invoice(7, { ...LAGO, amountToBePaid: 1000 })];
    const shown = { terminal: true };
    const { stderr } = await statement('--all', pageOf(records), shown);
    expect(stderr).toContain('amount due: CLP 1,100.5 (1,100.5 overdue) · USD 0.10 (0.10 overdue)\n');
    expect((await statement(`--payable --all`, pageOf(records), shown)).stderr).toContain('amount payable: ');
    const { stdout } = await statement('--all', pageOf(records));
    expect(stdout).not.toContain('1,100.5');
    const south = { records: { issued: records } };
    const organizations = { north: { records: { issued: [OF_ROBLE[0]!] } }, south };
    const both = await runOrganizations('statement --all --all-profiles', { organizations, terminal: true });
    expect(both.stderr).toMatch(/north: amount due: CLP 100.5 .*\nsouth: amount due: CLP 1,100.5 /);
  });

  it('does not write over the note that it reads', async () => {
    const note = fileOf('pay', 'note.html');
    const line = `${ROBLE} --from ${exportOf(ALL)} -o ${note} --note @${note}`;
    await expectRefused(statement(line), `--output ${note} would replace the note of --note`);
    expect(readFileSync(note, 'utf8')).toBe('pay');
  });

  it('knows nobody of an ID that no record has, and of several names those that none has', async () => {
    const from = exportOf(ALL);
    const warning = (id: string): string => `warning: no customer in these records has the fiscal ID ${id}\n`;
    await expectRefused(
      statement(`--customer-fiscal-id 3-3 --from ${from}`),
      'folio: no customer in these records has any of these fiscal IDs: 3-3\n' +
        '  Check them against a listing without the filter.\n',
      4,
    );
    const some = `--customer-fiscal-id 1-9,3-3 --from ${from}`;
    await expectAnswer(statement(`${some} --receipt ${from}.some`), ROWS, warning('3-3'));
    expect(JSON.parse(readFileSync(`${from}.some`, 'utf8'))).toMatchObject({ missingFiscalIds: ['3-3'] });
    await expectPart(
      runStub(`issued ${some} --columns number --limit 1 --strict`.split(' '), {}),
      'number\n1\n',
      'delivered 1 record, but not all: 1 unknown fiscal ID: 3-3\n',
    );
  });

  it('says on a terminal that nothing is open, and not where that is not known', async () => {
    const settled = pageOf([invoice(6, { amountToBePaid: 0 })]);
    const shown = { terminal: true };
    expect((await statement(ROBLE, settled, shown)).stderr).toContain('nothing is open\n');
    expect((await statement(ROBLE, pageOf(OF_ROBLE), shown)).stderr).not.toContain('nothing is open');
    const unknown = await statement(ROBLE, [500, '{}'], shown);
    expect(unknown).toMatchObject({ code: 5, stderr: expect.not.stringContaining('nothing is open') });
  });
});
