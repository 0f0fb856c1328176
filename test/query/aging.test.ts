import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseBuckets } from '../../src/query/question-syntax.ts';
import { ISSUED_COLUMNS, mapKnownColumns, RECEIVED_COLUMNS } from '../../src/query/known-columns.ts';
import { agingRows } from '../../src/query/aging-rows.ts';
import { Aging, type AgingOptions, bucketNames, bucketOf, DEFAULT_BUCKETS } from '../../src/query/aging.ts';
import { formatDay, parseCalendarDay } from '../../src/json/calendar-day.ts';
import { UsageError } from '../../src/errors.ts';
import { batchOf, textsOf, valuesOf } from '../support/records.ts';

const options: AgingOptions = {
  fields: ISSUED_COLUMNS,
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
      '"not due":10.10,"1 to 30":20.20,"31 to 60":0.10,"61 to 90":0.00,"over 90":90071992547409930.01';
    expect(age(records)).toEqual([
      `{"_row":"counterparty","counterparty":"A","fiscalId":"1-9","currency":"USD","invoices":4,${amounts},"total":90071992547409960.41}`,
      `{"_row":"total","counterparty":"Total","fiscalId":null,"currency":"USD","invoices":4,${amounts},"total":90071992547409960.41}`,
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

  it('takes credit notes away, whichever sign they are sent with', () => {
    const credit = { documentType: 'CREDIT_NOTE', dueBy: '2026-11-01' };
    const [row] = age([
      invoice(),
      invoice({ ...credit, amountToBePaid: 30 }),
      invoice({ ...credit, amountToBePaid: -20 }),
    ]);
    expect(row).toContain('"invoices":3,"not due":100,"1 to 30":-50,');
    expect(row).toContain('"total":50}');
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
    expect(age([received], { fields: RECEIVED_COLUMNS })[0]).toContain('"counterparty":"C","fiscalId":"3-5"');
  });

  it('finds a counterparty by name where it has no fiscal ID', () => {
    const nameless = { ...invoice(), receiverFiscalId: null, customer: { name: 'Sin RUT' } };
    expect(age([invoice(), nameless])).toHaveLength(3);
  });

  it('gives no figure where a record has no open amount', () => {
    const attempt = (): unknown => age([invoice(), invoice({ amountToBePaid: null })]);
    expect(attempt).toThrow('no figures: record 2 is without an open amount in amountToBePaid or openAmount');
    expect(hintOf(attempt)).toContain('--field amount=<column>');
  });

  it.each([
    [{ dueBy: '' }, 'no open invoice has a due date in dueBy or dueByDate or dueDate', 'due'],
    [{ currency: undefined }, 'no open invoice has a currency in currency or currencyCode', 'currency'],
    [
      { receiverFiscalId: undefined, customer: null },
      "no open invoice has a counterparty's name in customer.name or customerName",
      'counterpartyName',
    ],
  ])('gives no figure where no record has what is wanting in %j', (fields, sentence, field) => {
    const attempt = (): unknown => age([invoice(fields), invoice({ ...fields, amountToBePaid: 1 })]);
    expect(attempt).toThrow(UsageError);
    expect(attempt).toThrow(`no figures: ${sentence}`);
    expect(hintOf(attempt)).toContain(`--field ${field}=<column>`);
  });

  it('has one row for what has no due date, in no bucket, and one for what has no currency', () => {
    const rows = age([
      invoice(),
      invoice({ amountToBePaid: 7, dueBy: null }),
      invoice({ amountToBePaid: 8, dueBy: '', receiverFiscalId: '2-7' }),
      invoice({ amountToBePaid: 3, currency: null, dueBy: '2026-11-01' }),
      invoice({ amountToBePaid: 4, currency: '', dueBy: null }),
      invoice({ amountToBePaid: 1, receiverFiscalId: null, customer: null }),
    ]);
    const none = '"not due":null,"1 to 30":null,"31 to 60":null,"61 to 90":null,"over 90":null';
    const zeros = '"31 to 60":0,"61 to 90":0,"over 90":0';
    expect(rows).toEqual([
      `{"_row":"counterparty","counterparty":"El Roble","fiscalId":"76543210-K","currency":"CLP","invoices":1,"not due":100,"1 to 30":0,${zeros},"total":100}`,
      `{"_row":"counterparty","counterparty":"no counterparty","fiscalId":null,"currency":"CLP","invoices":1,"not due":1,"1 to 30":0,${zeros},"total":1}`,
      `{"_row":"no due date","counterparty":"no due date","fiscalId":null,"currency":"CLP","invoices":2,${none},"total":15}`,
      `{"_row":"total","counterparty":"Total","fiscalId":null,"currency":"CLP","invoices":4,"not due":101,"1 to 30":0,${zeros},"total":116}`,
      `{"_row":"no currency","counterparty":"no currency","fiscalId":null,"currency":null,"invoices":2,"not due":0,"1 to 30":3,${zeros},"total":7}`,
    ]);
  });

  it('leaves out what was issued after a day that is past', () => {
    const asOf = parseCalendarDay('2026-10-31')!;
    const records = [
      invoice({ amountToBePaid: 1, date: '2026-10-31T23:00:00Z', dueBy: '2026-10-01' }),
      invoice({ amountToBePaid: 2, date: '2026-11-01', dueBy: '2026-11-01' }),
    ];
    expect(age(records, { asOf })[0]).toContain('"invoices":1,"not due":0,"1 to 30":1,');
    expect(() => age([invoice()], { asOf })).toThrow('no open invoice has a date of issue in date or');
    expect(age(records)[0]).toContain('"invoices":2,');
  });

  it('keeps the rows of several organizations apart', () => {
    const rows = age([invoice({ _profile: 'north' }), invoice({ _profile: 'south' })]);
    expect(rows.map((line) => (JSON.parse(line) as Record<string, unknown>)['_profile'])).toEqual([
      'north',
      'south',
      null,
    ]);
  });

  it.each([
    [
      { amountToBePaid: '100' },
      'amountToBePaid cannot be added up: in record 1 it is the text "100", not a number',
    ],
    [{ dueBy: 'next week' }, 'no figures: the due date of record 1 is not a date: "next week"'],
    [{ dueBy: '2026-02-30' }, 'no figures: the due date of record 1 is not a date: "2026-02-30"'],
  ])('refuses %j', (fields, sentence) => {
    expect(() => age([invoice(fields)])).toThrow(sentence);
  });

  it('takes other columns, or a fixed value, from a map', () => {
    const fields = mapKnownColumns(ISSUED_COLUMNS, { amount: 'open', currency: '=CLP' });
    expect(age([{ ...invoice(), amountToBePaid: 'x', open: 9, currency: null }], { fields })[0]).toContain(
      '"currency":"CLP","invoices":1,"not due":9,',
    );
    expect(() => mapKnownColumns(ISSUED_COLUMNS, { amuont: 'x' })).toThrow('there is no field amuont to map');
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
    expect(columnsAt(60)).toBe('counterparty currency 31 to 60 61 to 90 over 90 total');
    expect(columnsAt(46)).toBe('counterparty currency over 90 total');
    expect(columnsAt(30)).toBe('counterparty currency total');
  });

  it('loses nothing: the buckets of all rows are the sum of all amounts', () => {
    const record = fc.record({
      cents: fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }),
      day: fc.integer({ min: options.asOf - 200, max: options.asOf + 50 }),
      party: fc.nat(5),
      currency: fc.constantFrom('CLP', 'USD'),
    });
    fc.assert(
      fc.property(fc.array(record, { minLength: 1 }), (records) => {
        const lines = age(
          records.map(({ cents, day, party, currency }) =>
            JSON.stringify(
              invoice({ amountToBePaid: 0, dueBy: formatDay(day), receiverFiscalId: `${party}-1`, currency }),
            ).replace('"amountToBePaid":0', `"amountToBePaid":${cents}`),
          ),
        );
        for (const currency of ['CLP', 'USD']) {
          const sum = (kind: string): bigint =>
            lines
              .filter((line) => line.startsWith(`{"_row":"${kind}"`) && line.includes(currency))
              .flatMap((line) =>
                line.slice(line.indexOf('"not due"'), line.indexOf(',"total"')).match(/(?<=:)-?\d+/g)!,
              )
              .reduce((all, literal) => all + BigInt(literal), 0n);
          const model = records
            .filter((record) => record.currency === currency)
            .reduce((all, { cents }) => all + cents, 0n);
          expect(sum('counterparty')).toBe(model);
          expect(sum('total')).toBe(model);
        }
      }),
    );
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
