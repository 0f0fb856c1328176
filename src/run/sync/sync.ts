import type { Context } from '../../context.ts';
import { parseDatabaseAddress, type DatabaseAddress } from '../../database/address.ts';
import type { Database } from '../../database/database.ts';
import { openDatabase } from '../../database/open-database.ts';
import { SpooledListing } from '../../database/spooled-listing.ts';
import { requireWritable, sqliteFileExists } from '../../database/sqlite.ts';
import {
  planSync,
  writeSync,
  type GoneLimit,
  type SyncOptions,
  type SyncPart,
} from '../../database/sync-run.ts';
import { checkTables, readRuns } from '../../database/tables.ts';
import { ServiceError, UsageError } from '../../errors.ts';
import { lockTarget } from '../../output/files/lock.ts';
import { findTarget } from '../../output/files/target.ts';
import type { Format } from '../../output/formats.ts';
import { version } from '../../version.ts';
import { fieldsOf } from '../open-questions.ts';
import type { GlobalFlags, ProfilesFlags, ReceiptFlags, RequestFlags } from '../flags.ts';
import { checkPart, forEachPart, recordsOf, tryPart, type Part } from '../part.ts';
import { asksSeveral, chooseProfiles } from '../session.ts';
import { readsOfDatabase, type WrittenPath } from '../paths.ts';
import { inRun, type Run } from '../run.ts';
import { showResults } from './sync-result.ts';
import { syncResources, type SyncResource } from './sync-resources.ts';

/** What is synced, and how. */
interface SyncFlags extends GlobalFlags, RequestFlags, ReceiptFlags, Pick<ProfilesFlags, 'allProfiles'> {
  /** The environment variable that holds the address. */
  readonly toEnv?: string | undefined;
  readonly maxGone?: GoneLimit | undefined;
  readonly allowGone?: boolean | undefined;
  readonly plan?: boolean | undefined;
  readonly format?: Format | undefined;
}

/** One listing of one profile. */
interface Asked {
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
  const { address, resources } = readWords(context, words, flags);
  const profiles = asksSeveral(flags) ? await chooseProfiles(context, flags) : [undefined];
  const asked = profiles.map((profile) =>
    resources.map((resource) => ({ name: partName(profile, resource), resource, profile })),
  );
  const parts = asked.flat().map(({ name }) => name);
  const options = {
    flags,
    name: 'sync',
    records: 'records',
    files: databaseFile(address),
    reads: readsOfDatabase(address).slice(1),
    parts,
    partKind: 'listings' as const,
  };
  await inRun(context, options, async (run) => {
    const target = await openTarget(run.context, address, flags.plan === true);
    try {
      await syncParts({ run, flags, target, asked, resources });
    } finally {
      await target.close();
    }
  });
}

function databaseFile(address: DatabaseAddress): readonly WrittenPath[] {
  return address.engine === 'SQLite' ? [{ flag: 'sync', path: address.path, is: 'the database' }] : [];
}

function partName(profile: string | undefined, { name }: SyncResource): string {
  return profile === undefined ? name : `${profile} ${name}`;
}

function readWords({ env, secrets }: Context, words: readonly string[], { toEnv }: SyncFlags) {
  const [first, ...rest] = words;
  let [text, names] = [first, rest];
  if (toEnv !== undefined) {
    [text, names] = [env[toEnv], [...words]];
    if (text === undefined || text === '') {
      throw new UsageError(`--to-env ${toEnv}: there is no such variable`, {
        hint: `Set ${toEnv} to the address of the database.`,
      });
    }
    secrets.hide([text]);
  }
  if (text === undefined) {
    throw new UsageError('sync needs a database', {
      hint: 'Give a file such as books.db, or postgres://user@host/name.',
    });
  }
  const address = parseDatabaseAddress(text, toEnv);
  return { address, resources: findResources(names) };
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
interface SyncTarget {
  /** The database; undefined where its file does not exist yet. */
  readonly existing: Database | undefined;
  /** Opens the database, and makes its file where there is none. */
  open(): Promise<Database>;
  close(): Promise<void>;
}

/** Opens the database before the first request. Rejects where it cannot be written, or is being written by another run. */
async function openTarget(
  context: Context,
  address: DatabaseAddress,
  onlyPlans: boolean,
): Promise<SyncTarget> {
  const lock = onlyPlans ? undefined : await lockFile(context, address);
  let existing: Database | undefined;
  const close = async (): Promise<void> => {
    await existing?.close();
    await lock?.release();
  };
  try {
    if (address.engine === 'PostgreSQL' || sqliteFileExists(address)) {
      existing = await openDatabase(address, context);
      // Only finds out whether another run writes now.
      if (!onlyPlans) {
        await existing.begin();
        await existing.rollback();
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    existing,
    open: async () => (existing ??= await openDatabase(address, context)),
    close,
  };
}

async function lockFile(context: Context, address: DatabaseAddress) {
  if (address.engine !== 'SQLite') return undefined;
  requireWritable(address);
  const target = await findTarget(address.path);
  return target.kind === 'file' ? lockTarget(target, context) : undefined;
}

interface Syncing {
  readonly run: Run;
  readonly flags: SyncFlags;
  readonly target: SyncTarget;
  /** By profile. */
  readonly asked: readonly (readonly Asked[])[];
  readonly resources: readonly SyncResource[];
}

async function syncParts(syncing: Syncing): Promise<void> {
  const { run, flags, target, resources } = syncing;
  const tables = resources.map(({ table }) => table);
  if (target.existing !== undefined) await checkTables(target.existing, tables, version);
  const { clock, signal } = run.context;
  const goneLimit = flags.allowGone ? undefined : (flags.maxGone ?? DEFAULT_LIMIT);
  const { last: lastRun, organizations } = target.existing
    ? await readRuns(target.existing)
    : { last: 0, organizations: new Map<string, string>() };
  const options: SyncOptions = { goneLimit, lastRun, version, clock, signal };
  const spools: SpooledListing[] = [];
  try {
    const read = await readParts({ ...syncing, organizations, spools });
    const parts = read.map(({ part }) => part);
    const { parts: synced, samples } = flags.plan
      ? await planSync(target.existing, parts, options)
      : { parts: await writeSync(await connected(target), parts, options), samples: undefined };
    const results = synced.map((each, at) => ({ ...read[at]!.asked, synced: each }));
    await showResults(run, results, { format: flags.format, samples });
  } finally {
    for (const spool of spools) await spool.close();
  }
}

/** The database, connected again where needed: the connection may have been idle for hours while listings were read. */
async function connected(target: SyncTarget): Promise<Database> {
  const database = await target.open();
  try {
    await database.query('SELECT 1');
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    await database.reconnect();
  }
  return database;
}

interface ReadPart {
  readonly asked: Asked;
  readonly part: SyncPart;
}

interface Reading extends Syncing {
  readonly spools: SpooledListing[];
  /** The organization of each profile at the last sync. */
  readonly organizations: ReadonlyMap<string, string>;
}

/** Reads all listings: those of one profile one after the other, and up to four profiles at a time. */
async function readParts(reading: Reading): Promise<readonly ReadPart[]> {
  const read: ReadPart[] = [];
  const work = async (parts: readonly Asked[], signal: AbortSignal): Promise<readonly ReadPart[]> => {
    const done: ReadPart[] = [];
    for (const one of parts) done.push(await readPart({ ...reading, signal }, one));
    return done;
  };
  for await (const parts of forEachPart(reading.run, reading.asked, work)) read.push(...parts);
  return read;
}

async function readPart(
  reading: Reading & { readonly signal: AbortSignal },
  asked: Asked,
): Promise<ReadPart> {
  const { run, organizations, signal, spools } = reading;
  const { clock } = run.context;
  const { name, resource } = asked;
  const startedAt = clock.now();
  let profile = asked.profile ?? run.flags.profile ?? (run.flags.sandbox ? 'sandbox' : 'default');
  let organization: string | undefined;
  let listing: SpooledListing | undefined;
  // A fault of the command line concerns all listings: then nothing is written.
  let refusal: UsageError | undefined;
  const options = {
    source: resource.source(),
    name,
    signal,
    ...(asked.profile !== undefined && { profile: asked.profile }),
  };
  const { failure } = await tryPart(run, options, async (part) => {
    profile = part.profile ?? profile;
    organization = part.session?.organization;
    try {
      refuseOrganization(profile, organization, organizations.get(profile));
      listing = new SpooledListing({ records: resource.records, key: part.defaults.key });
      spools.push(listing);
      await readInto(listing, part);
    } catch (error) {
      if (error instanceof UsageError) refusal = error;
      throw error;
    }
  });
  if (refusal !== undefined) throw refusal;
  const outcome = failure ?? listing!;
  const { table } = resource;
  // The view is one for the records of all profiles.
  const fields = await fieldsOf(run.context, {
    resource: resource.resource,
    settings: { profile, sandbox: run.flags.sandbox === true, isSeveral: true },
    field: [],
  });
  const part = { table, profile, organization, fields, startedAt, readAt: clock.now(), outcome };
  return { asked, part };
}

async function readInto(listing: SpooledListing, part: Part): Promise<void> {
  for await (const records of recordsOf(part)) await listing.add(records);
  checkPart(part);
}

function refuseOrganization(profile: string, now: string | undefined, before: string | undefined): void {
  if (now === undefined || before === undefined || now === before) return;
  throw new UsageError(
    `the profile ${profile} is of the organization ${now} now, and the database holds the books of ${before} under that name`,
    { hint: 'Use a profile of another name for the new organization, or another database.' },
  );
}
