import { UsageError } from '../errors.ts';
import { quoteName, type Database, type Dialect } from './database.ts';

/** What a table of folio's own consists of: names of columns, and what they hold; behind a question mark, or nothing. */
interface OwnTable {
  readonly columns: Readonly<Record<string, keyof Dialect['types'] | '?key' | '?integer'>>;
  readonly primaryKey: readonly string[];
  /** Columns that earlier versions did not have, which are added to their tables. */
  readonly later?: readonly string[];
}

const RECORDS: OwnTable = {
  columns: {
    _profile: 'key',
    _key: 'key',
    _hash: 'key',
    _first_run: 'integer',
    _changed_run: 'integer',
    _gone_run: '?integer',
    _raw: 'raw',
  },
  primaryKey: ['_profile', '_key'],
};

const HISTORY: OwnTable = {
  columns: { _profile: 'key', _key: 'key', _run: 'integer', _change: 'key', _raw: 'raw' },
  primaryKey: ['_profile', '_key', '_run'],
};

const RUNS: OwnTable = {
  columns: {
    run: 'integer',
    profile: 'key',
    resource: 'key',
    started_at: 'instant',
    finished_at: 'instant',
    complete: 'flag',
    total: '?integer',
    added: 'integer',
    changed: 'integer',
    gone: 'integer',
    back: 'integer',
    error: '?key',
    folio_version: 'key',
    organization: '?key',
    rule: '?key',
  },
  primaryKey: ['run', 'profile', 'resource'],
  later: ['rule'],
};

const COLUMNS: OwnTable = {
  columns: { resource: 'key', column: 'key', type: 'key', first_run: 'integer', field: 'key' },
  primaryKey: ['resource', 'column'],
};

/** The columns of folio's own that each table of records begins with. */
export const OWN_COLUMNS: readonly string[] = Object.keys(RECORDS.columns);

export const RUN_COLUMNS: readonly string[] = Object.keys(RUNS.columns);

/** The number of the last run, 0 where none was; and the organization that the last run knew each profile to be of. */
export async function readRuns(
  database: Database,
): Promise<{ readonly last: number; readonly organizations: ReadonlyMap<string, string> }> {
  if ((await database.relation('_runs')) === undefined) return { last: 0, organizations: new Map() };
  const runs = database.table('_runs');
  const [row] = await database.query(`SELECT coalesce(max(run), 0) FROM ${runs}`);
  const known = await database.query(
    `SELECT profile, organization FROM ${runs} WHERE organization IS NOT NULL ORDER BY run`,
  );
  const organizations = new Map(known.map((cells) => [String(cells[0]), String(cells[1])]));
  return { last: Number(row![0]), organizations };
}

/**
 * By which rule the columns of documents were worked out that the last whole sync of the table wrote; undefined where it
 * was by none, or there was no such sync.
 */
export async function readRule(
  database: Database,
  table: string,
  profile: string,
): Promise<string | undefined> {
  const [row] = await database.query(
    `SELECT rule FROM ${database.table('_runs')} WHERE complete AND resource = ? AND profile = ? ORDER BY run DESC LIMIT 1`,
    [table, profile],
  );
  return row?.[0] === null ? undefined : String(row?.[0]);
}

/**
 * Checks that those of the tables that exist are folio's, and not of a newer folio. Changes nothing. Throws UsageError.
 *
 * @param tables names of tables of records: `issued`
 */
export async function checkTables(
  database: Database,
  tables: readonly string[],
  version: string,
): Promise<void> {
  const hasRuns = await requireOwn(database, '_runs', RUNS);
  const isOurs = (await requireOwn(database, '_columns', COLUMNS)) && hasRuns;
  if (hasRuns) await refuseNewer(database, version);
  for (const table of tables) {
    const [history, view] = [`${table}_history`, `${table}_current`];
    for (const name of isOurs ? [] : [table, history, view])
      if ((await database.relation(name)) !== undefined) throw foreignRelation(database, name);
    const hasRecords = await requireOwn(database, table, RECORDS);
    const current = await database.relation(view);
    if (current !== undefined && (current.kind === 'table' || !hasRecords))
      throw foreignRelation(database, view);
    await requireOwn(database, history, HISTORY);
  }
}

/** Makes the tables of runs and columns where they are missing. */
export async function makeRunTables(database: Database): Promise<void> {
  await makeTable(database, '_runs', RUNS);
  await makeTable(database, '_columns', COLUMNS);
}

/**
 * Finds out whether folio may write into the tables of records that are there, in a transaction that is taken back. Rejects as
 * `Database.begin` does, and where something may not be changed.
 */
export async function tryWriting(database: Database, tables: readonly string[]): Promise<void> {
  await database.begin();
  try {
    await makeRunTables(database);
    for (const name of ['_runs', '_columns', ...tables.flatMap((table) => [table, `${table}_history`])]) {
      if ((await database.relation(name)) === undefined) continue;
      const table = database.table(name);
      await database.query(`INSERT INTO ${table} SELECT * FROM ${table} WHERE 1 = 0`);
      if (tables.includes(name)) await database.query(`UPDATE ${table} SET _raw = _raw WHERE 1 = 0`);
    }
  } finally {
    await database.rollback();
  }
}

/**
 * Makes the tables of a resource where they are missing. Returns whether the table of records has no primary key yet, which
 * `addRecordKey` adds when all rows are in: to make the index at once takes half the time of one that grows.
 */
export async function makeRecordTables(database: Database, table: string): Promise<boolean> {
  const { altersTogether } = database.dialect;
  const isNew = await makeTable(database, table, altersTogether ? { ...RECORDS, primaryKey: [] } : RECORDS);
  await makeTable(database, `${table}_history`, HISTORY);
  return isNew && altersTogether;
}

/** Adds the primary key that `makeRecordTables` left out. */
export async function addRecordKey(database: Database, table: string): Promise<void> {
  await database.query(`ALTER TABLE ${database.table(table)} ADD ${primaryKeyOf(RECORDS)}`);
}

/** Whether the table is there. Throws UsageError where it is another than folio makes. */
async function requireOwn(
  database: Database,
  name: string,
  { columns, later = [] }: OwnTable,
): Promise<boolean> {
  const relation = await database.relation(name);
  if (relation === undefined) return false;
  const isOwn = Object.keys(columns).every(
    (column) => later.includes(column) || relation.columns.has(column),
  );
  if (relation.kind !== 'table' || !isOwn) throw foreignRelation(database, name);
  return true;
}

function foreignRelation(database: Database, name: string): UsageError {
  const place = database.dialect.engine === 'SQLite' ? 'another file' : 'another database or schema';
  return new UsageError(`${database.shown} has a table or view ${name} that folio did not make`, {
    hint: `Nothing was touched. Rename it, or sync into ${place}.`,
  });
}

async function refuseNewer(database: Database, version: string): Promise<void> {
  const rows = await database.query(`SELECT DISTINCT folio_version FROM ${database.table('_runs')}`);
  const newer = rows.map(([text]) => String(text)).find((text) => isNewer(text, version));
  if (newer === undefined) return;
  throw new UsageError(
    `${database.shown} was written by folio ${newer}, which is newer than this one (${version})`,
    { hint: 'Nothing was touched. Update folio, and run folio sync again.' },
  );
}

/** Later fixes of one release (the third number) share its tables. */
function isNewer(text: string, version: string): boolean {
  const [major, minor] = [0, 1].map((at) => {
    const [theirs = 0, ours = 0] = [text, version].map((each) =>
      Number.parseInt(each.split('.')[at] ?? '0', 10),
    );
    return theirs - ours;
  });
  return major! > 0 || (major === 0 && minor! > 0);
}

/** Returns whether it was not there. */
async function makeTable(database: Database, name: string, table: OwnTable): Promise<boolean> {
  const { types, tableOptions } = database.dialect;
  const there = await database.relation(name);
  if (there !== undefined) {
    for (const column of table.later?.filter((one) => !there.columns.has(one)) ?? [])
      await database.query(
        `ALTER TABLE ${database.table(name)} ADD COLUMN ${quoteName(column)} ${types.key}`,
      );
    return false;
  }
  const list = Object.entries(table.columns).map(([column, type]) =>
    type === '?key' || type === '?integer'
      ? `${quoteName(column)} ${types[type === '?key' ? 'key' : 'integer']}`
      : `${quoteName(column)} ${types[type]} NOT NULL`,
  );
  if (table.primaryKey.length > 0) list.push(primaryKeyOf(table));
  await database.query(`CREATE TABLE ${database.table(name)} (${list.join(', ')})${tableOptions}`);
  return true;
}

function primaryKeyOf({ primaryKey }: OwnTable): string {
  return `PRIMARY KEY (${primaryKey.map(quoteName).join(', ')})`;
}
