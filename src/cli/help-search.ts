import type { Command, Option } from 'commander';
import { commandPath, shownUnder } from './command.ts';
import { brief } from './completion/tree.ts';
import type { TermList, Topic } from './help-topics.ts';

/** Commands that are named beside a flag; others are counted. */
const MOST_COMMANDS = 3;

/**
 * What of the help speaks of these words: commands, flags and topics, each in the words of lists. Undefined where nothing does. A
 * word is found at the beginning of others, in any case and with or without accents; all of them have to be in one text.
 */
export function searchHelp(
  program: Command,
  topics: readonly Topic[],
  words: readonly string[],
): Topic | undefined {
  const tests = words.map((word) => new RegExp(`(?<![\\p{L}\\p{N}])${escaped(stem(folded(word)))}`, 'u'));
  const speaks = (...texts: readonly string[]): boolean => {
    const text = folded(texts.join('\n'));
    return tests.every((test) => test.test(text));
  };
  const commands = commandsUnder(program);
  const lists: readonly (readonly [title: string, found: TermList])[] = [
    [
      'Commands:',
      commands
        .filter((command) => speaks(command.name(), command.summary(), command.description()))
        .map((command) => [commandPath(command), command.summary() || brief(command.description())]),
    ],
    ['Flags:', flagsOf(program, commands).filter(([flag, about]) => speaks(flag, about))],
    [
      'Topics:',
      topics
        .filter(({ name, about, blocks }) => speaks(name, about, JSON.stringify(blocks)))
        .map(({ name, about }) => [`folio help ${name}`, about]),
    ],
  ];
  const found = lists.filter(([, list]) => list.length > 0);
  if (found.length === 0) return undefined;
  return { name: words.join(' '), about: '', blocks: found.flat() };
}

/** All but the help itself, which speaks of everything, and second names of listings. */
function commandsUnder(command: Command): Command[] {
  return shownUnder(command)
    .filter((child) => child.name() !== 'help' && child.description() !== command.description())
    .flatMap((child) => [child, ...commandsUnder(child)]);
}

/** Each flag once, with what it does and whose it is. */
function flagsOf(program: Command, commands: readonly Command[]): TermList {
  const everywhere = new Set(program.options.map(({ long }) => long));
  const flags = new Map<string, { readonly option: Option; readonly of: string[] }>();
  for (const command of commands) {
    for (const option of command.options) {
      if (option.hidden || everywhere.has(option.long)) continue;
      const key = `${option.flags}\n${option.description}`;
      if (!flags.has(key)) flags.set(key, { option, of: [] });
      flags.get(key)!.of.push(commandPath(command).replace(/^folio /, ''));
    }
  }
  const global = program.options.filter(({ hidden }) => !hidden);
  return [
    ...[...flags.values()].map(
      ({ option, of }) => [option.flags, `${option.description} (${listOf(of)})`] as const,
    ),
    ...global.map(({ flags: written, description }) => [written, `${description} (everywhere)`] as const),
  ];
}

function listOf(commands: readonly string[]): string {
  const rest = commands.length - MOST_COMMANDS;
  return rest <= 1 ? commands.join(', ') : `${commands.slice(0, MOST_COMMANDS).join(', ')} and ${rest} more`;
}

function folded(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** The word of one, where it may be of several. */
function stem(word: string): string {
  return word.replace(/^-+/, '').replace(/(?<=.{3})s$/, '');
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
