import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runHere } from '../../support/run-here.ts';
import { fileOf, temporaryFolder } from '../../support/temporary-folder.ts';
import { askDuckDb, readParquet } from './read-parquet.ts';
import { expectRefused } from '../../support/expect-exit.ts';

/** An environment with a store that has these types of columns. */
async function typed(types: Readonly<Record<string, string>>): Promise<Record<string, string | undefined>> {
  const env = { FOLIO_CONFIG_DIR: temporaryFolder(), FOLIO_TOKEN: undefined };
  for (const [column, type] of Object.entries(types)) {
    const { code, stderr } = await runHere(['config', 'set', `types.${column}`, type], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  }
  return env;
}

/** An export of these records, as a file of the folder. */
async function exported(
  folder: string,
  name: string,
  records: readonly string[],
  { flags = [], env }: { flags?: readonly string[]; env?: Awaited<ReturnType<typeof typed>> } = {},
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const from = fileOf(records.map((record) => `${record}\n`).join(''), 'records.jsonl');
  const output = join(folder, `${name}.parquet`);
  const { code, stderr } = await runHere(['issued', '--from', from, '-o', output, ...flags], env && { env });
  expect({ name, code, stderr }).toEqual({ name, code: 0, stderr: '' });
}

describe('a folder of months', () => {
  it('has the sums of its records and the same types, whatever a month holds', async () => {
    const folder = join(temporaryFolder(), 'months');
    const months = [
      [
        '{"number":1,"totalAmount":60,"date":"2026-01-15","dueBy":null}',
        '{"number":"1-A","unit_price":1E2,"date":""}',
      ],
      ['{"totalAmount":12345678901234567890.5,"date":"2026-02-15T23:59:59.999999-03:00"}', '{"number":null}'],
      [],
      ['{"totalAmount":-0.99,"unit_price":0.000000001,"dueBy":"2026-04-15 08:15:00","late":"x"}'],
    ];
    for (const [nth, records] of months.entries()) await exported(folder, String(nth), records);
    const files = `read_parquet('${folder}/*.parquet', union_by_name = true)`;
    const sql = `select sum(totalAmount), sum(unit_price), count(*), max(date) from ${files}`;
    expect(await askDuckDb(sql)).toEqual([
      ['12345678901234567949.510000000', '100.000000001', '5', '2026-02-15 23:59:59.999999'],
    ]);
    const described = await askDuckDb(
      `select column_name, column_type from (describe select * from ${files})`,
    );
    expect(described).toEqual(
      expect.arrayContaining([
        ['number', 'VARCHAR'],
        ['totalAmount', 'DECIMAL(38,9)'],
        ['unit_price', 'DECIMAL(38,9)'],
        ['date', 'TIMESTAMP'],
        ['dueBy', 'TIMESTAMP'],
      ]),
    );
  });

  it('is read from its first file on, where all have the same columns', async () => {
    const folder = join(temporaryFolder(), 'months');
    const columns = { flags: ['--columns', 'number,date,totalAmount'] };
    await exported(folder, '01', ['{"number":1,"date":"2026-01-15","totalAmount":60}'], columns);
    await exported(folder, '02', ['{"number":2,"date":"2026-02-15T08:00:00Z","totalAmount":0.99}'], columns);
    expect(await askDuckDb(`select sum(totalAmount), max(date) from '${folder}/*.parquet'`)).toEqual([
      ['60.990000000', '2026-02-15 08:00:00'],
    ]);
  });
});

describe('a Parquet file of a listing', () => {
  it('has all declared columns, with their types, where it has no records', async () => {
    const folder = temporaryFolder();
    await exported(folder, 'empty', [], { env: await typed({ branch: 'integer' }) });
    const { columns, rows } = await readParquet(join(folder, 'empty.parquet'));
    expect(rows).toEqual([]);
    // Strict readers, such as arrow-rs, want the list of row groups (0x19) to say that it is one of structs (0x0c).
    const file = readFileSync(join(folder, 'empty.parquet'), 'latin1');
    expect(file.slice(file.lastIndexOf('folio') - 4).slice(0, 2)).toBe('\x19\x0c');
    // Those of all listings are in `test/resources/columns.test.ts`.
    expect(columns).toContainEqual(['dueBy', 'TIMESTAMP']);
    expect(columns).toContainEqual(['branch', 'BIGINT']);
    expect(columns.map(([name]) => name)).toEqual(
      expect.not.arrayContaining(['payments.amount', 'categories.name']),
    );
  });

  it('has the types that the user names', async () => {
    const folder = temporaryFolder();
    const types = {
      ...{ a: 'number', b: 'number(12,2)', c: 'integer', d: 'text', e: 'date', f: 'timestamp', g: 'json' },
      ...{ h: 'boolean', totalAmount: 'text' },
    };
    const record =
      '{"a":1,"b":10.5,"c":7,"d":1.50,"e":"2026-11-21","f":"2026-11-21","g":"x","h":true,"totalAmount":"?"}';
    const empty = '{"a":null,"b":"","e":""}';
    await exported(folder, 'typed', [record, empty], { env: await typed(types) });
    const { columns, rows } = await readParquet(join(folder, 'typed.parquet'));
    expect(columns.map(([, type]) => type).join(' ')).toBe(
      'DECIMAL(38,9) DECIMAL(12,2) BIGINT VARCHAR DATE TIMESTAMP VARCHAR BOOLEAN VARCHAR',
    );
    expect(rows).toEqual([
      ['1.000000000', '10.50', '7', '1.50', '2026-11-21', '2026-11-21 00:00:00', '"x"', 'true', '?'],
      Array.from({ length: 9 }, () => null),
    ]);
  });

  const MONEY = 'a number of at most 29 digits before and 9 after the point';
  const DATE = 'a date such as 2026-11-21 or 2026-11-21T10:00:00Z';

  it.each([
    ['"totalAmount":"N/A"', 'totalAmount', '"N/A"', MONEY],
    ['"totalAmount":1.0000000001', 'totalAmount', '1.0000000001', MONEY],
    ['"unitPrice":1e29', 'unitPrice', '1e29', MONEY],
    ['"dueBy":"15/10/2026"', 'dueBy', '"15/10/2026"', DATE],
    ['"date":"2026-02-30"', 'date', '"2026-02-30"', DATE],
    ['"date":1791849600', 'date', '1791849600', DATE],
  ])('refuses %s, with its record and the way out', async (member, column, value, expected) => {
    const folder = temporaryFolder();
    const from = join(folder, 'all.jsonl');
    writeFileSync(from, `{"id":"a","totalAmount":1}\n{"id":"b",${member}}\n`);
    const args = ['issued', '--from', from, '-o', join(folder, 'all.parquet')];
    const refused = await runHere(args);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(
      `the column ${column} of record 2 holds ${value}, which is not ${expected}`,
    );
    expect(refused.stderr).toContain(`folio config set 'types.${column}' text`);
    const { code, stderr } = await runHere(args, { env: await typed({ [column]: 'text' }) });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('has the type of a column under its heading, too, and a list of settings names it', async () => {
    const folder = temporaryFolder();
    const env = await typed({ 'customer.code': 'number(4,1)' });
    const columns = ['--columns', 'Code=customer.code'];
    await exported(folder, 'headed', ['{"customer":{"code":7}}'], { env, flags: columns });
    expect((await readParquet(join(folder, 'headed.parquet'))).columns).toEqual([['Code', 'DECIMAL(4,1)']]);
    const { stdout, stderr } = await runHere(['config', 'list'], { env });
    expect([stdout.toString(), stderr]).toEqual(['types.customer.code  number(4,1)\n', '']);
  });

  it.each([
    ['decimal', 'types.number "decimal": expected number, number(digits,decimals)'],
    ['number(39,2)', 'types.number "number(39,2)": expected number'],
    ['number(2,3)', 'types.number "number(2,3)": expected number'],
  ])('has no type %s', async (type, message) => {
    const env = await typed({});
    await expectRefused(runHere(['config', 'set', 'types.number', type], { env }), message);
  });
});
