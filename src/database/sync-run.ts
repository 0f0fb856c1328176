import type { Clock } from '../context.ts';
import { IncompleteError, OutputError, ServiceError, type FolioError } from '../errors.ts';
import type { FieldsOf } from '../invoices/fields.ts';
import { CommitUnknown, Conflict, type Database, type StoredRow, type StoredValue } from './database.ts';
import { findDifferences, firstChanges, type Change, type Differences } from './differences.ts';
import type { SpooledListing } from './spooled-listing.ts';
import { RUN_COLUMNS, makeRunTables, newestRuns, type RunColumn, type StoredRun } from './tables.ts';
import { writeRecords, type WrittenRecords } from './write-records.ts';

/** One listing of one profile, read or not. */
export interface SyncPart {
  /** The resource's name, as its table has it: `fund_documents`. */
  readonly table: string;
  /** The column by which users know its records. */
  readonly label: string;
  readonly profile: string;
  readonly organization: string | undefined;
  readonly fields: FieldsOf;
  /** Milliseconds since 1970 when its reading began and ended. */
  readonly startedAt: number;
  readonly readAt: number;
  /** The whole listing; or the error why it is missing or incomplete. */
  readonly outcome: SpooledListing | FolioError;
}

/** How many records of a table one sync may mark as gone: a count, or percent of its current ones. */
export interface GoneLimit {
  readonly most: number;
  readonly unit: 'records' | '%';
}

export interface SyncOptions {
  readonly goneLimit: GoneLimit | undefined;
  /** The last run that the database knew when reading began; 0 for none. */
  readonly lastRun: number;
  readonly version: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** The result of a part. If it has an error, its rows are unchanged. */
export interface SyncedPart {
  readonly part: SyncPart;
  readonly total?: number;
  readonly counts: Readonly<Record<Change, number>>;
  readonly error: FolioError | undefined;
  readonly written?: WrittenRecords;
  /** Of a plan: the first records of each kind of change. */
  readonly first?: Awaited<ReturnType<typeof firstChanges>>;
}

/** Tables with fewer rows have no limit for records that are marked as gone. */
const LIMITED_FROM = 20;

/** Times that a transaction is tried when others get in its way, and the milliseconds of the delays, which double. */
const TRANSACTION_TRIES = 6;
const FIRST_DELAY = 50;

/** Times that a server is connected to again after it went away, and the milliseconds between two of them. */
const RECONNECT_TRIES = 40;
const RECONNECT_DELAY = 250;

const NO_CHANGES = { added: 0, changed: 0, gone: 0, back: 0 };

/**
 * Makes the database equal to what was read: all of it, or nothing. Rejects with UsageError, ServiceError, OutputError, or the
 * reason of the signal; then the database is as it was.
 */
export async function writeSync(
  database: Database,
  parts: readonly SyncPart[],
  options: SyncOptions,
): Promise<readonly SyncedPart[]> {
  const { clock, signal } = options;
  for (let tries = 1; ; tries++) {
    try {
      await database.begin();
      const [run, synced] = await writeParts(database, parts, options);
      signal.throwIfAborted();
      await database.commit().catch(async (error: unknown) => {
        if (!(error instanceof CommitUnknown)) throw error;
        const { table, profile, startedAt } = parts[0]!;
        await confirmCommit(database, error, [run, profile, table, instant(startedAt)], options);
      });
      return synced;
    } catch (error) {
      await database.rollback();
      if (!(error instanceof Conflict) || tries === TRANSACTION_TRIES) throw error;
    }
    await clock.sleep(clock.random() * FIRST_DELAY * 2 ** tries, signal);
  }
}

/** What `writeSync` would do. Writes nothing. */
export async function planSync(
  database: Database | undefined,
  parts: readonly SyncPart[],
  { goneLimit }: SyncOptions,
): Promise<readonly SyncedPart[]> {
  const planned: SyncedPart[] = [];
  // The connection may have been idle for hours, and then lost.
  await database?.reconnect();
  for (const part of parts) {
    const { differences, ...compared } = await compare(database, part, goneLimit);
    const first = differences && (await firstChanges(database, part, differences));
    planned.push({ ...compared, ...(first && { first }) });
  }
  return planned;
}

/**
 * Finds out whether a run was committed if the connection was lost before the answer to COMMIT: then its entry is in `_runs`.
 * This is certain after the lost session, which holds the lock, has ended. Throws ServiceError if it was not committed.
 *
 * @param entry one of the run: its number, profile, listing and beginning
 */
async function confirmCommit(
  database: Database,
  error: CommitUnknown,
  entry: StoredRow,
  { clock, signal }: SyncOptions,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await database.reconnect();
      await database.begin();
      break;
    } catch {
      if (tries === RECONNECT_TRIES) throw error;
    }
    await clock.sleep(RECONNECT_DELAY, signal);
  }
  // The transaction may have begun before the other one ended; then it does not see the other one's rows.
  await database.rollback();
  const sql = `SELECT count(*) FROM ${database.table('_runs')} WHERE run = ? AND profile = ? AND resource = ? AND started_at = ?`;
  const [row] = await database.query(sql, entry);
  if (Number(row![0]) === 1) return;
  throw new ServiceError(
    `cannot sync into ${database.shown}: the connection was lost before the sync was committed`,
    { hint: 'What it held is as it was: run folio sync again.', cause: error },
  );
}

async function writeParts(
  database: Database,
  parts: readonly SyncPart[],
  options: SyncOptions,
): Promise<readonly [run: number, synced: readonly SyncedPart[]]> {
  await makeRunTables(database);
  const runs = await newestRuns(database);
  const run = (runs.at(-1)?.run ?? 0) + 1;
  const { version } = options;
  const tables = parts.map(({ table }) => table);
  const all: SyncedPart[] = [];
  for (const part of parts) {
    const last = runs.findLast(
      ({ table, profile, error }) => table === part.table && profile === part.profile && error === undefined,
    );
    const outcome = overtakenBy(database, last, options) ?? part.outcome;
    const { differences, ...compared } = await compare(database, { ...part, outcome }, options.goneLimit);
    // Its changes are not made where it has an error.
    const synced = compared.error === undefined ? compared : { ...compared, counts: NO_CHANGES };
    const writing = { ...part, run, tables, version, lastRule: last?.rule };
    all.push({
      ...synced,
      ...(differences && { written: await writeRecords(database, { ...writing, differences }) }),
    });
  }
  const entries = all.map((synced) => runEntry(database, run, synced, options));
  await database.insert('_runs', RUN_COLUMNS, [entries]);
  return [run, all];
}

/** The error for a listing that another run has written since reading began: that run may have newer records. */
function overtakenBy(
  { shown }: Database,
  last: StoredRun | undefined,
  { lastRun }: SyncOptions,
): OutputError | undefined {
  if (last === undefined || last.run <= lastRun) return undefined;
  const { run, table, profile } = last;
  return new OutputError(
    `${table} of ${profile} was synced into ${shown} by another run, number ${run}, while this one read it`,
    { hint: 'What the other run wrote stands. Run folio sync again to be sure that it is the newest.' },
  );
}

/** What a part would change. There are no differences to write where it has an error. */
async function compare(
  database: Database | undefined,
  part: SyncPart,
  goneLimit: GoneLimit | undefined,
): Promise<SyncedPart & { readonly differences?: Differences }> {
  const { table, outcome: listing } = part;
  if (listing instanceof Error) return { part, counts: NO_CHANGES, error: listing };
  const hasTable = (await database?.relation(table)) !== undefined;
  const differences = await findDifferences(hasTable ? database : undefined, part, listing);
  const compared = { part, total: listing.index.count, counts: differences.counts };
  const error = goneLimitError(table, differences, goneLimit);
  return { ...compared, error, ...(error === undefined && { differences }) };
}

/** The error if more records would be marked as gone than the limit allows: the service may have listed too few. */
function goneLimitError(
  table: string,
  { gone: { length: gone }, current }: Differences,
  limit: GoneLimit | undefined,
): IncompleteError | undefined {
  if (limit === undefined || current < LIMITED_FROM) return undefined;
  const { most, unit } = limit;
  if (gone <= (unit === '%' ? (current * most) / 100 : most)) return undefined;
  return new IncompleteError(
    `${gone} of the ${current} records of ${table} are no longer listed, more than ${most}${unit === '%' ? ' %' : ''}: they were left as they were`,
    { hint: 'If they are really gone, run folio sync again with --allow-gone.' },
  );
}

function runEntry(
  { dialect }: Database,
  run: number,
  { part, total, counts: { added, changed, gone, back }, error, written }: SyncedPart,
  { version, clock }: SyncOptions,
): StoredRow {
  const entry: Readonly<Record<RunColumn, StoredValue>> = {
    run,
    profile: part.profile,
    resource: part.table,
    started_at: instant(part.startedAt),
    finished_at: instant(clock.now()),
    complete: dialect.value('boolean', String(error === undefined)),
    total: total ?? null,
    added,
    changed,
    gone,
    back,
    error: error?.message.replaceAll('\0', '\uFFFD') ?? null,
    folio_version: version,
    organization: part.organization ?? null,
    rule: written?.rule ?? null,
  };
  return RUN_COLUMNS.map((column) => entry[column]);
}

function instant(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
