import { Argument, type Command } from 'commander';
import { UsageError } from '../errors.ts';
import type { GlobalFlags } from '../run/run.ts';
import { version } from '../version.ts';
import type { FlagGroup } from './flag-group.ts';
import { checkFlags } from './flag-conflicts.ts';
import { globalFlags, refusedToken, repeatedGlobalOptions } from './flags.ts';

/** A positional argument: how it is written (`<id>`, `[id]`, `[words...]`), and what the help says of it. */
type ArgumentSpec = readonly [syntax: string, about: string, parse?: (text: string) => unknown];

type ArgumentValue<Spec extends ArgumentSpec> = Spec extends readonly [
  string,
  string,
  (text: string) => infer Value,
]
  ? Value
  : Spec[0] extends `${string}...${string}`
    ? readonly string[]
    : Spec[0] extends `[${string}`
      ? string | undefined
      : string;

type ArgumentValues<Specs extends readonly ArgumentSpec[]> = {
  [Place in keyof Specs]: ArgumentValue<Specs[Place]>;
};

type Groups = Readonly<Record<string, FlagGroup<object>>>;

/** What the run of a command gets: the values of each group, and of the flags of every command. */
export type GroupValues<Flags extends Groups> = {
  readonly [Name in keyof Flags]: Flags[Name] extends FlagGroup<infer Values> ? Values : never;
} & { readonly globals: GlobalFlags };

/** What the help says of a command. */
export interface CommandHelp {
  /** Stands beside its name in a list. */
  readonly summary?: string;
  readonly description: string;
  readonly examples?: readonly (readonly [commandLine: string, answer: string])[];
  readonly hidden?: boolean;
}

/** The declaration of a command. */
interface CommandSpec<Flags extends Groups, Specs extends readonly ArgumentSpec[]> extends CommandHelp {
  readonly arguments?: Specs;
  /** Its flags, besides those of every command. Each group is for one function that the run calls. */
  readonly flags?: Flags;
  /** Loads what it needs by `import()`, so that no other command pays for it. */
  readonly run: (values: GroupValues<Flags>, args: ArgumentValues<Specs>) => Promise<void>;
}

/** Declares a command: its help, its arguments, its flags and what it runs. */
export function addCommand<
  const Specs extends readonly ArgumentSpec[] = readonly [],
  Flags extends Groups = Groups,
>(parent: Command, name: string, spec: CommandSpec<Flags, Specs>): Command {
  const groups = Object.entries<FlagGroup<object>>(spec.flags ?? {});
  const command = declare(parent, name, spec);
  for (const option of groups.flatMap(([, { options }]) => options)) command.addOption(option);
  for (const [syntax, about, parse] of spec.arguments ?? []) {
    const argument = new Argument(syntax, about);
    command.addArgument(parse === undefined ? argument : argument.argParser(parse));
  }
  return command.action(async (...received: unknown[]) => {
    refuseFlagsOfOthers(command);
    const idle = new Set(groups.map(([group]) => group));
    const values = { globals: globalFlags.read(command) };
    const all = { ...values.globals };
    for (const [group, { read }] of groups) {
      const given = read(command);
      Object.assign(all, given);
      const get = (): object => {
        idle.delete(group);
        return given;
      };
      Object.defineProperty(values, group, { enumerable: true, get });
    }
    checkFlags(commandPath(command), all);
    // The parser passes the arguments in order, then its own view of the flags, which the groups have read already.
    const args = received.slice(0, spec.arguments?.length ?? 0) as ArgumentValues<Specs>;
    await spec.run(values as GroupValues<Flags>, args);
    if (idle.size === 0) return;
    // This is a fault of the command's declaration: every run of it fails, and so does its first test.
    throw new TypeError(
      `${commandPath(command)} takes flags and never looks at them: ${[...idle].join(', ')}`,
    );
  });
}

/** Declares a command that only groups others. */
export function addGroup(parent: Command, name: string, help: CommandHelp): Command {
  return declare(parent, name, help).helpCommand('help [command]', 'help on a command');
}

function declare(parent: Command, name: string, help: CommandHelp): Command {
  const command = parent.command(name, { hidden: help.hidden === true });
  if (help.summary !== undefined) command.summary(help.summary);
  command.description(described(help)).enablePositionalOptions();
  command.addHelpText('after', '\nFlags for every command: folio --help');
  command.version(version, '--version').options.at(-1)?.hideHelp();
  return repeatFlagsUnder(command);
}

/**
 * Repeats the flags of every command on the commands under this one, since they may stand anywhere on the command line. Only
 * the parser needs that, so only the commands on the line get them: to repeat them on all would take most of the start.
 */
export function repeatFlagsUnder(command: Command): Command {
  return command.hook('preSubcommand', (_, called) => {
    // A command may have a flag of its own with the same name.
    const own = new Set(called.options.map(({ long }) => long));
    for (const option of [...repeatedGlobalOptions, refusedToken])
      if (!own.has(option.long)) called.addOption(option);
  });
}

/** The most characters of an example and its answer that stand beside each other; else the answer is below, so that none breaks. */
const MOST_BESIDE = 76;

/** The description with the examples under it, before the flags. */
export function described({
  description,
  examples = [],
}: Pick<CommandHelp, 'description' | 'examples'>): string {
  if (examples.length === 0) return description;
  const width = Math.max(...examples.map(([line]) => line.length));
  const isWide = examples.some(([, answer]) => width + answer.length > MOST_BESIDE);
  const lines = examples.map(([line, answer]) =>
    isWide ? `  ${line}\n      ${answer}` : `  ${line.padEnd(width)}  ${answer}`,
  );
  return `${description}\n\nExamples:\n${lines.join('\n')}`;
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
    throw new UsageError(`${stray.long ?? stray.flags} is no flag of ${path}`, {
      hint: `Leave it out. See ${path} --help for what there is.`,
    });
  }
}

/** The commands under this one that the help lists. */
export function shownUnder(command: Command): Command[] {
  return command.createHelp().visibleCommands(command);
}

/** A command and its arguments, as they are written: `completion <shell>`. */
export function termOf(name: string, { registeredArguments }: Pick<Command, 'registeredArguments'>): string {
  const words = registeredArguments.map((one) => {
    const word = one.variadic ? `${one.name()}...` : one.name();
    return one.required ? `<${word}>` : `[${word}]`;
  });
  return [name, ...words].join(' ');
}

/** The names on the way to a command: `folio issued download`. */
export function commandPath(command: Command): string {
  return command.parent === null ? command.name() : `${commandPath(command.parent)} ${command.name()}`;
}
