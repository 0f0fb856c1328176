import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortedNumbers, sortQuestion } from '../../src/query/sort.ts';
import { runToEnd } from '../../src/json/cooperative-task.ts';
import { parseSort } from '../../src/query/question-syntax.ts';
import { batchOf, textsOf } from '../support/records.ts';

/** The batches in which the records come out. */
async function batchesOf(by: string, ...batches: (string | object)[][]): Promise<string[][]> {
  const records = async function* () {
    for (const batch of batches) yield batchOf(...batch);
  };
  const sorted: string[][] = [];
  const question = sortQuestion(parseSort(by), new AbortController().signal);
  for await (const batch of question.answer(records())) sorted.push(textsOf(batch));
  return sorted;
}

async function sort(by: string, ...batches: (string | object)[][]): Promise<string[]> {
  return (await batchesOf(by, ...batches)).flat();
}

/** Descending, nothing last. */
function compareDown(a: number | null, b: number | null): number {
  if (a === b) return 0;
  return a === null ? 1 : b === null ? -1 : b - a;
}

describe('--sort', () => {
  it('joins the columns of several flags', () => {
    expect(parseSort('b', '--sort', parseSort('-a'))).toEqual(parseSort('-a,b'));
  });

  it('puts numbers by exact value, then text, then nothing', async () => {
    const of = (...values: string[]) => values.map((a) => `{"a":${a}}`);
    const [first, last] = [of('"b"', 'null', '9007199254740993'), of('""', '9007199254740992.0', '-1')];
    const sorted = of('-1', '9007199254740992.0', '9007199254740993', '"b"', 'null', '""');
    expect(await sort('a', first, [], last)).toEqual(sorted);
  });

  it('takes no record apart and loses none, however many batches it makes', async () => {
    const padding = 'x'.repeat(5000);
    const records = Array.from({ length: 1000 }, (_, index) => ({ n: (index * 7919) % 1000, padding }));
    // 5 MB: more than the spool keeps in memory.
    const batches = await batchesOf('n', records);
    expect(batches.length).toBeGreaterThan(1);
    expect(batches.flat()).toEqual(
      records.toSorted((a, b) => a.n - b.n).map((record) => JSON.stringify(record)),
    );
  });

  it.each([8_191, 8_192, 8_193, 60_000])('sorts %i records in runs, equal ones as they came', (count) => {
    const keys = Array.from({ length: count }, (_, at) => (at * 7919) % 1009);
    const order = (a: number, b: number): number => keys[a]! - keys[b]! || a - b;
    expect([...runToEnd(sortedNumbers(count, order))]).toEqual([...keys.keys()].toSorted(order));
  });

  it('sorts as a plain model does, by several columns', async () => {
    const record = fc.record({
      a: fc.option(fc.integer({ min: -3, max: 3 })),
      b: fc.constantFrom('x', 'y', 'z'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(record), async (records) => {
        const numbered = records.map((record, i) => ({ ...record, i }));
        const expected = numbered.toSorted(
          (x, y) => x.b.localeCompare(y.b) || compareDown(x.a, y.a) || x.i - y.i,
        );
        expect(await sort('b,-a', numbered)).toEqual(expected.map((record) => JSON.stringify(record)));
      }),
    );
  });
});
