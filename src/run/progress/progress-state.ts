import type { RequestEvent } from '../../api/client.ts';
import { countOf, digitGrouper, type GroupDigits } from '../../output/terminal/number-text.ts';
import type { WalkEvent } from '../../paging/walk-status.ts';

/** The progress of one part, computed from the events of its walk and requests. */
export class ProgressState {
  /** The part's name, where the run has several parts. */
  readonly name: string | undefined;
  /** Milliseconds since 1970. */
  startedAt: number;
  records = 0;
  pages = 0;
  retries = 0;
  shrinks = 0;
  /** How often the walk read again what may have moved. */
  rereads = 0;
  /** No request is sent before this time, in milliseconds since 1970. */
  waitsUntil = 0;
  /** The most records that are wanted. */
  limit: number | undefined;
  state: 'waiting' | 'running' | 'done' | 'failed' = 'waiting';
  #total: number | undefined;
  readonly #inFlight = new Set<number>();

  constructor(name: string | undefined, startedAt: number) {
    this.name = name;
    this.startedAt = startedAt;
  }

  /** Requests in flight. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** How many records will come, as far as is known. */
  get goal(): number | undefined {
    if (this.limit === undefined) return this.#total;
    return this.#total === undefined ? undefined : Math.min(this.#total, this.limit);
  }

  begin(now: number): void {
    this.state = 'running';
    this.startedAt = now;
  }

  walked(event: WalkEvent): void {
    if (event.kind === 'shrink') this.shrinks++;
    else if (event.kind === 'reread') this.rereads = event.round;
    else if (event.kind === 'page') {
      this.pages++;
      this.#total = event.total ?? this.#total;
      // Records that are read again were counted before.
      if (this.rereads === 0) this.records = Math.min(this.records + event.records, this.goal ?? Infinity);
    }
  }

  /** @param now milliseconds since 1970 */
  asked(event: RequestEvent, now: number): void {
    if (event.kind === 'request') this.#inFlight.add(event.request);
    else if (event.kind === 'response') this.#inFlight.delete(event.request);
    else {
      this.waitsUntil = Math.max(this.waitsUntil, now + event.wait);
      if (event.kind === 'throttled') return;
      this.#inFlight.delete(event.request);
      this.retries++;
    }
  }
}

/** Milliseconds of work before the time left is estimated. */
const ESTIMATE_AFTER = 2_000;

/** The state in words: `4,000 of 12,345 · 3 pages · 4 in flight · 1 retry · 12 s left`. */
export function progressLine(progress: ProgressState, now: number, group: GroupDigits): string {
  const { records, goal, pages, inFlight, retries, shrinks, rereads, state } = progress;
  const of = goal === undefined ? '' : ` of ${group(String(goal))}`;
  const parts = pages === 0 ? [] : [`${group(String(records))}${of}`, countOf(pages, 'page')];
  if (retries > 0) parts.push(retries === 1 ? '1 retry' : `${retries} retries`);
  if (shrinks > 0) parts.push(`${countOf(shrinks, 'page')} too large`);
  if (state !== 'running') return [...parts, state].join(' · ');
  const wait = progress.waitsUntil - now;
  if (inFlight > 0) parts.push(`${inFlight} in flight`);
  else if (wait > 0) parts.push(`waits ${duration(wait)}`);
  if (rereads > 0) parts.push('reading again what moved');
  else if (records > 0 && goal !== undefined) parts.push(...timeLeft(progress, goal, now));
  return parts.join(' · ');
}

function timeLeft({ records, startedAt }: ProgressState, goal: number, now: number): string[] {
  const spent = now - startedAt;
  if (spent < ESTIMATE_AFTER || records >= goal) return [];
  return [`${duration((spent / records) * (goal - records))} left`];
}

/** Milliseconds as `45 s`, `3 min` or `2 h 5 min`, rounded up. */
export function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** What a run has written, and where. */
export interface Written {
  /** Records, rows or files that were written. */
  readonly count: number;
  /** How many there are, where fewer were written. */
  readonly of?: number | undefined;
  /** What they are, in the plural: `issued invoices`. */
  readonly what: string;
  /** The file or folder, as it was given. */
  readonly place: string;
  readonly bytes: number;
  /** Further parts of the line, such as how much was left out. */
  readonly more?: readonly string[];
}

/** The one line after a file was written: `3,000 issued invoices → issued.csv, 3.1 MB, 2.4 s`. Time in milliseconds. */
export function closingLine(
  { count, of, what, place, bytes, more = [] }: Written,
  { milliseconds, locale }: { readonly milliseconds: number; readonly locale: string },
): string {
  const group = digitGrouper(locale);
  const all = of === undefined || of <= count ? '' : ` of ${group(String(of))}`;
  const counted = `${group(String(count))}${all} ${all === '' && count === 1 ? singular(what) : what}`;
  return [`${counted} → ${place}`, ...more, sizeText(bytes), timeText(milliseconds)].join(', ');
}

/** `issued invoices` as `issued invoice`, `documents of the fund` as `document of the fund`. */
function singular(what: string): string {
  return what.replace(/s(?= of |$)/, '');
}

/** Bytes as people read them, in steps of a thousand: `812 bytes`, `3.1 MB`. */
function sizeText(bytes: number): string {
  if (bytes < 1000) return bytes === 1 ? '1 byte' : `${bytes} bytes`;
  let [size, unit] = [bytes / 1000, 0];
  while (size >= 999.5 && unit < UNITS.length - 1) [size, unit] = [size / 1000, unit + 1];
  return `${size < 9.95 ? size.toFixed(1) : size.toFixed(0)} ${UNITS[unit]}`;
}

const UNITS = ['kB', 'MB', 'GB', 'TB'];

function timeText(milliseconds: number): string {
  return milliseconds < 9_950 ? `${(milliseconds / 1000).toFixed(1)} s` : duration(milliseconds);
}
