import { describe, expect, it } from 'vitest';
import { selectRecords, sliceRecords, type RecordBatch } from '../../src/json/records.ts';
import { scanArray } from '../../src/json/scan-records.ts';
import { openJson, openJsonl } from '../../src/output/json.ts';
import { batchOf } from '../support/records.ts';
import { writeAll } from './write-all.ts';

describe('openJsonl', () => {
  it('writes each record as it was sent, one a line', async () => {
    const records = [
      '{"id":1,"n":1190.10,"t":"a\\u00e9 \\n \\" ]"}',
      '{}',
      '{"n":12345678901234567890,"e":1E2}',
    ];
    const batches = [batchOf(records[0]!, records[1]!), batchOf(), batchOf(records[2]!)];
    expect((await writeAll(openJsonl, batches)).toString()).toBe(`${records.join('\n')}\n`);
  });

  it('takes white space between tokens away, and none within strings', async () => {
    const batch = batchOf('{ "a" : [ 1 ,\n 2 ],\r\n\t"b c" : " \\" : , " }', '{"d":1}');
    expect((await writeAll(openJsonl, [batch])).toString()).toBe('{"a":[1,2],"b c":" \\" : , "}\n{"d":1}\n');
  });

  it('writes records on whose page one byte or more stands between them, or other records', async () => {
    const page = scanArray(Buffer.from('[{"a":1},{"a":2}, {"a":3},{"a":4},{"a":5}]'));
    const lines = async (batch: RecordBatch): Promise<string> => String(await writeAll(openJsonl, [batch]));
    expect(await lines(page)).toBe('{"a":1}\n{"a":2}\n{"a":3}\n{"a":4}\n{"a":5}\n');
    expect(await lines(selectRecords(page, [0, 2, 3]))).toBe('{"a":1}\n{"a":3}\n{"a":4}\n');
    expect(await lines(sliceRecords(page, 1, 4))).toBe('{"a":2}\n{"a":3}\n{"a":4}\n');
    expect(String(page.bytes)).toBe('[{"a":1},{"a":2}, {"a":3},{"a":4},{"a":5}]');
  });
});

describe('openJson', () => {
  it('writes one array over all batches, a record a line, numbers as sent', async () => {
    const batches = [batchOf('{"n":0.00}', '{"n":1E2}'), batchOf(), batchOf('{ "n" : [ 1 ] }')];
    expect((await writeAll(openJson, batches)).toString()).toBe('[\n{"n":0.00},\n{"n":1E2},\n{"n":[1]}\n]\n');
  });

  it('writes an empty array for no record, a single record itself, and of jsonl nothing', async () => {
    const one = [batchOf('{"id":"a"}')];
    expect(String(await writeAll(openJson, one, { single: true }))).toBe('{"id":"a"}\n');
    for (const batches of [[], [batchOf()]]) {
      expect(String(await writeAll(openJson, batches))).toBe('[]\n');
      expect(String(await writeAll(openJsonl, batches))).toBe('');
    }
  });
});

describe('--columns', () => {
  const columns = ['total', 'customer.name', 'lines', 'customer'];

  it('writes these columns alone, in their order, each value as it was sent', async () => {
    const batch = batchOf(
      '{"id":1,"customer":{"name":"a\\u00e9 \\"q\\""},"total":1190.10,"lines":[1.0, 2]}',
      '{"total":12345678901234567890,"customer":{"name":null},"id":2}',
      '{}',
    );
    expect((await writeAll(openJsonl, [batch], { columns })).toString()).toBe(
      '{"total":1190.10,"customer.name":"a\\u00e9 \\"q\\"","lines":[1.0,2],"customer":{"name":"a\\u00e9 \\"q\\""}}\n' +
        '{"total":12345678901234567890,"customer.name":null,"lines":null,"customer":{"name":null}}\n' +
        '{"total":null,"customer.name":null,"lines":null,"customer":null}\n',
    );
  });

  it('is an array of them in json, and the record itself of a single one', async () => {
    const batches = [batchOf('{"a":1,"total":2}')];
    const layout = { columns: ['total'] };
    expect((await writeAll(openJson, batches, layout)).toString()).toBe('[\n{"total":2}\n]\n');
    expect((await writeAll(openJson, batches, { ...layout, single: true })).toString()).toBe('{"total":2}\n');
    expect((await writeAll(openJson, [], layout)).toString()).toBe('[]\n');
  });
});
