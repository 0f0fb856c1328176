import { describe, expect, it } from 'vitest';
import {
  declaredType,
  type DeclaredType,
  fieldsOfColumns,
  describeRole,
  FIELD_NAMES,
  howToMap,
  mapFields,
  phraseOf,
  PLAIN_MEANINGS,
  roleNamed,
  ROLES,
} from '../../src/invoices/fields.ts';
import { resources } from '../../src/resources/listings.ts';

const issued = fieldsOfColumns(resources[0]!.columns);

function fieldsOf(listing: string | undefined) {
  return fieldsOfColumns(resources.find(({ name }) => name === listing)?.columns ?? []);
}

describe('what columns mean', () => {
  it.each([
    ['issued', 'customer.fiscalId', 'counterpartyFiscalId'],
    ['issued', 'receiverName', 'counterpartyName'],
    ['issued', 'issuerFiscalId', undefined],
    ['received', 'issuerFiscalId', 'counterpartyFiscalId'],
    ['fund documents', 'type', 'documentType'],
    ['funds', 'amount', 'total'],
    ['funds', 'amountToBePaid', undefined],
    ['customers', 'taxId', 'counterpartyFiscalId'],
    ['a listing that declares nothing', 'customerName', undefined],
  ])('in records of %s: %s is %s', (listing, column, role) => {
    expect(roleNamed(column, PLAIN_MEANINGS, fieldsOf(listing))).toBe(role);
  });

  it('has a name, a column or none, and a way to say which it is', () => {
    expect(describeRole(issued, 'due')).toBe('a due date in dueBy or dueByDate or dueDate');
    expect(describeRole(issued, 'cancelled')).toBe('a mark of cancelled documents');
    expect(new Set(ROLES.map(phraseOf)).size).toBe(ROLES.length);
    expect(ROLES.map(phraseOf).every((meaning) => /^an? \w/.test(meaning))).toBe(true);
    expect(howToMap('open')).toBe('Say which column it is in with --field amount=<column>.');
    expect(howToMap('currency')).toBe(
      'Say which column it is in with --field currency=<column>. All in one currency: --field currency==CLP.',
    );
  });

  it('is what a user says, by the names of fields', () => {
    const mapped = mapFields(issued, { amount: 'rest', currency: '=CLP', sharedIds: '1-9, ,2-7' });
    expect([mapped.columns.open, mapped.columns.currency, mapped.columns.due]).toEqual([
      ...[['rest'], ['=CLP'], issued.columns.due],
    ]);
    expect(mapped.sharedIds).toEqual(['1-9', '2-7']);
    expect(issued.columns.open).not.toContain('rest');
    for (const name of FIELD_NAMES) expect(() => mapFields(issued, { [name]: 'x' })).not.toThrow();
    for (const name of ['nothing', 'toString'])
      expect(() => mapFields(issued, { [name]: 'x' })).toThrow(
        expect.objectContaining({
          message: `there is no field ${name} to map`,
          hint: expect.stringMatching(/^The fields are amount, paid, .*, balance, sharedIds\.$/),
        }),
      );
  });
});

describe('the type of a column', () => {
  it.each<readonly [column: string, type: DeclaredType | undefined]>([
    ...['totalAmount', 'amountToBePaid', 'unit_price', 'unit.price', 'balance', 'lineAmount', 'amount'].map(
      (column) => [column, 'money'] as const,
    ),
    ...['taxAmount', 'net-balance', 'v2Price', 'exchangeRate', 'payments.amount', 'amount_due'].map(
      (column) => [column, 'money'] as const,
    ),
    ...['date', 'dueBy', 'emissionDate', 'createdAt', 'payments.date'].map(
      (column) => [column, 'date'] as const,
    ),
    ...['number', 'trackingId'].map((column) => [column, 'text'] as const),
    ['payments', 'list'],
    ['sentByEmail', 'boolean'],
    ...['amounts', 'amountInWords', 'priceless', 'gamount', 'AMOUNT', 'Amount', 'toString'].map(
      (column) => [column, undefined] as const,
    ),
  ])('%s: %s', (column, type) => {
    expect(declaredType({ usual: issued }, column)).toBe(type);
  });

  it('is that of its role in the records of any profile', () => {
    const mapped = mapFields(issued, { due: 'when', balance: 'rest' });
    const fields = { usual: issued, byProfile: new Map([['north', mapped]]) };
    expect(['when', 'rest'].map((column) => declaredType(fields, column))).toEqual(['date', 'money']);
  });

  it('is declared once for each column of a listing', () => {
    for (const { name, columns } of resources)
      expect({
        name,
        twice: columns.filter(([column], at) => columns.findIndex(([one]) => one === column) !== at),
      }).toEqual({ name, twice: [] });
  });
});
