import { OutputError } from '../errors.ts';
import type { FieldsOf } from '../invoices/fields.ts';
import { CellReader } from '../json/cells.ts';
import type { ColumnFacts, ColumnSurvey } from '../json/column-facts.ts';
import { scanRecord } from '../json/scan-records.ts';
import { CurrentView } from './current-view.ts';
import { fillWith, quoteName, type Database, type StoredValue } from './database.ts';
import { contentsOf } from './record-rows.ts';
import { TableColumns, type TableColumn } from './table-columns.ts';
import { readColumns } from './tables.ts';

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
): Promise<{ readonly columns: TableColumns; readonly view: CurrentView }> {
  const { known, names } = await readColumns(database, table);
  const columns = new TableColumns(database.dialect, known, names);
  const facts = new Map<string, ColumnFacts>();
  for (const [column, field] of survey?.columns.entries() ?? []) {
    const held = survey!.factsOf(column);
    facts.set(field, held);
    columns.note(field, 'null');
    for (const content of contentsOf(held)) columns.note(field, content);
  }
  const meaning = { fields, factsOf: (field: string) => facts.get(field) };
  const view = await CurrentView.of(database, table, columns.all, meaning);
  await changeColumns(database, { table, columns, view });
  await noteColumns(database, { table, run, columns });
  return { columns, view };
}

/** Changes the table and its view, where columns are new or hold something else than before. */
async function changeColumns(
  database: Database,
  {
    table,
    columns,
    view,
  }: { readonly table: string; readonly columns: TableColumns; readonly view: CurrentView },
): Promise<void> {
  const { added, retyped } = columns;
  const { dialect } = database;
  // In SQLite each cell has a type of its own.
  const altered = retyped.filter(({ from, to }) => dialect.types[from.type] !== dialect.types[to.type]);
  for (const { to } of altered) await refuseDependentViews(database, table, to);
  const hasView = (await database.relation(`${table}_current`)) !== undefined;
  // A column that no view reads can get another type.
  if (altered.length > 0 && hasView) await view.make({ unread: altered.map(({ to }) => to), absent: added });
  const changes = [
    ...altered.map(({ to }) => {
      const [column, type] = [quoteName(to.name), dialect.types[to.type]];
      return `ALTER COLUMN ${column} TYPE ${type} USING ${column}::text::${type}`;
    }),
    ...added.map((column) => `ADD COLUMN ${quoteName(column.name)} ${dialect.types[column.type]}`),
  ];
  // Together, since PostgreSQL may write the whole table anew for a statement.
  const statements = dialect.altersTogether && changes.length > 0 ? [changes.join(', ')] : changes;
  for (const statement of statements)
    await database.query(`ALTER TABLE ${database.table(table)} ${statement}`);
  if (added.length > 0 || retyped.length > 0 || !hasView) await view.make();
  if (dialect.engine !== 'SQLite') return;
  for (const { from, to } of retyped)
    if (/^(?:numeric|boolean)$/.test(from.type)) await rewriteAsText(database, table, to);
}

/** Has `_columns` say what the table has now. */
async function noteColumns(
  database: Database,
  { table, run, columns }: { readonly table: string; readonly run: number; readonly columns: TableColumns },
): Promise<void> {
  const { added, retyped } = columns;
  for (const { to } of retyped) {
    const sql = `UPDATE ${database.table('_columns')} SET type = ? WHERE resource = ? AND "column" = ?`;
    await database.query(sql, [to.type, table, to.name]);
  }
  if (added.length === 0) return;
  const target = { table: '_columns', columns: ['resource', 'column', 'type', 'first_run', 'field'] };
  const rows = added.map(({ name, type, field }) => [table, name, type, run, field]);
  await database.insert(target, fillWith(rows));
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
  const reader = new CellReader([column.field]);
  const sql = `SELECT rowid, _raw FROM ${rows} WHERE rowid > ? AND ${name} IS NOT NULL ORDER BY rowid LIMIT ${ROWS_A_QUERY}`;
  for (let last: StoredValue = -1; ;) {
    const values: StoredValue[] = [];
    // A stream gives the event loop its turns.
    for await (const group of database.stream(sql, [last])) {
      for (const [row, raw] of group) {
        const [cell] = reader.read(scanRecord(Buffer.from(String(raw))), 0);
        values.push((last = row!), cell?.text ?? null);
      }
    }
    if (values.length === 0) return;
    const pairs = Array.from({ length: values.length / 2 }, () => '(?, ?)').join(', ');
    await database.query(
      `WITH texts (row, text) AS (VALUES ${pairs}) UPDATE ${rows} SET ${name} = texts.text FROM texts WHERE ${rows}.rowid = texts.row`,
      values,
    );
  }
}
