import type { RecordBatch } from '../json/records.ts';
import { scanArray } from '../json/scan-records.ts';
import type { Database } from './database.ts';

/** Bytes of records that are given together, about. */
const TOGETHER = 1 << 20;

/** The names of the profiles of which the table has records. */
export async function profilesIn(database: Database, table: string): Promise<readonly string[]> {
  if ((await database.relation(table)) === undefined) return [];
  const rows = await database.query(`SELECT DISTINCT _profile FROM ${database.table(table)} ORDER BY 1`);
  return rows.map(([profile]) => String(profile));
}

/**
 * The records of a profile that are not gone, as the service sent them but for their links to files; in the order in which they
 * were first stored.
 */
export async function* readRecords(
  database: Database,
  table: string,
  profile: string,
): AsyncGenerator<RecordBatch> {
  if ((await database.relation(table)) === undefined) return;
  const place = database.dialect.engine === 'SQLite' ? 'rowid' : 'ctid';
  const sql =
    `SELECT _raw FROM ${database.table(table)} WHERE _profile = ? AND _gone_run IS NULL` +
    ` ORDER BY _first_run, ${place}`;
  let texts: string[] = [];
  let size = 0;
  for await (const rows of database.stream(sql, [profile])) {
    for (const [raw] of rows) {
      texts.push(String(raw));
      size += texts.at(-1)!.length;
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
