import { describe, expect, it } from 'vitest';
import { isIdentifier, rankOf, roleOf, type ColumnRole } from '../../../src/output/table/table-columns.ts';

describe('roleOf', () => {
  const roles: readonly (readonly [ColumnRole, readonly string[]])[] = [
    ['profile', ['_profile']],
    ['number', ['number', 'folio', 'invoiceNumber']],
    ['status', ['status', 'Status']],
    ['date', ['date', 'dueBy', 'dueDate', 'emissionDate', 'issued_at']],
    ['party', ['customer.name', 'issuer.name', 'receiverName', 'name']],
    ['amount', ['totalAmount', 'amountToBePaid', 'netAmount', 'total', 'balance', 'balance.overdue']],
    ['currency', ['currency']],
    [
      'other',
      [
        'id',
        'statusText',
        'update',
        'files',
        'customer.fiscalId',
        'movements.date',
        'subtotals',
        'filename',
        '',
      ],
    ],
  ];

  it.each(roles.flatMap(([role, names]) => names.map((name) => [name, role] as const)))(
    '%j is %s',
    (name, role) => {
      expect(roleOf(name)).toBe(role);
    },
  );

  it('ranks what matters first', () => {
    const ranks = roles.map(([role]) => rankOf(role));
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  });
});

describe('isIdentifier', () => {
  it.each([
    'id',
    'number',
    'invoiceNumber',
    'customer.id',
    'customerId',
    'customerID',
    'year',
    'tax_code',
    'zip',
    'invoice',
  ])('%s is one', (name) => expect(isIdentifier(name)).toBe(true));
  it.each(['amountToBePaid', 'paid', 'total', 'numbers', 'valid', 'decode', 'grid', 'Id'])(
    '%s is none',
    (name) => expect(isIdentifier(name)).toBe(false),
  );
});
