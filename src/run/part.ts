import type { Context } from '../context.ts';
import { IncompleteError, isFailure, UsageError, type FolioError } from '../errors.ts';
import { paced, type RecordBatch } from '../json/records.ts';
import type { Delivery } from '../paging/page.ts';
import { WalkStatus } from '../paging/walk-status.ts';
import { namedProfile } from '../profiles/connection.ts';
import { refuseWrongAddress } from '../resources/listing-pages.ts';
import type { Resource } from '../resources/resource.ts';
import { checkComplete, PartialResults } from './completeness.ts';
import type { ReadPath } from './paths.ts';
import type { Written } from './progress/progress-state.ts';
import type { Notices } from './notices.ts';
import type { Track } from './progress/progress.ts';
import type { ReceiptPart } from './receipt.ts';
import type { Run } from './run.ts';
import { openSession, type Session } from './session.ts';
import { flagDefaults, type FlagDefaults } from './settings.ts';

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
  read(options: ServiceReadOptions, limit: number | undefined): AsyncGenerator<Delivery>;
}

/** A source on this machine: nothing is sent, and no token is needed. */
export interface LocalSource extends SourceFacts {
  readonly kind: 'local';
  read(options: LocalReadOptions, limit: number | undefined): AsyncGenerator<Delivery>;
}

/** What a source is read with. */
interface ReadOptions {
  readonly context: Context;
  readonly notices: Notices;
  readonly status: WalkStatus;
  readonly partial: PartialResults;
  readonly flags: Run['flags'];
}

/** What a source of the service is read with. */
export interface ServiceReadOptions extends ReadOptions {
  readonly session: Session;
}

/** What a local source is read with. */
export interface LocalReadOptions extends ReadOptions {
  /** The profile whose settings apply, and whose records are read where the source has those of several. */
  readonly profile: string | undefined;
}

/** One source of one organization, open to be read. */
export interface Part extends ReadOptions {
  readonly source: Source;
  /** The organization's name, where the run has several parts. */
  readonly name: string | undefined;
  /** The profile whose settings apply; undefined for the settings that are for all profiles. */
  readonly profile: string | undefined;
  readonly receipt: ReceiptPart;
  /** Undefined for a local source. */
  readonly session: Session | undefined;
  /** The values of the settings for flags that are not given. */
  readonly defaults: FlagDefaults;
  /** When the run began, in milliseconds since 1970. */
  readonly startedAt: number;
  /** The records; to be read once. */
  readonly read: (limit: number | undefined) => AsyncGenerator<Delivery>;
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
  const notices = name === undefined ? run.notices : run.notices.about(name);
  const track = run.progress.track(notices, name);
  const status = new WalkStatus((event) => track.walked(event));
  const receipt = name === undefined ? run.receipt : run.receipt.section(name);
  receipt.note({ status });
  const context = signal === undefined ? run.context : { ...run.context, signal };
  const opening = {
    name,
    profile,
    context,
    flags: run.flags,
    notices,
    track,
    status,
    receipt,
    startedAt: run.startedAt,
  };
  try {
    await (source.kind === 'local'
      ? readLocal({ ...opening, source }, read)
      : readService({ ...opening, source }, run, read));
    track.end('done');
  } catch (error) {
    track.end('failed');
    receipt.note({ failure: error });
    throw error;
  }
}

/** A part before its session is open. */
type OpeningPart<Of extends Source> = Omit<Part, 'source' | 'partial' | 'session' | 'defaults' | 'read'> & {
  readonly source: Of;
  readonly track: Track;
};

async function readService(
  opening: OpeningPart<ServiceSource>,
  run: Run,
  read: (part: Part) => Promise<void>,
): Promise<void> {
  const { context, source, flags, notices, track, receipt } = opening;
  const session = await openSession(context, {
    flags,
    profile: opening.profile,
    resource: source.resource,
    notices,
    observe: track.asked,
    shared: run.shared,
  });
  receipt.note({ session });
  try {
    refuseOtherVersion(source, session);
    const partial = partialResults(opening);
    const options = { ...opening, partial, session };
    await announcing(options, () =>
      read({
        ...options,
        profile: session.profile,
        defaults: session.defaults,
        read: (limit) => {
          track.expect(limit);
          return source.read(options, limit);
        },
      }),
    );
  } catch (error) {
    await refuseWrongAddress(session.client, error, context.signal);
    throw error;
  } finally {
    await session.close();
  }
}

/** Throws UsageError where a path names another version of the service than the base address: no other one is asked. */
function refuseOtherVersion({ version, name }: ServiceSource, { baseUrl }: Session): void {
  if (version === undefined || baseUrl.pathname.endsWith(`/${version}`)) return;
  throw new UsageError(`${name} is asked for in ${version}, and the base address is ${baseUrl.href}`, {
    hint: `Leave /${version} out, or name a base address that ends with it.`,
  });
}

async function readLocal(
  opening: OpeningPart<LocalSource>,
  read: (part: Part) => Promise<void>,
): Promise<void> {
  const { context, source, flags } = opening;
  const store = flags.sandbox ? undefined : await context.config();
  // A profile that the source has need not be one of those here. Of several, no single one decides.
  const current = (): string | undefined => namedProfile(undefined, context.env) ?? store?.currentProfile;
  const profile = opening.profile ?? (source.isSeveral ? undefined : current());
  const options = { ...opening, profile, partial: partialResults(opening) };
  await read({
    ...options,
    session: undefined,
    defaults: store ? flagDefaults(store, profile, source.resource) : {},
    read: (limit) => source.read(options, limit),
  });
}

function partialResults({ source, context, receipt }: OpeningPart<Source>): PartialResults {
  const partial = new PartialResults(source.fiscalIds ?? [], context.secrets.redact);
  receipt.note({ partial });
  return partial;
}

/** The warning for a listing of several pages in an order whose key can change: no reading could prove it complete. */
const ORDER_MAY_MOVE =
  'the order can move: a record whose sort key changed meanwhile may be missing (not so with --sort-by NUMBER or DATE)';

async function announcing(
  { partial, notices, source, status }: Pick<Part, 'partial' | 'notices' | 'source' | 'status'>,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } finally {
    partial.announce(notices, source.resource?.fiscalIds);
    if (status.orderMayMove) notices.warn(ORDER_MAY_MOVE);
  }
}

/** The records of a part, at most `limit`, in batches between which the event loop runs. Throws the signal's reason. */
export function recordsOf({ read, context }: Part, limit?: number): AsyncGenerator<RecordBatch> {
  return paced(recordsIn(read(limit)), context);
}

async function* recordsIn(deliveries: AsyncIterable<Delivery>): AsyncGenerator<RecordBatch> {
  for await (const { records } of deliveries) yield records;
}

/** Throws IncompleteError where something is missing. Call it when everything that came was delivered. */
export function checkPart({ source, status, partial }: Pick<Part, 'source' | 'status' | 'partial'>): void {
  source.check?.();
  checkComplete(status, source.strict ? partial.missingAsTyped : []);
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

/** The result of one part of several. */
export interface PartResult {
  readonly name: string;
  /** Why the part is missing; where it is an IncompleteError, why the part is not whole. */
  readonly failure?: FolioError;
}

/** Whether there are records of the part, even if not all. */
export function hasRecords({ failure }: PartResult): boolean {
  return failure === undefined || failure instanceof IncompleteError;
}

/**
 * Asks one part of several, or the only one, which has no name. Returns a failure of the part as its result. Throws what concerns the whole run: an interrupt, or
 * a fault of folio's own.
 */
export async function tryPart(
  run: Run,
  options: PartOptions,
  read: (part: Part) => Promise<void>,
): Promise<PartResult> {
  const { name = options.source.name } = options;
  try {
    await askPart(run, options, read);
    return { name };
  } catch (error) {
    if (isFailure(error)) return { name, failure: error };
    throw error;
  }
}
