import type { Context } from '../context.ts';
import type { Destination } from '../output/files/destination.ts';
import { digitGrouper, localeOf } from '../output/terminal/number-text.ts';

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

interface WritingRun {
  readonly context: Context;
  readonly notices: { readonly isHeard: boolean; remark(text: string): void };
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/** Tells a user at a terminal how much was written, and where. */
export function remarkWritten(
  { context, notices, startedAt }: WritingRun,
  written: () => Written | undefined,
): void {
  const told = notices.isHeard ? written() : undefined;
  if (told === undefined) return;
  const milliseconds = context.clock.now() - startedAt;
  notices.remark(closingLine(told, { milliseconds, locale: localeOf(context.env) }));
}

/** The same of a file that is in place. Says nothing of a stream. */
export function remarkFile(
  run: WritingRun,
  destination: Destination,
  told: Omit<Written, 'place' | 'bytes'> & { readonly place: string | undefined },
): void {
  const { place } = told;
  if (place === undefined || !destination.isFile) return;
  remarkWritten(run, () => ({ ...told, place, bytes: destination.bytes }));
}

/** The one line after a file was written: `3,000 issued invoices → issued.csv, 3.1 MB, 2.4 s`. Time in milliseconds. */
function closingLine(
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

/** Milliseconds as `45 s`, `3 min` or `2 h 5 min`, rounded up. */
export function duration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 100) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
