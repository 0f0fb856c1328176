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
  it('count the cells of each kind, where null is not a cell', () => {
    const facts = factsOf('1', 'null', '2.50', '"a"', '""', 'true', '[]', '{}');
    expect(facts).toMatchObject({ cells: 7, numbers: 2, texts: 2, booleans: 1, nested: 2, empty: 1 });
  });

  it('tell numbers that are too long to be written out, whatever their exponent', () => {
    expect(factsOf('1e999999', '7', '1E5', '-25e-4')).toMatchObject({ numbers: 4, tooLong: 1 });
  });

  it('tell days, midnights and points in time apart', () => {
    const facts = factsOf(
      ...['"2024-10-15"', '"2024-10-15T00:00:00Z"', '"2024-10-15T00:00:00"', '"15/10/2024"', '""'],
      ...['"2024-10-15T10:30:00.120-03:00"', '"2024-02-30"', '"2024-10-15T25:00:00Z"'],
    );
    expect(facts).toMatchObject({ texts: 8, empty: 1, dated: 5, days: 1, midnights: 1, localMidnights: 1 });
    expect(facts).toMatchObject({ times: 3, localTimes: 1 });
  });
});
