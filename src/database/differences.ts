import { FieldComparer } from '../json/field-comparer.ts';
import { scanRecord } from '../json/scan-records.ts';
import { ofKeys, type Database } from './database.ts';
import type { SpooledListing } from './spooled-listing.ts';

/**
 * What is to be done with a record of the listing: LEAVE it; ADD a row; CHANGE its row; RESPELL its row, where the record says the
 * same in other bytes, which is no change; or BRING_BACK a row that had gone, as it was or CHANGED.
 */
export const [LEAVE, ADD, CHANGE, BRING_BACK, BRING_BACK_CHANGED] = [0, 1, 2, 3, 4] as const;
const RESPELL = 5;

/** What a user calls a change. */
export type Change = 'added' | 'changed' | 'gone' | 'back';

/** What each of these actions is to a user. */
export const kindsOfChange: Readonly<Record<number, Exclude<Change, 'gone'>>> = {
  [ADD]: 'added',
  [CHANGE]: 'changed',
  [BRING_BACK]: 'back',
  [BRING_BACK_CHANGED]: 'back',
};

/** How a listing differs from the rows of its profile. */
export interface Differences {
  /** For each record of the listing, in its order, what is to be done with it. */
  readonly actions: Uint8Array;
  /** Keys of rows whose records are no longer listed. */
  readonly gone: readonly string[];
  /** Rows that had not gone before. */
  readonly current: number;
}

interface Compared {
  readonly table: string;
  readonly profile: string;
  readonly listing: SpooledListing;
}

/**
 * Compares a listing with the rows of its profile, by hashes, and field by field where these differ; only keys of rows that have
 * gone are kept.
 *
 * @param database undefined where it has no such table yet: then every record is new
 */
export async function findDifferences(
  database: Database | undefined,
  compared: Compared,
): Promise<Differences> {
  const { table, profile, listing } = compared;
  const actions = new Uint8Array(listing.index.count).fill(ADD);
  const gone: string[] = [];
  let current = 0;
  if (database === undefined) return { actions, gone, current };
  const sql = `SELECT _key, _hash, _gone_run FROM ${database.table(table)} WHERE _profile = ?`;
  for await (const rows of database.stream(sql, [profile])) {
    for (const [keyCell, hash, goneRun] of rows) {
      const key = String(keyCell);
      const wasThere = goneRun === null;
      if (wasThere) current++;
      const number = listing.find(key);
      if (number < 0) {
        if (wasThere) gone.push(key);
      } else if (listing.index.contentText(number) === hash) actions[number] = wasThere ? LEAVE : BRING_BACK;
      else actions[number] = wasThere ? CHANGE : BRING_BACK_CHANGED;
    }
  }
  await findRespelt(database, compared, actions);
  return { actions, gone, current };
}

/** Finds those of the changed records that say the same as before, field by field. */
async function findRespelt(
  database: Database,
  { table, profile, listing }: Compared,
  actions: Uint8Array,
): Promise<void> {
  const sql = `SELECT _key, _raw FROM ${database.table(table)} WHERE _profile = ?`;
  const comparer = new FieldComparer();
  const isChanged = (number: number): boolean =>
    actions[number] === CHANGE || actions[number] === BRING_BACK_CHANGED;
  for await (const records of listing.some(isChanged)) {
    const keys = records.map(({ key }) => key);
    const rows = await database.query(ofKeys(sql, keys), [profile, ...keys]);
    const stored = new Map(rows.map(([key, raw]) => [String(key), String(raw)]));
    for (const { key, number, batch, index } of records) {
      const before = scanRecord(Buffer.from(stored.get(key)!));
      if (!comparer.isSame([before, 0], [batch, index])) continue;
      actions[number] = actions[number] === CHANGE ? RESPELL : BRING_BACK;
    }
  }
}
