import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readParquet } from '../../output/parquet/read-parquet.ts';
import { readWorkbook } from '../../output/xlsx/read-workbook.ts';
import { withReceipt } from '../../support/receipt-of.ts';
import { runHere } from '../../support/run-here.ts';
import { pageOf, runScripted } from '../../support/scripted-run.ts';
import { fileOf, temporaryFolder } from '../../support/temporary-folder.ts';
import { receivedRecord, runReconcile, type ReconcileExit, type ServedRecord } from './run-reconcile.ts';
import { headingsOf, lineOf, register, type Listed, type RegisterKind } from './tax-lists.ts';

const NAME = 'RCV_COMPRA_REGISTRO_76999888-1_202610.csv';

/** The flags of a list of numbers and totals alone. */
const MATCH = ['--against', 'received', '--match', 'number=n,total=t'];

const WITHOUT_DATES = 'the lists have no dates: nothing counts as only in the service\n';

/** Each row in short: what it says, the number, and in what it differs. */
function short({ rows }: ReconcileExit): string[] {
  return rows.map(({ _match, number, differs }) => `${_match} ${number} ${differs}`.trim());
}

/** A register of purchases of October against these records. */
const purchases = (
  documents: readonly Listed[],
  records: readonly ServedRecord[],
  ...flags: string[]
): Promise<ReconcileExit> => runReconcile({ [NAME]: register('registro', documents) }, records, flags);

const sales = (
  documents: readonly Listed[],
  records: readonly ServedRecord[],
  ...flags: string[]
): Promise<ReconcileExit> =>
  runReconcile({ 'RCV_VENTA_76999888-1_202610.csv': register('sales', documents) }, records, flags);

const issuedRecord = (given: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => ({
  ...receivedRecord(given),
  issuerFiscalId: '76999888-1',
  receiverFiscalId: '76123456-7',
  customer: { name: 'Roble SpA' },
  ...given,
});

describe('reconcile', () => {
  it('has a row for each document that is on one side alone or differs', async () => {
    const exit = await purchases(
      [{ number: 1 }, { number: 2, total: 500 }, { number: 3, name: 'Lago "Sur" SpA', rut: '77.000.111-K' }],
      [
        receivedRecord({ number: 1 }),
        receivedRecord({ number: 2, totalAmount: 480, issuer: { name: 'Roble' } }),
        receivedRecord({ number: 4, date: '2026-10-31T00:00:00Z' }),
        receivedRecord({ number: 5, date: '2026-09-30' }),
      ],
    );
    expect(exit.text).toBe(
      '_match,number,documentType,counterpartyFiscalId,counterpartyName,date,currency,total,list.total,difference,differs,' +
        'list.number,list.date,net,list.net,tax,list.tax,list.documentType,list.counterpartyFiscalId,list.file,list.row,list.repeats\n' +
        `differs,2,33,76123456-7,Roble,2026-10-15,CLP,480,500,-20,total,,,,,,,,,${NAME},3,\n` +
        `only in the list,3,33,77.000.111-K,"Lago ""Sur"" SpA",2026-10-15,CLP,,1190,,,,,,,,,,,${NAME},4,\n` +
        'only in the service,4,33,76123456-7,Roble SpA,2026-10-31,CLP,1190,,,,,,,,,,,,,,\n',
    );
    expect(exit).toMatchObject({
      code: 7,
      stderr:
        '2026-10: 3 documents listed, 4 received invoices looked at\n' +
        'same: 1 · CLP 1,190\n' +
        'differs: 1 · CLP 480 in the service · CLP 500 in the list\n' +
        'only in the list: 1 · CLP 1,190\n' +
        'only in the service: 1 · CLP 1,190\n' +
        'folio: the list and the service differ: 1 differs, 1 only in the list, 1 only in the service\n' +
        '  What is only in the service may stand in the list of a neighbouring month: give that list, too.\n',
    });
  });

  it('says nothing where all is the same, and shows it with --all', async () => {
    const exit = await purchases([{ number: 1 }], [receivedRecord()]);
    expect({ ...exit, rows: short(exit) }).toMatchObject({ code: 0, stderr: '', rows: [] });
    const all = await purchases([{ number: 1 }], [receivedRecord()], '--all');
    expect({ code: all.code, rows: short(all) }).toEqual({ code: 0, rows: ['same 1'] });
  });

  it('says what the list has and no record does: an export may have left it out', async () => {
    const listed = { net: 1000, tax: 190 };
    const both = { netAmount: 1000, taxAmount: null };
    const { documentType: _, issuerFiscalId: __, ...bare } = issuedRecord({ issuer: null });
    const lacks = [
      'net is not compared: no record has a net amount in netAmount',
      'tax is not compared: no record has a tax amount in taxAmount',
      'type is not compared: no record has a document type in documentType or type',
      'counterparty is not compared: no record has',
    ];
    for (const [run, record, of] of [
      [purchases, receivedRecord(), lacks.slice(0, 2)],
      [purchases, receivedRecord(both), []],
      [sales, { ...bare, receiverFiscalId: undefined }, lacks],
    ] as const) {
      const { code, stderr } = await run([listed], [record]);
      const lines = stderr.split('\n').filter((line) => line.includes('not compared'));
      expect([code, lines]).toEqual([0, of.map((one) => expect.stringContaining(one))]);
    }
  });

  it('reads each register, its headings in any order, case and accents', async () => {
    for (const kind of ['registro', 'no incluir', 'reclamado', 'pendiente', 'sales'] as const) {
      const lines = register(kind, [{ number: 7, total: 100 }, { number: 8 }])
        .trimEnd()
        .split('\r\n');
      const turned = lines.map((line, at) => {
        const cells = line.split(';').slice(0, headingsOf(kind).length).toReversed();
        return (at === 0 ? cells.map((cell) => cell.toUpperCase().replace('RAZON', 'Razón')) : cells).join(
          ';',
        );
      });
      const record = kind === 'sales' ? issuedRecord : receivedRecord;
      const records = [record({ number: 7, totalAmount: 101 }), record({ number: 8 })];
      const exit = await runReconcile({ 'list_202610.csv': turned.join('\n') }, records);
      expect([kind, ...short(exit)]).toEqual([kind, 'differs 7 total']);
    }
  });

  it('adds further taxes of the same row and of rows that go on it, and takes a last row for totals', async () => {
    const blank = { type: '', rut: '', name: '', number: '', date: '', total: '' };
    const going = (value: number | string): string =>
      lineOf('registro', '', { ...blank, more: taxes(value) }).replace(
        /Del Giro|16\/10\/2026 10:22:33|17\/10\/2026 08:00:00|null/g,
        '',
      );
    const taxes = (value: number | string) => ({
      'Codigo Otro Impuesto': 271,
      'Valor Otro Impuesto': value,
      'Tasa Otro Impuesto': 18,
    });
    const lines = [
      headingsOf('registro').join(';'),
      lineOf('registro', 1, { number: 1, tax: 190, more: taxes(10), behind: [24, 20, 5] }),
      going(30),
      lineOf('registro', 2, {
        number: 2,
        tax: 190,
        more: { 'IVA uso Comun': 7, 'Monto Iva No Recuperable': 3, 'IVA Activo Fijo': 100 },
      }),
      lineOf('registro', 3, { number: 3, type: 61, net: 1000, exempt: 50 }),
      'Totales;;;;;;;;;1;2;3;4;;5',
      '',
    ];
    const records = [
      receivedRecord({ number: 1, taxAmount: 250 }),
      receivedRecord({ number: 2, taxAmount: 200 }),
      receivedRecord({ number: 3, documentType: 'CREDIT_NOTE', netAmount: -1050, totalAmount: -1190 }),
    ];
    expect((await runReconcile({ [NAME]: lines.join('\n') }, records)).code).toBe(0);
    const exit = await runReconcile({ [NAME]: lines.join('\n') }, [
      receivedRecord({ number: 1, taxAmount: 190 }),
      receivedRecord({ number: 2, taxAmount: 300 }),
      receivedRecord({ number: 3, documentType: 61, netAmount: 1001 }),
    ]);
    expect(short(exit)).toEqual(['differs 2 tax', 'differs 3 net']);
  });

  it('takes a row without a place of its own for a document where it has another number', async () => {
    const lines = [1, 2].map((number) => lineOf('registro', '', { number }));
    const listOf = (...more: string[]) =>
      [headingsOf('registro').join(';'), ...lines, ...more, ''].join('\n');
    const records = [1, 2].map((number) => receivedRecord({ number }));
    const goesOn = lineOf('registro', '', { number: 2, more: { 'Valor Otro Impuesto': 30 } });
    for (const more of [[], [goesOn]])
      expect(await runReconcile({ [NAME]: listOf(...more) }, records)).toMatchObject({ code: 0 });
    for (const [again, row] of [
      [{ total: 7 }, 'twice in the list 2'],
      [{ rut: '77000111-K' }, 'only in the list 2'],
      [{}, 'twice in the list 2'],
    ] as const) {
      const list = listOf(lineOf('registro', '', { number: 2, ...again }));
      expect([again, ...short(await runReconcile({ [NAME]: list }, records))]).toEqual([again, row]);
    }
  });

  it('adds further taxes wherever their columns are', async () => {
    const lines = [
      headingsOf('sales').join(';'),
      lineOf('sales', 1, { tax: 190, more: { 'Valor Otro Imp.': 10 } }),
      `${headingsOf('sales')
        .map((heading) => ({ 'Codigo Otro Imp.': '24', 'Valor Otro Imp.': '30' })[heading] ?? '')
        .join(';')};`,
    ];
    const width = headingsOf('sales').length;
    const turned = lines.map((line) => line.split(';').slice(0, width).toReversed().join(';'));
    const codes: unknown[] = [];
    for (const taxAmount of [230, 190, 200]) {
      const records = [issuedRecord({ taxAmount })];
      codes.push((await runReconcile({ 'v_202610.csv': turned.join('\n') }, records)).code);
    }
    expect(codes).toEqual([0, 0, 7]);
  });

  it('finds the pairs among many of one number, and says where nothing tells which is which', async () => {
    const many = Array.from({ length: 300 }, (_, at) => at + 1);
    const rowsOf = async (totals: readonly number[]) => {
      const records = totals.map((totalAmount, at) =>
        receivedRecord({ totalAmount, issuerFiscalId: `${1000 + at}-1` }),
      );
      const list = ['n,t', ...many.map((total) => `1,${total}`), ''].join('\n');
      return (await runReconcile({ 'l.csv': list }, records, MATCH)).rows;
    };
    expect(await rowsOf([900, ...many.slice(1).toReversed()])).toMatchObject([
      { _match: 'differs', total: '900', 'list.total': '1' },
    ]);
    const others = await rowsOf(many.map((total) => total + 300));
    expect(others.filter(({ _match }) => _match === 'ambiguous')).toHaveLength(600);
  });

  it('finds the near documents among many of one total', async () => {
    const listed = Array.from({ length: 300 }, (_, at) => ({ number: at + 1, rut: `${1000 + at}-1` }));
    const records = listed.map(({ number, rut }) =>
      receivedRecord({ number: number + 500, issuerFiscalId: rut }),
    );
    const { rows } = await purchases(listed, records);
    expect(rows.map(({ _match }) => _match)).toEqual(listed.map(() => 'near'));
  });

  /** What `number=7, name=Acme; type=34` says of two documents. */
  const documentsOf = (text: string) =>
    text.split('; ').map((one) =>
      Object.fromEntries(
        one.split(', ').map((field) => {
          const [, name, value] = /^(\w+)=(.*)/.exec(field)!;
          return [name, /^(?:null|[1-9]\d*|[{"].*)$/.test(value!) ? JSON.parse(value!) : value];
        }),
      ),
    );
  const shared = 'number=8, issuerFiscalId=55555555-5, issuer={"name":"Acme"}';
  const days = 'date=01/10/2026; type=34, date=02/10/2026';
  const neither = 'only in the list 7; only in the service 8';
  const both = 'only in the service 1; only in the service 1';
  it.each<readonly [what: string, list: string, records: string, rows: string]>([
    ['any number', 'number=0001520; number=9', 'number=1520; number=09, documentType=TaxInvoice', ''],
    ['any ID', 'rut=076.123.456-0', 'issuerFiscalId="761234560", documentType=INVOICE', ''],
    ['any ID with a letter', 'rut=5123457-k', 'issuerFiscalId=05.123.457-K', ''],
    ['any day', 'date=15-10-2026, type=033', 'date=2026-10-15T03:00:00Z, documentType=INVOICE', ''],
    ['any day with a time', 'date=15/10/2026 23:59:59', 'documentType=TaxInvoice', ''],
    ['an ID that many share', 'rut=55555555-5, number=7, name=Acme', shared, 'near 8 number'],
    ['another ID that many share', 'rut=66666666-6, number=7, name=Acme', shared, neither],
    ['an ID that many share, of another name', 'rut=55555555-5, number=7, name=Beta', shared, neither],
    // Of several candidates, the one with the same total, then the one of the same day, else none.
    [
      'one of two totals',
      'total=100; type=34, total=200',
      'documentType=INVOICE, totalAmount=200; documentType=INVOICE, totalAmount=150',
      'differs 1 total',
    ],
    ['two days', days, 'documentType=INVOICE, date=2026-10-02; documentType=INVOICE, date=2026-10-01', ''],
    [
      'two days of other totals',
      days,
      'documentType=INVOICE, totalAmount=3, date=2026-10-02; documentType=INVOICE, totalAmount=4, date=2026-10-01',
      'differs 1 total; differs 1 total',
    ],
    // A type that nobody knows is that of the only one left, and is never dropped.
    ['an unknown type', 'type=33', 'documentType=SOMETHING', ''],
    ['no type', 'type=914', 'documentType=null', ''],
    ['an unknown type of nobody', '', 'documentType=SOMETHING', 'only in the service 1'],
    ['two of no issuer', '', 'issuerFiscalId=null; issuerFiscalId=null, totalAmount=7', both],
    // Near is another number, or another party, within 31 days of the period.
    [
      'another number and day',
      'number=102, total=500',
      'number=120, totalAmount=500, date=2026-08-31',
      'near 120 date, number',
    ],
    ['another number, and no day in the list', 'number=9, date="null"', 'number=90', 'near 90 number'],
    ['nothing near without a day', 'number=9', 'number=90, date=null', 'only in the list 9'],
    ['nothing near of nobody', 'number=7, rut=', 'number=8, issuerFiscalId=null', neither],
    ['nothing near among receipts', 'number=9', 'number=90, documentType=39', 'only in the list 9'],
    ['what is too far', 'number=9, date=01/08/2026', 'number=90, date=2026-08-30', 'only in the list 9'],
  ])('of purchases finds %s', async (_, list, records, rows) => {
    const listed = list === '' ? [] : documentsOf(list);
    const exit = await purchases(listed, documentsOf(records).map(receivedRecord));
    expect([exit.code, short(exit).join('; ')]).toEqual([rows === '' ? 0 : 7, rows]);
  });

  it('heeds --tolerance', async () => {
    const records = [receivedRecord({ totalAmount: 1190.5, netAmount: 1001 })];
    const list = [{ net: 1000 }];
    expect(short(await purchases(list, records, '--tolerance', '0.49'))).toEqual(['differs 1 total, net']);
    expect((await purchases(list, records, '--tolerance', '1')).code).toBe(0);
    expect(await purchases(list, records, '--tolerance', '-1')).toMatchObject({ code: 2 });
  });

  it('tells what is there twice, and takes registro before pendiente', async () => {
    const list = [{ number: 1 }, { number: 1, total: 5 }, { number: 2 }];
    const records = [
      receivedRecord({ number: 1 }),
      receivedRecord({ number: 2 }),
      receivedRecord({ number: 2, totalAmount: 7 }),
      ...[1, 2].map(() => receivedRecord({ number: 3, date: '2020-10-15' })),
    ];
    const exit = await purchases(list, records);
    expect(short(exit)).toEqual(['twice in the list 1', 'twice in the service 2']);
    expect(exit.rows.map((row) => [row['list.row'], row['list.repeats']])).toEqual([
      ['3', 'line 2'],
      ['', ''],
    ]);
    const two = { [NAME]: register('registro', [{}]), 'b_202610.csv': register('registro', [{ total: 9 }]) };
    const twice = await runReconcile(two, [receivedRecord()]);
    expect(twice.rows).toMatchObject([{ 'list.file': 'b_202610.csv', 'list.repeats': `${NAME}, line 2` }]);
    // The issuer of what was issued is the organization itself, whoever the customer is.
    const served = [1190, 7].map((totalAmount) => issuedRecord({ totalAmount, receiverFiscalId: null }));
    expect(short(await sales([{}], served))).toEqual(['twice in the service 1']);
    for (const order of [0, 1]) {
      const files = [
        ['RCV_COMPRA_PENDIENTE_76999888-1_202610.csv', register('pendiente', [{ number: 1, total: 9 }])],
        [NAME, register('registro', [{ number: 1 }])],
      ] as const;
      const both = Object.fromEntries(order === 0 ? files : files.toReversed());
      const { code, stderr } = await runReconcile(both, [receivedRecord()], ['-v']);
      expect([code, stderr]).toEqual([0, expect.stringContaining('1 document also listed as pending')]);
    }
  });

  it('counts apart what the list has none of, but not where it has some', async () => {
    const records = [
      issuedRecord(),
      issuedRecord({ number: 2, documentType: 39 }),
      issuedRecord({ number: 3, documentType: 'DELIVERY_GUIDE' }),
      issuedRecord({ number: 4, documentType: 'FEE_NOTE' }),
      issuedRecord({ number: 5, documentType: 'RECEIPT' }),
      issuedRecord({ number: 6, status: 'VOID' }),
    ];
    const totals = { type: 39, number: '', total: 5000 };
    const exit = await sales([{}, totals, { number: 9 }], records);
    expect(short(exit)).toEqual(['only in the list 9']);
    expect(exit.stderr).toContain('\n2 receipts of the service counted apart: the list has none\n');
    expect(exit.stderr).toContain('\n1 guide of the service counted apart: the list has none\n');
    expect(exit.stderr).toContain('\n1 fee note of the service counted apart: the list has none\n');
    expect(exit.stderr).toContain('\n1 row of the list left out: totals of receipts\n');
    expect(exit.stderr).toContain('\n1 void document of the service left out\n');
    const going = headingsOf('sales').map((heading) => ({ 'Valor Otro Imp.': '30' })[heading] ?? '');
    const lines = [lineOf('sales', 1, { tax: 190 }), lineOf('sales', 2, totals), going.join(';')];
    lines.unshift(headingsOf('sales').join(';'));
    const gone = await runReconcile({ 'v_202610.csv': lines.join('\n') }, [issuedRecord({ taxAmount: 190 })]);
    expect([gone.code, gone.stderr]).toEqual([0, '']);
    expect(short(await sales([{}, { type: 39, number: 8 }], records))).toEqual([
      'only in the list 8',
      'only in the service 2',
      'only in the service 5',
    ]);
    const { stderr } = await sales([{}, { type: 52, number: 8 }], records);
    expect(stderr).toContain('\nnear: 1\n');
  });

  it('is 7 where amounts are of different currencies, and compares the days and parties of such documents', async () => {
    const dollars = { documentType: 110, currency: 'USD', totalAmount: 100.5 };
    const records = [
      issuedRecord({ ...dollars, number: 1 }),
      issuedRecord({ ...dollars, number: 2, currency: 'EUR', totalAmount: 7 }),
      issuedRecord({ ...dollars, number: 3, date: '2026-10-01', receiverFiscalId: '77000111-K' }),
      issuedRecord({ ...dollars, number: 4, exchangeRate: 950 }),
      issuedRecord({ ...dollars, number: 5, exchangeRate: 950.01 }),
      issuedRecord({ ...dollars, number: 6, exchangeRate: 1 }),
      // Less than a peso apart, which the rate is rounded by.
      issuedRecord({ ...dollars, number: 7, exchangeRate: 950.005 }),
    ];
    const list = [1, 3, 4, 5, 6, 7].map((number) => ({ type: 110, number, total: 95_475 }));
    const exit = await sales(list, records);
    expect(short(exit)).toEqual([
      'differs 5 total',
      'differs 3 date, counterparty',
      'not compared 1',
      'not compared 6',
      'only in the service 2',
    ]);
    expect(exit.rows[0]).toMatchObject({ currency: 'USD', total: '100.5', difference: '1.005' });
    expect(exit.rows[2]).toMatchObject({ currency: 'USD', 'list.total': '95475', difference: '' });
    expect(exit.stderr).toContain('\n2 documents in another currency than the list’s (USD): there on both');
    expect(exit.stderr).toContain('\nnot compared: 2 · USD 201.0 in the service · CLP 190,950 in the list\n');
    const pesos = [1, 2, 3].map((totalAmount) =>
      issuedRecord({ totalAmount, number: totalAmount, currency: '$' }),
    );
    const same = await sales(
      [1, 2, 3].map((number) => ({ number, total: 1_190_000 })),
      pesos,
    );
    expect([same.code, ...short(same)]).toEqual([7, ...[1, 2, 3].map((number) => `not compared ${number}`)]);
    expect(same.stderr).toContain('not all could be compared: 3 not compared');
    expect(same.stderr).toContain('--field currency==CLP');
  });

  it('takes IDs that many share for no difference, and a wrong type, void and cancelled ones for one', async () => {
    const list = [
      ...[
        { number: 1, rut: '55555555-5', type: 110 },
        { number: 2, type: 34 },
      ],
      ...[{ number: 3, type: 34, total: 5 }, { number: 4 }, { number: 5 }, { number: 6 }],
      ...[{ number: 8, type: 34, total: 5 }, { number: 9 }, { number: 9, type: 34, total: 6 }],
    ];
    const records = [
      issuedRecord({ number: 1, receiverFiscalId: '9-9', documentType: 'EXPORT_INVOICE' }),
      issuedRecord({ number: 2 }),
      issuedRecord({ number: 3, documentType: 33 }),
      issuedRecord({ number: 4, status: 'NULLIFIED' }),
      issuedRecord({ number: 5, status: 'VOID', totalAmount: 3 }),
      issuedRecord({ number: 6 }),
      issuedRecord({ number: 6, status: 'VOID' }),
      issuedRecord({ number: 7, status: 'VOID' }),
      issuedRecord({ number: 8, status: 'VOID' }),
      issuedRecord({ number: 9, documentType: 'INVOICE', status: 'VOID' }),
    ];
    const exit = await sales(list, records);
    expect(short(exit)).toEqual([
      'differs 2 type',
      'differs 4 cancelled',
      'differs 5 total, void',
      'differs 9 void',
      'only in the list 3',
      'only in the list 8',
      'only in the list 9',
      'only in the service 3',
    ]);
    expect(exit.rows[0]).toMatchObject({ documentType: '33', 'list.documentType': '34' });
    expect(exit.stderr).toContain('\n3 void documents of the service left out\n');
  });

  it('narrows the service to whom the list is about', async () => {
    const records = [1, 2, 3].map((number) =>
      receivedRecord({ number, issuerFiscalId: number === 1 ? '76123456-7' : '77000111-K' }),
    );
    const match = ['--match', 'number=n,total=t,date=d'];
    const of = (...flags: string[]) =>
      runReconcile({ 'l.csv': 'n,t,d\n1,1190,2026-10-15\n' }, records, [...match, ...flags]);
    const all = await of('--against', 'received');
    expect(short(all)).toEqual(['only in the service 2', 'only in the service 3']);
    expect(all.stderr).toContain('one party alone, say so with --issuer-fiscal-id <id>.');
    expect(await of('--issuer-fiscal-id', '76.123.456-7')).toMatchObject({ code: 0, stderr: '' });
    const refused = await of('--against', 'received', '--customer-fiscal-id', '76.123.456-7');
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('Use --issuer-fiscal-id, or name another list.'),
    ]);
  });

  it.each<readonly [amounts: string, decimal: string, outcome: readonly number[] | string]>([
    ['1190.10;3.457', '', [1190.1, 3.457]],
    ['1190,10;3.457', '', [1190.1, 3457]],
    ['1,190.10;3,457', '', [1190.1, 3457]],
    ['1.190,10;-$ 3.457,5', '', [1190.1, -3457.5]],
    ['3.457.134;$3.457;950 $', '', [3457134, 3457, 950]],
    ['3457134,00;12', '', [3457134, 12]],
    ['0.457;3457.134;007', '', [0.457, 3457.134, 7]],
    ['3.457;950', '', 'line 2: t is "3.457", and no amount of the column tells'],
    ['950;3,457', '', 'line 3: t is "3,457", and no amount of the column tells'],
    ['3.457;950', 'comma', [3457, 950]],
    ['3.457;950', 'point', [3.457, 950]],
    ['1190.10;1190,10', '', 'line 3: t is "1190,10", which is not a number'],
    ['1.19.0;1', '', 'line 2: t is "1.19.0", which is not a number'],
    ['1 190;1', '', 'line 2: t is "1 190", which is not a number'],
  ])('reads the amounts %s, with --decimal %s, as %j', async (amounts, decimal, outcome) => {
    const cells = amounts.split(';');
    const list = ['n;t', ...cells.map((amount, at) => `${at};${amount}`), ''].join('\n');
    const records = cells.map((_, at) => receivedRecord({ number: at, totalAmount: outcome[at] }));
    const flags = decimal === '' ? [] : ['--decimal', decimal];
    const { code, stderr } = await runReconcile({ 'l.csv': list }, records, [...MATCH, ...flags]);
    const wanted = typeof outcome === 'string' ? [2, expect.stringContaining(outcome)] : [0, WITHOUT_DATES];
    expect([code, stderr]).toEqual(wanted);
  });

  it('takes the period from --period, else the name, else the dates', async () => {
    const records = ['2026-07-31', '2026-08-10', '2026-09-10', '2026-10-10', '2026-11-10'].map((date, at) =>
      issuedRecord({ number: 100 + at, totalAmount: 1 + at, date }),
    );
    const list = [
      { number: 1, date: '05/08/2026' },
      { number: 2, date: '05/10/2026' },
    ];
    const first = ['only in the list 1', 'only in the list 2'];
    const only = (...numbers: number[]) => [
      ...first,
      ...numbers.map((number) => `only in the service ${number}`),
    ];
    const of = async (name: string, ...flags: string[]) =>
      short(await runReconcile({ [name]: register('sales', list) }, records, flags));
    expect(await of('ventas.csv')).toEqual(only(101, 102, 103));
    expect(await of('RCV_VENTA_76999888-1_202609 (12).csv')).toEqual(only(102));
    expect(await of('RCV_VENTA_76999888-1_202609.csv', '--period', '2026-11')).toEqual(only(104));
    const files = {
      'RCV_VENTA_1_202608.csv': register('sales', [list[0]!]),
      'RCV_VENTA_1_202610.csv': register('sales', [list[1]!]),
    };
    expect(short(await runReconcile(files, records))).toEqual(only(101, 103));
    const undated = { ...records[0]!, number: 9, totalAmount: 9, date: null };
    const [august, october] = Object.values(files);
    const ofDays = await runReconcile({ 'a.csv': august!, 'b.csv': october! }, [...records, undated]);
    expect(short(ofDays)).toEqual(only(101, 103));
    expect(ofDays.stderr).toContain('\n1 document of the service without a date, in no period\n');
    const inNone = await runReconcile({ 'v.csv': register('sales', [{}]) }, [issuedRecord(), undated]);
    const undatedOne = '1 document of the service without a date, in no period\n';
    expect(inNone).toMatchObject({ code: 0, stderr: undatedOne });
    const unnamed = await runReconcile({ 'compras.csv': register('registro', list) }, records);
    expect(unnamed).toMatchObject({ code: 2, text: '' });
    expect(unnamed.stderr).toContain('compras.csv does not have its month in its name');
    expect(unnamed.stderr).toContain('--period 2026-10');
  });

  it('matches any other list by --match', async () => {
    const list =
      'Invoice\tAmount\tVAT\tDay\tNote\n1520\t1190.50\t76.123.456-7\t2026-10-15\t"a\n""b"""\n7\t100\t77000111-K\t15/10/2026\t\n';
    const records = [
      receivedRecord({ number: 1520, totalAmount: '1190.50' }),
      receivedRecord({ number: 8, totalAmount: 5 }),
    ];
    const literal = JSON.stringify(records[0]).replace('"1190.50"', '1190.50');
    const match = ['--match', 'number=invoice,total=AMOUNT,counterpartyFiscalId=VAT', '--match', 'date=Day'];
    const flags = ['--against', 'received', ...match];
    const exit = await runReconcile({ 's.csv': list }, [literal, records[1]!], flags);
    expect(short(exit)).toEqual(['only in the list 7', 'only in the service 8']);
    expect(exit.rows[0]).toMatchObject({ 'list.row': '4', 'list.total': '100', currency: '' });
  });

  it('reads what a spreadsheet writes: line breaks within headings and cells, quotes, and a byte order mark', async () => {
    const list =
      '\uFEFF"Razón\r\nsocial","Factura","Monto","Día"\r\n' +
      '"""Sur, Norte"" Ltda",1,"1.190,00",15-10-2026\r\n"Roble,\r\nLago","02","2.500.000,00",15/10/2026\r\n"Pino" Sur,3,7,2026-10-15';
    const match = 'number=factura,total=monto,date=dia,counterpartyName=razon social';
    const records = [receivedRecord({ number: 1 }), receivedRecord({ number: 2, totalAmount: 2_500_000 })];
    const flags = ['--against', 'received', '--match', match, '--all'];
    const exit = await runReconcile({ 'l.csv': list }, records, flags);
    expect([exit.code, ...short(exit)]).toEqual([7, 'same 1', 'same 2', 'only in the list 3']);
    expect(exit.rows.map((row) => row['list.row'])).toEqual(['3', '4', '6']);
    expect(exit.rows[2]).toMatchObject({ counterpartyName: '"Pino" Sur' });
  });

  it('matches a list without IDs by number, then total; without dates nothing is only in the service', async () => {
    const list = 'n,t\n1,100\n1,200\n2,300\n';
    const records = [
      receivedRecord({ number: 1, totalAmount: 200, issuerFiscalId: '77000111-K' }),
      receivedRecord({ number: 1, totalAmount: 100 }),
      receivedRecord({ number: 2, totalAmount: 301 }),
      receivedRecord({ number: 3, totalAmount: 301 }),
    ];
    const exit = await runReconcile({ 'l.csv': list }, records, MATCH);
    expect(short(exit)).toEqual(['differs 2 total']);
    expect(exit.stderr).toContain(`\n${WITHOUT_DATES}`);
    const same = await runReconcile({ 'l.csv': list.replace('300', '301') }, records, MATCH);
    expect(same).toMatchObject({ code: 0, stderr: WITHOUT_DATES });
  });

  it('asks of the records only what the lists have', async () => {
    const records = [receivedRecord({ date: 'soon', netAmount: 'N/A', taxAmount: 'N/A' })];
    const files = { 'l.csv': 'n,t,d\n1,1190,2026-10-15\n' };
    expect(await runReconcile(files, records, MATCH)).toMatchObject({ code: 0, rows: [] });
    for (const more of ['--period=2026-10', '--match=date=d']) {
      const { code, stderr } = await runReconcile(files, records, [...MATCH, more]);
      expect([code, stderr]).toEqual([6, expect.stringMatching(/date\s+of\s+record\s+1/)]);
    }
  });

  it('reads a byte order mark, UTF-8 and windows-1252', async () => {
    const text = register('registro', [{ name: 'Ñandú “Sur” €' }]);
    const windows = Buffer.from(text, 'latin1');
    // What latin1 has no byte for.
    for (const [sign, byte] of ['“\u0093', '”\u0094', '€\u0080'].map((pair) => [...pair]))
      windows[text.indexOf(sign!)] = byte!.charCodeAt(0);
    for (const form of [Buffer.from(text), Buffer.from(`\uFEFF${text}`), windows]) {
      const { rows } = await runReconcile({ [NAME]: form }, []);
      expect(rows.map((row) => row['counterpartyName'])).toEqual(['Ñandú “Sur” €']);
    }
  });

  const second = (given: Listed): string => lineOf('registro', 2, given);
  const cells = (count: number): string => `the row has ${count} cells, and there are 27 headings`;
  const nameless = 'the row has no number of a document';
  const openQuote = 'a quote is opened there and not closed';
  const twoQuotes = `${second({ name: '"Roble' })}\n${lineOf('registro', 3, { name: '"Lago"' })}`;
  const [registro, ofSales] = ['registro', 'sales'] as const;
  it.each<readonly [what: string, line: string, said: string, of: RegisterKind]>([
    ['no number', second({ total: '1.1.0' }), 'Monto Total is "1.1.0", which is not a whole', registro],
    ['no total', second({ total: '' }), 'Monto Total is empty', registro],
    ['no day', second({ date: '31/02/2026' }), 'Fecha Docto is "31/02/2026", which is not a day', registro],
    ['a row too short', '2;33;Del Giro;76123456-7;Roble;5', cells(6), registro],
    ['a row that is cut behind its first cell', '2;', cells(2), registro],
    ['a row of further taxes that is cut before them', ';;;', cells(4), registro],
    ['a row of one cell', '2', 'the row has 1 cell, and there are 43 headings', ofSales],
    ['a row too long', `${lineOf('sales', 2, {})}x;y;z;1`, 'another tax is "y"', ofSales],
    ['no code', second({ type: 'FACTURA' }), 'Tipo Doc is "FACTURA", which is not a code', registro],
    ['no number of a document', second({ number: '' }), nameless, registro],
    ['no number in a row that goes on', lineOf('registro', '', { number: '' }), nameless, registro],
    ['totals that are not last', `Total;;;;;;;;;;;;;;5\n${second({})}`, nameless, registro],
    ['an open quote', second({}).replace('Roble', '"Roble'), openQuote, registro],
    ['a quote that another cell would close', twoQuotes, openQuote, registro],
    ['a row without an end', second({ name: 'a'.repeat(2_000_000) }), 'it has more than 1 MiB', registro],
  ])('refuses %s by its line, and writes nothing', async (_, line, said, kind) => {
    const files = { [NAME]: `${register(kind, [{ number: 9 }])}${line}` };
    const exit = await runReconcile(files, [receivedRecord()], ['-o', 'out.csv', '--period', '2026-10']);
    expect(exit).toMatchObject({ code: 2, text: '' });
    expect(exit.stderr.replaceAll(/\s+/g, ' ')).toContain(`${NAME}, line 3: ${said}`);
  });

  const bought = register('registro', [{}]);
  const cut = bought.replace('Monto Total', 'Monto');
  const sold = { [NAME]: bought, 'v_202610.csv': register('sales', [{}]) };
  const otherOwner = { [NAME]: bought, 'RCV_COMPRA_REGISTRO_96486919-7_202610.csv': bought };
  const match = ['--match', 'number=a,total=c'];
  const take =
    'line 1: there is no column Monto Total\n  The register has it: take the file as the tax authority';
  const x = (text: string): Record<string, string> => ({ 'x.csv': text });
  it.each<readonly [files: Record<string, string>, flags: readonly string[], said: string]>([
    [otherOwner, [], 'is of 76999888-1, and RCV_COMPRA_REGISTRO_96486919-7'],
    [sold, [], 'is of purchases, and v_202610.csv of sales'],
    [{ [NAME]: bought }, ['--against', 'issued'], '--against issued: '],
    [{ [NAME]: bought }, ['--profile', 'a,b'], 'this command asks one organization'],
    [{ [NAME]: bought }, ['-o', NAME], `--output ${NAME} would replace a list that is to be read`],
    [{ [NAME]: bought }, ['--from', '-', '--period', 'last-month'], 'may be of another day'],
    [{ [NAME]: cut }, [], take],
    [x('a;b\n1;2\n'), [], 'x.csv, line 1: folio does not know these headings'],
    [x('a;b\n1;2\n'), match, 'x.csv, line 1: there is no column c'],
    [x('a;c\n1;2\n'), match, '--against received for what you buy'],
    [x('a;c;a\n'), match, 'there are two columns a'],
    [x('a;c\n'), ['--match', 'number=a'], 'which column is the total'],
    [x('a;c\n'), ['--match', 'number= ,total=c'], '"number=": expected field=heading'],
    [x('a;c\n'), ['--match', 'number=a,number=c'], '--match names number twice'],
    [x('a;c\n'), ['--match', 'number=a,total==5'], '--match total==5: each row has its own total'],
    [x('a;c\n1;2\n'), [...match, '--match', 'date==soon', '--against', 'issued'], 'line 2: date is "soon"'],
    [x('a;c\n'), ['--match', 'due=a'], 'expected field=heading\n  The fields are number, '],
    [x('{"a":1,"c":2}\n'), ['--against', 'issued', ...match], 'x.csv, line 1: there is no column a'],
    ...['', '\uFEFF\r\n'].map((text) => [x(text), match, 'there are no headings'] as const),
  ])('refuses lists that do not fit what is asked: %o %j', async (files, flags, said) => {
    const { code, text, stderr } = await runReconcile(files, [], flags);
    expect({ code, text }).toEqual({ code: 2, text: '' });
    expect(stderr).toContain(said);
  });

  it.each<readonly [record: ServedRecord, said: string]>([
    [
      receivedRecord({ receiverFiscalId: '96486919-7' }),
      `${NAME} is of 76999888-1, and the received invoices are of 96486919-7`,
    ],
    ['{"a":1}', 'no record has a number in number'],
    [receivedRecord({ currency: undefined }), 'no record has a currency in currency'],
  ])('refuses records that are not those of the list: %j', async (record, said) => {
    const { code, text, stderr } = await runReconcile({ [NAME]: bought }, [record]);
    expect({ code, text }).toEqual({ code: 2, text: '' });
    expect(stderr).toContain(said);
  });

  it('compares a list with the records of one profile alone', async () => {
    const records = ['north', 'south'].map((_profile) => receivedRecord({ _profile }));
    const refused = await purchases([{}], records);
    expect(refused).toMatchObject({ code: 2, text: '' });
    expect(refused.stderr).toContain(
      'and the records are of several profiles\n  Name the one whose list it is',
    );
    expect(await purchases([{}], records, '--profile', 'south')).toMatchObject({ code: 0, stderr: '' });
  });

  it('is 6 where the service’s side is not whole, and says what may be wrong for that', async () => {
    const exit = await purchases([{}], [receivedRecord({ totalAmount: 'N/A' })]);
    expect(exit.code).toBe(6);
    expect(short(exit)).toEqual(['differs 1 total']);
    expect(exit.stderr.replaceAll(/\s+/g, ' ')).toContain(
      'cannot be read: totalAmount of record 1 (number 1) is the text "N/A"; only what was read is compared, and what is said to be only in the list may be wrong',
    );
    const folder = temporaryFolder();
    writeFileSync(join(folder, NAME), register('registro', [{}]));
    const record = `${JSON.stringify(receivedRecord({ number: 2, date: '2020-01-01' }))}\n`;
    writeFileSync(join(folder, 'r.jsonl'), record);
    withReceipt(join(folder, 'r.jsonl'), { complete: false, errors: ['1 is missing'] });
    const { code, stdout, stderr } = await runHere(['reconcile', NAME, '--from', 'r.jsonl'], { cwd: folder });
    expect(code).toBe(6);
    expect(String(stdout)).toContain('only in the list,1,');
    expect(stderr).toContain('1 is missing; only what was read is compared, and what is said to be only in');
  });

  it.each([
    ['--limit 2', '', 6],
    ['--where number>0', '', 6],
    ['--period 2026-10', '', 6],
    ['--issuer-fiscal-id 76123456-7', '', 6],
    ['--issuer-fiscal-id 77000111-K,76.123.456-7', '--issuer-fiscal-id 76123456-7', 0],
    ['--issuer-fiscal-id 76123456-7 --limit 2', '--issuer-fiscal-id 76123456-7', 6],
  ])(
    'says of a part that only the part was compared, unless it is all of a supplier: %s, then %s',
    async (part, flags, code) => {
      const folder = temporaryFolder();
      const run = (line: string) => runHere(line.split(' ').filter(Boolean), { cwd: folder });
      const records = [1, 2].map((number) => `${JSON.stringify(receivedRecord({ number }))}\n`);
      writeFileSync(join(folder, NAME), register('registro', [{ number: 1 }, { number: 2 }]));
      writeFileSync(join(folder, 'all.jsonl'), records.join(''));
      expect(await run(`received --from all.jsonl ${part} -o part.jsonl --receipt beside`)).toMatchObject({
        code: 0,
      });
      const exit = await run(`reconcile ${NAME} --from part.jsonl ${flags}`);
      expect(exit).toMatchObject({ code });
      if (code === 0) expect(exit.stderr).not.toContain('part of them');
      else
        expect(exit.stderr).toMatch(
          /^folio: part\.jsonl has the received invoices, but only a part of them: .*; only what was read is compared, and/m,
        );
    },
  );

  it('asks the service, and writes every format', async () => {
    const folder = temporaryFolder();
    const list = 'RCV_VENTA_96486919-7_202610.csv';
    writeFileSync(join(folder, list), register('sales', [{ number: 1, name: '=1+1' }]));
    const run = (...flags: string[]) => runHere(['--sandbox', 'reconcile', list, ...flags], { cwd: folder });
    const { code, stdout } = await run('--columns', '_match,number', '--receipt', 'receipt.json');
    expect(code).toBe(7);
    expect(String(stdout)).toMatch(/^_match,number\nonly in the list,1\n(?:only in the service,\d+\n)+$/);
    const receipt = JSON.parse(readFileSync(join(folder, 'receipt.json'), 'utf8')) as Record<string, unknown>;
    expect(receipt).toMatchObject({ complete: true, matches: { same: 0, 'only in the list': 1, near: 0 } });
    expect((await run('-o', 'out.xlsx')).code).toBe(7);
    const [sheet] = readWorkbook(readFileSync(join(folder, 'out.xlsx')));
    expect(sheet).toMatchObject({ name: 'reconcile' });
    for (const format of ['json', 'jsonl', 'table'])
      expect(String((await run('--format', format)).stdout)).toContain('=1+1');
    expect(String((await run('--excel')).stdout)).toContain("'=1+1");
    expect((await run('-o', 'out.parquet')).code).toBe(7);
    const amounts = ['total', 'list.total', 'difference', 'net', 'list.net', 'tax', 'list.tax'];
    expect(Object.fromEntries((await readParquet(join(folder, 'out.parquet'))).columns)).toMatchObject({
      ...{ number: 'VARCHAR', 'list.number': 'VARCHAR', 'list.date': 'TIMESTAMP', 'list.row': 'BIGINT' },
      ...Object.fromEntries(amounts.map((name) => [name, 'DECIMAL(38,9)'])),
    });
  });

  it('lets no list drive a terminal', async () => {
    const match = [...MATCH, '--match', 'counterpartyName=name'];
    const list = 'n,t,name\n1,2,\u001b[2J\u202eevil\n';
    const shown = await runReconcile({ 'l.csv': list }, [], [...match, '--format', 'table']);
    expect(shown.text).not.toMatch(/[\u001b\u202e]/);
    const refused = await runReconcile({ 'l.csv': `${list}3,\u001b[2J,x\n` }, [], match);
    expect(refused.stderr).toContain('l.csv, line 3: t is');
    const other = await runReconcile({ 'l.csv': list.replace('n,t', '\u001b[2J,t') }, [], match);
    expect(other.stderr).toContain('l.csv, line 1: there is no column n');
    for (const { code, stderr } of [refused, other])
      expect([code, /\u001b/.test(stderr)]).toEqual([2, false]);
  });

  it('shows on a terminal of 80 columns what tells documents apart, and names what it leaves out', async () => {
    const other = fileOf(register('registro', [{ number: 9 }]), 'b_202610.csv');
    const name = 'Sociedad de Inversiones y Servicios del Norte Grande Limitada';
    const [one, two] = [
      { number: 1, total: 1_190_000, name },
      { number: 2, name },
    ] as const;
    const path = fileOf(register('registro', [one, two]), NAME);
    const records = [JSON.stringify(receivedRecord({ totalAmount: 1_190_001, issuer: { name } }))];
    const at = async (columns: number, ...others: string[]) => {
      const screen = { terminal: true, columns, env: { LANG: 'C.UTF-8', NO_COLOR: '1' } };
      const { stdout, stderr } = await runScripted(['reconcile', path, ...others], [pageOf(records)], screen);
      return { lines: stdout.split('\n').map((line) => line.trimEnd()), stderr };
    };
    const { lines, stderr } = await at(80);
    expect(lines[0]).toMatch(/^_match +number +counterpartyName +currency +total +list\.total +differs$/);
    expect(lines[2]).toMatch(/^differs +1 Sociedad de Inv.*… CLP +1,190,001 +1,190,000 total$/);
    expect(lines[3]).toMatch(/^only in the list +2 Sociedad de Inv.*… CLP +1,190$/);
    expect(lines.every((line) => line.length <= 80)).toBe(true);
    expect(lines.at(-2)).toBe(
      'Not shown: documentType, counterpartyFiscalId and 13 more · --columns, --wide',
    );
    expect(stderr).not.toContain('Not shown');
    const dated = { totalAmount: 1_190_000, date: '2026-10-14', issuer: { name } };
    records[0] = JSON.stringify(receivedRecord(dated));
    expect((await at(80)).lines[2]).toMatch(/^differs .*2026-10-14 .*2026-10-15/);
    expect((await at(80, other)).lines[0]).toMatch(/list\.file +list\.row/);
    const wide = await at(400);
    expect(wide.lines[0]!.split(/ {2,}/)).toHaveLength(22);
    expect(wide.lines[2]).toContain(name);
    expect(wide.lines.join()).not.toContain('Not shown');
  });

  it('takes a value for every row, and then a last row for totals', async () => {
    const match = ['--against', 'received', '--match', 'number=n,total=t,documentType==61,currency==USD'];
    const records = [receivedRecord({ documentType: 'CREDIT_NOTE', currency: 'usd', totalAmount: 7 })];
    expect(await runReconcile({ 'l.csv': 'n,t\n1,7\n,7\n' }, records, match)).toMatchObject({ code: 0 });
  });

  const CUT = ['7', '7,', '7,1'];
  it.each(CUT)('refuses a last row that is cut behind %s, and takes it for no totals', async (cut) => {
    const match = ['--against', 'received', '--match', 'total=t,number=n,date=d'];
    const exit = await runReconcile({ 'l.csv': `t,n,d\n1190,9,2026-10-15\n${cut}` }, [], match);
    expect(exit).toMatchObject({ code: 2, text: '' });
    expect(exit.stderr).toMatch(/l\.csv, line 3: the row has [12] cells?, and there are 3 headings/);
  });

  it('refuses what is not a list, without filling the memory', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'folder'));
    const files: Record<string, Buffer> = {
      'nul.csv': Buffer.from('a;b\n1;\0\n'),
      'line.csv': Buffer.alloc(3_000_000, 'a'),
      'packed.csv': gzipSync(register('registro', [{}])),
      'packed.zip': Buffer.from('PK\u0003\u0004\0\0'),
    };
    for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
    const said = async (path: string): Promise<string> => {
      const line = `reconcile ${path} --against received --match number=a,total=b --from none.jsonl`;
      const { code, stdout, stderr } = await runHere(line.split(' '), { cwd: folder });
      expect({ path, code, stdout: String(stdout) }).toEqual({ path, code: 2, stdout: '' });
      return stderr;
    };
    expect(await said('folder')).toContain('cannot read folder: it is a folder');
    expect(await said('none.csv')).toContain('cannot read none.csv: there is no such file');
    expect(await said('/dev/zero')).toContain('cannot read /dev/zero: it is not a file');
    expect(await said('nul.csv')).toContain('nul.csv, line 2: it has bytes of no text');
    expect(await said('line.csv')).toContain('line.csv, line 1: it has more than 1 MiB');
    for (const file of ['packed.csv', 'packed.zip'])
      expect(await said(file)).toContain(`${file}, line 1: it has bytes of no text`);
  });
});
