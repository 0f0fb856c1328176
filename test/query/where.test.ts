import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCondition, type Operator } from '../../src/query/question-syntax.ts';
import { WhereFilter } from '../../src/query/where.ts';
import { UsageError } from '../../src/errors.ts';
import { batchOf, linesOf } from './batches.ts';

function keeps(expression: string, record: string | object): boolean {
  return new WhereFilter([parseCondition(expression)]).apply(batchOf(record)).count === 1;
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
    // Dates by their text, to the day or month that is named.
    ['a<2026-11-01', '{"a":"2026-11-01T00:00:00Z"}', false],
    ['a<=2026-11-01', '{"a":"2026-11-01T23:59:59Z"}', true],
    ['a>2026-11-01', '{"a":"2026-11-01T23:59:59Z"}', false],
    ['a=2026-11-01', '{"a":"2026-11-01T00:00:00Z"}', true],
    ['a=2026-11', '{"a":"2026-11-30"}', true],
    ['a<2026-11', '{"a":"2026-10-31"}', true],
    ['a=2026-11-01', '{"a":"2026-11-012"}', false],
    ['a>=2026-11-01T12:00:00Z', '{"a":"2026-11-01T12:00:00Z"}', true],
    // Contains, in any case and composition.
    ['a~roble', '{"a":"El ROBLE S.A."}', true],
    ['a~ñuble', '{"a":"N\u0303UBLE"}', true],
    ['a!~roble', '{"a":"El Roble"}', false],
    ['a~12', '{"a":9123}', true],
    ['a~\'"id":4\'', '{"a":[{"id":4}]}', true],
    // Case matters elsewhere.
    ['a=overdue', '{"a":"OVERDUE"}', false],
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
  ])('%s on %s is %s', (expression, record, kept) => {
    expect(keeps(expression, record)).toBe(kept);
  });

  it('keeps what meets all conditions, in order, over batches, and counts', () => {
    const filter = new WhereFilter(['n>1', 'n<5', 's=x'].map(parseCondition));
    const kept = [
      filter.apply(batchOf({ n: 1, s: 'x' }, { n: 2, s: 'x' }, { n: 3, s: 'y' })),
      filter.apply(batchOf({ n: 4, s: 'x' }, { n: 5, s: 'x' })),
    ].flatMap(linesOf);
    expect(kept).toEqual(['{"n":2,"s":"x"}', '{"n":4,"s":"x"}']);
    expect([filter.seen, filter.kept]).toEqual([5, 2]);
  });

  it('refuses to order numbers against a value that is none, naming the record', () => {
    const filter = new WhereFilter([parseCondition('total>1.000.000')]);
    filter.apply(batchOf({ total: null }));
    expect(() => filter.apply(batchOf({ total: 5 }))).toThrow(UsageError);
    expect(() => filter.apply(batchOf({ total: 5 }))).toThrow(
      "--where compares total with '1.000.000', which is not a number, but record 2 has 5 there",
    );
  });

  it('says at the end which column no record has, and what may have been meant', () => {
    const filter = new WhereFilter(['statsu=PAID', 'name~x', 'zzz=1', 'note='].map(parseCondition));
    filter.apply(batchOf({ status: 'PAID', customer: { name: 'x' } }, { status: 'PAID', note: null }));
    expect(filter.complaints()).toEqual([
      'no record has a value in statsu; did you mean status?',
      'no record has a value in name; did you mean customer.name?',
      'no record has a value in zzz',
    ]);
  });

  it('has nothing to say of an empty listing', () => {
    expect(new WhereFilter([parseCondition('a=1')]).complaints()).toEqual([]);
  });
});

/** So many thousandths. */
function literal(units: bigint): string {
  return `${units / 1000n}.${String(units % 1000n).padStart(3, '0')}`;
}

function holds<T>(operator: Operator, a: T, b: T): boolean {
  const [less, equal] = [a < b, a === b];
  const results = {
    '=': equal,
    '!=': !equal,
    '<': less,
    '<=': less || equal,
    '>': !less && !equal,
    '>=': !less,
  };
  return results[operator as keyof typeof results];
}

describe('--where against a plain model', () => {
  const digits = fc.bigInt({ min: 0n, max: 10n ** 20n });
  const text = fc.stringMatching(/^[A-Za-z ]{1,4}$/).map((text) => `x${text}`);
  const operator = fc.constantFrom<Operator>('=', '!=', '<', '<=', '>', '>=');

  it('compares numbers as thousandths in big integers do', () => {
    fc.assert(
      fc.property(fc.array(digits), digits, operator, (units, value, operator) => {
        const filter = new WhereFilter([{ column: 'a', operator, value: literal(value) }]);
        const kept = linesOf(filter.apply(batchOf(...units.map((unit) => `{"a":${literal(unit)}}`))));
        expect(kept).toEqual(
          units.filter((unit) => holds(operator, unit, value)).map((unit) => `{"a":${literal(unit)}}`),
        );
      }),
    );
  });

  it('compares text as text does', () => {
    fc.assert(
      fc.property(fc.array(fc.option(text)), text, operator, (texts, value, operator) => {
        const filter = new WhereFilter([{ column: 'a', operator, value }]);
        const kept = filter.apply(batchOf(...texts.map((a) => ({ a }))));
        const model = texts.filter((a) => (a === null ? operator === '!=' : holds(operator, a, value)));
        expect(linesOf(kept)).toEqual(model.map((a) => JSON.stringify({ a })));
      }),
    );
  });
});
