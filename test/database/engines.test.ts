import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeSync } from '../../src/database/sync-run.ts';
import { StoredBooks } from '../../src/database/read-back.ts';
import { newestRuns } from '../../src/database/tables.ts';
import { ask, describeDatabases, postgresForTests } from '../support/databases.ts';
import { needing } from '../support/programs.ts';
import { textsOf } from '../support/records.ts';
import { open, options, part, recordsIn, sync } from './try-sync.ts';

const server = postgresForTests();

const invoices = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `{"id":${at},"number":"F-${at}"}`);

describeDatabases('%s', (newAddress, engine) => {
  it('gives back the records of a profile as they came, but for signed links', async () => {
    const database = await open(await newAddress());
    const texts = [
      '{ "id" : "a",\n "n": 1190.10, "n": 12345678901234567890.10 }',
      '{"files":[{"fileUrl":"https://x.example/a?sig=1"},{"fileUrl" : "https:\\/\\/x\\"y"},{"fileUrl":null}],"id":"b","s":"\\u0000 \\ud800 tab\\t"}',
      // More than one piece of what the database sends, each of which may end within a letter.
      `{"id":"long","s":"${'€'.repeat(100_000)}"}`,
    ];
    await sync(database, texts);
    await sync(database, ['{"id":"c"}'], { profile: 'south' });
    const again = await sync(database, texts.with(1, texts[1]!.replace('sig=1', 'sig=2')));
    expect(again).toMatchObject({ counts: { changed: 0, gone: 0, added: 0 } });
    expect(await new StoredBooks(database).profilesIn('issued')).toEqual(['north', 'south']);
    const unlinked = texts[1]!.replace('"https://x.example/a?sig=1"', 'null');
    const withoutLinks = unlinked.replace('"https:\\/\\/x\\"y"', 'null');
    expect(await recordsIn(database)).toEqual(texts.with(1, withoutLinks));
  });

  it('is read once after the other on one connection, also after a reading that stops early', async () => {
    const database = await open(await newAddress());
    await sync(database, ['{"id":"a"}', '{"id":"b"}']);
    const books = new StoredBooks(database);
    const read = async (): Promise<string[]> => {
      const texts: string[] = [];
      for await (const batch of books.read('issued', { profile: 'north' })) texts.push(...textsOf(batch));
      return texts;
    };
    const stopped = books.read('issued', { profile: 'north' });
    await stopped.next();
    const others = [read(), read()];
    await stopped.return(undefined);
    expect(await Promise.all(others)).toEqual(others.map(() => ['{"id":"a"}', '{"id":"b"}']));
    const ofNoFund = books.read('issued', { profile: 'north', where: { column: 'fundId', value: '1' } });
    expect((await ofNoFund.next()).done).toBe(true);
  });

  it('holds any text, but for NUL, which its columns show as U+FFFD', async () => {
    const special = fc.constantFrom(...'\\\t\n\r\b\f\v\x01\0Nñ"\'');
    const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.string({ unit: special }));
    const texts = [...fc.sample(text, 300), String.raw`\u0000`, String.raw`\N`];
    const records = texts.map((a, id) => JSON.stringify({ id, a, list: [a] }));
    const database = await open(await newAddress());
    await sync(database, records);
    const rows = await database.query('SELECT a, list, _raw FROM issued ORDER BY id');
    expect(rows).toEqual(
      texts.map((a, id) => [a.replaceAll('\0', '\uFFFD'), JSON.stringify([a]), records[id]]),
    );
    expect(await recordsIn(database)).toEqual(records);
  });

  it('gives back records in order of a date, those of one date as they came or turned', async () => {
    const database = await open(await newAddress());
    const dates = { a: '2026-01-02', b: '2026-01-01', c: '2026-01-02', d: undefined };
    const records = Object.entries(dates).map(([id, date]) => JSON.stringify({ id, date }));
    await sync(database, records);
    await sync(database, records.with(0, records[0]!.replace('}', ',"n":1}')));
    const inOrder = async (descending: boolean, isReversed: boolean): Promise<string> => {
      const texts = await recordsIn(database, 'north', { column: 'date', descending, isReversed });
      return texts.map((text) => text.slice(7, 8)).join('');
    };
    expect([await inOrder(false, false), await inOrder(true, false)]).toEqual(['bacd', 'acbd']);
    expect([await inOrder(false, true), await inOrder(true, true)]).toEqual(['bcad', 'cabd']);
    if (engine === 'SQLite') return;
    // As older versions made it.
    await database.query('ALTER TABLE issued DROP COLUMN _row');
    expect(await inOrder(false, false)).toBe('bcad');
    await sync(database, records);
    expect(await inOrder(false, false)).toBe('bcad');
  });

  it('gives names that the database cannot have, or has already, a suffix', async () => {
    const database = await open(await newAddress());
    const long = 'x'.repeat(64);
    await sync(database, [
      `{"id":1,"Name":1,"name":2,"__proto__":3,"_key":4,"${long}":5,"${long}y":6,"":7,"a\\u0000":8,"what?":9}`,
    ]);
    const columns = await database.query('SELECT field, "column" FROM _columns');
    const cut = engine === 'SQLite' ? [long, `${long}y`] : [`${'x'.repeat(61)}_1`, `${'x'.repeat(61)}_2`];
    expect(Object.fromEntries(columns)).toEqual({
      ...{ id: 'id', Name: 'Name', name: 'name_2', ['__proto__']: '__proto__', _key: '_key_2' },
      ...{ [long]: cut[0], [`${long}y`]: cut[1], '': '(empty)', 'a\uFFFD': 'a\uFFFD', 'what?': 'what?' },
    });
    expect(await sync(database, [`{"id":1,"name":3,"what?":4}`])).toMatchObject({ counts: { changed: 1 } });
    const [row] = await database.query('SELECT "Name", name_2, "what?" FROM issued');
    expect(row!.map((cell) => cell && Number(cell))).toEqual([null, 3, 4]);
  });
});

describeDatabases('a run that was overtaken, in %s', (newAddress) => {
  it('leaves what the newer run wrote of the same listing, and writes the others', async () => {
    const database = await open(await newAddress());
    await sync(database, invoices(2));
    const lastRun = (await newestRuns(database)).at(-1)!.run;
    expect(lastRun).toBe(1);
    await sync(database, invoices(3));
    const old = await part(invoices(1));
    const other = await part(invoices(4), { profile: 'south' });
    const parts = await writeSync(database, [old, other], { ...options, lastRun });
    expect(parts.map(({ error }) => error?.message)).toEqual([
      expect.stringMatching(/^issued of north was synced into .* by another run, number 2, while this one/),
      undefined,
    ]);
    const rows = await database.query('SELECT _profile, count(*) FROM issued_current GROUP BY 1 ORDER BY 1');
    expect(rows.map((row) => row.join(' '))).toEqual(['north 3', 'south 4']);
  });
});

describe('PostgreSQL alone', needing('postgres'), () => {
  it('names the view that keeps a type from changing', async () => {
    const database = await open(await server().createDatabase());
    await sync(database, ['{"id":1,"amount":1.10}']);
    await database.query('CREATE VIEW totals AS SELECT sum(amount) FROM issued');
    await expect(sync(database, ['{"id":1,"amount":"x"}'])).rejects.toMatchObject({
      message: expect.stringMatching(/: rule _RETURN on view totals depends on column "amount"$/) as string,
      hint: 'Drop the view, run folio sync again, and make it again.',
    });
    expect(await database.query('SELECT amount FROM issued')).toEqual([['1.10']]);
    // Others are no hindrance to a new column.
    await sync(database, ['{"id":1,"amount":1.10,"new":2}']);
    await database.query('DROP VIEW totals');
    await sync(database, ['{"id":1,"amount":"x"}']);
    expect(await database.query('SELECT amount FROM issued')).toEqual([['x']]);
  });

  it('lets one run at a time write, and says who does', async () => {
    const address = await server().createDatabase();
    const [first, second] = [await open(address), await open(address)];
    await first.begin();
    await expect(second.begin()).rejects.toThrow(
      /is being synced by folio, process \d+ on .* \(books, from 127\.0\.0\.1, since \d\d:\d\d:\d\d\)$/,
    );
    await first.commit();
    await second.begin();
    // Another database of the same server has books of its own.
    const other = await open(await server().createDatabase());
    await other.begin();
  });

  it('speaks of another session where it may not see whose that is', async () => {
    const address = await server().createDatabase();
    const holder = await open(address);
    await holder.begin();
    await ask(address, 'CREATE ROLE reader LOGIN; GRANT CREATE, USAGE ON SCHEMA public TO reader');
    const reader = await open(address.replace('books@', 'reader@'));
    await expect(reader.begin()).rejects.toThrow(/is being synced by another session$/);
  });

  it('goes on, in a transaction and without one, where a reader of many rows stops', async () => {
    const database = await open(await server().createDatabase());
    const stopped = async (): Promise<unknown> => {
      for await (const _ of database.stream('SELECT * FROM generate_series(1, 100000)')) break;
      return database.query('SELECT 1');
    };
    expect(await stopped()).toEqual([['1']]);
    await database.begin();
    expect([await stopped(), await stopped()]).toEqual([[['1']], [['1']]]);
    await database.commit();
  });

  it('works in a schema and with fields whose names have marks of parameters, and with another form of dates', async () => {
    const address = await server().createDatabase();
    await ask(address, 'CREATE SCHEMA "what?$1"');
    const database = await open(
      `${address}?options=${encodeURIComponent('-c search_path="what?$1" -c datestyle=German')}`,
    );
    await sync(database, ['{"id":1,"a?":"x\\\\y","b$1":2}']);
    const synced = await sync(database, ['{"id":1,"a?":"z\\\\?","b$1":3}']);
    expect(synced).toMatchObject({ counts: { changed: 1 }, error: undefined });
    expect(await database.query('SELECT "a?", "b$1" FROM issued')).toEqual([['z\\?', '3']]);
    expect((await newestRuns(database))[0]!.at).toBe(new Date(options.clock.now()).toISOString());
    await database.close();
    await expect(database.query('SELECT 1')).rejects.toThrow(/^postgres:.* is closed$/);
    await expect(open(`${address}?options=-csearch_path%3Dnowhere`)).rejects.toMatchObject({
      message: expect.stringMatching(/ has no schema for folio’s tables$/),
      hint: expect.stringContaining('CREATE SCHEMA'),
    });
  });

  it('tries a transaction again that met another one', async () => {
    const address = await server().createDatabase();
    const [ours, theirs] = [await open(address), await open(address)];
    await sync(ours, ['{"id":1,"a":1}']);
    let met = 0;
    const begin = ours.begin.bind(ours);
    ours.begin = async () => {
      await begin();
      // The snapshot is taken by the first query; then somebody else changes the same row.
      await ours.query('SELECT count(*) FROM issued');
      if (met++ === 0) await theirs.query("UPDATE issued SET _hash = 'other'");
    };
    const { counts } = await sync(ours, ['{"id":1,"a":2}']);
    expect([met, counts.changed]).toEqual([2, 1]);
  });
});
