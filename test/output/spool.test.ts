import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { OutputError } from '../../src/errors.ts';
import { Spool } from '../../src/output/spool.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let folder: string;
beforeEach(() => void (folder = temporaryFolder()));

async function contents(spool: Spool): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of spool.read()) chunks.push(chunk.toString());
  return chunks;
}

describe('Spool', () => {
  it('gives the chunks back as they came, from memory, from a file, and from both', async () => {
    for (const memory of [0, 5, 9, 1000]) {
      const spool = new Spool({ folder, memory });
      for (const chunk of ['one', 'two', '', 'three']) await spool.append(Buffer.from(chunk));
      expect(await contents(spool)).toEqual(['one', 'two', '', 'three']);
      await spool.close();
    }
  });

  it('lets a buffer be used again once its chunk was taken', async () => {
    for (const memory of [0, 5, 9, 1000]) {
      const spool = new Spool({ folder, memory });
      const buffer = Buffer.alloc(3);
      for (const chunk of ['one', 'two', 'six', 'ten']) {
        buffer.write(chunk);
        await spool.append(buffer);
      }
      buffer.fill('-');
      expect(await contents(spool)).toEqual(['one', 'two', 'six', 'ten']);
      await spool.close();
    }
  });

  it('reads all chunks through few buffers, where each need stand only until the next', async () => {
    const spool = new Spool({ folder, memory: 0 });
    const chunks = ['a', 'the longest', '', 'of', 'them', 'all'];
    for (const chunk of chunks) await spool.append(Buffer.from(chunk));
    const buffers = new Set<ArrayBufferLike>();
    const read: string[] = [];
    for await (const chunk of spool.read({ reuse: true })) {
      read.push(chunk.toString());
      buffers.add(chunk.buffer);
    }
    expect([read, buffers.size]).toEqual([chunks, 2]);
    await spool.close();
  });

  it('gives any part once all is there, from memory and from a file', async () => {
    for (const memory of [0, 5, 1000]) {
      const spool = new Spool({ folder, memory });
      for (const chunk of ['one', 'two', 'three']) await spool.append(Buffer.from(chunk));
      await spool.settle();
      const parts = [spool.slice(0, 3), spool.slice(2, 8), spool.slice(10, 11), spool.slice(4, 4)];
      expect(parts.map(String)).toEqual(['one', 'etwoth', 'e', '']);
      await spool.close();
    }
  });

  it('has no file with a name at any time', async () => {
    const spool = new Spool({ folder, memory: 0 });
    await spool.append(Buffer.from('secret'));
    expect(await readdir(folder)).toEqual([]);
    expect(await contents(spool)).toEqual(['secret']);
    await spool.close();
  });

  it('gives the same bytes for sizes around a large chunk', async () => {
    const spool = new Spool({ folder, memory: 100_000 });
    const chunks = Array.from({ length: 20 }, (_, index) =>
      Buffer.alloc(index * 40_000, String.fromCharCode(97 + index)),
    );
    for (const chunk of chunks) await spool.append(chunk);
    let index = 0;
    for await (const chunk of spool.read()) expect(chunk.equals(chunks[index++]!)).toBe(true);
    expect(index).toBe(20);
    await spool.close();
  });

  it('says what the system said when there is no room for it', async () => {
    const spool = new Spool({ folder: join(folder, 'missing'), memory: 3 });
    await spool.append(Buffer.from('abc'));
    const failure = await spool.append(Buffer.from('d')).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OutputError);
    expect((failure as OutputError).message).toMatch(
      /^cannot keep rows in a temporary file in .*missing: ENOENT/,
    );
    expect((failure as OutputError).hint).toContain('--columns');
    await spool.close();
  });
});
