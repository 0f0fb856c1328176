import type { Context } from '../context.ts';
import { isFailure, UsageError } from '../errors.ts';
import { paced, type RecordBatch } from '../json/records.ts';
import { mapInOrder } from '../paging/map-in-order.ts';
import type { Delivery } from '../paging/page.ts';
import type { WalkStatus } from '../paging/walk-status.ts';
import { namedProfile } from '../profiles/connection.ts';
import { refuseWrongAddress } from '../resources/listing-pages.ts';
import type { Resource } from '../resources/resource.ts';
import { checkComplete, ServiceErrors } from './completeness.ts';
import type { Notices } from './notices.ts';
import type { PartState } from './part-state.ts';
import type { ReadPath } from './paths.ts';
import type { Run } from './run.ts';
import { openSession, type Session } from './session.ts';
import { flagDefaults, type FlagDefaults } from './settings.ts';
import type { Written } from './written.ts';

/** Where records come from: a listing of the service, a single item, the results of downloads, a file. */
export type Source = ServiceSource | LocalSource;

interface SourceFacts {
  /** As receipts name it: `issued`. */
  readonly name: string;
  /** What its records are, in the plural: `issued invoices`. */
  readonly records: string;
  /** The resource whose settings apply and whose columns the records have; undefined for records of no resource. */
  readonly resource?: Resource | undefined;
  /** The columns by the headings that they had in the export that is read. To be asked when it is open. */
  readonly headings?: ReadonlyMap<string, string> | undefined;
  /** Whether its records say of which profile they are. To be asked when it is open. */
  readonly isSeveral?: boolean;
  /** What joins several profiles says of them. */
  readonly joined?: JoinedProfiles;
  /** The fiscal IDs of the filter, as they were typed. */
  readonly fiscalIds?: readonly string[];
  /** The version of the service that the user named with a path, such as `v1`. */
  readonly version?: string | undefined;
  /** Whether a fiscal ID that nobody has is a failure. */
  readonly strict?: boolean;
  /** The files that it reads, and those that it may write without being asked for them. */
  readonly reads?: readonly ReadPath[];
  /**
   * The profiles to read, where the source itself has records of several, as a database does: each is read as a part of its
   * own. Called before everything else. Throws UsageError for a profile that the source does not have.
   */
  profiles?(context: Context): Promise<readonly string[]>;
  /** Gets ready, once in a run, before the first request. Throws UsageError for faults of the command line. */
  open?(run: Run): Promise<void>;
  /** What the source itself has written, such as files: the closing line then says this. Called after the last record. */
  written?(): Written;
  /**
   * Has the newest records come first, where the user asked for no order and the source's own is another. Called before the
   * records are read.
   *
   * @returns whether the newest will come first
   */
  preferNewest?(): boolean;
  /** Throws IncompleteError where the source knows that something is missing. Called after the last record. */
  check?(): void;
  close?(): Promise<void>;
}

/** What is known of the profiles whose records come as those of one source, each record with the name of its profile. */
export interface JoinedProfiles {
  /** The names of all that are asked for. */
  readonly names: () => readonly string[];
  /** The names of those that there are records of, so far, be it not all. */
  readonly had: () => readonly string[];
  /** Whether a record, which has the name of its profile, is of one that nothing was had of; to be asked when all was read. */
  readonly isUnread: (record: RecordBatch) => boolean;
  /** The same records or rows, counted for the receipt of the profile that each says to be of. */
  readonly counted: (records: AsyncIterable<RecordBatch>) => AsyncIterable<RecordBatch>;
}

/** A source that asks the service. */
export interface ServiceSource extends SourceFacts {
  readonly kind: 'service';
  /**
   * The records, a page at a time. Sends nothing before they are read.
   *
   * @param limit records, at most
   */
  read(part: ServicePart, limit: number | undefined): AsyncGenerator<Delivery>;
}

/** A source on this machine: nothing is sent, and no token is needed. */
export interface LocalSource extends SourceFacts {
  readonly kind: 'local';
  read(part: Part, limit: number | undefined): AsyncGenerator<Delivery>;
}

/** One source of one organization, open to be read. */
export interface Part {
  readonly context: Context;
  readonly source: Source;
  /**
   * The profile whose settings apply, and whose records are read where a source on this machine has those of several; undefined
   * for the settings that are for all profiles.
   */
  readonly profile: string | undefined;
  readonly flags: Run['flags'];
  /** The values of the settings for flags that are not given. */
  readonly defaults: FlagDefaults;
  /** Undefined for a local source. */
  readonly session: Session | undefined;
  /** What becomes of the part. */
  readonly state: PartState;
  readonly status: WalkStatus;
  readonly serviceErrors: ServiceErrors;
  readonly notices: Notices;
  /** Whether a receipt is written, for which the hash of the output is needed. */
  readonly hasReceipt: boolean;
  /** When the run began, in milliseconds since 1970. */
  readonly startedAt: number;
}

/** A part that asks the service. */
export interface ServicePart extends Part {
  readonly session: Session;
}

/** Which part to open: a source and, where the run has several parts, the name of the part and its profile. */
export interface PartOptions {
  readonly source: Source;
  readonly name?: string;
  readonly profile?: string | undefined;
  /** A signal in place of the run's own. */
  readonly signal?: AbortSignal;
}

/**
 * Opens one part of a run, calls `read` with it, and closes it in any case. At the end it warns of the problems that the
 * service named beside the records.
 */
export async function askPart(
  run: Run,
  { source, name, profile, signal }: PartOptions,
  read: (part: Part) => Promise<void>,
): Promise<void> {
  const { flags, startedAt, hasReceipt } = run;
  const state = run.partNamed(name);
  const { status, progress } = state;
  const context = signal === undefined ? run.context : { ...run.context, signal };
  const serviceErrors = new ServiceErrors(source.fiscalIds ?? [], context.secrets.redact);
  const notices = name === undefined ? run.notices : run.notices.about(name);
  const opening = { startedAt, hasReceipt, context, flags, state, status, serviceErrors, notices };
  progress.begin(context.clock.now());
  try {
    await (source.kind === 'local'
      ? readLocal({ ...opening, source, profile }, read)
      : readService({ ...opening, source, profile }, run, read));
    progress.state = 'done';
  } catch (error) {
    progress.state = 'failed';
    if (isFailure(error)) state.failure = error;
    throw error;
  }
}

/** A part before its session is open. */
type OpeningPart = Omit<Part, 'session' | 'defaults'>;

async function readService(
  opening: OpeningPart & { readonly source: ServiceSource },
  run: Run,
  read: (part: Part) => Promise<void>,
): Promise<void> {
  const { context, source, flags, notices, state, status, serviceErrors } = opening;
  const session = await openSession(context, {
    flags,
    profile: opening.profile,
    resource: source.resource,
    notices,
    observe: state.requested,
    shared: run.shared,
  });
  state.session = session;
  try {
    refuseOtherVersion(source, session);
    const { profile, defaults } = session;
    await read({ ...opening, session, profile, defaults }).finally(() => {
      notices.add(...serviceErrors.findings(source.resource?.fiscalIds));
      if (status.orderMayMove) notices.warn(ORDER_MAY_MOVE);
    });
  } catch (error) {
    await refuseWrongAddress(session.client, error, context.signal);
    throw error;
  } finally {
    await session.close();
  }
}

/** The warning for a listing of several pages in an order whose key can change: no reading could prove it complete. */
const ORDER_MAY_MOVE =
  'the order can move: a record whose sort key changed meanwhile may be missing (not so with --sort-by NUMBER or DATE)';

/** Throws UsageError where a path names another version of the service than the base address: no other one is asked. */
function refuseOtherVersion({ version, name }: ServiceSource, { baseUrl }: Session): void {
  if (version === undefined || baseUrl.pathname.endsWith(`/${version}`)) return;
  throw new UsageError(`${name} is asked for in ${version}, and the base address is ${baseUrl.href}`, {
    hint: `Leave /${version} out, or name a base address that ends with it.`,
  });
}

async function readLocal(opening: OpeningPart, read: (part: Part) => Promise<void>): Promise<void> {
  const { context, source, flags } = opening;
  const store = flags.sandbox ? undefined : await context.config();
  // A profile that the source has need not be one of those here. Of several, no single one decides.
  const current = (): string | undefined => namedProfile(undefined, context.env) ?? store?.currentProfile;
  const profile = opening.profile ?? (source.isSeveral ? undefined : current());
  const defaults = store ? flagDefaults(store, profile, source.resource) : {};
  await read({ ...opening, profile, session: undefined, defaults });
}

/** The records of a part, at most `limit`, in batches between which the event loop runs. Throws the signal's reason. */
export function recordsOf(part: Part, limit?: number): AsyncGenerator<RecordBatch> {
  const { source, session, state, context } = part;
  state.progress.limit = limit;
  const deliveries =
    source.kind === 'local' ? source.read(part, limit) : source.read({ ...part, session: session! }, limit);
  return paced(recordsIn(deliveries), context);
}

async function* recordsIn(deliveries: AsyncIterable<Delivery>): AsyncGenerator<RecordBatch> {
  for await (const { records } of deliveries) yield records;
}

/** Parts that are read at a time. */
const AT_ONCE = 4;

/** Parts that are read or done while one before them is still read, at most: each may have a temporary file. */
const AHEAD = 64;

/** Does something for each part, up to four at a time, and gives what comes of it in the order of the parts. */
export function forEachPart<Item, Result>(
  { context }: Run,
  parts: readonly Item[],
  work: (part: Item, signal: AbortSignal) => Promise<Result>,
): AsyncGenerator<Result> {
  return mapInOrder(parts, work, { concurrency: AT_ONCE, ahead: AHEAD, signal: context.signal });
}

/** Throws IncompleteError where something is missing. Call it when everything that came was delivered. */
export function checkPart({ source, status, serviceErrors }: Part): void {
  source.check?.();
  checkComplete(status, source.strict ? serviceErrors.unknownIds : []);
}

/**
 * Whose the records of a part are. An export that does not say whose it is is nobody's: the current profile only says what its
 * columns mean.
 *
 * @param asked the profile for which the part was opened
 */
export function ownerOf({ session, profile }: Part, asked: string | undefined): string | undefined {
  return session === undefined ? asked : profile;
}

/**
 * Asks one part of several, or the only one, which has no name. Returns what became of it, be it a failure. Throws what concerns
 * the whole run: an interrupt, or a fault of folio's own.
 */
export async function tryPart(
  run: Run,
  options: PartOptions,
  read: (part: Part) => Promise<void>,
): Promise<PartState> {
  try {
    await askPart(run, options, read);
  } catch (error) {
    if (!isFailure(error)) throw error;
  }
  return run.partNamed(options.name);
}
