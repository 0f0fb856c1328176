import type { RecordBatch } from '../json/records.ts';
import { scanArray } from '../json/scan-records.ts';
import { quoteName, type Database } from './database.ts';
import { readColumns } from './columns.ts';
import { newestRuns, organizationsIn, ROW_COLUMN, type StoredRun } from './tables.ts';

/** The last sync of a listing of one profile. */
export interface LastSync {
  readonly profile: string;
  readonly at: string;
  /** When the last whole sync ended; undefined without one. */
  readonly wholeAt: string | undefined;
  /** Why the last sync left the rows unchanged; undefined if it wrote them. */
  readonly error: string | undefined;
}

interface StoredSelection {
  readonly profile: string;
  /** Selects records whose first member is this column with this text; they are returned without it. */
  readonly where?: { readonly column: string; readonly value: string } | undefined;
  readonly order?: StoredOrder | undefined;
}

/** By a column with dates as text, all of one form. */
export interface StoredOrder {
  readonly column: string;
  readonly descending: boolean;
  /** Whether the records came in reverse order, so that records of one date have to be reversed as well. */
  readonly isReversed: boolean;
}

/** A synced database, open to be read: one connection, on which one reading runs at a time. */
export class StoredBooks {
  readonly #database: Database;
  /** Ends with the reading that is under way. */
  #reading: Promise<void> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
  }

  async hasTable(table: string): Promise<boolean> {
    return (await this.#database.relation(table)) !== undefined;
  }

  async profilesIn(table: string): Promise<readonly string[]> {
    if (!(await this.hasTable(table))) return [];
    const sql = `SELECT DISTINCT _profile FROM ${this.#database.table(table)} ORDER BY 1`;
    return (await this.#database.query(sql)).map(([profile]) => String(profile));
  }

  /** The last sync of the table of each profile, by name. */
  async lastSyncs(table: string): Promise<readonly LastSync[]> {
    const last = new Map<string, LastSync>();
    for (const { profile, at, error } of await newestRuns(this.#database, 'resource = ?', [table])) {
      const wholeAt = error === undefined ? at : last.get(profile)?.wholeAt;
      last.set(profile, { profile, at, error, wholeAt });
    }
    return [...last.values()].toSorted((a, b) => (a.profile < b.profile ? -1 : 1));
  }

  /** The last whole sync of a profile's records that ended before a moment, in ms since 1970; undefined without one. */
  async lastWholeBefore(
    table: string,
    { profile, moment }: { readonly profile: string; readonly moment: number },
  ): Promise<StoredRun | undefined> {
    const where = 'resource = ? AND profile = ? AND finished_at < ?';
    const runs = await newestRuns(this.#database, where, [table, profile, new Date(moment).toISOString()]);
    return runs.findLast(({ error }) => error === undefined);
  }

  /** The profiles of all listings, and the organization of each, as far as it is known. */
  async owners() {
    const runs = await newestRuns(this.#database);
    return { profiles: new Set(runs.map(({ profile }) => profile)), organizations: organizationsIn(runs) };
  }

  /** The column of a field to order records by; undefined if it does not exist or does not hold text. */
  async textColumn(table: string, field: string | undefined): Promise<string | undefined> {
    const names = [...((await this.#database.relation(table))?.columns.keys() ?? [])];
    const columns = await readColumns(this.#database, table, names);
    const column = columns.find((one) => one.field === field);
    return column?.type === 'text' ? column.name : undefined;
  }

  /**
   * The records of a profile that are not gone, as the service sent them except for links to files. They come in the order in
   * which they were first stored, or in `order`.
   */
  async *read(table: string, { profile, where, order }: StoredSelection): AsyncGenerator<RecordBatch> {
    const database = this.#database;
    const before = this.#reading;
    let end = (): void => undefined;
    this.#reading = new Promise((resolve) => (end = resolve));
    await before;
    try {
      // The column comes with the first document of a fund.
      if (where !== undefined && !(await database.relation(table))?.columns.has(where.column)) return;
      const condition = where === undefined ? '' : ` AND CAST(${quoteName(where.column)} AS text) = ?`;
      const sql =
        `SELECT _raw FROM ${database.table(table)} WHERE _profile = ? AND _gone_run IS NULL${condition}` +
        ` ORDER BY ${await orderTerms(database, table, order)}`;
      for await (const rows of database.stream(
        sql,
        where === undefined ? [profile] : [profile, where.value],
      )) {
        const texts = rows.map(([raw]) => String(raw));
        const records = where === undefined ? texts : texts.map((text) => text.replace(FIRST_MEMBER, '{'));
        yield scanArray(Buffer.from(`[${records.join(',')}]`));
      }
    } finally {
      end();
    }
  }

  /** The records of a profile as they stood after a run, as JSON texts. */
  async *asOfRun(
    table: string,
    { profile, run }: { readonly profile: string; readonly run: number },
  ): AsyncGenerator<string> {
    const [records, history] = [this.#database.table(table), this.#database.table(`${table}_history`)];
    // The first change after the run has the row as it stood; a row that was brought back was not there.
    const sql =
      `SELECT CASE WHEN h._run IS NULL THEN r._raw ELSE h._raw END FROM ${records} r LEFT JOIN ${history} h` +
      ' ON h._profile = r._profile AND h._key = r._key AND h._run = (SELECT min(x._run)' +
      ` FROM ${history} x WHERE x._profile = r._profile AND x._key = r._key AND x._run > ?)` +
      ' WHERE r._profile = ? AND r._first_run <= ?' +
      " AND (h._run IS NULL AND r._gone_run IS NULL OR h._change <> 'back')";
    for await (const rows of this.#database.stream(sql, [run, profile, run]))
      for (const [raw] of rows) yield String(raw);
  }

  async close(): Promise<void> {
    await this.#database.close();
  }
}

const FIRST_MEMBER = /^\{"(?:[^"\\]|\\.)*":(?:"(?:[^"\\]|\\.)*"|[^,}]*),?/;

/** Records of one date keep their first order; in a listing with the newest first, those of later runs come first. */
async function orderTerms(
  database: Database,
  table: string,
  order: StoredOrder | undefined,
): Promise<string> {
  const isSqlite = database.dialect.engine === 'SQLite';
  const hasNumbers = !isSqlite && (await database.relation(table))?.columns.has(ROW_COLUMN);
  // Older versions of folio did not number the rows.
  const row = isSqlite ? 'rowid' : hasNumbers ? ROW_COLUMN : 'ctid';
  if (order === undefined) return `_first_run, ${row}`;
  const inBytes = isSqlite ? '' : ' COLLATE "C"';
  const direction = order.descending ? ' DESC' : '';
  const reversed = order.isReversed ? ' DESC' : '';
  return `${quoteName(order.column)}${inBytes}${direction} NULLS LAST, _first_run${direction}, ${row}${reversed}`;
}
