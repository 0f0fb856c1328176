import { describe, expect, it } from 'vitest';
import { openJson } from '../../src/output/json.ts';
import { batchOf, writeAll } from './write-all.ts';

describe('openJson', () => {
  it('writes one array over all batches, a record a line, numbers as sent', async () => {
    const batches = [batchOf('{"n":0.00}', '{"n":1E2}'), batchOf(), batchOf('{ "n" : [ 1 ] }')];
    expect((await writeAll(openJson, batches)).toString()).toBe('[\n{"n":0.00},\n{"n":1E2},\n{"n":[1]}\n]\n');
  });

  it('writes an empty array for no record', async () => {
    expect((await writeAll(openJson, [])).toString()).toBe('[]\n');
    expect((await writeAll(openJson, [batchOf()])).toString()).toBe('[]\n');
  });

  it('writes a single record itself', async () => {
    expect((await writeAll(openJson, [batchOf('{"id":"a"}')], { single: true })).toString()).toBe(
      '{"id":"a"}\n',
    );
  });

  it('stays one document over several chunks', async () => {
    const records = Array.from({ length: 30 }, (_, index) => `{"id":${index},"t":"${'x'.repeat(100_000)}"}`);
    const text = (await writeAll(openJson, [batchOf(...records)])).toString();
    expect(text).toBe(`[\n${records.join(',\n')}\n]\n`);
  });
});
