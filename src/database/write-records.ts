import { OutputError } from '../errors.ts';
import type { FieldsOf } from '../invoices/fields.ts';
import { ColumnSurvey } from '../json/column-facts.ts';
import { scanRecord } from '../json/scan-records.ts';
import { CurrentView, type UnreadableColumn } from './current-view.ts';
import {
  insertStatement,
  ofKeys,
  quoteName,
  type Database,
  type StoredRow,
  type StoredValue,
} from './database.ts';
import {
  ADD,
  BRING_BACK,
  BRING_BACK_CHANGED,
  CHANGE,
  LEAVE,
  RESPELL,
  REWORK,
  type Differences,
} from './differences.ts';
import { DOCUMENT_COLUMNS, DocumentColumns } from './document-columns.ts';
import {
  RowReader,
  STABLE_NAMES,
  planColumns,
  readColumns,
  type FittedColumns,
  type TableColumn,
} from './record-columns.ts';
import type { ListedRecord } from './spooled-listing.ts';
import { OWN_COLUMNS, addRecordKey, makeRecordTables, readRule } from './tables.ts';

interface RecordsToWrite {
  readonly table: string;
  readonly profile: string;
  readonly run: number;
  readonly differences: Differences;
  /** All tables of records that the run writes. */
  readonly tables: readonly string[];
  /** What the columns mean in the records of each profile. */
  readonly fields: FieldsOf;
  /** Of folio. */
  readonly version: string;
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
  /** By which rule the columns of documents were worked out; undefined for records that are none. */
  readonly rule: string | undefined;
}

/** Keys of one statement. */
const KEYS_TOGETHER = 500;

/** Actions that write the cells of a row that is there. */
const UPDATES = [CHANGE, RESPELL, BRING_BACK, BRING_BACK_CHANGED];

/** Makes the table equal to the listing, within a transaction that is open. */
export async function writeRecords(database: Database, written: RecordsToWrite): Promise<WrittenRecords> {
  const { table, profile, run, fields, differences } = written;
  const { listing, actions, gone } = differences;
  const lacksKey = await makeRecordTables(database, table);
  const survey = await surveyFields(differences);
  const facts = new Map(survey.columns.map((field, at) => [field, survey.factsOf(at)]));
  const documents = DocumentColumns.of(database.dialect, written);
  const own = documents === undefined ? [] : [...DOCUMENT_COLUMNS.keys()];
  const columns = planColumns(database.dialect, await readColumns(database, table), facts, own);
  await renameColumns(database, written, columns);
  const view = await CurrentView.of(database, table, columns.all, {
    fields,
    factsOf: (field) => facts.get(field),
    own,
  });
  await changeColumns(database, written, { columns, view, own });
  await noteColumns(database, { table, run, columns });
  if (documents !== undefined) await findReworked(database, written, documents);
  for (let from = 0; from < gone.length; from += KEYS_TOGETHER) {
    const keys = gone.slice(from, from + KEYS_TOGETHER);
    await keepHistory(database, written, 'gone', keys);
    const sql = `UPDATE ${database.table(table)} SET _gone_run = ? WHERE _profile = ?`;
    await database.query(ofKeys(sql, keys), [run, profile, ...keys]);
  }
  const names = [...columns.all.map(({ name }) => name), ...own];
  const reader = new RowReader(database.dialect, columns.all, documents);
  // Where the record says the same as before, the run of its last change stays.
  const isThere = ['_gone_run = NULL', '_hash = ?', '_changed_run = coalesce(?, _changed_run)'];
  const update = updateOfKey(database, table, [...isThere, ...assigned(['_raw', ...names])]);
  for await (const records of listing.withAction(actions, ...UPDATES)) {
    const keysOf = (...wanted: readonly number[]): readonly string[] =>
      records.filter(({ number }) => wanted.includes(actions[number]!)).map(({ key }) => key);
    await keepHistory(database, written, 'changed', keysOf(CHANGE));
    await keepHistory(database, written, 'back', keysOf(BRING_BACK, BRING_BACK_CHANGED));
    const rows = records.map(({ key, number, batch, index }): StoredRow => {
      const isChanged = actions[number] === CHANGE || actions[number] === BRING_BACK_CHANGED;
      const hash = listing.index.contentText(number);
      return [hash, isChanged ? run : null, ...reader.read(batch, index), profile, key];
    });
    await database.each(update, rows);
  }
  const rework = updateOfKey(database, table, assigned(own));
  const worked = `SELECT _key, ${own.map(quoteName).join(', ')} FROM ${database.table(table)} WHERE _profile = ?`;
  for await (const records of listing.withAction(actions, REWORK)) {
    const keys = records.map(({ key }) => key);
    const stored = await database.query(ofKeys(worked, keys), [profile, ...keys]);
    const cellsOf = new Map(stored.map(([key, ...cells]) => [String(key), cells.map(String)]));
    const rows = records
      .map(({ key, batch, index }) => [...documents!.read(batch, index), profile, key])
      .filter((row) => cellsOf.get(String(row.at(-1)))!.some((cell, at) => cell !== String(row[at])));
    await database.each(rework, rows);
  }
  if (actions.includes(ADD))
    await database.insert(table, [...OWN_COLUMNS, ...names], newRows(written, reader));
  if (lacksKey) await addRecordKey(database, table);
  return {
    retyped: columns.retyped.flatMap(({ from, to }) =>
      from.type !== 'null' && to.type === 'text' ? [to] : [],
    ),
    withoutColumn: columns.withoutColumn,
    withNul: reader.withNul,
    unreadable: survey.columns.length === 0 ? [] : await view.unreadable(profile, run),
    rule: documents?.rule,
  };
}

function assigned(columns: readonly string[]): string[] {
  return columns.map((name) => `${quoteName(name)} = ?`);
}

/** The statement that changes one row, by its profile and key, which are its last parameters. */
function updateOfKey(database: Database, table: string, changes: readonly string[]): string {
  return `UPDATE ${database.table(table)} SET ${changes.join(', ')} WHERE _profile = ? AND _key = ?`;
}

/**
 * Learns what all documents say of their counterparties, and which of the rows that would be left have to be reworked: all where
 * the last sync worked by another rule, else those whose counterparty has a newer document or lost its newest one.
 */
async function findReworked(
  database: Database,
  { table, profile, differences: { listing, actions, gone } }: RecordsToWrite,
  documents: DocumentColumns,
): Promise<void> {
  const isNewRule = (await readRule(database, table, profile)) !== documents.rule;
  if (!isNewRule && gone.length === 0 && actions.every((action) => action === LEAVE)) return;
  for await (const batch of listing.all()) documents.learn(batch);
  if (isNewRule) {
    for (const [number, action] of actions.entries()) if (action === LEAVE) actions[number] = REWORK;
    return;
  }
  const sql = `SELECT _key, _party, _party_name FROM ${database.table(table)} WHERE _profile = ? AND _gone_run IS NULL`;
  for await (const rows of database.stream(sql, [profile])) {
    for (const [key, party = null, name = null] of rows) {
      const number = documents.areNewest(party, name) ? -1 : listing.find(String(key));
      if (number >= 0 && actions[number] === LEAVE) actions[number] = REWORK;
    }
  }
}

/** What each field holds in the records that are to be written, in the order of first appearance. */
async function surveyFields({ listing, actions }: Differences): Promise<ColumnSurvey> {
  const survey = new ColumnSurvey(undefined, STABLE_NAMES);
  for await (const records of listing.withAction(actions, ADD, ...UPDATES))
    for (const { batch, index } of records) survey.add(batch, index);
  return survey;
}

async function keepHistory(
  database: Database,
  { table, profile, run }: RecordsToWrite,
  change: 'changed' | 'gone' | 'back',
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  const sql =
    `INSERT INTO ${database.table(`${table}_history`)} (_profile, _key, _run, _change, _raw)` +
    ` SELECT _profile, _key, ${run}, '${change}', _raw FROM ${database.table(table)} WHERE _profile = ?`;
  await database.query(ofKeys(sql, keys), [profile, ...keys]);
}

/** The rows that are new, with `OWN_COLUMNS` before the columns of fields. */
async function* newRows(
  { profile, run, differences: { listing, actions } }: RecordsToWrite,
  reader: RowReader,
): AsyncGenerator<readonly StoredRow[]> {
  const rowOf = ({ key, number, batch, index }: ListedRecord): StoredRow => {
    const hash = listing.index.contentText(number);
    return [profile, key, hash, run, run, null, ...reader.read(batch, index)];
  };
  for await (const records of listing.withAction(actions, ADD)) yield records.map(rowOf);
}

interface ColumnChange {
  readonly columns: FittedColumns;
  readonly view: CurrentView;
  /** Names of columns that are in no `_columns`. */
  readonly own: readonly string[];
}

/** Locks all tables at the first change of one: none has to be waited for while readers wait for another one. */
async function lockAll(database: Database, { tables }: RecordsToWrite): Promise<void> {
  const there: string[] = [];
  for (const table of new Set(tables))
    if ((await database.relation(`${table}_current`)) !== undefined) there.push(table);
  await database.lockTables(there);
}

/** Gives the columns of folio's own their names, where a column of the service has one of them; also in the view of those who read it. */
async function renameColumns(
  database: Database,
  written: RecordsToWrite,
  { renamed }: FittedColumns,
): Promise<void> {
  if (renamed.length === 0) return;
  await lockAll(database, written);
  const view = `${written.table}_current`;
  const shown =
    database.dialect.engine === 'PostgreSQL' ? (await database.relation(view))?.columns : undefined;
  for (const { from, to } of renamed) {
    const change = `RENAME COLUMN ${quoteName(from.name)} TO ${quoteName(to.name)}`;
    await database.query(`ALTER TABLE ${database.table(written.table)} ${change}`);
    if (shown?.has(from.name)) await database.query(`ALTER TABLE ${database.table(view)} ${change}`);
  }
}

/** Changes the table and its view, where columns are new or hold something else than before. */
async function changeColumns(
  database: Database,
  written: RecordsToWrite,
  { columns, view, own }: ColumnChange,
): Promise<void> {
  const { table } = written;
  const { added, retyped } = columns;
  const { dialect } = database;
  const there = (await database.relation(table))!.columns;
  const ownAdded = own.filter((name) => !there.has(name));
  // In SQLite each cell has a type of its own.
  const altered = retyped.filter(({ from, to }) => dialect.types[from.type] !== dialect.types[to.type]);
  for (const { to } of altered) await refuseDependentViews(database, table, to);
  const changes = [
    ...altered.map(({ to }) => {
      const [column, type] = [quoteName(to.name), dialect.types[to.type]];
      return `ALTER COLUMN ${column} TYPE ${type} USING ${column}::text::${type}`;
    }),
    ...added.map((column) => `ADD COLUMN ${quoteName(column.name)} ${dialect.types[column.type]}`),
    ...ownAdded.map((name) => `ADD COLUMN ${quoteName(name)} ${dialect.types[DOCUMENT_COLUMNS.get(name)!]}`),
  ];
  const hasView = (await database.relation(`${table}_current`)) !== undefined;
  const isViewMade = changes.length > 0 || retyped.length > 0 || !view.isWhole;
  if (isViewMade && hasView) await lockAll(database, written);
  // A column that no view reads can get another type.
  if (changes.length > 0 && hasView) await view.hide(altered.map(({ to }) => to));
  // Together, since PostgreSQL may write the whole table anew for a statement.
  const statements = dialect.altersTogether && changes.length > 0 ? [changes.join(', ')] : changes;
  for (const statement of statements)
    await database.query(`ALTER TABLE ${database.table(table)} ${statement}`);
  if (isViewMade) await view.make();
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

async function noteColumns(
  database: Database,
  { table, run, columns }: { readonly table: string; readonly run: number; readonly columns: FittedColumns },
): Promise<void> {
  await database.each(
    `UPDATE ${database.table('_columns')} SET type = ?, "column" = ? WHERE resource = ? AND field = ?`,
    [...columns.retyped, ...columns.renamed].map(({ to }) => [to.type, to.name, table, to.field]),
  );
  await database.each(
    insertStatement(database, '_columns', ['resource', 'column', 'type', 'first_run', 'field']),
    columns.added.map(({ name, type, field }) => [table, name, type, run, field]),
  );
}
