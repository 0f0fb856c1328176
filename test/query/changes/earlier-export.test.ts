import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecordIndex } from '../../../src/query/changes/earlier-export.ts';

const word = fc.nat(2 ** 32 - 1);
/** Few keys and slots, so that many records meet. */
const hashes = fc.tuple(fc.constantFrom(0, 1, 2047, 2048, 2 ** 32 - 1), fc.nat(2), word, word);

describe('RecordIndex', () => {
  it('finds all records of a key in order, as a plain list does, however it grew', () => {
    fc.assert(
      fc.property(fc.array(hashes, { minLength: 1500, maxLength: 3000 }), (all) => {
        const index = new RecordIndex();
        const repeated = all.map((words, n) => index.add(Uint32Array.from(words), n * 10, 9));
        const keys = all.map(([a, b]) => `${a} ${b}`);
        expect(repeated).toEqual(keys.map((key, n) => keys.indexOf(key) < n));
        for (const words of all.slice(0, 20)) {
          const found = [...index.candidates(Uint32Array.from(words))];
          expect(found).toEqual([...keys.keys()].filter((n) => keys[n] === `${words[0]} ${words[1]}`));
          expect(found.map((n) => index.hasContent(n, Uint32Array.from(words)))).toEqual(
            found.map((n) => all[n]![2] === words[2] && all[n]![3] === words[3]),
          );
        }
        expect([...index.candidates(Uint32Array.of(7, 7, 0, 0))]).toEqual([]);
      }),
      { numRuns: 5 },
    );
  });

  it('knows places beyond 4 GiB, and what was taken', () => {
    const index = new RecordIndex();
    index.add(Uint32Array.of(1, 2, 3, 4), 5_000_000_000, 17);
    expect(index.span(0)).toEqual([5_000_000_000, 5_000_000_017]);
    expect(index.isTaken(0)).toBe(false);
    index.take(0);
    expect([index.isTaken(0), index.count]).toEqual([true, 1]);
  });
});
