import { describe, expect, it } from 'vitest';
import { mapFields, fieldsOfColumns, type FieldsOf, type Role } from '../../src/invoices/fields.ts';
import { issued } from '../../src/resources/issued.ts';
import { columnsNamed, NamedCells, namesMeaning, roleNamed } from '../../src/query/named-cells.ts';
import { batchOf } from '../support/records.ts';

const usual = mapFields(fieldsOfColumns(issued.columns), { currency: '=CLP', due: 'pay', open: 'rest' });
const headings = new Map<string, Role | readonly string[]>([
  ['to pay', 'open'],
  ['who', ['customer.name', 'name']],
]);
const names = { fields: { usual }, headings };

/** The texts of the cells by these names, of each record. */
function cellsOf(asked: readonly string[], records: readonly object[], fields: FieldsOf = { usual }) {
  const cells = new NamedCells(asked, { fields, headings }, ['n']);
  const batch = batchOf(...records);
  return records.map((_, index) => cells.read(batch, index).map((cell) => cell?.text));
}

describe('cells by the names that people have for them', () => {
  it('are those of the column with the name, or of those that it stands for, and of further columns', () => {
    const records = [
      { rest: 5, pay: '2026-01-02', n: 1 },
      { rest: 6, customer: { name: 'Roble' }, a: 'x' },
    ];
    expect(cellsOf(['open', 'to pay', 'due', 'who', 'a'], records)).toEqual([
      ['5', '5', '2026-01-02', undefined, undefined, '1'],
      ['6', '6', undefined, 'Roble', 'x', undefined],
    ]);
    expect(new NamedCells(['open', 'a'], names, ['n']).count).toBe(3);
  });

  it('may be a fixed value', () => {
    expect(cellsOf(['currency'], [{ currency: null }, {}])).toEqual([
      ['CLP', undefined],
      ['CLP', undefined],
    ]);
  });

  it('are the first of several that has a value', () => {
    const records = [
      { name: 'b', customer: { name: '' } },
      { name: 'b', customer: { name: 'a' } },
    ];
    expect(cellsOf(['who'], records)).toEqual([
      ['b', undefined],
      ['a', undefined],
    ]);
  });

  it('are read where the fields of the record’s profile say', () => {
    const byProfile = new Map([['north', mapFields(usual, { open: 'left' })]]);
    const records = [
      { _profile: 'north', left: 1, rest: 2 },
      { _profile: 'south', left: 1, rest: 2 },
      { left: 1, rest: 2 },
    ];
    expect(cellsOf(['open'], records, { usual, byProfile }).map(([open]) => open)).toEqual(['1', '2', '2']);
  });

  it('are refused where records have a column of the name, and one that it stands for', () => {
    const clash = expect.objectContaining({
      message: 'open can mean two columns: the records have one of that name, and it also stands for rest',
      hint: 'Write rest for that one. For the other, say that it is meant with --field <field>=open.',
    });
    expect(() => cellsOf(['open'], [{ open: 1, rest: 2 }])).toThrow(clash);
    expect(() => cellsOf(['open'], [{ open: 1 }, { rest: 2 }])).toThrow(clash);
    expect(cellsOf(['open'], [{ open: 1 }, { open: 2 }]).map(([open]) => open)).toEqual(['1', '2']);
    expect(cellsOf(['who'], [{ who: null, name: 'x' }])[0]![0]).toBe('x');
  });

  it('stand for themselves alone without names', () => {
    const cells = new NamedCells(['open']);
    expect(cells.read(batchOf({ open: 1, rest: 2 }), 0).map((cell) => cell?.text)).toEqual(['1']);
  });
});

describe('names of columns', () => {
  it('stand for other columns, or for themselves alone', () => {
    expect(columnsNamed('open', names, usual)).toEqual(['rest']);
    expect(columnsNamed('who', names, usual)).toEqual(['customer.name', 'name']);
    expect(columnsNamed('rest', names, usual)).toBeUndefined();
    expect(columnsNamed('open', names, mapFields(usual, { open: 'open' }))).toBeUndefined();
  });

  it('have the role of what they mean', () => {
    expect(['open', 'rest', 'to pay', 'who', 'other'].map((name) => roleNamed(name, names, usual))).toEqual([
      'open',
      'open',
      'open',
      undefined,
      undefined,
    ]);
  });

  it('are found by their columns', () => {
    expect(namesMeaning(['rest'], names)).toEqual(['open', 'to pay']);
    expect(namesMeaning(['nothing'], names)).toEqual([]);
  });
});
