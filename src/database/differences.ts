import { FieldComparer } from '../json/field-comparer.ts';
import { scanRecord } from '../json/scan-records.ts';
import type { Database } from './database.ts';
import type { SpooledListing } from './spooled-listing.ts';

/** What is to be done with a record of the listing. */
export const [LEAVE, INSERT, UPDATE, RESPELL] = [0, 1, 2, 3] as const;

/** How a listing differs from the rows of its profile. */
export interface Differences {
  /**
   * For each record of the listing, in its order: LEAVE, INSERT or UPDATE; or RESPELL, where it says the same in other bytes: then
   * the row has those, and does not count as changed.
   */
  readonly actions: Uint8Array;
  readonly added: number;
  /** Keys of rows that have another content now. */
  readonly changed: readonly string[];
  /** Keys of rows whose records are no longer listed. */
  readonly gone: readonly string[];
  /** Keys of rows that had gone, and whose records are listed again. */
  readonly back: readonly string[];
  /** Those of them that came back byte for byte. */
  readonly backUnchanged: readonly string[];
  /** Rows that had not gone before. */
  readonly current: number;
}

interface Compared {
  readonly table: string;
  readonly profile: string;
  readonly listing: SpooledListing;
}

/**
 * Compares a listing with the rows of its profile, by hashes, and field by field where these differ; only keys of rows that
 * differ are kept.
 *
 * @param database undefined where it has no such table yet: then every record is new
 */
export async function findDifferences(
  database: Database | undefined,
  compared: Compared,
): Promise<Differences> {
  const { listing } = compared;
  const { index } = listing;
  const actions = new Uint8Array(index.count).fill(INSERT);
  const changed: string[] = [];
  const gone: string[] = [];
  const back: string[] = [];
  const backUnchanged: string[] = [];
  let current = 0;
  let known = 0;
  for await (const rows of rowsOf(database, compared)) {
    for (const [keyCell, hash, goneRun] of rows) {
      const key = String(keyCell);
      const wasThere = goneRun === null;
      if (wasThere) current++;
      const record = listing.find(key);
      if (record < 0) {
        if (wasThere) gone.push(key);
        continue;
      }
      known++;
      const isSame = index.contentText(record) === String(hash);
      actions[record] = isSame ? LEAVE : UPDATE;
      if (!wasThere) back.push(key);
      else if (!isSame) changed.push(key);
      if (!wasThere && isSame) backUnchanged.push(key);
    }
  }
  const respelt = actions.includes(UPDATE) ? await findRespelt(database!, compared, actions) : new Set();
  return {
    ...{ actions, added: index.count - known, gone, back, backUnchanged, current },
    changed: changed.filter((key) => !respelt.has(key)),
  };
}

/** Of the records whose rows have another hash, those that say the same field by field: their keys. Notes RESPELL for each. */
async function findRespelt(
  database: Database,
  { table, profile, listing }: Compared,
  actions: Uint8Array,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const comparer = new FieldComparer();
  for await (const { batch, indices, first } of listing.some((record) => actions[record] === UPDATE)) {
    const keys = indices.map((index) => listing.keyOf(batch, index));
    const rows = await database.query(
      `SELECT _key, _raw FROM ${database.table(table)} WHERE _profile = ? AND _key IN (${keys.map(() => '?').join(', ')})`,
      [profile, ...keys],
    );
    const stored = new Map(rows.map(([key, raw]) => [String(key), String(raw)]));
    for (const [at, index] of indices.entries()) {
      const before = scanRecord(Buffer.from(stored.get(keys[at]!)!));
      if (!comparer.isSame([before, 0], [batch, index])) continue;
      actions[first + index] = RESPELL;
      found.add(keys[at]!);
    }
  }
  return found;
}

async function* rowsOf(
  database: Database | undefined,
  { table, profile }: Compared,
): ReturnType<Database['stream']> {
  if (database === undefined) return;
  const sql = `SELECT _key, _hash, _gone_run FROM ${database.table(table)} WHERE _profile = ?`;
  yield* database.stream(sql, [profile]);
}
