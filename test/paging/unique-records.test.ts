import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UniqueRecords } from '../../src/paging/unique-records.ts';
import { batchOf, textsOf } from '../support/records.ts';

const record = fc.constantFrom('{"id":1}', '{"id":2}', '{"id":3}', '{"a":1}', '{"a":2}');
const pages = fc.array(fc.array(record, { maxLength: 6 }), { maxLength: 6 });

/** What is given of the pages by a walk that is broken off before page `at` and gone on with by another. */
function broken(all: readonly (readonly string[])[], at: number, onlyPass: boolean): string[][] {
  const given: string[][] = [];
  let unique = new UniqueRecords();
  if (onlyPass) unique.beginOnlyPass();
  for (const [index, page] of all.entries()) {
    if (index === at) {
      unique = new UniqueRecords();
      for (const earlier of given) unique.restore(batchOf(earlier));
      if (onlyPass) unique.beginOnlyPass();
    }
    given.push(textsOf(unique.fresh(batchOf(page))));
  }
  return given;
}

describe('UniqueRecords', () => {
  it.each([false, true])(
    'gives the same after restoring what was given before (only pass: %s)',
    (onlyPass) => {
      fc.assert(
        fc.property(pages, fc.nat(6), (all, at) => {
          expect(broken(all, at, onlyPass)).toEqual(broken(all, -1, onlyPass));
        }),
      );
    },
  );

  it('takes equal records without an id for different ones when nothing is read twice', () => {
    const unique = new UniqueRecords();
    unique.beginOnlyPass();
    const page = batchOf(['{"a":1}', '{"id":1}', '{"a":1}']);
    expect(unique.fresh(page).count).toBe(3);
    expect(textsOf(unique.fresh(page))).toEqual(['{"a":1}', '{"a":1}']);
    expect(unique.size).toBe(5);
  });
});
