import { describe, expect, it } from 'vitest';
import {
  describeRole,
  FIELD_NAMES,
  fixedValue,
  howToMap,
  isAmountRole,
  mapFields,
  meaningOf,
  meantKind,
  ownIdColumns,
  ownNameColumns,
  roleOfColumn,
  ROLES,
  usualFields,
} from '../../src/invoices/fields.ts';

const issued = usualFields('issued');

describe('what columns mean', () => {
  it.each([
    ['issued', 'customer.fiscalId', 'counterpartyFiscalId'],
    ['issued', 'receiverName', 'counterpartyName'],
    ['issued', 'issuerFiscalId', undefined],
    ['received', 'issuerFiscalId', 'counterpartyFiscalId'],
    ['received', 'supplierName', 'counterpartyName'],
    ['received', 'amountDue', 'open'],
    ['fund documents', 'type', 'documentType'],
    ['fund documents', 'name', 'counterpartyName'],
    ['funds', 'amount', 'total'],
    ['funds', 'createdAt', 'date'],
    ['funds', 'amountToBePaid', undefined],
    ['customers', 'balance', 'balance'],
    ['customers', 'taxId', 'counterpartyFiscalId'],
    [undefined, 'customerName', 'counterpartyName'],
    ['nothing known', 'customerName', 'counterpartyName'],
    ['toString', 'customerName', 'counterpartyName'],
  ])('in records of %s: %s is %s', (listing, column, role) => {
    expect(roleOfColumn(usualFields(listing), column)).toBe(role);
  });

  it('has a name, a column or none, and a way to say which it is', () => {
    expect(describeRole(issued, 'due')).toBe('a due date in dueBy or dueByDate or dueDate');
    expect(describeRole(issued, 'reference')).toBe('a reference to another document');
    expect(new Set(ROLES.map(meaningOf)).size).toBe(ROLES.length);
    expect(ROLES.map(meaningOf).every((meaning) => /^an? \w/.test(meaning))).toBe(true);
    expect(howToMap('open')).toBe(
      'Say which column it is in with --field amount=<column>, or for good with `folio config set fields.amount <column>`.',
    );
    expect(howToMap('currency')).toBe(
      'Say which column it is in with --field currency=<column>, or for good with `folio config set fields.currency <column>`. ' +
        'All in one currency: --field currency==CLP.',
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

  it('may be one value for all', () => {
    expect(['=CLP', '=', 'currency', 'a=b'].map(fixedValue)).toEqual(['CLP', '', undefined, undefined]);
  });

  it('is an amount of a document for six roles', () => {
    expect(ROLES.filter(isAmountRole)).toEqual(['open', 'paid', 'total', 'net', 'exempt', 'tax']);
    expect(isAmountRole(undefined)).toBe(false);
  });

  it('is the organization itself in other columns', () => {
    expect([ownIdColumns('issued'), ownIdColumns('received')]).toEqual([
      ['issuerFiscalId', 'issuer.fiscalId'],
      ['receiverFiscalId', 'receiver.fiscalId'],
    ]);
    expect([ownNameColumns('issued'), ownNameColumns('received')]).toEqual([
      ['issuer.name', 'issuerName'],
      ['receiver.name', 'receiverName'],
    ]);
  });
});

describe('what the cells of a column are meant to be', () => {
  it.each([
    ...['totalAmount', 'amountToBePaid', 'unit_price', 'unit.price', 'balance', 'lineAmount', 'amount'].map(
      (column) => [column, 'money'] as const,
    ),
    ...['taxAmount', 'net-balance', 'v2Price'].map((column) => [column, 'money'] as const),
    ...['date', 'dueBy', 'emissionDate'].map((column) => [column, 'day'] as const),
    ...['number', 'amounts', 'priceless', 'gamount', 'AMOUNT', 'createdAt', 'Amount'].map(
      (column) => [column, undefined] as const,
    ),
  ])('%s: %s', (column, kind) => {
    expect(meantKind({ usual: issued }, column)).toBe(kind);
  });

  it('is so in the records of any profile, and by the name alone without fields', () => {
    const mapped = mapFields(issued, { due: 'when', balance: 'rest' });
    const byProfile = new Map([['north', mapped]]);
    expect(['when', 'rest'].map((column) => meantKind({ usual: issued, byProfile }, column))).toEqual([
      ...['day', 'money'],
    ]);
    expect(['dueBy', 'unitPrice'].map((column) => meantKind(undefined, column))).toEqual([
      ...[undefined, 'money'],
    ]);
  });
});
