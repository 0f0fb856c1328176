/**
 * A flag of the command line: how it is written, what the help says of it, how its value is read, and what it does not go with.
 * Where the flag is not given, it has no value.
 */
export interface Flag<Value> {
  /** `-o, --output <file>` */
  readonly syntax: string;
  readonly about: string;
  readonly rules: readonly Rule[];
  /** Another spelling, whose value counts as one of this flag: `--progress <how>` beside `--no-progress`. */
  readonly also?: Flag<Value>;
  /** No flag has this: it tells the compiler the type of the value. */
  readonly type?: Value;
  /**
   * Reads the text behind the flag, and where the flag is repeated gets what it returned before. A flag without it has any text
   * or words, true, or, for `--no-…`, false.
   */
  parse?(this: void, text: string, before?: Value): Value;
}

/** Flags by the names that their values have. Undefined stands for a flag that a command does not have. */
export type Flags = Readonly<Record<string, Flag<unknown> | undefined>>;

/** The values of flags, by their names. */
export type Values<Of extends Flags> = {
  readonly [Name in keyof Of]?: Of[Name] extends Flag<infer Value> | undefined ? Value | undefined : never;
};

/** What a flag does not go with, or needs. Flags are named as they are typed; `several profiles` is what either flag for them says. */
export interface Rule {
  readonly kind: 'not' | 'needs';
  /** None of these may be given beside it; or one of them must be. */
  readonly flags: readonly string[];
  /** Where one of these is given, the rule does not hold. */
  readonly unless?: readonly string[];
  /** Why; or what follows the flag in the message that it needs another one. */
  readonly why?: string | undefined;
  /** What to do, instead of leaving one of them out. */
  readonly hint?: string | undefined;
}

/** The rule that a flag goes with none of some others. */
export function not(
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

/** Makes what reads a value. The name, of a flag or of a setting, is for its messages. */
export type ParserOf<Value> = (name: string) => (text: string, before?: Value) => Value;

/** A flag with a value. */
export function valued<Value>(
  syntax: string,
  about: string,
  parser: ParserOf<Value>,
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

/** A flag with any text as its value. */
export const text = plain<string>();
/** A flag with several words after it: `--flag <word...>`. */
export const wordList = plain<readonly string[]>();
/** A flag without a value. */
export const yes = plain<true>();
/** A flag `--no-…`. */
export const no = plain<false>();

/** The values of these flags alone, of those that were given. */
export function valuesGiven<Of extends Flags>(
  values: Values<Of>,
  flags: Of,
): { readonly [Name in keyof Of]?: Exclude<Values<Of>[Name], undefined> } {
  const all = Object.keys(flags).map((name) => [name, values[name as keyof Of]] as const);
  return Object.fromEntries(all.filter(([, value]) => value !== undefined)) as never;
}

/** The same values, some with others in their place. */
export function withValues<Of extends object, Others extends object>(
  values: Of,
  others: Others,
): Omit<Of, keyof Others> & Others {
  return Object.assign(Object.create(values) as Of, others);
}

/** The same flags, each with a rule more. */
export function ruled<Of extends Flags>(flags: Of, rule: Rule): Of {
  return mapFlags(flags, (flag) => ({ ...flag, rules: [...flag.rules, rule] }));
}

function mapFlags<Of extends Flags>(flags: Of, change: (flag: Flag<unknown>) => Flag<unknown>): Of {
  const all = Object.entries(flags).map(([name, flag]) => [name, flag && change(flag)]);
  return Object.fromEntries(all) as Of;
}
