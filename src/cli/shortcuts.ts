import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { Notices } from '../run/notices.ts';

/**
 * The command line with a shortcut replaced by the words that it stands for: `late --limit 5` becomes `issued --overdue --limit
 * 5`. A shortcut is expanded once, and never where a command has its name. Under --verbose folio says what it expanded.
 */
export async function expandShortcut(
  context: Context,
  program: Command,
  isCommand: (word: string) => boolean,
): Promise<readonly string[]> {
  const { argv } = context;
  const at = commandAt(argv, program);
  const name = argv[at];
  if (name === undefined || isCommand(name) || !/^[a-z][a-z0-9-]*$/.test(name)) return argv;
  // Late, since it loads all that a setting may be.
  const { shortcutSetting, splitWords } = await import('../run/settings.ts');
  const line = (await context.config()).settings(undefined)[shortcutSetting(name)];
  if (typeof line !== 'string') return argv;
  const expanded = argv.toSpliced(at, 1, ...splitWords(line));
  const verbose = ['-v', '--verbose', '--debug'].some((flag) => expanded.includes(flag));
  new Notices(context, { verbose }).detail(`${name} is short for: folio ${line}`);
  return expanded;
}

/** Throws UsageError for a shortcut that would never be expanded: one with the name of a command, or of one profile. */
export async function checkShortcut(
  setting: string,
  program: Command,
  profile: string | undefined,
): Promise<void> {
  const prefix = (await import('../run/settings.ts')).shortcutSetting('');
  if (!setting.startsWith(prefix)) return;
  const name = setting.slice(prefix.length);
  if (profile !== undefined) {
    throw new UsageError('a shortcut is for all profiles', {
      hint: `Leave --profile out, or write it into the shortcut.`,
    });
  }
  if (program.commands.some((command) => command.name() === name)) {
    throw new UsageError(`there is a command ${name}, and a shortcut never goes before one`, {
      hint: 'Choose another name for the shortcut.',
    });
  }
}

/** The place of the command: of the first word that is neither a flag nor the value of one; -1 without one. */
export function commandAt(argv: readonly string[], program: Command): number {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at]!;
    if (!word.startsWith('-')) return at;
    const option = program.options.find(({ long, short }) => word === long || word === short);
    if (option?.required) at++;
  }
  return -1;
}
