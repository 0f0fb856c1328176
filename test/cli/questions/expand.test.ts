import * as fc from 'fast-check';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expandQuestion } from '../../../src/query/expand.ts';
import { RecordBatch } from '../../../src/json/records.ts';
import { readParquet } from '../../output/parquet/read-parquet.ts';
import { readWorkbook } from '../../output/xlsx/read-workbook.ts';
import { batchOf, valuesOf } from '../../support/records.ts';
import { runHere, type FolioExit } from '../../support/run-here.ts';
import { runOrganizations } from '../../support/run-model.ts';
import { pageOf, runScripted, runStub, type ScriptedExit } from '../../support/scripted-run.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { expectAnswer, expectRefused } from '../../support/expect-exit.ts';

const RECORDS = [
  '{"id":"a","number":1,"payments":[{"amount":1E2,"by":"x"},{"amount":0.10}],"totalAmount":119.10,"currency":"CLP"}',
  '{"id":"b","payments":[],"number":2,"totalAmount":7,"currency":"CLP"}',
  '{"id":"c","number":3,"totalAmount":8,"currency":"USD","payments":null}',
  '{"id":"d","number":4,"totalAmount":9,"currency":"USD"}',
  '{ "id": "e", "number": 5, "payments" : [ { "amount": 12345678901234567890, "late": true } ] , "currency":"USD" }',
];
const PAGE = pageOf(RECORDS);

const ask = (...argv: string[]): Promise<ScriptedExit> =>
  runScripted(['issued', '--expand', 'payments', ...argv], [PAGE]);

const read = (...argv: string[]): Promise<FolioExit> => runHere(argv);

async function* only<T>(value: T): AsyncGenerator<T> {
  yield value;
}

describe('--expand', () => {
  it.each([
    [
      'csv',
      'id,number,payments.amount,payments.by,totalAmount,currency,payments.late\n' +
        'a,1,1E2,x,119.10,CLP,\na,1,0.10,,119.10,CLP,\nb,2,,,7,CLP,\nc,3,,,8,USD,\nd,4,,,9,USD,\n' +
        'e,5,12345678901234567890,,,USD,true\n',
    ],
    [
      'jsonl',
      '{"id":"a","number":1,"payments":{"amount":1E2,"by":"x"},"totalAmount":119.10,"currency":"CLP"}\n' +
        '{"id":"a","number":1,"payments":{"amount":0.10},"totalAmount":119.10,"currency":"CLP"}\n' +
        '{"id":"b","number":2,"totalAmount":7,"currency":"CLP"}\n' +
        '{"id":"c","number":3,"totalAmount":8,"currency":"USD"}\n' +
        '{"id":"d","number":4,"totalAmount":9,"currency":"USD"}\n' +
        '{"id":"e","number":5,"payments":{"amount":12345678901234567890,"late":true},"currency":"USD"}\n',
    ],
  ])('makes a row of each object, and one of a record without any, in %s', async (format, text) => {
    await expectAnswer(ask('--format', format), text);
  });

  const FILES = ['rows.jsonl', 'rows.json'];
  it.each(FILES)('is in the receipt, so that no document of %s counts twice', async (name) => {
    const file = join(temporaryFolder(), name);
    expect(await ask('-o', file, '--receipt', `${file}.receipt.json`)).toMatchObject({ code: 0 });
    const says = `folio: ${file} has a row for each of payments, so a document of several would count several times\n`;
    const hint = '  Export it without --expand, or sum a column of the rows, such as payments.amount.\n';
    for (const line of ['issued --sum total', 'aging', 'statement --all'])
      await expectRefused(read(...line.split(' '), '--from', file), says + hint);
    await expectRefused(read('report', '--format', 'json', '--from', `issued=${file}`), says + hint);
    await expectAnswer(read('issued', '--from', file, '--count'), '6\n', /^warning: /);
    const sum = ['--sum', 'payments.amount', '--columns', 'currency,payments.amount'];
    const sums = 'currency,payments.amount\nCLP,100.10\nUSD,12345678901234567890\n';
    await expectAnswer(read('issued', '--from', file, ...sum), sums, /^warning: /);
  });

  it('is in workbooks, Parquet, json and tables', async () => {
    const folder = temporaryFolder();
    const columns = ['--columns', 'Folio=number,Pago=payments.amount'];
    expect((await ask(...columns, '--limit', '5', '-o', join(folder, 'a.xlsx'))).code).toBe(0);
    const [sheet] = readWorkbook(readFileSync(join(folder, 'a.xlsx')));
    expect(sheet!.rows.map((row) => [...row.values()].map(({ value }) => value))).toEqual([
      ['Folio', 'Pago'],
      ...[['1', '1E2'], ['1', '0.10'], ['2'], ['3'], ['4']],
    ]);
    expect((await ask(...columns, '--limit', '5', '-o', join(folder, 'a.parquet'))).code).toBe(0);
    const { rows } = await readParquet(join(folder, 'a.parquet'));
    const amounts = rows.map(([number, amount]) => `${number} ${amount === null ? null : Number(amount)}`);
    expect(amounts).toEqual(['1 100', '1 0.1', '2 null', '3 null', '4 null']);
    const json = '[\n{"Folio":1,"Pago":1E2},\n{"Folio":1,"Pago":0.10}\n]\n';
    await expectAnswer(ask(...columns, '--limit', '2', '--format', 'json'), json);
    const table = 'Folio  Pago\n─────  ────\n    1   1E2\n    1  0.10\n    2\n';
    await expectAnswer(ask(...columns, '--limit', '3', '--format', 'table'), table);
  });

  it('shows on a terminal what the list is about before what the records are about', async () => {
    const records = [
      '{"number":7,"date":"2026-01-02","dueBy":"2026-02-02","customer":{"name":"Librería Roble y Compañía"},"totalAmount":119,' +
        '"amountToBePaid":0,"currency":"CLP","status":"PAID","payments":[{"id":1,"date":"2026-01-09","amount":119}]}',
    ];
    const { stdout } = await runScripted(['issued', '--expand', 'payments'], [pageOf(records)], {
      terminal: true,
      columns: 70,
    });
    expect(stdout).toMatch(/ 2026-01-09 +119$/m);
    expect(stdout).toContain('Not shown: date, dueBy, status, payments.id');
  });

  it('knows the day and the amount of a payment by their other names, too', async () => {
    const payments = '[{"id":1,"paidAt":"2026-01-09","value":100},{"id":2,"paidAt":"2026-01-12","value":19}]';
    const record = `{"number":7,"date":"2026-01-02","status":"PAID","totalAmount":119,"payments":${payments}}`;
    const at = { terminal: true, columns: 60 };
    const { stdout } = await runScripted(['issued', '--expand', 'payments'], [pageOf([record])], at);
    expect(stdout).toMatch(/payments\.paidAt[^]*payments\.value[^]* 2026-01-09 +100\n[^]* 2026-01-12 +19\n/);
  });

  it('has --where, --limit, --count, --sort and --group-by go by rows', async () => {
    const line = ['--columns', 'number,payments.amount', '--no-header'];
    await expectAnswer(ask('--count'), '6\n');
    await expectAnswer(ask('--count', '--where', 'payments.amount!='), '3\n');
    await expectAnswer(ask(...line, '--where', 'payments.amount<=100'), '1,1E2\n1,0.10\n');
    await expectAnswer(ask(...line, '--where', 'number=1', '--where', 'payments.by=x'), '1,1E2\n');
    await expectAnswer(ask(...line, '--sort', 'currency,payments.amount', '--limit', '2'), '1,0.10\n1,1E2\n');
    await expectAnswer(ask('--group-by', 'currency', '--no-header'), 'CLP,3\nUSD,3\n');
  });

  it('asks of documents what is about documents, and names the place of the record', async () => {
    const records = [
      '{"number":1,"date":"2026-01-01","payments":[{"amount":1},{"amount":2}]}',
      '{"number":2,"date":"2025-12-31","payments":[{"amount":3}]}',
      '{"number":3,"date":"soon","payments":[{"amount":4},{"amount":5}]}',
      '{"number":4,"date":"2026-02-01","payments":[{"amount":6},{"amount":"x"}]}',
    ];
    const run = (...argv: string[]): Promise<ScriptedExit> =>
      runScripted(['issued', '--expand', 'payments', ...argv], [pageOf(records)]);
    const since = await run('--since', '2026', '--columns', 'number,payments.amount', '--no-header');
    expect(since).toMatchObject({ code: 6, stdout: '1,1\n1,2\n4,6\n4,x\n' });
    expect(since.stderr).toContain('1 record was left out');
    expect(since.stderr).toContain('record 3');
    const question = ['--where', 'number=4', '--sum', 'payments.amount'];
    const sum = await run(...question, '--field', 'currency==CLP');
    const sums = 'currency,records,payments.amount,payments.amount.missing\nCLP,1,6,0\n';
    expect(sum).toMatchObject({ code: 6, stdout: sums });
    // Payments of several currencies would be one sum.
    expect(await run(...question)).toMatchObject({ code: 2, stdout: '' });
    expect(sum.stderr).toContain('payments.amount of record 4 (number 4) is the text "x"');
  });

  it('adds payments as sent, by their own currency, and refuses to add what repeats', async () => {
    const { stdout } = await ask('--sum', 'payments.amount');
    expect(stdout).toBe(
      'currency,records,payments.amount,payments.amount.missing\nCLP,3,100.10,1\nUSD,3,12345678901234567890,2\n',
    );
    const folder = temporaryFolder();
    const [file, bare] = [join(folder, 'rows.jsonl'), join(folder, 'bare.jsonl')];
    for (const [list, sources] of [
      ['payments', ['--expand', `--from ${file}`, `--from ${bare}`]],
      ['refunds', ['--expand', `--from ${file}`]],
    ] as const) {
      const credits = ['CLP', 'EUR'].map(
        (currency, amount) =>
          `{"documentType":"CREDIT_NOTE","currency":"${currency}","${list}":[{"amount":${amount + 1},"currency":"USD"}]}`,
      );
      const run = (line: string): Promise<ScriptedExit> =>
        runScripted(['issued', ...line.split(' ')], line.startsWith('--from') ? [] : [pageOf(credits)]);
      expect((await run(`--expand ${list} -o ${file} --receipt beside`)).code).toBe(0);
      writeFileSync(bare, readFileSync(file));
      for (const source of sources) {
        const line = source.startsWith('--from') ? source : `${source} ${list}`;
        const sum = await run(`${line} --sum ${list}.amount --field paid=${list}.amount`);
        expect([line, sum.stdout]).toEqual([line, expect.stringContaining('\nUSD,2,3,')]);
        const sorted = await run(`${line} --sort -${list}.amount,documentType`);
        expect([line, sorted.stderr]).toEqual([line, '']);
        // A condition on the documents would choose rows of other currencies than the sums show.
        const ofDocument = run(`${line} --where currency=CLP --sum ${list}.amount`);
        await expectRefused(ofDocument, `pipe them into --from - --expand ${list}.`);
        // Nor may the document's stand beside the amounts of rows alone.
        if (source.endsWith(bare)) continue;
        const columns = `--columns currency,${list}.amount`;
        await expectRefused(run(`${line} ${columns}`), `Write ${list}.currency for that one.`);
        const both = (await run(`${line} ${columns},${list}.currency`)).stdout.split('\n');
        expect(both.slice(1, 3)).toEqual(['CLP,1,USD', 'EUR,2,USD']);
        expect((await run(`${line} --columns currency`)).stdout).toBe('currency\nCLP\nEUR\n');
        const own = (await run(`${line} --columns cur,${list}.amount`)).stdout.split('\n');
        expect(own.slice(1, 3)).toEqual(['USD,1', 'USD,2']);
      }
    }
    for (const column of ['totalAmount', 'total', 'paymentsTotal']) {
      await expectRefused(
        runScripted(['issued', '--expand', 'payments', '--sum', column], []),
        `--sum ${column} does not go with --expand payments: each row of a record repeats it`,
      );
    }
  });

  it('groups by the currency of a payment, which is that of its document where it has none', async () => {
    const document = (currency: string, ...payments: object[]) => JSON.stringify({ currency, payments });
    const records = [
      document('CLP', { amount: 5 }, { amount: 2, currency: 'CLP' }),
      document('USD', { amount: 3 }, { amount: 1, currency: 'CLP' }),
    ];
    const sum = ['issued', '--expand', 'payments', '--sum', 'payments.amount', '--no-header'];
    for (const group of [[], ['--group-by', 'payments.currency']])
      await expectAnswer(runScripted([...sum, ...group], [pageOf(records)]), 'CLP,3,8,0\nUSD,1,3,0\n');
    // An export may lack the currencies of the documents.
    const without = records.map((record) => record.replace(/"currency":"..."/, '"id":1'));
    await expectRefused(runScripted(sum, [pageOf(without)]), 'no record has a currency in currency or');
  });

  it('reads exports and their receipts, and is counted by them', async () => {
    const file = join(temporaryFolder(), 'issued.jsonl');
    const receipt = `${file}.receipt.json`;
    expect((await runScripted(['issued', '-o', file, '--receipt', receipt], [PAGE])).code).toBe(0);
    const from = ['issued', '--from', file, '--expand', 'payments', '--sum', 'payments.amount'];
    expect((await runScripted(from, [])).stdout).toContain('\nCLP,3,100.10,1\n');
    expect((await ask('-o', file, '--receipt', receipt)).code).toBe(0);
    expect(JSON.parse(readFileSync(receipt, 'utf8'))).toMatchObject({ records: 6, recordsRead: 5 });
    expect((await runScripted(['verify', file], [])).stdout).toContain(', 6 records, ');
    const again = ['issued', '--from', file, '--where', 'payments.amount!=', '--count'];
    await expectAnswer(runScripted(again, []), '3\n');
    const copy = join(temporaryFolder(), 'copy.jsonl');
    const copied = ['issued', '--from', file, '-o', copy, '--receipt', 'beside'];
    await expectAnswer(runScripted(copied, []), '');
    const sum = ['issued', '--from', copy, '--sum', 'total'];
    await expectRefused(runScripted(sum, []), `${copy} has a row for each of payments`);
  });

  it('is refused as documents where a list stands beside its own columns, without a receipt, too', async () => {
    const document = { id: 1, number: 1, currency: 'CLP', amountToBePaid: 10, dueBy: '2026-01-01' };
    const row = (fields: object): string => JSON.stringify({ ...document, ...fields });
    const both = { payments: [{ amount: 1 }, { amount: 2 }], customer: { name: 'Roble' } };
    const rows = [1, 2].map((amount) => row({ ...both, 'payments.amount': amount }));
    const file = join(temporaryFolder(), 'rows.jsonl');
    for (const [records, code] of [
      [[row({ payments: [] }), ...rows], 2],
      // Equal ids alone are different documents, and a list that is null or an object now and then is none.
      [[row(both), row(both)], 0],
      [[row({ payments: null }), row({ payments: { amount: 2 }, 'customer.name': 'Roble' })], 0],
    ] as const) {
      writeFileSync(file, records.join('\n'));
      for (const line of ['aging', 'issued --sum open', 'statement --all', 'report --format json']) {
        const from = line.startsWith('report') ? `issued=${file}` : file;
        const run = await runScripted([...line.split(' '), '--from', from], []);
        expect([line, run.code]).toEqual([line, code]);
        expect(run.stderr.includes('has a row for each of payments')).toBe(code === 2);
        const isObject = records[1]?.includes('"payments":{') === true;
        expect(run.stderr.includes('has an object in place of the list payments')).toBe(isObject);
      }
      const piped = await runScripted(['aging', '--from', '-'], [], { stdin: { text: records.join('\n') } });
      expect(piped.code).toBe(code);
    }
    writeFileSync(file, rows.join('\n'));
    for (const question of ['--sum payments.amount', '--count', '--where payments.amount=2'])
      expect(await runScripted(['issued', '--from', file, ...question.split(' ')], [])).toMatchObject({
        code: 0,
      });
  });

  it('is of each of several organizations', async () => {
    const records = { issued: RECORDS };
    const organizations = { north: { records }, south: { records: { issued: RECORDS.slice(0, 1) } } };
    const run = (line: string) =>
      runOrganizations(`issued --all-profiles --expand payments --no-header ${line}`, { organizations });
    const rows = 'north,a,1E2\nnorth,a,0.10\nnorth,b,\n';
    await expectAnswer(run('--columns id,payments.amount --limit 3'), rows);
    await expectAnswer(run('--count --group-by _profile'), 'north,6\nsouth,2\n');
  });

  it('finds a list within an object, and one with a dot in its name', async () => {
    const records = ['{"sale":{"n":1,"lines":[{"a":1},{"a":2}]},"x.y":[{"b":3},{"b":4}]}'];
    const rows = async (column: string): Promise<string> =>
      (await runScripted(['issued', '--expand', column, '--format', 'jsonl'], [pageOf(records)])).stdout;
    expect(await rows('sale.lines')).toBe(
      '{"sale":{"n":1,"lines":{"a":1}},"x.y":[{"b":3},{"b":4}]}\n{"sale":{"n":1,"lines":{"a":2}},"x.y":[{"b":3},{"b":4}]}\n',
    );
    expect(await rows(String.raw`x\.y`)).toContain('"x.y":{"b":4}}');
  });

  it.each([
    ['status', '{"status":"PAID"}', 'in record 1 it is the text "PAID", not a list of objects'],
    ['tags', '{"tags":["a",{"b":1}]}', 'in record 1 it is a list with other values, not'],
    ['customer', '{"customer":{"name":"x"}}', 'in record 1 it is an object, not a list'],
    ['number', '{"number":7}', 'in record 1 it is the value "7", not a list of objects'],
  ])('is a usage error where %s is not a list of objects', async (column, record, message) => {
    await expectRefused(
      runStub(['issued', '--expand', column, '-o', join(temporaryFolder(), 'x.csv')], {
        issued: pageOf([record]),
      }),
      `--expand ${column}: ${message}`,
    );
  });

  it('leaves a record as it is where its list alone is something else, and says so', async () => {
    const others = ['{"id":"x","number":9,"payments":"none"}', '{"id":"y","payments":[1]}'];
    const records = [RECORDS[0]!, ...others];
    const file = join(temporaryFolder(), 'issued.csv');
    const argv = ['issued', '--expand', 'payments', '--columns', 'id,payments.amount,payments', '-o', file];
    const receipt = ['--receipt', `${file}.receipt.json`];
    const { code, stderr } = await runScripted([...argv, ...receipt], [pageOf(records)]);
    expect(code).toBe(6);
    expect(readFileSync(file, 'utf8')).toContain('x,,none\ny,,[1]\n');
    expect(stderr).toContain(
      '--expand payments: 2 records are rows as they are, without a list of objects: in record 2 it is the text "none"; ' +
        'in record 3 it is a list with other values',
    );
    expect(JSON.parse(readFileSync(receipt[1]!, 'utf8'))).toMatchObject({ missing: { notExpanded: 2 } });
  });

  it('refuses a column that is not a list in any record, also where --limit stops before the last', async () => {
    const page = pageOf([1, 2, 3, 4].map((id) => `{"id":${id},"customer":{"name":"Roble"}}`));
    for (const limit of [[], ['--limit', '1'], ['--limit', '3']]) {
      await expectRefused(
        runScripted(['issued', '--expand', 'customer', ...limit], [page]),
        '--expand customer: in record 1 it is an object',
      );
    }
  });

  it('warns of a list that no record has, and refuses a near miss and two lists', async () => {
    const nested = pageOf([...RECORDS, '{"id":"f","payments":[{"parts":[{"of":1},{"of":2}]}]}']);
    for (const how of [['--count'], ['--limit', '1'], []]) {
      const near = runScripted(['issued', '--expand', 'payment', ...how], [PAGE]);
      await expectRefused(near, 'Did you mean payments?');
      await expectRefused(
        runScripted(['issued', '--expand', 'payments.parts', ...how], [nested]),
        /payments\.parts is within the list payments, which may have several objects in a record\n {2}Write --expand payments:/,
      );
    }
    const none = await runScripted(['issued', '--expand', 'zzz', '--count'], [PAGE]);
    expect(none).toMatchObject({ code: 0, stdout: '5\n' });
    expect(none.stderr).toContain('warning: --expand: no record has a value in zzz');
    for (const argv of [
      ['--expand', 'payments,files'],
      ['--expand', 'payments', '--expand', 'files'],
      ['--expand', 'payments', '--changes-since', 'x.jsonl'],
    ]) {
      expect(await runScripted(['issued', ...argv], [])).toMatchObject({ code: 2, stdout: '' });
    }
    const ofNone = await runScripted(['issued', '--expand', 'payments'], [pageOf([])]);
    expect(ofNone).toMatchObject({ code: 0, stderr: '' });
  });

  it('makes more rows of one record than are passed on together, and knows whose each is', async () => {
    const list = Array.from({ length: 9_001 }, (_, at) => `{"n":${at}}`);
    const question = expandQuestion('payments');
    let rows = 0;
    const one = batchOf('{"id":1,"payments":[{"n":-1}]}', `{"id":2,"payments":[${list.join(',')}]}`);
    const placed = new RecordBatch({ ...one, places: Int32Array.of(10, 20) });
    for await (const batch of question.answer(only(placed))) {
      const values = valuesOf(batch) as { payments: { n: number } }[];
      for (const { payments } of values) {
        expect(payments.n).toBe(rows - 1);
        rows++;
      }
      expect(new Set(batch.places)).toEqual(new Set(rows === batch.count ? [10, 20] : [20]));
      expect(batch.count).toBeLessThanOrEqual(4_000);
    }
    expect(rows).toBe(9_002);
  });

  it('agrees with parsed records, whatever else they hold', async () => {
    const element = fc.dictionary(fc.constantFrom('a', 'b.c', 'payments'), fc.jsonValue({ maxDepth: 2 }));
    const list = fc.oneof(fc.array(element, { maxLength: 4 }), fc.constant(null));
    const record = fc
      .tuple(
        fc.dictionary(fc.constantFrom('id', 'p"', 'pay', 'ñ'), fc.jsonValue({ maxDepth: 2 })),
        fc.option(list, { nil: undefined }),
        fc.dictionary(fc.constantFrom('x', 'paymentsTotal', 'customer'), fc.jsonValue({ maxDepth: 2 })),
      )
      .map(([before, payments, behind]) => ({
        ...before,
        ...(payments !== undefined && { payments }),
        ...behind,
      }));
    const records = fc.array(record, { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(records, fc.constantFrom(0, 1), async (records, indent) => {
        const question = expandQuestion('payments');
        const batch = batchOf(...records.map((one) => JSON.stringify(one, null, indent)));
        const rows: object[] = [];
        for await (const batchOfRows of question.answer(only(batch))) rows.push(...valuesOf(batchOfRows));
        const expected = records.flatMap((one): object[] => {
          const { payments, ...others } = one;
          return Array.isArray(payments) && payments.length > 0
            ? payments.map((payment: unknown) => ({ ...one, payments: payment }))
            : [others];
        });
        expect(rows).toEqual(expected.map((one) => JSON.parse(JSON.stringify(one)) as object));
        expect(question.rows()).toBe(expected.length);
      }),
    );
  });
});
