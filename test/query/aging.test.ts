import { describe, expect, it } from 'vitest';
import { parseBuckets } from '../../src/query/question-syntax.ts';
import { fieldsOfColumns } from '../../src/invoices/fields.ts';
import { issued } from '../../src/resources/issued.ts';
import { received as receivedInvoices } from '../../src/resources/received.ts';
import { bucketNames, bucketOf, DEFAULT_BUCKETS } from '../../src/invoices/open-items.ts';
import { agingRows } from '../../src/query/aging-rows.ts';
import { Aging, type AgingOptions } from '../../src/query/aging.ts';
import { parseCalendarDay } from '../../src/json/calendar-day.ts';
import type { RecordBatch } from '../../src/json/records.ts';
import { UsageError } from '../../src/errors.ts';
import { batchOf, textsOf, valuesOf } from '../support/records.ts';

const options: AgingOptions = {
  fields: { usual: fieldsOfColumns(issued.columns) },
  buckets: DEFAULT_BUCKETS,
  asOf: parseCalendarDay('2026-11-21')!,
  today: parseCalendarDay('2026-11-21')!,
};
const totals = { totals: true };

function age(records: readonly (string | object)[], asked: Partial<AgingOptions> = {}): string[] {
  const aging = new Aging({ ...options, ...asked });
  aging.add(batchOf(...records));
  return textsOf(
    agingRows(aging.finish(), { buckets: asked.buckets ?? DEFAULT_BUCKETS, layout: totals }).batch,
  );
}

/** The rows without totals. */
function aged(records: readonly object[]): RecordBatch {
  const aging = new Aging(options);
  aging.add(batchOf(...records));
  return agingRows(aging.finish(), { buckets: DEFAULT_BUCKETS, layout: { totals: false } }).batch;
}

const invoice = (fields: object = {}): object => ({
  amountToBePaid: 100,
  dueBy: '2026-11-21T00:00:00Z',
  currency: 'CLP',
  receiverFiscalId: '76543210-K',
  customer: { name: 'El Roble', fiscalId: '76543210-k' },
  ...fields,
});

describe('buckets', () => {
  it('have a name each', () => {
    expect(bucketNames(DEFAULT_BUCKETS)).toEqual(['not due', '1 to 30', '31 to 60', '61 to 90', 'over 90']);
    expect(bucketNames(parseBuckets('15, 30,60'))).toEqual([
      'not due',
      '1 to 15',
      '16 to 30',
      '31 to 60',
      'over 60',
    ]);
  });

  it.each([
    [-400, 0],
    [0, 0],
    [1, 1],
    [30, 1],
    [31, 2],
    [60, 2],
    [61, 3],
    [90, 3],
    [91, 4],
    [4000, 4],
  ])('%i days overdue is bucket %i', (days, bucket) => {
    expect(bucketOf(DEFAULT_BUCKETS, days)).toBe(bucket);
  });

  it.each(['', '30,', '30,30', '60,30', '0,30', '-1', '1.5', 'a', '30,100000'])('%j is refused', (text) => {
    expect(() => parseBuckets(text)).toThrow(
      `--buckets '${text}' is not a list of days, each more than the one before`,
    );
  });
});

describe('aging', () => {
  it('puts each open amount in the bucket of its days, exactly', () => {
    const records = [
      '{"amountToBePaid":10.10,"dueBy":"2026-11-21","currency":"USD","receiverFiscalId":"1-9","customer":{"name":"A"}}',
      '{"amountToBePaid":20.20,"dueBy":"2026-11-20T23:00:00Z","currency":"USD","receiverFiscalId":"1-9","customer":{"name":"A"}}',
      '{"amountToBePaid":0.1,"dueBy":"2026-10-21","currency":"USD","receiverFiscalId":"1-9","customer":{"name":"A"}}',
      '{"amountToBePaid":90071992547409930.01,"dueBy":"2020-01-01","currency":"USD","receiverFiscalId":"1-9","customer":{"name":"A"}}',
    ];
    const amounts =
      '"not due":10.10,"1 to 30":20.20,"31 to 60":0.10,"61 to 90":0.00,"over 90":90071992547409930.01,' +
      '"no due date":0.00,"credits":0.00';
    const beside = '"total.creditNotes":0.00,"total.cancelled":0.00,"total.missing":0';
    expect(age(records)).toEqual([
      `{"_row":"counterparty","counterparty":"A","fiscalId":"1-9","currency":"USD","invoices":4,${amounts},"total":90071992547409960.41,${beside}}`,
      `{"_row":"total","counterparty":"Total","fiscalId":null,"currency":"USD","invoices":4,${amounts},"total":90071992547409960.41,${beside}}`,
    ]);
  });

  it('has a row for each counterparty, most owed first, and a total for each currency', () => {
    const rows = [
      invoice({ amountToBePaid: 5, customer: { name: 'B' }, receiverFiscalId: '2-7' }),
      invoice({ amountToBePaid: 3, currency: 'USD' }),
      invoice({ amountToBePaid: 7 }),
      invoice({ amountToBePaid: 4, receiverFiscalId: '76.543.210-k' }),
    ];
    const summary = age(rows).map((line) => {
      const { _row, counterparty, currency, total } = JSON.parse(line) as Record<string, unknown>;
      return [_row, counterparty, currency, total];
    });
    expect(summary).toEqual([
      ['counterparty', 'El Roble', 'CLP', 11],
      ['counterparty', 'B', 'CLP', 5],
      ['total', 'Total', 'CLP', 16],
      ['counterparty', 'El Roble', 'USD', 3],
      ['total', 'Total', 'USD', 3],
    ]);
  });

  it('takes credits away, whichever sign they are sent with, without an age', () => {
    const credit = { documentType: 'CREDIT_NOTE', dueBy: 'whenever' };
    const [row] = valuesOf(
      aged([
        invoice(),
        invoice({ ...credit, amountToBePaid: 30 }),
        invoice({ ...credit, documentType: 61, amountToBePaid: -20 }),
        invoice({ amountToBePaid: -5 }),
      ]),
    );
    expect(row).toMatchObject({ invoices: 4, 'not due': 100, '1 to 30': 0, credits: -55, total: 45 });
    expect(row).toMatchObject({ 'total.creditNotes': -50, 'total.cancelled': 0, 'total.missing': 0 });
  });

  it('leaves out what is cancelled, void or asks for no money, and says what it would have added', () => {
    const [row] = valuesOf(
      aged([
        invoice(),
        invoice({ status: 'NULLIFIED', amountToBePaid: 7 }),
        invoice({ status: 'anulada', documentType: 'CREDIT_NOTE', amountToBePaid: 2, dueBy: 'x' }),
        invoice({ status: 'CANCELADA', amountToBePaid: 11 }),
        invoice({ status: 'VOID', amountToBePaid: 1000 }),
        invoice({ documentType: 52, amountToBePaid: 1000 }),
        invoice({ amountToBePaid: null }),
      ]),
    );
    expect(row).toMatchObject({ invoices: 2, total: 111, 'total.cancelled': 5, 'total.missing': 1 });
  });

  it('passes over settled records, whatever they lack', () => {
    expect(age([{ amountToBePaid: 0.0 }])).toEqual([]);
    expect(age([])).toEqual([]);
  });

  it('reads received invoices by their issuer', () => {
    const received = {
      amountToBePaid: 1,
      dueBy: '2026-01-01',
      currency: 'CLP',
      issuerFiscalId: '3-5',
      issuer: { name: 'C' },
    };
    expect(age([received], { fields: { usual: fieldsOfColumns(receivedInvoices.columns) } })[0]).toContain(
      '"counterparty":"C","fiscalId":"3-5"',
    );
  });

  it('finds a counterparty by name where it has no fiscal ID', () => {
    const nameless = { ...invoice(), receiverFiscalId: null, customer: { name: 'Sin RUT' } };
    expect(age([invoice(), nameless])).toHaveLength(3);
  });

  it('tells namesakes apart by their IDs, and takes an ID of punctuation or one that many share for none', () => {
    const of = (receiverFiscalId: string, name: string): object =>
      invoice({ receiverFiscalId, customer: { name } });
    const rows = valuesOf(
      aged([
        of('1-9', 'Roble'),
        of('2-7', 'Roble'),
        of('-', 'Lago'),
        of('.', 'Lago'),
        of(' ', 'Sol'),
        of('66.666.666-6', 'Sol'),
        of('66666666-6', 'Luz'),
      ]),
    );
    expect(rows.map(({ counterparty, fiscalId, invoices }) => [counterparty, fiscalId, invoices])).toEqual([
      ['Lago', null, 2],
      ['Luz', '66666666-6', 1],
      ['Roble', '1-9', 1],
      ['Roble', '2-7', 1],
      ['Sol', null, 1],
      ['Sol', '66.666.666-6', 1],
    ]);
  });

  it.each([
    ['amountToBePaid', 'an open amount in amountToBePaid or openAmount', 'amount'],
    ['dueBy', 'a due date in dueBy or dueByDate or dueDate', 'due'],
    ['currency', 'a currency in currency or currencyCode', 'currency'],
    ['receiverFiscalId', "a counterparty's name in customer.name or customerName", 'counterpartyName'],
  ])('gives no figure where no record has %s at all', (column, meaning, field) => {
    const { customer, ...record } = invoice() as Record<string, unknown>;
    delete record[column];
    const attempt = (): unknown => age(column === 'receiverFiscalId' ? [record] : [{ ...record, customer }]);
    expect(attempt).toThrow(UsageError);
    expect(attempt).toThrow(`no figures: no record has ${meaning}`);
    expect(hintOf(attempt)).toContain(`--field ${field}=<column>`);
    expect(age([invoice({ [column]: column === 'amountToBePaid' ? 1 : null })])).not.toEqual([]);
  });

  it('has a column for what has no due date, in no bucket, and a row for what has no currency', () => {
    const rows = age([
      invoice(),
      invoice({ amountToBePaid: 7, dueBy: null }),
      invoice({ amountToBePaid: 8, dueBy: '', receiverFiscalId: '2-7' }),
      invoice({ amountToBePaid: 3, currency: null, dueBy: '2026-11-01' }),
      invoice({ amountToBePaid: 4, currency: '', dueBy: null }),
      invoice({ amountToBePaid: 1, receiverFiscalId: null, customer: null }),
    ]).map((line) => {
      const { _row, counterparty, currency, invoices, total, ...others } = JSON.parse(line) as Record<
        string,
        unknown
      >;
      return [
        _row,
        counterparty,
        currency,
        invoices,
        others['not due'],
        others['1 to 30'],
        others['no due date'],
        total,
      ];
    });
    expect(rows).toEqual([
      ['counterparty', 'El Roble', 'CLP', 2, 100, 0, 7, 107],
      ['counterparty', 'El Roble', 'CLP', 1, 0, 0, 8, 8],
      ['counterparty', null, 'CLP', 1, 1, 0, 0, 1],
      ['total', 'Total', 'CLP', 4, 101, 0, 15, 116],
      ['no currency', 'no currency', null, 2, 0, 3, 4, 7],
    ]);
  });

  it('leaves out what was issued after a day that is past', () => {
    const asOf = parseCalendarDay('2026-10-31')!;
    const records = [
      invoice({ amountToBePaid: 1, date: '2026-10-31T23:00:00Z', dueBy: '2026-10-01' }),
      invoice({ amountToBePaid: 2, date: '2026-11-01', dueBy: '2026-11-01' }),
    ];
    expect(age(records, { asOf })[0]).toContain('"invoices":1,"not due":0,"1 to 30":1,');
    expect(() => age([invoice()], { asOf })).toThrow('no record has a date of issue in date or');
    expect(age(records)[0]).toContain('"invoices":2,');
  });

  it('keeps the rows of several organizations apart', () => {
    const several = { usual: fieldsOfColumns(issued.columns), byProfile: new Map() };
    const rows = age([invoice({ _profile: 'north' }), invoice({ _profile: 'south' })], { fields: several });
    expect(rows.map((line) => (JSON.parse(line) as Record<string, unknown>)['_profile'])).toEqual([
      'north',
      'south',
      null,
    ]);
  });

  it.each([
    [{ amountToBePaid: '100' }, 'amountToBePaid of record 2 (number 7) is the text "100"'],
    [{ dueBy: 'next week' }, 'dueBy of record 2 (number 7) is the text "next week"'],
    [{ dueBy: '2026-02-30' }, 'dueBy of record 2 (number 7) is the text "2026-02-30"'],
    [{ dueBy: 1790000000 }, 'dueBy of record 2 (number 7) is the number "1790000000"'],
  ])('leaves out %j and no other, and says so', (fields, what) => {
    const aging = new Aging(options);
    aging.add(batchOf(invoice(), invoice({ number: 7, ...fields })));
    expect(aging.finish()[0]).toMatchObject({
      invoices: 1,
      ages: [{ coefficient: 100n }, {}, {}, {}, {}, {}, {}],
    });
    expect(aging.unreadable.finding('aging').text).toBe(
      `aging: 1 record was left out, since it cannot be read: ${what}`,
    );
  });

  it('counts what it leaves out of each counterparty, where these are told apart', () => {
    const unread = (fields: object = {}) => invoice({ amountToBePaid: 'x', ...fields });
    const records = [unread(), unread({ receiverFiscalId: '2-7', customer: {} }), unread(), invoice()];
    const counts = (apart: boolean): number[] => {
      const aging = new Aging({ ...options, apart });
      aging.add(batchOf(...records));
      expect(aging.unreadable.count).toBe(3);
      return [...aging.unreadableOf.values()];
    };
    expect([counts(true), counts(false)]).toEqual([[2, 1], []]);
  });

  it('draws a bar for each counterparty on a terminal, rather than empty buckets', () => {
    const aging = new Aging(options);
    aging.add(batchOf(invoice(), invoice({ amountToBePaid: 50, receiverFiscalId: '2-7' })));
    const { batch, columns } = agingRows(
      aging.finish(),
      { buckets: DEFAULT_BUCKETS, layout: totals },
      { width: 86, blocks: true },
    );
    expect(valuesOf(batch).map(({ bar }) => bar)).toEqual(['█'.repeat(30), '█'.repeat(15), '']);
    expect(columns.join(' ')).toBe('counterparty currency not due total bar');
  });

  it('shows on a terminal what there is room for', () => {
    const columnsAt = (width: number): string =>
      agingRows([], { buckets: DEFAULT_BUCKETS, layout: totals }, { width, blocks: true }).columns.join(' ');
    expect(columnsAt(200)).toMatch(/^counterparty fiscalId currency invoices .* total bar$/);
    expect(columnsAt(90)).toMatch(/^counterparty currency not due .* total bar$/);
    expect(columnsAt(60)).toBe('counterparty currency not due overdue total');
    expect(columnsAt(46)).toBe('counterparty currency overdue total');
    expect(columnsAt(30)).toBe('counterparty currency total');
  });
});

function hintOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
  } catch (error) {
    if (error instanceof UsageError) return error.hint;
  }
  return undefined;
}
