import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  barOf,
  batchOfRows,
  byCurrency,
  longestOf,
  resultRows,
  type MeasuredRow,
  type Row,
} from '../../src/query/result-rows.ts';
import type { Decimal } from '../../src/json/decimal.ts';
import { textsOf, valuesOf } from '../support/records.ts';

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

describe('rows of a result', () => {
  const row = (name: string, sum: bigint, currency = 'CLP'): MeasuredRow => ({
    row: [
      ['name', JSON.stringify(name)],
      ['currency', JSON.stringify(currency)],
      ['count', '1'],
      ['sum', `${sum}`],
    ],
    value: whole(sum),
  });
  const rows = [
    [row('El Roble', 1_000_000n), row('Lago', 250_000n)],
    [row('Río', 8n, 'USD'), { row: [['name', '"total"']] as Row, value: undefined }],
  ];
  const choice = {
    ...{ columns: ['name', 'currency', 'count', 'sum'], shown: {} },
    ...{ spare: ['count'], last: ['currency'] },
  };
  const at = (width: number, blocks = true) => resultRows(rows, choice, { width, blocks });
  const barsOf = (width: number) =>
    valuesOf(at(width).batch).map(({ bar }) => (typeof bar === 'string' ? bar.length : undefined));

  it('have no bars but on a terminal', () => {
    const { batch, columns, leftOut } = resultRows(rows, choice);
    expect(textsOf(batch)[0]).toBe('{"name":"El Roble","currency":"CLP","count":1,"sum":1000000}');
    expect([batch.count, columns, leftOut]).toEqual([4, choice.columns, []]);
  });

  it('have bars that fill the room, of 30 cells at most, the longest of each currency as long as the room', () => {
    expect(at(200).columns).toEqual([...choice.columns, 'bar']);
    expect(barsOf(200)).toEqual([30, 8, 30, 0]);
    // The columns take 10, 10, 7 and 11 cells, with a gap behind each.
    expect(barsOf(50)).toEqual([12, 3, 12, 0]);
    expect(barsOf(46)).toEqual([8, 2, 8, 0]);
  });

  it('leave out what can be spared, and then further columns, one by one, before there is no bar', () => {
    const shown = [46, 45, 39, 38, 29, 28].map((width) => [width, at(width).columns, at(width).leftOut]);
    expect(shown).toEqual([
      [46, ['name', 'currency', 'count', 'sum', 'bar'], []],
      [45, ['name', 'currency', 'sum', 'bar'], ['count']],
      [39, ['name', 'currency', 'sum', 'bar'], ['count']],
      [38, ['name', 'currency', 'sum'], ['count']],
      [29, ['name', 'currency', 'sum'], ['count']],
      [28, ['name', 'sum'], ['currency', 'count']],
    ]);
  });

  it('take wide characters for two cells', () => {
    const wide = [[{ row: [['name', '"東京東京東京"']] as Row, value: whole(1n) }]];
    const only = { columns: ['name'], shown: {}, spare: [], last: [] };
    expect(valuesOf(resultRows(wide, only, { width: 24, blocks: false }).batch)[0]!['bar']).toBe(
      '#'.repeat(10),
    );
  });
});

it('groups by currency as each first appears, and records without one, too', () => {
  const currencies = ['CLP', undefined, 'USD', 'CLP', undefined];
  const items = currencies.map((currency, at) => ({ currency, at }));
  const groups = byCurrency(items, ({ currency }) => currency);
  expect(groups.map((group) => group.map(({ at }) => at))).toEqual([[0, 3], [1, 4], [2]]);
});

it('makes records of rows of any length, with names and letters of any kind', () => {
  const rows = [1, 5_000, 5_461, 100_000].map((length): Row => [
    ['"ñ"', JSON.stringify('€'.repeat(length))],
    ['n', '1.0'],
  ]);
  const expected = rows.map(([[, text] = ['', '']]) => `{"\\"ñ\\"":${text},"n":1.0}`);
  expect(textsOf(batchOfRows(rows))).toEqual(expected);
});
