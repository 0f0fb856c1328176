import type { Database } from './database.ts';
import type { SpooledListing } from './spooled-listing.ts';

/** What is to be done with a record of the listing. */
export const [LEAVE, INSERT, UPDATE] = [0, 1, 2];

/** How a listing differs from the rows of its profile. */
export interface Differences {
  /** For each record of the listing, in its order: LEAVE, INSERT or UPDATE. */
  readonly actions: Uint8Array;
  readonly added: number;
  /** Keys of rows that have another content now. */
  readonly changed: readonly string[];
  /** Keys of rows whose records are no longer listed. */
  readonly gone: readonly string[];
  /** Keys of rows that had gone, and whose records are listed again. */
  readonly back: readonly string[];
  /** Those of them that have the same content as before. */
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
 * Compares a listing with the rows of its profile, by hashes; only keys of rows that differ are kept.
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
  return { actions, added: index.count - known, changed, gone, back, backUnchanged, current };
}

async function* rowsOf(
  database: Database | undefined,
  { table, profile }: Compared,
): ReturnType<Database['stream']> {
  if (database === undefined) return;
  const sql = `SELECT _key, _hash, _gone_run FROM ${database.table(table)} WHERE _profile = ?`;
  yield* database.stream(sql, [profile]);
}
