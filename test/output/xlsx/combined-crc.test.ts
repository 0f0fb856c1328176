import { crc32 } from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { combineCrc } from '../../../src/output/xlsx/zip.ts';

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
