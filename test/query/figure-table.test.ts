import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writtenTable, type BarTerminal, type FigureTable } from '../../src/query/figure-table.ts';
import { batchOfRows, byCurrency, type Row } from '../../src/query/result-rows.ts';
import type { Decimal } from '../../src/json/decimal.ts';
import { textsOf, valuesOf } from '../support/records.ts';

interface Item {
  readonly name: string;
  readonly sum: Decimal | undefined;
  readonly currency?: string;
}

const whole = (coefficient: bigint): Decimal => ({ coefficient, scale: 0 });

function tableOf(...currencies: (readonly Item[])[]): FigureTable<Item> {
  const sumOf = ({ sum }: Item): string => String(sum?.coefficient ?? 'null');
  return {
    columns: [
      { name: 'name', type: 'text', json: ({ name }) => JSON.stringify(name) },
      { name: 'currency', type: 'text', json: ({ currency = 'CLP' }) => JSON.stringify(currency) },
      { name: 'count', type: 'count', json: () => '1', isSpare: true },
      { name: 'none', type: 'count', json: () => '0.00', zeros: 'hidden' },
      { name: 'sum', type: 'money', json: sumOf },
    ],
    currencies,
    barOf: ({ sum }) => sum,
    last: ['currency'],
  };
}

/** The bars of values in a room of display cells. */
function barsOf(values: readonly (Decimal | undefined)[], { width, blocks = true }: Partial<BarTerminal>) {
  const table = tableOf(values.map((sum, at) => ({ name: `${at}`, sum })));
  // A column of one cell, and the gap behind it.
  const only = { ...table, columns: table.columns.slice(0, 1) };
  const { batch } = writtenTable(only, { width: width! + 'name'.length + 2, blocks });
  return valuesOf(batch).map(({ bar }) => bar);
}

describe('the bar of a figure', () => {
  const VALUES = [100n, 50n, 54n, 1n, 0n, -50n].map(whole);
  it.each([
    ['blocks', true, ['██████████', '█████', '█████▍', '▏', '', '░░░░░']],
    ['ascii', false, ['##########', '#####', '######', '#', '', '-----']],
  ])('is drawn in ten cells, in %s', (_, blocks, bars) => {
    expect(barsOf(VALUES, { width: 10, blocks })).toEqual(bars);
  });

  it('minds the scale, and is none of a total', () => {
    expect(barsOf([{ coefficient: 50n, scale: 2 }, whole(1n), undefined], { width: 10 })).toEqual([
      ...['█████', '██████████', ''],
    ]);
  });

  it('is never longer than its width, and empty only for zero', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt(), { minLength: 1 }),
        fc.integer({ min: 8, max: 30 }),
        (numbers, width) => {
          const bars = barsOf(numbers.map(whole), { width }).map(String);
          expect(bars.map((bar) => bar === '')).toEqual(numbers.map((number) => number === 0n));
          const most = Math.max(...bars.map((bar) => bar.length));
          expect(most).toBe(numbers.some((number) => number !== 0n) ? width : 0);
        },
      ),
    );
  });
});

describe('a table of figures', () => {
  const currencies = [
    [
      { name: 'El Roble', sum: whole(1_000_000n) },
      { name: 'Lago', sum: whole(250_000n) },
    ],
    [
      { name: 'Río', sum: whole(8n), currency: 'USD' },
      { name: 'total', sum: undefined },
    ],
  ];
  const table = tableOf(...currencies);
  const at = (width: number) => writtenTable(table, { width, blocks: true });
  const barLengths = (width: number) =>
    valuesOf(at(width).batch).map(({ bar }) => (typeof bar === 'string' ? bar.length : undefined));

  it('has no bars but on a terminal', () => {
    const { batch, columns, leftOut } = writtenTable(table);
    expect(textsOf(batch)[0]).toBe(
      '{"name":"El Roble","currency":"CLP","count":1,"none":0.00,"sum":1000000}',
    );
    expect([batch.count, columns.join(' '), leftOut]).toEqual([4, 'name currency count none sum', []]);
  });

  it('has bars that fill the room, of 30 cells at most, the longest of each currency as long as the room', () => {
    expect(at(200).columns.join(' ')).toBe('name currency count sum bar');
    expect(barLengths(200)).toEqual([30, 8, 30, 0]);
    // The columns take 10, 10, 7 and 11 cells, with a gap behind each.
    expect(barLengths(50)).toEqual([12, 3, 12, 0]);
    expect(barLengths(46)).toEqual([8, 2, 8, 0]);
  });

  it.each([
    [46, 'name currency count sum bar', ''],
    [45, 'name currency sum bar', 'count'],
    [39, 'name currency sum bar', 'count'],
    [38, 'name currency sum', 'count'],
    [29, 'name currency sum', 'count'],
    [28, 'name sum', 'currency count'],
  ])('leaves out what can be spared, and then others, one by one, before there is no bar: %i', (...shown) => {
    const [width, columns, leftOut] = shown;
    const written = at(width);
    expect([written.columns.join(' '), written.leftOut.join(' ')]).toEqual([columns, leftOut]);
    expect(written.all.toSorted()).toEqual([
      ...(columns.endsWith('bar') ? ['bar'] : []),
      ...['count', 'currency', 'name', 'none', 'sum'],
    ]);
  });

  it('takes wide characters for two cells', () => {
    const wide = tableOf([{ name: '東京東京東京', sum: whole(1n) }]);
    const only = { ...wide, columns: wide.columns.slice(0, 1), last: [] };
    expect(valuesOf(writtenTable(only, { width: 24, blocks: false }).batch)[0]!['bar']).toBe('#'.repeat(10));
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
