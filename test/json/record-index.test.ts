import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecordIndex } from '../../src/json/record-index.ts';

const word = fc.nat(2 ** 32 - 1);
/** Few keys and slots, so that many records meet. */
const key = fc.tuple(fc.constantFrom(0, 1, 8191, 8192, 2 ** 32 - 1), word, word, fc.nat(2));
const content = fc.tuple(word, word, word, fc.nat(1));

describe('an index of records', () => {
  it('finds all records of a key in order, as a plain list does, however it grew', () => {
    fc.assert(
      fc.property(fc.array(key, { minLength: 30, maxLength: 60 }), fc.array(content), (few, contents) => {
        const [index, all] = [new RecordIndex(2), [] as Uint32Array[]];
        const keys = Array.from({ length: 9_000 }, (_, at) =>
          at % 300 === 0 ? few[at % few.length]! : [at, at * 7, 1, 1],
        );
        for (const [at, words] of keys.entries()) {
          all.push(Uint32Array.of(...words, ...(contents[at % 5] ?? [at, 0, 0, 0])));
          index.add(all[at]!, [at, 2 ** 32 - 1 - at]);
        }
        const texts = keys.map((words) => words.join(' '));
        for (const words of [...all.slice(-10), ...few.map((one) => Uint32Array.of(...one, 1, 1, 1, 1))]) {
          const same = words.slice(0, 4).join(' ');
          const found = [...texts.keys()].filter((at) => texts[at] === same);
          // Round the ring, and to the first one again.
          for (const at of [...found, ...(found.length === 0 ? [-1] : [])]) {
            expect(index.find(words)).toBe(at);
            expect(index.rotate(words)).toBe(at);
          }
          expect(index.find(words)).toBe(found[0] ?? -1);
          expect(found.map((at) => index.hasContent(at, words))).toEqual(
            found.map((at) => all[at]!.slice(4).join() === words.slice(4).join()),
          );
          expect(found.map((at) => [index.more(at, 0), index.more(at, 1)])).toEqual(
            found.map((at) => [at, 2 ** 32 - 1 - at]),
          );
        }
        expect(index.find(Uint32Array.of(7, 7, 7, 7))).toBe(-1);
        expect(index.count).toBe(9_000);
      }),
      { numRuns: 5 },
    );
  });

  it('writes a content as a database keeps it', () => {
    const index = new RecordIndex();
    index.add(Uint32Array.of(1, 2, 3, 4, 0x04030201, 5, 6, 0xffffffff));
    expect(index.contentText(0)).toBe('010203040500000006000000ffffffff');
  });
});
