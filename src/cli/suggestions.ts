import type { Command, CommanderError } from 'commander';
import { UsageError } from '../errors.ts';
import { isPeriod, meantPeriod } from '../invoices/periods.ts';
import { nearestHint, nearestNames } from '../query/nearest-names.ts';
import { commandPath, shownUnder, termOf } from './command.ts';

export class Unrecognized extends UsageError {
  readonly command: Command;
  readonly word: string;

  constructor(message: string, { command, word, hint }: { command: Command; word: string; hint?: string }) {
    super(message, { hint });
    this.command = command;
    this.word = word;
  }
}

/**
 * Has a command, and all commands under it, throw Unrecognized for an unknown command, flag or argument. The parser suggests names only in
 * part: it takes a misspelt command of `customers`, which lists by itself, for an argument, and it does not know the flags of every
 * command. Call this when all commands are declared.
 */
export function addSuggestions(command: Command): void {
  command.exitOverride((error) => {
    throw unrecognized(command, error) ?? error;
  });
  command.commands.forEach(addSuggestions);
}

function unrecognized(command: Command, { code, message }: CommanderError): UsageError | undefined {
  const path = commandPath(command);
  const text = message.replace(/^error: /, '');
  switch (code) {
    case 'commander.unknownOption': {
      // Behind an equals sign is a value. It may be a secret, given to a flag that does not exist.
      const word = /'([^'=]*)/.exec(message)?.[1] ?? '';
      if (hasFlag(command, word))
        return new UsageError(`${word} takes no value`, { hint: `Write ${word} alone.` });
      return new Unrecognized(`unknown option '${word}'`, { command, word });
    }
    case 'commander.missingArgument':
      return new UsageError(text, { hint: `Write it like ${termOf(path, command)}.` });
    case 'commander.unknownCommand':
    case 'commander.excessArguments': {
      if (hasFlag(command, '--token-command')) {
        // The word may be the token.
        const hint = `A token is typed where it is asked for, piped in, or in a file: see ${path} --help.`;
        return new UsageError(`${path} takes no arguments`, { hint });
      }
      const word = command.args[command.registeredArguments.length] ?? '';
      const whose = command.parent === null ? '' : ` of ${path}`;
      const isGroup = shownUnder(command).length > 0;
      const what = isGroup
        ? `unknown command '${word}'${whose}`
        : `'${word}' is one argument too many for ${path}`;
      return new Unrecognized(what, { command, word });
    }
    default:
      return undefined;
  }
}

/** The same error with what was likely meant. `today` is in days since 1970-01-01. */
export async function explained(
  { command, word, message }: Unrecognized,
  today: number,
  wholeProgram: () => Promise<Command>,
): Promise<UsageError> {
  const hint = word.startsWith('-')
    ? ((await meantByFlag(word, command, today)) ?? (await placeOf(word, command, wholeProgram)))
    : await meantByWord(word, command, today);
  return new UsageError(message, { hint });
}

/** What folio has for that word, or a flag of the command that is written nearly so. */
async function meantByFlag(flag: string, command: Command, today: number): Promise<string | undefined> {
  const { meantWord } = await import('./words.ts');
  const meant = meantWord(flag)?.instead(command, command.args[command.args.indexOf(flag) + 1], today) ?? [];
  const name = flag.replace(/^-+/, '');
  if (meant.length > 0) return `Write ${meant.join(' or ')}. See folio help ${name}.`;
  // Names are compared without their dashes, which all of them have.
  const names = command.options.flatMap(({ long }) => (long === '--token' ? [] : (long?.slice(2) ?? [])));
  const near = nearestNames(name, names).map((one) => `--${one}`);
  return near.length > 0 ? `Did you mean ${near.join(' or ')}?` : undefined;
}

/** The commands that have the flag, without those under them. */
async function placeOf(
  flag: string,
  command: Command,
  wholeProgram: () => Promise<Command>,
): Promise<string> {
  const commandsWith = (one: Command): Command[] =>
    hasFlag(one, flag) ? [one] : shownUnder(one).flatMap(commandsWith);
  const have = commandsWith(await wholeProgram()).map(commandPath);
  return have.length === 0
    ? `See ${commandPath(command)} --help for what there is.`
    : `It is a flag of ${have.join(', ')}. See ${have[0]} --help for it.`;
}

/** A command that is written nearly so, or what the word may stand for: a period, a customer, or what folio has for it. */
async function meantByWord(word: string, command: Command, today: number): Promise<string> {
  const path = commandPath(command);
  if (word === 'help') return `Write ${path} --help.`;
  const { meantWord } = await import('./words.ts');
  const names = shownUnder(command).map((each) => each.name());
  const meant = meantWord(word);
  const period = isPeriod(word) ? word : meantPeriod(word, today);
  const ofPeriods = command.parent === null ? 'folio issued' : hasFlag(command, '--period') && path;
  if (period !== undefined && ofPeriods !== false) return `Write ${ofPeriods} --period ${period}.`;
  // Before misspellings: `export` is nearly `report`.
  if (meant !== undefined) return `Write ${meant.example}. See folio help ${word}.`;
  if (nearestNames(word, names).length > 0 || !hasFlag(command, '--customer-fiscal-id'))
    return hintAmong(word, names, path);
  return `Write ${meantWord('customer')!.instead(command, word, today).join(' or ')}. See folio help customer.`;
}

function hasFlag(command: Command, flag: string): boolean {
  return command.options.some(({ long }) => long === flag);
}

/** The names that are written nearly so, or all; where there are none behind the path of a command, that the word is to be left out. */
export function hintAmong(word: string, names: readonly string[], path: string): string {
  return names.length > 0 ? nearestHint(word, names) : `Leave it out. See ${path} --help for what there is.`;
}
