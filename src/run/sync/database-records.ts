import { open } from 'node:fs/promises';
import type { Context } from '../../context.ts';
import { parseDatabaseAddress, type DatabaseAddress } from '../../database/address.ts';
import type { Database } from '../../database/database.ts';
import { openForReading } from '../../database/open-database.ts';
import { profilesIn, readRecords, type StoredOrder } from '../../database/read-back.ts';
import { checkTables, readColumns } from '../../database/tables.ts';
import { UsageError } from '../../errors.ts';
import { prependMember, type RecordBatch } from '../../json/records.ts';
import { namedProfile } from '../../profiles/connection.ts';
import type { Resource } from '../../resources/resource.ts';
import { version } from '../../version.ts';
import { names } from '../parse-values.ts';
import { tableOf } from './sync-resources.ts';

/** How every SQLite file begins. */
const SQLITE = Buffer.from('SQLite format 3\0');

/** Whether --from names a database: an address, or a file of SQLite. */
export async function isDatabase(from: string): Promise<boolean> {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(from)) return true;
  const file = await open(from).catch(() => undefined);
  try {
    const start = await file?.read(Buffer.alloc(SQLITE.length), 0, SQLITE.length, 0);
    return start !== undefined && start.buffer.equals(SQLITE);
  } catch {
    // A folder, for one: whoever reads it as an export says so.
    return false;
  } finally {
    await file?.close();
  }
}

export interface DatabaseWish {
  readonly from: string;
  readonly resource: Resource;
  /** Whose documents, where the resource is those of one fund. */
  readonly id: string | undefined;
  /** As given to --profile: names with commas between them. */
  readonly profile: string | undefined;
  readonly allProfiles: boolean;
}

/**
 * Of which profiles a synced database holds each of the resources; none of those that it has no table of. Throws UsageError where
 * the database is none of folio's.
 */
export async function profilesHeld(
  from: string,
  resources: readonly Resource[],
  context: Context,
): Promise<ReadonlyMap<Resource, readonly string[]>> {
  const database = await openForReading(parseDatabaseAddress(from), context);
  try {
    await checkTables(database, resources.map(tableOf), version);
    const held = new Map<Resource, readonly string[]>();
    for (const resource of resources) held.set(resource, await profilesIn(database, tableOf(resource)));
    return held;
  } finally {
    await database.close();
  }
}

/** The records that a synced database has of a resource, instead of those of the service. */
export class DatabaseRecords {
  readonly #wish: DatabaseWish;
  readonly #address: DatabaseAddress;
  #database: Database | undefined;
  #profiles: readonly string[] = [];
  /** Undefined where there is none, or where it holds something else than text. */
  #dateColumn: string | undefined;

  constructor(wish: DatabaseWish) {
    this.#wish = wish;
    this.#address = parseDatabaseAddress(wish.from);
  }

  /** Throws UsageError where the database is none of folio's, or has no records of the profiles. */
  async open(context: Context): Promise<void> {
    const table = tableOf(this.#wish.resource);
    const database = (this.#database = await openForReading(this.#address, context));
    await checkTables(database, [table], version);
    if ((await database.relation(table)) === undefined) {
      throw new UsageError(`${this.#address.shown} holds no ${this.#wish.resource.records}`, {
        hint: `Bring them with folio sync ${this.#address.shown} ${table.replaceAll('_', '-')}.`,
      });
    }
    this.#profiles = await this.#choose(context, await profilesIn(database, table));
    const { known } = await readColumns(database, table);
    const dates = known.find(({ field }) => field === this.#wish.resource.byDate?.field);
    this.#dateColumn = dates?.type === 'text' ? dates.name : undefined;
  }

  /** Whether the records can be ordered by their date. */
  get hasDates(): boolean {
    return this.#dateColumn !== undefined;
  }

  /**
   * The records in the order of the service. Where they are of several profiles, each has the name of its own as first member.
   *
   * @param direction by date, instead of the usual order
   */
  async *read(direction?: 'asc' | 'desc'): AsyncGenerator<RecordBatch> {
    const { resource, id } = this.#wish;
    const order = this.#order(direction);
    const where = id === undefined ? undefined : { column: 'fundId', value: id };
    for (const profile of this.#profiles) {
      const member = `"_profile":${JSON.stringify(profile)}`;
      for await (const batch of readRecords(this.#database!, tableOf(resource), { profile, where, order })) {
        yield this.#profiles.length > 1 ? prependMember(batch, member) : batch;
      }
    }
  }

  async close(): Promise<void> {
    await this.#database?.close();
  }

  #order(direction: 'asc' | 'desc' | undefined): StoredOrder | undefined {
    const usual = this.#wish.resource.byDate?.usual;
    const wanted = direction ?? usual;
    if (wanted === undefined || this.#dateColumn === undefined) return undefined;
    const isTurned = wanted !== (usual ?? 'asc');
    return { column: this.#dateColumn, descending: wanted === 'desc', isTurned };
  }

  /** Those that are asked for; else the profile that the service would be asked for; else all. */
  async #choose({ env, config }: Context, held: readonly string[]): Promise<readonly string[]> {
    const { profile, allProfiles } = this.#wish;
    if (allProfiles && profile !== undefined) {
      throw new UsageError('--all-profiles and --profile do not go together', {
        hint: 'Leave one of them out.',
      });
    }
    if (allProfiles) return held;
    if (profile === undefined) {
      const current = namedProfile(undefined, env) ?? (await config()).currentProfile;
      return current !== undefined && held.includes(current) ? [current] : held;
    }
    const asked = names('--profile')(profile);
    const missing = asked.find((name) => !held.includes(name));
    if (missing === undefined) return asked;
    throw new UsageError(`${this.#address.shown} holds no records of a profile ${missing}`, {
      hint: `It has those of ${held.join(', ')}.`,
    });
  }
}
