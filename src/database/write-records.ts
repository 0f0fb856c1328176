import type { FieldsOf } from '../invoices/fields.ts';
import { ColumnSurvey } from '../json/column-facts.ts';
import type { Database, Dialect, RowSink, RowUpdate } from './database.ts';
import { INSERT, LEAVE, RESPELL, UPDATE, type Differences } from './differences.ts';
import type { UnreadableColumn } from './current-view.ts';
import { fitTable } from './fit-table.ts';
import { RecordCells, STABLE_NAMES, ValueRows } from './record-rows.ts';
import type { SpooledListing } from './spooled-listing.ts';
import type { TableColumn } from './table-columns.ts';
import { OWN_COLUMNS, addRecordKey, makeRecordTables } from './tables.ts';

/** One listing, and what it changes. */
interface RecordsToWrite {
  readonly table: string;
  readonly profile: string;
  readonly run: number;
  readonly listing: SpooledListing;
  readonly differences: Differences;
  /** What the columns mean in the records of each profile. */
  readonly fields: FieldsOf;
}

/** What the user is to know of how rows were written. */
export interface WrittenRecords {
  /** Columns that have become text. */
  readonly retyped: readonly TableColumn[];
  /** Fields that are in `_raw` alone, since the table has no room for more columns. */
  readonly withoutColumn: readonly string[];
  /** Records whose text holds NUL, which the database's columns show as U+FFFD. */
  readonly withNul: number;
  /** Columns whose values the view cannot show. */
  readonly unreadable: readonly UnreadableColumn[];
}

/** Makes the table equal to the listing, within a transaction that is open. */
export async function writeRecords(database: Database, written: RecordsToWrite): Promise<WrittenRecords> {
  const { table, profile, run, differences, fields } = written;
  const lacksKey = await makeRecordTables(database, table);
  const survey = await surveyFields(written);
  const { columns, view } = await fitTable(database, { table, run, survey, fields });
  await keepHistory(database, written);
  const rows = database.table(table);
  await database.forKeys(
    `UPDATE ${rows} SET _gone_run = ? WHERE _profile = ?`,
    [run, profile],
    differences.gone,
  );
  await database.forKeys(
    `UPDATE ${rows} SET _gone_run = NULL WHERE _profile = ?`,
    [profile],
    differences.backUnchanged,
  );
  const cells = new RecordCells(columns);
  const names = [...OWN_COLUMNS, ...columns.all.map(({ name }) => name)];
  for (const action of [UPDATE, RESPELL] as const) {
    if (!differences.actions.includes(action)) continue;
    const target = { table, columns: names.filter((name) => !UNCHANGED[action].has(name)) };
    await database.update(target, updatesOf(database.dialect, { cells, written, action }));
  }
  if (differences.added > 0) {
    await database.insert({ table, columns: names }, (rows) => putInserts(rows, cells, written));
  }
  if (lacksKey) await addRecordKey(database, table);
  return {
    retyped: columns.retyped.flatMap(({ from, to }) =>
      from.type !== 'null' && to.type === 'text' ? [to] : [],
    ),
    withoutColumn: columns.withoutColumn,
    withNul: cells.withNul,
    unreadable: survey === undefined ? [] : await view.unreadable(profile, run),
  };
}

/** Copies rows into the history before they change. */
async function keepHistory(
  database: Database,
  { table, profile, run, differences }: RecordsToWrite,
): Promise<void> {
  const [history, rows] = [database.table(`${table}_history`), database.table(table)];
  for (const change of ['changed', 'gone', 'back'] as const) {
    const sql =
      `INSERT INTO ${history} (_profile, _key, _run, _change, _raw)` +
      ` SELECT _profile, _key, ${run}, '${change}', _raw FROM ${rows} WHERE _profile = ?`;
    await database.forKeys(sql, [profile], differences[change]);
  }
}

/** What each field holds in the records that are to be written, in the order of first appearance; undefined where there are none. */
async function surveyFields({
  listing,
  differences: { actions },
}: RecordsToWrite): Promise<ColumnSurvey | undefined> {
  if (!actions.some((action) => action !== LEAVE)) return undefined;
  const survey = new ColumnSurvey(undefined, STABLE_NAMES);
  for await (const { batch, indices } of listing.some((record) => actions[record] !== LEAVE))
    for (const index of indices) survey.add(batch, index);
  return survey;
}

/** The rows that are new, with `OWN_COLUMNS` before the columns of fields. */
async function* putInserts(
  rows: RowSink,
  cells: RecordCells,
  { listing, profile, run, differences }: RecordsToWrite,
): AsyncGenerator<void> {
  const { actions } = differences;
  for await (const { batch, indices, first } of listing.some((record) => actions[record] === INSERT)) {
    for (const index of indices) {
      rows.put(profile);
      rows.put(listing.keyOf(batch, index));
      rows.put(listing.index.contentText(first + index));
      rows.put(run);
      rows.put(run);
      rows.put(null);
      cells.putInto(rows, batch, index);
    }
    yield;
  }
}

/** The columns of folio's own that do not change with a record: where it is only respelt, the run of its last change neither. */
const UNCHANGED = {
  [UPDATE]: new Set<string>(['_profile', '_key', '_first_run']),
  [RESPELL]: new Set<string>(['_profile', '_key', '_first_run', '_changed_run']),
} as const;

interface UpdatedRows {
  readonly cells: RecordCells;
  readonly written: RecordsToWrite;
  readonly action: keyof typeof UNCHANGED;
}

async function* updatesOf(
  dialect: Dialect,
  { cells, written, action }: UpdatedRows,
): AsyncGenerator<readonly RowUpdate[]> {
  const { listing, profile, run, differences } = written;
  const rows = new ValueRows(dialect);
  const isWanted = (record: number): boolean => differences.actions[record] === action;
  for await (const { batch, indices, first } of listing.some(isWanted)) {
    for (const index of indices) {
      rows.put(listing.index.contentText(first + index));
      if (action === UPDATE) rows.put(run);
      rows.put(null);
      cells.putInto(rows, batch, index);
    }
    const keys = indices.map((index) => listing.keyOf(batch, index));
    yield rows.take().map((values, at) => ({ profile, key: keys[at]!, values }));
  }
}
