import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CellReader } from '../../src/json/cells.ts';
import { ColumnFacts, ColumnSurvey } from '../../src/json/column-facts.ts';
import { anyCharacter } from '../support/any-character.ts';
import { batchOf } from '../support/records.ts';

/** The facts of a column with these values, which are JSON texts. */
function factsOf(...values: readonly string[]): ColumnFacts {
  const survey = new ColumnSurvey(['it']);
  const batch = batchOf(...values.map((value) => `{"it":${value}}`));
  for (let index = 0; index < batch.count; index++) survey.add(batch, index);
  return survey.factsOf(0);
}

const number = fc.oneof(
  fc.integer().map(String),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }).map(String),
  fc.tuple(fc.integer(), fc.stringMatching(/^\d{1,30}$/)).map(([whole, fraction]) => `${whole}.${fraction}`),
  fc.constantFrom('0.05', '-0', '1E2', '1.50e-3', '1e999999', '-9223372036854775809', '999999999999999999'),
);
const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.constantFrom(
    '',
    '2024-10-15',
    '2024-02-30',
    '2024-10-15T00:00:00Z',
    '2024-10-15T00:00:00',
    '2024-10-15ñ',
  ),
  fc.stringMatching(/^20[0-3]\d-[01]\d-[0-3]\d[T ][0-2]\d:[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|-03:00|\+0000)?$/),
);
const value = fc.oneof(
  number,
  text.map((one) => JSON.stringify(one)),
  fc.constantFrom('true', 'false', 'null', '[1, "a"]', '{"a": 1}', '"2024\\u002d10-15"'),
);

describe('the facts of a column', () => {
  it('are the same whether its cells are read as strings or where they stand', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 8 }), (values) => {
        const batch = batchOf(...values.map((one) => `{"it":${one}}`));
        const reader = new CellReader(['it']);
        const facts = new ColumnFacts();
        for (let index = 0; index < batch.count; index++) {
          const [cell] = reader.read(batch, index);
          if (cell !== undefined) facts.add(cell);
        }
        expect(factsOf(...values)).toEqual(facts);
      }),
    );
  });

  it('tell the kind that all cells have, where null is no cell', () => {
    expect(factsOf('1', 'null', '2.50').kind).toBe('number');
    expect(factsOf('"a"', '""').kind).toBe('string');
    expect(factsOf('true').kind).toBe('boolean');
    expect(factsOf('[]', '{}').kind).toBe('array');
    expect(factsOf('1', '"1"').kind).toBe('mixed');
    expect(factsOf('null').kind).toBe('none');
  });

  it('tell the digits of numbers on both sides of the point, whatever their exponent', () => {
    expect(factsOf('120.5', '-3.125')).toMatchObject({ before: 3, after: 3, exponents: 0 });
    expect(factsOf('1E5', '25e-4')).toMatchObject({ before: 6, after: 4, exponents: 2 });
    expect(factsOf('1e999999', '7')).toMatchObject({ numbers: 2, tooLong: 1, before: 1, after: 0 });
  });

  it.each([
    ['whole numbers within 64 bits', ['9223372036854775807', '-9223372036854775808', '0'], true],
    ['a number beyond 64 bits', ['9223372036854775808'], false],
    ['a decimal', ['1', '1.0'], false],
    ['an exponent', ['1E2'], false],
  ])('tell of %s whether all are whole', (_, values, whole) => {
    expect(factsOf(...values).areWhole).toBe(whole);
  });

  it('tell days, midnights and points in time apart', () => {
    const facts = factsOf(
      ...[
        '"2024-10-15"',
        '"2024-10-15T00:00:00Z"',
        '"2024-10-15T00:00:00"',
        '"2024-10-15T10:30:00.120-03:00"',
      ],
      ...['"2024-02-30"', '"2024-10-15T25:00:00Z"', '"15/10/2024"', '""'],
    );
    expect(facts).toMatchObject({ texts: 8, empty: 1, dated: 5, days: 1, midnights: 1, localMidnights: 1 });
    expect(facts).toMatchObject({ times: 3, fraction: 2, zones: new Set(['Z', '', '-03:00']) });
  });
});
