import type { Command, CommanderError } from 'commander';
import { UsageError } from '../errors.ts';
import { isPeriod, meantPeriod } from '../invoices/periods.ts';
import { nearestNames } from '../query/nearest-names.ts';
import { commandPath, hasFlag, shownUnder, termOf } from './command.ts';
import { hintAmong, meantWord } from './words.ts';

interface Slip {
  readonly command: Command;
  /** The day of the run, in days since 1970-01-01. */
  readonly today: number;
  readonly wholeProgram: () => Promise<Command>;
}

/**
 * An error of the parser with what was likely meant. The parser suggests names only in part: it takes a misspelt command of
 * `customers`, which lists by itself, for an argument, and it does not know the flags of every command.
 */
export async function explained({ code, message }: CommanderError, slip: Slip): Promise<UsageError> {
  const { command } = slip;
  const path = commandPath(command);
  const text = message.replace(/^error: /, '');
  switch (code) {
    case 'commander.unknownOption': {
      // Behind an equals sign is a value. It may be a secret, given to a flag that does not exist.
      const word = /'([^'=]*)/.exec(message)?.[1] ?? '';
      if (hasFlag(command, word))
        return new UsageError(`${word} takes no value`, { hint: `Write ${word} alone.` });
      return new UsageError(`unknown option '${word}'`, { hint: await hintForFlag(word, slip) });
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
      return new UsageError(what, { hint: hintForWord(word, slip) });
    }
    default:
      return new UsageError(
        text.replace(/^option '(?:-\w, )?([^']*)' argument missing/, '$1: the value is missing'),
        { hint: 'See --help for what there is.' },
      );
  }
}

/** What folio has for that word, a flag of the command that is written nearly so, or the commands that have this flag. */
async function hintForFlag(flag: string, { command, today, wholeProgram }: Slip): Promise<string> {
  const name = flag.replace(/^-+/, '');
  const meant = meantWord(flag)?.instead(command, command.args[command.args.indexOf(flag) + 1], today) ?? [];
  if (meant.length > 0) return `Write ${meant.join(' or ')}. See folio help ${name}.`;
  // Names are compared without their dashes, which all of them have.
  const names = command.options.flatMap(({ long }) => (long === '--token' ? [] : (long?.slice(2) ?? [])));
  const near = nearestNames(name, names).map((one) => `--${one}`);
  if (near.length > 0) return `Did you mean ${near.join(' or ')}?`;
  // Not those under a command that has it.
  const commandsWith = (one: Command): Command[] =>
    hasFlag(one, flag) ? [one] : shownUnder(one).flatMap(commandsWith);
  const have = commandsWith(await wholeProgram()).map(commandPath);
  return have.length === 0
    ? `See ${commandPath(command)} --help for what there is.`
    : `It is a flag of ${have.join(', ')}. See ${have[0]} --help for it.`;
}

/** A command that is written nearly so, or what the word may stand for: a period, a customer, or what folio has for it. */
function hintForWord(word: string, { command, today }: Slip): string {
  const path = commandPath(command);
  if (word === 'help') return `Write ${path} --help.`;
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
