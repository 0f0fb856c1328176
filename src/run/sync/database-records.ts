import { open } from 'node:fs/promises';
import type { Context } from '../../context.ts';
import { parseDatabaseAddress, type DatabaseAddress } from '../../database/address.ts';
import type { Database } from '../../database/database.ts';
import { openForReading } from '../../database/open-database.ts';
import {
  profilesIn,
  readRecords,
  type StoredOrder,
  lastSyncs,
  type LastSync,
} from '../../database/read-back.ts';
import { checkTables, readColumns } from '../../database/tables.ts';
import { IncompleteError, UsageError } from '../../errors.ts';
import { prependMember, type RecordBatch } from '../../json/records.ts';
import { namedProfile } from '../../profiles/connection.ts';
import type { Resource } from '../../resources/resource.ts';
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

export interface DatabaseWish {
  readonly from: string;
  readonly resource: Resource;
  /** Whose documents, where the resource is those of one fund. */
  readonly id: string | undefined;
  /** As given to --profile: names with commas between them. */
  readonly profile: string | undefined;
  readonly allProfiles: boolean;
}

/** The listings of profiles that a database holds, and those that no sync of it could read whole. */
export interface HeldListings {
  readonly held: ReadonlyMap<Resource, readonly string[]>;
  readonly lacking: ReadonlyMap<Resource, ReadonlyMap<string, IncompleteError>>;
}

/**
 * Of which profiles a synced database holds each of the resources; none of those that it has no table of. Throws UsageError where
 * the database is none of folio's.
 */
export async function profilesHeld(
  from: string,
  resources: readonly Resource[],
  context: Context,
): Promise<HeldListings> {
  const address = parseDatabaseAddress(from);
  const database = await openForReading(address, context);
  try {
    await checkTables(database, resources.map(tableOf), version);
    const held = new Map<Resource, readonly string[]>();
    const lacking = new Map<Resource, ReadonlyMap<string, IncompleteError>>();
    for (const resource of resources) {
      held.set(resource, await profilesIn(database, tableOf(resource)));
      const never = (await lastSyncs(database, tableOf(resource))).filter(
        ({ wholeAt }) => wholeAt === undefined,
      );
      const errors = never.map((sync) => [sync.profile, neverRead(address, resource, sync)] as const);
      lacking.set(resource, new Map(errors));
    }
    return { held, lacking };
  } finally {
    await database.close();
  }
}

function neverRead(
  { shown }: DatabaseAddress,
  resource: Resource,
  { profile, at, error }: LastSync,
): IncompleteError {
  const message = `${shown} lacks the ${resource.records} of profile ${profile}: the sync of ${at} could not read them (${error})`;
  return new IncompleteError(message, {
    hint: `Run folio sync ${shown} ${tableOf(resource).replaceAll('_', '-')} --profile ${profile} again, or name the profiles that you want with --profile.`,
  });
}

/**
 * Of the profiles that a database holds: those that the flags ask for, else the one that the service would be asked for; undefined
 * where that is none of them. Throws UsageError for one that it does not hold.
 */
export async function profilesAsked(
  { from, profile, allProfiles }: Pick<DatabaseWish, 'from' | 'profile' | 'allProfiles'>,
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

/** The records that a synced database has of a resource, instead of those of the service. */
export class DatabaseRecords {
  readonly #wish: DatabaseWish;
  readonly #address: DatabaseAddress;
  #database: Database | undefined;
  #profiles: readonly string[] = [];
  /** Of when the records are, a sentence; of the oldest, where there are several profiles. Known once it is open. */
  age: string | undefined;
  /** What is not as new as it should be, a sentence each; known once it is open. */
  stale: readonly string[] = [];
  /** Why records of a profile that is asked for are missing. */
  incomplete: IncompleteError | undefined;
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
    const held = await profilesIn(database, table);
    this.#profiles = (await profilesAsked(this.#wish, held, context)) ?? held;
    this.#look(await lastSyncs(database, table), this.#profiles === held);
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

  /** Finds what the last syncs did not bring, of the profiles that are asked for: of all there are, or of those chosen. */
  #look(syncs: readonly LastSync[], isOfAll: boolean): void {
    const { resource } = this.#wish;
    const { shown } = this.#address;
    const read = syncs.filter(
      ({ profile, wholeAt }) => wholeAt !== undefined && this.#profiles.includes(profile),
    );
    const [oldest] = read.map(({ wholeAt }) => wholeAt!).toSorted();
    this.age = oldest && `${shown} has the ${resource.records} as of ${oldest}.`;
    this.stale = read
      .filter(({ error }) => error !== undefined)
      .map(
        ({ profile, at, error, wholeAt }) =>
          `${shown} has the ${resource.records} of profile ${profile} as of ${wholeAt}: the sync of ${at} left them as they were (${error})`,
      );
    const never = isOfAll ? syncs.find(({ wholeAt }) => wholeAt === undefined) : undefined;
    this.incomplete = never && neverRead(this.#address, resource, never);
  }

  #order(direction: 'asc' | 'desc' | undefined): StoredOrder | undefined {
    const usual = this.#wish.resource.byDate?.usual;
    const wanted = direction ?? usual;
    if (wanted === undefined || this.#dateColumn === undefined) return undefined;
    const isTurned = wanted !== (usual ?? 'asc');
    return { column: this.#dateColumn, descending: wanted === 'desc', isTurned };
  }
}
