import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Decimal,
  DECIMAL_ZERO,
  addDecimals,
  compareDecimals,
  fitsInt64,
  formatDecimal,
  parseDecimal,
} from '../../src/json/decimal.ts';

function decimal(literal: string): Decimal {
  const parsed = parseDecimal(literal);
  if (typeof parsed === 'string') throw new Error(`${literal} is ${parsed}`);
  return parsed;
}

const sum = (...literals: string[]): string =>
  formatDecimal(literals.map(decimal).reduce(addDecimals, DECIMAL_ZERO));

describe('decimal', () => {
  it.each([
    ['10.00', '10.00'],
    ['-0.05', '-0.05'],
    ['1E2', '100'],
    ['1.50e1', '15.0'],
    ['25e-3', '0.025'],
    ['-0.00', '0.00'],
    ['12345678901234567890.123456789', '12345678901234567890.123456789'],
  ])('reads %s as %s', (literal, text) => {
    expect(formatDecimal(decimal(literal))).toBe(text);
  });

  const NO_NUMBERS = ['', '007', '.5', '1.', '+1', '0x10', '1,5', 'NaN', 'Infinity', ' 1', '1 ', '--1', '١'];
  it.each(NO_NUMBERS)('takes %j for no number', (text) => {
    expect(parseDecimal(text)).toBe('no number');
  });

  it.each(['1e400', '1e-400'])('adds %s exactly', (literal) => {
    expect(sum(literal, '1').replaceAll('0', '')).toBe(literal === '1e400' ? '11' : '1.1');
  });

  const ENORMOUS = ['1e999999999', '1E-999999999', '1e99999999999999999999999', `1${'0'.repeat(1000)}`];
  it.each(ENORMOUS)('refuses %s before it takes memory', (literal) => {
    expect(parseDecimal(literal)).toBe('too long');
  });

  it('keeps the widest scale', () => {
    expect(sum('10.00', '0.5')).toBe('10.50');
    expect(sum('0.1', '0.2')).toBe('0.3');
    expect(sum('5', '-5.000')).toBe('0.000');
  });

  it('sums as big integers do', () => {
    const cents = fc.record({ units: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), scale: fc.nat(12) });
    fc.assert(
      fc.property(fc.array(cents, { maxLength: 30 }), (numbers) => {
        const total = numbers.reduce((all, { units, scale }) => all + units * 10n ** BigInt(12 - scale), 0n);
        const result = numbers
          .map(({ units, scale }) => decimal(formatDecimal({ coefficient: units, scale })))
          .reduce(addDecimals, DECIMAL_ZERO);
        expect(result.coefficient * 10n ** BigInt(12 - result.scale)).toBe(total);
        expect(result.scale).toBe(Math.max(0, ...numbers.map(({ scale }) => scale)));
      }),
    );
  });

  it('compares by value', () => {
    expect(compareDecimals(decimal('1.0'), decimal('1.00'))).toBe(0);
    expect(compareDecimals(decimal('-1.25'), decimal('-1.2'))).toBeLessThan(0);
    expect(compareDecimals(decimal('9007199254740993'), decimal('9007199254740992'))).toBeGreaterThan(0);
  });
});

it('knows the integers that 64 bits hold', () => {
  const [least, largest] = [-9223372036854775808n, 9223372036854775807n];
  expect([0n, least, largest].every(fitsInt64)).toBe(true);
  expect([least - 1n, largest + 1n].some(fitsInt64)).toBe(false);
});
