import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BadBody } from '../../src/errors.ts';
import { CellReader } from '../../src/json/cells.ts';
import { recordBytes, type RecordBatch } from '../../src/json/records.ts';
import { scanLines, scanRecord } from '../../src/json/scan-records.ts';
import { randomRuns } from '../support/random-runs.ts';
import { batchOf } from '../support/records.ts';
import { objectText, valueText } from './json-arbitrary.ts';

/** The records with other values in the place of those that are not objects and in no array: most have the shape of the first then. */
function withValues(record: string, values: readonly string[]): string {
  let depth = 0;
  let next = 0;
  const token = /("(?:[^"\\]|\\.)*")(\s*:)?|[[\]]|-?\d[\d.eE+-]*|true|false|null/g;
  return record.replace(token, (part, _text, colon) => {
    if (part === '[') depth++;
    if (part === ']') depth--;
    if (depth > 0 || part === '[' || part === ']' || colon !== undefined) return part;
    return values[next++ % values.length]!;
  });
}

const records = fc
  .tuple(
    fc.array(objectText(), { minLength: 1, maxLength: 2 }),
    fc.array(
      fc.tuple(fc.nat({ max: 1 }), fc.array(valueText({ depth: 2 }), { minLength: 1, maxLength: 5 })),
      { minLength: 2, maxLength: 6 },
    ),
  )
  .map(([shapes, all]) => all.map(([which, values]) => withValues(shapes[which % shapes.length]!, values)));

/** What a scan finds of a record, in positions that count from where the record begins. */
const scannedOf = (batch: RecordBatch, index: number) => {
  const [start, end] = [batch.bounds[2 * index]!, batch.bounds[2 * index + 1]!];
  const within = (table: Int32Array) =>
    [...table].filter((at) => at >= start && at <= end).map((at) => at - start);
  return {
    record: recordBytes(batch, index).toString(),
    id: [...batch.ids.subarray(2 * index, 2 * index + 2)].map((at) => (at < 0 ? at : at - start)),
    links: within(batch.links!),
  };
};

describe('a record of a known shape', () => {
  it('is read like one that stands alone, whose shape is not known', () => {
    fc.assert(
      fc.property(records, (texts) => {
        const batch = batchOf(...texts);
        const alone = texts.map((text) => scanRecord(Buffer.from(text)));
        expect(texts.map((_, index) => scannedOf(batch, index))).toEqual(
          alone.map((one) => scannedOf(one, 0)),
        );
        expect(batch.spaced).toBe(alone.some(({ spaced }) => spaced));
      }),
      { numRuns: randomRuns(2000) },
    );
  });

  it('has the cells that are read without them, whatever the columns', () => {
    fc.assert(
      fc.property(records, fc.array(fc.nat(), { maxLength: 3 }), (texts, picks) => {
        const batch = batchOf(...texts);
        const withoutEnds = { ...batch, valueEndsAt: undefined, valueEnds: undefined };
        const [all, others] = [new CellReader(), new CellReader()];
        for (const index of texts.keys()) {
          const cells = all.read(batch, index);
          expect([cells, all.columns]).toEqual([others.read(withoutEnds, index), others.columns]);
        }
        const names = [...all.columns, ...all.columns.map((name) => name.split('.')[0]!)];
        const columns = picks.flatMap((pick) => names[pick % names.length] ?? []);
        const [some, same] = [new CellReader(columns), new CellReader(columns)];
        for (const index of texts.keys())
          expect(some.read(batch, index)).toEqual(same.read(withoutEnds, index));
      }),
      { numRuns: randomRuns(2000) },
    );
  });

  it('is refused for the byte for which it is refused alone', () => {
    const broken = fc
      .tuple(records, fc.nat(), fc.constantFrom('', ...'"\\{}[],:0-.eu t\u0001'))
      .map(([texts, place, insert]) => {
        const last = texts.at(-1)!;
        const at = place % last.length;
        return [
          texts.slice(0, -1).map((text) => text.replaceAll('\n', ' ')),
          (last.slice(0, at) + insert + last.slice(at + 1)).replaceAll('\n', ' '),
        ] as const;
      });
    const refusal = (action: () => unknown) => {
      try {
        action();
        return undefined;
      } catch (error) {
        if (!(error instanceof BadBody)) throw error;
        return {
          message: error.message.replace(/end of the (?:line|body)| \(byte \d+\)$/g, ''),
          offset: error.offset,
        };
      }
    };
    fc.assert(
      fc.property(broken, ([before, last]) => {
        const front = Buffer.from(before.map((text) => `${text}\n`).join(''));
        const alone = refusal(() => scanRecord(Buffer.from(last)));
        const behind = refusal(() => scanLines(Buffer.concat([front, Buffer.from(last)])));
        expect(behind && { ...behind, offset: behind.offset - front.length }).toEqual(alone);
      }),
      { numRuns: randomRuns(2000) },
    );
  });

  it('has no more levels than any other', () => {
    const nested = (levels: number) => `{"a":{"b":${'['.repeat(levels)}${']'.repeat(levels)}}}`;
    expect(batchOf(nested(1), nested(999)).count).toBe(2);
    expect(() => batchOf(nested(1), nested(1000))).toThrow('more than 1000 levels of nesting');
  });

  it('is known among hundreds, until too many have none', () => {
    const wide = (at: number) =>
      `{${Array.from({ length: 60 }, (_, name) => `"${at % 7}-${name}":${at}`).join()},"id":${at}}`;
    const unlike = (at: number) => `{"k${at}":1,"id":${at}}`;
    const [wides, unlikes] = [
      Array.from({ length: 300 }, (_, at) => wide(at)),
      Array.from({ length: 300 }, (_, at) => unlike(at)),
    ];
    const texts = [...wides, ...unlikes, ...wides];
    const batch = batchOf(...texts);
    expect(texts.map((_, index) => scannedOf(batch, index).record)).toEqual(texts);
    const known = (from: number) =>
      [...batch.valueEndsAt!.subarray(from, from + 300)].filter((place) => place >= 0).length;
    expect([known(0), known(300), known(600)]).toEqual([293, 0, 0]);
  });
});
