import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { barOf, hasBlocks, longestOf } from '../../src/query/result-rows.ts';
import type { Decimal } from '../../src/json/decimal.ts';

const whole = (coefficient: bigint): Decimal => ({ coefficient, scale: 0 });
const blocks = { width: 10, blocks: true };

describe('barOf', () => {
  it.each([
    [100n, '██████████'],
    [50n, '█████'],
    [54n, '█████▍'],
    [1n, '▏'],
    [0n, ''],
    [-50n, '░░░░░'],
  ])('draws %i of 100 in ten cells', (value, bar) => {
    expect(barOf(whole(value), whole(100n), blocks)).toBe(bar);
  });

  it('does without block characters', () => {
    const ascii = { width: 10, blocks: false };
    expect([54n, 0n, -50n].map((value) => barOf(whole(value), whole(100n), ascii))).toEqual([
      '######',
      '',
      '-----',
    ]);
  });

  it('minds the scale', () => {
    expect(barOf({ coefficient: 50n, scale: 2 }, whole(1n), blocks)).toBe('█████');
    expect(barOf(whole(1n), { coefficient: 20n, scale: 1 }, blocks)).toBe('█████');
  });

  it('is never longer than its width, and empty only for zero', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt(), { minLength: 1 }),
        fc.integer({ min: 1, max: 60 }),
        (numbers, width) => {
          const values = numbers.map(whole);
          const longest = longestOf(values);
          for (const value of values) {
            const bar = barOf(value, longest, { width, blocks: true });
            expect(bar.length).toBeLessThanOrEqual(width);
            expect(bar === '').toBe(value.coefficient === 0n);
          }
          expect(barOf(longest, longest, { width, blocks: true }).length).toBe(
            longest.coefficient === 0n ? 0 : width,
          );
        },
      ),
    );
  });
});

describe('hasBlocks', () => {
  it.each([
    [{ LANG: 'es_CL.UTF-8', TERM: 'xterm-256color' }, true],
    [{ LC_ALL: 'C', LANG: 'es_CL.UTF-8' }, false],
    [{ LC_ALL: '', LANG: 'C.utf8' }, true],
    [{ LANG: 'es_CL.UTF-8', TERM: 'linux' }, false],
    [{ WT_SESSION: '1' }, true],
    [{}, false],
  ])('of %j is %s', (env, expected) => {
    expect(hasBlocks(env)).toBe(expected);
  });
});
