import { declaredType, ofAll, type FieldsOf } from '../invoices/fields.ts';
import type { ColumnFacts } from '../json/column-facts.ts';
import { scanRecord } from '../json/scan-records.ts';
import { RowReader, type TableColumn } from './columns.ts';
import { quoteName, type Database, type Dialect, type StoredRow, type StoredValue } from './database.ts';
import type { RecordsToWrite } from './differences.ts';

/*
 * The columns of a table of records and of its view change together.
 *
 * The view has the records that are not gone, for people and programs that make charts and sums. The table keeps each text as it
 * came; the view has days as dates and money as numbers, and NULL for other texts. In PostgreSQL a column keeps the type
 * that it began with, so that the user's own views of this one stay valid.
 */

interface ViewColumn {
  readonly name: string;
  /** The type of the view's column, as PostgreSQL writes it. */
  readonly shownAs: string;
  readonly expression: string;
  /** The SQL condition for cells that the view does not show; undefined if it shows all that are being written. */
  readonly lost?: string | undefined;
  /** Whether the view does not have it yet. */
  readonly isNew: boolean;
}

/** A column of the view that is NULL for some records that have a value. */
export interface UnreadableColumn {
  readonly name: string;
  readonly shownAs: 'date' | 'number' | 'time';
  readonly records: number;
}

const DAY = String.raw`[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])`;
const CLOCK = String.raw`([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?`;
/** PostgreSQL takes no larger offset. */
const ZONE = String.raw`(Z|[+-](0[0-9]|1[0-5]):?[0-5][0-9])`;
const NUMBER = String.raw`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,4})?$`;

/** Types whose columns may be NULL for a text, and the names of their cells in messages. */
const STRICT: ReadonlyMap<string, UnreadableColumn['shownAs']> = new Map([
  ['date', 'date'],
  ['numeric', 'number'],
  ['timestamp with time zone', 'time'],
]);

interface ColumnChange extends RecordsToWrite {
  /** The columns that the table is to have. */
  readonly columns: readonly TableColumn[];
  /** Facts about the records that are being written, by field. */
  readonly facts: ReadonlyMap<string, ColumnFacts>;
  /** The columns that folio works out. */
  readonly own: ReadonlyMap<string, keyof Dialect['types']>;
  /** Names of the columns that it has so far. */
  readonly names: readonly string[];
}

/** Adds the columns that new records need to the table, its view and `_columns`. Returns the columns of the view. */
export async function changeColumns(
  database: Database,
  change: ColumnChange,
): Promise<readonly ViewColumn[]> {
  const { table, run, tables, columns, own, names } = change;
  const { types, engine } = database.dialect;
  const isSqlite = engine === 'SQLite';
  const added = columns.filter(({ before }) => before === undefined);
  const retyped = columns.filter(({ type, before = type }) => before !== type);
  // In SQLite each cell has a type of its own.
  const altered = retyped.filter(({ type, before }) => types[before!] !== types[type]);
  const changes = [
    ...altered.map(({ name, type }) => {
      const [column, typed] = [quoteName(name), types[type]];
      return `ALTER COLUMN ${column} TYPE ${typed} USING ${column}::text::${typed}`;
    }),
    ...added.map(({ name, type }) => `ADD COLUMN ${quoteName(name)} ${types[type]}`),
    ...[...own]
      .filter(([name]) => !names.includes(name))
      .map(([name, type]) => `ADD COLUMN ${quoteName(name)} ${types[type]}`),
  ];
  const kept = (await database.relation(`${table}_current`))?.columns;
  const view = planView(database.dialect, change, kept ?? new Map<string, string>());
  const isMade = changes.length > 0 || retyped.length > 0 || view.some(({ isNew }) => isNew);
  if (isMade && kept !== undefined) {
    await lockTables(database, tables);
    // A column that no view reads can get another type.
    if (altered.length > 0) await makeView(database, table, withoutValues(view, altered));
  }
  // Together, since PostgreSQL may write the whole table anew for a statement.
  for (const statement of isSqlite || changes.length === 0 ? changes : [changes.join(', ')])
    await database.query(`ALTER TABLE ${database.table(table)} ${statement}`);
  if (isMade) await makeView(database, table, view);
  for (const column of isSqlite ? retyped : [])
    if (/numeric|boolean/.test(column.before!)) await rewriteAsText(database, table, column);
  await database.each(
    `UPDATE ${database.table('_columns')} SET type = ? WHERE resource = ? AND field = ?`,
    retyped.map(({ type, field }) => [type, table, field]),
  );
  const rows = added.map(({ name, type, field }) => [table, name, type, run, field]);
  if (rows.length > 0)
    await database.insert('_columns', ['resource', 'column', 'type', 'first_run', 'field'], [rows]);
  return view;
}

/** Locks all tables before the first change, so that no lock is awaited while readers wait for another table. */
async function lockTables(database: Database, tables: readonly string[]): Promise<void> {
  const there: string[] = [];
  for (const table of new Set(tables))
    if ((await database.relation(`${table}_current`)) !== undefined) there.push(table);
  await database.lockTables(there);
}

/** Rows that one query reads before they are written: writing needs the query to be closed. */
const ROWS_A_QUERY = 1_000;

/** Replaces the numbers and booleans of a column by the text that the records have; for all profiles. In SQLite. */
async function rewriteAsText(database: Database, table: string, column: TableColumn): Promise<void> {
  const [rows, name] = [database.table(table), quoteName(column.name)];
  const reader = new RowReader(database.dialect, [column]);
  const sql = `SELECT rowid, _raw FROM ${rows} WHERE rowid > ? AND ${name} IS NOT NULL ORDER BY rowid LIMIT ${ROWS_A_QUERY}`;
  for (let last: StoredValue = -1; ;) {
    const texts: StoredRow[] = [];
    for (const [row, raw] of await database.query(sql, [last])) {
      const [, text] = reader.read(scanRecord(Buffer.from(String(raw))), 0);
      texts.push([text!, (last = row!)]);
    }
    if (texts.length === 0) return;
    await database.each(`UPDATE ${rows} SET ${name} = ? WHERE rowid = ?`, texts);
  }
}

/** The view's columns that are NULL for some values in the profile's records that the run has written. */
export async function unreadableColumns(
  database: Database,
  { table, profile, run }: RecordsToWrite,
  columns: readonly ViewColumn[],
): Promise<readonly UnreadableColumn[]> {
  const strict = columns.filter(({ lost }) => lost !== undefined);
  if (strict.length === 0) return [];
  const counts = strict.map(({ lost }) => `sum(CASE WHEN ${lost} THEN 1 ELSE 0 END)`);
  const [row] = await database.query(
    `SELECT ${counts.join(', ')} FROM ${database.table(table)}` +
      ` WHERE _profile = ? AND _changed_run = ? AND _gone_run IS NULL`,
    [profile, run],
  );
  return strict.flatMap(({ name, shownAs }, at) => {
    const records = Number(row![at] ?? 0);
    return records === 0 ? [] : [{ name, shownAs: STRICT.get(shownAs)!, records }];
  });
}

/**
 * The columns of the new view: the existing ones, then new ones, since columns can only be added at the end.
 *
 * @param kept the columns that it has, with their types
 */
function planView(
  dialect: Dialect,
  { columns, facts, own, fields }: ColumnChange,
  kept: ReadonlyMap<string, string>,
): readonly ViewColumn[] {
  const planned = new Map<string, ViewColumn>();
  for (const name of ['_profile', '_key', ...own.keys()])
    planned.set(name, { name, shownAs: '', expression: quoteName(name), isNew: !kept.has(name) });
  for (const column of columns) {
    const { name, field } = column;
    const held = facts.get(field);
    const shownAs = kept.get(name) || typeFor(dialect, column, { fields, held });
    if (shownAs === undefined) continue;
    const expression = expressionOf(dialect, column, shownAs);
    const view = { name, shownAs, expression, isNew: !kept.has(name) };
    planned.set(name, { ...view, lost: held && lostWhere(view, held) });
  }
  const names = new Set([...kept.keys(), ...planned.keys()]);
  return [...names].flatMap((name) => planned.get(name) ?? []);
}

/** The columns that the view has so far, those of `hidden` with NULL in place of their values. */
function withoutValues(
  columns: readonly ViewColumn[],
  hidden: readonly TableColumn[],
): readonly ViewColumn[] {
  return columns
    .filter(({ isNew }) => !isNew)
    .map((column) =>
      hidden.some(({ name }) => name === column.name)
        ? { ...column, expression: `NULL::${column.shownAs}` }
        : column,
    );
}

/** Makes the view, or changes its columns. */
async function makeView(database: Database, table: string, columns: readonly ViewColumn[]): Promise<void> {
  const view = database.table(`${table}_current`);
  const list = columns.map(({ name, expression }) => `${expression} AS ${quoteName(name)}`);
  // If the user's views read this one, columns can be added, but it cannot be dropped.
  const isReplaced = database.dialect.engine === 'PostgreSQL';
  if (!isReplaced) await database.query(`DROP VIEW IF EXISTS ${view}`);
  await database.query(
    `CREATE ${isReplaced ? 'OR REPLACE ' : ''}VIEW ${view} AS SELECT ${list.join(', ')}` +
      ` FROM ${database.table(table)} WHERE _gone_run IS NULL`,
  );
}

function lostWhere({ name, shownAs, expression }: ViewColumn, held: ColumnFacts): string | undefined {
  const cell = quoteName(name);
  if (!STRICT.has(shownAs) || expression === cell || held.cells === 0) return undefined;
  // Testing each text takes a tenth of the time of a first sync, and the survey knows their forms already.
  const areDays = held.cells === held.days + held.times + held.empty && !held.hasYearZero;
  if (shownAs === 'date' && areDays) return undefined;
  return `CAST(${cell} AS text) <> '' AND ${expression} IS NULL`;
}

/** What the view shows of a column, in SQL. */
function expressionOf({ engine, types }: Dialect, { name, type }: TableColumn, shownAs: string): string {
  const cell = quoteName(name);
  if (engine === 'SQLite') {
    const day = `substr(${cell}, 1, 10)`;
    return shownAs === 'date' ? `CASE WHEN date(${day}) = ${day} THEN ${day} END` : cell;
  }
  if (shownAs === types[type]) return cell;
  if (shownAs === 'text') return `${cell}::text`;
  if (shownAs === 'json') return `to_json(${cell})`;
  // A column that is not text has another type now than when the view was made.
  if (type !== 'text') return `NULL::${shownAs}`;
  switch (shownAs) {
    case 'date':
      return `CASE WHEN ${startsWithDay(cell, '([T ].*)?$')} THEN substr(${cell}, 1, 10)::date END`;
    case 'timestamp with time zone':
      return `CASE WHEN ${startsWithDay(cell, `[T ]${CLOCK}${ZONE}$`)} THEN ${cell}::timestamptz END`;
    case 'numeric':
      return `CASE WHEN ${cell} ~ '${NUMBER}' THEN ${cell}::numeric END`;
    case 'boolean':
      return `CASE ${cell} WHEN 'true' THEN true WHEN 'false' THEN false END`;
    default:
      return `NULL::${shownAs}`;
  }
}

/** Undefined for a column without values: its type is decided, for good, by the first values. */
function typeFor(
  { engine, types }: Dialect,
  { field, type }: TableColumn,
  { fields, held }: { readonly fields: FieldsOf; readonly held: ColumnFacts | undefined },
): string | undefined {
  const isDay = ofAll(fields).some(
    ({ columns: { date, due } }) => date.includes(field) || due.includes(field),
  );
  if (isDay) return 'date';
  if (declaredType(fields, field) === 'money') return 'numeric';
  if (type === 'null' && engine === 'PostgreSQL') return undefined;
  const areInstants =
    held !== undefined && held.cells > 0 && held.times === held.cells && held.localTimes === 0;
  return type === 'text' && areInstants ? 'timestamp with time zone' : types[type];
}

/** PostgreSQL: whether the text begins with an existing day, followed by a match of the expression. */
function startsWithDay(cell: string, rest: string): string {
  const monthEnd = `(substr(${cell}, 1, 7) || '-01')::date + interval '1 month' - interval '1 day'`;
  return (
    `CASE WHEN ${cell} ~ '^${DAY}${rest}' AND ${cell} !~ '^0000'` +
    ` THEN substr(${cell}, 9, 2)::int <= extract(day FROM ${monthEnd}) ELSE false END`
  );
}
