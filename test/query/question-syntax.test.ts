import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCondition } from '../../src/query/question-syntax.ts';
import { UsageError } from '../../src/errors.ts';

const quote = (text: string): string => `"${text.replaceAll(/(["\\])/g, '\\$1')}"`;

const typed = (expression: string) => ({ flag: '--where', typed: `--where '${expression}'` });

describe('parseCondition', () => {
  it.each([
    ['status=OVERDUE', 'status', '=', 'OVERDUE'],
    ['status != PAID', 'status', '!=', 'PAID'],
    ['dueBy<2026-11-01', 'dueBy', '<', '2026-11-01'],
    ['dueBy<=2026-11-01T00:00:00Z', 'dueBy', '<=', '2026-11-01T00:00:00Z'],
    ['totalAmount>-10.50', 'totalAmount', '>', '-10.50'],
    ['  totalAmount >= 1000000  ', 'totalAmount', '>=', '1000000'],
    ['customer.name~roble', 'customer.name', '~', 'roble'],
    ['customer.name!~El Roble S.A.', 'customer.name', '!~', 'El Roble S.A.'],
    ['notes~"a = b"', 'notes', '~', 'a = b'],
    [`notes=' "x" '`, 'notes', '=', ' "x" '],
    ['notes="say \\"x\\""', 'notes', '=', 'say "x"'],
    ['"odd <name>"=1', 'odd <name>', '=', '1'],
    ['"a\\.b"=1', 'a\\.b', '=', '1'],
    ['a\\.b=1', 'a\\.b', '=', '1'],
    ['fecha de pago=2026-01-02', 'fecha de pago', '=', '2026-01-02'],
    ['notes=¡Hola!', 'notes', '=', '¡Hola!'],
    ['dueBy=', 'dueBy', '=', ''],
    ['dueBy!=""', 'dueBy', '!=', ''],
    ['status=OVERDUE, PENDING', 'status', '=', ['OVERDUE', 'PENDING']],
    ['status!=PAID,"a, b",\'c\'', 'status', '!=', ['PAID', 'a, b', 'c']],
    ['name=Roble\\, Ltda,Lago', 'name', '=', ['Roble, Ltda', 'Lago']],
    ['name==Roble, Ltda', 'name', '==', 'Roble, Ltda'],
    ['name==', 'name', '==', ''],
    ['name~a, b\\, c', 'name', '~', 'a, b, c'],
    ['dueBy=,2026-11', 'dueBy', '=', ['', '2026-11']],
  ])('reads %s', (expression, column, operator, value) => {
    const read = { column, operator, values: [value].flat() };
    expect(parseCondition(expression)).toEqual({ ...typed(expression), ...read });
  });

  it.each([
    ['', 1, 'a column is expected here'],
    ['=5', 1, 'a column is expected here'],
    ['  <5', 3, 'a column is expected here'],
    ['status OVERDUE', 15, 'an operator is expected here'],
    ['status!OVERDUE', 7, 'an operator is expected here'],
    ['status===PAID', 9, 'a value with an operator in it goes in quotes'],
    ['status=PAID,a<b', 14, 'a value with an operator in it goes in quotes'],
    ['total=>5', 7, 'a value with an operator in it goes in quotes'],
    ['a=1 and b=2', 10, 'a value with an operator in it goes in quotes'],
    ['name="El Roble', 6, 'this quote is not closed'],
    ['name="El" Roble', 11, 'nothing may follow the closing quote'],
    ['name "x"=1', 6, 'an operator is expected here'],
    ['total>', 7, '> needs a value'],
    ['name~""', 6, '~ needs a value'],
  ])('names the place in %j: character %i', (expression, character, what) => {
    expect(() => parseCondition(expression)).toThrow(UsageError);
    expect(() => parseCondition(expression)).toThrow(
      `--where '${expression}' does not parse at character ${character}: ${what}`,
    );
  });

  it('reads back whatever is in quotes', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }), (column, value) => {
        const expression = `${quote(column)} ~ ${quote(value)}`;
        const read = { column, operator: '~', values: [value] };
        expect(parseCondition(expression)).toEqual({ ...typed(expression), ...read });
      }),
    );
  });

  it('either reads an expression or says why not', () => {
    const piece = fc.constantFrom('a', 'b.c', ' ', '=', '!', '<', '>', '~', '"', "'", '\\', '1');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        try {
          expect(parseCondition(pieces.join('')).column).not.toBe('');
        } catch (error) {
          expect(error).toBeInstanceOf(UsageError);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
