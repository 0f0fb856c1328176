import { describe, expect, it } from 'vitest';
import { selectRecords } from '../../src/json/record-batch.ts';
import { openJsonl } from '../../src/output/jsonl.ts';
import { batchOf, writeAll } from './write-all.ts';

describe('openJsonl', () => {
  it('writes each record as it was sent, one a line', async () => {
    const records = [
      '{"id":1,"n":1190.10,"t":"a\\u00e9 \\n \\" ]"}',
      '{}',
      '{"n":12345678901234567890,"e":1E2}',
    ];
    const text = await writeAll(openJsonl, [
      batchOf(records[0]!, records[1]!),
      batchOf(),
      batchOf(records[2]!),
    ]);
    expect(text.toString()).toBe(`${records.join('\n')}\n`);
  });

  it('takes white space between tokens away, and none within strings', async () => {
    const batch = batchOf('{ "a" : [ 1 ,\n 2 ],\r\n\t"b c" : " \\" : , " }', '{"d":1}');
    expect((await writeAll(openJsonl, [batch])).toString()).toBe('{"a":[1,2],"b c":" \\" : , "}\n{"d":1}\n');
  });

  it('writes the records that were selected', async () => {
    const batch = batchOf('{"a":1}', '{"a":2}', '{"a":3}');
    expect((await writeAll(openJsonl, [selectRecords(batch, [2, 0])])).toString()).toBe('{"a":3}\n{"a":1}\n');
  });

  it('writes nothing for no record', async () => {
    expect(await writeAll(openJsonl, [])).toHaveLength(0);
    expect(await writeAll(openJsonl, [batchOf()])).toHaveLength(0);
  });

  it('hands on at most a megabyte at a time, and larger records whole', async () => {
    const records = Array.from({ length: 40 }, (_, index) => `{"id":${index},"t":"${'x'.repeat(100_000)}"}`);
    records.push(`{"t":"${'y'.repeat(3_000_000)}"}`, '{"last":true}');
    const sizes: number[] = [];
    const sink = { write: async (bytes: Uint8Array | string) => void sizes.push(bytes.length) };
    const writer = openJsonl(sink, { header: true, excel: false, single: false, color: false });
    await writer.write(batchOf(...records));
    expect(sizes.filter((size) => size > 1024 * 1024)).toEqual([3_000_009]);
    expect(sizes.length).toBeLessThan(9);
    expect(
      (await writeAll(openJsonl, [batchOf(...records)])).equals(Buffer.from(`${records.join('\n')}\n`)),
    ).toBe(true);
  });
});
