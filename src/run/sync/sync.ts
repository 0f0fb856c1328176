import type { Context } from '../../context.ts';
import { parseDatabaseAddress, type DatabaseAddress } from '../../database/address.ts';
import type { Database } from '../../database/database.ts';
import { openDatabase } from '../../database/open-database.ts';
import { SpooledListing } from '../../database/spooled-listing.ts';
import { requireWritable, sqliteFileExists } from '../../database/sqlite.ts';
import { planSync, writeSync, type GoneLimit, type SyncPart } from '../../database/sync-run.ts';
import { checkTables, readRuns, tryWriting } from '../../database/tables.ts';
import { ServiceError, UsageError } from '../../errors.ts';
import { lockTarget } from '../../output/files/lock.ts';
import { findTarget } from '../../output/files/target.ts';
import type { Format } from '../../output/formats.ts';
import { version } from '../../version.ts';
import type { GlobalFlags, ProfilesFlags, ReceiptFlags, RequestFlags } from '../flags.ts';
import { inRun, type Run } from '../run.ts';
import { checkPart, forEachPart, recordsOf, storeOf, tryPart } from '../part.ts';
import { isOfSeveral, chooseProfiles } from '../session.ts';
import { readsOfDatabase } from '../paths.ts';
import { fieldsOf } from '../settings.ts';
import { showResults } from './sync-result.ts';
import { syncResources, type SyncResource } from './sync-resources.ts';

interface SyncFlags extends GlobalFlags, RequestFlags, ReceiptFlags, Pick<ProfilesFlags, 'allProfiles'> {
  readonly toEnv?: string | undefined;
  readonly maxGone?: GoneLimit | undefined;
  readonly allowGone?: boolean | undefined;
  readonly plan?: boolean | undefined;
  readonly format?: Format | undefined;
}

/** One listing of one profile. */
interface Asked {
  /** As messages name it: `north issued`. */
  readonly name: string;
  readonly resource: SyncResource;
  /** Undefined where the run asks one organization, whichever the flags and the environment say. */
  readonly profile: string | undefined;
}

const DEFAULT_LIMIT: GoneLimit = { most: 10, unit: '%' };

/**
 * Reads whole listings and makes a database equal to them; with --plan, says what that would change. Listings that could be
 * read are written. The rows of the others stay as they were.
 *
 * @param words the database, unless --to-env names it, and the resources
 * @throws UsageError, ServiceError, OutputError, Interrupted: the database is as it was
 * @throws IncompleteError after the listings that could be read were written
 */
export async function syncDatabase(
  context: Context,
  words: readonly string[],
  flags: SyncFlags,
): Promise<void> {
  const [address, names] = readWords(context, words, flags);
  const resources = findResources(names);
  const profiles = isOfSeveral(flags) ? await chooseProfiles(context, flags) : [undefined];
  const asked = profiles.map((profile) =>
    resources.map((resource): Asked => {
      const { name } = resource;
      return { name: profile === undefined ? name : `${profile} ${name}`, resource, profile };
    }),
  );
  const file = address.engine === 'SQLite' ? address.path : undefined;
  const options = {
    flags,
    name: 'sync',
    records: 'records',
    files: file === undefined ? [] : [{ flag: 'sync', path: file, is: 'the database' }],
    reads: readsOfDatabase(address).slice(1),
    parts: asked.flat().map(({ name }) => name),
    partKind: 'listings' as const,
  };
  await inRun(context, options, async (run) => {
    const target = await SyncTarget.open(run.context, address, flags.plan === true);
    try {
      const tables = resources.map(({ table }) => table);
      await syncListings(run, { target, flags, asked, tables });
    } finally {
      await target.close();
    }
  });
}

/** The database, and the names of resources. */
function readWords(
  { env, secrets }: Context,
  words: readonly string[],
  { toEnv }: SyncFlags,
): readonly [DatabaseAddress, readonly string[]] {
  if (toEnv !== undefined) {
    const text = env[toEnv];
    if (!text) {
      throw new UsageError(`--to-env ${toEnv}: there is no such variable`, {
        hint: `Set ${toEnv} to the address of the database.`,
      });
    }
    secrets.hide([text]);
    return [parseDatabaseAddress(text, toEnv), words];
  }
  const [text, ...names] = words;
  if (text !== undefined) return [parseDatabaseAddress(text), names];
  throw new UsageError('sync needs a database', {
    hint: 'Give a file such as books.db, or postgres://user@host/name.',
  });
}

function findResources(names: readonly string[]): readonly SyncResource[] {
  if (names.length === 0) return syncResources.filter(({ isUsual }) => isUsual);
  return [...new Set(names)].map((name) => {
    const found = syncResources.find((resource) => resource.name === name);
    if (found !== undefined) return found;
    throw new UsageError(`folio sync knows no resource ${JSON.stringify(name)}`, {
      hint: `There are ${syncResources.map((resource) => resource.name).join(', ')}.`,
    });
  });
}

/** The database of a sync. Its file is made when there is something to write. */
class SyncTarget {
  /** Undefined where its file does not exist yet. */
  existing: Database | undefined;
  readonly #connect: () => Promise<Database>;
  #unlock: (() => Promise<void>) | undefined;

  private constructor(connect: () => Promise<Database>) {
    this.#connect = connect;
  }

  /** Before the first request. Rejects where the database cannot be written, or is being written by another run. */
  static async open(context: Context, address: DatabaseAddress, onlyPlans: boolean): Promise<SyncTarget> {
    const target = new SyncTarget(() => openDatabase(address, context));
    try {
      if (!onlyPlans) await target.#lock(context, address);
      if (address.engine === 'SQLite' && !sqliteFileExists(address)) return target;
      target.existing = await target.#connect();
      return target;
    } catch (error) {
      await target.close();
      throw error;
    }
  }

  /** The database, connected again where needed: the connection may have been idle for hours while listings were read. */
  async connected(): Promise<Database> {
    const database = (this.existing ??= await this.#connect());
    try {
      await database.query('SELECT 1');
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      await database.reconnect();
    }
    return database;
  }

  async close(): Promise<void> {
    await this.existing?.close();
    await this.#unlock?.();
  }

  async #lock(context: Context, address: DatabaseAddress): Promise<void> {
    if (address.engine !== 'SQLite') return;
    requireWritable(address);
    const file = await findTarget(address.path);
    if (file.kind !== 'file') return;
    const lock = await lockTarget(file, context);
    this.#unlock = () => lock.release();
  }
}

interface Syncing {
  readonly target: SyncTarget;
  readonly flags: SyncFlags;
  /** By profile. */
  readonly asked: readonly (readonly Asked[])[];
  readonly tables: readonly string[];
}

/** Reads all listings: those of one profile one after the other, and up to four profiles at a time. Then it writes them. */
async function syncListings(run: Run, { target, flags, asked, tables }: Syncing): Promise<void> {
  const { clock, signal } = run.context;
  const { existing } = target;
  if (existing !== undefined) await checkTables(existing, tables, version);
  // Before the first request: to read the listings may take an hour.
  if (existing !== undefined && !flags.plan) await tryWriting(existing, tables);
  const before = existing === undefined ? NO_RUNS : await readRuns(existing);
  const goneLimit = flags.allowGone ? undefined : (flags.maxGone ?? DEFAULT_LIMIT);
  const options = { goneLimit, lastRun: before.last, version, clock, signal };
  const spools: SpooledListing[] = [];
  const parts: SyncPart[] = [];
  try {
    const read = forEachPart(run, asked, async (listings, stop) => {
      const done: SyncPart[] = [];
      for (const one of listings) done.push(await readListing(run, one, { ...before, spools, signal: stop }));
      return done;
    });
    for await (const done of read) parts.push(...done);
    const synced = flags.plan
      ? await planSync(existing, parts, options)
      : await writeSync(await target.connected(), parts, options);
    const results = asked.flat().map((one, at) => ({ ...one, synced: synced[at]! }));
    await showResults(run, results, flags);
  } finally {
    for (const spool of spools) await spool.close();
  }
}

const NO_RUNS = { last: 0, organizations: new Map<string, string>() };

interface Reading {
  /** Closed at the end of the run. */
  readonly spools: SpooledListing[];
  /** The organization of each profile at the last sync. */
  readonly organizations: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
}

/** Reads a listing, or finds out why it cannot be had. Throws UsageError where what it brought cannot be stored: it concerns all listings. */
async function readListing(
  run: Run,
  { name, resource, profile: named }: Asked,
  { spools, organizations, signal }: Reading,
): Promise<SyncPart> {
  const { clock } = run.context;
  const sandbox = run.flags.sandbox === true;
  const startedAt = clock.now();
  let profile = named ?? run.flags.profile ?? (sandbox ? 'sandbox' : 'default');
  let organization: string | undefined;
  let listing: SpooledListing | undefined;
  const options = { source: resource.source(), name, signal, ...(named !== undefined && { profile: named }) };
  const { failure } = await tryPart(run, options, async (part) => {
    profile = part.profile ?? profile;
    organization = part.session?.organization;
    listing = new SpooledListing({ records: resource.records, key: part.defaults.key });
    spools.push(listing);
    refuseOrganization(profile, organization, organizations.get(profile));
    for await (const records of recordsOf(part)) await listing.add(records);
    checkPart(part);
  });
  if (listing !== undefined && failure instanceof UsageError) throw failure;
  // The view is one for the records of all profiles.
  const fields = fieldsOf(await storeOf(run), { resource: resource.resource, profile, isSeveral: true });
  const outcome = failure ?? listing!;
  return { table: resource.table, profile, organization, fields, startedAt, readAt: clock.now(), outcome };
}

function refuseOrganization(profile: string, now: string | undefined, before: string | undefined): void {
  if (now === undefined || before === undefined || now === before) return;
  throw new UsageError(
    `the profile ${profile} is of the organization ${now} now, and the database holds the books of ${before} under that name`,
    { hint: 'Use a profile of another name for the new organization, or another database.' },
  );
}
