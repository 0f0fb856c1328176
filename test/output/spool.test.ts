import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { OutputError } from '../../src/errors.ts';
import { selectRecords, type RecordBatch } from '../../src/json/records.ts';
import { scanArray } from '../../src/json/scan-records.ts';
import { RecordSpool, Spool } from '../../src/output/spool.ts';
import { textsOf } from '../support/records.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let folder: string;
beforeEach(() => void (folder = temporaryFolder()));

async function contents(spool: Spool): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of spool.read()) chunks.push(chunk.toString());
  return chunks;
}

/** A spool with these chunks, all of which came in one buffer. */
async function spoolOf(chunks: readonly string[], memory: number): Promise<Spool> {
  const spool = new Spool({ path: () => join(folder, 'rows'), memory });
  const buffer = Buffer.alloc(800_000);
  for (const chunk of chunks) await spool.append(buffer.subarray(0, buffer.write(chunk)));
  buffer.fill('-');
  return spool;
}

describe('Spool', () => {
  it.each([0, 5, 9, 1000])('gives chunks and any part back, with %i bytes of memory', async (memory) => {
    const spool = await spoolOf(['one', 'two', '', 'three'], memory);
    expect(await readdir(folder)).toEqual([]);
    expect(await contents(spool)).toEqual(['one', 'two', '', 'three']);
    const parts = [spool.slice(0, 3), spool.slice(2, 8), spool.slice(10, 11), spool.slice(4, 4)];
    expect(parts.map(String)).toEqual(['one', 'etwoth', 'e', '']);
    await spool.close();
  });

  it('gives long chunks back, each in its own buffer or all in one', async () => {
    const chunks = Array.from({ length: 20 }, (_, at) => String.fromCharCode(97 + at).repeat(at * 40_000));
    const spool = await spoolOf(chunks.toReversed(), 100_000);
    expect((await contents(spool)).toReversed().join() === chunks.join()).toBe(true);
    const buffers = new Set<ArrayBufferLike>();
    const read: string[] = [];
    for await (const chunk of spool.read({ reuse: true })) {
      read.push(chunk.toString());
      if (chunk.length > 0) buffers.add(chunk.buffer);
    }
    expect([read.toReversed().join() === chunks.join(), buffers.size]).toEqual([true, 1]);
    await spool.close();
  });

  it('says what the system said when there is no room for it', async () => {
    const spool = new Spool({ path: () => join(folder, 'missing', 'rows'), memory: 3 });
    await spool.append(Buffer.from('abc'));
    const failure = await spool.append(Buffer.from('d')).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OutputError);
    expect((failure as OutputError).message).toMatch(
      /^cannot keep rows in a temporary file beside the output: ENOENT/,
    );
    expect((failure as OutputError).hint).toContain('--columns');
    await spool.close();
  });
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
