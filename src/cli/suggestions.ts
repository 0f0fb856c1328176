import type { Command, CommanderError } from 'commander';
import { nearestHint, nearestNames } from '../query/nearest-names.ts';
import { UsageError } from '../errors.ts';
import { commandPath } from './command.ts';

/**
 * Has unknown commands and flags answered with those that were likely meant, on a command and all under it. The parser
 * does so only in part: it takes a misspelt command of `customers`, which lists by itself, for an argument, and never
 * thinks of the flags for every command. To be called when all is declared.
 */
export function addSuggestions(command: Command): void {
  command.exitOverride((error) => {
    throw complaintOf(command, error) ?? error;
  });
  command.commands.forEach(addSuggestions);
}

function complaintOf(command: Command, { code, message }: CommanderError): UsageError | undefined {
  if (code === 'commander.unknownOption') {
    // What follows an equals sign is a value, and may be a secret that was given to a flag which does not exist.
    const flag = /'([^'=]*)/.exec(message)?.[1] ?? '';
    const hint = nearestHintOfFlag(flag, command);
    return new UsageError(`unknown option '${flag}'`, { hint });
  }
  const names = command
    .createHelp()
    .visibleCommands(command)
    .map((each) => each.name());
  const isUnknown = code === 'commander.unknownCommand' || code === 'commander.excessArguments';
  if (!isUnknown || names.length === 0) return undefined;
  const [word = ''] = command.args;
  const whose = command.parent === null ? '' : ` of ${commandPath(command)}`;
  return new UsageError(`unknown command '${word}'${whose}`, { hint: nearestHint(word, names) });
}

/** Compared without their dashes, which all have and nobody gets wrong. */
function nearestHintOfFlag(flag: string, command: Command): string {
  const names = command.options.flatMap(({ long }) => (long === '--token' ? [] : (long?.slice(2) ?? [])));
  const near = nearestNames(flag.replace(/^-+/, ''), names).map((name) => `--${name}`);
  if (near.length === 0) return `See ${commandPath(command)} --help for what there is.`;
  return `Did you mean ${near.join(' or ')}?`;
}
