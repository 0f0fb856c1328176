import type { RequestEvent } from '../api/client.ts';
import { readPartialErrors } from '../api/error-body.ts';
import type { Redact } from '../api/redact.ts';
import { alsoSaid, UnknownFiscalIds } from '../api/status-failure.ts';
import type { Context } from '../context.ts';
import { IncompleteError, NotFoundError } from '../errors.ts';
import type { Finding, IncompleteReason } from '../findings.ts';
import { foldFiscalId } from '../invoices/fiscal-ids.ts';
import type { Destination } from '../output/files/destination.ts';
import { firstOf } from '../json/cells.ts';
import { countOf, digitGrouper, localeOf } from '../output/terminal/number-text.ts';
import { shownLine, visible } from '../output/terminal/terminal-text.ts';
import type { WalkEvent, WalkStatus } from '../paging/walk-status.ts';
import type { Resource } from '../resources/resource.ts';
import type { GlobalFlags } from './flags.ts';

type NoticeFlags = Pick<GlobalFlags, 'quiet' | 'verbose' | 'debug'>;

export interface Written {
  readonly count: number;
  /** How many there are, where fewer were written. */
  readonly of?: number | undefined;
  /** What they are, in the plural: `issued invoices`. */
  readonly what: string;
  /** The file or folder, as it was typed. */
  readonly place: string;
  readonly bytes: number;
  /** What else the line has, such as how much was left out. */
  readonly more?: readonly string[];
}

/** Waits of more milliseconds than this are announced. */
const LONG_WAIT = 5_000;

const REFUSED = { large: 'were too much', slow: 'took too long', size: 'were refused' } as const;

/** What the notices of a run share. */
interface WholeRun {
  readonly found: Finding[];
  /** The warnings so far, each with its part: a response may hold tens of thousands. */
  readonly warned: Set<string>;
  readonly startedAt: number;
}

/** What the notices are about. */
interface About {
  readonly part?: string | undefined;
  /** Whose run it is, where one command line makes several. */
  readonly owner?: string | undefined;
  /** What all parts of the run share. */
  readonly run?: WholeRun | undefined;
}

/**
 * The findings of a run so far. Receipts are made from this list, and each finding is also written to standard error. Under
 * --verbose and --debug each line begins with the time. Control characters in the texts are made visible.
 */
export class Notices {
  readonly #context: Context;
  readonly #flags: NoticeFlags;
  readonly #part: string | undefined;
  readonly #owner: string | undefined;
  readonly #run: WholeRun;
  readonly #isChatty: boolean;
  /** Whether anybody reads remarks. */
  readonly isHeard: boolean;

  constructor(context: Context, flags: NoticeFlags, { part, owner, run }: About = {}) {
    const { stderr, listener, clock } = context;
    this.#context = context;
    this.#flags = flags;
    this.#part = part;
    this.#owner = owner;
    this.#run = run ?? { found: [], warned: new Set(), startedAt: clock.now() };
    this.#isChatty = flags.verbose === true || flags.debug === true;
    this.isHeard = listener !== undefined || (!flags.quiet && (stderr.isTerminal || this.#isChatty));
  }

  /** The same notices about one part of several: its name goes before each. */
  forPart(part: string): Notices {
    return new Notices(this.#context, this.#flags, { part, owner: this.#owner, run: this.#run });
  }

  /** The findings so far: of the whole run, or of the part that these notices are about. */
  findings(): readonly Finding[] {
    const [{ found }, part] = [this.#run, this.#part];
    return part === undefined ? found : found.filter((one) => one.part === part);
  }

  /** Keeps findings and shows them, each warning once. A failure is shown when the run ends. */
  add(...findings: readonly Finding[]): void {
    const part = this.#part;
    const { found, warned } = this.#run;
    for (const finding of findings) {
      const { level, text } = finding;
      if (level === 'warning') {
        const warning = `${part ?? ''}\n${text}`;
        if (warned.has(warning)) continue;
        warned.add(warning);
      }
      found.push(part === undefined ? finding : { ...finding, part });
      this.#context.listener?.found(finding);
      if (level === 'remark') this.#remark(text);
      else if (!this.#flags.quiet && level === 'warning') this.#write(text, 'warning: ');
      else if (!this.#flags.quiet && level === 'answer') this.#write(text);
    }
  }

  /** Writes a warning; the run goes on. Writes nothing under --quiet. */
  warn(text: string): void {
    this.add({ level: 'warning', text });
  }

  /** Writes a fact for a user who watches the run: on a terminal, or under --verbose. */
  remark(text: string): void {
    this.add({ level: 'remark', text });
  }

  /** Remarks in one line how much was written: `3,000 issued invoices → issued.csv, 3.1 MB, 2.4 s`. */
  remarkWritten({ count, of = count, what, place, bytes, more = [] }: Written): void {
    const { clock, env } = this.#context;
    const group = digitGrouper(localeOf(env));
    const all = of <= count ? '' : ` of ${group(String(of))}`;
    // `document of the fund` for `documents of the fund`.
    const named = all === '' && count === 1 ? what.replace(/s(?= of |$)/, '') : what;
    const counted = `${group(String(count))}${all} ${named} → ${place}`;
    this.remark([counted, ...more, sizeText(bytes), timeText(clock.now() - this.#run.startedAt)].join(', '));
  }

  /** The same for a finished file. Writes nothing for a stream. */
  remarkFile(
    { isFile, bytes }: Destination,
    { place, ...written }: Omit<Written, 'place' | 'bytes'> & { readonly place: string | undefined },
  ): void {
    if (place !== undefined && isFile) this.remarkWritten({ ...written, place, bytes });
  }

  /** Writes what folio does, under --verbose and --debug. Such a line is not a finding. */
  detail(text: string): void {
    if (this.#isChatty) this.#write(text);
  }

  /** Writes a line for each request under --verbose and --debug, and a remark before a long wait. */
  requested(event: RequestEvent): void {
    const ordinal = (attempt: number): string => (attempt === 0 ? '' : `, attempt ${attempt + 1}`);
    if (event.kind === 'response') {
      const { target, status, milliseconds, bytes, attempt } = event;
      this.detail(`GET ${target} → ${status}, ${bytes} bytes, ${milliseconds} ms${ordinal(attempt)}`);
    } else if (event.kind === 'retry') {
      const { target, reason, wait, attempt } = event;
      this.detail(`GET ${target} again in ${wait} ms${ordinal(attempt + 1)}: ${reason}`);
      if (wait > LONG_WAIT) this.#remark(`waits ${duration(wait)} before the next try: ${reason}`);
    }
  }

  /** A line for each event of a walk that may explain why a record is missing. Records have their places in the listing. */
  walked(event: WalkEvent): void {
    const place = 'at' in event && event.at !== undefined ? ` from record ${event.at + 1}` : '';
    if (event.kind === 'shrink')
      this.detail(`shrunk: ${event.from} records${place} ${REFUSED[event.reason]}, asks for ${event.to}`);
    else if (event.kind === 'slow')
      this.detail(`slow: ${event.size} records${place} took too long, asks once more`);
    else if (event.kind === 'give up')
      this.detail(`given up: record ${event.at + 1} of the listing is not served even alone`);
    else if (event.kind === 'repeat')
      this.detail(`repeats: ${countOf(event.records, 'record')} came again, left out`);
    else if (event.kind === 'reread')
      this.detail(`read again, round ${event.round}: ${whyIncomplete(event.reason)}`);
  }

  #remark(text: string): void {
    if (this.isHeard) this.#write(text);
  }

  /** Does not wait: a standard error that is slow or closed must not stop the records. */
  #write(text: string, before = ''): void {
    const { clock, stderr, listener } = this.#context;
    if (listener !== undefined) return;
    const time = this.#isChatty ? `${timeStamp(clock.now())} ` : '';
    const parts = [this.#owner, this.#part, text].filter((part) => part !== undefined);
    void stderr.write(shownLine(`${time}${before}${visible(parts.join(': '))}`, stderr)).catch(() => {});
  }
}

/** A time in ms since 1970 as logs write it, to the second: `2026-11-20T12:00:00Z`. */
export function timeStamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Bytes as people read them, in steps of a thousand: `812 bytes`, `3.1 MB`. */
function sizeText(bytes: number): string {
  if (bytes < 1000) return countOf(bytes, 'byte');
  let [size, unit] = [bytes / 1000, 0];
  while (size >= 999.5 && unit < UNITS.length - 1) [size, unit] = [size / 1000, unit + 1];
  return `${size < 9.95 ? size.toFixed(1) : size.toFixed(0)} ${UNITS[unit]}`;
}

const UNITS = ['kB', 'MB', 'GB', 'TB'];

function timeText(milliseconds: number): string {
  return milliseconds < 9_950 ? `${(milliseconds / 1000).toFixed(1)} s` : duration(milliseconds);
}

/** Milliseconds as `45 s`, `3 min` or `2 h 5 min`, rounded up. */
export function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const MAX_NUMBERS = 20;

/**
 * The error that says which records are missing or in doubt; undefined where none are.
 *
 * @param unknown unknown fiscal IDs, if they are a failure
 * @param sortBy the keys by which the user can have the listing sorted
 */
export function lackOf(
  status: WalkStatus,
  unknown: readonly string[] = [],
  sortBy?: Resource['sortBy'],
): IncompleteError | undefined {
  const { givenUp, incomplete, reason = 'changing', totalAtEnd, records: delivered } = status;
  const unserved = [...givenUp].map((offset) => offset + 1);
  const gaps: string[] = [];
  if (unserved.length > 0) {
    const numbers = firstOf(unserved.slice(0, MAX_NUMBERS).map(String), unserved.length);
    gaps.push(`the service does not serve record ${numbers} of the listing, even alone`);
  }
  if (incomplete > 0) {
    const which =
      totalAtEnd === undefined || totalAtEnd < incomplete
        ? `${countOf(incomplete, 'record')} or more`
        : `${incomplete} of the ${totalAtEnd} records that the service names`;
    const why = whyIncomplete(reason);
    gaps.push(reason === 'ids' ? why : `${which} ${incomplete === 1 ? 'is' : 'are'} in doubt: ${why}`);
  }
  if (unknown.length > 0) gaps.push(`${countOf(unknown.length, 'unknown fiscal ID')}: ${firstIds(unknown)}`);
  if (gaps.length === 0) return undefined;
  const sorted = reason === 'order' && sortBy ? ` Add --sort-by ${sortBy.mostDistinct}.` : '';
  const isOfIds = status.complete && unknown.length > 0;
  return new IncompleteError(`delivered ${countOf(delivered, 'record')}, but not all: ${gaps.join('; ')}`, {
    hint: isOfIds ? 'Leave out the unknown IDs, or leave out --strict.' : REASONS[reason].hint + sorted,
    details: {
      code: 'records missing',
      delivered,
      unserved,
      reason: incomplete > 0 ? reason : undefined,
    },
  });
}

const AGAIN_LATER = 'Run it again when the service is quieter.';

const REASONS: Readonly<Record<IncompleteReason, { readonly why: string; readonly hint: string }>> = {
  changing: { why: 'the listing kept changing while it was read', hint: AGAIN_LATER },
  order: {
    why: 'the service’s order changes from request to request',
    hint: 'Running it again will hardly help.',
  },
  unsteady: {
    why: 'its pages do not hold together: its order or its records change',
    hint: AGAIN_LATER,
  },
  adjoining: { why: 'its pages do not overlap, and were not seen the same twice', hint: AGAIN_LATER },
  total: { why: 'it names a higher total than it serves', hint: AGAIN_LATER },
  repeating: {
    why: 'page after page it sends records that it had sent before',
    hint: 'This is a fault of the service. Try again later, or with another --page-size.',
  },
  more: {
    why: 'more records came than that; some changed while they were read and appear twice',
    hint: AGAIN_LATER,
  },
  ids: {
    why: 'of several fiscal IDs in one request, the service may have read one',
    hint: 'Ask without --limit and --page, or for one fiscal ID at a time.',
  },
};

function whyIncomplete(reason: IncompleteReason = 'changing'): string {
  return REASONS[reason].why;
}

/** Collects the problems that the service names beside the records (spec 2.4), each once. */
export class ServiceErrors {
  readonly #unknown = new Set<string>();
  readonly #warnings = new Set<string>();
  readonly #typed: ReadonlyMap<string, string>;
  readonly #redact: Redact;
  readonly #whose: string;
  #isNamedByError = false;

  /**
   * The fiscal IDs are those of the filter, as typed, and `whose` is who has one: `customer`. `redact` removes secrets from the
   * service's words, which receipts keep.
   */
  constructor(fiscalIds: readonly string[], whose: string, redact: Redact) {
    this.#redact = redact;
    this.#whose = whose;
    this.#typed = new Map(fiscalIds.map((id) => [foldFiscalId(id), id]));
  }

  readonly add = (errors: Buffer): void => {
    const { missingFiscalIds, warnings } = readPartialErrors(errors, this.#redact);
    this.addUnknown(missingFiscalIds);
    for (const warning of warnings) this.#warnings.add(warning);
  };

  /** The unknown fiscal IDs, in the order in which they were typed. */
  get unknownIds(): string[] {
    const typed = [...this.#typed.values()].map((id) => this.#redact(id));
    return [...new Set([...typed, ...this.#unknown])].filter((id) => this.#unknown.has(id));
  }

  findings(): Finding[] {
    const found: Finding[] = [];
    if (this.#unknown.size > 0)
      found.push({ level: 'fact', text: '', details: { code: 'unknown ids', ids: [...this.#unknown] } });
    const ids = this.#isNamedByError ? [] : this.unknownIds;
    const texts =
      ids.length > MAX_NAMED
        ? [`no ${this.#whose} has ${ids.length} of the fiscal IDs: ${firstIds(ids)}`]
        : ids.map((id) => `no ${this.#whose} has the fiscal ID ${id}`);
    for (const text of texts) found.push({ level: 'warning', text });
    for (const words of this.#warnings) {
      const details = { code: 'service says', words } as const;
      found.push({ level: 'warning', text: `the service says: ${words}`, details });
    }
    return found;
  }

  /** The final error of a listing: if all fiscal IDs are unknown, it names them as they were typed. */
  explain(error: unknown): unknown {
    if (!(error instanceof UnknownFiscalIds)) return error;
    this.addUnknown(error.fiscalIds);
    this.#isNamedByError = true;
    const which = `no ${this.#whose} has any of these fiscal IDs: ${firstIds(this.unknownIds)}`;
    return new NotFoundError(`${which}${alsoSaid(error.warnings)}`, { hint: error.hint, cause: error });
  }

  /** Adds unknown fiscal IDs. The service may spell them in its own way. */
  addUnknown(fiscalIds: readonly string[]): void {
    for (const id of fiscalIds) this.#unknown.add(this.#redact(this.#typed.get(foldFiscalId(id)) ?? id));
  }
}

const MAX_NAMED = 10;

function firstIds(ids: readonly string[]): string {
  const first = firstOf(ids.slice(0, MAX_NAMED), ids.length);
  return ids.length > MAX_NAMED ? `${first}; --receipt <file> has them all` : first;
}
