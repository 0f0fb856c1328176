import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roleOf, type ColumnRole } from '../../../src/output/column-roles.ts';
import { displayWidth } from '../../../src/output/terminal/terminal-text.ts';
import { fitColumns, headOf, GAP, leftOutNote } from '../../../src/output/table/table-fit.ts';
import type { ShownColumn } from '../../../src/output/table/table-rows.ts';

/** A column of `cells`, as its name tells. */
function unknown(
  name: string,
  { index, cells, numeric }: Pick<ShownColumn, 'index' | 'cells' | 'numeric'>,
): ShownColumn {
  const width = Math.max(cells, displayWidth(name));
  const told = { index, name, cells, numeric, width, role: roleOf(name), word: name };
  return {
    ...told,
    head: 0,
    number: numeric ? cells : 0,
    empty: false,
    telling: 0,
    rank: undefined,
    days: false,
    nested: false,
  };
}

/** Columns given as `name:cells`, with a `#` after those of numbers. */
function columns(text: string): ShownColumn[] {
  return text.split(' ').map((part, index) => {
    const [, name, cells, numeric] = /^(.*):(\d+)(#?)$/.exec(part)!;
    return unknown(name!, { index, cells: Number(cells), numeric: numeric === '#' });
  });
}

function fitted(text: string, room: number, asked = false): string {
  return fitColumns(columns(text), room, asked)
    .columns.map(({ column, width }) => `${column.name}:${width}${column.numeric ? '#' : ''}`)
    .join(' ');
}

const invoice =
  'number:6# status:23 date:20 dueBy:20 customer.name:30 totalAmount:12# taxAmount:12# currency:8 id:36 notes:60';

describe('fitColumns', () => {
  it.each([
    [400, invoice],
    [
      200,
      'number:6# status:23 date:20 dueBy:20 customer.name:30 totalAmount:12# taxAmount:12# currency:8 id:36',
    ],
    [120, 'number:6# status:23 date:11 dueBy:11 customer.name:28 totalAmount:12# taxAmount:12# currency:3'],
    [80, 'number:6# status:11 date:11 dueBy:11 customer.name:20 totalAmount:12# currency:3'],
    [40, 'number:6# status:9 date:11 dueBy:11'],
    [10, 'number:6#'],
    [4, 'number:4#'],
  ])('of which nothing is known, in %i cells', (room, expected) => {
    expect(fitted(invoice, room)).toBe(expected);
  });

  it('takes the columns that were asked for in their order, as far as they go', () => {
    expect(fitted('notes:60 id:36 totalAmount:12#', 40, true)).toBe('notes:16 id:8 totalAmount:12#');
    expect(fitted('notes:60 id:36 totalAmount:12#', 20, true)).toBe('notes:10 id:8');
  });

  it('of no columns is nothing', () => {
    expect(fitColumns([], 80, false).columns).toEqual([]);
  });

  const KNOWN: readonly (readonly [string, ColumnRole, string, number | undefined, number])[] = [
    ['number', 'number', 'number', 1, 5],
    ['date', 'date', 'date', 7, 10],
    ['dueBy', 'due', 'due', 9, 10],
    ['customer.name', 'party', 'customer', 2, 30],
    ['totalAmount', 'amount', 'total', 5, 10],
    ['amountToBePaid', 'open', 'open', 3, 9],
    ['currency', 'currency', 'cur', 6, 3],
    ['status', 'status', 'status', 8, 14],
    ['documentType', 'document', 'type', undefined, 7],
    ['payments', 'other', 'payments', undefined, 20],
  ];
  const known = KNOWN.map(([name, role, word, rank, cells], index): ShownColumn => {
    const numeric = ['number', 'amount', 'open'].includes(role);
    const nested = name === 'payments';
    return { ...unknown(name, { index, cells, numeric }), role, word, rank, nested };
  });

  const shown = (room: number): string =>
    fitColumns(known, room, false)
      .columns.map((fitted) => `${headOf(fitted)}:${fitted.width}`)
      .join(' ');

  it.each([
    [
      200,
      'number:6 date:10 dueBy:10 customer.name:30 totalAmount:11 amountToBePaid:14 currency:8 status:14 documentType:12 payments:20',
    ],
    [130, 'number:6 date:10 dueBy:10 customer.name:30 totalAmount:11 amountToBePaid:14 currency:8 status:14'],
    [100, 'number:6 date:10 dueBy:10 customer.name:24 total:10 open:9 cur:3 status:14'],
    [80, 'number:6 date:10 dueBy:10 customer.name:17 total:10 open:9 cur:3 status:8'],
    [73, 'number:6 date:10 customer.name:20 total:10 open:9 cur:3 status:9'],
    [60, 'number:6 date:10 customer.name:17 total:10 open:9 cur:3'],
    [45, 'number:6 customer.name:13 total:10 open:9 cur:3'],
    [33, 'number:6 customer:12 open:9 cur:3'],
    [30, 'number:6 customer.name:22'],
  ])('keeps what matters most, in %i cells', (room, expected) => {
    expect(shown(room)).toBe(expected);
  });

  it('never shows an amount without its currency, nor drops something for what matters less', () => {
    for (let room = 1; room < 200; room++) {
      const roles = fitColumns(known, room, false).columns.map(({ column: { role } }) => role);
      if (roles.includes('amount') || roles.includes('open')) expect(roles).toContain('currency');
      const ranks = fitColumns(known, room, false)
        .columns.filter(({ column }) => column.role !== 'currency')
        .map(({ column: { rank } }) => rank ?? Infinity);
      const missing = known.filter(
        ({ role, rank }) => role !== 'currency' && !ranks.includes(rank ?? Infinity),
      );
      for (const { rank = Infinity } of missing) expect(Math.max(...ranks)).toBeLessThan(rank);
    }
  });

  it('stays within the room, widens nothing beyond its need, and keeps the order', () => {
    const names = fc.constantFrom(
      'number',
      'status',
      'date',
      'dueBy',
      'name',
      'totalAmount',
      'currency',
      'id',
      'notes',
    );
    const column = fc.record({ name: names, cells: fc.integer({ min: 1, max: 80 }), numeric: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(column, { maxLength: 12 }),
        fc.integer({ min: 1, max: 250 }),
        fc.boolean(),
        (given, room, asked) => {
          const columns = given.map((column, index) => unknown(column.name, { ...column, index }));
          const { columns: result, gap } = fitColumns(columns, room, asked);
          expect(result.length > 0).toBe(columns.length > 0);
          expect(gap).toBeLessThanOrEqual(GAP);
          const cells = result.reduce((sum, { width }) => sum + width + gap, -gap);
          expect(cells).toBeLessThanOrEqual(room);
          expect(result.every(({ column, width }) => width >= 1 && width <= column.width)).toBe(true);
          const order = result.map(({ column }) => column.index);
          expect(order).toEqual(order.toSorted((a, b) => a - b));
        },
      ),
    );
  });
});

describe('leftOutNote', () => {
  it.each([
    [[], 80, ''],
    [['id', 'files'], 80, 'Not shown: id, files · --columns, --wide'],
    [['id', 'files'], 38, 'Not shown: id, files'],
    [['id', 'a.very.long.name', '漢字'], 45, 'Not shown: id and 2 more · --columns, --wide'],
    [['a.very.long.name', '漢字'], 12, 'Not shown: …'],
    [
      Array.from({ length: 2_000 }, (_, n) => `c${n}`),
      60,
      'Not shown: c0, c1, c2, c3 and 1996 more · --columns, --wide',
    ],
  ])('of %j in %i cells is one line: %s', (names, width, line) => {
    expect(leftOutNote(names, width, 'narrow')).toBe(line);
  });

  it('says why columns are missing from rows that are whole', () => {
    expect(leftOutNote(['late'], 80, 'late')).toBe('Not shown: late · they came late: --columns, or a file');
  });
});
