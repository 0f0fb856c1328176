import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { settingNames } from '../config-settings.ts';
import { declareAll } from '../declare-later.ts';
import { topics } from '../help/topics.ts';
import { bashScript } from './bash-script.ts';
import { completionTree } from './completion-tree.ts';
import type { Shell } from './completion.ts';
import { fishScript } from './fish-script.ts';
import { zshScript } from './zsh-script.ts';

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
