import type { FieldsOf } from '../invoices/fields.ts';
import { CellReader } from '../json/cells.ts';
import { FieldComparer } from '../json/field-comparer.ts';
import type { RecordBatch } from '../json/records.ts';
import { scanRecord } from '../json/scan-records.ts';
import { ofKeys, type Database } from './database.ts';
import type { SpooledListing } from './spooled-listing.ts';

/**
 * The action for a record of the listing: LEAVE it; ADD a row; CHANGE its row; REWRITE its row, which is not a change: the
 * record has the same values in other bytes, or folio's own columns have other values; or BRING_BACK a row that had gone, as
 * it was or CHANGED.
 */
export const [LEAVE, ADD, CHANGE, REWRITE, BRING_BACK, BRING_BACK_CHANGED] = [0, 1, 2, 3, 4, 5] as const;

/** The changes that users see. */
export type Change = 'added' | 'changed' | 'gone' | 'back';

/** The change for each action, by its number; undefined if users do not see it. */
const CHANGES: readonly (Change | undefined)[] = [undefined, 'added', 'changed', undefined, 'back', 'back'];

/** The rows of one profile in a table of records. */
export interface ProfileRows {
  readonly table: string;
  readonly profile: string;
}

export interface Differences {
  readonly listing: SpooledListing;
  /** The action for each record of the listing, in its order. */
  readonly actions: Uint8Array;
  /** Keys of rows whose records are no longer listed. */
  readonly gone: readonly string[];
  /** Rows that had not gone before. */
  readonly current: number;
  readonly counts: Readonly<Record<Change, number>>;
}

/** The input for writing one table of records. */
export interface RecordsToWrite extends ProfileRows {
  readonly run: number;
  readonly differences: Differences;
  /** All tables of records that the run writes. */
  readonly tables: readonly string[];
  readonly fields: FieldsOf;
  readonly version: string;
  /** The rule by which the last whole sync computed the columns of documents; undefined without one. */
  readonly lastRule: string | undefined;
}

/**
 * Compares a listing with the rows of its profile, by hashes, and field by field where these differ; only keys of rows that have
 * gone are kept.
 *
 * @param database undefined where it has no such table yet: then every record is new
 */
export async function findDifferences(
  database: Database | undefined,
  rows: ProfileRows,
  listing: SpooledListing,
): Promise<Differences> {
  const actions = new Uint8Array(listing.index.count).fill(ADD);
  const gone: string[] = [];
  let current = 0;
  if (database !== undefined) {
    const sql = `SELECT _key, _hash, _gone_run FROM ${database.table(rows.table)} WHERE _profile = ?`;
    for await (const group of database.stream(sql, [rows.profile])) {
      for (const [keyCell, hash, goneRun] of group) {
        const key = String(keyCell);
        const wasThere = goneRun === null;
        if (wasThere) current++;
        const number = listing.find(key);
        if (number >= 0) {
          const isSame = listing.index.contentText(number) === hash;
          const [same, other] = wasThere ? [LEAVE, CHANGE] : [BRING_BACK, BRING_BACK_CHANGED];
          actions[number] = isSame ? same : other;
        } else if (wasThere) gone.push(key);
      }
    }
    await findRespelt(database, rows, { listing, actions });
  }
  const counts = { added: 0, changed: 0, gone: gone.length, back: 0 };
  for (const action of actions) {
    const change = CHANGES[action];
    if (change !== undefined) counts[change]++;
  }
  return { listing, actions, gone, current, counts };
}

/** Finds changed records whose fields all have the same values as before. */
async function findRespelt(
  database: Database,
  { table, profile }: ProfileRows,
  { listing, actions }: Pick<Differences, 'listing' | 'actions'>,
): Promise<void> {
  const sql = `SELECT _key, _raw FROM ${database.table(table)} WHERE _profile = ?`;
  const comparer = new FieldComparer();
  for await (const records of listing.withAction(actions, CHANGE, BRING_BACK_CHANGED)) {
    const keys = records.map(({ key }) => key);
    const rows = await database.query(ofKeys(sql, keys), [profile, ...keys]);
    const stored = new Map(rows.map(([key, raw]) => [String(key), String(raw)]));
    for (const { key, number, batch, index } of records) {
      const before = scanRecord(Buffer.from(stored.get(key)!));
      if (comparer.isSame([before, 0], [batch, index]))
        actions[number] = actions[number] === CHANGE ? REWRITE : BRING_BACK;
    }
  }
}

/** Records of each kind of change that a plan names. */
const FIRST = 5;

/**
 * The first records of each kind of change, as users know them: `10001 (aa720b5d)` has the value of the column `label`, and the
 * key. Of a record that is gone, the value that it had.
 */
export async function firstChanges(
  database: Database | undefined,
  { table, profile, label }: ProfileRows & { readonly label: string },
  { listing, actions, gone }: Differences,
): Promise<Readonly<Record<Change, readonly string[]>>> {
  const first: Record<Change, string[]> = { added: [], changed: [], gone: [], back: [] };
  const reader = new CellReader([label]);
  const add = (change: Change, key: string, batch: RecordBatch, index: number): void => {
    if (first[change].length === FIRST) return;
    const text = reader.read(batch, index)[0]?.text ?? key;
    first[change].push(text === key ? key : `${text} (${key})`);
  };
  for await (const records of listing.withAction(actions, ADD, CHANGE, BRING_BACK, BRING_BACK_CHANGED))
    for (const { key, number, batch, index } of records) add(CHANGES[actions[number]!]!, key, batch, index);
  for (const key of gone.slice(0, FIRST)) {
    const sql = `SELECT _raw FROM ${database!.table(table)} WHERE _profile = ? AND _key = ?`;
    const [row] = await database!.query(sql, [profile, key]);
    add('gone', key, scanRecord(Buffer.from(String(row![0]))), 0);
  }
  return first;
}
