import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roleOf } from '../../../src/output/table/table-columns.ts';
import { fitColumns, GAP } from '../../../src/output/table/table-fit.ts';
import type { ShownColumn } from '../../../src/output/table/table-columns.ts';

/** Columns given as `name:width`, with a `#` after those of numbers. */
function columns(text: string): ShownColumn[] {
  return text.split(' ').map((part, index) => {
    const [, name, width, numeric] = /^(.*):(\d+)(#?)$/.exec(part)!;
    return { index, name: name!, role: roleOf(name!), width: Number(width), numeric: numeric === '#' };
  });
}

function fitted(text: string, room: number, asked = false): string {
  return fitColumns(columns(text), room, asked)
    .map(({ column, width }) => `${column.name}:${width}${column.numeric ? '#' : ''}`)
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
    [120, 'number:6# status:21 date:11 dueBy:11 customer.name:30 totalAmount:12# taxAmount:12# currency:3'],
    [80, 'number:6# status:12 date:11 dueBy:11 customer.name:18 totalAmount:12#'],
    [40, 'number:6# status:14 date:11 currency:3'],
    [10, 'number:6#'],
    [4, 'currency:4'],
    [2, 'number:2#'],
  ])('in %i cells', (room, expected) => {
    expect(fitted(invoice, room)).toBe(expected);
  });

  it('takes the columns that were asked for in their order, as far as they go', () => {
    expect(fitted('notes:60 id:36 totalAmount:12#', 40, true)).toBe('notes:16 id:8 totalAmount:12#');
    expect(fitted('notes:60 id:36 totalAmount:12#', 20, true)).toBe('notes:10 id:8');
  });

  it('of no columns is nothing', () => {
    expect(fitColumns([], 80, false)).toEqual([]);
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
    const column = fc.record({ name: names, width: fc.integer({ min: 1, max: 80 }), numeric: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(column, { maxLength: 12 }),
        fc.integer({ min: 1, max: 250 }),
        fc.boolean(),
        (given, room, asked) => {
          const columns = given.map((column, index) => ({ ...column, index, role: roleOf(column.name) }));
          const result = fitColumns(columns, room, asked);
          expect(result.length > 0).toBe(columns.length > 0);
          const cells = result.reduce((sum, { width }) => sum + width + GAP, -GAP);
          expect(cells).toBeLessThanOrEqual(room);
          expect(result.every(({ column, width }) => width >= 1 && width <= column.width)).toBe(true);
          const order = result.map(({ column }) => column.index);
          expect(order).toEqual(order.toSorted((a, b) => a - b));
        },
      ),
    );
  });
});
