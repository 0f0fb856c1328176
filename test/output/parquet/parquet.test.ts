import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse as parseCsv } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import type { DeclaredType } from '../../../src/invoices/fields.ts';
import type { Layout } from '../../../src/output/writer.ts';
import { openParquet } from '../../../src/output/parquet/parquet.ts';
import { TRIES_ALL } from '../../support/random-runs.ts';
import { runHere, withSandbox } from '../../support/run-here.ts';
import { fileOf, temporaryFolder } from '../../support/temporary-folder.ts';
import { batchOf } from '../../support/records.ts';
import { writeAll } from '../write-all.ts';
import { readParquet } from './read-parquet.ts';

/** What another engine reads in the file made of these records, each a JSON text. */
async function written(records: readonly string[], layout: Partial<Layout> = {}) {
  return readParquet(fileOf(await writeAll(openParquet, [batchOf(...records)], layout), 'records.parquet'));
}

/** The type in the file of a column that is declared so, and what is read back of its values. */
async function column(
  declared: DeclaredType | undefined,
  ...values: readonly string[]
): Promise<[type: string, values: (string | null)[]]> {
  const types = { names: ['it'], typeOf: () => declared };
  const { columns, rows } = await written(
    values.map((value) => `{"it":${value}}`),
    { declared: types },
  );
  return [columns[0]![1], rows.map(([value]) => value!)];
}

const NINES_29 = '9'.repeat(29);

// Several groups of rows; any fewer are one.
const INVOICES = TRIES_ALL ? 100_000 : 3_000;

describe('a column', () => {
  it.each([
    [
      'money',
      ['10.50', '3', '1E2', 'null', '""'],
      'DECIMAL(38,9)',
      ['10.500000000', '3.000000000', '100.000000000', null, null],
    ],
    [
      'money',
      [
        ...['-0', '-0.5', '0.000000001', '999999999999999'],
        ...['-99999999999.99', '123456789012345678.5', '1.000000000000'],
      ],
      'DECIMAL(38,9)',
      [
        ...['0.000000000', '-0.500000000', '0.000000001', '999999999999999.000000000'],
        ...['-99999999999.990000000', '123456789012345678.500000000', '1.000000000'],
      ],
    ],
    [
      'date',
      ['"1600-02-29T23:59:59.5Z"', '"9999-12-31 10:01"', '"2024-02-29T10:00:00.1234560+03:00"'],
      'TIMESTAMP',
      ['1600-02-29 23:59:59.5', '9999-12-31 10:01:00', '2024-02-29 10:00:00.123456'],
    ],
    ['money', [`-${NINES_29}.123456789`], 'DECIMAL(38,9)', [`-${NINES_29}.123456789`]],
    [
      'date',
      ['"2024-10-15"', '"2024-10-15T10:00:00Z"', 'null'],
      'TIMESTAMP',
      ['2024-10-15 00:00:00', '2024-10-15 10:00:00', null],
    ],
    ['boolean', ['true', 'false', 'null'], 'BOOLEAN', ['true', 'false', null]],
    ['count', ['12', '0'], 'BIGINT', ['12', '0']],
    ['list', ['[1, "a"]', '[]', 'null'], 'VARCHAR', ['[1,"a"]', '[]', null]],
    ['text', ['10570', '"5-A"', '1E2', 'null'], 'VARCHAR', ['10570', '5-A', '1E2', null]],
    [undefined, ['"5-A"', '12.50', '[1, "a"]', 'null'], 'VARCHAR', ['5-A', '12.50', '[1,"a"]', null]],
    [undefined, ['true', '"5-A"'], 'VARCHAR', ['true', '5-A']],
    [undefined, ['"🧾 Ñandú"', '"\\u0000\\n\\"日本"', '""'], 'VARCHAR', ['🧾 Ñandú', '\0\n"日本', '']],
    [undefined, ['null', 'null'], 'VARCHAR', [null, null]],
    ['money', ['null'], 'DECIMAL(38,9)', [null]],
  ] as const)('of %s: %j', async (declared, values, type, read) => {
    expect(await column(declared, ...values)).toEqual([type, read]);
  });
});

describe('the columns', () => {
  it('are the union, by first appearance, with null where a record has none', async () => {
    expect(await written(['{"a":1,"b":{"c":"x"}}', '{"a":2,"late":true}', '{"b":{"c":null}}'])).toEqual({
      columns: [
        ['a', 'VARCHAR'],
        ['b.c', 'VARCHAR'],
        ['late', 'VARCHAR'],
      ],
      rows: [
        ['1', 'x', null],
        ['2', null, 'true'],
        [null, null, null],
      ],
    });
  });

  it('may have names with dots, quotes and the name of a prototype', async () => {
    const { columns } = await written(['{"a.b":1,"a":{"b":2},"__proto__":3,"it\\"s":4}']);
    expect(columns.map(([name]) => name)).toEqual(['a.b', 'a\\.b', '__proto__', 'it"s']);
  });

  it('of an empty listing are one that says so, since engines refuse a file without any', async () => {
    expect(await written([])).toEqual({ columns: [['_no_records', 'VARCHAR']], rows: [] });
  });
});

describe('a Parquet file', () => {
  it('refuses text with half a character, naming the record', async () => {
    await expect(written(['{"a":"fine"}', '{"a":"\\ud83e"}'])).rejects.toMatchObject({
      message: 'the column a of record 2 holds text with half a character in it, which Parquet cannot hold',
      hint: "Leave the column out with --columns '*,-a', or use --format jsonl, which holds every value.",
    });
  });

  it('refuses more cells, nearly all of them empty, than memory holds the places of', async () => {
    const wide = `{${Array.from({ length: 10_000 }, (_, at) => `"c${at}":1`).join(',')}}`;
    // A group of rows ends at so many cells, or at so many bytes.
    const large = JSON.stringify({ c1: 'x'.repeat(2 ** 23), c2: 'x'.repeat(2 ** 23) });
    const records = [wide, ...Array<string>(399).fill('{"c0":1}'), ...Array<string>(5).fill(large)];
    await expect(written(records)).rejects.toMatchObject({
      message: '405 records with 10000 different fields are too many cells for a Parquet file',
      hint: 'Name the columns you want with --columns, or use --format jsonl.',
    });
    expect((await written(records, { columns: ['c0'] })).rows).toHaveLength(405);
  });

  it('has row groups that are read as one, also where a column is nothing but null in most of them, or came late', async () => {
    const long = 'x'.repeat(60_000);
    const records = Array.from({ length: 700 }, (_, n) => {
      const late = n < 650 ? '' : `,"late":"${n % 3}"`;
      return `{"n":${n},"part":${n < 300 ? `"p${n % 5}"` : 'null'},"text":"${long}"${late}}`;
    });
    const { rows } = await written(records);
    expect(rows.map(([n, part, text, late]) => [n, part, text?.length, late])).toEqual(
      records.map((_, n) => [`${n}`, n < 300 ? `p${n % 5}` : null, 60_000, n < 650 ? null : `${n % 3}`]),
    );
  });

  it('has values of which most differ, though some come again', async () => {
    const records = Array.from(
      { length: 5_000 },
      (_, n) => `{"id":"${n % 4_900}","few":"${n < 10 ? n : 'x'}"}`,
    );
    const { rows } = await written(records);
    expect(rows).toEqual(records.map((_, n) => [`${n % 4_900}`, n < 10 ? `${n}` : 'x']));
  });
});

describe(`${INVOICES} invoices of the embedded service`, () => {
  it('are equal to their csv, value by value', { timeout: 300_000 }, async () => {
    const [lossless, csv, parquet] = ['jsonl', 'csv', 'parquet'].map((ending) =>
      join(temporaryFolder(), `all.${ending}`),
    );
    const fetched = await withSandbox(['--issued', `${INVOICES}`], (env) =>
      runHere(['issued', '-o', lossless!], { env }),
    );
    const env = { FOLIO_TOKEN: undefined };
    const made = [csv, parquet].map((file) => runHere(['issued', '--from', lossless!, '-o', file!], { env }));
    for (const run of [fetched, ...(await Promise.all(made))])
      expect(run).toMatchObject({ code: 0, stderr: '' });
    const [header, ...expected] = parseCsv(readFileSync(csv!));
    const { columns, rows } = await readParquet(parquet!);
    expect(columns.map(([name]) => name)).toEqual(header);
    expect(rows).toHaveLength(INVOICES);
    const different = rows.flatMap((row, index) =>
      row.flatMap((value, column) =>
        canonical(value ?? '') === canonical(expected[index]![column]!)
          ? []
          : [[header![column], expected[index]![column], value]],
      ),
    );
    expect(different.slice(0, 10)).toEqual([]);
  });
});

/** A number without exponent and without zeros at its ends, an instant as its day and time: what is equal is the same text. */
function canonical(text: string): string {
  const at = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d*?)0*)?Z?$/.exec(text);
  if (at !== null) return [at[1], at[2] === '00:00:00' ? '' : at[2], at[3] ?? ''].join(' ').trimEnd();
  const number = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (!number || (number[3] === undefined && number[4] === undefined)) return text;
  const [, sign, whole = '', fraction = '', exponent = '0'] = number;
  const shift = Number(exponent);
  const digits = shift < 0 ? '0'.repeat(-shift) + whole + fraction : whole + fraction + '0'.repeat(shift);
  const point = Math.max(whole.length, whole.length + shift);
  const [before, after] = [
    digits.slice(0, point).replace(/^0+(?=\d)/, ''),
    digits.slice(point).replace(/0+$/, ''),
  ];
  const value = after === '' ? before : `${before || '0'}.${after}`;
  return /^[0.]*$/.test(value) ? '0' : sign + value;
}
