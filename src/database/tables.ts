import { UsageError } from '../errors.ts';
import { quoteName, type Database, type Dialect, type Relation } from './database.ts';

/** The columns of folio's own that each table of records begins with. */
export const OWN_COLUMNS = [
  '_profile',
  '_key',
  '_hash',
  '_first_run',
  '_changed_run',
  '_gone_run',
  '_raw',
] as const;

type OwnType = keyof Dialect['types'];

/** What a table of folio's own consists of: names of columns, and what they hold. */
interface OwnTable {
  readonly columns: Readonly<Record<string, OwnType>>;
  readonly nullable: readonly string[];
  readonly primaryKey: readonly string[];
}

const RECORDS: OwnTable = {
  columns: {
    ...{ _profile: 'key', _key: 'key', _hash: 'key' },
    ...{ _first_run: 'integer', _changed_run: 'integer', _gone_run: 'integer', _raw: 'raw' },
  },
  nullable: ['_gone_run'],
  primaryKey: ['_profile', '_key'],
};

const HISTORY: OwnTable = {
  columns: { _profile: 'key', _key: 'key', _run: 'integer', _change: 'key', _raw: 'raw' },
  nullable: [],
  primaryKey: ['_profile', '_key', '_run'],
};

const RUNS: OwnTable = {
  columns: {
    ...{ run: 'integer', profile: 'key', resource: 'key', started_at: 'instant', finished_at: 'instant' },
    ...{ complete: 'flag', total: 'integer', added: 'integer', changed: 'integer', gone: 'integer' },
    ...{ back: 'integer', error: 'key', folio_version: 'key', organization: 'key' },
  },
  nullable: ['total', 'error', 'organization'],
  primaryKey: ['run', 'profile', 'resource'],
};

const COLUMNS: OwnTable = {
  columns: { resource: 'key', column: 'key', type: 'key', first_run: 'integer', field: 'key' },
  nullable: [],
  primaryKey: ['resource', 'column'],
};

/** The columns of `_runs`, in order. */
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
 * Checks that those of the tables that exist are folio's, and not of a newer folio. Changes nothing. Throws UsageError.
 *
 * @param tables names of tables of records: `issued`
 */
export async function checkTables(
  database: Database,
  tables: readonly string[],
  version: string,
): Promise<void> {
  const runs = await requireOwn(database, '_runs', RUNS);
  const columns = await requireOwn(database, '_columns', COLUMNS);
  if (runs !== undefined) await refuseNewer(database, version);
  const isOurs = runs !== undefined && columns !== undefined;
  for (const table of tables) {
    const history = `${table}_history`;
    if (!isOurs) await refuseAny(database, [table, history, `${table}_current`]);
    await requireOwnWithView(database, table, RECORDS);
    await requireOwn(database, history, HISTORY);
  }
}

/** Makes the tables of runs and columns where they are missing. */
export async function makeRunTables(database: Database): Promise<void> {
  if ((await database.relation('_runs')) === undefined) await create(database, '_runs', RUNS);
  if ((await database.relation('_columns')) === undefined) await create(database, '_columns', COLUMNS);
}

/**
 * Makes the tables of a resource where they are missing. Returns whether the table of records has no primary key yet, which
 * `addRecordKey` adds when all rows are in: to make the index at once takes half the time of one that grows.
 */
export async function makeRecordTables(database: Database, table: string): Promise<boolean> {
  const isNew = (await database.relation(table)) === undefined;
  const lacksKey = isNew && database.dialect.altersTogether;
  if (isNew) await create(database, table, lacksKey ? { ...RECORDS, primaryKey: [] } : RECORDS);
  if ((await database.relation(`${table}_history`)) === undefined) {
    await create(database, `${table}_history`, HISTORY);
  }
  return lacksKey;
}

/** Adds the primary key that `makeRecordTables` left out. */
export async function addRecordKey(database: Database, table: string): Promise<void> {
  await database.query(`ALTER TABLE ${database.table(table)} ADD ${primaryKeyOf(RECORDS)}`);
}

async function requireOwnWithView(database: Database, name: string, own: OwnTable): Promise<void> {
  const relation = await requireOwn(database, name, own);
  const current = await database.relation(`${name}_current`);
  if (current?.kind === 'table' || (current !== undefined && relation === undefined))
    throw foreignRelation(database, `${name}_current`);
}

/** The table, where it is there. Throws UsageError where it is another than folio makes. */
async function requireOwn(
  database: Database,
  name: string,
  { columns }: OwnTable,
): Promise<Relation | undefined> {
  const relation = await database.relation(name);
  if (relation === undefined) return undefined;
  const isOwn = Object.keys(columns).every((column) => relation.columns.has(column));
  if (relation.kind !== 'table' || !isOwn) throw foreignRelation(database, name);
  return relation;
}

async function refuseAny(database: Database, names: readonly string[]): Promise<void> {
  for (const name of names)
    if ((await database.relation(name)) !== undefined) throw foreignRelation(database, name);
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
    {
      hint: 'Nothing was touched. Update folio, and run folio sync again.',
    },
  );
}

/** Later fixes of one release (the third number) share its tables. */
function isNewer(text: string, version: string): boolean {
  const [theirs, ours] = [text, version].map((each) =>
    each.split('.').map((part) => Number.parseInt(part, 10)),
  );
  const major = (theirs![0] ?? 0) - (ours![0] ?? 0);
  return major > 0 || (major === 0 && (theirs![1] ?? 0) > (ours![1] ?? 0));
}

async function create(database: Database, name: string, table: OwnTable): Promise<void> {
  const { columns, nullable, primaryKey } = table;
  const { types, tableOptions } = database.dialect;
  const list = Object.entries(columns).map(
    ([column, type]) => `${quoteName(column)} ${types[type]}${nullable.includes(column) ? '' : ' NOT NULL'}`,
  );
  if (primaryKey.length > 0) list.push(primaryKeyOf(table));
  await database.query(`CREATE TABLE ${database.table(name)} (${list.join(', ')})${tableOptions}`);
}

function primaryKeyOf({ primaryKey }: OwnTable): string {
  return `PRIMARY KEY (${primaryKey.map(quoteName).join(', ')})`;
}
