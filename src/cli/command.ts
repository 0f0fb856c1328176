import { Argument, Help, Option, type Command, type CommanderError } from 'commander';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import type { Resource } from '../resources/resource.ts';
import { parseValue } from '../run/flag.ts';
import type { Flag, Flags, Parsed, Rule, ValueOf, Values } from '../run/flag.ts';
import { globalFlags, type GlobalFlags } from '../run/flags.ts';
import { version } from '../version.ts';

/** The program, declared for a command line. Help that it prints goes to `writeOut`. */
export type ProgramFor = (
  context: Context,
  argv: readonly string[],
  writeOut?: (text: string) => void,
) => Promise<Command>;

/** A positional argument: how it is written (`<id>`, `[id]`, `[words...]`), and its text in the help. */
type ArgumentSpec = readonly [syntax: string, about: string, how?: Pick<Parsed, 'choices' | 'parse'>];

type ArgumentValues<Specs extends readonly ArgumentSpec[]> = {
  [Place in keyof Specs]: Specs[Place][2] extends Parsed
    ? ValueOf<Specs[Place][2]>
    : Specs[Place][0] extends `${string}...${string}`
      ? readonly string[]
      : Specs[Place][0] extends `[${string}`
        ? string | undefined
        : string;
};

export type Examples = readonly (readonly [commandLine: string, answer: string])[];

const declarations = new WeakMap<Command, Declaration>();

export function examplesOf(command: Command): Examples {
  return declarations.get(command)?.examples ?? [];
}

/** The listing of a command, under either of its names; undefined for any other command. */
export function resourceOf(command: Command): Resource | undefined {
  return declarations.get(command)?.resource;
}

const failedAt = new WeakMap<CommanderError, Command>();

/** The command at which the parser met an error. */
export function commandOf(error: CommanderError): Command {
  return failedAt.get(error)!;
}

/** The context of a command: the program, besides what is outside of it. */
export interface CommandContext extends Context {
  readonly program: Command;
  readonly programFor: ProgramFor;
}

export type CommandGroup = Readonly<Record<string, Declaration>>;

/** A command and its subcommands. A command that only groups others runs nothing. */
export interface Declaration {
  /** Stands beside its name in a list. */
  readonly summary?: string;
  readonly description: string;
  readonly examples?: Examples;
  readonly arguments?: readonly ArgumentSpec[];
  readonly flags?: Flags;
  readonly commands?: CommandGroup;
  /** The resource of a command that lists one. */
  readonly resource?: Resource;
  run?(this: void, context: CommandContext, flags: object, args: readonly unknown[]): Promise<void>;
}

/** A command. The compiler infers the types of what its `run` gets, which loads what it needs by `import()`. */
export function declareCommand<
  const Specs extends readonly ArgumentSpec[] = readonly [],
  const Own extends Flags = typeof globalFlags,
>(
  spec: Omit<Declaration, 'run'> & {
    readonly arguments?: Specs;
    readonly flags?: Own;
    readonly run: (
      context: CommandContext,
      flags: Values<Own> & GlobalFlags,
      args: ArgumentValues<Specs>,
    ) => Promise<void>;
  },
): Declaration {
  return spec;
}

/** Declares a command and its subcommands to the parser. Lists leave out hidden ones. */
export function addCommand(
  parent: Command,
  context: CommandContext,
  { name, declaration, hidden = false }: { name: string; declaration: Declaration; hidden?: boolean },
): void {
  const { summary, flags = {}, arguments: specs = [], run, commands = {} } = declaration;
  const added = describeCommand(parent.command(name, { hidden }), declaration);
  if (summary !== undefined) added.summary(summary);
  // First, so that the help begins with the group that it is of.
  added.version(version, '-V, --version').options.at(-1)?.hideHelp();
  addFlags(added, flags);
  for (const [syntax, about, how = {}] of specs)
    added.addArgument(declared(new Argument(syntax, about), how, name));
  if (run === undefined) added.helpCommand('help [command]', 'help on a command');
  // The parser passes the arguments in order, then its own view of the flags.
  else
    added.action((...received: unknown[]) => {
      const { values, narrowedBy } = readFlags(added, context.onFlagRead);
      return run({ ...context, narrowedBy }, values, received.slice(0, specs.length));
    });
  for (const [under, one] of Object.entries(commands))
    addCommand(added, context, { name: under, declaration: one });
}

/** Has the help of a command say what it does, with examples of it, and its errors which command it is. */
export function describeCommand(command: Command, declaration: Declaration): Command {
  declarations.set(command, declaration);
  return command
    .description(declaration.description)
    .optionsGroup('Flags:')
    .enablePositionalOptions()
    .exitOverride((error) => {
      failedAt.set(error, command);
      throw error;
    });
}

/** An option or argument of the parser, and how its text is read: completion and a test of the rules look there. */
function declared<Of extends Option | Argument, How extends Parsed>(of: Of, how: How, name: string) {
  if (how.parse ?? how.choices ?? how.range)
    of.argParser((text: string, before: unknown) => parseValue(how, text, name, before));
  return Object.assign(of, { how });
}

/** An option and the flag that it is made of; `key` is the name of its value, `texts` what was typed for it. */
export type FlagOption = Option & {
  readonly how: Flag;
  readonly key: string;
  readonly texts: readonly (string | undefined)[];
  /** Whether the help shows it in the first group, in one line. */
  readonly isDaily: boolean;
};

/** A command with so few flags shows them alike. */
const FEW = 12;

/** The flags of every command, and --token, which is declared only so that the refusal does not print its value. */
const everywhere: Flags = {
  ...globalFlags,
  token: {
    syntax: '--token <token>',
    about: '',
    parse: () => {
      throw new UsageError(
        'there is no --token flag: a token on a command line is in the process list and the history',
        {
          hint: 'Set FOLIO_TOKEN, pass --token-file <file>, or store the token once with `folio auth login`.',
        },
      );
    },
  },
};

/** Declares the flags that the help of a command shows, and those of every command, if it has no other of that name. */
export function addFlags(command: Command, shown: Flags): void {
  const hasMore = Object.keys(shown).length > FEW;
  for (const [key, flag] of Object.entries({ ...shown, ...everywhere, ...shown })) {
    if (flag === undefined) continue;
    const option = new Option(flag.syntax, flag.about).hideHelp(!(key in shown));
    const texts: (string | undefined)[] = [];
    const isDaily = hasMore && flag.daily === true;
    if (hasMore && !isDaily) option.helpGroup('More:');
    command.addOption(Object.assign(declared(option, flag, option.long!), { key, texts, isDaily }));
    command.on(`option:${option.name()}`, (text?: string) => texts.push(text));
  }
}

type TypedFlag = readonly [option: FlagOption, value: unknown, texts: FlagOption['texts']];

/**
 * The flags on the command line with their values, also those before the name of the command, as in `funds --limit 5 list`.
 * Throws UsageError for a flag that would be ignored: in `folio issued --strict download invoices` the parser gives --strict to
 * `issued`, which does not run, and `download` has no such flag; in `issued --where a=1 list --where b=2` each has a list.
 */
function typedFlags(command: Command): ReadonlyMap<string, TypedFlag> {
  const typed = new Map<string, TypedFlag>();
  for (let at: Command | null = command; at !== null; at = at.parent)
    for (const option of at.options as FlagOption[]) {
      const long = option.long!;
      const name = option.attributeName();
      const value: unknown = at.getOptionValue(name);
      // The parser treats `--no-progress` and `--progress <how>` as one flag: the last one counts.
      if (at.getOptionValueSource(name) !== 'cli' || (value === false) !== option.negate) continue;
      const own = (command.options as FlagOption[]).find((one) => one.long === long);
      if (own === undefined) {
        const path = commandPath(command);
        throw new UsageError(`${long} is not a flag of ${path}`, {
          hint: `Leave it out. See ${path} --help for what there is.`,
        });
      }
      if (typed.has(long) && typed.get(long)![1] !== value) {
        throw new UsageError(`${long} stands before and behind the name of a command, with two values`, {
          hint: `Write all of it behind ${commandPath(command)}.`,
        });
      }
      typed.set(long, [own, value, option.texts]);
    }
  return typed;
}

/**
 * The values of the flags on the command line, by their names, and `narrowedBy` of the context. Throws UsageError for flags that
 * do not go together. `onRead` is called when a value is read, also by a spread; `withValues` copies values without reading them.
 */
function readFlags(command: Command, onRead: Context['onFlagRead']) {
  const typed = typedFlags(command);
  const [, profile] = typed.get('--profile') ?? [];
  const several = typeof profile === 'string' && profile.includes(',');
  if (several && !hasFlag(command, '--all-profiles')) {
    throw new UsageError(`--profile ${profile}: this command asks one organization`, {
      hint: 'Name one. Several go with the commands that have --all-profiles, such as the listings.',
    });
  }
  const isTyped = (flag: string): boolean =>
    flag === 'several profiles' ? several || typed.has('--all-profiles') : typed.has(flag);
  const values = {};
  const inputs: string[] = [];
  const narrowedBy: (readonly [string, string | undefined])[] = [];
  for (const [long, [{ how, key }, value, texts]] of typed) {
    for (const rule of how.rules ?? []) checkRule(long, rule, isTyped);
    if (how.stdin !== undefined && [value].flat().includes(how.stdin)) inputs.push(`${long} ${how.stdin}`);
    // A list has all values that were typed; any other flag has the last one.
    const counting = Array.isArray(value) ? texts : texts.slice(-1);
    if (how.narrows) narrowedBy.push(...counting.map((text) => [long, text] as const));
    const get = () => (onRead?.(long), value);
    Object.defineProperty(values, key, { get, enumerable: true, configurable: true });
  }
  if (inputs.length > 1) {
    throw new UsageError(`${inputs[0]} and ${inputs[1]} both read standard input`, {
      hint: 'Put one of them into a file.',
    });
  }
  return { values, narrowedBy };
}

function checkRule(flag: string, rule: Rule, isTyped: (flag: string) => boolean): void {
  const { not, needs, unless, why, hint } = rule;
  if (unless?.some(isTyped)) return;
  if (needs?.some(isTyped) === false)
    throw new UsageError(`${flag} ${why}`, { hint: hint ?? `Add ${needs[0]}, or leave ${flag} out.` });
  const other = not?.find(isTyped);
  if (other === undefined) return;
  const because = why === undefined ? '' : `: ${why}`;
  throw new UsageError(`${flag} and ${other} do not go together${because}`, {
    hint: hint ?? 'Leave one of them out.',
  });
}

/** Whether a command has a flag of this name: `--period`. */
export function hasFlag(command: Command, flag: string): boolean {
  return command.options.some(({ long }) => long === flag);
}

export function shownUnder(command: Command): Command[] {
  return command.createHelp().visibleCommands(command);
}

/** A command and its arguments, as they are written: `completion <shell>`. */
export function termOf(name: string, command: Command): string {
  const term = new Help().subcommandTerm(command).slice(command.name().length);
  return name + term.replace(' [options]', '');
}

/** The names on the way to a command: `folio issued download`. */
export function commandPath(command: Command): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`;
}
