import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { needingTerminal, terminalsForTests } from '../../support/in-terminal.ts';
import { atMidday } from '../../support/midday.ts';
import { runHere } from '../../support/run-here.ts';
import { readWorkbook } from '../../output/xlsx/read-workbook.ts';
import { always, status } from '../../support/faults.ts';
import { withReceipt } from '../../support/receipt-of.ts';
import { runOrganizations } from '../../support/run-model.ts';
import { pageOf, runStub, type Answer, type ScriptedExit } from '../../support/scripted-run.ts';
import { fileOf, temporaryFolder } from '../../support/temporary-folder.ts';
import { expectAnswer, expectRefused } from '../../support/expect-exit.ts';

atMidday();
const show = terminalsForTests();

const INVOICE =
  '{"id":1,"number":7,"date":"2026-11-02","dueBy":"2026-11-10","totalAmount":119.00,"amountToBePaid":100.50,' +
  '"currency":"CLP","issuerFiscalId":"9-9","customer":{"name":"Roble","fiscalId":"1-9"},"files":[{"fileUrl":"https://x/?sig=1"}]}';

const DOWN: Answer = [500, '{"error":"x","message":"down"}'];

/** Runs a report against a service that answers each listing alike however often it is asked. */
function report(
  flags: readonly string[],
  answers: Readonly<Record<string, Answer>> = {},
  locale = 'en_US.UTF-8',
): Promise<ScriptedExit> {
  const all: Readonly<Record<string, Answer>> = {
    issued: pageOf([INVOICE]),
    received: pageOf([]),
    'prepaid-expenses': pageOf(['{"id":3,"name":"Viajes","currency":"CLP","amount":10,"balance":4.50}']),
    ...answers,
  };
  const retries = flags.includes('--from') ? [] : ['--retries', '0'];
  return runStub(['report', ...retries, ...flags], all, { env: { LC_ALL: locale } });
}

/** The text of a page, without its markup, with one space between words. */
function textOf(page: string): string {
  const body = page.replace(/<(style|script|svg)\b.*?<\/\1>/gs, '');
  return body
    .replace(/<[^>]*>/g, ' ')
    .replaceAll(/[\s\u00a0]+/g, ' ')
    .trim();
}

type Figures = Readonly<Record<string, unknown>> & { readonly missing: readonly object[] };

/** The figures of the first organization of a report in JSON. */
function figuresIn(json: string): Figures {
  return (JSON.parse(json) as { organizations: readonly [Figures] }).organizations[0];
}

/** The figures of such a report. */
async function figuresOf(answers: Readonly<Record<string, Answer>>, ...flags: string[]): Promise<Figures> {
  return figuresIn((await report(['--format', 'json', ...flags], answers)).stdout);
}

/** A folder, and what runs a line in it without a token. */
function workplace() {
  const cwd = temporaryFolder();
  const env = { FOLIO_TOKEN: undefined, FOLIO_CONFIG_DIR: cwd };
  const run = (line: string) => runHere(line.split(' '), { cwd, env });
  /** What is shown of the pages that the line puts into the folder `pages`, by their names; or why there are none. */
  const told = async (line: string, shown: (figures: Figures) => unknown): Promise<object> => {
    const { code, stderr } = await run(`${line} --format json`);
    if (code !== 0) return { code, stderr };
    const pages = join(cwd, 'pages');
    const names = readdirSync(pages);
    const texts = names.map((name) => readFileSync(join(pages, name), 'utf8'));
    rmSync(pages, { recursive: true });
    return Object.fromEntries(names.map((name, at) => [name, shown(figuresIn(texts[at]!))]));
  };
  return { cwd, run, told };
}

describe('folio report', () => {
  it('tells the figures as JSON', async () => {
    const { code, stdout, stderr } = await report(['--format', 'json', '--period', '2026-11']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ asOf: '2026-11-20', complete: true, doubts: [] });
    expect(figuresIn(stdout)).toMatchObject({
      fiscalIds: ['9-9'],
      currencies: [
        {
          currency: 'CLP',
          receivable: { open: '100.50', overdue: '100.50', invoices: 1 },
          payable: { open: '0', invoices: 0 },
          net: '100.50',
          issued: { inPeriod: '119.00', documentsInPeriod: 1, months: { '2026-11': '119.00' } },
        },
      ],
      funds: [{ name: 'Viajes', balance: '4.50' }],
      missing: [],
    });
  });

  it('needs no store for the sandbox', async () => {
    const { cwd, run } = workplace();
    writeFileSync(join(cwd, 'config.json'), '{broken', { mode: 0o600 });
    expect(await run('--sandbox report --format json')).toMatchObject({ code: 0 });
  });

  it('writes a page off a terminal, and to a file', async () => {
    const path = join(temporaryFolder(), 'november.html');
    const { stdout } = await report([]);
    expect(stdout).toMatch(/^<!doctype html>/);
    expect(stdout).toContain('100.50');
    await expectAnswer(report(['-o', path]), '');
    expect(readFileSync(path, 'utf8')).toBe(stdout);
  });

  it('is the month as a table on a terminal, a line for each of several', needingTerminal, async () => {
    const screen = { columns: 110, env: { LC_ALL: 'en_US.UTF-8' } };
    const run = (...args: string[]) => show(['--sandbox', 'report', '--no-progress', ...args], screen);
    const json = await runHere(['--sandbox', 'report', '--format', 'json']);
    const figures = figuresIn(json.stdout.toString());
    const [clp] = figures['currencies'] as readonly Readonly<Record<string, Record<string, string>>>[];
    const grouped = (amount: string | undefined): string => Number(amount).toLocaleString('en-US');
    const { receivable, payable, issued } = clp!;
    const amounts = [receivable!['open'], receivable!['overdue'], payable!['open'], payable!['overdue']];
    const cells = [...amounts, issued!['inPeriod']].map(grouped).join(' +');
    const one = await run();
    expect(one.code).toBe(0);
    expect(one.screen).toMatch(
      new RegExp(`^\\w+ 2026 · As of [^]*Overdue payable[^]*Tax[^]*\\nCLP +${cells} +[\\d,]+\\s+USD `),
    );
    // A currency has its decimals in every cell, or in none.
    const rows = one.screen.match(/(?<=\n(?:CLP|USD|EUR) ).*/g)!.map((row) => row.trim().split(/ +/));
    for (const row of rows) expect(new Set(row.map((cell) => cell.includes('.'))).size).toBe(1);
    const both = await run('--all-profiles', '--lang', 'es', '--period', 'last-month');
    expect(both.code).toBe(0);
    expect(both.screen).toMatch(
      /Lo pagado después[^]*Organización.*Por cobrar[^]*\none +CLP [^]*\ntwo +CLP /,
    );
    for (const [flags, says] of [
      [['--format', 'html'], 'a page cannot be shown on a terminal'],
      [['--title', 'X'], '--title goes with html, not with table'],
    ] as const)
      expect(await run(...flags)).toMatchObject({ code: 2, screen: expect.stringContaining(says) });
  });

  it('has an empty cell in that table for what cannot be told, and says why', async () => {
    const organizations = {
      north: { records: { issued: [INVOICE] } },
      south: { records: { issued: [INVOICE], received: ['{"id":1}'] } },
      west: { records: {}, script: always(status(403)) },
    };
    const line = 'report --all-profiles --retries 0 --no-progress';
    const screen = { terminal: true, columns: 120 };
    const { code, stdout, stderr } = await runOrganizations(line, { organizations, ...screen });
    expect(code).toBe(6);
    const [, , ...rows] = stdout
      .trimEnd()
      .split('\n')
      .map((row) => row.trim().split(/ +/));
    expect(rows.map((row) => row.join(' '))).toEqual([
      'north CLP 100.50 100.50 0.00 0.00 119.00 0.00',
      'south CLP 100.50 100.50 119.00 0.00',
      'south 0 0 0 0',
    ]);
    expect(stderr).toContain('warning: south: received: no figures: no record has an open amount in ');
    expect(stderr).toContain('folio: 2 of 6 listings not whole in these figures\nwest issued: ');
    const funds = fileOf('{"id":3,"currency":"CLP","balance":4.50}\n', 'funds.jsonl');
    const none = runOrganizations(`report --from ${funds}`, { organizations, ...screen });
    await expectRefused(none, 'a report on a terminal is of invoices, and there are none');
  });

  it('has null in JSON for what cannot be told, and says why off a terminal, too', async () => {
    const issued = pageOf([INVOICE.replace('amountToBePaid', 'rest')]);
    const { code, stdout, stderr } = await report(['--format', 'json', '--period', '2026-11'], { issued });
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^warning: issued: no figures: no record has an open amount/),
    ]);
    expect(figuresIn(stdout)['currencies']).toMatchObject([
      { receivable: null, payable: { open: '0' }, net: null, issued: { inPeriod: '119.00', overdue: null } },
    ]);
    const failed = { received: DOWN, 'prepaid-expenses': DOWN };
    expect(await figuresOf(failed)).toMatchObject({
      ...{ funds: null, fundCount: null, inNoSum: { issued: 0, received: null } },
      currencies: [{ receivable: { open: '100.50' }, payable: null, net: null }],
    });
    const poor = { issued: pageOf([INVOICE.replace('"currency"', '"moneda"')]) };
    expect((await figuresOf(poor))['currencies']).toMatchObject([
      { currency: null, receivable: null, issued: { inPeriod: null, months: null } },
    ]);
    const page = textOf((await report([], poor)).stdout);
    expect(page).toContain('Open amounts, ageing and counterparties are not shown.');
    expect(page).not.toContain('Largest overdue');
    const days = pageOf([INVOICE.replace('"date"', '"day"')]);
    const undated = await report(['--format', 'json'], { issued: days });
    expect(undated.stderr).toBe(
      'warning: issued: No invoice has a date of issue in date or emissionDate or issueDate. Say which column it is in with --field date=<column>.\n',
    );
    expect(figuresIn(undated.stdout)['currencies']).toMatchObject([
      { receivable: { open: '100.50' }, issued: { inPeriod: null, months: null, overdue: { count: 1 } } },
    ]);
  });

  it('ends with one line on a terminal', needingTerminal, async () => {
    const path = join(temporaryFolder(), 'report.html');
    const line = ['--sandbox', 'report', '-o', path, '--no-progress'];
    const { code, screen } = await show(line, { columns: 200 });
    const { length } = readFileSync(path);
    expect(code).toBe(0);
    expect(screen).toMatch(/^1 report → .*report\.html, \d+ kB, \d+\.\d s\r\n$/);
    expect(screen).toContain(` ${(length / 1000).toFixed(0)} kB,`);
  });

  it('says at its top that it is not whole, and ends in exit 6', async () => {
    const path = join(temporaryFolder(), 'report.html');
    const { code, stderr } = await report(['-o', path], { received: DOWN });
    expect(code).toBe(6);
    expect(stderr).toContain('1 of 3 listings not whole in the report, which says so\nreceived: ');
    const page = readFileSync(path, 'utf8');
    const [verdict, received] = [page.indexOf('These figures are not whole'), page.indexOf('100.50')];
    expect(verdict).toBeGreaterThan(0);
    expect(verdict).toBeLessThan(received);
    expect(page).toContain('Received: Open amounts, ageing and counterparties are not shown.');
  });

  it('names all that a listing cannot be judged by, for figures of today and of months', async () => {
    const issued = pageOf([INVOICE.replace('100.50', '"N/A"'), INVOICE.replace('119.00', '"?"')]);
    const { code, stdout, stderr } = await report(['--format', 'json'], { issued });
    expect(code).toBe(6);
    const says = ['open amounts: 1 record was left out, ', 'months: 1 record was left out, '];
    for (const words of says) expect(stderr).toContain(words);
    const doubts = says.map((words) => expect.stringContaining(`issued: ${words}`) as string);
    expect(JSON.parse(stdout)).toMatchObject({ complete: false, doubts });
  });

  it('shows no figure that rests on a column that is missing, and names the column', async () => {
    const issued = pageOf([INVOICE.replace('"dueBy"', '"paymentDate"')]);
    const { missing } = await figuresOf({ issued });
    expect(missing).toMatchObject([{ figure: 'balances', direction: 'issued' }]);
    expect(JSON.stringify(missing)).toContain('--field due=<column>');
    expect((await figuresOf({ issued }, '--field', 'due=paymentDate')).missing).toEqual([]);
  });

  it('has a page for each profile of a synced database, and never of several as one', async () => {
    const { run, told } = workplace();
    await run('--sandbox sync two.db issued --profile one,two');
    await run('--sandbox sync two.db received --profile one');
    const ask = (flags: string) =>
      told(`report --from two.db ${flags}`, ({ fiscalIds, missing }) => [fiscalIds, missing.length]);
    const one = { 'one.report.json': [['96486919-7'], 1] };
    const two = { 'two.report.json': [['96782672-3'], 3] };
    expect(await ask('--output-dir pages --all-profiles')).toEqual({ ...one, ...two });
    expect(await ask('--output-dir pages --profile two')).toEqual(two);
    for (const [flags, says] of [
      ['--all-profiles', 'is of one organization, and these are several: one, two\n  Have a page for'],
      ['--profile one,north', 'no records of a profile north\n  There are those of one, two.'],
    ] as const)
      expect(await ask(flags)).toEqual({ code: 2, stderr: expect.stringContaining(says) });
  });

  it('has a page for each profile of exports, as of the service', async () => {
    const { cwd, run, told } = workplace();
    // In an order that has the records of both mixed, and the second first.
    await run('--sandbox issued --all-profiles --sort totalAmount -o issued.jsonl');
    await run('--sandbox received --all-profiles -o received.jsonl');
    await run('--sandbox funds --all-profiles -o funds.json');
    await run('--sandbox received -o received-of-one.jsonl');
    writeFileSync(join(cwd, 'received-none.jsonl'), '');
    // Only a token says the organization.
    const ask = (line: string) =>
      told(`${line} --output-dir pages`, (figures) => ({ ...figures, organization: null }));
    const of = (...files: string[]): string => `report ${files.map((file) => `--from ${file}`).join(' ')}`;
    const files = of('issued.jsonl', 'received.jsonl', 'funds.json');
    const service = await ask('--sandbox report --all-profiles');
    const both = { 'one.report.json': { profile: 'one' }, 'two.report.json': { profile: 'two' } };
    expect(service).toMatchObject(both);
    expect(await ask(`${files} --all-profiles`)).toEqual(service);
    expect(Object.keys(await ask(`${files} --profile two`))).toEqual(['two.report.json']);
    const missing = ['balances', 'months'].map((figure) => ({
      ...{ figure, direction: 'received', reason: 'No received invoices were given.' },
    }));
    const each = (figures: object) => ({ 'one.report.json': figures, 'two.report.json': figures });
    const without = await ask(`${of('issued.jsonl', 'funds.json')} --all-profiles`);
    expect(without).toMatchObject(each({ missing }));
    const none = await ask(`${of('issued.jsonl', 'received-none.jsonl', 'funds.json')} --all-profiles`);
    expect(none).toMatchObject(each({ missing: [] }));
    const lacks = 'issued.jsonl, received.jsonl, funds.json: there are no records of a profile three\n';
    const mixed = 'issued.jsonl says of which profiles its records are, and received-of-one.jsonl does not\n';
    for (const [line, code, says] of [
      [`${files} --profile two,three`, 2, lacks],
      [`${of('issued.jsonl', 'received-of-one.jsonl')} --all-profiles`, 2, mixed],
      [`${of('issued.jsonl', 'received=gone.jsonl')} --all-profiles`, 6, 'received: cannot read gone.jsonl'],
    ] as const)
      expect(await ask(line)).toEqual({ code, stderr: expect.stringContaining(says) });
  });

  it('writes the pages of the others where one organization fails, and none over what it reads', async () => {
    const folder = temporaryFolder();
    const organizations = {
      north: { records: { issued: [INVOICE] } },
      south: { records: { issued: [INVOICE] }, script: always(status(403)) },
    };
    const line = 'report --all-profiles --output-dir FOLDER/pages';
    const { code, stderr } = await runOrganizations(line, { organizations, folder });
    const says = '1 of 2 reports missing or not whole\nsouth: ';
    expect([code, stderr]).toEqual([6, expect.stringContaining(says)]);
    expect(readdirSync(join(folder, 'pages'))).toEqual(['north.report.html']);
    writeFileSync(join(folder, 'pages/south.report.html'), 'old');
    const again = await runOrganizations(`${line} --field open=none`, { organizations, folder });
    expect(again.stderr).toMatch(/^warning: north: issued: no figures: /);
    expect(again.stderr).toMatch(/south: \S+south\.report\.html stays as it was, of /);
    const record = INVOICE.replace('{', '{"_profile":"north",');
    writeFileSync(join(folder, 'north.report.json'), `${record}\n`);
    const from = `--from issued=${folder}/north.report.json --profile north --output-dir ${folder} --format json`;
    await expectRefused(report(from.split(' ')), 'would replace the export');
  });

  it('knows by its receipt which listing an export without a telling name has', async () => {
    const [plain, told] = [fileOf(`${INVOICE}\n`, 'plain.jsonl'), fileOf(`${INVOICE}\n`, 'told.jsonl')];
    withReceipt(told, { resource: 'received' });
    const received = await report(['--from', told, '--format', 'json']);
    expect(figuresIn(received.stdout)).toMatchObject({ currencies: [{ receivable: null, payable: {} }] });
    await expectRefused(report(['--from', plain]), `--from ${plain} does not say which listing it is`);
    withReceipt(plain, { resource: 'customers' });
    await expectRefused(report(['--from', plain]), `--from ${plain} does not say which listing it is`);
  });

  it('refuses an export with a record that does not say whose it is among others that do', async () => {
    const own = INVOICE.replace('{', '{"_profile":"north",');
    for (const records of [`${own}\n${INVOICE}\n`, `${INVOICE}\n${own}\n`]) {
      const path = fileOf(records);
      const said = `folio: ${path} does not say of all its records of which profile they are\n  Export it again with`;
      await expectRefused(report(['--from', path]), said);
    }
  });

  it('has what is known of a single listing, and says what is in no month', async () => {
    const undated = INVOICE.replace('"date":"2026-11-02",', '');
    const page = textOf(
      (await report(['--from', fileOf(`${INVOICE}\n${undated}\n`, 'issued.jsonl')])).stdout,
    );
    expect(page).toMatch(
      /Every listing that was given was read whole\. .* Billed CLP 119\.00 .* Nov 26 119\.00 /,
    );
    expect(page).toContain(' Issued: 1 document without a date of issue or a total, in no month. ');
    const funds = await report(['--from', fileOf('{"id":1,"balance":0}\n', 'funds.jsonl')]);
    expect([funds.code, funds.stdout.includes('Nothing is open.')]).toEqual([0, false]);
  });

  it('begins with the month in each currency, that of most documents first, before the rest of any', async () => {
    const billed = INVOICE.replace('"id":1', '"id":1,"taxAmount":19.00');
    const other = billed.replaceAll('"id":1', '"id":2').replace('"CLP"', '"CLF"');
    const issued = pageOf([other, billed, billed.replaceAll('"id":1', '"id":3')]);
    const received = pageOf([billed.replace('"taxAmount":19.00', '"taxAmount":9.00')]);
    const { stdout } = await report(['--lang', 'es'], { issued, received }, 'es_CL.UTF-8');
    expect(textOf(stdout)).toMatch(
      new RegExp(
        'Noviembre de 2026 CLP Por cobrar \\$201,00 .* Por pagar \\$100,50 .* Por cobrar menos por pagar \\$100,50 ' +
          'Facturado \\$238,00 .* Recibido \\$119,00 .* Impuesto \\$38,00 9,00 en lo recibido ' +
          'CLF Por cobrar .* Impuesto CLF.19,00 .* CLP Saldos abiertos por antigüedad .* CLF Saldos abiertos',
      ),
    );
  });

  it('is in Spanish where asked, with the words of Chile where fiscal IDs are from there', async () => {
    const chilean = INVOICE.replace('"9-9"', '"96486919-7"').replace('"1-9"', '"60155550-6"');
    const note = chilean
      .replace('"id":1', '"id":2,"documentType":"CREDIT_NOTE","status":"NULLIFIED","netAmount":19.00')
      .replace('119.00', '19.00');
    const issued = pageOf([chilean.replace('"id":1', '"id":1,"documentType":"33"'), note]);
    const funds = pageOf(['{"id":3,"name":"Viajes","status":"ACCOUNTED","currency":"CLP","balance":4.50}']);
    const { stdout } = await report(['--lang', 'es'], { issued, 'prepaid-expenses': funds }, 'es_CL.UTF-8');
    expect(stdout).toContain('<html lang="es">');
    const text = textOf(stdout);
    for (const part of [
      'RUT 96486919-7 Facturas y fondos Al 20 de noviembre de 2026 Todos',
      'Noviembre de 2026 CLP',
      'Por cobrar $100,50 1 documento 100,50 vencido, 100,0% ',
      'Facturado $100,00 2 documentos en el período de ellos 1 anulado: -19,00 ',
      'Emitido por tipo de documento, noviembre de 2026 Tipo Documentos Neto Total ' +
        'Factura (33) 1 0,00 119,00 Nota de crédito 1 -19,00 -19,00 Total 2 -19,00 100,00 ' +
        'Documentos que no lo indican: Neto 1. Según la fecha de los documentos; ',
      'Quién debe más Contraparte RUT Total Vencido 1–30 días Roble 60155550-6 100,50 100,50 100,50 Mayores',
      'Número Contraparte RUT Vence Días de atraso Saldo 7 Roble 60155550-6 10 nov 2026 10 100,50 Total 100,50 ',
      'Fondos con saldo Fondo Número Estado Moneda Saldo Viajes 3 Rendido CLP 4,50',
    ]) {
      expect(text).toContain(part);
    }
    expect(text.split('<body>')[0]!.match(/96486919-7/g)).toHaveLength(2);
  });

  it('says in Spanish why figures are not whole, and what is rare in folio’s own words', async () => {
    const doubtsOf = async (answers: Readonly<Record<string, Answer>>): Promise<string> => {
      const { code, stdout } = await report(['--lang', 'es'], answers, 'es_CL.UTF-8');
      expect(code).toBe(6);
      const [, box = ''] = /<div class="verdict warning" role="alert">(.*?)<\/div>/s.exec(stdout) ?? [];
      return textOf(box);
    };
    const head = 'Estas cifras no están completas. No las use como base.';
    const wrong = pageOf([INVOICE.replace('100.50', '"N/A"'), INVOICE.replace('"id":1', '"id":2')]);
    expect(await doubtsOf({ issued: wrong, received: [500, '{}'] })).toBe(
      `${head} Facturas emitidas: queda fuera 1 registro que no se puede leer: amountToBePaid del registro 1 (número 7). ` +
        'Facturas recibidas: el servicio no respondió, o respondió con una falla.',
    );
    expect(await doubtsOf({ issued: pageOf([INVOICE], { total: 2 }), 'prepaid-expenses': [403, '{}'] })).toBe(
      `${head} Facturas emitidas: se leyó 1 registro, pero no todos: el servicio envía, página tras página, registros que ya había enviado. ` +
        'Fondos: el servicio no acepta el token, o no hay ninguno.',
    );
    const undue = pageOf([INVOICE.replace('"dueBy"', '"until"')]);
    const { stdout } = await report(['--lang', 'es'], { issued: undue }, 'es_CL.UTF-8');
    expect(textOf(stdout)).toMatch(
      /Emitido: No se muestran saldos .* Ningún registro tiene fecha de vencimiento en dueBy o .*: indique la columna con --field due=&lt;columna&gt;\./,
    );
    const file = withReceipt(fileOf(`${INVOICE}\n`), { complete: false, errors: ['no disk'] });
    const rare = await report(['--lang', 'es', '--from', file], {}, 'es_CL.UTF-8');
    expect(textOf(rare.stdout)).toContain(`folio dice, en inglés: issued: ${file} is incomplete: no disk`);
  });

  it('has a name at its top: the title, else the organization of the records, else its fiscal ID, which stands there once', async () => {
    const headOf = async (...args: Parameters<typeof report>): Promise<string> => {
      const { code, stdout, stderr } = await report(...args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return textOf(stdout.slice(stdout.indexOf('<body>'), stdout.indexOf('<main>')));
    };
    const named = pageOf([INVOICE.replace('{', '{"issuer":{"name":"Andes SpA"},')]);
    const facts = 'As of November 20, 2026 Fiscal ID 9-9';
    expect(await headOf([])).toBe('Fiscal ID 9-9 Invoices and funds As of November 20, 2026');
    expect(await headOf([], { issued: named })).toBe(`Andes SpA Invoices and funds ${facts}`);
    expect(await headOf(['--title', ' <b>Books</b> '], { issued: named })).toBe(
      `&lt;b&gt;Books&lt;/b&gt; Invoices and funds ${facts}`,
    );
  });

  it('has the language and the name that are set for the profile, unless a flag says another', async () => {
    const settings = { lang: 'es', organization: 'Roble SpA' };
    const organizations = { north: { records: { issued: [INVOICE] }, settings }, south: { records: {} } };
    const pageOfOne = async (line: string, env = {}): Promise<string> =>
      textOf((await runOrganizations(`report ${line}`, { organizations, env })).stdout);
    expect(await pageOfOne('--profile north')).toMatch(/Roble SpA Facturas y fondos/);
    expect(await pageOfOne('--profile north --lang en --title X')).toMatch(/X Invoices and funds/);
    expect(await pageOfOne('--profile south')).not.toMatch(/Roble|Facturas/);
    const file = fileOf(`${INVOICE}\n`);
    const env = { FOLIO_PROFILE: 'north' };
    expect(await pageOfOne(`--from ${file}`, env)).toMatch(/Facturas y fondos/);
    // Of several, none has its language.
    const shown = { organizations, env, terminal: true, columns: 120, folder: temporaryFolder() };
    const all = (line: string) => runOrganizations(`${line} --all-profiles --no-progress`, shown);
    expect((await all('report')).stdout).toContain('Organization');
    await all('statement --all --output-dir FOLDER/pages');
    expect(readFileSync(join(shown.folder, 'pages/index.html'), 'utf8')).toContain('lang="en"');
    await all('aging -o FOLDER/aging.xlsx');
    const [sheet] = readWorkbook(readFileSync(join(shown.folder, 'aging.xlsx')));
    expect(sheet!.rows[0]!.get('A')!.value).toBe('_profile');
  });

  it('draws ages and months in scale, what is below zero in a colour of its own', async () => {
    const older = INVOICE.replace('2026-11-10', '2026-10-01').replace('100.50', '301.50');
    const note = INVOICE.replace('"id":1', '"id":3,"documentType":"CREDIT_NOTE"').replace('-11-02', '-10-02');
    const { stdout } = await report([], { issued: pageOf([INVOICE, older, note]) });
    const rects = stdout.matchAll(
      /<rect class="(\w+)" x="(\S+)" width="(\S+)" height="100%"><title>([^<]*)</g,
    );
    expect([...rects].map(([, ...shown]) => shown.join(' '))).toEqual([
      'part1 0% 25% 1–30 days: 100.50',
      'part2 25% 75% 31–60 days: 301.50',
      'negative 0% 50% Oct 26, Issued: -119.00',
      'issued 0% 100% Nov 26, Issued: 238.00',
    ]);
  });

  it('tells what those that are not listed owe, and the total below', async () => {
    const invoices = Array.from({ length: 12 }, (_, at) =>
      INVOICE.replace('"id":1', `"id":${at}`)
        .replace('Roble', `N${at}`)
        .replace('"1-9"', `"${at}-X"`)
        .replace('100.50', `${at + 1}.5`),
    );
    const { stdout } = await report([], { issued: pageOf(invoices) });
    const text = textOf(stdout);
    expect(text).toContain('N2 2-X 3.50 3.50 3.50 2 more 4.00 4.00 4.00 Total 84.00 84.00 84.00 Largest');
  });
});
