import { Argument, Option, type Command, type CommanderError } from 'commander';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { resources } from '../resources/index.ts';
import type { Resource } from '../resources/resource.ts';
import { parseValue, type Flag, type Flags, type Parsed, type Rule, type Values } from '../run/flag.ts';
import { globalFlags, type GlobalFlags } from '../run/flags.ts';
import { version } from '../version.ts';

/** The program, declared for a command line. Help that it prints goes to `writeOut`. */
export type ProgramFor = (
  context: Context,
  argv: readonly string[],
  writeOut?: (text: string) => void,
) => Promise<Command>;

/** A positional argument: how it is written (`<id>`, `[id]`, `[words...]`), and its text in the help. */
type ArgumentSpec = readonly [syntax: string, about: string, how?: Pick<Parsed, 'words' | 'parse'>];

type ArgumentValues<Specs extends readonly ArgumentSpec[]> = {
  [Place in keyof Specs]: Specs[Place][2] extends { readonly words: readonly (infer Word)[] }
    ? Word
    : Specs[Place][0] extends `${string}...${string}`
      ? readonly string[]
      : Specs[Place][0] extends `[${string}`
        ? string | undefined
        : string;
};

export type Examples = readonly (readonly [commandLine: string, answer: string])[];

const examples = new WeakMap<Command, Examples>();

export function examplesOf(command: Command): Examples {
  return examples.get(command) ?? [];
}

const parsed = new WeakMap<CommanderError, Command>();

/** The command at which the parser met an error. */
export function commandOf(error: CommanderError): Command {
  return parsed.get(error)!;
}

/** What a command gets of the program, besides the world outside. */
export interface CommandContext extends Context {
  readonly program: Command;
  readonly programFor: ProgramFor;
}

export type CommandGroup = Readonly<Record<string, Declaration>>;

/** A command, and those under it. One that only groups others runs nothing. */
export interface Declaration {
  /** Stands beside its name in a list. */
  readonly summary?: string;
  readonly description: string;
  readonly examples?: Examples;
  readonly arguments?: readonly ArgumentSpec[];
  readonly flags?: Flags;
  readonly commands?: CommandGroup;
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

/** Declares a command to the parser, and those under it. No list shows one that is hidden. */
export function addCommand(
  parent: Command,
  context: CommandContext,
  { name, declaration, hidden = false }: { name: string; declaration: Declaration; hidden?: boolean },
): void {
  const { summary, flags = {}, arguments: specs = [], run, commands = {} } = declaration;
  const added = setHelp(parent.command(name, { hidden }), declaration);
  if (summary !== undefined) added.summary(summary);
  for (const option of optionsOf(flags)) added.addOption(option);
  // The flags of every command may stand anywhere on the command line. It may have one of its own with the same name.
  for (const option of repeatedOptions) if (!hasFlag(added, option.long!)) added.addOption(option);
  added.version(version, '--version').options.at(-1)?.hideHelp();
  for (const [syntax, about, how = {}] of specs)
    added.addArgument(declared(new Argument(syntax, about), how, name));
  if (run === undefined) added.helpCommand('help [command]', 'help on a command');
  else
    added.action(async (...received: unknown[]) => {
      refuseFlagsOfOthers(added);
      const typed = readFlags(added);
      // The parser passes the arguments in order, then its own view of the flags.
      await run(context, valuesOf(typed, context.onFlagRead), received.slice(0, specs.length));
    });
  for (const [under, one] of Object.entries(commands))
    addCommand(added, context, { name: under, declaration: one });
}

/** An option or argument of the parser, and how its text is read: completion and a test of the rules look there. */
function declared<Of extends Option | Argument, How extends Parsed>(of: Of, how: How, name: string) {
  if (how.parse ?? how.words ?? how.range)
    of.argParser((text: string, before: unknown) => parseValue(how, text, name, before));
  return Object.assign(of, { how });
}

/** An option and the flag that it is made of; `key` is the name of its value. */
export type FlagOption = Option & { readonly how: Flag; readonly key: string };

function optionsOf(flags: Flags): readonly FlagOption[] {
  const all: FlagOption[] = [];
  for (const [key, flag] of Object.entries(flags)) {
    if (flag === undefined) continue;
    const option = new Option(flag.syntax, flag.about);
    all.push(Object.assign(declared(option, flag, option.long!), { key }));
  }
  return all;
}

/** A flag that exists only to be refused. The error explains how to give a token, and never shows the value. */
const refusedToken = new Option('--token <token>').hideHelp().argParser(() => {
  throw new UsageError(
    'there is no --token flag: a token on a command line is in the process list and the history',
    { hint: 'Set FOLIO_TOKEN, pass --token-file <file>, or store the token once with `folio auth login`.' },
  );
});

/** The flags of every command, as the program has them. */
export const globalOptions: readonly Option[] = [...optionsOf(globalFlags), refusedToken];

const repeatedOptions: readonly Option[] = [...optionsOf(globalFlags), refusedToken];
for (const option of repeatedOptions) option.hideHelp();

interface TypedFlag {
  readonly option: FlagOption;
  readonly value: unknown;
}

/** The flags on the command line. Throws UsageError for those that do not go together. */
function readFlags(command: Command): readonly TypedFlag[] {
  const typed: TypedFlag[] = [];
  for (const option of command.options as readonly FlagOption[]) {
    const value = option.how && valueTyped(command, option.attributeName());
    // `--no-progress` and `--progress <how>` are one to the parser: what was typed last.
    if (value !== undefined && (value === false) === option.negate) typed.push({ option, value });
  }
  const { profile, allProfiles } = valuesOf(typed, undefined);
  const several = typeof profile === 'string' && profile.includes(',');
  if (several && !hasFlag(command, '--all-profiles')) {
    throw new UsageError(`--profile ${profile}: this command asks one organization`, {
      hint: 'Name one. Several go with the commands that have --all-profiles, such as the listings.',
    });
  }
  const isTyped = (flag: string): boolean =>
    flag === 'several profiles'
      ? several || allProfiles === true
      : typed.some(({ option }) => option.long === flag);
  for (const { option } of typed)
    for (const rule of option.how.rules ?? [])
      if (rule.unless?.some(isTyped) !== true) checkRule(option.long!, rule, isTyped);
  const [input, other] = typed.flatMap(({ option: { long, how }, value }) =>
    how.stdin !== undefined && [value].flat().includes(how.stdin) ? `${long} ${how.stdin}` : [],
  );
  if (other !== undefined) {
    throw new UsageError(`${input} and ${other} both read standard input`, {
      hint: 'Put one of them into a file.',
    });
  }
  return typed;
}

/** The value of a flag of the command, or, as in `funds --limit 5 list`, of a command above it. The nearest one counts. */
function valueTyped(command: Command, attribute: string): unknown {
  for (let at: Command | null = command; at !== null; at = at.parent)
    if (at.getOptionValueSource(attribute) === 'cli') return at.getOptionValue(attribute);
  return undefined;
}

function checkRule(flag: string, { not, needs, why, hint }: Rule, isTyped: (flag: string) => boolean): void {
  if (needs?.some(isTyped) === false)
    throw new UsageError(`${flag} ${why}`, { hint: hint ?? `Add ${needs[0]}, or leave ${flag} out.` });
  const other = not?.find(isTyped);
  if (other === undefined) return;
  const because = why === undefined ? '' : `: ${why}`;
  throw new UsageError(`${flag} and ${other} do not go together${because}`, {
    hint: hint ?? 'Leave one of them out.',
  });
}

/** The values by the names of the flags. `onRead` hears of each that is read by its name; a copy has none, and reads none. */
function valuesOf(typed: readonly TypedFlag[], onRead: Context['onFlagRead']): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { option, value } of typed) {
    const { key, long } = option;
    if (onRead === undefined) values[key] = value;
    else Object.defineProperty(values, key, { configurable: true, get: () => (onRead(long!), value) });
  }
  return values;
}

/** Whether a command has a flag of this name: `--period`. */
export function hasFlag(command: Command, flag: string): boolean {
  return command.options.some(({ long }) => long === flag);
}

/** The listing of a command, under either of its names; undefined for any other command. */
export function resourceOf(command: Command): Resource | undefined {
  const path = commandPath(command).replace(/^folio | list$/g, '');
  // Those of a fund are under `funds`.
  return resources.find(({ name }) => name === path.replace(/^funds /, 'fund '));
}

/** Has the help of a command say what it does, and examples of it, and its errors which command it is. */
export function setHelp(command: Command, help: Pick<Declaration, 'description' | 'examples'>): Command {
  examples.set(command, help.examples ?? []);
  return command
    .description(help.description)
    .enablePositionalOptions()
    .exitOverride((error) => {
      parsed.set(error, command);
      throw error;
    });
}

/**
 * Refuses a flag that would be ignored: in `folio issued --strict download invoices` the parser gives --strict to `issued`,
 * which does not run, and `download` has no such flag.
 */
function refuseFlagsOfOthers(command: Command): void {
  for (let at = command.parent; at !== null && at.parent !== null; at = at.parent) {
    const stray = at.options.find(
      (option) =>
        at.getOptionValueSource(option.attributeName()) === 'cli' &&
        !command.options.some((own) => own.attributeName() === option.attributeName()),
    );
    if (stray === undefined) continue;
    const path = commandPath(command);
    throw new UsageError(`${stray.long} is no flag of ${path}`, {
      hint: `Leave it out. See ${path} --help for what there is.`,
    });
  }
}

export function shownUnder(command: Command): Command[] {
  return command.createHelp().visibleCommands(command);
}

/** A command and its arguments, as they are written: `completion <shell>`. */
export function termOf(name: string, command: Command): string {
  const words = command.registeredArguments.map((one) => {
    const word = one.variadic ? `${one.name()}...` : one.name();
    return one.required ? `<${word}>` : `[${word}]`;
  });
  return [name, ...words].join(' ');
}

/** The names on the way to a command: `folio issued download`. */
export function commandPath(command: Command): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`;
}
