import { describe, expect, it } from 'vitest';
import { fieldsOfColumns } from '../../src/invoices/fields.ts';
import { issued } from '../../src/resources/issued.ts';
import { DEFAULT_BUCKETS, ageOf } from '../../src/invoices/open-items.ts';
import { Aging, agingTable, type AgingOptions } from '../../src/query/aging.ts';
import { writtenTable } from '../../src/query/figure-table.ts';
import { parseCalendarDay } from '../../src/json/calendar-day.ts';
import { DECIMAL_ZERO } from '../../src/json/decimal.ts';
import { UsageError } from '../../src/errors.ts';
import { batchOf, valuesOf } from '../support/records.ts';

const TODAY = parseCalendarDay('2026-11-21')!;

/** The documents by how long they are overdue. */
function agingOf(records: readonly object[], options: Partial<AgingOptions> = {}): Aging {
  const fields = { usual: fieldsOfColumns(issued.columns) };
  const aging = new Aging({ fields, buckets: DEFAULT_BUCKETS, asOf: TODAY, today: TODAY, ...options });
  aging.add(batchOf(...records));
  return aging;
}

const invoice = (fields: object = {}): Record<string, unknown> => ({
  ...{ amountToBePaid: 100, dueBy: '2026-11-21T00:00:00Z', currency: 'CLP', receiverFiscalId: '76543210-K' },
  customer: { name: 'El Roble', fiscalId: '76543210-k' },
  ...fields,
});

describe('buckets', () => {
  it('have the days from one border to the next', () => {
    const days = [-400, 0, 1, 30, 31, 60, 61, 90, 91, 4000];
    const itemOf = (late: number) => ({ kind: 'open', amount: DECIMAL_ZERO, due: TODAY - late }) as const;
    const ages = days.map((late) => ageOf(itemOf(late), DEFAULT_BUCKETS, TODAY));
    expect(ages).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
  });
});

describe('aging', () => {
  it('tells namesakes apart by their IDs, and takes an ID of punctuation or one that many share for none', () => {
    const of = (receiverFiscalId: string, ...names: string[]) =>
      names.map((name) => invoice({ receiverFiscalId, customer: { name } }));
    const shared = [...of('66.666.666-6', 'Sol'), ...of('66666666-6', 'Luz')];
    const none = [...of('-', 'Lago'), ...of('.', 'Lago'), ...of(' ', 'Sol')];
    const documents = [...of('1-9', 'Roble'), ...of('2-7', 'Roble'), ...none, ...shared];
    const layout = { buckets: DEFAULT_BUCKETS, totals: false };
    const { batch } = writtenTable(agingTable(agingOf(documents).finish(), layout, false));
    const rows = valuesOf(batch).map(({ counterparty, fiscalId, invoices }) =>
      [counterparty, fiscalId, invoices].join(' '),
    );
    expect(rows).toEqual([
      ...['Lago  2', 'Luz 66666666-6 1', 'Roble 1-9 1', 'Roble 2-7 1', 'Sol  1', 'Sol 66.666.666-6 1'],
    ]);
  });

  it.each([
    ['amountToBePaid', 'an open amount in amountToBePaid or openAmount', 'amount'],
    ['dueBy', 'a due date in dueBy or dueByDate or dueDate', 'due'],
    ['currency', 'a currency in currency or currencyCode', 'currency'],
    ['customer', "a counterparty's name in customer.name or customerName", 'counterpartyName'],
  ])('gives no figure where no record has %s at all', (column, meaning, field) => {
    const { [column]: _, receiverFiscalId, ...others } = invoice();
    const record = column === 'customer' ? others : { ...others, receiverFiscalId };
    const attempt = (): unknown => agingOf([record]).finish();
    expect(attempt).toThrow(UsageError);
    expect(attempt).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(`no figures: no record has ${meaning}`),
        hint: expect.stringContaining(`--field ${field}=<column>`),
      }),
    );
    expect(agingOf([record, invoice()]).finish()).not.toEqual([]);
  });

  it('needs a date of issue for a past day', () => {
    const past = agingOf([invoice()], { asOf: TODAY - 21 });
    expect(() => past.finish()).toThrow('no record has a date of issue in date or');
  });

  it('shows on a terminal what there is room for', () => {
    const table = agingTable([], { buckets: DEFAULT_BUCKETS, totals: true }, true);
    const shown = [200, 90, 60, 46, 30].map((width) =>
      writtenTable(table, { width, blocks: true }).columns.join(' '),
    );
    expect(shown).toEqual([
      expect.stringMatching(/^counterparty fiscalId currency invoices .* total bar$/),
      expect.stringMatching(/^counterparty currency not due .* total bar$/),
      'counterparty currency not due overdue total',
      'counterparty currency overdue total',
      'counterparty currency total',
    ]);
  });
});
