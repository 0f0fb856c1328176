import { UsageError } from '../errors.ts';
import { parseCalendarDay } from '../json/calendar-day.ts';
import { ChosenColumns } from '../output/chosen-columns.ts';
import type { ParquetType } from '../output/parquet/stored-column.ts';

/** How the text of a flag, a setting or an argument is parsed: by one of these members. Without any, the value is the text. */
export interface Parsed<Value = unknown> {
  /** The allowed words, in any case. Completion offers them. */
  readonly choices?: readonly string[];
  /** The hint for a word that is not allowed. */
  readonly hint?: (word: string) => string | undefined;
  /** It is a whole number, from the first to the second; without a second, of any size. */
  readonly range?: readonly [least: number, most?: number];
  /**
   * Reads the text. `name` is that of the flag or setting, for messages; `before` the last value of a repeated flag. Throws
   * UsageError with the name, the text and what is allowed.
   */
  parse?(this: void, text: string, name: string, before?: Value): Value;
}

/** A flag of the command line: its spelling, its help, how its value is read, and what it does not go with. */
export interface Flag extends Parsed {
  /** `-o, --output <file>`; a flag without a value is `--excel` or, where it takes something away, `--no-header`. */
  readonly syntax: string;
  readonly about: string;
  readonly rules?: readonly Rule[];
  /** Whether the flag leaves out records, so that an export with it is only a part of the listing. */
  readonly narrows?: true;
  /** Whether most people need it on most days: the help has the others below it. */
  readonly daily?: true;
  /** The value that stands for standard input: `@-`. */
  readonly stdin?: string;
}

/** Flags by the names of their values. Undefined: the command does not have the flag. */
export type Flags = Readonly<Record<string, Flag | undefined>>;

/** The values of flags, by their names; a flag that is not set has none. */
export type Values<Of extends Flags> = { readonly [Name in keyof Of]?: ValueOf<Of[Name]> | undefined };

export type ValueOf<One> = One extends { readonly parse: (...args: never[]) => infer Value }
  ? Value
  : One extends { readonly choices: readonly (infer Word)[] }
    ? Word
    : One extends { readonly range: unknown }
      ? number
      : One extends { readonly syntax: infer Syntax }
        ? Syntax extends `--no-${string}`
          ? false
          : Syntax extends `${string}...${string}`
            ? readonly string[]
            : Syntax extends `${string}<${string}`
              ? string
              : true
        : never;

/** What a flag excludes, or needs. Flags are named as typed; `several profiles` is set by either flag for them. */
export interface Rule {
  /** None of these may be set beside it. */
  readonly not?: readonly string[];
  /** One of these must be set beside it. */
  readonly needs?: readonly string[];
  /** Where one of these is set, the rule does not hold. */
  readonly unless?: readonly string[];
  /** The reason. For `needs`: the message after the name of the flag. */
  readonly why?: string;
  /** The hint, instead of `Leave one of them out.` */
  readonly hint?: string;
}

/** Copies the values and replaces some. Copies getters without calling them, since `onFlagRead` counts each read. */
export function withValues<Of extends object, Others extends object>(
  values: Of,
  others: Others,
): Omit<Of, keyof Others> & Others {
  const copied = Object.getOwnPropertyDescriptors(values);
  return Object.defineProperties({}, { ...copied, ...Object.getOwnPropertyDescriptors(others) }) as never;
}

/** The same flags, each with one more rule. */
export function ruled<Of extends Flags>(flags: Of, rule: Rule): Of {
  const all = Object.entries(flags).map(([name, flag]) => [
    name,
    flag && { ...flag, rules: [...(flag.rules ?? []), rule] },
  ]);
  return Object.fromEntries(all) as Of;
}

/** A flag as it is typed: `--page-size` for `pageSize`. */
export function flagNamed(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The syntax of each flag that leaves records of a listing out. */
export function narrowing(flags: Flags): string[] {
  return Object.values(flags).flatMap((flag) => (flag?.narrows ? flag.syntax : []));
}

/** Reads the value of a flag, a setting or an argument. Throws UsageError with its name, its text and what is allowed. */
export function parseValue(
  { choices, hint, range, parse }: Parsed,
  text: string,
  name: string,
  before?: unknown,
): unknown {
  if (parse !== undefined) return parse(text, name, before);
  if (choices !== undefined) {
    const typed = text.toLowerCase();
    return choices.find((word) => word === typed) ?? refuse(name, text, choices.join(', '), hint?.(typed));
  }
  if (range === undefined) return text;
  const [least, most = Number.MAX_SAFE_INTEGER] = range;
  const allowed = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
  return numberIn(text, /^\d+$/, [least, most]) ?? refuse(name, text, `a whole number, ${allowed}`);
}

function refuse(name: string, text: string, allowed: string, hint?: string): never {
  throw new UsageError(`${name} ${JSON.stringify(text)}: expected ${allowed}`, { hint });
}

/** Makes a parse function. `read` returns undefined for a wrong value; `allowed` describes the allowed values in the message. */
export function parser<Value>(read: (text: string) => Value | undefined, allowed: string) {
  return (text: string, name: string): Value => read(text) ?? refuse(name, text, allowed);
}

/** A number of this form and within this range, else undefined. */
export function numberIn(
  text: string,
  form: RegExp,
  [least, most]: readonly [number, number],
): number | undefined {
  const number = form.test(text) ? Number(text) : Number.NaN;
  return number >= least && number <= most ? number : undefined;
}

/** A comma-separated list of names, none of them empty or repeated. The lists of a repeated flag are joined. */
export function nameList(text: string, flag: string, before: readonly string[] = []): readonly string[] {
  const list = [...before, ...text.split(',').map((name) => name.trim())];
  if (list.includes(''))
    return refuse(flag, text, 'names with commas between them, such as number,customer.name');
  const twice = list.find((name, at) => list.indexOf(name) !== at);
  if (twice === undefined) return list;
  return refuse(flag, list.join(','), `each name once, ${JSON.stringify(twice)} comes twice`);
}

export function oneName(text: string, flag: string, before?: string): string {
  const names = [...(before === undefined ? [] : [before]), ...nameList(text, flag)];
  return names.length === 1 ? names[0]! : refuse(flag, names.join(','), 'one column, such as payments');
}

export function columnList(text: string, flag: string, before?: ChosenColumns): ChosenColumns {
  return ChosenColumns.parse(flag, text, before);
}

const PLAIN_TYPES = ['text', 'boolean', 'date', 'timestamp', 'json'] as const;

/** The type of a column of Parquet: `text`, `number(12,2)`. */
export const columnType = parser(
  (text): ParquetType | undefined => {
    const [, word, digits, decimals] = /^([a-z]+)(?:\((\d{1,2}),(\d{1,2})\))?$/.exec(text) ?? [];
    const [precision, scale] = [Number(digits ?? 38), Number(decimals ?? 9)];
    const isDecimal = precision >= 1 && precision <= 38 && scale <= precision;
    if (word === 'number') return isDecimal ? { kind: 'decimal', precision, scale } : undefined;
    if (digits !== undefined) return undefined;
    if (word === 'integer') return { kind: 'whole' };
    const kind = PLAIN_TYPES.find((one) => one === word);
    return kind && { kind };
  },
  `number, number(digits,decimals) with at most 38 digits, integer, ${PLAIN_TYPES.join(', ')}`,
);

/** `name=value`, collected over repeated flags. */
export function parameter(
  text: string,
  flag: string,
  before: readonly (readonly [name: string, value: string])[] = [],
): typeof before {
  const at = text.indexOf('=');
  if (at < 1) return refuse(flag, text, 'name=value, such as status=OVERDUE');
  return [...before, [text.slice(0, at), text.slice(at + 1)]];
}

/** A day of the calendar, in days since 1970-01-01. */
export const day = parser(
  (text) => parseCalendarDay(/^\d{4}-\d{2}-\d{2}$/.test(text) ? text : ''),
  'a day, such as 2026-10-31',
);

/** The name of a file to write: any text that is not empty. */
export const target = parser(
  (text) => (text === '' ? undefined : text),
  'a file, such as invoices.csv, or - for standard output',
);

/** The character between the cells of a row. Letters, digits and signs of numbers are refused, since cells contain them. */
export const delimiter = parser((text) => {
  const character = text === '\\t' || text.toLowerCase() === 'tab' ? '\t' : text;
  return /^[^\p{L}\p{N}_.\-"\r\n]$/u.test(character) ? character : undefined;
}, 'one character that is not a letter, digit, quote or line break, none of . - _, such as ";" or "\\t"');

/** Seconds, as milliseconds. */
export const timeout = parser((text) => {
  const seconds = numberIn(text, /^\d+(\.\d+)?$/, [0.001, 3600]);
  return seconds === undefined ? undefined : seconds * 1000;
}, 'a number of seconds, 0.001 to 3600');
