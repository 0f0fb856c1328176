import type { Clock } from '../context.ts';
import { IncompleteError, OutputError, ServiceError, type FolioError } from '../errors.ts';
import type { FieldsOf } from '../invoices/fields.ts';
import { recordBytes } from '../json/records.ts';
import { CommitUnknown, Conflict, fillWith, type Database, type StoredRow } from './database.ts';
import { INSERT, findDifferences, type Differences } from './differences.ts';
import type { SpooledListing } from './spooled-listing.ts';
import { RUN_COLUMNS, makeRunTables } from './tables.ts';
import { writeRecords, type WrittenRecords } from './write-records.ts';

/** One listing of one profile, as it came or did not come. */
export interface SyncPart {
  /** The resource's name, as its table has it: `fund_documents`. */
  readonly table: string;
  readonly profile: string;
  readonly organization: string | undefined;
  /** What the columns mean in the records of each profile. */
  readonly fields: FieldsOf;
  /** The last run that wrote it whole when its reading began; 0 where none had. */
  readonly lastRun: number;
  /** Milliseconds since 1970 when its reading began and ended. */
  readonly startedAt: number;
  readonly readAt: number;
  /** The whole listing; or why it is not there, or not whole. */
  readonly outcome: SpooledListing | FolioError;
}

/** How many records of a table may go at once: a count, or percent of those that are there. */
export interface GoneLimit {
  readonly most: number;
  readonly unit: 'records' | '%';
}

export interface SyncOptions {
  /** Undefined for no limit. */
  readonly goneLimit: GoneLimit | undefined;
  readonly version: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What became of a part. Where it has an error its rows are as they were. */
export interface SyncedPart {
  readonly part: SyncPart;
  readonly total: number | undefined;
  readonly added: number;
  readonly changed: number;
  readonly gone: number;
  readonly back: number;
  readonly error: FolioError | undefined;
  readonly written: WrittenRecords | undefined;
}

export interface SyncedRun {
  readonly run: number;
  readonly parts: readonly SyncedPart[];
}

/** A record that a sync would add, change, mark as gone or take back. */
export interface SampleChange {
  readonly part: SyncPart;
  readonly change: 'added' | 'changed' | 'gone' | 'back';
  readonly key: string;
  /** As it is now; of one that is gone, as it was. */
  readonly record: string;
}

/** Rows below which a table has no limit for those that go at once. */
const LIMITED_FROM = 20;

/** Times that a transaction is tried when others get in its way, and the milliseconds of the delays, which double. */
const TRANSACTION_TRIES = 6;
const FIRST_DELAY = 50;

/** Records of each kind that a plan names. */
const SAMPLES = 5;

/**
 * Makes the database equal to what was read: all of it, or nothing. Rejects with UsageError, ServiceError, OutputError, or the
 * reason of the signal; then the database is as it was.
 */
export async function writeSync(
  database: Database,
  parts: readonly SyncPart[],
  options: SyncOptions,
): Promise<SyncedRun> {
  const { clock, signal } = options;
  for (let tries = 1; ; tries++) {
    try {
      return await writeOnce(database, parts, options);
    } catch (error) {
      if (!(error instanceof Conflict) || tries === TRANSACTION_TRIES) throw error;
      await clock.sleep(clock.random() * FIRST_DELAY * 2 ** tries, signal);
    }
  }
}

/** What `writeSync` would do, and the first records of each kind. Writes nothing. */
export async function planSync(
  database: Database | undefined,
  parts: readonly SyncPart[],
  { goneLimit }: SyncOptions,
): Promise<{ readonly parts: readonly SyncedPart[]; readonly samples: readonly SampleChange[] }> {
  const planned: SyncedPart[] = [];
  const samples: SampleChange[] = [];
  for (const part of parts) {
    const compared = await compare(database, part, goneLimit);
    planned.push(compared.synced);
    if (compared.differences !== undefined)
      samples.push(...(await sampleChanges(database, part, compared.differences)));
  }
  return { parts: planned, samples };
}

async function writeOnce(
  database: Database,
  parts: readonly SyncPart[],
  options: SyncOptions,
): Promise<SyncedRun> {
  await database.begin();
  let run: SyncedRun;
  try {
    run = await writeParts(database, parts, options);
    options.signal.throwIfAborted();
  } catch (error) {
    await database.rollback();
    throw error;
  }
  try {
    await database.commit();
  } catch (error) {
    if (!(error instanceof CommitUnknown)) {
      await database.rollback();
      throw error;
    }
    await confirmCommit(database, { ...run, error }, options);
  }
  return run;
}

/** Times that a server is connected to again after it went away, and the milliseconds between two of them. */
const RECONNECT_TRIES = 40;
const RECONNECT_DELAY = 250;

/**
 * Finds out whether a run was committed, where the connection was lost before COMMIT was answered: then its entry is in `_runs`.
 * That is certain once the lost session has ended. Throws ServiceError where the run was not
 * committed.
 */
async function confirmCommit(
  database: Database,
  { run, parts, error }: SyncedRun & { readonly error: CommitUnknown },
  { clock, signal }: SyncOptions,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await database.reconnect();
      await database.beginAfterLostSession();
      break;
    } catch (failure) {
      // Where the lock cannot be had, the server is there and was waited for already.
      if (tries === RECONNECT_TRIES || failure instanceof OutputError) throw error;
    }
    await clock.sleep(RECONNECT_DELAY, signal);
  }
  const { table, profile, startedAt } = parts[0]!.part;
  const sql = `SELECT count(*) FROM ${database.table('_runs')} WHERE run = ? AND profile = ? AND resource = ? AND started_at = ?`;
  const [row] = await database.query(sql, [run, profile, table, instant(startedAt)]);
  await database.rollback();
  if (Number(row![0]) === 1) return;
  throw new ServiceError(
    `cannot sync into ${database.shown}: the connection was lost before the sync was committed`,
    {
      hint: 'What it held is as it was: run folio sync again.',
      cause: error,
    },
  );
}

async function writeParts(
  database: Database,
  parts: readonly SyncPart[],
  options: SyncOptions,
): Promise<SyncedRun> {
  await makeRunTables(database);
  const runs = database.table('_runs');
  const [row] = await database.query(`SELECT coalesce(max(run), 0) + 1 FROM ${runs}`);
  const run = Number(row![0]);
  const lastRuns = await lastCompleteRuns(database);
  const synced: SyncedPart[] = [];
  for (const asRead of parts) {
    const newer = lastRuns.get(listingName(asRead)) ?? 0;
    const part = newer > asRead.lastRun ? { ...asRead, outcome: overtaken(database, asRead, newer) } : asRead;
    const compared = await compare(database, part, options.goneLimit);
    const { differences, listing } = compared;
    const { table, profile, fields } = part;
    const written =
      differences &&
      (await writeRecords(database, { table, profile, fields, run, listing: listing!, differences }));
    synced.push({ ...compared.synced, written });
  }
  const entries = synced.map((each) => runEntry(database, { ...each, run }, options));
  await database.insert({ table: '_runs', columns: RUN_COLUMNS }, fillWith(entries));
  return { run, parts: synced };
}

/** The error for a listing that another run has read and written since its reading began: that run may know more. */
function overtaken({ shown }: Database, { table, profile }: SyncPart, newer: number): OutputError {
  return new OutputError(
    `${table} of ${profile} was synced into ${shown} by another run, number ${newer}, while this one read it`,
    { hint: 'What the other run wrote stands. Run folio sync again to be sure that it is the newest.' },
  );
}

interface ComparedPart {
  readonly synced: SyncedPart;
  readonly listing?: SpooledListing;
  /** Undefined where nothing is to be written. */
  readonly differences?: Differences;
}

async function compare(
  database: Database | undefined,
  part: SyncPart,
  goneLimit: GoneLimit | undefined,
): Promise<ComparedPart> {
  const { table, profile, outcome } = part;
  const nothing = { part, total: undefined, added: 0, changed: 0, gone: 0, back: 0, written: undefined };
  if (outcome instanceof Error) return { synced: { ...nothing, error: outcome } };
  const hasTable = (await database?.relation(table)) !== undefined;
  const compared = { table, profile, listing: outcome };
  const differences = await findDifferences(hasTable ? database : undefined, compared);
  const { added, changed, gone, back, current } = differences;
  const counts = {
    ...{ part, written: undefined, total: outcome.index.count, added },
    ...{ changed: changed.length, gone: gone.length, back: back.length },
  };
  const error = goneLimitError(part, { gone: gone.length, current }, goneLimit);
  return error === undefined
    ? { synced: { ...counts, error }, listing: outcome, differences }
    : { synced: { ...counts, error } };
}

/** The error where more records would be marked as gone than the limit allows: perhaps the service listed too few. */
function goneLimitError(
  { table }: SyncPart,
  { gone, current }: { readonly gone: number; readonly current: number },
  limit: GoneLimit | undefined,
): IncompleteError | undefined {
  if (limit === undefined || current < LIMITED_FROM) return undefined;
  const most = limit.unit === '%' ? (current * limit.most) / 100 : limit.most;
  if (gone <= most) return undefined;
  return new IncompleteError(
    `${gone} of the ${current} records of ${table} are no longer listed, more than ${limit.most}${limit.unit === '%' ? ' %' : ''}: they were left as they were`,
    { hint: 'If they are really gone, run folio sync again with --allow-gone.' },
  );
}

/** The row of `_runs` that tells of a part. */
function runEntry(
  database: Database,
  synced: SyncedPart & { readonly run: number },
  { version, clock }: SyncOptions,
): StoredRow {
  const { run, part, total, error } = synced;
  // Where the part failed, its counts are of changes that were not made.
  const { added, changed, gone, back } =
    error === undefined ? synced : { added: 0, changed: 0, gone: 0, back: 0 };
  return [
    ...[number(run), part.profile, part.table, instant(part.startedAt), instant(clock.now())],
    ...[database.dialect.flag(error === undefined), total === undefined ? null : number(total)],
    ...[added, changed, gone, back].map(number),
    ...[
      error === undefined ? null : error.message.replaceAll('\0', '\uFFFD'),
      version,
      part.organization ?? null,
    ],
  ];
}

/** A whole number as both engines store it as one. */
function number(value: number): bigint {
  return BigInt(value);
}

function instant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** The first records of each kind of change. */
async function sampleChanges(
  database: Database | undefined,
  part: SyncPart,
  differences: Differences,
): Promise<SampleChange[]> {
  const samples: SampleChange[] = [];
  const [changed, back] = [new Set(differences.changed), new Set(differences.back)];
  const left = { added: SAMPLES, changed: SAMPLES, back: SAMPLES };
  if (part.outcome instanceof Error) return [];
  let place = 0;
  for await (const batch of part.outcome.read()) {
    for (let at = 0; at < batch.count; at++, place++) {
      const isAdded = differences.actions[place] === INSERT;
      if (!isAdded && changed.size === 0 && back.size === 0) continue;
      const key = part.outcome.keyOf(batch, at);
      const change = isAdded ? 'added' : changed.has(key) ? 'changed' : back.has(key) ? 'back' : undefined;
      if (change === undefined || left[change]-- <= 0) continue;
      samples.push({ part, change, key, record: recordBytes(batch, at).toString('utf8') });
    }
  }
  for (const key of differences.gone.slice(0, SAMPLES)) {
    const sql = `SELECT _raw FROM ${database!.table(part.table)} WHERE _profile = ? AND _key = ?`;
    const [row] = await database!.query(sql, [part.profile, key]);
    samples.push({ part, change: 'gone', key, record: String(row?.[0]) });
  }
  const order = ['added', 'changed', 'gone', 'back'];
  return samples.sort((a, b) => order.indexOf(a.change) - order.indexOf(b.change));
}

/** The organization that the records of each profile are of, as the last run knew it. */
export async function rememberedOrganizations(database: Database): Promise<ReadonlyMap<string, string>> {
  if ((await database.relation('_runs')) === undefined) return new Map();
  const rows = await database.query(
    `SELECT profile, organization FROM ${database.table('_runs')} WHERE organization IS NOT NULL ORDER BY run`,
  );
  return new Map(rows.map(([profile, organization]) => [String(profile), String(organization)]));
}

/** A listing of a profile as `lastCompleteRuns` names it. */
export function listingName({ table, profile }: Pick<SyncPart, 'table' | 'profile'>): string {
  return JSON.stringify([table, profile]);
}

/** The last run that wrote a listing whole, by `listingName`. */
export async function lastCompleteRuns(database: Database): Promise<ReadonlyMap<string, number>> {
  if ((await database.relation('_runs')) === undefined) return new Map();
  const rows = await database.query(
    `SELECT resource, profile, max(run) FROM ${database.table('_runs')} WHERE complete GROUP BY resource, profile`,
  );
  return new Map(
    rows.map(([table, profile, run]) => [
      listingName({ table: String(table), profile: String(profile) }),
      Number(run),
    ]),
  );
}
