import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { fakeContext } from '../support/fake-context.ts';
import { runHere } from '../support/run-here.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { withSettings } from '../support/settings-folder.ts';

/** Runs a question about a file with these lines; `FILE` in the command line is its path. */
async function answer(line: string, records: readonly string[], settings = {}) {
  const file = join(temporaryFolder(), 'records.jsonl');
  writeFileSync(file, records.map((record) => `${record}\n`).join(''));
  const argv = line.split(' ').map((word) => word.replace('FILE', file));
  const { code, stdout, stderr } = await runHere(argv, {
    env: { FOLIO_TOKEN: undefined, ...withSettings(settings) },
  });
  return { code, text: stdout.toString(), said: stderr.replaceAll(/^\d{4}-\S+Z /gm, '') };
}

const PAID = [
  '{"number":1,"payments":[{"amount":5},{"amount":6}]}',
  '{"number":2,"payments":"later"}',
  '{"number":3,"payments":[]}',
];

/** Open ones, a cancelled one, those that are issued later, a credit, and one without an amount. */
const INVOICES = [
  [1, '2026-01-05', '2026-02-01', ',"amountToBePaid":100', 'PENDING', 'Roble'],
  [2, '2026-01-06', '2026-02-20', ',"amountToBePaid":50', 'ANNULLED', 'Roble'],
  [3, '2026-03-06', '2026-04-20', ',"amountToBePaid":70', 'PENDING', 'Roble'],
  [4, '2026-02-06', '2026-03-20', ',"amountToBePaid":-7', 'PENDING', 'Pino'],
  [5, '2026-02-06', '2026-03-20', '', 'PENDING', 'Pino'],
  [6, '2026-03-06', '2026-04-20', ',"amountToBePaid":70', 'ANNULLED', 'Roble'],
].map(
  ([number, date, dueBy, open, status, name]) =>
    `{"number":${number},"date":"${date}","dueBy":"${dueBy}","totalAmount":100${open},"currency":"CLP","status":"${status}",` +
    `"customer":{"name":"${name}","fiscalId":"${name === 'Roble' ? '1-9' : '2-7'}"}}`,
);

describe('the answer', () => {
  it('to --expand has a row for each object, and says where there is no list of them', async () => {
    expect(
      await answer('issued --from FILE --expand payments --columns number,payments.amount', PAID),
    ).toEqual({
      code: 6,
      text: 'number,payments.amount\n1,5\n1,6\n2,\n3,\n',
      said:
        'folio: --expand payments: 1 record is a row as it is, without a list of objects: in record 2 it is the text "later"\n' +
        '  Look at these records with --format jsonl and without --expand.\n',
    });
  });

  it('to aging counts what is open on a day, and says what is not in it', async () => {
    const { code, text, said } = await answer('aging --from FILE --as-of 2026-03-01 -v', INVOICES);
    const rows = text.split('\n').map((row) => row.replace(/,balances of [^,]*$/, ''));
    expect([code, rows]).toEqual([
      0,
      [
        'counterparty,fiscalId,currency,invoices,not due,1 to 30,31 to 60,61 to 90,over 90,no due date,credits,total,total.creditNotes,total.cancelled,total.missing,note',
        'Roble,1-9,CLP,1,0,100,0,0,0,0,0,100,0,50,0',
        'Pino,2-7,CLP,1,0,0,0,0,0,0,-7,-7,0,0,1',
        '',
      ],
    ]);
    expect(said.split('\n')).toEqual([
      '2 open documents as of 2026-03-01; the columns are days overdue',
      expect.stringMatching(
        /^balances of \S+: payments after 2026-03-01 are not undone; 1 open document issued later left out$/,
      ),
      '1 cancelled document not open',
      '1 document without an open amount',
      '',
    ]);
  });

  it('to --sum by the month has a row for each, and of a column that is no amount no word on documents', async () => {
    expect(
      await answer('issued --from FILE --sum totalAmount --group-by date:month', INVOICES),
    ).toMatchObject({
      code: 0,
      text:
        'date:month,currency,records,totalAmount,totalAmount.creditNotes,totalAmount.cancelled,totalAmount.missing\n' +
        '2026-01,CLP,2,200,0,100,0\n2026-02,CLP,2,200,0,0,0\n2026-03,CLP,2,200,0,100,0\n',
    });
    expect(await answer('issued --from FILE --sum number --group-by currency -v', INVOICES)).toEqual({
      code: 0,
      text: 'currency,records,number,number.missing\nCLP,6,21,0\n',
      said: '',
    });
  });

  it('to a value that is no number says how numbers are written, and this one where it can be read', async () => {
    const form = 'numbers have digits and a decimal point only';
    expect((await answer('issued --from FILE --where totalAmount>abc', INVOICES)).said).toContain(
      '\n  Write numbers with digits and a decimal point only, such as 1000000 or 1190.10.\n',
    );
    expect((await answer('issued --from FILE --where totalAmount>1.000,50', INVOICES)).said).toContain(
      `\n  Write 1000.50: ${form}.\n`,
    );
  });

  it('to --changes-since has its columns also where nothing changed', async () => {
    const line = 'issued --from FILE --changes-since FILE --format csv';
    expect(await answer(line, INVOICES, { 'key.issued': 'number' })).toMatchObject({
      code: 0,
      text: '_change,number,field,old,new\n',
    });
  });

  it('has in jsonl the names that --columns gives', async () => {
    const line = 'issued --from FILE --columns Folio=number,counterpartyName --limit 2 --format jsonl';
    expect(await answer(line, INVOICES)).toMatchObject({
      code: 0,
      text: '{"Folio":1,"counterpartyName":"Roble"}\n{"Folio":2,"counterpartyName":"Roble"}\n',
    });
  });
});

describe('a list of any form that is reconciled', () => {
  const RECORDS = [
    '{"number":1,"documentType":33,"date":"2026-10-15","currency":"CLP","totalAmount":1190.50,"issuerFiscalId":"76123456-7","issuer":{"name":"Roble SpA"}}',
    '{"number":3,"documentType":33,"date":"2026-10-15","currency":"CLP","totalAmount":10,"issuerFiscalId":"76123456-7","issuer":{"name":"Roble y Compañía de Maderas del Sur Limitada, Sucursal Norte"}}',
  ];
  const LIST = [
    'folio;tipo;fecha;monto;nombre;rut;nota{1}',
    '1;33;2026-10-15;01190.50;Roble SpA;76123456-7;x',
    '2;33;null;2000;"Pino" Sur;76123456-7;x',
  ];
  const MATCH =
    'number=folio,documentType=tipo,date=fecha,total=monto,counterpartyName=nombre,counterpartyFiscalId=rut';

  function argv(): string[] {
    const folder = temporaryFolder();
    const [list, records] = [join(folder, 'list.csv'), join(folder, 'records.jsonl')];
    writeFileSync(list, LIST.map((row) => `${row}\n`).join(''));
    writeFileSync(records, RECORDS.map((record) => `${record}\n`).join(''));
    const flags = ['--against', 'received', '--period', '2026-10', '--all', '--from', records];
    return ['reconcile', list, ...flags, '--match', MATCH];
  }

  it('may have zeros before an amount, quotes within a cell, braces in a heading, and null for a day', async () => {
    const line = [...argv(), '--columns', '_match,number,counterpartyName,list.total'];
    const { code, stdout } = await runHere(line, { env: { FOLIO_TOKEN: undefined } });
    expect([code, stdout.toString()]).toEqual([
      7,
      '_match,number,counterpartyName,list.total\nsame,1,Roble SpA,1190.50\n' +
        'only in the list,2,"""Pino"" Sur",2000\n' +
        'only in the service,3,"Roble y Compañía de Maderas del Sur Limitada, Sucursal Norte",\n',
    ]);
  });

  it('has one heading for each field', async () => {
    const { code, stderr } = await runHere([...argv(), '--match', 'number=folio,number=tipo']);
    expect([code, stderr]).toEqual([
      2,
      'folio: --match names number twice\n  Name one heading for each field.\n',
    ]);
  });

  it.each([
    [
      400,
      '_match number documentType counterpartyFiscalId counterpartyName date currency total list.total difference differs list.number list.date net list.net tax list.tax list.documentType list.counterpartyFiscalId list.file list.row list.repeats',
      'Sucursal Norte ',
    ],
    [70, '_match number currency total list.total', 'only in the service '],
  ])('is shown on %i columns with the columns for which there is room', async (columns, names, cut) => {
    const context = fakeContext({ argv: [...argv(), '--no-color'], terminal: true, columns });
    expect(await runCommandLine(context)).toBe(7);
    const [heads] = context.stdout.text.split('\n');
    expect(heads!.trim().split(/ +/).join(' ')).toBe(names);
    expect(context.stdout.text).toContain(cut);
  });
});
