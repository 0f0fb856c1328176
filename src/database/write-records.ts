import type { FieldsOf } from '../invoices/fields.ts';
import { CellReader } from '../json/cells.ts';
import { ColumnSurvey, type ColumnFacts } from '../json/column-facts.ts';
import type { RecordBatch } from '../json/records.ts';
import {
  quoteName,
  type Database,
  type Dialect,
  type RowSink,
  type RowUpdate,
  type StoredRow,
  type StoredValue,
} from './database.ts';
import { INSERT, LEAVE, UPDATE, type Differences } from './differences.ts';
import type { CurrentView, UnreadableColumn } from './current-view.ts';
import { contentsOf, STABLE_NAMES, RecordCells, ValueRows } from './record-rows.ts';
import type { SpooledListing } from './spooled-listing.ts';
import { TableColumns, type TableColumn } from './table-columns.ts';
import { OWN_COLUMNS, addRecordKey, changeColumns, makeRecordTables, readColumns } from './tables.ts';

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

/** What the user is to know of how the records were written. */
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
  const { table, profile, run, differences } = written;
  const lacksKey = await makeRecordTables(database, table);
  const { columns, view } = await fitColumns(database, written);
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
  if (differences.changed.length + differences.back.length > differences.backUnchanged.length) {
    const target = { table, columns: names.filter((name) => !UNCHANGED.has(name)) };
    await database.update(target, updatesOf(database.dialect, cells, written));
  }
  if (differences.added > 0) {
    await database.insert({ table, columns: names }, (rows) => putInserts(rows, cells, written));
  }
  if (lacksKey) await addRecordKey(database, table);
  return {
    retyped: columns.retyped
      .filter(({ from, to }) => from.type !== 'null' && to.type === 'text')
      .map(({ to }) => to),
    withoutColumn: columns.withoutColumn,
    withNul: cells.withNul,
    unreadable: differences.actions.some((action) => action !== LEAVE)
      ? await view.unreadable(profile, run)
      : [],
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

/** Gives the table the columns that the records which are to be written need. */
async function fitColumns(
  database: Database,
  written: RecordsToWrite,
): Promise<{ readonly columns: TableColumns; readonly view: CurrentView }> {
  const { table, run, listing, differences, fields } = written;
  const { known, names } = await readColumns(database, table);
  const columns = new TableColumns(database.dialect, known, names);
  const facts = new Map<string, ColumnFacts>();
  if (differences.actions.some((action) => action !== LEAVE)) {
    const survey = await surveyFields(listing, differences.actions);
    for (const [column, field] of survey.columns.entries()) {
      facts.set(field, survey.factsOf(column));
      columns.note(field, 'null');
      for (const content of contentsOf(survey.factsOf(column))) columns.note(field, content);
    }
  }
  const view = await changeColumns(database, {
    ...{ table, run, added: columns.added, retyped: columns.retyped, all: columns.all },
    meaning: { fields, factsOf: (field) => facts.get(field) },
  });
  if (database.dialect.engine === 'SQLite') {
    for (const { from, to } of columns.retyped)
      if (/^(?:numeric|boolean)$/.test(from.type)) await rewriteAsText(database, table, to);
  }
  return { columns, view };
}

/** What each field holds in the records that are to be written, in the order of first appearance. */
async function surveyFields(listing: SpooledListing, actions: Uint8Array): Promise<ColumnSurvey> {
  const survey = new ColumnSurvey(undefined, STABLE_NAMES);
  for await (const { batch, indices } of batchesWith(listing, actions, (action) => action !== LEAVE))
    for (const index of indices) survey.add(batch, index);
  return survey;
}

interface WantedRecords {
  readonly batch: RecordBatch;
  /** Of the records that are wanted. */
  readonly indices: readonly number[];
  /** The place in the listing of the batch's first record. */
  readonly first: number;
}

/** Records whose rows are in memory at a time. */
const ROWS_TOGETHER = 200;

async function* batchesWith(
  listing: SpooledListing,
  actions: Uint8Array,
  isWanted: (action: number) => boolean,
): AsyncGenerator<WantedRecords> {
  let first = 0;
  for await (const batch of listing.read()) {
    let indices: number[] = [];
    for (let index = 0; index < batch.count; index++) {
      if (isWanted(actions[first + index]!)) indices.push(index);
      if (indices.length < ROWS_TOGETHER) continue;
      yield { batch, indices, first };
      indices = [];
    }
    if (indices.length > 0) yield { batch, indices, first };
    first += batch.count;
  }
}

/** The rows that are new, with `OWN_COLUMNS` before the columns of fields. */
async function* putInserts(
  rows: RowSink,
  cells: RecordCells,
  { listing, profile, run, differences }: RecordsToWrite,
): AsyncGenerator<void> {
  for await (const { batch, indices, first } of batchesWith(
    listing,
    differences.actions,
    (action) => action === INSERT,
  )) {
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

/** The columns of folio's own that do not change with a record. */
const UNCHANGED = new Set<string>(['_profile', '_key', '_first_run']);

async function* updatesOf(
  dialect: Dialect,
  cells: RecordCells,
  { listing, profile, run, differences }: RecordsToWrite,
): AsyncGenerator<readonly RowUpdate[]> {
  const rows = new ValueRows(dialect);
  for await (const { batch, indices, first } of batchesWith(
    listing,
    differences.actions,
    (action) => action === UPDATE,
  )) {
    for (const index of indices) {
      rows.put(listing.index.contentText(first + index));
      rows.put(run);
      rows.put(null);
      cells.putInto(rows, batch, index);
    }
    const keys = indices.map((index) => listing.keyOf(batch, index));
    yield rows.take().map((values, at) => ({ profile, key: keys[at]!, values }));
  }
}

/** Rows that are read by one query; then those rows are written, which no open query could stand. */
const ROWS_A_QUERY = 1_000;

/** Replaces the numbers and booleans of a column by the text that the records have; for all profiles. */
async function rewriteAsText(database: Database, table: string, column: TableColumn): Promise<void> {
  const [rows, name] = [database.table(table), quoteName(column.name)];
  const reader = new CellReader([column.field]);
  const sql = `SELECT rowid, _profile, _key, _raw FROM ${rows} WHERE rowid > ? AND ${name} IS NOT NULL ORDER BY rowid LIMIT ${ROWS_A_QUERY}`;
  for (let last: StoredValue = -1; ;) {
    const group: StoredRow[] = await database.query(sql, [last]);
    if (group.length === 0) return;
    last = group.at(-1)![0]!;
    const updates = group.map(([, profile, key, raw]) => {
      const cell = reader.read(oneRecord(String(raw)), 0)[0];
      return { profile: String(profile), key: String(key), values: [cell?.text ?? null] };
    });
    await database.update({ table, columns: [column.name] }, only(updates));
  }
}

function oneRecord(text: string): RecordBatch {
  const bytes = Buffer.from(text);
  return {
    ...{ bytes, count: 1, bounds: new Int32Array([0, bytes.length]), ids: new Int32Array([-1, -1]) },
    spaced: true,
  };
}

async function* only<T>(value: T): AsyncGenerator<T> {
  yield value;
}
