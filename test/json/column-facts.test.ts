import { describe, expect, it } from 'vitest';
import { CellReader } from '../../src/json/cells.ts';
import { ColumnFacts } from '../../src/json/column-facts.ts';
import { batchOf } from '../support/records.ts';

/** The facts of a column with these values, which are JSON texts. */
function factsOf(...values: readonly string[]): ColumnFacts {
  const facts = new ColumnFacts();
  const reader = new CellReader(['it']);
  const batch = batchOf(...values.map((value) => `{"it":${value}}`));
  for (let index = 0; index < batch.count; index++) {
    const [cell] = reader.read(batch, index);
    if (cell !== undefined) facts.add(cell);
  }
  return facts;
}

describe('the facts of a column', () => {
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
