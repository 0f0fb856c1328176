import { describe, expect, it } from 'vitest';
import { fieldsOfColumns } from '../../src/invoices/fields.ts';
import { issued } from '../../src/resources/issued.ts';
import { columnsOfTotals, totalsQuestion, totalsRows } from '../../src/query/totals-rows.ts';
import { Totals, type TotalsRequest } from '../../src/query/totals.ts';
import { told } from '../support/findings.ts';
import { batchOf, textsOf } from '../support/records.ts';

const request = (sums: string[], groupBy: string[] = []): TotalsRequest => ({
  sums,
  groupBy,
  names: { fields: { usual: fieldsOfColumns(issued.columns) }, headings: new Map() },
});

function totals(asked: TotalsRequest, ...records: (string | object)[]): string[] {
  const all = new Totals(asked);
  all.add(batchOf(...records));
  return textsOf(totalsRows(all, asked).batch);
}

describe('totals', () => {
  it('adds exactly, with the widest scale', () => {
    expect(
      totals(request(['a']), '{"a":10.00}', '{"a":0.5}', '{"a":12345678901234567890}', '{"a":1E2}'),
    ).toEqual(['{"records":4,"a":12345678901234568000.50,"a.missing":0}']);
  });

  it('keeps currencies apart and says how many records have no value', () => {
    const records = [
      { status: 'PAID', currency: 'CLP', a: 5 },
      { status: 'OVERDUE', currency: 'USD', a: 3 },
      { status: 'PAID', currency: 'CLP', a: null },
      { status: 'OVERDUE', currency: 'CLP', a: 7 },
      { status: null, currency: 'USD', a: 4 },
      { status: 'PAID', currency: 'USD' },
    ];
    expect(totals(request(['a'], ['status']), ...records)).toEqual([
      '{"status":"OVERDUE","currency":"CLP","records":1,"a":7,"a.missing":0}',
      '{"status":"PAID","currency":"CLP","records":2,"a":5,"a.missing":1}',
      '{"status":null,"currency":"USD","records":1,"a":4,"a.missing":0}',
      '{"status":"OVERDUE","currency":"USD","records":1,"a":3,"a.missing":0}',
      '{"status":"PAID","currency":"USD","records":1,"a":null,"a.missing":1}',
    ]);
  });

  it('takes credit notes away from amounts of documents, and says which part of the total they are', () => {
    const row = (totalAmount: unknown, fields: object): object => ({
      totalAmount,
      b: 1,
      currency: 'CLP',
      ...fields,
    });
    const all = new Totals(request(['totalAmount', 'b']));
    all.add(
      batchOf(
        row(100, { documentType: 'INVOICE' }),
        row(5, { documentType: 'CREDIT_NOTE' }),
        row(-7, { documentType: 61 }),
        row(20, { documentType: 33, status: 'ANULADA' }),
        row(1000, { documentType: 'QUOTE' }),
        row(1000, { status: 'VOIDED' }),
        row(null, {}),
        // Neither changes a sum, and neither is counted in words.
        row(0, { documentType: 'CREDIT_NOTE' }),
        row(null, { documentType: 'INVOICE', status: 'ANULADA' }),
      ),
    );
    expect(textsOf(totalsRows(all, request(['totalAmount', 'b'])).batch)).toEqual([
      '{"currency":"CLP","records":9,"totalAmount":108,"totalAmount.creditNotes":-12,"totalAmount.cancelled":20,"totalAmount.missing":2,"b":9,"b.missing":0}',
    ]);
    expect(told(all.findings())).toEqual([
      'remark: --sum: 2 credit notes taken away; 1 cancelled document counted, as the credit notes are that cancel them; ' +
        '1 void document in no sum; 1 quote in no sum; 2 documents without a type counted as invoices',
    ]);
    const asked = { ...request(['totalAmount']), asSent: true };
    expect(
      totals(asked, row(100, {}), row(5, { documentType: 'CREDIT_NOTE' }), row(20, { status: 'ANULADA' })),
    ).toEqual([
      '{"currency":"CLP","records":3,"totalAmount":125,"totalAmount.creditNotes":5,"totalAmount.cancelled":20,"totalAmount.missing":0}',
    ]);
  });

  it('says nothing of documents where what is added has no meaning', () => {
    const all = new Totals(request(['b']));
    all.add(batchOf({ b: 1, status: 'VOIDED' }, { b: 2, documentType: 'CREDIT_NOTE' }));
    expect(told(all.findings())).toEqual([]);
  });

  it('is one group for nothing and empty text', () => {
    expect(totals(request([], ['s']), { s: null }, { s: '' }, {})).toEqual(['{"s":null,"records":3}']);
  });

  it('counts without a sum, most first, whatever the currency', () => {
    const records = [{ s: 'x', currency: 'CLP' }, { s: 'y', currency: 'CLP' }, { s: 'y' }];
    expect(totals(request([], ['s']), ...records)).toEqual([
      '{"s":"y","records":2}',
      '{"s":"x","records":1}',
    ]);
  });

  it('groups numbers by value, apart from text', () => {
    expect(totals(request([], ['n']), '{"n":1.0}', '{"n":"1"}', '{"n":1.00}')).toEqual([
      '{"n":1.0,"records":2}',
      '{"n":"1","records":1}',
    ]);
  });

  it('lets currency be a group like any other', () => {
    const records = [{ currency: 'CLP', a: 1 }, { a: 2 }];
    expect(totals(request(['a'], ['currency']), ...records)).toEqual([
      '{"currency":"CLP","records":1,"a":1,"a.missing":0}',
      '{"currency":null,"records":1,"a":2,"a.missing":0}',
    ]);
    expect(totals(request(['a'], ['currencyCode']), { currencyCode: 'USD', a: 1 })).toEqual([
      '{"currencyCode":"USD","records":1,"a":1,"a.missing":0}',
    ]);
  });

  it('keeps the scale of each currency where one groups by it', () => {
    const records = [
      '{"currency":"CLP","a":1000}',
      '{"currency":"USD","a":0.10}',
      '{"currency":"USD","a":2}',
    ];
    expect(totals(request(['a'], ['currency']), ...records)).toEqual([
      '{"currency":"CLP","records":1,"a":1000,"a.missing":0}',
      '{"currency":"USD","records":2,"a":2.10,"a.missing":0}',
    ]);
  });

  it.each([
    ['"12.50"', 'in record 1 it is the text "12.50", not a number', 'is the text "12.50"'],
    ['true', 'in record 1 it is the boolean "true", not a number', 'is the boolean "true"'],
    ['[1]', 'in record 1 it is the array "[1]", not a number', 'is the array "[1]"'],
    [
      '1e999999999',
      'in record 1 it is a number of more than 1,000 digits',
      'is a number of more than 1,000 digits',
    ],
  ])(
    'leaves %s out of a sum, naming the place, and refuses a column of nothing else',
    (value, sentence, what) => {
      expect(() => totals(request(['a']), `{"a":${value}}`)).toThrow(`a cannot be added up: ${sentence}`);
      const all = new Totals(request(['a']));
      all.add(batchOf('{"a":1}', `{"a":${value}}`));
      expect(textsOf(totalsRows(all, request(['a'])).batch)).toEqual(['{"records":1,"a":1,"a.missing":0}']);
      expect(told(all.findings())).toEqual([
        `failure: --sum: 1 record is left out, since they cannot be read: a of record 2 ${what}`,
      ]);
    },
  );

  it('names a counterparty by a name that any of its records has', () => {
    const records = [undefined, '', 'Roble'].map((name) => ({
      receiverFiscalId: '1-9',
      customer: { name },
    }));
    const rowsBy = (...groupBy: string[]): string[] => totals(request([], groupBy), ...records);
    expect(rowsBy('customer.name')).toEqual(['{"customer.name":"Roble","fiscalId":"1-9","records":3}']);
    expect(rowsBy('receiverFiscalId')).toEqual([
      '{"receiverFiscalId":"1-9","counterparty":"Roble","records":3}',
    ]);
    expect(rowsBy('receiverFiscalId', 'customer.name')).toEqual([
      '{"receiverFiscalId":"1-9","customer.name":"Roble","records":3}',
    ]);
  });

  it('names its columns, also of no records', () => {
    const asked = request(['a'], ['s']);
    expect(totalsRows(new Totals(asked), asked).columns).toEqual(['s', 'records', 'a', 'a.missing']);
    const all = new Totals(asked);
    all.add(batchOf({ s: 'x', a: 1, currency: 'CLP' }));
    expect(totalsRows(all, asked).columns).toEqual(['s', 'currency', 'records', 'a', 'a.missing']);
  });
});

describe('what may be asked of totals', () => {
  const names = request([]).names;

  it('are these columns', () => {
    expect(columnsOfTotals({})).toEqual(['records']);
    expect(columnsOfTotals({ groupBy: ['s'] })).toEqual(['s', 'fiscalId', 'counterparty', 'records']);
    expect(columnsOfTotals({ sum: ['a'], groupBy: ['currency'] })).toEqual([
      ...['currency', 'fiscalId', 'counterparty', 'records'],
      ...['a', 'a.creditNotes', 'a.cancelled', 'a.missing'],
    ]);
  });

  it('are the columns of the result, and no others', async () => {
    const question = totalsQuestion({ sum: ['a'] }, names, { terminal: undefined, placeOf: undefined });
    const source = async function* () {
      yield batchOf({ a: 1 }, { a: 2 });
    };
    const rows: string[] = [];
    for await (const batch of question.answer(source())) rows.push(...textsOf(batch));
    expect(rows).toEqual(['{"records":2,"a":3,"a.missing":0}']);
    const { columns } = question.result!;
    expect(columns(undefined)).toEqual(['records', 'a', 'a.missing']);
    expect(columns(['a'])).toEqual(['a']);
    expect(() => columns(['b'])).toThrow('--columns: the result has no column b');
    expect(question.findings()).toEqual([{ level: 'fact', text: '', missing: { unreadable: 0 } }]);
  });

  it('is nothing where no record has a column', () => {
    for (const groupBy of [[], ['a']]) {
      expect(() => totals(request(['totalAmuont'], groupBy), { a: 1, totalAmount: 1 })).toThrow(
        expect.objectContaining({
          message: 'nothing to add up: no record has a column totalAmuont',
          hint: 'Did you mean totalAmount?',
        }),
      );
    }
    expect(() => totals(request([], ['s', 'on:moon']), { s: 1 })).toThrow(
      expect.objectContaining({
        message: 'nothing to add up: no record has a column on:moon',
        hint: 'Behind a column and a colon, --group-by takes day, month, quarter, year.',
      }),
    );
  });

  it('are 100,000 groups at most', () => {
    const all = new Totals(request([], ['a', 'b']));
    const batch = (from: number) =>
      batchOf(...Array.from({ length: 10_000 }, (_, at) => ({ a: from + at, b: 1 })));
    for (let from = 0; from < 100_000; from += 10_000) all.add(batch(from));
    expect(() => all.add(batchOf({ a: -1 }))).toThrow(
      '--group-by a --group-by b makes more than 100,000 groups',
    );
  });
});
