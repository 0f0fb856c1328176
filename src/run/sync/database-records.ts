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
import { rememberedOrganizations } from '../../database/sync-run.ts';
import { readColumns } from '../../database/record-columns.ts';
import { checkTables } from '../../database/tables.ts';
import { ServiceError, UsageError } from '../../errors.ts';
import type { RecordBatch } from '../../json/records.ts';
import { chooseHeld, duplicatesBy, type ProfilesAsked } from '../../profiles/choice.ts';
import { inOrderOf, parseProfileName } from '../../profiles/profile.ts';
import { oneWordName, type Resource } from '../../resources/resource.ts';
import { version } from '../../version.ts';
import { readsOfDatabase, type ReadPath } from '../paths.ts';
import { syncResources, tableOf } from './sync-resources.ts';

/** The first bytes of every SQLite file. */
const SQLITE = Buffer.from('SQLite format 3\0');

/** Whether --from names a database: an address, or a SQLite file. */
export async function isDatabase(from: string): Promise<boolean> {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(from)) return true;
  const file = await open(from).catch(() => undefined);
  try {
    const start = await file?.read(Buffer.alloc(SQLITE.length), 0, SQLITE.length, 0);
    return start !== undefined && start.buffer.equals(SQLITE);
  } catch {
    // Such as a folder: the code that reads it as an export says so.
    return false;
  } finally {
    await file?.close();
  }
}

interface DatabaseRecordsOptions {
  readonly from: string;
  readonly resource: Resource;
  /** The fund, where the resource is the documents of one fund. */
  readonly id?: string | undefined;
  /** Whose records are asked for, or the profiles themselves, where the caller has chosen them. */
  readonly profiles: ProfilesAsked | readonly string[];
}

/** The profiles in a synced database, also those that no sync could read. */
interface HeldProfiles {
  /** Those of any of the resources. */
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

/**
 * What became of the last sync of each listing in a synced database.
 *
 * @param profile whose listings, with commas between several; without it those of all profiles
 * @throws UsageError where no sync has written to it, or none of such a profile
 */
export async function lastSyncsIn(
  from: string,
  context: Context,
  profile: string | undefined,
): Promise<{ readonly shown: string; readonly syncs: readonly (LastSync & { readonly table: string })[] }> {
  const database = await openForReading(parseDatabaseAddress(from), context);
  const { shown } = database;
  try {
    await checkTables(database, [], version);
    const all: (LastSync & { readonly table: string })[] = [];
    for (const { table } of syncResources) {
      for (const sync of await lastSyncs(database, table)) all.push({ ...sync, table });
    }
    if (all.length === 0)
      throw new UsageError(`no sync has written to ${shown}`, {
        hint: `Bring the records with folio sync ${shown}.`,
      });
    if (profile === undefined) return { shown, syncs: all };
    const names = profile.split(',');
    const missing = names.find((name) => !all.some((sync) => sync.profile === name));
    if (missing === undefined) return { shown, syncs: all.filter((sync) => names.includes(sync.profile)) };
    const held = [...new Set(all.map((sync) => sync.profile))];
    throw new UsageError(`${shown} has nothing of a profile ${missing}`, {
      hint: `It has those of ${held.join(', ')}.`,
    });
  } finally {
    await database.close();
  }
}

/** The profiles of a listing in a synced database, and the last sync of each. */
interface HeldListing {
  readonly profiles: readonly string[];
  readonly syncs: ReadonlyMap<string, LastSync>;
}

async function heldListing(database: Database, table: string): Promise<HeldListing> {
  const syncs = new Map((await lastSyncs(database, table)).map((sync) => [sync.profile, sync]));
  // Those of a sync that found nothing, or could not read, are among them.
  const there = new Set([...(await profilesIn(database, table)), ...syncs.keys()]);
  // A profile's name may become the name of a file.
  for (const name of there) parseProfileName(name, database.shown);
  return { profiles: [...there].toSorted(), syncs };
}

/** Throws UsageError where two of the profiles are of one organization: its records would come twice. */
function refuseDuplicates(
  profiles: readonly string[],
  organizations: ReadonlyMap<string, string>,
  shown: string,
): void {
  const [duplicate] = duplicatesBy(profiles, (name) => organizations.get(name));
  if (duplicate === undefined) return;
  const [name, first] = duplicate;
  const says = `the profiles ${first} and ${name} are of one organization, whose records would come twice`;
  throw new UsageError(`${shown}: ${says}`, { hint: `Leave out ${name}: name the others with --profile.` });
}

/**
 * Reads the records of a resource from a synced database instead of the service, a profile at a time. Each reading has a
 * connection of its own, so that several can run at once and none stays open.
 */
export class DatabaseRecords {
  readonly #options: DatabaseRecordsOptions;
  readonly #address: DatabaseAddress;
  #syncs: HeldListing['syncs'] | undefined;
  #profiles: readonly string[] = [];
  /** Undefined where the table has no such column, or one that does not hold text. */
  #dateColumn: string | undefined;

  constructor(options: DatabaseRecordsOptions) {
    this.#options = options;
    this.#address = parseDatabaseAddress(options.from);
  }

  /** Finds what the database holds, once. Throws UsageError where it is not folio's, or holds no records of the profiles. */
  async open(context: Context): Promise<void> {
    if (this.#syncs !== undefined) return;
    const { resource } = this.#options;
    const table = tableOf(resource);
    const database = await openForReading(this.#address, context);
    try {
      await checkTables(database, [table], version);
      const isThere = (await database.relation(table)) !== undefined;
      const { profiles, syncs } = await heldListing(database, table);
      if (!isThere || profiles.length === 0) throw this.#holdsNone();
      this.#syncs = syncs;
      this.#profiles = await this.#chosen(inOrderOf(await context.config(), profiles), context);
      refuseDuplicates(this.#profiles, await rememberedOrganizations(database), this.#address.shown);
      const { known } = await readColumns(database, table);
      const dates = known.find(({ field }) => field === resource.byDate?.field);
      this.#dateColumn = dates?.type === 'text' ? dates.name : undefined;
    } finally {
      await database.close();
    }
  }

  /** The profiles to read, once it is open. */
  get profiles(): readonly string[] {
    return this.#profiles;
  }

  get reads(): readonly ReadPath[] {
    return readsOfDatabase(this.#address);
  }

  /** Whether the records can be ordered by their date. */
  get hasDates(): boolean {
    return this.#dateColumn !== undefined;
  }

  /** A sentence that says of when the records are; with several profiles, of when the oldest are. */
  get age(): string | undefined {
    const { wholeAt } = this;
    return wholeAt && `${this.#address.shown} has the ${this.#options.resource.records} as of ${wholeAt}.`;
  }

  /** Of when the records are; with several profiles, the oldest. */
  get wholeAt(): string | undefined {
    return this.#lastSyncs.flatMap(({ wholeAt }) => wholeAt ?? []).toSorted()[0];
  }

  /** A sentence for each profile whose last sync failed, so that its records are older. */
  get stale(): readonly string[] {
    const what = `${this.#address.shown} has the ${this.#options.resource.records}`;
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
    const { resource, id } = this.#options;
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
    const { profiles } = this.#options;
    if (!('all' in profiles)) return profiles;
    return chooseHeld({ shown: this.#address.shown, held }, profiles, context);
  }

  /** The last syncs of the profiles to read. */
  get #lastSyncs(): readonly LastSync[] {
    return this.#profiles.flatMap((profile) => this.#syncs?.get(profile) ?? []);
  }

  #holdsNone(): UsageError {
    const { shown } = this.#address;
    const { resource } = this.#options;
    return new UsageError(`${shown} holds no ${resource.records}`, {
      hint: `Bring them with folio sync ${shown} ${oneWordName(resource, '-')}.`,
    });
  }

  #neverRead({ profile, at, error }: LastSync): ServiceError {
    const { resource } = this.#options;
    const { shown } = this.#address;
    const message = `${shown} lacks the ${resource.records} of profile ${profile}: the sync of ${at} could not read them (${error})`;
    return new ServiceError(message, {
      hint: `Run folio sync ${shown} ${oneWordName(resource, '-')} again for what is missing, or name the profiles that you want with --profile.`,
    });
  }

  #order(direction: 'asc' | 'desc' | undefined): StoredOrder | undefined {
    const usual = this.#options.resource.byDate?.usual;
    const wanted = direction ?? usual;
    if (wanted === undefined || this.#dateColumn === undefined) return undefined;
    const isTurned = wanted !== (usual ?? 'asc');
    return { column: this.#dateColumn, descending: wanted === 'desc', isTurned };
  }
}
