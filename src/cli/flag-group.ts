import { Option, type Command } from 'commander';

/** A flag with a `Value`: how it is written, and what the help says of it. Without the flag there is no value. */
export interface Flag<Value> {
  /** More than one where a value has several spellings, such as `--progress plain` and `--no-progress`. */
  readonly options: readonly Option[];
  /** Makes the value from what the parser kept. */
  readonly valueOf: (kept: unknown) => Value;
}

/** Flags with one heading in the help, whose values one function reads. */
export interface FlagGroup<Values> {
  readonly options: readonly Option[];
  /** The values of the flags that were given. A flag that was not given has no member, unless it has a default. */
  readonly read: (command: Command) => Values;
}

/** Exactly one flag for each member of the type that the group's reader takes. */
type FlagsFor<Values> = {
  readonly [Name in keyof Values]-?: Flag<Values[Name]> | NoFlag<Values, Name>;
};

/** What stands for the flag of a member that may be missing. */
type NoFlag<Values, Name extends keyof Values> =
  Partial<Pick<Values, Name>> extends Pick<Values, Name> ? undefined : never;

/**
 * Declares a group. `Values` is the type that its reader takes, so that a flag which nothing reads does not compile.
 *
 * @param title the heading in the help; undefined for the usual one, of a command's own flags
 * @param flags a flag for each member; undefined for a flag that this command does not have
 */
export function flagGroup<Values extends object>(
  title: string | undefined,
  flags: FlagsFor<Values>,
): FlagGroup<Values> {
  const given = Object.entries<Flag<unknown> | undefined>(flags).flatMap(([name, flag]) =>
    flag === undefined ? [] : [{ name, flag }],
  );
  const options = given.flatMap(({ flag }) => flag.options);
  if (title !== undefined) {
    for (const option of options) {
      // The heading belongs to the option itself: in a group with another one, it would move there from this one.
      if ((option.helpGroupHeading ?? title) !== title)
        throw new TypeError(`${option.flags} has two headings`);
      option.helpGroup(title);
    }
  }
  return {
    options,
    read: (command) => {
      const values: Record<string, unknown> = {};
      for (const { name, flag } of given) {
        const kept = keptValue(command, flag.options[0]!.attributeName());
        if (kept !== undefined) values[name] = flag.valueOf(kept);
      }
      // Each member was declared by a flag of its type: `FlagsFor` has seen to it.
      return values as Values;
    },
  };
}

/** A flag with a value, which `parse` reads. Where the flag is repeated, `parse` also gets what it returned before. */
export function valued<Value>(
  syntax: string,
  about: string,
  parse: (text: string, before?: Value) => Value,
): Flag<Value> {
  return flagOf([new SharedOption(syntax, about).argParser(parse)]);
}

/** A flag with several words after it: `--flag <word...>`. */
export function wordList(syntax: string, about: string): Flag<readonly string[]> {
  return flagOf([new SharedOption(syntax, about)]);
}

/** A flag with any text as its value. */
export function text(syntax: string, about: string): Flag<string> {
  return flagOf([new SharedOption(syntax, about)]);
}

/** A flag without a value: true where it is given. */
export function yes(syntax: string, about: string): Flag<boolean> {
  return flagOf([new SharedOption(syntax, about)]);
}

/** A flag `--no-…`: false where it is given, else true. */
export function no(syntax: string, about: string): Flag<boolean> {
  return flagOf([new SharedOption(syntax, about)]);
}

/** One value for two flags of the same name, such as `--progress plain` and `--no-progress`. */
export function either<One, Other>(one: Flag<One>, other: Flag<Other>): Flag<One | Other> {
  return flagOf([...one.options, ...other.options]);
}

/** An option that computes its names once. Most options are declared on many commands, and each of them asks for the names. */
export class SharedOption extends Option {
  #name: string | undefined;
  #attributeName: string | undefined;

  override name(): string {
    return (this.#name ??= super.name());
  }

  override attributeName(): string {
    return (this.#attributeName ??= super.attributeName());
  }
}

function flagOf<Value>(options: readonly Option[]): Flag<Value> {
  // The parser keeps what the flag's own parse function returned, or a text or a truth value where it has none.
  return { options, valueOf: (kept) => kept as Value };
}

/**
 * The value of a flag, from the command itself or from one above it, such as `funds` above `funds list`. A given value goes
 * before a default, and the nearest command before those above it.
 */
function keptValue(command: Command, name: string): unknown {
  let standard: unknown;
  for (let at: Command | null = command; at !== null; at = at.parent) {
    const value: unknown = at.getOptionValue(name);
    if (value === undefined) continue;
    if (at.getOptionValueSource(name) !== 'default') return value;
    standard ??= value;
  }
  return standard;
}
