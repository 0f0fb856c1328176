import { OutputError } from '../errors.ts';
import { scanRecord } from '../json/scan-records.ts';
import { makeView, planView, withoutValues, type ViewColumn, type ViewPlan } from './current-view.ts';
import { insertStatement, quoteName, type Database, type StoredRow, type StoredValue } from './database.ts';
import { DOCUMENT_COLUMNS } from './document-columns.ts';
import { RowReader, type FittedColumn, type TableColumn } from './record-columns.ts';

interface ColumnChange extends ViewPlan {
  readonly run: number;
  /** All tables of records that the run writes. */
  readonly tables: readonly string[];
  /** The columns that the table is to have. */
  readonly columns: readonly FittedColumn[];
}

/** Gives the table, its view and `_columns` the columns that new records need. Returns those of the view. */
export async function changeColumns(
  database: Database,
  change: ColumnChange,
): Promise<readonly ViewColumn[]> {
  const { table, columns, own } = change;
  const { types, engine } = database.dialect;
  const isSqlite = engine === 'SQLite';
  const there = (await database.relation(table))!.columns;
  const retyped = columns.filter(({ type, before }) => before !== undefined && before !== type);
  // In SQLite each cell has a type of its own.
  const altered = retyped.filter(({ type, before }) => types[before!] !== types[type]);
  for (const column of altered) await refuseDependentViews(database, table, column);
  const changes = [
    ...altered.map(({ name, type }) => {
      const [column, typed] = [quoteName(name), types[type]];
      return `ALTER COLUMN ${column} TYPE ${typed} USING ${column}::text::${typed}`;
    }),
    ...columns.flatMap(({ name, type, before }) =>
      before === undefined ? `ADD COLUMN ${quoteName(name)} ${types[type]}` : [],
    ),
    ...own
      .filter((name) => !there.has(name))
      .map((name) => `ADD COLUMN ${quoteName(name)} ${types[DOCUMENT_COLUMNS.get(name)!]}`),
  ];
  const view = await planView(database, change);
  const isMade = changes.length > 0 || retyped.length > 0 || view.columns.some(({ isNew }) => isNew);
  if (isMade && view.exists) {
    await lockTables(database, change);
    // A column that no view reads can get another type.
    if (altered.length > 0) await makeView(database, table, withoutValues(view.columns, altered));
  }
  // Together, since PostgreSQL may write the whole table anew for a statement.
  for (const statement of isSqlite || changes.length === 0 ? changes : [changes.join(', ')])
    await database.query(`ALTER TABLE ${database.table(table)} ${statement}`);
  if (isMade) await makeView(database, table, view.columns);
  for (const column of isSqlite ? retyped : [])
    if (/numeric|boolean/.test(column.before!)) await rewriteAsText(database, table, column);
  await noteColumns(database, change);
  return view.columns;
}

/** Locks all tables at the first change of one: none has to be waited for while readers wait for another one. */
async function lockTables(database: Database, { tables }: ColumnChange): Promise<void> {
  const there: string[] = [];
  for (const table of new Set(tables))
    if ((await database.relation(`${table}_current`)) !== undefined) there.push(table);
  await database.lockTables(there);
}

async function refuseDependentViews(database: Database, table: string, column: TableColumn): Promise<void> {
  const views = await database.dependentViews(table, column.name);
  if (views.length === 0) return;
  const [which, them] =
    views.length === 1
      ? [`the view ${views[0]} keeps`, 'it']
      : [`the views ${views.join(', ')} keep`, 'them'];
  throw new OutputError(
    `${which} folio from changing the column ${column.name} of ${table} to ${column.type}, which its values now need`,
    { hint: `Drop ${them}, run folio sync again, and make ${them} again.` },
  );
}

/** Rows that are read by one query; then those rows are written, which no open query could stand. */
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

async function noteColumns(database: Database, { table, run, columns }: ColumnChange): Promise<void> {
  await database.each(
    `UPDATE ${database.table('_columns')} SET type = ? WHERE resource = ? AND field = ?`,
    columns
      .filter(({ type, before }) => before !== undefined && before !== type)
      .map(({ type, field }) => [type, table, field]),
  );
  await database.each(
    insertStatement(database, '_columns', ['resource', 'column', 'type', 'first_run', 'field']),
    columns
      .filter(({ before }) => before === undefined)
      .map(({ name, type, field }) => [table, name, type, run, field]),
  );
}
