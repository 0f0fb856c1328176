import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { writeSync } from '../../src/database/sync-run.ts';
import { ServiceError } from '../../src/errors.ts';
import { countFigure, randomRuns, randomFrom } from '../support/random-runs.ts';
import { ask, describeDatabases, postgresForTests } from '../support/databases.ts';
import { hasProgram } from '../support/programs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { SyncModel, cellText, hashOf, recordText } from './sync-model.ts';
import { connect, options, part, recordsIn } from './try-sync.ts';

const RUNS = randomRuns(100);
const SYNCS = 5;
/** Databases that are synced at a time: where there is a server, most of a sync is waiting for it. */
const TOGETHER = 4;

const server = postgresForTests();
let address = '';
beforeAll(async () => {
  if (hasProgram('postgres')) address = await server().createDatabase();
});

const LONG = 'aVeryLongFieldNameThatGoesOnAndOnUntilNoDatabaseOfThisKindTakesIt';

type Draw = (below: number) => number;

const VALUES: Readonly<Record<string, readonly ((draw: Draw) => string)[]>> = {
  amount: [
    (draw) => `${draw(100_000)}.${10 + draw(90)}`,
    (draw) => `${draw(10)}`,
    () => '12345678901234567890.1234567890',
    () => '-9007199254740993',
  ],
  note: [(draw) => JSON.stringify(`Ñandú ${draw(9)}\n\t"\\`), () => '"a\\u0000b"', () => '""', () => 'null'],
  open: [() => 'true', () => 'false', () => 'null'],
  lines: [(draw) => `[1.10,{"x":"${draw(9)}"}]`, () => '[]'],
  'party.name': [(draw) => `"P${draw(5)}"`],
  'party.Name': [(draw) => `"Q${draw(5)}"`],
  // Changes its mind about what it is.
  mixed: [(draw) => `${draw(99)}`, (draw) => `"${draw(99)}"`, () => 'true', () => '7.50', () => '[2]'],
  late: [() => 'null', () => 'null', (draw) => `${draw(9)}.5`],
  __proto__x: [(draw) => `${draw(9)}`],
  _key: [(draw) => `"own ${draw(9)}"`],
  xmin: [(draw) => `"${draw(9)}"`],
  [LONG]: [(draw) => `"${draw(9)}"`],
  [`${LONG}ToBeSure`]: [(draw) => `"${draw(9)}"`],
};

function randomRecord(id: string, draw: Draw): Map<string, string> {
  const fields = new Map([['id', JSON.stringify(id)]]);
  for (const [name, makers] of Object.entries(VALUES)) {
    if (draw(10) < 6)
      fields.set(name === '__proto__x' ? '__proto__' : name, makers[draw(makers.length)]!(draw));
  }
  return fields;
}

/** What the service may list next: some edits of what it listed. */
function edited(
  before: ReadonlyMap<string, Map<string, string>>,
  draw: Draw,
): Map<string, Map<string, string>> {
  const next = new Map(before);
  for (let edits = draw(8); edits > 0; edits--) {
    const id = `R${draw(12)}`;
    if (draw(3) === 0) next.delete(id);
    else next.set(id, randomRecord(id, draw));
  }
  return next;
}

async function run(seed: number, database: Database): Promise<void> {
  const draw = randomFrom(seed);
  const model = new SyncModel();
  const listings = new Map<string, Map<string, Map<string, string>>>();
  for (let syncs = 0; syncs < SYNCS; syncs++) {
    const profile = draw(4) === 0 ? 'south' : 'north';
    const fails = draw(8) === 0;
    const next = edited(listings.get(profile) ?? new Map(), draw);
    const more = { profile, ...(fails && { outcome: new ServiceError('the service failed') }) };
    const texts = [...next.values()].map(recordText);
    await writeSync(database, [await part(texts, more)], options);
    model.sync(profile, fails ? undefined : next);
    if (!fails) listings.set(profile, next);
  }
  await expectModel(database, model);
  for (const [profile, records] of listings) {
    const texts = await recordsIn(database, profile);
    expect(texts.toSorted()).toEqual([...records.values()].map(recordText).toSorted());
  }
}

async function expectModel(database: Database, model: SyncModel): Promise<void> {
  const { engine } = database.dialect;
  const runs = await database.query(
    'SELECT run, profile, complete, total, added, changed, gone, back FROM _runs ORDER BY run',
  );
  const flag = (value: unknown): unknown => (value === 't' ? 1 : value === 'f' ? 0 : value);
  expect(runs.map((row) => row.map(flag).join(' '))).toEqual(model.runs);
  if ((await database.relation('issued')) === undefined) return expect(model.rows.size).toBe(0);
  const history = await database.query('SELECT _profile, _key, _run, _change, _raw FROM issued_history');
  expect(history.map((row) => row.join(' ')).toSorted()).toEqual(model.history.toSorted());
  const columns = await database.query('SELECT field, "column", type FROM _columns');
  expect(new Map(columns.map(([field, , type]) => [field, type]))).toEqual(model.types);
  const rows = await database.query(
    'SELECT _profile, _key, _hash, _first_run, _changed_run, _gone_run, _raw FROM issued',
  );
  const expected = [...model.rows].map(([id, { raw, first, changed, gone }]) =>
    [...(JSON.parse(id) as string[]), hashOf(raw), first, changed, gone, raw].join(' '),
  );
  expect(rows.map((row) => row.join(' ')).toSorted()).toEqual(expected.toSorted());
  for (const [field, name] of columns) {
    const cell = `"${String(name)}"`;
    // As text, since the drivers round integers of 64 bits.
    const exact = `CASE typeof(${cell}) WHEN 'integer' THEN CAST(${cell} AS TEXT) ELSE ${cell} END`;
    const cells = await database.query(
      `SELECT _profile, _key, ${engine === 'SQLite' ? exact : cell} FROM issued`,
    );
    const type = model.types.get(String(field))!;
    const meant = [...model.rows].map(([id, { fields }]) => [
      ...(JSON.parse(id) as string[]),
      cellText(fields.get(String(field)), type, engine),
    ]);
    const sorted = (lines: readonly (readonly unknown[])[]): string[] =>
      lines.map((line) => line.map(String).join(' ')).sort();
    expect({ field, cells: sorted(cells) }).toEqual({ field, cells: sorted(meant) });
  }
}

async function runInNewDatabase(engine: string, seed: number, folder: string): Promise<void> {
  if (engine === 'PostgreSQL') await ask(address, `CREATE SCHEMA s${seed}`);
  const path = join(folder, `${seed}.db`);
  const database = await connect(engine === 'SQLite' ? path : `${address}?options=-csearch_path%3Ds${seed}`);
  try {
    await run(seed, database);
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}`, { cause: error });
  } finally {
    await database.close();
  }
  rmSync(path, { force: true });
}

describeDatabases('a %s database', (_, engine) => {
  it('is what the model says after random edits', { timeout: 1_200_000 }, async () => {
    const folder = temporaryFolder();
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < RUNS) await runInNewDatabase(engine, next++, folder);
    };
    await Promise.all(Array.from({ length: TOGETHER }, work));
    countFigure({ what: `random edits synced into ${engine}`, ran: RUNS, lost: 0 });
  });
});
