import { fieldsOfColumns } from '../../src/invoices/fields.ts';
import { issued } from '../../src/resources/invoices.ts';
import { SpooledListing } from '../../src/database/spooled-listing.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase, type DatabaseContext } from '../../src/database/open-database.ts';
import { parseDatabaseAddress } from '../../src/database/address.ts';
import { writeSync, type SyncOptions, type SyncPart, type SyncedPart } from '../../src/database/sync-run.ts';
import { StoredBooks, type StoredOrder } from '../../src/database/read-back.ts';
import { fakeContext } from '../support/fake-context.ts';
import { textsOf } from '../support/records.ts';
import { whenTestEnds } from '../support/when-test-ends.ts';
import { scanArray } from '../../src/json/scan-records.ts';

const databaseContext: DatabaseContext = fakeContext();

/** Opens a database as folio does; an address or a path. */
export function connect(address: string): Promise<Database> {
  return openDatabase(parseDatabaseAddress(address), databaseContext);
}

/** The same until the test ends. */
export async function open(address: string): Promise<Database> {
  const database = await connect(address);
  whenTestEnds(() => database.close());
  return database;
}

/** The records of a profile as they are read back. */
export async function recordsIn(
  database: Database,
  profile = 'north',
  order?: StoredOrder,
): Promise<string[]> {
  const texts: string[] = [];
  for await (const batch of new StoredBooks(database).read('issued', { profile, order }))
    texts.push(...textsOf(batch));
  return texts;
}

export const options: SyncOptions = {
  goneLimit: undefined,
  // Has seen every run there is.
  lastRun: Infinity,
  version: '0.1.0',
  clock: databaseContext.clock,
  signal: databaseContext.signal,
};

/** A listing that was read whole: records as JSON texts, in pages. */
async function listing(texts: readonly string[]): Promise<SpooledListing> {
  const spooled = new SpooledListing({ records: 'issued invoices', key: undefined });
  for (let at = 0; at < texts.length; at += 7) {
    await spooled.add(scanArray(Buffer.from(`[${texts.slice(at, at + 7).join(',')}]`)));
  }
  return spooled;
}

export async function part(texts: readonly string[], more: Partial<SyncPart> = {}): Promise<SyncPart> {
  return {
    ...{
      table: 'issued',
      label: 'number',
      profile: 'north',
      organization: undefined,
      startedAt: 0,
      readAt: 0,
    },
    fields: { usual: fieldsOfColumns(issued.columns) },
    outcome: await listing(texts),
    ...more,
  };
}

/** Syncs one listing, and says what became of it. */
export async function sync(
  database: Database,
  texts: readonly string[],
  more: Partial<SyncPart> = {},
): Promise<SyncedPart> {
  const [synced] = await writeSync(database, [await part(texts, more)], options);
  return synced!;
}
