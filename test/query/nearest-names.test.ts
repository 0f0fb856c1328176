import { describe, expect, it } from 'vitest';
import { nearestNames } from '../../src/query/nearest-names.ts';

const names = 'id number status dueBy date totalAmount netAmount customer.name issuer.name'.split(' ');

describe('nearestNames', () => {
  it.each([
    ['Status', ['status']],
    ['statsu', ['status']],
    ['adte', ['date']],
    ['dueby', ['dueBy']],
    ['totalAmuont', ['totalAmount']],
    ['name', ['customer.name', 'issuer.name']],
    ['customer_name', ['customer.name']],
    ['netTotal', []],
    ['x', []],
    ['', []],
    ['idd', ['id']],
  ])('of %j are %j', (wanted, found) => {
    expect(nearestNames(wanted, names)).toEqual(found);
  });

  it('are three at most, nearest first', () => {
    expect(nearestNames('abc', ['abx', 'ab', 'abc1', 'ABC', 'axx'])).toEqual(['ABC', 'abx', 'ab']);
  });
});
