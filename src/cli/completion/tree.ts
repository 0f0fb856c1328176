import type { Argument, Command, Option } from 'commander';
import { shownUnder } from '../command.ts';
import type { Offering } from '../../run/parse-values.ts';

/** What can stand where a value is expected. */
export type Value =
  | { readonly kind: 'text' | 'files' | 'folders' | 'profiles' }
  | {
      /** One of the words; or, for a `list`, some of them with commas between them, a minus before each if one likes. */
      readonly kind: 'words' | 'list';
      readonly words: readonly string[];
    };

/** A flag that can be completed. */
export interface CompletionFlag {
  /** `-o` and `--output`. */
  readonly names: readonly string[];
  readonly about: string;
  /** Undefined for a flag without a value. */
  readonly value: Value | undefined;
}

/** What can follow a command. */
export interface CompletionNode {
  /** The names that lead to it, each with a space before it: ` issued download`; empty for the program itself. */
  readonly path: string;
  readonly commands: readonly { readonly name: string; readonly about: string }[];
  readonly flags: readonly CompletionFlag[];
  readonly argument: Value | undefined;
}

/** What is known of the words that the declarations do not tell. */
interface KnownWords {
  /** Those of the argument of a command, by its path. */
  readonly ofArguments: ReadonlyMap<string, readonly string[]>;
  /** The names of columns, by the path of the command that has such records. */
  readonly ofColumns: ReadonlyMap<string, readonly string[]>;
}

/** The flags whose values are columns with commas between them. */
const OF_COLUMNS = ['--columns', '--sum', '--group-by', '--sort'];

/** The commands whose arguments name profiles. */
const OF_PROFILES = [' auth use', ' auth logout'];

/**
 * Everything that can be completed, from the declarations of the commands; hidden commands are left out. The flags of the program
 * may stand after each command.
 */
export function completionTree(program: Command, known: KnownWords): CompletionNode[] {
  return nodesOf(program, '');

  function nodesOf(command: Command, path: string): CompletionNode[] {
    const own = new Set(command.options.map(({ long }) => long));
    const options = [...command.options, ...program.options.filter(({ long }) => !own.has(long))];
    const shown = shownUnder(command);
    // The flag --token exists only to be refused.
    const offered = options.filter(({ long }) => long !== '--token');
    const columns = known.ofColumns.get(path);
    const flags = offered.map((option) => flagOf(option, columns));
    const node = {
      path,
      commands: shown.map((child) => ({
        name: child.name(),
        about: brief(child.summary() || child.description()),
      })),
      flags: [...flags, { names: ['-h', '--help'], about: 'help', value: undefined }],
      argument: argumentOf(command.registeredArguments[0], path, known.ofArguments),
    };
    return [node, ...shown.flatMap((child) => nodesOf(child, `${path} ${child.name()}`))];
  }
}

function flagOf(option: Option, columns: readonly string[] | undefined): CompletionFlag {
  const names = [option.short, option.long].filter((name) => name !== undefined);
  const takesValue = option.required || option.optional;
  return {
    names,
    about: brief(option.description),
    value: takesValue ? valueOf(option, columns) : undefined,
  };
}

function valueOf(option: Option, columns: readonly string[] | undefined): Value {
  if (columns !== undefined && OF_COLUMNS.includes(option.long ?? ''))
    return { kind: 'list', words: columns };
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

/** The words that a flag or argument takes, from its parse function; undefined where it takes any text. */
function wordsOf(parse: unknown): Value | undefined {
  const words = (parse as Partial<Offering> | undefined)?.words;
  return words === undefined ? undefined : { kind: 'words', words };
}

function byPlaceholder(name: string): Value {
  if (['file', 'list', 'receipt', 'path'].includes(name)) return { kind: name === 'path' ? 'text' : 'files' };
  return { kind: ['dir', 'folder'].includes(name) ? 'folders' : 'text' };
}

/** The text beside a name in a menu: the beginning of the description, up to its first stop. */
function brief(text: string): string {
  return text
    .split(/[;(\n]|\. |, (?:or|from) /, 1)[0]!
    .replace(/[.:]$/, '')
    .trim();
}

/** The names of all flags with a value, of any command: the word behind one is no command. */
export function valuedFlags(nodes: readonly CompletionNode[]): string[] {
  const names = nodes.flatMap(({ flags }) => flags.flatMap((flag) => (flag.value ? flag.names : [])));
  return [...new Set(names)];
}

/** The paths of all commands. */
export function pathsOf(nodes: readonly CompletionNode[]): string[] {
  return nodes.map(({ path }) => path).filter((path) => path !== '');
}

/** The flags with a value, all that are answered alike together: the answer, and their names. */
export function flagsByAnswer(
  flags: CompletionNode['flags'],
  answerOf: (value: Value) => string,
): (readonly [answer: string, names: readonly string[]])[] {
  const byAnswer = new Map<string, string[]>();
  for (const { names, value } of flags) {
    if (value === undefined) continue;
    const answer = answerOf(value);
    byAnswer.set(answer, [...(byAnswer.get(answer) ?? []), ...names]);
  }
  return [...byAnswer];
}

/** A text as one word of a POSIX shell or zsh. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The words as one text that a shell splits. Leaves out words with characters that are special to it. */
export function shellWords(words: readonly string[]): string {
  return words.filter((word) => /^[\w.,@%+/-]+$/.test(word)).join(' ');
}
