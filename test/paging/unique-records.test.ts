import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HashSet, UniqueRecords } from '../../src/paging/unique-records.ts';
import { runToEnd } from '../../src/json/cooperative-task.ts';
import type { RecordBatch } from '../../src/json/records.ts';
import { randomRuns } from '../support/random-runs.ts';
import { batchOf, textsOf } from '../support/records.ts';

const deduplicate = (unique: UniqueRecords, batch: RecordBatch, moved: boolean, holdsSameKey = false) =>
  runToEnd(unique.deduplicate(batch, { moved, holdsSameKey }));

/** What a record is to count as, said without a table: by all the records that came before it, in its page and before. */
class CountedRecords {
  readonly #given: string[] = [];
  readonly #keys: string[] = [];
  #keysRepeat = false;

  add(page: readonly string[], moved: boolean): object {
    const fresh: string[] = [];
    let [duplicates, changed, unsure] = [0, 0, 0];
    for (const [index, text] of page.entries()) {
      const before = page.slice(0, index);
      const key = keyOf(text);
      const isKnown = key !== undefined && this.#keys.includes(key);
      const isTwice = key !== undefined && before.some((other) => keyOf(other) === key);
      if (key !== undefined) this.#keys.push(key);
      this.#keysRepeat ||= isTwice;
      const nth = before.filter((other) => other === text).length;
      if (this.#given.filter((other) => other === text).length > nth) duplicates++;
      else {
        this.#given.push(text);
        if (isKnown && moved && !this.#keysRepeat) changed++;
        else {
          if (isKnown && moved && !isTwice) unsure++;
          this.#keysRepeat ||= isKnown;
          fresh.push(text);
        }
      }
    }
    return { fresh, duplicates, changed, unsure, keysRepeat: this.#keysRepeat };
  }
}

function keyOf(text: string): string | undefined {
  return /"id":(\d)/.exec(text)?.[1];
}

describe('UniqueRecords', () => {
  it('sorts the records of a page as if each page were counted from its beginning', () => {
    const other = fc.constantFrom('{"id":1}', '{"id":1,"x":1}', '{"id":1,"x":2}', '{"id":2}', '{"a":1}');
    const moving = fc.array(fc.tuple(fc.array(other, { maxLength: 4 }), fc.boolean()), { maxLength: 6 });
    fc.assert(
      fc.property(moving, (all) => {
        const unique = new UniqueRecords();
        const counted = new CountedRecords();
        for (const [page, moved] of all) {
          const before = unique.unsure;
          const { fresh, duplicates, changed } = deduplicate(unique, batchOf(...page), moved);
          const unsure = unique.unsure - before;
          const sorted = {
            fresh: textsOf(fresh),
            duplicates,
            changed,
            unsure,
            keysRepeat: unique.keysRepeat,
          };
          expect(sorted).toEqual(counted.add(page, moved));
        }
      }),
      { numRuns: randomRuns(5000) },
    );
  });

  it('knows a record without an id by its number and kind, or by the columns that it is given', async () => {
    const unique = await UniqueRecords.of({ natural: ['number', 'documentType'] }, { isCounted: true });
    deduplicate(unique, batchOf('{"number":7,"documentType":"INVOICE","net":1}'), false);
    const page = ['INVOICE","net":2', 'NOTE","net":1'].map((end) => `{"number":7,"documentType":"${end}}`);
    expect(deduplicate(unique, batchOf(...page), true)).toMatchObject({ changed: 1, fresh: { count: 1 } });
    deduplicate(unique, batchOf('{"number":8,"net":1}'), false);
    const untyped = ['{"number":8,"net":2}', '{"documentType":"NOTE","net":1}'];
    expect(deduplicate(unique, batchOf(...untyped), true)).toMatchObject({ changed: 1, fresh: { count: 1 } });
    const named = await UniqueRecords.of({ named: ['ref'] }, { isCounted: true });
    deduplicate(named, batchOf('{"id":1,"ref":"a"}', '{"id":1,"ref":"b"}'), false);
    expect(named.keysRepeat).toBe(false);
    expect(deduplicate(named, batchOf('{"id":2,"ref":"a"}'), true)).toMatchObject({ changed: 1 });
  });
});

describe.each([2, 4])('a set of hashes of %i words', (width) => {
  const wordsOf = (first: number, second: number): Uint32Array =>
    Uint32Array.of(0, first, second, ...Array.from({ length: width - 2 }, () => second & 1));

  it('says of each whether it is new, as a Set does, and forgets all when cleared', () => {
    const hash = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 3 }), fc.nat(2));
    fc.assert(
      fc.property(fc.array(hash, { maxLength: 300 }), (hashes) => {
        const set = new HashSet(width);
        for (let round = 0; round < 2; round++) {
          const model = new Set<string>();
          for (const [first, second, number] of hashes) {
            const words = wordsOf(first, second);
            expect(set.add(words, 1, number)).toBe(!model.has(`${first} ${second} ${number}`));
            model.add(`${first} ${second} ${number}`);
          }
          set.clear();
        }
      }),
    );
  });

  it('holds a hundred thousand', () => {
    const set = new HashSet(width);
    const words = (at: number): Uint32Array => wordsOf(Math.imul(at, 0x9e3779b1) >>> 0 || 1, at);
    const add = (_: unknown, at: number): boolean => set.add(words(at + 1), 1);
    const addAll = (): number => Array.from({ length: 100_000 }, add).filter(Boolean).length;
    expect([addAll(), addAll()]).toEqual([100_000, 0]);
  });
});

describe('a pass', () => {
  it('counts what came in it, and knows the order', () => {
    const unique = new UniqueRecords();
    unique.beginPass('page');
    deduplicate(unique, batchOf('{"id":1}', '{"id":2}'), false);
    const again = deduplicate(unique, batchOf('{"id":2}', '{"id":3}'), false);
    expect([textsOf(again.fresh), textsOf(again.repeated)]).toEqual([['{"id":3}'], ['{"id":2}']]);
    expect([unique.inPass, unique.repeatedInPass, unique.size]).toEqual([3, 1, 3]);
    const first = unique.sequence;
    unique.beginPass('page');
    expect([unique.inPass, unique.repeatedInPass]).toEqual([0, 0]);
    deduplicate(unique, batchOf('{"id":1}', '{"id":2}'), false);
    expect(unique.sequence).not.toBe(first);
    deduplicate(unique, batchOf('{"id":2}', '{"id":3}'), false);
    expect([unique.sequence, unique.inPass, unique.size]).toEqual([first, 3, 3]);
  });

  it('holds back a record of a known key, where it is to, but for one of the same page', () => {
    const unique = new UniqueRecords();
    unique.beginPass('page');
    deduplicate(unique, batchOf('{"id":1}', '{"id":2}'), false, true);
    const held = deduplicate(unique, batchOf('{"id":1,"n":1}', '{"id":3}', '{"id":3,"n":1}'), false, true);
    expect([textsOf(held.fresh), textsOf(held.sameKey)]).toEqual([
      ['{"id":3}', '{"id":3,"n":1}'],
      ['{"id":1,"n":1}'],
    ]);
    expect(unique.keysRepeat).toBe(true);
  });
});
