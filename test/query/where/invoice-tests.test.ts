import { describe, expect, it } from 'vitest';
import { fieldsOfColumns } from '../../../src/invoices/fields.ts';
import { issued as issuedInvoices } from '../../../src/resources/issued.ts';
import { DATE_FLAGS, type DateFlag } from '../../../src/query/question-syntax.ts';
import { counterpartyTest, dateTest, overdueTest } from '../../../src/query/where/invoice-tests.ts';
import { parseDate } from '../../../src/query/where/date-value.ts';
import { Questions } from '../../../src/query/questions.ts';
import { WhereFilter, whereQuestion, type RecordTest } from '../../../src/query/where/where.ts';
import { parseCalendarDay } from '../../../src/json/calendar-day.ts';
import { told } from '../../support/findings.ts';
import { batchOf, valuesOf } from '../../support/records.ts';

const today = parseCalendarDay('2026-11-21')!;
const fields = { usual: fieldsOfColumns(issuedInvoices.columns) };

/** The numbers of the records that pass, and what the test found. */
function ask(test: RecordTest, records: readonly object[]) {
  const filter = new WhereFilter([test], { names: { fields } });
  const passed = valuesOf(filter.apply(batchOf(...records))).map(({ number }) => number);
  filter.finish();
  return { passed, notes: told(filter.findings()) };
}

const invoice = (number: number, others: object = {}): object => ({
  ...{ number, documentType: 'INVOICE', status: 'OVERDUE', issueDate: '2026-10-01', dueBy: '2026-11-20' },
  ...{ totalAmount: 100, amountToBePaid: 100 },
  ...others,
});

describe('--since and --until', () => {
  const [since, until] = DATE_FLAGS;
  const issued = (flag: DateFlag, date: string, ...dates: (string | null)[]) => {
    const [column] = fields.usual.columns.date;
    const records = dates.map((date, number) => ({ number, [column!]: date }));
    return ask(dateTest(flag, parseDate(date, today)!), records);
  };

  it('take the day itself in, and a month whole', () => {
    const days = ['2026-10-31', '2026-11-01', '2026-11-30T23:00:00Z', '2026-12-01'];
    expect(issued(since, '2026-11-01', ...days).passed).toEqual([1, 2, 3]);
    expect(issued(until, '2026-11-01', ...days).passed).toEqual([0, 1]);
    expect(issued(since, '2026-11', ...days).passed).toEqual([1, 2, 3]);
    expect(issued(until, '2026-11', ...days).passed).toEqual([0, 1, 2]);
  });

  it('leave out what has no date, and warn of it', () => {
    expect(issued(since, '2026', '2026-01-01', null, null)).toEqual({
      passed: [0],
      notes: ['warning: --since: 2 records without a date of issue left out'],
    });
    expect(issued(until, '2026', '2026-01-01').notes).toEqual([]);
  });

  it('leave out what cannot be read, and fail at the end with what it is', () => {
    const [column] = fields.usual.columns.date;
    const filter = new WhereFilter([dateTest(since, parseDate('2026', today)!)], { names: { fields } });
    const question = whereQuestion(filter, { what: 'invoices', locale: 'en-US' });
    const questions = new Questions({ filter: question });
    expect(told(questions.findings(0, false))).toEqual([]);
    const records = [{ [column!]: '2026-02-30' }, { [column!]: '2026-01-01' }, { [column!]: null }];
    expect(filter.apply(batchOf(...records)).count).toBe(1);
    expect(questions.findings(3, false)).toMatchObject([
      { level: 'warning', missing: { date: 1 } },
      {
        ...{ level: 'failure', kind: 'incomplete', missing: { unreadable: 1 } },
        text: expect.stringContaining('--since: 1 record is left out, since they cannot be read: '),
      },
    ]);
  });

  it('refuse records that have no such column', () => {
    const test = dateTest(until, parseDate('2026', today)!);
    expect(() => ask(test, [{ number: 1 }])).toThrow('--until: no record has');
  });
});

describe('--overdue', () => {
  const overdue = (...records: object[]) => ask(overdueTest(today), records);

  it('takes what is open and was due before today, and no credit note', () => {
    expect(
      overdue(
        invoice(1),
        invoice(2, { dueBy: '2026-11-21' }),
        invoice(3, { documentType: 'CREDIT_NOTE' }),
        invoice(4, { dueBy: '2025-01-01', status: 'PENDING' }),
      ).passed,
    ).toEqual([1, 4]);
  });

  it('remarks on open invoices without a due date', () => {
    const { passed, notes } = overdue(invoice(1), invoice(2, { dueBy: null }), invoice(3, { dueBy: null }));
    expect(passed).toEqual([1]);
    expect(notes).toEqual(['remark: --overdue: 2 open invoices without a due date left out']);
  });

  it('refuses records that have no such columns', () => {
    expect(() => overdue({ number: 1 })).toThrow('--overdue: no record has');
  });
});

describe('the counterparty', () => {
  const [column] = fields.usual.columns.counterpartyFiscalId;
  const of = (ids: readonly string[], ...found: (string | null)[]) => {
    const records = found.map((id, number) => ({ number, [column!]: id }));
    return ask(counterpartyTest('--customer-fiscal-id', ids), records).passed;
  };

  it('is one of those asked for, in any spelling', () => {
    const found = ['60155445-K', '60.155.445-k', '76123456-7', null];
    expect(of(['60155445k'], ...found)).toEqual([0, 1]);
    expect(of(['60155445k', '76.123.456-7'], ...found)).toEqual([0, 1, 2]);
    expect(of(['1-9'], ...found)).toEqual([]);
  });

  it('is in no record that has no such column', () => {
    const test = counterpartyTest('--customer-fiscal-id', ['1-9']);
    expect(() => ask(test, [{ number: 1 }])).toThrow('--customer-fiscal-id: no record has');
  });
});
