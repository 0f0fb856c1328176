import { open } from 'node:fs/promises';
import type { Context } from '../../context.ts';
import { parseDatabaseAddress, type DatabaseAddress } from '../../database/address.ts';
import type { Database } from '../../database/database.ts';
import { openForReading } from '../../database/open-database.ts';
import {
  lastSyncs,
  profilesIn,
  readRecords,
  type LastSync,
  type StoredOrder,
} from '../../database/read-back.ts';
import { checkTables, readColumns } from '../../database/tables.ts';
import { ServiceError, UsageError } from '../../errors.ts';
import type { RecordBatch } from '../../json/records.ts';
import { namedProfile } from '../../profiles/connection.ts';
import { inOrderOf, parseProfileName } from '../../profiles/profile.ts';
import { oneWordName, type Resource } from '../../resources/resource.ts';
import { version } from '../../version.ts';
import { nameList } from '../parse-values.ts';
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

/** As given to --profile, names with commas between them, and to --all-profiles. */
interface ProfilesAsked {
  readonly profile: string | undefined;
  readonly allProfiles: boolean;
}

interface DatabaseWish extends Partial<ProfilesAsked> {
  readonly from: string;
  readonly resource: Resource;
  /** Whose documents, where the resource is those of one fund. */
  readonly id?: string | undefined;
  /** The profiles to read, where they were chosen already. */
  readonly profiles?: readonly string[];
}

/** Of which profiles a synced database has records, or should have, had a sync been able to read them. */
interface HeldProfiles {
  /** Of any of the resources. */
  readonly known: readonly string[];
  readonly held: ReadonlyMap<Resource, readonly string[]>;
}

/** The profiles of each of the resources in a synced database. Throws UsageError where it is none of folio's. */
export async function profilesHeld(
  from: string,
  resources: readonly Resource[],
  context: Context,
): Promise<HeldProfiles> {
  const database = await openForReading(parseDatabaseAddress(from), context);
  try {
    await checkTables(database, resources.map(tableOf), version);
    const held = new Map<Resource, readonly string[]>();
    for (const resource of resources) {
      held.set(resource, (await heldListing(database, tableOf(resource))).profiles);
    }
    return { known: inOrderOf(await context.config(), [...held.values()].flat()), held };
  } finally {
    await database.close();
  }
}

/** What a synced database has of a listing: whose, and how that went last. */
interface HeldListing {
  readonly profiles: readonly string[];
  readonly syncs: ReadonlyMap<string, LastSync>;
}

async function heldListing(database: Database, table: string): Promise<HeldListing> {
  const syncs = new Map((await lastSyncs(database, table)).map((sync) => [sync.profile, sync]));
  const there = new Set([...(await profilesIn(database, table)), ...syncs.keys()]);
  // A name becomes that of a file, too.
  for (const name of there) parseProfileName(name, database.shown);
  return { profiles: [...there], syncs };
}

/**
 * Of the profiles that a database has: those that the flags ask for, else the one that the service would be asked for; undefined
 * where that is none of them. Throws UsageError for one that it does not have.
 */
export async function profilesAsked(
  { from, profile, allProfiles }: ProfilesAsked & Pick<DatabaseWish, 'from'>,
  held: readonly string[],
  { env, config }: Context,
): Promise<readonly string[] | undefined> {
  if (allProfiles && profile !== undefined) {
    throw new UsageError('--all-profiles and --profile do not go together', {
      hint: 'Leave one of them out.',
    });
  }
  if (allProfiles) return held;
  if (profile === undefined) {
    const current = namedProfile(undefined, env) ?? (await config()).currentProfile;
    return current !== undefined && held.includes(current) ? [current] : undefined;
  }
  const asked = nameList('--profile')(profile);
  const missing = asked.find((name) => !held.includes(name));
  if (missing === undefined) return asked;
  const { shown } = parseDatabaseAddress(from);
  throw new UsageError(`${shown} holds no records of a profile ${missing}`, {
    hint: profileHint(held),
  });
}

/** How to choose from those that a database holds. */
export function profileHint(held: readonly string[]): string {
  return `It has those of ${held.join(', ')}. Name some with --profile, or take --all-profiles.`;
}

/**
 * The records that a synced database has of a resource, instead of those of the service, a profile at a time. Each reading has a
 * connection of its own, so that several can be read at once and none is left open.
 */
export class DatabaseRecords {
  readonly #wish: DatabaseWish;
  readonly #address: DatabaseAddress;
  #syncs: HeldListing['syncs'] | undefined;
  #profiles: readonly string[] = [];
  /** Undefined where there is none, or where it holds something else than text. */
  #dateColumn: string | undefined;

  constructor(wish: DatabaseWish) {
    this.#wish = wish;
    this.#address = parseDatabaseAddress(wish.from);
  }

  /** Finds what is there; once. Throws UsageError where the database is none of folio's, or has no records of the profiles. */
  async open(context: Context): Promise<void> {
    if (this.#syncs !== undefined) return;
    const { resource } = this.#wish;
    const table = tableOf(resource);
    const database = await openForReading(this.#address, context);
    try {
      await checkTables(database, [table], version);
      const isThere = (await database.relation(table)) !== undefined;
      const { profiles, syncs } = await heldListing(database, table);
      if (!isThere || profiles.length === 0) throw this.#holdsNone();
      this.#syncs = syncs;
      this.#profiles = await this.#chosen(inOrderOf(await context.config(), profiles), context);
      const { known } = await readColumns(database, table);
      const dates = known.find(({ field }) => field === resource.byDate?.field);
      this.#dateColumn = dates?.type === 'text' ? dates.name : undefined;
    } finally {
      await database.close();
    }
  }

  /** Those that are asked for; known once it is open. */
  get profiles(): readonly string[] {
    return this.#profiles;
  }

  /** Whether the records can be ordered by their date. */
  get hasDates(): boolean {
    return this.#dateColumn !== undefined;
  }

  /** Of when the records are, a sentence; of the oldest, where there are several profiles. */
  get age(): string | undefined {
    const [oldest] = this.#lastSyncs.flatMap(({ wholeAt }) => wholeAt ?? []).toSorted();
    return oldest && `${this.#address.shown} has the ${this.#wish.resource.records} as of ${oldest}.`;
  }

  /** What is not as new as it should be, a sentence each. */
  get stale(): readonly string[] {
    const what = `${this.#address.shown} has the ${this.#wish.resource.records}`;
    return this.#lastSyncs.flatMap(({ profile, at, error, wholeAt }) =>
      wholeAt === undefined || error === undefined
        ? []
        : `${what} of profile ${profile} as of ${wholeAt}: the sync of ${at} left them as they were (${error})`,
    );
  }

  /**
   * The records of a profile in the order of the service.
   *
   * @param direction by date, instead of the usual order
   * @throws ServiceError where no sync could read them whole
   */
  async *read(
    context: Context,
    profile: string,
    direction: 'asc' | 'desc' | undefined,
  ): AsyncGenerator<RecordBatch> {
    const { resource, id } = this.#wish;
    const sync = this.#syncs?.get(profile);
    if (sync !== undefined && sync.wholeAt === undefined) throw this.#neverRead(sync);
    const order = this.#order(direction);
    const where = id === undefined ? undefined : { column: 'fundId', value: id };
    const database = await openForReading(this.#address, context);
    try {
      yield* readRecords(database, tableOf(resource), { profile, where, order });
    } finally {
      await database.close();
    }
  }

  async #chosen(held: readonly string[], context: Context): Promise<readonly string[]> {
    const { from, profiles, profile, allProfiles = false } = this.#wish;
    return profiles ?? (await profilesAsked({ from, profile, allProfiles }, held, context)) ?? held;
  }

  /** Of the profiles that are asked for. */
  get #lastSyncs(): readonly LastSync[] {
    return this.#profiles.flatMap((profile) => this.#syncs?.get(profile) ?? []);
  }

  #holdsNone(): UsageError {
    const { shown } = this.#address;
    const { resource } = this.#wish;
    return new UsageError(`${shown} holds no ${resource.records}`, {
      hint: `Bring them with folio sync ${shown} ${oneWordName(resource, '-')}.`,
    });
  }

  #neverRead({ profile, at, error }: LastSync): ServiceError {
    const { resource } = this.#wish;
    const { shown } = this.#address;
    const message = `${shown} lacks the ${resource.records} of profile ${profile}: the sync of ${at} could not read them (${error})`;
    return new ServiceError(message, {
      hint: `Run folio sync ${shown} ${oneWordName(resource, '-')} again for what is missing, or name the profiles that you want with --profile.`,
    });
  }

  #order(direction: 'asc' | 'desc' | undefined): StoredOrder | undefined {
    const usual = this.#wish.resource.byDate?.usual;
    const wanted = direction ?? usual;
    if (wanted === undefined || this.#dateColumn === undefined) return undefined;
    const isTurned = wanted !== (usual ?? 'asc');
    return { column: this.#dateColumn, descending: wanted === 'desc', isTurned };
  }
}
