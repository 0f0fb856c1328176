import type { Context } from '../../context.ts';
import { parseDatabaseAddress } from '../../database/address.ts';
import { openForReading } from '../../database/open-database.ts';
import { StoredBooks, type LastSync, type StoredOrder } from '../../database/read-back.ts';
import { checkTables } from '../../database/tables.ts';
import { ServiceError, UsageError } from '../../errors.ts';
import { localDay, localMinute } from '../../json/calendar-day.ts';
import { inOrderOf, parseProfileName } from '../../profiles/profile.ts';
import { listings, resources } from '../../resources/listings.ts';
import { oneWordName, type Resource } from '../../resources/resource.ts';
import { version } from '../../version.ts';
import type { Notices } from '../notices.ts';
import type { Source } from '../run.ts';
import { readsOfDatabase } from '../paths.ts';
import type { Origin } from '../run-state.ts';
import { fromSource, serviceOrder, type FromRequest } from './from-source.ts';
import { usualOrder } from './listing-source.ts';

export function tableOf(resource: Pick<Resource, 'name'>): string {
  return oneWordName(resource, '_');
}

/** A synced database, some listings of which are read in place of the service. */
type FromDatabase = ReturnType<typeof databaseFrom>;

/** A database, opened once when first needed, until it is closed. Throws UsageError for a name that is not an address. */
export function databaseFrom(from: string, listings: readonly Resource[]) {
  const address = parseDatabaseAddress(from);
  const openBooks = async (context: Context): Promise<StoredBooks> => {
    const database = await openForReading(address, context);
    try {
      await checkTables(database, listings.map(tableOf), version);
      return new StoredBooks(database);
    } catch (error) {
      await database.close();
      throw error;
    }
  };
  let opened: Promise<StoredBooks> | undefined;
  return {
    shown: address.shown,
    reads: readsOfDatabase(address),
    /** Throws UsageError where it, or the table of one of the listings, is not folio's. */
    open: (context: Context): Promise<StoredBooks> => (opened ??= openBooks(context)),
    async close(): Promise<void> {
      const books = await opened?.catch(() => undefined);
      opened = undefined;
      await books?.close();
    },
  };
}

/**
 * The result of the last sync of each listing in a database, of the profile or of all. Throws UsageError if no sync has
 * written to it, or none of the profile.
 */
export async function lastSyncsIn(from: string, context: Context, profile: string | undefined) {
  const database = databaseFrom(from, []);
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

/** The profiles with records of a resource, or a sync of it that found or read none. */
async function heldIn(
  { database, resource }: Pick<DatabaseRequest, 'database' | 'resource'>,
  context: Context,
) {
  const { shown } = database;
  const books = await database.open(context);
  const table = tableOf(resource);
  const synced = (await books.lastSyncs(table)).map(({ profile }) => profile);
  const profiles = [...(await books.profilesIn(table)), ...synced];
  // A profile's name may become the name of a file.
  for (const name of profiles) parseProfileName(name, shown);
  const { profiles: all, organizations } = await books.owners();
  const without = [...all].filter((name) => !profiles.includes(name));
  return { shown, profiles: inOrderOf(await context.config(), profiles), without, organizations };
}

/** The records of a resource in a synced database, a profile at a time, in the order of the service. */
export function databaseSource(request: DatabaseRequest): Source {
  const { database, resource, id, flags = {} } = request;
  const { shown } = database;
  const table = tableOf(resource);
  const word = oneWordName(resource, '-');
  const { field, usual } = resource.byDate ?? {};
  return fromSource(request, {
    reads: database.reads,
    held: (context) => heldIn(request, context),
    async check({ context, notices }, profiles) {
      const { records } = resource;
      const books = await database.open(context);
      if (profiles.length === 0 || !(await books.hasTable(table)))
        throw new UsageError(`${shown} holds no ${records}`, {
          hint: `Bring them with folio sync ${shown} ${word}.`,
        });
      const syncs = new Map((await books.lastSyncs(table)).map((sync) => [sync.profile, sync]));
      // Undefined where the table has no such column, or one that does not hold text.
      const dateColumn = await books.textColumn(table, field);
      serviceOrder(flags, dateColumn !== undefined && usual !== undefined);
      const isOwnOrder = (flags.sortBy ?? flags.sortOrder) === undefined;
      const ofService =
        dateColumn === undefined ? ({ begins: 'unsorted', canTurn: false } as const) : usualOrder(resource);
      const last = profiles.flatMap((profile) => syncs.get(profile) ?? []);
      const origins = originsOf(last, `${shown} has the ${records}`, notices);
      /** The order by date, in the direction that the user chose, or the service's usual one. */
      const orderOf = (newestFirst = false): StoredOrder | undefined => {
        const wanted = newestFirst ? 'desc' : (flags.sortOrder ?? usual);
        if (wanted === undefined || dateColumn === undefined) return undefined;
        return { column: dateColumn, descending: wanted === 'desc', isReversed: wanted !== (usual ?? 'asc') };
      };
      return {
        origins,
        order: isOwnOrder ? ofService : undefined,
        async records({ profile }, { newestFirst }) {
          if (profile === undefined) throw new Error('a database is read a profile at a time');
          const sync = syncs.get(profile);
          if (sync !== undefined && sync.wholeAt === undefined)
            throw new ServiceError(
              `${shown} lacks the ${records} of profile ${profile}: the sync of ${localMinute(sync.at)} could not read them (${sync.error})`,
              {
                hint: `Run folio sync ${shown} ${word} again for what is missing, or name the profiles that you want with --profile.`,
              },
            );
          const where = id === undefined ? undefined : { column: 'fundId', value: id };
          return books.read(table, { profile, where, order: orderOf(newestFirst) });
        },
      };
    },
    close: () => database.close(),
  });
}

/** The last whole syncs: one if they are of one day. Warns of profiles whose last sync failed: their records are older. */
function originsOf(syncs: readonly LastSync[], records: string, notices: Notices): readonly Origin[] {
  const whole = syncs.flatMap(({ profile, at, error, wholeAt: readAt }) => {
    if (readAt === undefined) return [];
    if (error !== undefined)
      notices.warn(
        `${records} of profile ${profile} as of ${localMinute(readAt)}: the sync of ${localMinute(at)} left them as they were (${error})`,
      );
    return { shown: `${records} of ${profile}`, readAt, only: [], profiles: [profile] };
  });
  const days = new Set(whole.map(({ readAt }) => localDay(Date.parse(readAt))));
  if (days.size > 1) return whole;
  const [readAt] = whole.map((one) => one.readAt).toSorted();
  return readAt === undefined ? [] : [{ shown: records, readAt, only: [] }];
}

/** The profiles of the records in a database, of any listing. Throws UsageError if the database is not folio's. */
export async function profilesHeld(from: string, context: Context): Promise<readonly string[]> {
  const database = databaseFrom(from, listings);
  try {
    const all = new Set<string>();
    for (const resource of listings)
      for (const profile of (await heldIn({ database, resource }, context)).profiles) all.add(profile);
    return inOrderOf(await context.config(), all);
  } finally {
    await database.close();
  }
}
