import type { Argument, Command, Option } from 'commander';
import type { Offering } from '../../run/parse-values.ts';

/** What can stand where a value is expected. */
export type Value =
  | { readonly kind: 'text' | 'files' | 'folders' | 'profiles' }
  | { readonly kind: 'words'; readonly words: readonly string[] };

export interface CompletionFlag {
  /** `-o` and `--output`. */
  readonly names: readonly string[];
  readonly about: string;
  /** Undefined for a flag that takes none. */
  readonly value: Value | undefined;
}

/** What can follow a command. */
export interface CompletionNode {
  /** The names on the way to it, each with a space before it: ` issued download`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly flags: readonly CompletionFlag[];
  readonly argument: Value | undefined;
}

/** The commands whose arguments name profiles. */
const OF_PROFILES = [' auth use', ' auth logout'];

/**
 * Everything that can be completed, from the declarations of the commands; hidden commands are left out. The flags of the program
 * may stand after each command.
 *
 * @param known words for the arguments of commands, by path
 */
export function completionTree(
  program: Command,
  known: ReadonlyMap<string, readonly string[]>,
): CompletionNode[] {
  return nodesOf(program, '');

  function nodesOf(command: Command, path: string): CompletionNode[] {
    const own = new Set(command.options.map(({ long }) => long));
    const options = [...command.options, ...program.options.filter(({ long }) => !own.has(long))];
    const shown = command.createHelp().visibleCommands(command);
    // The flag that would take a token is there to be refused; the one of the sandbox takes words.
    const offered = options.filter(({ long, parseArg }) => long !== '--token' || wordsOf(parseArg));
    const flags = offered.map(flagOf);
    const node = {
      path,
      commands: shown.map((child) => ({
        name: child.name(),
        about: brief(child.summary() || child.description()),
      })),
      flags: [...flags, { names: ['-h', '--help'], about: 'help', value: undefined }],
      argument: argumentOf(command.registeredArguments[0], path, known),
    };
    return [node, ...shown.flatMap((child) => nodesOf(child, `${path} ${child.name()}`))];
  }
}

function flagOf(option: Option): CompletionFlag {
  const names = [option.short, option.long].filter((name) => name !== undefined);
  const takesValue = option.required || option.optional;
  return { names, about: brief(option.description), value: takesValue ? valueOf(option) : undefined };
}

function valueOf(option: Option): Value {
  if (option.long === '--profile') return { kind: 'profiles' };
  return wordsOf(option.parseArg) ?? byPlaceholder(/<([\w-]+)/.exec(option.flags)?.[1] ?? '');
}

function argumentOf(
  argument: Argument | undefined,
  path: string,
  known: ReadonlyMap<string, readonly string[]>,
): Value | undefined {
  if (argument === undefined) return undefined;
  if (OF_PROFILES.includes(path)) return { kind: 'profiles' };
  const words = known.get(path);
  if (words !== undefined) return { kind: 'words', words };
  return wordsOf(argument.parseArg) ?? byPlaceholder(argument.name());
}

/** Of flags and arguments that take one of some words, their parse function knows which. */
function wordsOf(parse: unknown): Value | undefined {
  const words = (parse as Partial<Offering> | undefined)?.words;
  return words === undefined ? undefined : { kind: 'words', words };
}

function byPlaceholder(name: string): Value {
  if (['file', 'receipt', 'path'].includes(name)) return { kind: name === 'path' ? 'text' : 'files' };
  return { kind: ['dir', 'folder'].includes(name) ? 'folders' : 'text' };
}

/** What fits beside a name in a menu: the beginning of a description, up to its first stop. */
function brief(text: string): string {
  return text
    .split(/[;(\n]|\. |, (?:or|from) /, 1)[0]!
    .replace(/[.:]$/, '')
    .trim();
}

/** The names of all flags that take a value, of any command: what follows one is no command. */
export function valuedFlags(nodes: readonly CompletionNode[]): string[] {
  const names = nodes.flatMap(({ flags }) => flags.flatMap((flag) => (flag.value ? flag.names : [])));
  return [...new Set(names)];
}

/** A text as one word of a POSIX shell or zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Words as a shell splits them, none of which it could read as anything else. */
export function shellWords(words: readonly string[]): string {
  return words.filter((word) => /^[\w.,@%+/-]+$/.test(word)).join(' ');
}
