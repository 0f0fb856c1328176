import { describe, expect, it } from 'vitest';
import { isIdentifier, rankOf, lookOf, type ColumnLook } from '../../src/output/column-looks.ts';

describe('lookOf', () => {
  const roles: readonly (readonly [ColumnLook, readonly string[]])[] = [
    ['profile', ['_profile']],
    ['number', ['number', 'folio', 'invoiceNumber']],
    ['status', ['status', 'Status']],
    ['date', ['date', 'emissionDate', 'issued_at']],
    ['due', ['dueBy', 'dueDate', 'due', 'DueByDate']],
    ['party', ['customer.name', 'issuer.name', 'receiverName', 'name']],
    ['amount', ['totalAmount', 'amountToBePaid', 'netAmount', 'unitPrice', 'balance']],
    ['currency', ['currency']],
    ['fiscalId', ['customer.fiscalId', 'taxId', 'issuer.rut']],
    ['other', ' id amountInWords statusText update files movements.date subtotals filename'.split(' ')],
  ];

  const NAMES = roles.flatMap(([role, names]) => names.map((name) => [name, role] as const));
  it.each(NAMES)('%j is %s', (name, role) => {
    expect(lookOf(name)).toBe(role);
  });

  it('ranks what matters first', () => {
    const ranks = roles.map(([role]) => rankOf(role));
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  });
});

it('tells an identifier by its name', () => {
  const ones = 'id number invoiceNumber customer.id customerId customerID year tax_code zip invoice';
  const others = 'amountToBePaid paid total numbers valid decode grid Id';
  expect(`${ones} ${others}`.split(' ').filter(isIdentifier).join(' ')).toBe(ones);
});
