import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecordShape } from '../../../src/output/singer/record-shape.ts';
import { anyCharacter } from '../../support/any-character.ts';

function shapeOf(...records: readonly string[]): RecordShape {
  const shape = new RecordShape();
  for (const record of records) shape.add(record);
  return shape;
}

/** What is written of the only member `it` of records with these values, and its schema. */
function member(...values: readonly string[]): readonly [schema: unknown, written: readonly string[]] {
  const records = values.map((value) => `{"it":${value}}`);
  const shape = shapeOf(...records);
  return [shape.schema().properties?.['it'], records.map((record) => shape.write(record).slice(6, -1))];
}

const DECIMAL = { type: ['null', 'string'], format: 'singer.decimal', 'x-singer.decimal': true };

describe('the shape of records', () => {
  it.each([
    ['whole numbers', ['1', '-9223372036854775808', '9223372036854775807'], { type: ['null', 'integer'] }],
    ['text', ['"a"', 'null', '"\\u0000\\" }"'], { type: ['null', 'string'] }],
    ['booleans', ['true', 'false'], { type: ['null', 'boolean'] }],
    ['nothing', ['null'], { type: ['null', 'string'] }],
    ['text and whole numbers', ['"a"', '12'], { type: ['null', 'integer', 'string'] }],
    ['arrays', ['[1,2]', '[]'], { type: ['null', 'array'], items: { type: ['null', 'integer'] } }],
    [
      'points in time',
      ['"2024-10-15T13:30:07.5Z"', '"2024-10-15T00:00:00-03:00"', 'null'],
      { type: ['null', 'string'], format: 'date-time' },
    ],
    ['points in time and days', ['"2024-10-15T13:30:07Z"', '"2024-10-15"'], { type: ['null', 'string'] }],
    ['times in no zone', ['"2024-10-15T13:30:07"'], { type: ['null', 'string'] }],
    ['times behind a blank', ['"2024-10-15 13:30:07Z"'], { type: ['null', 'string'] }],
    ['days that are none', ['"2024-02-30T13:30:07Z"'], { type: ['null', 'string'] }],
    ['empty arrays', ['[]'], { type: ['null', 'array'], items: { type: ['null', 'string'] } }],
  ])('tells of %s, which stay as they are', (_, values, schema) => {
    expect(member(...values)).toEqual([schema, values]);
  });

  it.each([
    ['with decimals', ['10.50', '3', 'null'], ['"10.50"', '"3"', 'null']],
    ['with an exponent', ['1E2'], ['"1E2"']],
    ['beyond 64 bits', ['9223372036854775808', '1'], ['"9223372036854775808"', '"1"']],
    ['of 60 digits', [`${'9'.repeat(60)}.10`], [`"${'9'.repeat(60)}.10"`]],
  ])('makes numbers %s strings of the same digits', (_, values, written) => {
    expect(member(...values)).toEqual([DECIMAL, written]);
  });

  it('makes decimals strings within objects and arrays, and leaves the rest', () => {
    const record = '{"a":{"b":[{"c":1.50,"d":[2]}]},"e":"1.50"}';
    expect(shapeOf(record).write(record)).toBe('{"a":{"b":[{"c":"1.50","d":[2]}]},"e":"1.50"}');
  });

  it('writes one line, whatever white space was sent', () => {
    const record = '{ "a" :\n [ 1 , { "b" : null } ] ,\t"c" : true }';
    expect(shapeOf(record).write(record)).toBe('{"a":[1,{"b":null}],"c":true}');
  });

  it('leaves members out, in the schema and in records', () => {
    const record = '{"a":1,"b":{"c":2,"d":3},"e":4}';
    const shape = shapeOf(record);
    shape.leaveOut([['a'], ['b', 'd'], ['none', 'such']]);
    expect(shape.write(record)).toBe('{"b":{"c":2},"e":4}');
    expect(JSON.stringify(shape.schema())).not.toMatch(/"[ad]"/);
  });

  it('takes __proto__ and constructor for members like any other', () => {
    const record = '{"__proto__":{"polluted":1.5},"constructor":2}';
    const shape = shapeOf(record);
    expect(shape.write(record)).toBe('{"__proto__":{"polluted":"1.5"},"constructor":2}');
    expect(Object.keys(shape.schema().properties!)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('refuses more levels than it follows', () => {
    expect(() => shapeOf(`{"a":${'['.repeat(70)}${']'.repeat(70)}}`)).toThrow('more than 64 levels');
  });

  it('writes every JSON value back as an equal one, where there are no decimals', () => {
    const whole = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constant(null),
        fc.boolean(),
        fc.integer(),
        fc.string({ unit: anyCharacter }),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(fc.string({ unit: anyCharacter }), tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.dictionary(fc.string(), whole), fc.constantFrom(undefined, 1), (record, indent) => {
        const text = JSON.stringify(record, undefined, indent);
        expect(JSON.parse(shapeOf(text).write(text))).toEqual(JSON.parse(text));
      }),
      { numRuns: 500 },
    );
  });
});
