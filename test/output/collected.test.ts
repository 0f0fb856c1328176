import { describe, expect, it } from 'vitest';
import { selectRecords, type RecordBatch } from '../../src/json/records.ts';
import { scanArray } from '../../src/json/scan-records.ts';
import { Collected } from '../../src/output/spool.ts';
import { textsOf } from '../support/records.ts';

const batches: readonly RecordBatch[] = [
  scanArray(Buffer.from('[{"id":1},{"a":1.10},{"id":"x"}]')),
  scanArray(Buffer.from('[ { "id" : 12345678901234567890 } ]')),
  scanArray(Buffer.from('[]')),
  selectRecords(scanArray(Buffer.from('[{"id":1},{"id":2},{"id":3}]')), [2, 0]),
];

function factsOf(batch: RecordBatch): object {
  const ids = Array.from({ length: batch.count }, (_, index) =>
    batch.ids[2 * index]! < 0
      ? undefined
      : batch.bytes.toString('utf8', batch.ids[2 * index], batch.ids[2 * index + 1]),
  );
  return { texts: textsOf(batch), ids, spaced: batch.spaced };
}

describe('Collected', () => {
  it.each([
    ['in memory', 1_000_000],
    ['in a file', 0],
    ['in both', 100],
  ])('gives back what was put aside %s', async (_, memory) => {
    const records = new Collected({ memory });
    for (const batch of batches) await records.add(batch);
    const read: object[] = [];
    for await (const batch of records.read()) read.push(factsOf(batch));
    await records.close();
    expect(read).toEqual(batches.filter(({ count }) => count > 0).map(factsOf));
  });

  it.each([1_000_000, 0, 100])(
    'gives the records back in any order, with %s bytes of memory',
    async (memory) => {
      const records = new Collected({ memory, anyOrder: true });
      for (const batch of batches) await records.add(batch);
      const read: string[] = [];
      for await (const batch of records.inOrder([5, 0, 3, 3, 2])) read.push(...textsOf(batch));
      await records.close();
      expect(read).toEqual([
        ...['{"id":1}', '{"id":1}', '{ "id" : 12345678901234567890 }', '{ "id" : 12345678901234567890 }'],
        '{"id":"x"}',
      ]);
    },
  );

  it('counts the records', async () => {
    const records = new Collected();
    for (const batch of batches) await records.add(batch);
    await records.close();
    expect(records.count).toBe(6);
  });
});
