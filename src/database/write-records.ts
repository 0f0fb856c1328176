import type { FieldsOf } from '../invoices/fields.ts';
import { ColumnSurvey } from '../json/column-facts.ts';
import type { UnreadableColumn } from './current-view.ts';
import { ofKeys, quoteName, type Database, type StoredRow } from './database.ts';
import { ADD, BRING_BACK, BRING_BACK_CHANGED, CHANGE, LEAVE, type Differences } from './differences.ts';
import { fitTable } from './fit-table.ts';
import { RowReader, STABLE_NAMES, type TableColumn } from './record-columns.ts';
import type { ListedRecord, SpooledListing } from './spooled-listing.ts';
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

/** Keys of one statement. */
const KEYS_TOGETHER = 500;

/** Makes the table equal to the listing, within a transaction that is open. */
export async function writeRecords(database: Database, written: RecordsToWrite): Promise<WrittenRecords> {
  const { table, profile, run, listing, differences, fields } = written;
  const { actions, gone } = differences;
  const lacksKey = await makeRecordTables(database, table);
  const survey = await surveyFields(written);
  const columns = await fitTable(database, { table, run, survey, fields });
  for (let from = 0; from < gone.length; from += KEYS_TOGETHER) {
    const keys = gone.slice(from, from + KEYS_TOGETHER);
    await keepHistory(database, written, 'gone', keys);
    const sql = `UPDATE ${database.table(table)} SET _gone_run = ? WHERE _profile = ?`;
    await database.query(ofKeys(sql, keys), [run, profile, ...keys]);
  }
  const names = columns.all.map(({ name }) => name);
  const reader = new RowReader(database.dialect, columns.all);
  // Where the record says the same as before, the run of its last change stays.
  const set = ['_raw', ...names].map((name) => `, ${quoteName(name)} = ?`).join('');
  const update =
    `UPDATE ${database.table(table)} SET _gone_run = NULL, _hash = ?, _changed_run = coalesce(?, _changed_run)${set}` +
    ` WHERE _profile = ? AND _key = ?`;
  for await (const records of listing.some((number) => actions[number]! > ADD)) {
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
  if (actions.includes(ADD))
    await database.insert(table, [...OWN_COLUMNS, ...names], newRows(written, reader));
  if (lacksKey) await addRecordKey(database, table);
  return {
    retyped: columns.retyped.flatMap(({ from, to }) =>
      from.type !== 'null' && to.type === 'text' ? [to] : [],
    ),
    withoutColumn: columns.withoutColumn,
    withNul: reader.withNul,
    unreadable: survey === undefined ? [] : await columns.view.unreadable(profile, run),
  };
}

/** What each field holds in the records that are to be written, in the order of first appearance; undefined where there are none. */
async function surveyFields({
  listing,
  differences: { actions },
}: RecordsToWrite): Promise<ColumnSurvey | undefined> {
  if (!actions.some((action) => action !== LEAVE)) return undefined;
  const survey = new ColumnSurvey(undefined, STABLE_NAMES);
  for await (const records of listing.some((number) => actions[number] !== LEAVE))
    for (const { batch, index } of records) survey.add(batch, index);
  return survey;
}

/** Copies rows into the history before they change. */
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
  { listing, profile, run, differences: { actions } }: RecordsToWrite,
  reader: RowReader,
): AsyncGenerator<readonly StoredRow[]> {
  const rowOf = ({ key, number, batch, index }: ListedRecord): StoredRow => {
    const hash = listing.index.contentText(number);
    return [profile, key, hash, run, run, null, ...reader.read(batch, index)];
  };
  for await (const records of listing.some((number) => actions[number] === ADD)) yield records.map(rowOf);
}
