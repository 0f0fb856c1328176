import { describe, expect, it } from 'vitest';
import { openJson } from '../../src/output/json.ts';
import { openJsonl } from '../../src/output/jsonl.ts';
import { withColumns } from '../../src/output/picked-records.ts';
import { batchOf, writeAll } from './write-all.ts';

describe('withColumns', () => {
  const columns = ['total', 'customer.name', 'lines', 'customer'];

  it('writes these columns alone, in their order, each value as it was sent', async () => {
    const batch = batchOf(
      '{"id":1,"customer":{"name":"a\\u00e9 \\"q\\""},"total":1190.10,"lines":[1.0, 2]}',
      '{"total":12345678901234567890,"customer":{"name":null},"id":2}',
      '{}',
    );
    expect((await writeAll(withColumns(openJsonl), [batch], { columns })).toString()).toBe(
      '{"total":1190.10,"customer.name":"a\\u00e9 \\"q\\"","lines":[1.0,2],"customer":{"name":"a\\u00e9 \\"q\\""}}\n' +
        '{"total":12345678901234567890,"customer.name":null,"lines":null,"customer":{"name":null}}\n' +
        '{"total":null,"customer.name":null,"lines":null,"customer":null}\n',
    );
  });

  it('is an array of them in json, and the record itself of a single one', async () => {
    const batches = [batchOf('{"a":1,"total":2}')];
    const [open, asked] = [withColumns(openJson), { columns: ['total'] }];
    expect((await writeAll(open, batches, asked)).toString()).toBe('[\n{"total":2}\n]\n');
    expect((await writeAll(open, batches, { ...asked, single: true })).toString()).toBe('{"total":2}\n');
    expect((await writeAll(open, [], asked)).toString()).toBe('[]\n');
  });

  it('leaves records as they are where no columns were asked for', async () => {
    expect((await writeAll(withColumns(openJsonl), [batchOf('{"b":1,"a":2}')])).toString()).toBe(
      '{"b":1,"a":2}\n',
    );
  });
});
