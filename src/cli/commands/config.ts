import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { addCommand, addGroup } from '../command.ts';
import { yes } from '../../run/flag.ts';
import { factFlags } from '../../run/flags.ts';

/** Loaded when one of the commands runs. */
const settings = () => import('./config-settings.ts');

/** Declares `folio config` and its commands. */
export function addConfig(program: Command, context: Context): void {
  const config = addGroup(program, 'config', {
    description: 'Settings: defaults for flags, for all profiles or, with --profile, for one.',
    examples: [
      ['folio config set format jsonl', 'unless a command says otherwise'],
      ['folio config set page-size.received 250 --profile acme', 'for one organization'],
      [
        'folio config set columns.issued number,dueBy,totalAmount',
        'what issued shows, unless --columns says otherwise',
      ],
      ['folio config list --profile acme', 'what that profile holds; never its token'],
    ],
  });
  addCommand(config, context, 'get', {
    summary: 'the value of a setting',
    description: 'Prints the value of a setting; exit code 4 when it is not set.',
    arguments: [['<setting>', '']],
    run: async (flags, [name]) => (await settings()).runConfigGet(context, flags, name),
  });
  addCommand(config, context, 'list', {
    summary: 'the settings that are set',
    description: 'Prints what is set, a line each.',
    flags: { names: yes('--names', 'print the settings that there are instead'), ...factFlags },
    run: async (flags) => (await settings()).runConfigList(context, flags),
  });
  addCommand(config, context, 'path', {
    summary: 'the file that holds profiles and settings',
    description: 'Prints the name of the file that holds profiles and settings, whether or not it exists.',
    run: async () => (await settings()).runConfigPath(context),
  });
  addCommand(config, context, 'set', {
    summary: 'set a default for a flag',
    description: 'Sets a default, after checking the value as the flag would.',
    arguments: [
      ['<setting>', ''],
      ['<value>', ''],
    ],
    run: async (flags, [name, value]) => (await settings()).runConfigSet(context, flags, { name, value }),
  });
  addCommand(config, context, 'unset', {
    summary: 'remove a setting',
    description: 'Removes a setting.',
    arguments: [['<setting>', '']],
    run: async (flags, [name]) => (await settings()).runConfigUnset(context, flags, name),
  });
}
