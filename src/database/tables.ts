import { UsageError } from '../errors.ts';
import {
  quoteName,
  type Database,
  type Dialect,
  type Relation,
  type StoredRow,
  type StoredValue,
} from './database.ts';

/** A table of folio's own: the types of its columns; a question mark allows NULL. */
interface OwnTable {
  readonly columns: Readonly<Record<string, keyof Dialect['types'] | '?key' | '?integer'>>;
  readonly primaryKey: readonly string[];
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

const RUNS = {
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
} as const satisfies OwnTable;

export type RunColumn = keyof typeof RUNS.columns;

const COLUMNS: OwnTable = {
  columns: { resource: 'key', column: 'key', type: 'key', first_run: 'integer', field: 'key' },
  primaryKey: ['resource', 'column'],
};

/** PostgreSQL: the number of a row, in the order in which rows were first stored. `ctid` changes with each update of its row. */
export const ROW_COLUMN = '_row';

/** The columns of folio's own that each table of records begins with. */
export const OWN_COLUMNS: readonly string[] = Object.keys(RECORDS.columns);

export const RUN_COLUMNS = Object.keys(RUNS.columns) as readonly RunColumn[];

/** What a run did with one listing of one profile. */
export interface StoredRun {
  readonly run: number;
  readonly table: string;
  readonly profile: string;
  /** When it ended. */
  readonly at: string;
  /** Why it left the rows as they were; undefined where the listing was written. */
  readonly error: string | undefined;
  readonly organization: string | undefined;
  /** The rule by which it computed the columns of documents; undefined for other records. */
  readonly rule: string | undefined;
}

/**
 * The newest runs of each listing of each profile, the oldest first: the last one, the last whole one, and the last one with
 * its organization. Empty if no sync has written yet.
 *
 * @param where the condition of the runs that are looked at, in SQL
 */
export async function newestRuns(
  database: Database,
  where = '1 = 1',
  parameters: StoredRow = [],
): Promise<readonly StoredRun[]> {
  if ((await database.relation('_runs')) === undefined) return [];
  const runs = database.table('_runs');
  const [isWhole, isOfUnknown] = ['error IS NULL', 'organization IS NULL'];
  const newest =
    `SELECT max(run) AS run, resource, profile FROM ${runs} WHERE ${where}` +
    ` GROUP BY resource, profile, ${isWhole}, ${isOfUnknown}`;
  const rows = await database.query(
    `SELECT run, resource, profile, ${database.dialect.instant('finished_at')}, error, organization, rule` +
      ` FROM ${runs} JOIN (${newest}) AS newest USING (run, resource, profile) ORDER BY run`,
    parameters,
  );
  return rows.map(([run, table, profile, at, error, organization, rule]) => ({
    run: Number(run),
    table: String(table),
    profile: String(profile),
    at: String(at),
    error: textOf(error),
    organization: textOf(organization),
    rule: textOf(rule),
  }));
}

function textOf(cell: StoredValue | undefined): string | undefined {
  return typeof cell === 'string' ? cell : undefined;
}

/** The organization of each profile, by the last run that had it. */
export function organizationsIn(runs: readonly StoredRun[]): ReadonlyMap<string, string> {
  const known = runs.filter(({ organization }) => organization !== undefined);
  return new Map(known.map(({ profile, organization }) => [profile, organization!]));
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
  // Another run makes all of them in one transaction: if an earlier one is found, so are the later ones.
  const found = new Map<string, Relation | undefined>();
  const own = tables.flatMap((table) => [`${table}_current`, `${table}_history`, table]);
  for (const name of [...own, '_columns', '_runs']) found.set(name, await database.relation(name));
  /** Whether the table is there. Throws UsageError where folio did not make it. */
  const hasOwn = (name: string, { columns }: OwnTable): boolean => {
    const relation = found.get(name);
    if (relation === undefined) return false;
    if (relation.kind === 'table' && Object.keys(columns).every((column) => relation.columns.has(column)))
      return true;
    throw foreignRelation(database, name);
  };
  const hasRuns = hasOwn('_runs', RUNS);
  const isOurs = hasOwn('_columns', COLUMNS) && hasRuns;
  if (hasRuns) await refuseNewer(database, version);
  for (const name of isOurs ? [] : own) if (found.get(name)) throw foreignRelation(database, name);
  for (const table of tables) {
    const view = `${table}_current`;
    const hasRecords = hasOwn(table, RECORDS);
    const current = found.get(view);
    if (current !== undefined && (current.kind === 'table' || !hasRecords))
      throw foreignRelation(database, view);
    hasOwn(`${table}_history`, HISTORY);
  }
}

function foreignRelation(database: Database, name: string): UsageError {
  const elsewhere = database.dialect.engine === 'SQLite' ? 'another file' : 'another database or schema';
  return new UsageError(`${database.shown} has a table or view ${name} that folio did not make`, {
    hint: `Nothing was touched. Rename it, or sync into ${elsewhere}.`,
  });
}

async function refuseNewer(database: Database, version: string): Promise<void> {
  const rows = await database.query(`SELECT DISTINCT folio_version FROM ${database.table('_runs')}`);
  // Later fixes of one release (the third number) share its tables.
  const release = (text: string): string => text.split('.', 2).join('.');
  const newer = rows
    .map(([text]) => String(text))
    .find((text) => release(text).localeCompare(release(version), 'en', { numeric: true }) > 0);
  if (newer === undefined) return;
  throw new UsageError(
    `${database.shown} was written by folio ${newer}, which is newer than this one (${version})`,
    { hint: 'Nothing was touched. Update folio, and run folio sync again.' },
  );
}

export async function makeRunTables(database: Database): Promise<void> {
  await makeTable(database, '_runs', RUNS);
  await makeTable(database, '_columns', COLUMNS);
}

/**
 * Finds out whether folio may write into the tables of records that are there, in a transaction that is rolled back. Rejects as
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
  const keyComesLater = database.dialect.engine === 'PostgreSQL';
  const isNew = await makeTable(database, table, keyComesLater ? { ...RECORDS, primaryKey: [] } : RECORDS);
  await makeTable(database, `${table}_history`, HISTORY);
  return isNew && keyComesLater;
}

export async function addRecordKey(database: Database, table: string): Promise<void> {
  await database.query(`ALTER TABLE ${database.table(table)} ADD ${primaryKeyOf(RECORDS)}`);
}

/** Makes a table where there is none. Returns whether it is new. */
async function makeTable(database: Database, name: string, table: OwnTable): Promise<boolean> {
  const { types, engine } = database.dialect;
  if ((await database.relation(name)) !== undefined) return false;
  const columns = Object.entries(table.columns).map(([column, type]) => {
    const held = type.replace('?', '') as keyof Dialect['types'];
    return `${quoteName(column)} ${types[held]}${type === held ? ' NOT NULL' : ''}`;
  });
  if (table.primaryKey.length > 0) columns.push(primaryKeyOf(table));
  // Only in a strict table does SQLite's ANY keep a text of digits a text.
  const options = engine === 'SQLite' ? ' STRICT' : '';
  await database.query(`CREATE TABLE ${database.table(name)} (${columns.join(', ')})${options}`);
  return true;
}

function primaryKeyOf({ primaryKey }: OwnTable): string {
  return `PRIMARY KEY (${primaryKey.map(quoteName).join(', ')})`;
}
