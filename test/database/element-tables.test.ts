import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Database, StoredRow } from '../../src/database/database.ts';
import { listsWithTables } from '../../src/database/element-tables.ts';
import { writeSync, type SyncPart } from '../../src/database/sync-run.ts';
import { ServiceError } from '../../src/errors.ts';
import { ask, describeDatabases, postgresForTests } from '../support/databases.ts';
import { randomRuns } from '../support/random-runs.ts';
import { randomFrom } from '../support/random.ts';
import { runHere } from '../support/run-here.ts';
import { runSync } from '../support/sync-service.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { open, options, part } from './try-sync.ts';

const server = postgresForTests();

const newAddress = async (engine: string): Promise<string> =>
  engine === 'SQLite' ? join(temporaryFolder(), 'books.db') : server().createDatabase();

const record = (id: string, payments?: string, more = ''): string =>
  `{"id":"${id}"${payments === undefined ? '' : `,"payments":${payments}`}${more}}`;

async function sync(
  database: Database,
  texts: readonly string[],
  { lists = [] as readonly string[], ...more }: Partial<SyncPart> & { lists?: readonly string[] } = {},
): ReturnType<typeof writeSync> {
  return writeSync(database, [await part(texts, more)], { ...options, lists });
}

const rowsOf = async (database: Database, what = '_key, _index, _raw'): Promise<string[]> =>
  (await database.query(`SELECT ${what} FROM issued_payments ORDER BY _profile, _key, _index`)).map(
    (row: StoredRow) => row.map((cell) => String(cell ?? '')).join('|'),
  );

describeDatabases('the table of a list, in %s', (engine) => {
  const LISTS = { lists: ['payments'] };

  it('has a row for each object, and follows what is added, removed and put in another order', async () => {
    const database = await open(await newAddress(engine));
    const [one, two, three] = ['{"amount":1.10}', '{"amount":2,"by":"x"}', '{"amount":3.30}'];
    const first = [record('a', `[${one},${two}]`), record('b', '[]'), record('c', 'null'), record('d')];
    await sync(database, first, LISTS);
    expect(await rowsOf(database, '_key, _index, amount, by, _changed_run')).toEqual([
      engine === 'SQLite' ? 'a|0|1.1||1' : 'a|0|1.10||1',
      'a|1|2|x|1',
    ]);
    await sync(database, [record('a', `[${two},${one}]`), ...first.slice(1)], LISTS);
    expect(await rowsOf(database)).toEqual([`a|0|${two}`, `a|1|${one}`]);
    await sync(database, [record('a', `[${two}]`), record('b', `[${three}]`)], LISTS);
    expect(await rowsOf(database, '_key, _index, _raw, _changed_run')).toEqual([
      `a|0|${two}|3`,
      `b|0|${three}|3`,
    ]);
    await sync(database, [record('a', 'null', ',"note":1'), record('b', `[${three}]`, ',"note":1')], LISTS);
    // The record has changed, but not its list.
    expect(await rowsOf(database, '_key, _index, _raw, _changed_run')).toEqual([`b|0|${three}|3`]);
    // What a list was, in its order, is in the history of the records.
    const history = `SELECT _run, _raw FROM issued_history WHERE _key = 'a' ORDER BY _run`;
    expect((await database.query(history)).map(([run, raw]) => `${String(run)}|${String(raw)}`)).toEqual([
      `2|${record('a', `[${one},${two}]`)}`,
      `3|${record('a', `[${two},${one}]`)}`,
      `4|${record('a', `[${two}]`)}`,
    ]);
    await database.close();
  });

  it('has all of a long list, in its order', async () => {
    const database = await open(await newAddress(engine));
    const list = Array.from({ length: 450 }, (_, at) => `{"n":${at * 7}}`);
    await sync(database, [record('a', `[${list.join(', ')}]`), record('b', '[{"n":1}]')], LISTS);
    expect(await rowsOf(database)).toEqual([...list.map((raw, at) => `a|${at}|${raw}`), 'b|0|{"n":1}']);
    await database.close();
  });

  it('keeps the rows of a record that is gone, which the view does not show', async () => {
    const database = await open(await newAddress(engine));
    await sync(database, [record('a', '[{"n":1}]'), record('b', '[{"n":2}]')], LISTS);
    await sync(database, [record('a', '[{"n":1}]')], LISTS);
    expect(await rowsOf(database, '_key, n')).toEqual(['a|1', 'b|2']);
    const current = 'SELECT _profile, _key, _index, n FROM issued_payments_current';
    expect(await database.query(current)).toHaveLength(1);
    await sync(database, [record('a', '[{"n":1}]'), record('b', '[{"n":3}]')], LISTS);
    expect((await database.query(current)).map((row) => String(row[3])).toSorted()).toEqual(['1', '3']);
    await database.close();
  });

  it('is made of records that are there already, and kept by later syncs that do not name it', async () => {
    const database = await open(await newAddress(engine));
    const texts = [record('a', '[{"n":1},{"n":2}]'), record('b', '[]')];
    await sync(database, texts);
    expect(await database.relation('issued_payments')).toBeUndefined();
    await sync(database, texts, LISTS);
    expect(await rowsOf(database, '_key, n')).toEqual(['a|1', 'a|2']);
    await sync(database, [record('a', '[{"n":2}]'), record('b', '[{"n":4}]')]);
    expect(await rowsOf(database, '_key, n')).toEqual(['a|2', 'b|4']);
    await sync(database, [record('a', '[{"n":7}]')], { profile: 'south' });
    expect(await rowsOf(database, '_profile, _key, n')).toEqual(['north|a|2', 'north|b|4', 'south|a|7']);
    expect(await listsWithTables(database, 'issued')).toEqual(['payments']);
    await database.close();
  });

  it('is kept where no list had an object when it was made', async () => {
    const database = await open(await newAddress(engine));
    await sync(database, [record('a', '[]')], LISTS);
    expect(await rowsOf(database)).toEqual([]);
    await sync(database, [record('a', '[{"n":1}]')]);
    expect(await rowsOf(database, '_key, n')).toEqual(['a|1']);
    await database.close();
  });

  it('stays as it was where the listing failed, or too many records would go', async () => {
    const database = await open(await newAddress(engine));
    const texts = Array.from({ length: 30 }, (_, at) => record(`r${at}`, `[{"n":${at}}]`));
    await sync(database, texts, LISTS);
    const before = await rowsOf(database);
    await sync(database, [], { ...LISTS, outcome: new ServiceError('the service failed') });
    const limited = { ...options, goneLimit: { most: 10, unit: '%' } as const, lists: ['payments'] };
    await writeSync(database, [await part([record('r0', '[{"n":99}]')])], limited);
    expect(await rowsOf(database)).toEqual(before);
    await database.close();
  });

  it('gives a column text where its values are of several kinds, also those that are there', async () => {
    const database = await open(await newAddress(engine));
    await sync(database, [record('a', '[{"n":1.50},{"n":2}]')], LISTS);
    const { parts } = await sync(
      database,
      [record('a', '[{"n":1.50},{"n":2}]'), record('b', '[{"n":"x","_key":"own","_index":7}]')],
      LISTS,
    );
    expect(parts[0]!.elements![0]).toMatchObject({ retyped: [{ name: 'n' }] });
    expect(await rowsOf(database, '_key, n, _key_2, _index_2')).toEqual(['a|1.50||', 'a|2||', 'b|x|own|7']);
    await database.close();
  });

  it('tells of records that have something else there', async () => {
    const database = await open(await newAddress(engine));
    const texts = [record('a', '[{"n":1}]'), record('b', '"none"'), record('c', '[1]')];
    const { parts } = await sync(database, texts, { lists: ['payments', 'zzz'] });
    expect(parts[0]!.elements).toMatchObject([
      { list: 'payments', found: 1, others: 2, firstOther: 'in record 2 it is the text "none"' },
      { list: 'zzz', found: 0, others: 0 },
    ]);
    expect(await database.relation('issued_zzz')).toBeUndefined();
    await database.close();
  });

  it('agrees with a model, whatever came before', async () => {
    const runs = randomRuns(30);
    for (let seed = 0; seed < runs; seed++) {
      const draw = randomFrom(seed);
      const database = await open(await newAddress(engine));
      const listings = new Map<string, Map<string, string[] | undefined>>([
        ['north', new Map()],
        ['south', new Map()],
      ]);
      const model = new Map<string, string[]>();
      let isKept = false;
      for (let syncs = 0; syncs < 6; syncs++) {
        const profile = draw(3) === 0 ? 'south' : 'north';
        const listed = listings.get(profile)!;
        for (let edits = draw(6); edits > 0; edits--) {
          const id = `R${draw(6)}`;
          const element = (): string =>
            `{"n":${draw(4)}${draw(3) === 0 ? `,"late${draw(3)}":"${draw(2)}"` : ''}}`;
          if (draw(4) === 0) listed.delete(id);
          else listed.set(id, draw(4) === 0 ? undefined : Array.from({ length: draw(4) }, element));
        }
        const fails = draw(6) === 0;
        const isAsked = draw(2) === 0;
        const texts = [...listed].map(([id, list]) => record(id, list && `[${list.join(',')}]`));
        await sync(database, texts, {
          profile,
          lists: isAsked ? ['payments'] : [],
          ...(fails && { outcome: new ServiceError('the service failed') }),
        });
        if (fails) continue;
        isKept ||= isAsked && [...listed.values()].some((list) => list !== undefined);
        if (isKept) for (const [id, list] of listed) model.set(`${profile}|${id}`, list ?? []);
      }
      const expected = [...model].flatMap(([key, list]) =>
        list.map((raw, index) => `${key}|${index}|${raw}`),
      );
      const found = isKept ? await rowsOf(database, '_profile, _key, _index, _raw') : [];
      expect({ seed, rows: found.toSorted() }).toEqual({ seed, rows: expected.toSorted() });
      await database.close();
    }
  });
});

describeDatabases('folio sync --tables, in %s', (engine) => {
  const invoice = (id: number, amounts: readonly string[]): string =>
    `{"id":${id},"number":${id},"currency":"CLP","payments":[${amounts.map((amount) => `{"amount":${amount},"receipt":"https://files.example.com/a.pdf?X-Amz-Signature=abc"}`).join(',')}]}`;

  it('joined to the records has the sums that folio has, and no links', async () => {
    const address = await newAddress(engine);
    const issued = [invoice(1, ['1.10', '2.20']), invoice(2, []), invoice(3, ['10'])];
    const { code, stderr } = await runSync({ issued }, [address, 'issued', '--tables', 'payments']);
    expect([code, stderr]).toEqual([0, '']);
    const sql = 'FROM issued_current AS i JOIN issued_payments p ON p._key = CAST(i.id AS text)';
    expect(await ask(address, `SELECT count(*), sum(amount) ${sql}`)).toEqual([
      engine === 'SQLite' ? '3|13.3' : '3|13.30',
    ]);
    const argv = [
      'issued',
      '--from',
      address,
      '--expand',
      'payments',
      '--sum',
      'payments.amount',
      '--no-header',
    ];
    expect((await runHere(argv)).stdout.toString()).toBe('CLP,4,13.30,1\n');
    expect(
      await ask(address, "SELECT count(*) FROM issued_payments WHERE CAST(_raw AS text) LIKE '%X-Amz%'"),
    ).toEqual(['0']);
    expect(await ask(address, 'SELECT payments FROM issued WHERE number = 2')).toEqual(['[]']);
  });

  it('refuses a table or a view of that name which folio did not make, and touches nothing', async () => {
    for (const made of [
      'CREATE TABLE issued_payments (a integer)',
      'CREATE VIEW issued_payments_current AS SELECT 1 AS a',
    ]) {
      const address = await newAddress(engine);
      if (engine === 'SQLite') await ask(address, 'CREATE TABLE mine (a integer)');
      await ask(address, made);
      const { code, stderr } = await runSync({ issued: [invoice(1, ['1'])] }, [
        address,
        'issued',
        '--tables',
        'payments',
      ]);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/has a table or view issued_payments\S* that folio did not make/),
      ]);
    }
  });
});

describe('folio sync --tables', () => {
  it.each(['history', 'current', 'HISTORY', 'payments,Payments', 'payments,payments_current'])(
    'refuses %s, whose name another table or view has',
    async (lists) => {
      const { code, stderr } = await runSync({}, [join(temporaryFolder(), 'b.db'), '--tables', lists]);
      expect([code, stderr]).toEqual([2, expect.stringContaining('folio has another table or view issued_')]);
    },
  );

  it('warns of what no record has, and of what is no list of objects', async () => {
    const path = join(temporaryFolder(), 'b.db');
    const records = { issued: ['{"id":1,"status":"PAID"}'], received: [] };
    const { code, stderr } = await runSync(records, [
      path,
      'issued',
      'received',
      '--tables',
      'paymnts,status',
    ]);
    expect(code).toBe(0);
    expect(stderr).toBe(
      'warning: issued: 1 record of issued without rows in issued_status: status is no list of objects (in record 1 it is the text "PAID")\n' +
        'warning: --tables paymnts: no record has such a column, so there is no table\n',
    );
    const planned = await runSync(records, [path, 'issued', 'received', '--tables', 'payments', '--plan']);
    expect([planned.code, planned.stderr]).toEqual([
      0,
      '--tables: not counted are rows of issued_payments, received_payments, which follow the records that are added, changed and gone\n',
    ]);
    const empty = await runSync({ issued: [] }, [path, 'issued', '--tables', 'payments']);
    expect([empty.code, empty.stderr]).toEqual([0, '']);
  });
});
