import type { ColumnFacts } from '../json/column-facts.ts';
import { changeColumns, unreadableColumns, type UnreadableColumn } from './change-columns.ts';
import { FieldSurvey, RowReader, planColumns, readColumns, type TableColumn } from './columns.ts';
import { ofKeys, quoteName, type Database, type StoredRow } from './database.ts';
import {
  ADD,
  BRING_BACK,
  BRING_BACK_CHANGED,
  CHANGE,
  LEAVE,
  REWRITE,
  type RecordsToWrite,
} from './differences.ts';
import { DOCUMENT_COLUMNS, DocumentColumns, documentRule } from './document-columns.ts';
import type { ShowRecord } from './spooled-listing.ts';
import { OWN_COLUMNS, addRecordKey, makeRecordTables } from './tables.ts';

/** Facts for the user about how rows were written. */
export interface WrittenRecords {
  /** Columns that have become text. */
  readonly retyped: readonly TableColumn[];
  /** Fields that are only in `_raw`, since the table cannot have more columns. */
  readonly withoutColumn: readonly string[];
  /** Columns with a text in which U+FFFD stands for NUL. */
  readonly withNul: ReadonlySet<string>;
  readonly unreadable: readonly UnreadableColumn[];
  /** The rule by which the columns of documents were computed; undefined for other records. */
  readonly rule: string | undefined;
}

interface Writing extends RecordsToWrite {
  readonly database: Database;
  /** The table, as SQL has it. */
  readonly rows: string;
}

const KEYS_TOGETHER = 500;

/** Makes the table equal to the listing, within a transaction that is open. */
export async function writeRecords(database: Database, toWrite: RecordsToWrite): Promise<WrittenRecords> {
  const { dialect } = database;
  const { table, differences } = toWrite;
  const rule = documentRule(toWrite);
  const own: typeof DOCUMENT_COLUMNS = rule === undefined ? new Map() : DOCUMENT_COLUMNS;
  const lacksKey = await makeRecordTables(database, table);
  const names = [...(await database.relation(table))!.columns.keys()];
  // The table of the last sync may have been dropped.
  const lastRule = names.includes('_party') ? toWrite.lastRule : undefined;
  const read = { ...toWrite, lastRule, database, rows: database.table(table) };
  const { facts, documents, actions } = await readAhead(read, rule);
  const writing = { ...read, differences: { ...differences, actions } };
  const known = await readColumns(database, table, names);
  const { columns, withoutColumn } = planColumns(dialect, known, facts, [...names, ...own.keys()]);
  const view = await changeColumns(database, { ...toWrite, columns, facts, own, names });
  await markGone(writing);
  const reader = new RowReader(dialect, columns, documents);
  await updateRows(writing, reader);
  if (actions.includes(ADD))
    await database.insert(table, [...OWN_COLUMNS, ...reader.names.slice(1)], newRows(writing, reader));
  if (lacksKey) await addRecordKey(database, table);
  const amounts = [...(documents?.unreadable ?? [])];
  return {
    retyped: columns.filter(
      ({ type, before = type }) => type === 'text' && before !== 'text' && before !== 'null',
    ),
    withoutColumn,
    withNul: reader.withNul,
    unreadable: [
      ...(facts.size === 0 ? [] : await unreadableColumns(database, toWrite, view)),
      ...amounts.map(([name, records]) => ({ name, shownAs: 'number', records }) as const),
    ],
    rule,
  };
}

interface ReadAhead {
  readonly facts: ReadonlyMap<string, ColumnFacts>;
  readonly documents?: DocumentColumns;
  /** As in the differences, but that rows in which folio's own columns have other values are to be rewritten. */
  readonly actions: Uint8Array;
}

/** Reads the listing before anything is written: the values of each field, and the documents it has. */
async function readAhead(writing: Writing, rule: string | undefined): Promise<ReadAhead> {
  const { database, table, differences, lastRule } = writing;
  const { listing, actions, gone } = differences;
  const survey = new FieldSurvey();
  // A view that is missing is made anew, with the types of all values.
  const hasView = (await database.relation(`${table}_current`)) !== undefined;
  const isUnchanged = gone.length === 0 && actions.every((action) => action === LEAVE);
  if (isUnchanged && hasView && rule === lastRule) return { facts: survey.facts(), actions };
  const take: ShowRecord = (number, batch, index) => {
    if (!hasView || actions[number] !== LEAVE) survey.add(batch, index);
  };
  if (rule === undefined) {
    await listing.each(take);
    return { facts: survey.facts(), actions };
  }
  const documents = await DocumentColumns.of(database.dialect, writing, take);
  const rewritten =
    rule === lastRule
      ? await withOutdated(writing, documents)
      : actions.map((action) => (action === LEAVE ? REWRITE : action));
  return { facts: survey.facts(), documents, actions: rewritten };
}

/** The actions, with the rows of unchanged records whose counterparty has a newer document, or lost its newest one. */
async function withOutdated(writing: Writing, documents: DocumentColumns): Promise<Uint8Array> {
  const { database, rows, profile, differences } = writing;
  const { listing } = differences;
  const actions = differences.actions.slice();
  const sql = `SELECT _key, _party, _party_name FROM ${rows} WHERE _profile = ? AND _gone_run IS NULL`;
  for await (const group of database.stream(sql, [profile])) {
    for (const [key, party = null, name = null] of group) {
      const number = listing.find(String(key));
      if (number >= 0 && actions[number] === LEAVE && !documents.isNewest(number, party, name))
        actions[number] = REWRITE;
    }
  }
  return actions;
}

async function markGone(writing: Writing): Promise<void> {
  const { database, rows, profile, run, differences } = writing;
  for (let from = 0; from < differences.gone.length; from += KEYS_TOGETHER) {
    const keys = differences.gone.slice(from, from + KEYS_TOGETHER);
    await keepHistory(writing, keys, "'gone'");
    const update = ofKeys(`UPDATE ${rows} SET _gone_run = ? WHERE _profile = ?`, keys);
    await database.query(update, [run, profile, ...keys]);
  }
}

async function updateRows(writing: Writing, reader: RowReader): Promise<void> {
  const { database, rows, profile, run, differences } = writing;
  const { listing, actions } = differences;
  // If the record has the same values as before, the run of its last change is kept.
  const own = ['_gone_run = NULL', '_hash = ?', '_changed_run = coalesce(?, _changed_run)'];
  const cells = reader.names.map((name) => `${quoteName(name)} = ?`);
  const update = `UPDATE ${rows} SET ${[...own, ...cells].join(', ')} WHERE _profile = ? AND _key = ?`;
  const updates = [CHANGE, REWRITE, BRING_BACK, BRING_BACK_CHANGED];
  for await (const records of listing.withAction(actions, ...updates)) {
    const changed = records.filter(({ number }) => actions[number] !== REWRITE).map(({ key }) => key);
    await keepHistory(writing, changed, "CASE WHEN _gone_run IS NULL THEN 'changed' ELSE 'back' END");
    const updated = records.map(({ key, number, batch, index }) => {
      const isChanged = actions[number] === CHANGE || actions[number] === BRING_BACK_CHANGED;
      const hash = listing.index.contentText(number);
      return [hash, isChanged ? run : null, ...reader.read(batch, index), profile, key];
    });
    await database.each(update, updated);
  }
}

async function* newRows(
  { profile, run, differences }: Writing,
  reader: RowReader,
): AsyncGenerator<StoredRow[]> {
  const { listing, actions } = differences;
  for await (const records of listing.withAction(actions, ADD))
    yield records.map(({ key, number, batch, index }) => {
      const hash = listing.index.contentText(number);
      return [profile, key, hash, run, run, null, ...reader.read(batch, index)];
    });
}

/** @param change the change for the history, in SQL */
async function keepHistory(
  { database, table, rows, profile, run }: Writing,
  keys: readonly string[],
  change: string,
) {
  if (keys.length === 0) return;
  const sql =
    `INSERT INTO ${database.table(`${table}_history`)} (_profile, _key, _run, _change, _raw)` +
    ` SELECT _profile, _key, ${run}, ${change}, _raw FROM ${rows} WHERE _profile = ?`;
  await database.query(ofKeys(sql, keys), [profile, ...keys]);
}
