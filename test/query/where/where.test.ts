import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCondition, type Condition, type Operator } from '../../../src/query/question-syntax.ts';
import { conditionTest, WhereFilter } from '../../../src/query/where/where.ts';
import { parseCalendarDay } from '../../../src/json/calendar-day.ts';
import { batchOf, textsOf } from '../../support/records.ts';

const TYPED = { flag: '--where', typed: '' };
const at = { today: () => parseCalendarDay('2026-11-21')!, locale: 'en-US' };

function filterOf(conditions: readonly Condition[], context = at): WhereFilter {
  return new WhereFilter(conditions.map((condition) => conditionTest(condition, context)));
}

function keeps(expression: string, ...records: (string | object)[]): boolean {
  return filterOf([parseCondition(expression)]).apply(batchOf(...records)).count === 1;
}

describe('WhereFilter', () => {
  it.each([
    // Numbers by value, however they are spelled.
    ['a=10', '{"a":10.00}', true],
    ['a=1e1', '{"a":10}', true],
    ['a!=10', '{"a":10.0}', false],
    ['a>=1000000', '{"a":1E6}', true],
    ['a>9007199254740992', '{"a":9007199254740993}', true],
    ['a=9007199254740992', '{"a":9007199254740993}', false],
    ['a<0.3', '{"a":0.29999999999999999}', true],
    ['a<-1', '{"a":-1.5}', true],
    ['a<1', '{"a":1e-999999999}', true],
    // Text that reads as a number is ordered as one, and is equal to itself only.
    ['a>=1000', '{"a":"998"}', false],
    ['a=7', '{"a":"007"}', false],
    ['a=007', '{"a":"007"}', true],
    ['a<B', '{"a":"A-12"}', true],
    ['a="12-K "', '{"a":"12-k"}', true],
    // Blanks alone are not a value, as sums have it of a currency.
    ['a=', '{"a":"  "}', true],
    ['a!=', '{"a":" \\t"}', false],
    ['a=USD', '{"a":" "}', false],
    ['a=', '{"a":0}', false],
    // Dates to the day, month or year that is named, or relative to the day that it is.
    ['a<2026-11-01', '{"a":"2026-11-01T00:00:00Z"}', false],
    ['a<=2026-11-01', '{"a":"2026-11-01T23:59:59Z"}', true],
    ['a>2026-11-01', '{"a":"2026-11-01T23:59:59Z"}', false],
    ['a=2026-11-01', '{"a":"2026-11-01T00:00:00Z"}', true],
    ['a=2026-11', '{"a":"2026-11-30"}', true],
    ['a<2026-11', '{"a":"2026-10-31"}', true],
    ['a=2026-11-01', '{"a":"2026-11-012"}', false],
    ['a=2026', '{"a":"2026-10-31"}', true],
    ['a<2026', '{"a":"2025-12-31T23:59:59Z"}', true],
    ['a=today', '{"a":"2026-11-21T18:00:00Z"}', true],
    ['a<today', '{"a":"2026-11-21"}', false],
    ['a=Yesterday', '{"a":"2026-11-20"}', true],
    ['a>=-30d', '{"a":"2026-10-22"}', true],
    ['a>=-30d', '{"a":"2026-10-21"}', false],
    ['a<=+2w', '{"a":"2026-12-05"}', true],
    ['a=today-1d', '{"a":"2026-11-20"}', true],
    ['a=2026-11,2026-09', '{"a":"2026-09-30"}', true],
    ['a!=2026-11,2026-09', '{"a":"2026-10-30"}', true],
    // A point in time against one, whatever their zones and digits; against a day by its day.
    ['a>=2026-11-01T12:00:00Z', '{"a":"2026-11-01T12:00:00Z"}', true],
    ['a=2026-11-01T12:00:00Z', '{"a":"2026-11-01T09:00:00.000-03:00"}', true],
    ['a<2026-11-01T12:00:00Z', '{"a":"2026-11-01T11:59:59.999Z"}', true],
    ['a>2026-11-01T12:00:00.25Z', '{"a":"2026-11-01T12:00:00.3Z"}', true],
    ['a=2026-11-01T12:00:00Z', '{"a":"2026-11-01"}', true],
    // Fiscal IDs in any spelling, by the name of the column or by what both look like.
    ['customer.fiscalId=60.155.445-k', '{"customer":{"fiscalId":"60155445-K"}}', true],
    ['receiverFiscalId=60155445K', '{"receiverFiscalId":"60155445-K"}', true],
    ['receiverFiscalId=601554453', '{"receiverFiscalId":601554453}', true],
    ['receiverFiscalId!=60.155.445-3', '{"receiverFiscalId":"60155445-3"}', false],
    ['receiverFiscalId~60.155', '{"receiverFiscalId":"60155445-3"}', true],
    ['id=60.155.445-k', '{"id":"60155445-K"}', true],
    ['id=60155445-9', '{"id":"60155445-K"}', false],
    // Contains, in any case and composition.
    ['a~roble', '{"a":"El ROBLE S.A."}', true],
    ['a~ñuble', '{"a":"N\u0303UBLE"}', true],
    ['a!~roble', '{"a":"El Roble"}', false],
    ['a~12', '{"a":9123}', true],
    ['a~\'"id":4\'', '{"a":[{"id":4}]}', true],
    ['a~libreria', '{"a":"La Librería"}', true],
    ['a!~libreria', '{"a":"La LIBRERÍA"}', false],
    // Text without regard to case, accents and white space around it, but for `==`.
    ['a=overdue', '{"a":"OVERDUE"}', true],
    ['a=overdue', '{"a":" Overdue\\t"}', true],
    ['a=over due', '{"a":"Overdue"}', false],
    ['a==Overdue', '{"a":" Overdue"}', false],
    ['a=PENDING,overdue', '{"a":"OVERDUE"}', true],
    ['a=pending,paid', '{"a":"OVERDUE"}', false],
    ['a!=pending,paid', '{"a":"OVERDUE"}', true],
    ['a!=pending,overdue', '{"a":"OVERDUE"}', false],
    ['a=nunez', '{"a":"Núñez"}', true],
    ['a=Roble\\, Ltda', '{"a":"Roble, Ltda"}', true],
    ['a=x,"Roble, Ltda"', '{"a":"Roble, Ltda"}', true],
    ['a=Roble, Ltda', '{"a":"Roble, Ltda"}', false],
    ['a==Roble, Ltda', '{"a":"Roble, Ltda"}', true],
    ['a==roble, ltda', '{"a":"Roble, Ltda"}', false],
    ['a==10.00', '{"a":10.00}', true],
    ['a==10', '{"a":10.00}', false],
    ['a==', '{}', true],
    ['a=x,', '{"a":null}', true],
    ['a=10,20', '{"a":20.0}', true],
    ['a=TRUE', '{"a":true}', true],
    ['a=true', '{"a":true}', true],
    // Dotted columns.
    ['a.b=1', '{"a":{"b":1}}', true],
    ['a.b=1', '{"a.b":1}', true],
    // No value.
    ['a=1', '{"a":null}', false],
    ['a!=1', '{"a":null}', true],
    ['a<1', '{}', false],
    ['a>=1', '{}', false],
    ['a~1', '{}', false],
    ['a!~1', '{}', true],
    ['a=', '{"a":null}', true],
    ['a=', '{}', true],
    ['a=', '{"a":""}', true],
    ['a!=', '{"a":""}', false],
    ['a!=', '{"a":0}', true],
    ['a<2026-01-01', '{"a":""}', false],
    ['a=', '{"a":[ ]}', true],
    ['a!=', '{"a":[]}', false],
    ['a!=', '{"a":[0]}', true],
    ['a!=x', '{"a":[]}', true],
    ['a~[', '{"a":[]}', false],
    ['a=[]', '{"a":[]}', true],
  ])('%s on %s is %s', (expression, record, kept) => {
    expect(keeps(expression, record)).toBe(kept);
  });

  it.each([
    ['total>1.000.000', 5, "total holds numbers, and '1.000.000' is not one", 'Write 1000000:'],
    ['total>=1,190.10', 5, "total holds numbers, and '1,190.10' is not one", 'Write 1190.10:'],
    ['total<1 000', 5, "total holds numbers, and '1 000' is not one", 'Write 1000:'],
    ['total<1190,5', 5, "total holds numbers, and '1190,5' is not one", 'Write 1190.5:'],
    ['total=1,000', 5, "total holds numbers, and '000' is not one", 'Write 1000:'],
    ['total=many', 5, "total holds numbers, and 'many' is not one", 'Write numbers with digits and a'],
    ['total!=today', 5, "total holds numbers, and 'today' is not one", 'digits and a decimal point only'],
    ['dueBy<hoy', '2026-11-21', "dueBy holds dates, and 'hoy' is not one", 'Write a date as 2026-11-21'],
    ['dueBy<21/11/2026', '2026-11-21', "dueBy holds dates, and '21/11/2026' is not one", 'Write a date as'],
    ['dueBy=2026-13', '2026-11-21', "dueBy holds dates, and '2026-13' is not one", 'Write a date as'],
    ['dueBy=today,2026-02-30', '2026-11-21T00:00:00Z', "'2026-02-30' is not one", 'Write a date as'],
    ['sent=yes', true, "sent holds booleans, and 'yes' is not one", 'Write true or false.'],
  ])('refuses %s where the column holds %j, rather than finding nothing', (expression, value, what, hint) => {
    const condition = parseCondition(expression);
    const filter = filterOf([condition]);
    filter.apply(batchOf({ [condition.column]: null }));
    const attempt = (): void => {
      filter.apply(batchOf({ [condition.column]: value }));
      filter.refuse();
    };
    expect(attempt).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(what),
        hint: expect.stringContaining(hint),
      }),
    );
  });

  it('takes any value where a column holds text of several kinds', () => {
    expect(keeps('a=n/a', { a: 1 }, { a: 'N/A' })).toBe(true);
    expect(keeps('a<today', { a: 'N/A' }, { a: '2026-01-01' })).toBe(true);
    const filter = filterOf([parseCondition('a=A-12')]);
    expect([{ a: 1 }, { a: 'A-12' }].map((record) => filter.apply(batchOf(record)).count)).toEqual([0, 1]);
    expect(() => filter.refuse()).not.toThrow();
  });
});

/** So many thousandths. */
const literal = (units: bigint): string => `${units / 1000n}.${String(units % 1000n).padStart(3, '0')}`;

function holds<T>(operator: Operator, a: T, b: T): boolean {
  const [less, equal] = [a < b, a === b];
  const [more, either] = [!less && !equal, less || equal];
  const results = { '=': equal, '!=': !equal, '<': less, '<=': either, '>': more, '>=': !less };
  return results[operator as keyof typeof results];
}

describe('--where against a plain model', () => {
  const digits = fc.bigInt({ min: 0n, max: 10n ** 20n });
  // Of one case, and without blanks at its ends: with others, text is equal, and not of the same order.
  const text = fc.stringMatching(/^[a-z ]{1,4}$/).map((text) => `x${text}y`);
  const operator = fc.constantFrom<Operator>('=', '!=', '<', '<=', '>', '>=');

  it('compares numbers as thousandths in big integers do', () => {
    fc.assert(
      fc.property(fc.array(digits), digits, operator, (units, value, operator) => {
        const filter = filterOf([{ ...TYPED, column: 'a', operator, values: [literal(value)] }]);
        const kept = textsOf(filter.apply(batchOf(...units.map((unit) => `{"a":${literal(unit)}}`))));
        expect(kept).toEqual(
          units.filter((unit) => holds(operator, unit, value)).map((unit) => `{"a":${literal(unit)}}`),
        );
      }),
    );
  });

  it('compares text as text does', () => {
    fc.assert(
      fc.property(fc.array(fc.option(text)), text, operator, (texts, value, operator) => {
        const filter = filterOf([{ ...TYPED, column: 'a', operator, values: [value] }]);
        const kept = filter.apply(batchOf(...texts.map((a) => ({ a }))));
        const model = texts.filter((a) => (a === null ? operator === '!=' : holds(operator, a, value)));
        expect(textsOf(kept)).toEqual(model.map((a) => JSON.stringify({ a })));
      }),
    );
  });
});
