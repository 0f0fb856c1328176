import { createHash, randomBytes } from 'node:crypto';
import { UsageError } from '../../errors.ts';
import { isCount } from '../../json/json-object.ts';
import type { KeyColumns } from '../../json/record-key.ts';
import type { RecordBatch } from '../../json/records.ts';
import { recordsOfEntry, type Journal } from '../../output/journal.ts';
import { UniqueRecords } from '../../paging/unique-records.ts';
import type { WalkStatus } from '../../paging/walk-status.ts';
import type { PartialResults } from '../completeness.ts';
import { flagNamed } from '../parse-values.ts';

/** What a run knows besides its records, after each page: a run that resumes it must know the same. */
interface Checkpoint {
  /** Where the walk goes on: a record offset or a cursor. */
  readonly next: number | string;
  readonly totalAtStart?: number | undefined;
  readonly totalAtEnd?: number | undefined;
  readonly drift?: boolean | undefined;
  /** Offsets of records before `next` that the service does not serve. */
  readonly unreadable?: readonly number[] | undefined;
  readonly missingFiscalIds?: readonly string[] | undefined;
  readonly warnings?: readonly string[] | undefined;
}

/** The checkpoint of a walk that goes on at `next`. */
export function checkpointAt(next: number | string, status: WalkStatus, partial: PartialResults): Checkpoint {
  const { totalAtStart, totalAtEnd, drift } = status;
  const unreadable = [...status.unreadable].filter((offset) => typeof next === 'string' || offset < next);
  const [missingFiscalIds, warnings] = [[...partial.missingFiscalIds], [...partial.warnings]];
  return {
    next,
    totalAtStart,
    totalAtEnd,
    ...(drift && { drift }),
    ...(unreadable.length > 0 && { unreadable }),
    ...(missingFiscalIds.length > 0 && { missingFiscalIds }),
    ...(warnings.length > 0 && { warnings }),
  };
}

/** Restores the status and the partial results of the earlier run. `records` is how many it gave. */
export function restoreCheckpoint(
  checkpoint: Checkpoint,
  records: number,
  { status, partial }: { readonly status: WalkStatus; readonly partial: PartialResults },
): void {
  const { totalAtStart, drift = false, unreadable = [] } = checkpoint;
  status.takeOver({ records, totalAtStart, drift, unreadable });
  for (const id of checkpoint.missingFiscalIds ?? []) partial.missingFiscalIds.add(id);
  for (const warning of checkpoint.warnings ?? []) partial.warnings.add(warning);
}

/** What a run asked for, by the names that an error uses: each with its value, or with a hash of it. */
type Fingerprint = Readonly<Record<string, string>>;

interface FingerprintOptions {
  readonly baseUrl: string;
  readonly profile: string | undefined;
  /** As the token names it. */
  readonly organization: string | undefined;
  /** The resource, and the id in its path. */
  readonly listing: string;
  readonly format: string;
  readonly fiscalIds: readonly string[];
  /** The values of all flags, by name. */
  readonly flags: object;
}

/** Flags that do not change the result. All others are part of the fingerprint. */
const NOT_COMPARED = new Set(
  (
    'all baseUrl color concurrency customerFiscalId debug format issuerFiscalId output pageSize profile progress ' +
    'quiet receipt resume retries retryDelay sandbox strict timeout tokenFile verbose'
  ).split(' '),
);

/** Flags whose values an error shows where they differ. Values of other flags may be long or private. */
const SHOWN = new Set(['columns', 'delimiter', 'excel', 'header', 'limit', 'sortBy', 'sortOrder']);

/** The fingerprint of a run. It never holds the token, and the organization's name only as a hash. */
export function fingerprintOf(options: FingerprintOptions): Fingerprint {
  const parts: Record<string, string> = {
    'base address': options.baseUrl,
    profile: options.profile ?? '',
    organization: options.organization === undefined ? '' : hashed(options.organization),
    listing: options.listing,
    '--format': options.format,
    'list of fiscal IDs': options.fiscalIds.length === 0 ? '' : hashed(options.fiscalIds),
  };
  for (const [name, value] of Object.entries(options.flags)) {
    if (NOT_COMPARED.has(name) || value === undefined) continue;
    parts[flagNamed(name)] = SHOWN.has(name) ? String(value) : hashed(value);
  }
  return parts;
}

/** What differs, one phrase for each part; none when the fingerprints are the same. */
function differences(before: Fingerprint, now: Fingerprint): string[] {
  const parts = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...parts]
    .filter((part) => before[part] !== now[part])
    .map((part) => phrase(part, before[part], now[part]));
}

function phrase(part: string, before = '', now = ''): string {
  const isHashed = [before, now].some((value) => value.startsWith(HASHED));
  if (isHashed || (before + now).length > 200) return `another ${part}`;
  return `another ${part} (${before || 'none'}, now ${now || 'none'})`;
}

const HASHED = 'sha256:';

function hashed(value: unknown): string {
  return HASHED + createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 32);
}

/** A hash from which nobody can tell the token. */
export function saltedHash(salt: string, text: string): string {
  return hashed([salt, text]);
}

/** A stopped run, read from its journal: all pages but the last, and the last page to compare the listing with. */
export interface EarlierRun {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The records of all pages but the last. */
  readonly given: UniqueRecords;
  readonly records: number;
  /** The checkpoint behind the pages that are taken over. */
  readonly checkpoint: Checkpoint;
  /** Undefined where it cannot be compared: some of its records may be unreadable. */
  readonly firstPage: RecordBatch | undefined;
  readonly lastPage: RecordBatch;
  /** Where in the journal the last page begins, in bytes. */
  readonly end: number;
}

const VERSION = 2;

/** Who may use a journal: a run that asks for the same, with the same token. The token is hashed with the journal's salt. */
export interface JournalOwner {
  readonly fingerprint: Fingerprint;
  readonly tokenHash: (salt: string) => string;
}

/** The first entry of a journal. */
export function journalHead(
  { fingerprint, tokenHash }: JournalOwner,
  startedAt: number,
): Readonly<Record<string, unknown>> {
  const salt = randomBytes(16).toString('hex');
  return { folioJournal: VERSION, startedAt, fingerprint, salt, token: tokenHash(salt) };
}

/** Why a journal cannot be used. */
export const UNUSABLE_JOURNAL = 'what is kept beside it is no journal of this version of folio';

interface EarlierRunOptions {
  /** The run that wants to resume it. */
  readonly owner: JournalOwner;
  /** The target, for messages. */
  readonly shown: string;
  /** The columns that tell the listing's records apart. */
  readonly columns: KeyColumns;
}

/**
 * Reads the journal of an earlier run. Returns undefined where it has fewer than two whole pages, since the last one is always
 * read again, and UNUSABLE_JOURNAL where it is another kind of file.
 *
 * @throws UsageError when that run asked for something else than this one, or with another token
 */
export async function readEarlierRun(
  journal: Journal,
  { owner, shown, columns }: EarlierRunOptions,
): Promise<EarlierRun | typeof UNUSABLE_JOURNAL | undefined> {
  const given = await UniqueRecords.of(columns);
  let startedAt: number | undefined;
  let checkpoint: Checkpoint | undefined;
  let firstPage: RecordBatch | undefined;
  let last: { batch: RecordBatch; checkpoint: Checkpoint; start: number } | undefined;
  let records = 0;
  for await (const entry of journal.entries()) {
    if (startedAt === undefined) {
      const head = parseHead(entry.head);
      if (head === undefined) return UNUSABLE_JOURNAL;
      refuseOther(head, owner, shown);
      startedAt = head.startedAt;
      continue;
    }
    if (last !== undefined) {
      given.restore(last.batch);
      records += last.batch.count;
      checkpoint = last.checkpoint;
      firstPage ??= last.batch;
    }
    const next = parseCheckpoint(entry.head);
    if (next === undefined) return UNUSABLE_JOURNAL;
    last = { batch: recordsOfEntry(entry), checkpoint: next, start: entry.start };
  }
  if (startedAt === undefined || checkpoint === undefined || last === undefined) return undefined;
  const wholeFirst = (checkpoint.unreadable ?? []).length === 0 ? firstPage : undefined;
  const { batch: lastPage, start: end } = last;
  return { startedAt, given, records, checkpoint, firstPage: wholeFirst, lastPage, end };
}

interface JournalHead {
  readonly startedAt: number;
  readonly fingerprint: Fingerprint;
  readonly salt: string;
  readonly token: string;
}

/** The head of a journal of this version; undefined for anything else, whoever wrote it. */
function parseHead(head: Readonly<Record<string, unknown>>): JournalHead | undefined {
  const { folioJournal, startedAt, fingerprint, salt, token } = head;
  if (folioJournal !== VERSION || !isMoment(startedAt)) return undefined;
  if (typeof salt !== 'string' || typeof token !== 'string' || !isFingerprint(fingerprint)) return undefined;
  return { startedAt, fingerprint, salt, token };
}

function isMoment(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(new Date(value).getTime());
}

function isFingerprint(value: unknown): value is Fingerprint {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every((part) => typeof part === 'string');
}

function parseCheckpoint(head: Readonly<Record<string, unknown>>): Checkpoint | undefined {
  const { next, totalAtStart, totalAtEnd, drift, unreadable, missingFiscalIds, warnings } = head;
  if (typeof next !== 'string' && !isCount(next)) return undefined;
  if (!isMaybe(totalAtStart, isCount) || !isMaybe(totalAtEnd, isCount)) return undefined;
  if (!isMaybe(drift, (value) => typeof value === 'boolean')) return undefined;
  if (!isMaybe(unreadable, (value) => isListOf(value, isCount))) return undefined;
  if (!isMaybe(missingFiscalIds, isListOfTexts) || !isMaybe(warnings, isListOfTexts)) return undefined;
  return { next, totalAtStart, totalAtEnd, drift, unreadable, missingFiscalIds, warnings };
}

function isMaybe<Value>(value: unknown, is: (value: unknown) => value is Value): value is Value | undefined {
  return value === undefined || is(value);
}

function isListOf<Value>(value: unknown, is: (value: unknown) => value is Value): value is Value[] {
  return Array.isArray(value) && value.every(is);
}

function isListOfTexts(value: unknown): value is string[] {
  return isListOf(value, (one) => typeof one === 'string');
}

function refuseOther(head: JournalHead, { fingerprint, tokenHash }: JournalOwner, shown: string): void {
  const different = differences(head.fingerprint, fingerprint);
  // Another organization has another token; where the token names its organization, that is said instead.
  if (different.length === 0 && tokenHash(head.salt) !== head.token) different.push('another token');
  if (different.length === 0) return;
  throw new UsageError(
    `cannot go on with ${shown}: the run that was stopped had ${different.join(', and ')}`,
    {
      hint: 'Give the same command again, or leave out --resume: then what that run left is discarded.',
    },
  );
}
