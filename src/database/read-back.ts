import type { RecordBatch } from '../json/records.ts';
import { scanArray } from '../json/scan-records.ts';
import { quoteName, type Database } from './database.ts';

/** Bytes of records that are given together, about. */
const TOGETHER = 1 << 20;

/** The names of the profiles of which the table has records, or had been told that there are none. */
export async function profilesIn(database: Database, table: string): Promise<readonly string[]> {
  if ((await database.relation(table)) === undefined) return [];
  const stored = await database.query(`SELECT DISTINCT _profile FROM ${database.table(table)}`);
  const read = await database.query(
    `SELECT DISTINCT profile FROM ${database.table('_runs')} WHERE resource = ? AND complete = ?`,
    [table, database.dialect.flag(true)],
  );
  return [...new Set([...stored, ...read].map(([profile]) => String(profile)))].toSorted();
}

interface Chosen {
  readonly profile: string;
  /** Only records whose column has this text, as its first member; they are given without it. */
  readonly where?: { readonly column: string; readonly value: string } | undefined;
}

/** The first member of a record, with the comma behind it. */
const FIRST_MEMBER = /^\{"(?:[^"\\]|\\.)*":(?:"(?:[^"\\]|\\.)*"|[^,}]*),?/;

/**
 * The records of a profile that are not gone, as the service sent them but for their links to files; in the order in which they
 * were first stored.
 */
export async function* readRecords(
  database: Database,
  table: string,
  { profile, where }: Chosen,
): AsyncGenerator<RecordBatch> {
  const place = database.dialect.engine === 'SQLite' ? 'rowid' : 'ctid';
  const condition = where === undefined ? '' : ` AND CAST(${quoteName(where.column)} AS text) = ?`;
  const sql =
    `SELECT _raw FROM ${database.table(table)} WHERE _profile = ? AND _gone_run IS NULL${condition}` +
    ` ORDER BY _first_run, ${place}`;
  let texts: string[] = [];
  let size = 0;
  for await (const rows of database.stream(sql, where === undefined ? [profile] : [profile, where.value])) {
    for (const [raw] of rows) {
      const text = String(raw);
      texts.push(where === undefined ? text : text.replace(FIRST_MEMBER, '{'));
      size += text.length;
      if (size < TOGETHER) continue;
      yield batchOfTexts(texts);
      texts = [];
      size = 0;
    }
  }
  if (texts.length > 0) yield batchOfTexts(texts);
}

function batchOfTexts(texts: readonly string[]): RecordBatch {
  return scanArray(Buffer.from(`[${texts.join(',')}]`));
}
