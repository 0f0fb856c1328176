import type { Context } from '../../context.ts';
import { parseDatabaseAddress, type DatabaseAddress, type SqliteAddress } from '../../database/address.ts';
import type { Database } from '../../database/database.ts';
import { openDatabase } from '../../database/open-database.ts';
import { SpooledListing } from '../../database/spooled-listing.ts';
import { requireWritable, sqliteFileExists } from '../../database/sqlite.ts';
import {
  planSync,
  writeSync,
  type GoneLimit,
  type SyncedPart,
  type SyncPart,
} from '../../database/sync-run.ts';
import { checkTables, organizationsIn, newestRuns, tryWriting } from '../../database/tables.ts';
import type { WrittenRecords } from '../../database/write-records.ts';
import { ServiceError, UsageError, type FolioError } from '../../errors.ts';
import type { RecordBatch } from '../../json/records.ts';
import { withOwnColumn } from '../../json/scan-records.ts';
import { lockTarget } from '../../output/files/lock.ts';
import { findTarget } from '../../output/files/target.ts';
import type { Format } from '../../output/formats.ts';
import { countOf } from '../../output/terminal/number-text.ts';
import { mapInOrder } from '../../paging/map-in-order.ts';
import { batchOfRows, type Row } from '../../query/result-rows.ts';
import { profileOfToken } from '../../profiles/connection.ts';
import { fundDocuments, funds, listings, resources } from '../../resources/listings.ts';
import { oneWordName, type Resource } from '../../resources/resource.ts';
import { version } from '../../version.ts';
import { checkResults } from '../outcome.ts';
import type { GlobalFlags, ProfilesFlags, ReceiptFlags, RequestFlags } from '../flags.ts';
import {
  deliver,
  forEachPart,
  inPart,
  recordsOf,
  storeOf,
  type OpenSource,
  type ServicePart,
  inRun,
  type Run,
} from '../run.ts';
import { lackOf, Notices } from '../notices.ts';
import { planOutput } from '../output-plan.ts';
import { readsOfDatabase } from '../paths.ts';
import { chosenProfiles, organizationOf } from '../session.ts';
import { fieldsOf, type FlagDefaults } from '../settings.ts';
import { tableOf } from '../sources/database-source.ts';
import { listingSource, type ListingRequest } from '../sources/listing-source.ts';

interface SyncFlags extends GlobalFlags, RequestFlags, ReceiptFlags, Pick<ProfilesFlags, 'allProfiles'> {
  readonly toEnv?: string | undefined;
  readonly maxGone?: GoneLimit | undefined;
  readonly allowGone?: boolean | undefined;
  readonly plan?: boolean | undefined;
  readonly format?: Format | undefined;
}

interface ProfileListing {
  /** As messages name it: `north issued`. */
  readonly name: string;
  readonly resource: Resource;
  /** Undefined where the run is of one organization, whichever the flags and the environment name. */
  readonly profile: string | undefined;
}

const DEFAULT_LIMIT: GoneLimit = { most: 10, unit: '%' };

/**
 * Makes a database equal to whole listings; with --plan, shows what that would change. Rows of listings that could not be read
 * stay. `positionals`: the database, unless --to-env names it, and the resources.
 *
 * @throws UsageError, ServiceError, OutputError, Interrupted: the database is as it was
 * @throws IncompleteError after the listings that could be read were written
 */
export async function syncDatabase(
  context: Context,
  positionals: readonly string[],
  flags: SyncFlags,
): Promise<void> {
  const [address, names] = readPositionals(context, positionals, flags);
  const resources = findResources(names);
  const notices = new Notices(context, flags);
  const chosen = await chosenProfiles(context, { flags, notices });
  const profiles = chosen.length > 0 ? chosen : [undefined];
  const byProfile = profiles.map((profile) =>
    resources.map((resource): ProfileListing => {
      const name = oneWordName(resource, '-');
      return { name: profile === undefined ? name : `${profile} ${name}`, resource, profile };
    }),
  );
  const all = byProfile.flat();
  const file = address.engine === 'SQLite' ? address.path : undefined;
  const options = {
    flags,
    name: 'sync',
    records: 'records',
    files: file === undefined ? [] : [{ flag: 'sync', path: file, what: 'the database' }],
    // The files beside that of the database, which is one of `files`.
    reads: readsOfDatabase(address).slice(1),
    partNames: all.map(({ name }) => name),
    notices,
  };
  await inRun(context, options, async (run) => {
    const closing: Closing = [];
    try {
      const synced = await syncListings(run, closing, { address, flags, byProfile });
      await showResults(
        run,
        flags.format,
        all.map((one, at) => ({ ...one, synced: synced[at]! })),
      );
    } finally {
      for (const close of closing.toReversed()) await close();
    }
  });
}

/** Functions to call when the run ends, the last one first. */
type Closing = (() => Promise<void>)[];

function readPositionals(
  { env, secrets }: Context,
  positionals: readonly string[],
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
    return [parseDatabaseAddress(text, toEnv), positionals];
  }
  const [text, ...names] = positionals;
  if (text !== undefined) return [parseDatabaseAddress(text), names];
  throw new UsageError('sync needs a database', {
    hint: 'Give a file such as books.db, or postgres://user@host/name.',
  });
}

function findResources(names: readonly string[]): readonly Resource[] {
  if (names.length === 0) return listings;
  const all = new Map(resources.map((one) => [oneWordName(one, '-'), one]));
  return [...new Set(names)].map((name) => {
    const found = all.get(name);
    if (found !== undefined) return found;
    throw new UsageError(`folio sync knows no resource ${JSON.stringify(name)}`, {
      hint: `There are ${[...all.keys()].join(', ')}.`,
    });
  });
}

/** Keeps other runs out of the file. Rejects where it cannot be written, or another run has it. */
async function lockFile(address: SqliteAddress, context: Context, closing: Closing): Promise<void> {
  requireWritable(address);
  const file = await findTarget(address.path);
  if (file.kind !== 'file') return;
  const lock = await lockTarget(file, context);
  closing.push(() => lock.release());
}

interface SyncRequest {
  readonly address: DatabaseAddress;
  readonly flags: SyncFlags;
  readonly byProfile: readonly (readonly ProfileListing[])[];
}

/** Reads all listings: those of one profile one after the other, and up to four profiles at a time. Then it writes them. */
async function syncListings(
  run: Run,
  closing: Closing,
  { address, flags, byProfile }: SyncRequest,
): Promise<readonly SyncedPart[]> {
  const { clock, signal } = run.context;
  const open = async (): Promise<Database> => {
    const database = await openDatabase(address, run.context);
    closing.push(() => database.close());
    return database;
  };
  const isFile = address.engine === 'SQLite';
  if (isFile && !flags.plan) await lockFile(address, run.context, closing);
  // A file is made when there is something to write.
  const existing = isFile && !sqliteFileExists(address) ? undefined : await open();
  const tables = byProfile[0]!.map(({ resource }) => tableOf(resource));
  if (existing !== undefined) await checkTables(existing, tables, version);
  // Before the first request: to read the listings may take an hour.
  if (existing !== undefined && !flags.plan) await tryWriting(existing, tables);
  const runs = existing === undefined ? [] : await newestRuns(existing);
  const organizations = organizationsIn(runs);
  const goneLimit = flags.allowGone ? undefined : (flags.maxGone ?? DEFAULT_LIMIT);
  const options = { goneLimit, lastRun: runs.at(-1)?.run ?? 0, version, clock, signal };
  const parts: SyncPart[] = [];
  const read = forEachPart(run, byProfile, async (ofProfile, stop) => {
    const done: SyncPart[] = [];
    for (const one of ofProfile)
      done.push(await readListing(run, one, { organizations, closing, signal: stop }));
    return done;
  });
  for await (const done of read) parts.push(...done);
  return flags.plan
    ? await planSync(existing, parts, options)
    : await writeSync(existing ?? (await open()), parts, options);
}

interface Reading {
  readonly closing: Closing;
  /** The organization of each profile at the last sync. */
  readonly organizations: ReadonlyMap<string, string>;
  readonly signal: AbortSignal;
}

/** Reads a listing, or finds out why it cannot be read. Throws UsageError if the books are of another organization. */
async function readListing(
  run: Run,
  { name, resource, profile: named }: ProfileListing,
  { closing, organizations, signal }: Reading,
): Promise<SyncPart> {
  const { clock } = run.context;
  const startedAt = clock.now();
  const profile = named ?? (await nameOfRows(run));
  const ownOrganization = organizations.get(profile);
  let listing: SpooledListing | undefined;
  const source =
    resource === fundDocuments ? allFundDocuments() : await listingSource({ resource }).open(run, []);
  const { failure, session } = await inPart(run, { source, name, signal, profile: named }, async (part) => {
    refuseOtherOrganization(profile, organizationOf(part.session), ownOrganization);
    const spooled = new SpooledListing({ records: source.records, key: part.defaults.key });
    listing = spooled;
    closing.push(() => spooled.close());
    for await (const records of recordsOf(part)) await spooled.add(records);
  });
  const organization = organizationOf(session);
  // It is no fault of one listing.
  refuseOtherOrganization(profile, organization, ownOrganization);
  // One view serves the records of all profiles.
  const fields = fieldsOf(await storeOf(run), { resource, profile, isSeveral: true });
  const outcome = failure === undefined ? listing! : withoutDelivery(failure);
  return {
    table: tableOf(resource),
    label: resource.label,
    profile,
    organization,
    fields,
    startedAt,
    readAt: clock.now(),
    outcome,
  };
}

/** The profile that the rows of a run of one organization get. Throws for a profile that is not there. */
async function nameOfRows({ flags, context: { env, config } }: Run): Promise<string> {
  const own = flags.sandbox ? undefined : profileOfToken(flags, env, await config())?.name;
  return own ?? flags.profile ?? (flags.sandbox ? 'sandbox' : 'default');
}

function refuseOtherOrganization(profile: string, now: string | undefined, before: string | undefined): void {
  if (now === undefined || before === undefined || now === before) return;
  throw new UsageError(
    `the profile ${profile} is of the organization ${now} now, and the database holds the books of ${before} under that name`,
    { hint: 'Use a profile of another name for the new organization, or another database.' },
  );
}

/** The error of a listing that was read in part, of which nothing is written. */
function withoutDelivery(error: FolioError): FolioError {
  const { message, hint, details } = error;
  if (details?.code !== 'records missing') return error;
  return error.reworded(`${message.replace(/^delivered/, 'read')}; nothing of it was written`, hint);
}

/** Pages of documents that are read ahead. */
const AHEAD = 64;

/** The documents of every fund. Each gets a column `fundId`, since the service does not name its fund. */
function allFundDocuments(): OpenSource {
  return {
    kind: 'service',
    name: fundDocuments.name,
    records: 'documents of all funds',
    resource: fundDocuments,
    async *read(part: ServicePart) {
      const { session, context, status } = part;
      const ids: string[] = [];
      // The settings of the documents are not those of their funds.
      for await (const batch of wholeListing(part, { resource: funds }, {})) ids.push(...idsOf(batch));
      // A key may have the column `fundId`, which the service does not send.
      const { key: _, ...defaults } = session.defaults;
      const documentsOf = async (literal: string, signal: AbortSignal): Promise<readonly RecordBatch[]> => {
        const own = { ...part, context: { ...context, signal } };
        const id = literal.startsWith('"') ? (JSON.parse(literal) as string) : literal;
        const batches: RecordBatch[] = [];
        for await (const records of wholeListing(own, { resource: fundDocuments, id }, defaults))
          batches.push(withOwnColumn(records, { name: 'fundId', value: literal }));
        return batches;
      };
      const { concurrency } = session.limits;
      const limits = { concurrency, ahead: AHEAD, signal: context.signal };
      for await (const batches of mapInOrder(ids, documentsOf, limits)) {
        for (const records of batches) {
          status.records += records.count;
          yield { records };
        }
      }
    },
  };
}

/** The ids of funds, as JSON literals. Throws ServiceError for one without an id. */
function idsOf(records: RecordBatch): readonly string[] {
  return Array.from({ length: records.count }, (_, at) => {
    const [start, end] = [records.ids[2 * at]!, records.ids[2 * at + 1]!];
    if (start >= 0) return records.bytes.toString('utf8', start, end);
    throw new ServiceError('a fund has no id, so that its documents cannot be read', {
      hint: 'Name the resources to sync, without fund-documents.',
    });
  });
}

/** The records of a listing that is read as a part of another. Throws IncompleteError where some are missing. */
async function* wholeListing(
  part: ServicePart,
  listing: ListingRequest,
  defaults: FlagDefaults,
): AsyncGenerator<RecordBatch> {
  const status = part.status.subwalk();
  const session = { ...part.session, defaults };
  const own = { ...part, session, status };
  const source = await listingSource(listing).open(part.run, []);
  try {
    for await (const { records } of source.read(own, {})) yield records;
  } finally {
    part.status.addCalls(status);
    for (const offset of status.givenUp) part.status.givenUp.add(offset);
  }
  const lack = lackOf(status);
  if (lack === undefined) return;
  const { id } = listing;
  throw id === undefined ? lack : lack.reworded(`${lack.message} (fund ${id})`, lack.hint);
}

interface ListingResult extends ProfileListing {
  readonly synced: SyncedPart;
}

/**
 * Shows a row for each listing, warns of values that could not be stored as they are, and keeps the rows for the receipt. Without
 * a `format`: a table on a terminal, else csv. Throws where a listing was not synced: IncompleteError where others were.
 */
async function showResults(
  { context, flags, notices }: Run,
  format: Format | undefined,
  results: readonly ListingResult[],
): Promise<void> {
  const listings = results.map(({ resource, synced: { part, total = null, counts, error } }) => ({
    profile: part.profile,
    resource: oneWordName(resource, '-'),
    total,
    ...counts,
    seconds: Number(((part.readAt - part.startedAt) / 1000).toFixed(1)),
    error: error?.message ?? null,
  }));
  const records = listings.reduce((sum, { total, error }) => sum + (error === null ? total! : 0), 0);
  // The parts of a sync are listings: they take the place of the profiles in the receipt.
  notices.add({ level: 'fact', text: '', facts: { records, profiles: undefined, listings } });
  const plan = await planOutput(context, { format, color: flags.color });
  const rows = listings.map((one, at) => [
    ...Object.entries(one).map(([name, value]): Row[number] => [
      name,
      name === 'seconds' ? one.seconds.toFixed(1) : JSON.stringify(value),
    ]),
    // A terminal has them below the table.
    ...Object.entries((!plan.isTerminalTable && results[at]!.synced.first) || {}).map(
      ([change, names]): Row[number] => [`first.${change}`, JSON.stringify(names.join(', ') || null)],
    ),
  ]);
  // The receipt is about the database.
  const state = { plan: undefined, records: 0, delivered: undefined };
  await deliver({ context, flags }, [batchOfRows(rows)], { plan, state });
  for (const { name, resource, synced } of results) {
    const ofListing = results.length > 1 ? notices.forPart(name) : notices;
    for (const [change, names] of Object.entries(synced.first ?? {}))
      if (names.length > 0) ofListing.remark(`first ${change}: ${names.join(', ')}`);
    if (synced.written !== undefined) warnOfTable(ofListing, tableOf(resource), synced.written);
  }
  checkResults(
    results.map(({ name, synced: { error: failure } }) => ({ name, failure })),
    {
      what: 'listings',
      lack: 'left as they were',
      isAllOrNothing: true,
      hint: 'Fix that, then run folio sync again for these.',
    },
  );
}

function warnOfTable(
  notices: Notices,
  table: string,
  { retyped, withoutColumn, withNul, unreadable }: WrittenRecords,
): void {
  for (const { name: column } of retyped) {
    notices.warn(
      `the column ${column} of ${table} holds text from now on: not all of its values are of one kind`,
    );
  }
  for (const { name: column, shownAs, records } of unreadable) {
    notices.warn(
      `${table}_current shows nothing in ${column} for ${countOf(records, 'new or changed record')}, where it is not a ${shownAs}; ${table} has it as sent`,
    );
  }
  for (const column of withNul)
    notices.warn(
      `the column ${column} of ${table} has U+FFFD in place of the character NUL; _raw has it as sent`,
    );
  for (const field of withoutColumn) notices.warn(`${field} has no column: the table is full; _raw has it`);
}
