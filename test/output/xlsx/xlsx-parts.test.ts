import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { columnLetters } from '../../../src/output/xlsx/sheet.ts';
import { combineCrc } from '../../../src/output/xlsx/zip.ts';
import { dateSerial } from '../../../src/output/xlsx/cell.ts';
import { decimalsOf } from '../../../src/output/xlsx/cell.ts';

describe('combineCrc', () => {
  it('is the CRC of both texts', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array({ maxLength: 1000 }), (first, second) => {
        expect(combineCrc(crc32(first), crc32(second), second.length)).toBe(
          crc32(Buffer.concat([first, second])),
        );
      }),
    );
  });

  it('counts lengths of more than 32 bits', () => {
    // The CRC of 2^33 zeros, in halves.
    let [zeros, length] = [crc32(Buffer.alloc(1024)), 1024];
    for (; length < 2 ** 33; length *= 2) zeros = combineCrc(zeros, zeros, length);
    expect(combineCrc(combineCrc(zeros, crc32('x'), 1), crc32('y'), 1)).toBe(
      combineCrc(zeros, crc32('xy'), 2),
    );
    expect(combineCrc(crc32('x'), zeros, length)).toBe(
      combineCrc(combineCrc(crc32('x'), crc32('\0'), 1), zerosOf(length - 1), length - 1),
    );
  });
});

/** The CRC of so many zeros, put together from powers of two. */
function zerosOf(count: number): number {
  let [crc, power] = [0, crc32('\0')];
  for (let [rest, length] = [count, 1]; rest > 0; [rest, length] = [Math.floor(rest / 2), length * 2]) {
    if (rest % 2 === 1) crc = combineCrc(crc, power, length);
    power = combineCrc(power, power, length);
  }
  return crc;
}

describe('columnLetters', () => {
  it.each([
    [0, 'A'],
    [25, 'Z'],
    [26, 'AA'],
    [701, 'ZZ'],
    [702, 'AAA'],
    [16_383, 'XFD'],
  ])('of %i are %s', (index, letters) => {
    expect(columnLetters(index)).toBe(letters);
  });
});

describe('dateSerial', () => {
  it.each([
    ['1900-03-01', 61],
    ['1970-01-01', 25_569],
    ['2024-02-29', 45_351],
    ['9999-12-31', 2_958_465],
    ['1900-02-28', undefined],
    ['0024-02-28', undefined],
    ['2023-02-29', undefined],
    ['2024-1-1', undefined],
    ['2024-01-01 ', undefined],
    ['2024-01-01T00:00:01Z', undefined],
    ['2024-01-01T00:00:00', undefined],
  ])('of %j is %s', (text, serial) => {
    expect(dateSerial(text)).toBe(serial);
  });
});

describe('decimalsOf', () => {
  it('says so only of literals that come back from a double with every digit', () => {
    const literal = fc.stringMatching(/^-?(0|[1-9]\d{0,20})(\.\d{1,10})?([eE][+-]?\d{1,2})?$/);
    fc.assert(
      fc.property(literal, (literal) => {
        const decimals = decimalsOf(literal);
        const digits = literal
          .replace(/[eE].*/, '')
          .replace(/\D/g, '')
          .replace(/^0+|0+$/g, '');
        expect(decimals === undefined).toBe(digits.length > 15);
        if (decimals === undefined) return;
        // Fifteen digits of the double are the literal's own.
        expect(
          Number(literal)
            .toExponential(14)
            .replace(/e.*/, '')
            .replace(/\D/g, '')
            .replace(/0+$/, '')
            .replace(/^0+/, ''),
        ).toBe(digits);
      }),
    );
  });

  it.each([
    ['10.50', 2],
    ['1e-7', 7],
    ['1.5E3', 0],
    ['0', 0],
    ['0.00', 2],
    ['1e301', undefined],
    ['1e-301', undefined],
    ['123456789012345.6', undefined],
    ['1234567890123450', 0],
  ])('of %s is %s', (literal, decimals) => {
    expect(decimalsOf(literal)).toBe(decimals);
  });
});
