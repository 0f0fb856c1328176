import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { selectRecords, type RecordBatch } from '../../src/json/records.ts';
import { scanArray } from '../../src/json/scan-records.ts';
import { RecordSpool, Spool } from '../../src/output/spool.ts';
import { textsOf } from '../support/records.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

it('a spool says what the system said when there is no room for it', async () => {
  const spool = new Spool({ path: () => join(temporaryFolder(), 'missing', 'rows'), memory: 3 });
  await spool.append(Buffer.from('abc'));
  await expect(spool.append(Buffer.from('d'))).rejects.toMatchObject({
    name: 'OutputError',
    message: expect.stringMatching(
      /^cannot keep rows in a temporary file beside the output: ENOENT/,
    ) as string,
    hint: expect.stringContaining('--columns') as string,
  });
  await spool.close();
});

describe('RecordSpool', () => {
  const batches: readonly RecordBatch[] = [
    scanArray(Buffer.from('[{"id":1},{"a":1.10},{"id":"x"}]')),
    scanArray(Buffer.from('[ { "id" : 12345678901234567890 } ]')),
    scanArray(Buffer.from('[]')),
    selectRecords(scanArray(Buffer.from('[{"id":1},{"id":2},{"id":3}]')), [2, 0]),
  ];

  it.each([1_000_000, 0, 100])(
    'gives records back as they came and in any order, with %s bytes of memory',
    async (memory) => {
      const records = new RecordSpool({ memory, anyOrder: true });
      for (const batch of batches) await records.add(batch);
      const read: RecordBatch[] = [];
      for await (const batch of records.read()) read.push(batch);
      const ordered: string[] = [];
      for await (const batch of records.inOrder([5, 0, 3, 3, 2])) ordered.push(...textsOf(batch));
      await records.close();
      expect(records.count).toBe(6);
      const filled = batches.filter(({ count }) => count > 0);
      expect(read.map(textsOf)).toEqual(filled.map(textsOf));
      expect(read.map(({ spaced }) => spaced)).toEqual(filled.map(({ spaced }) => spaced));
      const spaced = '{ "id" : 12345678901234567890 }';
      expect(ordered).toEqual(['{"id":1}', '{"id":1}', spaced, spaced, '{"id":"x"}']);
    },
  );
});
