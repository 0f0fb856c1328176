import { UsageError } from '../errors.ts';
import { parseCalendarDay } from '../json/calendar-day.ts';
import { ChosenColumns } from '../output/chosen-columns.ts';
import { TABS_BETWEEN_CELLS } from '../output/formats.ts';
import type { ParquetType } from '../output/parquet/stored-column.ts';

/** A flag of the command line: its spelling, its help, the parser of its value, and what it does not go with. */
export interface Flag<Value> {
  /** `-o, --output <file>` */
  readonly syntax: string;
  readonly about: string;
  readonly rules: readonly Rule[];
  /** Never set: it tells the compiler the type of the value. */
  readonly type?: Value;
  /** Reads the text; `before`: its last result for a repeated flag. Without this the value is the text, the words or a boolean. */
  parse?(this: void, text: string, before?: Value): Value;
}

/** Flags by the names that their values have. Undefined stands for a flag that a command does not have. */
export type Flags = Readonly<Record<string, Flag<unknown> | undefined>>;

/** The values of flags, by their names; a flag that is not set has none. */
export type Values<Of extends Flags> = {
  readonly [Name in keyof Of]?: Of[Name] extends Flag<infer Value> | undefined ? Value | undefined : never;
};

/** What a flag does not go with, or needs. Flags are named as they are typed; `several profiles` is set by either flag for them. */
export interface Rule {
  readonly kind: 'not' | 'needs';
  /** None of these may be set beside it; or one of them must be. */
  readonly flags: readonly string[];
  /** Where one of these is set, the rule does not hold. */
  readonly unless?: readonly string[];
  /** The reason; or what follows the flag in the message that it needs another one. */
  readonly why?: string | undefined;
  /** What to do, instead of leaving one of them out. */
  readonly hint?: string | undefined;
}

/** The rule that a flag goes with none of some others. */
export function excludes(
  flags: readonly string[],
  why?: string,
  { hint, unless = [] }: Pick<Rule, 'hint' | 'unless'> = {},
): Rule {
  return { kind: 'not', flags, why, hint, unless };
}

/** The rule that a flag needs one of some others. */
export function needs(flags: readonly string[], why: string, hint?: string): Rule {
  return { kind: 'needs', flags, why, hint };
}

/** A flag with a value. `parser` makes its parse function; it gets the name of the flag or setting for messages. */
export function valued<Value>(
  syntax: string,
  about: string,
  parser: (name: string) => (text: string, before?: Value) => Value,
  ...rules: readonly Rule[]
): Flag<Value> {
  return { syntax, about, parse: parser(/--[a-z-]+/.exec(syntax)?.[0] ?? ''), rules };
}

function plain<Value>() {
  return (syntax: string, about: string, ...rules: readonly Rule[]): Flag<Value> => ({
    syntax,
    about,
    rules,
  });
}

export const text = plain<string>();
/** A flag with several words after it: `--flag <word...>`. */
export const wordList = plain<readonly string[]>();
/** A flag without a value. */
export const bareFlag = plain<true>();
export const negatedFlag = plain<false>();

/** The values of these flags alone, of those that are set. */
export function valuesGiven<Of extends Flags>(
  values: Values<Of>,
  flags: Of,
): { readonly [Name in keyof Of]?: Exclude<Values<Of>[Name], undefined> } {
  const all = Object.keys(flags).map((name) => [name, values[name as keyof Of]] as const);
  return Object.fromEntries(all.filter(([, value]) => value !== undefined)) as never;
}

/** The same values, some replaced. Members are copied without being read: reading counts, see `onFlagRead` of the context. */
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
    flag && { ...flag, rules: [...flag.rules, rule] },
  ]);
  return Object.fromEntries(all) as Of;
}

/** A flag as it is typed: `--page-size` for `pageSize`. */
export function flagNamed(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/*
 * Parsers of flags and settings. Each takes the name of the flag or setting, for its messages, and returns a function that
 * returns a typed value, or throws a UsageError with the name, the value and what is allowed.
 */

function refuse(flag: string, value: string, allowed: string): never {
  throw new UsageError(`${flag} ${JSON.stringify(value)}: expected ${allowed}`);
}

/** Makes a parser: `read` returns undefined for what is not allowed, `allowed` names for the message what is. */
export function parser<Value>(read: (text: string) => Value | undefined, allowed: string) {
  return (flag: string) =>
    (text: string): Value =>
      read(text) ?? refuse(flag, text, allowed);
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

export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER) {
  const range = most === Number.MAX_SAFE_INTEGER ? `${least} or more` : `${least} to ${most}`;
  return parser((text) => numberIn(text, /^\d+$/, [least, most]), `a whole number, ${range}`);
}

/** The words that a parse function accepts, or some of them. A shell offers them for completion. */
export interface Offering {
  readonly words: readonly string[];
}

/** One of some words, in any case. */
export function oneOf<const Word extends string>(words: readonly Word[]) {
  return (flag: string) => {
    const parse = (value: string): Word => {
      const typed = value.toLowerCase();
      if (typed === 'tsv' && words.some((word) => word === 'csv'))
        throw new UsageError(`${flag} tsv: that is no format of folio`, { hint: TABS_BETWEEN_CELLS });
      if (typed === 'excel' && words.some((word) => word === 'xlsx'))
        throw new UsageError(`${flag} excel: that is no format of folio`, {
          hint: `A workbook is ${flag} xlsx; --excel is for csv that a spreadsheet reads.`,
        });
      return words.find((word) => word === typed) ?? refuse(flag, value, words.join(', '));
    };
    return Object.assign(parse, { words } satisfies Offering);
  };
}

/** Any text, some of which is known. */
export function textLike(words: readonly string[]) {
  return () => Object.assign((value: string): string => value, { words } satisfies Offering);
}

/** A comma-separated list of names, none empty or twice; of a repeated flag all its lists as one. */
export function nameList(flag: string) {
  return (value: string, before: readonly string[] = []): readonly string[] => {
    const list = [...before, ...value.split(',').map((name) => name.trim())];
    if (list.includes(''))
      return refuse(flag, value, 'names with commas between them, such as number,customer.name');
    const twice = list.find((name, at) => list.indexOf(name) !== at);
    if (twice !== undefined)
      return refuse(flag, list.join(','), `each name once, ${JSON.stringify(twice)} comes twice`);
    return list;
  };
}

export function oneName(flag: string) {
  const read = nameList(flag);
  return (value: string, before?: string): string => {
    const names = [...(before === undefined ? [] : [before]), ...read(value)];
    return names.length === 1 ? names[0]! : refuse(flag, names.join(','), 'one column, such as payments');
  };
}

export function columnList(flag: string) {
  return (value: string): ChosenColumns => ChosenColumns.parse(flag, value);
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
export function parameter(flag: string) {
  return (value: string, before: readonly (readonly [string, string])[] = []): typeof before => {
    const at = value.indexOf('=');
    if (at < 1) return refuse(flag, value, 'name=value, such as status=OVERDUE');
    return [...before, [value.slice(0, at), value.slice(at + 1)] as const];
  };
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

/** One character between the cells of a row. Nobody could tell a letter, digit or sign of a number from the cells of a file. */
export const delimiter = parser((text) => {
  const character = text === '\\t' || text.toLowerCase() === 'tab' ? '\t' : text;
  return /^[^\p{L}\p{N}_.\-"\r\n]$/u.test(character) ? character : undefined;
}, 'one character that is no letter, digit, quote or line break, none of . - _, such as ";" or "\\t"');

/** The parsers of how requests are sent: how many at a time and how often. `timeout` is written in seconds and read as milliseconds. */
export const requestParsers = {
  concurrency: wholeNumber(1, 64),
  retries: wholeNumber(0, 100),
  retryDelay: wholeNumber(0, 600_000),
  timeout: parser((text) => {
    const seconds = numberIn(text, /^\d+(\.\d+)?$/, [0.001, 3600]);
    return seconds === undefined ? undefined : seconds * 1000;
  }, 'a number of seconds, 0.001 to 3600'),
} as const;

/** The values where neither a flag nor a setting has another. */
export const requestDefaults: RequestLimits = {
  concurrency: 4,
  retries: 5,
  retryDelay: 500,
  timeout: 60_000,
};

/** Times are in ms. */
export type RequestLimits = Readonly<Record<keyof typeof requestParsers, number>>;
