import type { FieldsOf } from '../invoices/fields.ts';
import { FieldComparer } from '../json/field-comparer.ts';
import { scanRecord } from '../json/scan-records.ts';
import { ofKeys, type Database } from './database.ts';
import type { SpooledListing } from './spooled-listing.ts';

/**
 * What is to be done with a record of the listing: LEAVE it; ADD a row; CHANGE its row; REWRITE its row, which is no change: the
 * record says the same in other bytes, or the columns that folio works out have other values; or BRING_BACK a row that had gone, as
 * it was or CHANGED.
 */
export const [LEAVE, ADD, CHANGE, REWRITE, BRING_BACK, BRING_BACK_CHANGED] = [0, 1, 2, 3, 4, 5] as const;

/** What a user calls a change. */
export type Change = 'added' | 'changed' | 'gone' | 'back';

/** What a user sees of each action, by its number; nothing of the others. */
const CHANGES: readonly (Change | undefined)[] = [undefined, 'added', 'changed', undefined, 'back', 'back'];

/** The rows of one profile in a table of records. */
export interface ProfileRows {
  readonly table: string;
  readonly profile: string;
}

export interface Differences {
  readonly listing: SpooledListing;
  /** For each record of the listing, in its order, what is to be done with it. */
  readonly actions: Uint8Array;
  /** Keys of rows whose records are no longer listed. */
  readonly gone: readonly string[];
  /** Rows that had not gone before. */
  readonly current: number;
  readonly counts: Readonly<Record<Change, number>>;
}

/** What a run writes into one table of records. */
export interface RecordsToWrite extends ProfileRows {
  readonly run: number;
  readonly differences: Differences;
  /** All tables of records that the run writes. */
  readonly tables: readonly string[];
  readonly fields: FieldsOf;
  readonly version: string;
  /** By which rule the last whole sync worked out the columns of documents; undefined where there was none. */
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

/** Finds those of the changed records that say the same as before, field by field. */
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
