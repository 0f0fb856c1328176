import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { describeDatabases, postgresForTests } from '../support/databases.ts';
import { needing } from '../support/programs.ts';
import { runSync } from '../support/run-against.ts';
import { open, sync } from './try-sync.ts';

const server = postgresForTests();

/** A line a row. */
async function ask(database: Database, sql: string): Promise<string[]> {
  return (await database.query(sql)).map((row) => row.map(String).join('|'));
}

const DUE = [
  ['"2026-11-01T00:00:00Z"', '2026-11-01'],
  ['"2026-11-01T23:30:00-04:00"', '2026-11-01'],
  ['"2026-11-01"', '2026-11-01'],
  ['"2024-02-29 10:00"', '2024-02-29'],
  ['"2026-02-29"', null],
  ['"2026-13-01"', null],
  ['"15/10/2024"', null],
  ['"soon"', null],
  ['1760000000', null],
  ['""', null],
  ['null', null],
] as const;

describeDatabases('the view of what is there, in %s', (newAddress) => {
  it('has the day of a date as it is written, and the table its text', async () => {
    const database = await open(await newAddress());
    const records = DUE.map(([due], id) => `{"id":${id},"dueBy":${due}}`);
    await sync(database, records);
    const rows = await ask(database, 'SELECT CAST("dueBy" AS text) FROM issued_current ORDER BY id');
    expect(rows).toEqual(DUE.map(([, day]) => String(day)));
    const sent = await ask(database, 'SELECT "dueBy" FROM issued ORDER BY id');
    expect(sent[0]).toBe('2026-11-01T00:00:00Z');
  });

  it('has the columns of the service that begin with an underscore', async () => {
    const database = await open(await newAddress());
    await sync(database, ['{"id":1,"_id":"a","_links":{"self":"/1"}}']);
    const own = await ask(database, 'SELECT _profile, "_id", "_links.self" FROM issued_current');
    expect(own).toEqual(['north|a|/1']);
  });
});

describe('the view of what is there, in PostgreSQL', needing('postgres'), () => {
  /** Of the columns of fields. */
  const typesOf = async (database: Database): Promise<object> => {
    const columns = [...(await database.relation('issued_current'))!.columns];
    return Object.fromEntries(columns.filter(([name]) => !name.startsWith('_')));
  };

  it('has days, money and instants as such', async () => {
    const database = await open(await server().createDatabase());
    const records = [
      '{"id":1,"dueBy":"2026-11-01T00:00:00Z","totalAmount":10.10,"unitPrice":null,"createdAt":"2026-10-31T22:00:00-03:00","local":"2026-10-31T22:00:00","note":"x"}',
      '{"id":2,"dueBy":null,"totalAmount":1E2,"unitPrice":null,"createdAt":"2026-11-01T00:00:00.5Z","local":"2026-11-01T00:00:00","note":"2026-01-01T00:00:00Z"}',
    ];
    for (const before of ['SELECT 1', 'DROP VIEW issued_current']) {
      await database.query(before);
      await sync(database, records);
      expect(await typesOf(database)).toEqual({
        ...{ id: 'numeric', dueBy: 'date', totalAmount: 'numeric', unitPrice: 'numeric' },
        ...{ createdAt: 'timestamp with time zone', local: 'text', note: 'text' },
      });
    }
    const month = `date_trunc('month', "dueBy")::date`;
    const sums = `SELECT ${month}, sum("totalAmount") FROM issued_current GROUP BY 1 ORDER BY 1`;
    expect(await ask(database, sums)).toEqual(['2026-11-01|10.10', 'null|100']);
    const instants = `SELECT "createdAt" AT TIME ZONE 'UTC' FROM issued_current ORDER BY id`;
    expect(await ask(database, instants)).toEqual(['2026-11-01 01:00:00', '2026-11-01 00:00:00.5']);
  });

  it('keeps the type of a column, so that views of the user stand, and shows nothing for what does not fit', async () => {
    const database = await open(await server().createDatabase());
    const first =
      '{"id":1,"totalAmount":1.10,"sentAt":"2026-11-01T00:00:00Z","paid":true,"tags":["a"],"x":5}';
    await sync(database, [first]);
    const before = await typesOf(database);
    await database.query(
      'CREATE VIEW mine AS SELECT sum("totalAmount") AS sum, max("sentAt") AS last, bool_or(paid) AS paid, count(x) AS x FROM issued_current',
    );
    const { written } = await sync(database, [
      first,
      '{"id":2,"totalAmount":"2.20","sentAt":"2026-11-02 or later","paid":"false","tags":"b","x":"n/a"}',
      '{"id":3,"totalAmount":"N/A","sentAt":"2026-11-02T00:00:00+20:00","paid":"perhaps","tags":7,"x":6}',
      '{"id":4,"totalAmount":{"of":1},"new":"2026-01-01","tags":["\\u0000"]}',
    ]);
    expect({ ...(await typesOf(database)), new: undefined }).toMatchObject(before);
    expect(await ask(database, 'SELECT sum, paid, x FROM mine')).toEqual(['3.30|t|2']);
    const sql = 'SELECT json_typeof(tags), tags #>> $${}$$ FROM issued_current ORDER BY id';
    const tags = ['array|["a"]', 'string|b', 'number|7', String.raw`string|["\u0000"]`];
    expect(await ask(database, sql)).toEqual(tags);
    expect(written!.unreadable).toEqual([
      { name: 'totalAmount', shownAs: 'number', records: 1 },
      { name: 'sentAt', shownAs: 'time', records: 2 },
      { name: 'x', shownAs: 'number', records: 1 },
      { name: '_total', shownAs: 'number', records: 3 },
    ]);
    const again = await sync(database, ['{"id":1,"totalAmount":1}']);
    expect(again.written!.unreadable).toEqual([]);
  });

  it('has a column from its first value on, in the type of that value', async () => {
    const database = await open(await server().createDatabase());
    await sync(database, ['{"id":1,"total":1,"sentAt":null,"note":null,"weight":null,"never":null}']);
    expect(Object.keys(await typesOf(database))).toEqual(['id', 'total']);
    await database.query('CREATE VIEW mine AS SELECT sum(total) AS sum FROM issued_current');
    const filled =
      '{"id":1,"total":1,"sentAt":"2026-11-01T00:00:00Z","note":"x","weight":1.5,"never":null,"new":true}';
    await sync(database, [filled]);
    expect(await typesOf(database)).toEqual({
      ...{ id: 'numeric', total: 'numeric', sentAt: 'timestamp with time zone' },
      ...{ note: 'text', weight: 'numeric', new: 'boolean' },
    });
    expect(await ask(database, 'SELECT note, weight, new FROM issued_current')).toEqual(['x|1.5|t']);
  });

  it('says once which dates it cannot show', async () => {
    const address = await server().createDatabase();
    const records = ['{"id":1,"dueBy":"15/10/2024"}', '{"id":2,"dueBy":"2024-10-15"}'];
    const synced = async (...issued: string[]) => {
      const { code, stderr } = await runSync({ issued }, [address, 'issued']);
      return [code, stderr];
    };
    const says =
      'warning: issued_current shows nothing in dueBy for 1 new or changed record, where it is not a date; issued has it as sent\n';
    expect(await synced(...records)).toEqual([0, says]);
    expect(await synced(...records)).toEqual([0, '']);
    expect(await synced(records[0]!.replace('15/10/2024', '0000-10-15'), records[1]!)).toEqual([0, says]);
  });
});
