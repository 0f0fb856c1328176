import { describe, expect, it } from 'vitest';
import { writerOfChosen } from '../../src/query/named-columns.ts';
import { ChosenColumns } from '../../src/output/chosen-columns.ts';
import { openCsv } from '../../src/output/csv/csv.ts';
import { openJsonl } from '../../src/output/json.ts';
import type { OpenWriter } from '../../src/output/writer.ts';
import { batchOf } from '../support/records.ts';
import { writeAll } from './write-all.ts';

const columnsOf = (...parts: readonly string[]): ChosenColumns =>
  ChosenColumns.parse('--columns', parts.join());

const choosing = (open: OpenWriter, ...parts: readonly string[]): OpenWriter =>
  writerOfChosen(open, columnsOf(...parts), undefined);

describe('a writer of chosen columns', () => {
  const batches = [
    batchOf('{"id":1,"files":["x"],"customer":null}', '{"id":2,"customer":{"name":"Roble"}}'),
    batchOf('{"id":3,"late":1.10,"none":null}'),
  ];

  it('has every column but those left out, also one that the last record brings', async () => {
    const csv = await writeAll(choosing(openCsv, '-files'), batches);
    expect(csv.toString()).toBe('id,customer.name,late,none\n1,,,\n2,Roble,,\n3,,1.10,\n');
  });

  it('gives each record of jsonl the columns that are chosen', async () => {
    const jsonl = await writeAll(choosing(openJsonl, 'late', '*', '-files', '-none'), batches);
    expect(jsonl.toString()).toBe(
      '{"late":null,"id":1,"customer.name":null}\n{"late":null,"id":2,"customer.name":"Roble"}\n{"late":1.10,"id":3,"customer.name":null}\n',
    );
  });

  it('chooses among the columns of a result', async () => {
    const layout = { columns: ['id', 'late'] };
    const csv = await writeAll(choosing(openCsv, '-late'), batches, layout);
    expect(csv.toString()).toBe('id\n1\n2\n3\n');
  });

  it('has a header of the names where there are no records', async () => {
    expect((await writeAll(choosing(openCsv, 'id', '*'), [])).toString()).toBe('id\n');
  });
});
