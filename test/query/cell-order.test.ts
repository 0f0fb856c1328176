import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { numberOrder } from '../../src/query/cell-order.ts';
import { compareDecimals, parseDecimal } from '../../src/json/decimal.ts';
import { randomRuns } from '../support/random-runs.ts';

const literal = fc
  .record({
    sign: fc.constantFrom('', '-'),
    whole: fc.oneof(fc.nat(20).map(String), fc.bigInt({ min: 0n, max: 10n ** 25n }).map(String)),
    fraction: fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{1,8}$/)),
    exponent: fc.oneof(
      fc.constant(''),
      fc.integer({ min: -30, max: 30 }).map((exponent) => `e${exponent}`),
    ),
  })
  .map(({ sign, whole, fraction, exponent }) => sign + whole + fraction + exponent);

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

describe('numberOrder', () => {
  it('orders numbers as exact decimals do', () => {
    fc.assert(
      fc.property(literal, literal, (a, b) => {
        const [left, right] = [parseDecimal(a), parseDecimal(b)];
        if (typeof left === 'string' || typeof right === 'string') throw new Error('a literal that is none');
        expect(order(numberOrder(a)!, numberOrder(b)!)).toBe(compareDecimals(left, right));
      }),
      { numRuns: randomRuns(2_000) },
    );
  });

  it('needs no memory for a huge exponent', () => {
    const ascending = [
      ...'-1e999999999 -2 -1.25 -1.2 -1e-999999999 0 1e-999999999 998 1e999999999'.split(' '),
    ];
    const orders = ascending.map((text) => numberOrder(text)!);
    expect([...orders].sort()).toEqual(orders);
    expect(Math.max(...orders.map((text) => text.length))).toBeLessThan(20);
  });
});
