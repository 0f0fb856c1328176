import type { Context } from '../../context.ts';
import { parseDatabaseAddress, type DatabaseAddress } from '../../database/address.ts';
import { openForReading } from '../../database/open-database.ts';
import { StoredBooks, type LastSync, type StoredOrder } from '../../database/read-back.ts';
import { checkTables } from '../../database/tables.ts';
import { ServiceError, UsageError } from '../../errors.ts';
import { localDay, localMinute } from '../../json/calendar-day.ts';
import type { RecordBatch } from '../../json/records.ts';
import { duplicatesBy } from '../../profiles/choice.ts';
import { inOrderOf, parseProfileName } from '../../profiles/profile.ts';
import { listings, resources } from '../../resources/index.ts';
import { oneWordName, type Resource } from '../../resources/resource.ts';
import { version } from '../../version.ts';
import type { Notices } from '../notices.ts';
import type { Begins, HeldProfiles } from '../part.ts';
import { readsOfDatabase, type ReadPath } from '../paths.ts';
import type { Run } from '../run.ts';
import type { Origin } from '../run-day.ts';
import { FromSource, type FromRequest } from './from-source.ts';

/** The name of the table of a resource. */
export function tableOf(resource: Pick<Resource, 'name'>): string {
  return oneWordName(resource, '_');
}

/** A synced database, some listings of which are read in place of the service. Opened when first needed, once until it is closed. */
export class FromDatabase {
  readonly shown: string;
  readonly reads: readonly ReadPath[];
  readonly #address: DatabaseAddress;
  readonly #tables: readonly string[];
  #books: Promise<StoredBooks> | undefined;

  constructor(from: string, listings: readonly Resource[]) {
    this.#tables = listings.map(tableOf);
    this.#address = parseDatabaseAddress(from);
    this.shown = this.#address.shown;
    this.reads = readsOfDatabase(this.#address);
  }

  /** Throws UsageError where it, or the table of one of these listings, is not folio's. */
  async open(context: Context): Promise<StoredBooks> {
    return (this.#books ??= this.#opened(context));
  }

  async close(): Promise<void> {
    const books = await this.#books?.catch(() => undefined);
    this.#books = undefined;
    await books?.close();
  }

  async #opened(context: Context): Promise<StoredBooks> {
    const database = await openForReading(this.#address, context);
    try {
      await checkTables(database, this.#tables, version);
      return new StoredBooks(database);
    } catch (error) {
      await database.close();
      throw error;
    }
  }
}

/**
 * What became of the last sync of each listing in a database, of the profile or of all. Throws UsageError where no sync has written
 * to it, or none of the profile.
 */
export async function lastSyncsIn(
  from: string,
  context: Context,
  profile: string | undefined,
): Promise<{ readonly shown: string; readonly syncs: readonly (LastSync & { readonly table: string })[] }> {
  const database = new FromDatabase(from, []);
  const { shown } = database;
  const all: (LastSync & { readonly table: string })[] = [];
  try {
    const books = await database.open(context);
    for (const table of resources.map(tableOf))
      for (const sync of await books.lastSyncs(table)) all.push({ ...sync, table });
  } finally {
    await database.close();
  }
  if (all.length === 0)
    throw new UsageError(`no sync has written to ${shown}`, {
      hint: `Bring the records with folio sync ${shown}.`,
    });
  const held = [...new Set(all.map((sync) => sync.profile))];
  if (profile === undefined) return { shown, syncs: all };
  if (held.includes(profile)) return { shown, syncs: all.filter((sync) => sync.profile === profile) };
  throw new UsageError(`${shown} has nothing of a profile ${profile}`, {
    hint: `It has those of ${held.join(', ')}.`,
  });
}

interface DatabaseRequest extends FromRequest {
  readonly database: FromDatabase;
}

/** The records of a resource in a synced database, a profile at a time, in the order of the service. */
export class DatabaseSource extends FromSource<DatabaseRequest> {
  #syncs: ReadonlyMap<string, LastSync> = new Map();
  /** Undefined where the table has no such column, or one that does not hold text. */
  #dateColumn: string | undefined;
  #isNewestFirst = false;

  constructor(request: DatabaseRequest) {
    super(request, request.database.reads);
  }

  /** Also those of a sync that found nothing, or could not read. */
  async held(context: Context): Promise<HeldProfiles & { readonly profiles: readonly string[] }> {
    const { database } = this.request;
    const { shown } = database;
    const books = await database.open(context);
    const table = tableOf(this.resource);
    this.#syncs = new Map((await books.lastSyncs(table)).map((sync) => [sync.profile, sync]));
    const profiles = [...(await books.profilesIn(table)), ...this.#syncs.keys()];
    // A profile's name may become the name of a file.
    for (const name of profiles) parseProfileName(name, shown);
    return { shown, profiles: inOrderOf(await context.config(), profiles) };
  }

  protected override async check({ context, notices }: Run): Promise<readonly Origin[]> {
    const { shown } = this.request.database;
    const table = tableOf(this.resource);
    const books = await this.request.database.open(context);
    if (this.profiles.length === 0 || !(await books.hasTable(table))) {
      throw new UsageError(`${shown} holds no ${this.records}`, {
        hint: `Bring them with folio sync ${shown} ${oneWordName(this.resource, '-')}.`,
      });
    }
    refuseDuplicates(this.profiles, await books.organizations(), shown);
    this.#dateColumn = await books.textColumn(table, this.resource.byDate?.field);
    this.checkOrder(this.#dateColumn !== undefined && this.resource.byDate?.usual !== undefined);
    return this.#origins(`${shown} has the ${this.records}`, notices);
  }

  /** The last whole syncs: one for all where they are of one day. Warns of profiles whose last sync failed, so that theirs are older. */
  #origins(records: string, notices: Notices): readonly Origin[] {
    const whole: { readonly shown: string; readonly readAt: string; readonly profile: string }[] = [];
    for (const profile of this.profiles) {
      const { at, error, wholeAt: readAt } = this.#syncs.get(profile) ?? {};
      if (readAt === undefined) continue;
      whole.push({ shown: `${records} of ${profile}`, readAt, profile });
      if (error !== undefined)
        notices.warn(
          `${records} of profile ${profile} as of ${localMinute(readAt)}: the sync of ${localMinute(at!)} left them as they were (${error})`,
        );
    }
    const days = new Set(whole.map(({ readAt }) => localDay(Date.parse(readAt))));
    if (days.size > 1) return whole.map(({ profile, ...one }) => ({ ...one, only: [], profiles: [profile] }));
    const [readAt] = whole.map((one) => one.readAt).toSorted();
    return readAt === undefined ? [] : [{ shown: records, readAt, only: [] }];
  }

  begins(prefersNewest: boolean): Begins {
    const { sortBy, sortOrder } = this.request.flags ?? {};
    if ((sortBy ?? sortOrder) !== undefined) return undefined;
    if (this.#dateColumn === undefined) return 'unsorted';
    this.#isNewestFirst = prefersNewest && this.resource.newestFirst !== undefined;
    return this.#isNewestFirst ? 'newest' : (this.resource.begins ?? 'unsorted');
  }

  async close(): Promise<void> {
    await this.request.database.close();
  }

  protected override async stored(
    context: Context,
    profile: string | undefined,
  ): Promise<AsyncIterable<RecordBatch>> {
    if (profile === undefined) throw new Error('a database is read a profile at a time');
    const { database, id } = this.request;
    const sync = this.#syncs.get(profile);
    if (sync !== undefined && sync.wholeAt === undefined) throw this.#neverRead(sync);
    const where = id === undefined ? undefined : { column: 'fundId', value: id };
    const books = await database.open(context);
    return books.read(tableOf(this.resource), { profile, where, order: this.#order });
  }

  #neverRead({ profile, at, error }: LastSync): ServiceError {
    const { shown } = this.request.database;
    return new ServiceError(
      `${shown} lacks the ${this.records} of profile ${profile}: the sync of ${at} could not read them (${error})`,
      {
        hint: `Run folio sync ${shown} ${oneWordName(this.resource, '-')} again for what is missing, or name the profiles that you want with --profile.`,
      },
    );
  }

  /** By date, in the direction that the user wants, or the service's usual one. */
  get #order(): StoredOrder | undefined {
    const { usual } = this.resource.byDate ?? {};
    const wanted = this.#isNewestFirst ? 'desc' : (this.request.flags?.sortOrder ?? usual);
    if (wanted === undefined || this.#dateColumn === undefined) return undefined;
    return {
      column: this.#dateColumn,
      descending: wanted === 'desc',
      isTurned: wanted !== (usual ?? 'asc'),
    };
  }
}

/** The profiles of the records in a database, of whatever listing. Throws UsageError where it is none of folio's. */
export async function profilesHeld(from: string, context: Context): Promise<readonly string[]> {
  const database = new FromDatabase(from, listings);
  try {
    const all = new Set<string>();
    for (const resource of listings) {
      const source = new DatabaseSource({ from, resource, database, ofPart: 'answer' });
      for (const profile of (await source.held(context)).profiles) all.add(profile);
    }
    return inOrderOf(await context.config(), all);
  } finally {
    await database.close();
  }
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
  const same = `the profiles ${first} and ${name} are of one organization`;
  throw new UsageError(`${shown}: ${same}, whose records would come twice`, {
    hint: `Leave out ${name}: name the others with --profile.`,
  });
}
