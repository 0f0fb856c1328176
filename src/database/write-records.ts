import type { FieldsOf } from '../invoices/fields.ts';
import { CellReader } from '../json/cells.ts';
import { ColumnFacts } from '../json/column-facts.ts';
import { changeColumns, unreadableColumns, type UnreadableColumn } from './change-columns.ts';
import { ofKeys, quoteName, type Database, type StoredRow } from './database.ts';
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
import { RowReader, STABLE_NAMES, planColumns, readColumns, type TableColumn } from './record-columns.ts';
import type { ListedRecord } from './spooled-listing.ts';
import { OWN_COLUMNS, addRecordKey, makeRecordTables } from './tables.ts';

interface RecordsToWrite {
  readonly table: string;
  readonly profile: string;
  readonly run: number;
  readonly differences: Differences;
  /** All tables of records that the run writes. */
  readonly tables: readonly string[];
  readonly fields: FieldsOf;
  readonly version: string;
  /** By which rule the last whole sync worked out the columns of documents; undefined where there was none. */
  readonly lastRule: string | undefined;
}

/** What the user is to know of how rows were written. */
export interface WrittenRecords {
  /** Columns that have become text. */
  readonly retyped: readonly TableColumn[];
  /** Fields that are in `_raw` alone, since the table has no room for more columns. */
  readonly withoutColumn: readonly string[];
  /** Records with NUL in a text, which the database's columns show as U+FFFD. */
  readonly withNul: number;
  readonly unreadable: readonly UnreadableColumn[];
  /** By which rule the columns of documents were worked out; undefined for records that are none. */
  readonly rule: string | undefined;
}

const KEYS_TOGETHER = 500;

/** Actions that write the cells of a row that is there. */
const UPDATES = [CHANGE, RESPELL, BRING_BACK, BRING_BACK_CHANGED];

/** Makes the table equal to the listing, within a transaction that is open. */
export async function writeRecords(database: Database, written: RecordsToWrite): Promise<WrittenRecords> {
  const { table, profile, run, differences } = written;
  const { listing, actions, gone } = differences;
  const { dialect } = database;
  const rows = database.table(table);
  const lacksKey = await makeRecordTables(database, table);
  const facts = await surveyFields(differences);
  const documents = DocumentColumns.of(dialect, written);
  const own = documents === undefined ? [] : [...DOCUMENT_COLUMNS.keys()];
  const { all, withoutColumn } = planColumns(dialect, await readColumns(database, table), facts, own);
  const view = await changeColumns(database, { ...written, columns: all, facts, own });
  if (documents !== undefined) await findReworked(database, written, documents);
  for (let from = 0; from < gone.length; from += KEYS_TOGETHER) {
    const keys = gone.slice(from, from + KEYS_TOGETHER);
    await keepHistory(database, written, 'gone', keys);
    await database.query(ofKeys(`UPDATE ${rows} SET _gone_run = ? WHERE _profile = ?`, keys), [
      run,
      profile,
      ...keys,
    ]);
  }
  const names = [...all.map(({ name }) => name), ...own];
  const reader = new RowReader(dialect, all);
  const cellsOf = ({ batch, index }: ListedRecord): StoredRow =>
    documents === undefined
      ? reader.read(batch, index)
      : [...reader.read(batch, index), ...documents.read(batch, index)];
  const updateRow = (changes: readonly string[]): string =>
    `UPDATE ${rows} SET ${changes.join(', ')} WHERE _profile = ? AND _key = ?`;
  const assigned = (columns: readonly string[]): string[] => columns.map((name) => `${quoteName(name)} = ?`);
  // Where the record has the same values as before, the run of its last change stays.
  const ownColumns = ['_gone_run = NULL', '_hash = ?', '_changed_run = coalesce(?, _changed_run)'];
  const update = updateRow([...ownColumns, ...assigned(['_raw', ...names])]);
  for await (const records of listing.withAction(actions, ...UPDATES)) {
    const keysOf = (...wanted: readonly number[]): readonly string[] =>
      records.filter(({ number }) => wanted.includes(actions[number]!)).map(({ key }) => key);
    await keepHistory(database, written, 'changed', keysOf(CHANGE));
    await keepHistory(database, written, 'back', keysOf(BRING_BACK, BRING_BACK_CHANGED));
    const updated = records.map((record): StoredRow => {
      const action = actions[record.number];
      const isChanged = action === CHANGE || action === BRING_BACK_CHANGED;
      const hash = listing.index.contentText(record.number);
      return [hash, isChanged ? run : null, ...cellsOf(record), profile, record.key];
    });
    await database.each(update, updated);
  }
  const [rework, worked] = [
    updateRow(assigned(own)),
    `SELECT _key, ${own.map(quoteName).join(', ')} FROM ${rows}`,
  ];
  for await (const records of listing.withAction(actions, REWORK)) {
    const keys = records.map(({ key }) => key);
    const stored = await database.query(ofKeys(`${worked} WHERE _profile = ?`, keys), [profile, ...keys]);
    const before = new Map(stored.map(([key, ...cells]) => [String(key), cells.map(String)]));
    const reworked = records
      .map(({ key, batch, index }) => ({ key, cells: documents!.read(batch, index) }))
      .filter(({ key, cells }) => before.get(key)!.some((cell, at) => cell !== String(cells[at])));
    await database.each(
      rework,
      reworked.map(({ key, cells }) => [...cells, profile, key]),
    );
  }
  if (actions.includes(ADD)) {
    const newRow = (record: ListedRecord): StoredRow => {
      const hash = listing.index.contentText(record.number);
      return [profile, record.key, hash, run, run, null, ...cellsOf(record)];
    };
    async function* newRows(): AsyncGenerator<readonly StoredRow[]> {
      for await (const records of listing.withAction(actions, ADD)) yield records.map(newRow);
    }
    await database.insert(table, [...OWN_COLUMNS, ...names], newRows());
  }
  if (lacksKey) await addRecordKey(database, table);
  return {
    retyped: all.filter(
      ({ type, before = type }) => type === 'text' && before !== 'text' && before !== 'null',
    ),
    withoutColumn,
    withNul: reader.withNul,
    unreadable: facts.size === 0 ? [] : await unreadableColumns(database, written, view),
    rule: documents?.rule,
  };
}

/**
 * Learns what all documents say of their counterparties, and which of the rows that would be left have to be worked out anew: all
 * where the last sync worked by another rule, else those whose counterparty has a newer document or lost its newest one.
 */
async function findReworked(
  database: Database,
  written: RecordsToWrite,
  documents: DocumentColumns,
): Promise<void> {
  const { table, profile, differences, lastRule } = written;
  const { listing, actions, gone } = differences;
  const isNewRule = lastRule !== documents.rule;
  if (!isNewRule && gone.length === 0 && actions.every((action) => action === LEAVE)) return;
  const areNewest = await documents.learn(listing);
  if (isNewRule) {
    for (const [number, action] of actions.entries()) if (action === LEAVE) actions[number] = REWORK;
    return;
  }
  const sql = `SELECT _key, _party, _party_name FROM ${database.table(table)} WHERE _profile = ? AND _gone_run IS NULL`;
  for await (const rows of database.stream(sql, [profile])) {
    for (const [key, party = null, name = null] of rows) {
      const number = listing.find(String(key));
      if (number >= 0 && actions[number] === LEAVE && !areNewest(number, party, name))
        actions[number] = REWORK;
    }
  }
}

/** What each field has in the records that are to be written, in the order of first appearance. */
async function surveyFields({ listing, actions }: Differences): Promise<ReadonlyMap<string, ColumnFacts>> {
  const reader = new CellReader(undefined, STABLE_NAMES);
  const facts: ColumnFacts[] = [];
  for await (const records of listing.withAction(actions, ADD, ...UPDATES))
    for (const { batch, index } of records) {
      for (const [at, cell] of reader.read(batch, index).entries()) {
        facts[at] ??= new ColumnFacts();
        if (cell !== undefined) facts[at].add(cell);
      }
    }
  return new Map(reader.columns.map((field, at) => [field, facts[at]!]));
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
