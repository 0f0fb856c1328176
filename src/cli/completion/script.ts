import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { FolioError } from '../../errors.ts';
import { parseProfileName } from '../../profiles/profile.ts';
import type { Shell } from '../commands/completion.ts';
import { declareAll } from '../declare-later.ts';
import { topics } from '../help-topics.ts';
import { settingNames } from '../settings.ts';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import { completionTree } from './tree.ts';
import { zshScript } from './zsh.ts';

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** Prints the completion script of a shell. */
export async function runCompletion(context: Context, program: Command, shell: Shell): Promise<void> {
  declareAll(program);
  const settings = settingNames.map(([name]) => name);
  const commands = program
    .createHelp()
    .visibleCommands(program)
    .map((each) => each.name());
  const known = new Map([
    [' config get', settings],
    [' config set', settings],
    [' config unset', settings],
    [' help', [...commands, ...topics.map(({ name }) => name)]],
  ]);
  await context.stdout.write(scripts[shell](completionTree(program, known)));
}

/**
 * Prints the names of profiles, one a line, for a shell that completes one. Whatever is wrong with the store is said
 * elsewhere: here nothing is. A name that no profile could have been given is left out, for shells expand what they
 * are offered.
 */
export async function printProfiles(context: Context): Promise<void> {
  try {
    const { profileNames } = await context.config();
    const names = profileNames.filter(isName);
    if (names.length > 0) await context.stdout.write(`${names.join('\n')}\n`);
  } catch (error) {
    if (!(error instanceof FolioError)) throw error;
  }
}

function isName(name: string): boolean {
  try {
    return parseProfileName(name, 'profile') === name;
  } catch {
    return false;
  }
}
