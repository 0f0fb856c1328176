import { OutputError } from '../errors.ts';
import type { FieldsOf } from '../invoices/fields.ts';
import type { ColumnSurvey } from '../json/column-facts.ts';
import { scanRecord } from '../json/scan-records.ts';
import { CurrentView } from './current-view.ts';
import { insertStatement, quoteName, type Database, type StoredRow, type StoredValue } from './database.ts';
import {
  RowReader,
  planColumns,
  readColumns,
  type FittedColumns,
  type TableColumn,
} from './record-columns.ts';

interface RowsToFit {
  readonly table: string;
  readonly run: number;
  /** What each field holds in the rows that are to be written; undefined where there are none. */
  readonly survey: ColumnSurvey | undefined;
  /** What the columns mean in the records of each profile. */
  readonly fields: FieldsOf;
}

/** Gives a table the columns and types that the rows need which are to be written, and its view, within a transaction that is open. */
export async function fitTable(
  database: Database,
  { table, run, survey, fields }: RowsToFit,
): Promise<FittedColumns & { readonly view: CurrentView }> {
  const facts = new Map(survey?.columns.map((field, at) => [field, survey.factsOf(at)]));
  const columns = planColumns(database.dialect, await readColumns(database, table), facts);
  const meaning = { fields, factsOf: (field: string) => facts.get(field) };
  const view = await CurrentView.of(database, table, columns.all, meaning);
  await changeColumns(database, { table, columns, view });
  await noteColumns(database, { table, run, columns });
  return { ...columns, view };
}

interface ColumnChange {
  readonly table: string;
  readonly columns: FittedColumns;
  readonly view: CurrentView;
}

/** Changes the table and its view, where columns are new or hold something else than before. */
async function changeColumns(database: Database, { table, columns, view }: ColumnChange): Promise<void> {
  const { added, retyped } = columns;
  const { dialect } = database;
  // In SQLite each cell has a type of its own.
  const altered = retyped.filter(({ from, to }) => dialect.types[from.type] !== dialect.types[to.type]);
  for (const { to } of altered) await refuseDependentViews(database, table, to);
  const changes = [
    ...altered.map(({ to }) => {
      const [column, type] = [quoteName(to.name), dialect.types[to.type]];
      return `ALTER COLUMN ${column} TYPE ${type} USING ${column}::text::${type}`;
    }),
    ...added.map((column) => `ADD COLUMN ${quoteName(column.name)} ${dialect.types[column.type]}`),
  ];
  const hasView = (await database.relation(`${table}_current`)) !== undefined;
  // A column that no view reads can get another type. And who reads the view locks it before the table: so does this.
  if (changes.length > 0 && hasView) await view.make({ unread: altered.map(({ to }) => to), absent: added });
  // Together, since PostgreSQL may write the whole table anew for a statement.
  const statements = dialect.altersTogether && changes.length > 0 ? [changes.join(', ')] : changes;
  for (const statement of statements)
    await database.query(`ALTER TABLE ${database.table(table)} ${statement}`);
  if (added.length > 0 || retyped.length > 0 || !hasView) await view.make();
  if (dialect.engine !== 'SQLite') return;
  for (const { from, to } of retyped)
    if (from.type === 'numeric' || from.type === 'boolean') await rewriteAsText(database, table, to);
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

/** Has `_columns` say what the table has now. */
async function noteColumns(
  database: Database,
  { table, run, columns }: { readonly table: string; readonly run: number; readonly columns: FittedColumns },
): Promise<void> {
  const { added, retyped } = columns;
  await database.each(
    `UPDATE ${database.table('_columns')} SET type = ? WHERE resource = ? AND "column" = ?`,
    retyped.map(({ to }) => [to.type, table, to.name]),
  );
  await database.each(
    insertStatement(database, '_columns', ['resource', 'column', 'type', 'first_run', 'field']),
    added.map(({ name, type, field }) => [table, name, type, run, field]),
  );
}
