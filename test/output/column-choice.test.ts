import { describe, expect, it } from 'vitest';
import { chosenOf, choosingWriter, namedColumns, withColumnBefore } from '../../src/output/column-choice.ts';
import { isOpenChoice } from '../../src/output/formats.ts';
import { openCsv } from '../../src/output/csv/csv.ts';
import { openJsonl, withColumns } from '../../src/output/json.ts';
import { batchOf, writeAll } from './write-all.ts';

const THERE = ['id', 'customer.name', 'customer.address.city', 'files', 'total'];

describe('chosenOf', () => {
  it.each([
    ['*', 'id,customer.name,customer.address.city,files,total'],
    ['-files', 'id,customer.name,customer.address.city,total'],
    ['-customer', 'id,files,total'],
    ['-customer.address,-id', 'customer.name,files,total'],
    ['total,*', 'total,id,customer.name,customer.address.city,files'],
    ['*,id', 'customer.name,customer.address.city,files,total,id'],
    ['total,*,-files,id', 'total,customer.name,customer.address.city,id'],
    ['customer,*', 'customer,id,files,total'],
    ['-cust', 'id,customer.name,customer.address.city,files,total'],
    ['nothing,*,-total', 'nothing,id,customer.name,customer.address.city,files'],
    ['id,*,-id', 'customer.name,customer.address.city,files,total'],
  ])('takes %s as %s', (asked, chosen) => {
    expect(isOpenChoice(asked.split(','))).toBe(true);
    expect(chosenOf(asked.split(','), THERE).join(',')).toBe(chosen);
  });

  it('is not needed for plain names', () => {
    expect(isOpenChoice(['id', 'customer.name'])).toBe(false);
  });
});

it('names the columns to look for, also those to leave out', () => {
  expect(namedColumns(['id', '*', '-files'])).toEqual(['id', 'files']);
});

it('keeps all others behind a column that goes before them', () => {
  expect(withColumnBefore('_profile', ['-files'])).toEqual(['_profile', '*', '-files']);
  expect(withColumnBefore('_profile', ['id', '*'])).toEqual(['_profile', 'id', '*']);
});

describe('choosingWriter', () => {
  const batches = [
    batchOf('{"id":1,"files":["x"],"customer":null}', '{"id":2,"customer":{"name":"Roble"}}'),
    batchOf('{"id":3,"late":1.10,"none":null}'),
  ];

  it('has every column but those left out, also one that the last record brings', async () => {
    const csv = await writeAll(choosingWriter(openCsv, ['-files']), batches);
    expect(csv.toString()).toBe('id,customer.name,late,none\n1,,,\n2,Roble,,\n3,,1.10,\n');
  });

  it('gives each record of jsonl the columns that are chosen', async () => {
    const jsonl = await writeAll(
      choosingWriter(withColumns(openJsonl), ['late', '*', '-files', '-none']),
      batches,
    );
    expect(jsonl.toString()).toBe(
      '{"late":null,"id":1,"customer.name":null}\n{"late":null,"id":2,"customer.name":"Roble"}\n{"late":1.10,"id":3,"customer.name":null}\n',
    );
  });

  it('chooses among the columns of a result', async () => {
    const layout = { columns: ['id', 'late'] };
    const csv = await writeAll(choosingWriter(openCsv, ['-late']), batches, layout);
    expect(csv.toString()).toBe('id\n1\n2\n3\n');
  });

  it('has a header of the names where there are no records', async () => {
    expect((await writeAll(choosingWriter(openCsv, ['id', '*']), [])).toString()).toBe('id\n');
  });
});
