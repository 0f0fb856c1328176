import type { Context } from '../context.ts';
import { errorOf, isFailure, type FolioError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import type { Meanings } from '../invoices/fields.ts';
import { paced, type RecordBatch } from '../json/records.ts';
import { writeAndCommit, type Destination, openDestination } from '../output/files/destination.ts';
import { makeFolder } from '../output/files/target.ts';
import { formatOf } from '../output/formats.ts';
import { isForPeople } from '../output/terminal/terminal-text.ts';
import { mapInOrder } from '../paging/map-in-order.ts';
import type { Delivery } from '../paging/page.ts';
import type { WalkStatus } from '../paging/walk-status.ts';
import type { HeldProfiles } from '../profiles/choice.ts';
import { usualProfile } from '../profiles/connection.ts';
import type { DeliveredFile } from '../query/exports/read-receipt.ts';
import type { Resource } from '../resources/resource.ts';
import type { GlobalFlags, OutputFlags, QuestionFlags, ReceiptFlags, RequestFlags } from './flags.ts';
import { lackOf, ServiceErrors, type Notices } from './notices.ts';
import type { OutputPlan } from './output-plan.ts';
import type { ReadPath, WrittenPath } from './paths.ts';
import { PartState, runDay, stateOf, statesOf, type RunDay } from './run-state.ts';
import {
  openSession,
  refuseWrongAddress,
  sharedBySessions,
  type Session,
  type SharedBySessions,
} from './session.ts';
import { flagDefaults, meaningsOf, type FlagDefaults } from './settings.ts';

/** The flags that concern a run as a whole: the service, the requests, the messages, what columns mean, and the day. */
type RunFlags = GlobalFlags &
  RequestFlags &
  ReceiptFlags &
  Pick<QuestionFlags, 'field'> &
  Pick<OutputFlags, 'columns'> & { readonly asOf?: number | undefined };

export interface RunOptions {
  readonly flags: RunFlags;
  /** As receipts name it: `issued`. */
  readonly name: string;
  /** The same in the plural, for progress: `issued invoices`. */
  readonly records: string;
  /** The list of what is found, which begins before the run. */
  readonly notices: Notices;
  /** The files that it reads besides the token file and the store. A run never writes over them. */
  readonly reads?: readonly ReadPath[] | undefined;
  /** Where the records go, as typed behind -o. The receipt names it. */
  readonly output?: string | undefined;
  /** The folder that gets a file for each part, as typed behind --output-dir. It is made if need be. */
  readonly folder?: string | undefined;
  /** What else it writes: a database, or the files in `folder`, each of which has the receipt of its part. */
  readonly files?: readonly WrittenPath[] | undefined;
  /** The names of several parts, in the order of progress and receipt. */
  readonly partNames?: readonly string[] | undefined;
}

/** A run: what all its parts share. */
export interface Run extends RunOptions {
  /** The first write to its `stdout` removes the progress from the same terminal. */
  readonly context: Context;
  /** The state of the only part, or of what joins all of them. */
  readonly whole: PartState;
  readonly parts: readonly PartState[];
  readonly shared: SharedBySessions;
  readonly day: RunDay;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/**
 * Does the work of a command, with all its requests; shows progress, and writes the receipt at the end, also after
 * a failure. Before the work it throws UsageError for a file that would be written over, OutputError for a receipt that cannot be
 * written.
 */
export async function inRun(
  outer: Context,
  options: RunOptions,
  work: (run: Run) => Promise<void>,
): Promise<void> {
  const { flags, records, output, folder, notices, partNames = [], reads = [] } = options;
  const { clock, stdout } = outer;
  const startedAt = clock.now();
  const whole = new PartState(undefined, { clock, notices });
  const parts = partNames.map((name) => new PartState(name, { clock, notices }));
  const { receiptOf, withReceipt } = flags.receipt === undefined ? {} : await import('./receipt.ts');
  const receipt = receiptOf?.(flags.receipt!, options);
  const writes = [...(options.files ?? [])];
  if (folder === undefined) writes.unshift({ flag: '--output', path: output, what: 'where the records go' });
  if (receipt !== undefined)
    writes.push({ flag: '--receipt', path: receipt, what: 'where the receipt goes' });
  // A terminal or a pipe cannot be written over.
  const isStream = stdout.isTerminal || stdout.isPipe;
  if (!isStream || reads.length > 0 || writes.some(({ path }) => path !== undefined)) {
    const { checkPaths } = await import('./paths.ts');
    await checkPaths(outer, { tokenFile: flags.tokenFile, reads, writes });
  }
  const { startProgress } = showsProgress(outer, flags) ? await import('./progress.ts') : {};
  const removeEmpty = folder === undefined ? undefined : await makeFolder(folder);
  const progress = startProgress?.(outer, { flags, records, parts: statesOf({ whole, parts }) });
  const { context = outer } = progress ?? {};
  const shared = sharedBySessions(context, flags);
  const day = runDay(startedAt, notices, flags.asOf);
  const run = { ...options, context, whole, parts, shared, day, startedAt };
  try {
    if (receipt === undefined) await work(run);
    else await withReceipt!(run, receipt, () => work(run));
  } finally {
    await shared.close();
    await removeEmpty?.();
    progress?.stop();
  }
}

/** Whether standard error shows how far the run is: by default on a terminal alone, and not while the output goes into a pipe. */
function showsProgress({ stdout, stderr, env, listener }: Context, flags: GlobalFlags): boolean {
  if (listener !== undefined) return true;
  if (flags.quiet || flags.progress === false) return false;
  if (flags.progressStyle === 'plain') return true;
  // On a terminal of width 0 or unknown, wiping a line would never end.
  const isWide = (stderr.columns ?? 0) > 0;
  return stderr.isTerminal && isWide && !stdout.isPipe && isForPeople(env);
}

/** Where records come from, as a command line names it: a listing of the service, an item, downloads, an export, a database. */
export interface Source extends SourceName {
  /** The files that it reads, and those that it may write on its own. */
  readonly reads?: readonly ReadPath[] | undefined;
  /** For a file or a database, called first: the profiles of its records. Throws UsageError if it cannot be read. */
  held?(context: Context): Promise<HeldProfiles>;
  /**
   * Called once in a run, before the first request, with the profiles that are chosen of those held. Throws UsageError for faults
   * of the command line.
   */
  open(run: Run, profiles: readonly string[]): Promise<OpenSource>;
  /** May be called without `open`, and repeatedly. */
  close?(): Promise<void>;
}

interface SourceName {
  /** `service` needs a session; `local` is a file, a database, or the joined parts of several organizations. */
  readonly kind: 'service' | 'local';
  /** As receipts name it: `issued`. */
  readonly name: string;
  /** What its records are, in the plural: `issued invoices`. */
  readonly records: string;
  /** The resource whose settings apply and whose columns the records have; undefined for records of no resource. */
  readonly resource?: Resource | undefined;
}

/** An open source, with what opening it found out. */
export interface OpenSource extends SourceName {
  /**
   * The records, a page at a time. Sends nothing before the first. Adds an error for missing records to `part.lacks`. A source
   * of the service gets a `ServicePart`.
   */
  read(part: Part, wanted: Wanted): AsyncGenerator<Delivery>;
  /** The fiscal IDs of the filter, as they were typed. */
  readonly fiscalIds?: readonly string[];
  /** Whether an unknown fiscal ID is a failure. */
  readonly isStrict?: boolean;
  /** The order of the service; undefined if the user chose another order, or one page. */
  readonly order?: UsualOrder | undefined;
  /** The export that is read, and its receipt if that belongs to this file. */
  readonly export?: { readonly shown: string; readonly delivered: DeliveredFile | undefined };
  readonly hasProfileColumn?: boolean;
}

/** Which records are wanted of a source. */
export interface Wanted {
  /** The most of them. */
  readonly limit?: number | undefined;
  /** Whether to begin with the newest; only if `order.canTurn`. */
  readonly newestFirst?: boolean;
}

interface UsualOrder {
  /** Which records come first, as far as that is known. */
  readonly begins: 'oldest' | 'newest' | 'unsorted';
  /** Whether the newest may come first instead. */
  readonly canTurn: boolean;
}

/** A part of a run: the records of one organization, or the joined records of several. */
export interface Part {
  readonly run: Run;
  /** That of the run, with the part's own signal. */
  readonly context: Context;
  readonly source: OpenSource;
  /** Open for a service, else undefined. */
  readonly session: Session | undefined;
  /** The profile whose settings apply, and whose records a local source reads; undefined for the settings of all profiles. */
  readonly profile: string | undefined;
  /** Whether it joins the parts of the run: each record has its profile. */
  readonly isJoined: boolean;
  readonly defaults: FlagDefaults;
  readonly meanings: Meanings;
  /** What is known of the part so far. `notices` and `status` below are the same objects. */
  readonly state: PartState;
  readonly notices: Notices;
  readonly status: WalkStatus;
  readonly serviceErrors: ServiceErrors;
  /** An error for each kind of records that the source could not read. */
  readonly lacks: FolioError[];
}

export type ServicePart = Part & { readonly session: Session };

/** Which part to open: a source and, where the run has several parts, the name of the part and its profile. */
export interface PartOptions {
  readonly source: OpenSource;
  readonly name?: string;
  readonly profile?: string | undefined;
  readonly signal?: AbortSignal;
}

/** How the work with a part ended. */
export interface PartEnd {
  /** The findings of its questions: a failure among them is one of the part. They are reported already. */
  readonly found?: readonly Finding[];
  /** What in the answer may be wrong if records are missing, for the message. */
  readonly consequence?: string | undefined;
}

/**
 * Opens a part, does the work with it, checks that no record is missing, and closes it in any case. Returns its state, with the
 * failure if the part failed. Throws only errors of the whole run: an interrupt, or a bug in folio.
 */
export async function inPart(
  run: Run,
  options: PartOptions,
  work: (part: Part) => Promise<PartEnd | void>,
): Promise<PartState> {
  const state = stateOf(run, options.name);
  state.stage = 'running';
  state.startedAt = run.context.clock.now();
  try {
    const part = await openPart(run, options, state);
    const { session, context, notices, status, serviceErrors, source } = part;
    try {
      checkPart(part, (await work(part)) ?? {});
    } catch (error) {
      if (session !== undefined) await refuseWrongAddress(session.client, error, context.signal);
      throw error;
    } finally {
      notices.add(...serviceErrors.findings());
      if (status.orderMayMove) notices.warn(orderMayMove(source.resource));
    }
  } catch (error) {
    if (!isFailure(error)) throw error;
    state.failure = error;
  } finally {
    state.stage = 'ended';
    await state.session?.client.close();
  }
  return state;
}

/** Opens the session of a part, kept in its state for the caller to close, and finds its settings and meanings of columns. */
async function openPart(
  run: Run,
  { source, profile: named, signal = run.context.signal }: PartOptions,
  state: PartState,
): Promise<Part> {
  const { flags, shared } = run;
  const { field, columns } = flags;
  const { resource, hasProfileColumn = false } = source;
  const { notices, status, requested: observe } = state;
  const context = { ...run.context, signal };
  const options = { flags, profile: named, resource, notices, observe, shared };
  const session = source.kind === 'service' ? await openSession(context, options) : undefined;
  state.session = session;
  const [owner = named] = hasProfileColumn ? [] : (source.export?.delivered?.profiles ?? []);
  // For a service, the session has the owner.
  state.owner = owner;
  state.source = source;
  // The settings of a profile apply to its records, wherever they are stored. For several profiles, the current one is ignored.
  const isJoined = hasProfileColumn && named === undefined;
  const store = await storeOf(run);
  let profile = session?.profile;
  if (session === undefined && !isJoined) profile = named ?? owner ?? usualProfile(context.env, store);
  // The service may have more records with these fiscal IDs than were read earlier.
  const whose = `${resource?.fiscalIds?.whose ?? 'party'}${session === undefined ? ' in these records' : ''}`;
  return {
    run,
    context,
    source,
    session,
    profile,
    isJoined,
    state,
    notices,
    status,
    defaults: session?.defaults ?? flagDefaults(store, profile, resource),
    meanings: meaningsOf(store, {
      ...{ resource, profile, isSeveral: isJoined, field, columns },
      delivered: source.export?.delivered,
    }),
    serviceErrors: new ServiceErrors(source.fiscalIds ?? [], whose, context.secrets.redact),
    lacks: [],
  };
}

/** The settings; undefined for the sandbox, which has none. */
export async function storeOf({ flags, context }: Pick<Run, 'flags' | 'context'>) {
  return flags.sandbox ? undefined : context.config();
}

/** The warning for a listing of several pages in an order whose key can change: no reading could prove it complete. */
function orderMayMove(resource: Resource | undefined): string {
  const lasting = resource?.sortBy?.lasting.join(' or ');
  return `the order can move: a record whose sort key changed meanwhile may be missing (not so with --sort-by ${lasting})`;
}

/** The records of a part, in batches between which the event loop runs. Throws the signal's reason. */
export function recordsOf(part: Part, wanted: Wanted = {}): AsyncGenerator<RecordBatch> {
  const { state, context } = part;
  state.limit = wanted.limit;
  const records = async function* (): AsyncGenerator<RecordBatch> {
    for await (const { records } of part.source.read(part, wanted)) yield records;
  };
  return paced(records(), context);
}

interface Delivering {
  readonly plan: OutputPlan;
  readonly state: Pick<PartState, 'plan' | 'records' | 'delivered'>;
}

/**
 * Writes records in the plan's format to the plan's target, which is opened before the first is read; a file appears when all are
 * written. `state` gets the plan, the count and the place. Returns the destination, committed, for its size and hash.
 */
export async function deliver(
  { context, flags }: Pick<Run, 'context' | 'flags'>,
  records: AsyncIterable<RecordBatch> | Iterable<RecordBatch>,
  { plan, state }: Delivering,
): Promise<Destination> {
  state.plan = plan;
  const opened = await openDestination(plan.target, context, {
    styled: plan.format === 'table',
    binary: formatOf(plan.format).binary === true,
    hasReceipt: flags.receipt !== undefined,
  });
  state.delivered = await writeAndCommit(opened, async (destination) => {
    const writer = plan.openWriter(destination, plan.layout);
    for await (const batch of records) {
      state.records += batch.count;
      await writer.write(batch);
    }
    await writer.end();
  });
  return state.delivered;
}

const AT_ONCE = 4;

/** The most parts that are read before an earlier one is done: each may have a temporary file. */
const AHEAD = 64;

/** Does something for each part, up to four at a time, and yields the results in the order of the parts. */
export function forEachPart<Item, Result>(
  { context }: Run,
  parts: readonly Item[],
  work: (part: Item, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<Result> {
  return mapInOrder(parts, work, { concurrency: AT_ONCE, ahead: AHEAD, signal: context.signal });
}

/** The errors for records that are missing or in doubt; none if the source was read whole. */
export function missingIn({ source, status, serviceErrors, lacks }: Part): readonly FolioError[] {
  const unknownIds = source.isStrict ? serviceErrors.unknownIds : [];
  return [...lacks, lackOf(status, unknownIds, source.resource?.sortBy) ?? []].flat();
}

/** Throws the first failure of source, walk or findings, and warns of the others. */
function checkPart(part: Part, { found = [], consequence }: PartEnd): void {
  const missing = missingIn(part);
  const worded =
    consequence === undefined ? missing : missing.map((one) => withConsequence(one, consequence));
  const [first, ...others] = [...worded, ...found.filter(({ level }) => level === 'failure').map(errorOf)];
  for (const { kind, message } of others) if (kind === 'incomplete') part.notices.warn(message);
  if (first !== undefined) throw first;
}

function withConsequence(error: FolioError, consequence: string): FolioError {
  const { message, hint, lines } = error;
  const text = `${message}; ${consequence}`;
  return error.reworded(text, hint, lines.length === 1 ? [text] : [...lines, consequence]);
}
