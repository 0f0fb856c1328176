import { ChosenColumns } from '../output/chosen-columns.ts';
import { parseCalendarDay } from '../json/calendar-day.ts';
import { UsageError } from '../errors.ts';
import { TABS_BETWEEN_CELLS } from '../output/formats.ts';
import type { ParquetType } from '../output/parquet/column-type.ts';

/*
 * How values of flags and settings are read. Each parser gets the name of the flag or setting for its messages, and returns a
 * function that returns a typed value, or throws a UsageError with the name, the value and what is allowed.
 */

function refuse(flag: string, value: string, allowed: string): never {
  throw new UsageError(`${flag} ${JSON.stringify(value)}: expected ${allowed}`);
}

/** A whole number from `least` to `most`. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  return (flag: string) =>
    (value: string): number => {
      const number = Number(value);
      if (/^\d+$/.test(value) && Number.isSafeInteger(number) && number >= least && number <= most)
        return number;
      const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
      return refuse(flag, value, `a whole number, ${range}`);
    };
}

/** A number of seconds, decimals allowed, as milliseconds. */
function seconds(least: number, most: number) {
  return (flag: string) =>
    (value: string): number => {
      const number = Number(value);
      if (/^\d+(\.\d+)?$/.test(value) && number >= least && number <= most) return number * 1000;
      return refuse(flag, value, `a number of seconds, ${least} to ${most}`);
    };
}

/** The words that a parse function accepts, or some of them. A shell offers them for completion. */
export interface Offering {
  readonly words: readonly string[];
}

/** One of some words, in any case. */
export function oneOf<const Word extends string>(words: readonly Word[]) {
  return (flag: string) => {
    const parse = (value: string): Word =>
      words.find((word) => word === value.toLowerCase()) ?? refuse(flag, value, words.join(', '));
    return Object.assign(parse, { words } satisfies Offering);
  };
}

/** One of the formats of a listing. */
export function formatWord<const Word extends string>(words: readonly Word[]) {
  return (flag: string) => {
    const read = oneOf(words)(flag);
    const parse = (value: string): Word => {
      if (value.toLowerCase() !== 'tsv') return read(value);
      throw new UsageError(`${flag} tsv: that is no format of folio`, { hint: TABS_BETWEEN_CELLS });
    };
    return Object.assign(parse, { words } satisfies Offering);
  };
}

/** Any text, some of which is known. */
export function textLike(words: readonly string[]) {
  return () => Object.assign((value: string): string => value, { words } satisfies Offering);
}

/** Milliseconds up to an hour: `300`, or `100-500` for the span between two. */
export function millisecondSpan(flag: string) {
  return (value: string): readonly [least: number, most: number] => {
    const form = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(value);
    const [least, most] = [Number(form?.[1]), Number(form?.[2] ?? form?.[1])];
    if (least <= most && most <= 3_600_000) return [least, most];
    return refuse(
      flag,
      value,
      'milliseconds, 0 to 3600000, as one number or two with a dash, such as 100-500',
    );
  };
}

/** A share of something, from none to all. */
export function share(flag: string) {
  return (value: string): number => {
    if (/^\d*\.?\d+$/.test(value) && Number(value) <= 1) return Number(value);
    return refuse(flag, value, 'a number from 0 to 1, such as 0.2');
  };
}

/** An option as it is typed: `--page-size` for `pageSize`. */
export function flagNamed(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** A comma-separated list of names, none empty or twice. */
export function nameList(flag: string) {
  return (value: string): readonly string[] => {
    const list = value.split(',').map((name) => name.trim());
    if (list.includes(''))
      return refuse(flag, value, 'names with commas between them, such as number,customer.name');
    const twice = list.find((name, at) => list.indexOf(name) !== at);
    if (twice !== undefined)
      return refuse(flag, value, `each name once, ${JSON.stringify(twice)} comes twice`);
    return list;
  };
}

/** The name of one column, given once. */
export function oneName(flag: string) {
  const read = nameList(flag);
  return (value: string, before?: string): string => {
    const names = [...(before === undefined ? [] : [before]), ...read(value)];
    const [name, another] = names;
    return another === undefined ? name! : refuse(flag, names.join(','), 'one column, such as payments');
  };
}

/** ChosenColumns, as `--columns` has them. */
export function columnList(flag: string) {
  return (value: string): ChosenColumns => ChosenColumns.parse(flag, value);
}

/** The type of a column of Parquet: `text`, `number(12,2)`. */
export function columnType(flag: string) {
  return (value: string): ParquetType => {
    const [, word, precision, scale] = /^([a-z]+)(?:\((\d{1,2}),(\d{1,2})\))?$/.exec(value) ?? [];
    const digits = Number(precision ?? 38);
    const decimals = Number(scale ?? 9);
    if (word === 'number' && digits >= 1 && digits <= 38 && decimals <= digits)
      return { kind: 'decimal', precision: digits, scale: decimals };
    if (word === 'integer' && precision === undefined) return { kind: 'whole' };
    const kind = PLAIN_TYPES.find((one) => one === word);
    if (kind !== undefined && precision === undefined) return { kind };
    return refuse(
      flag,
      value,
      `number, number(digits,decimals) with at most 38 digits, integer, ${PLAIN_TYPES.join(', ')}`,
    );
  };
}

const PLAIN_TYPES = ['text', 'boolean', 'date', 'timestamp', 'json'] as const;

/** `name=value`, collected over repeated flags. */
export function parameter(flag: string) {
  return (value: string, before: readonly (readonly [string, string])[] = []) => {
    const at = value.indexOf('=');
    if (at < 1) return refuse(flag, value, 'name=value, such as status=OVERDUE');
    return [...before, [value.slice(0, at), value.slice(at + 1)] as const];
  };
}

/** A day of the calendar, in days since 1970-01-01. */
export function day(flag: string) {
  return (value: string): number =>
    parseCalendarDay(/^\d{4}-\d{2}-\d{2}$/.test(value) ? value : '') ??
    refuse(flag, value, 'a day, such as 2026-10-31');
}

/** How long something may be ago. */
export interface Age {
  readonly milliseconds: number;
  /** As it was written: `26h`. */
  readonly text: string;
}

const MILLISECONDS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Minutes, hours, days or weeks: `90m`, `26h`, `2d`, `1w`. */
export function age(flag: string) {
  return (value: string): Age => {
    const [, count, unit = ''] = /^(\d{1,6})\s*([mhdw])$/i.exec(value.trim()) ?? [];
    const milliseconds = Number(count) * (MILLISECONDS[unit.toLowerCase()] ?? Number.NaN);
    if (milliseconds > 0) return { milliseconds, text: value.trim() };
    return refuse(flag, value, 'minutes, hours, days or weeks, such as 90m, 26h, 2d or 1w');
  };
}

/** The name of a file to write: any text that is not empty. */
export function target(flag: string) {
  return (value: string): string =>
    value === '' ? refuse(flag, value, 'a file, such as invoices.csv, or - for standard output') : value;
}

/** One character between the cells of a row. */
export function delimiter(flag: string) {
  return (value: string): string => {
    const character = value === '\\t' || value.toLowerCase() === 'tab' ? '\t' : value;
    const allowed =
      'one character that is no letter, digit, quote or line break, none of . - _, such as ";" or "\\t"';
    // Nobody could tell such a one from the names and numbers of a file.
    if (!/^[^\p{L}\p{N}_.\-"\r\n]$/u.test(character)) return refuse(flag, value, allowed);
    return character;
  };
}

/** A comma-separated list of endings of files, with or without their dots, in any case. */
export function endings(flag: string) {
  return (value: string): ReadonlySet<string> => {
    const list = value.split(',').map((ending) => ending.trim().replace(/^\./, '').toLowerCase());
    if (!list.every((ending) => /^[a-z0-9]{1,8}$/.test(ending)))
      refuse(flag, value, 'endings, such as pdf,xml');
    return new Set(list);
  };
}

/** The parsers of values for requests. */
export const requestParsers = {
  concurrency: wholeNumber(1, 64),
  retries: wholeNumber(0, 100),
  retryDelay: wholeNumber(0, 600_000),
  timeout: seconds(0.001, 3600),
} as const;

/** The values where neither a flag nor a setting gives one. */
export const requestDefaults: RequestLimits = {
  concurrency: 4,
  retries: 5,
  retryDelay: 500,
  timeout: 60_000,
};

/** How requests are sent: how many at a time and how often; times in ms. */
export type RequestLimits = Readonly<Record<keyof typeof requestParsers, number>>;
