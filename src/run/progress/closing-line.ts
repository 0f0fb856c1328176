import { digitGrouper } from '../../output/terminal/number-text.ts';
import { duration } from './progress-state.ts';

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
  /** What else is to be said, such as what was left out. */
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
