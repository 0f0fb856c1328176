import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { addCommand, addGroup } from '../command.ts';
import { flagGroup, yes } from '../flag-group.ts';
import { factFlags } from '../flags.ts';
import type { NamesFlags } from './config-settings.ts';

/** Loaded when one of the commands runs. */
const settings = () => import('./config-settings.ts');

const namesFlags = flagGroup<NamesFlags>(undefined, {
  names: yes('--names', 'print the settings that there are instead'),
});

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
  addCommand(config, 'get', {
    summary: 'the value of a setting',
    description: 'Prints the value of a setting; exit code 4 when it is not set.',
    arguments: [['<setting>', '']],
    run: async ({ globals }, [name]) => (await settings()).runConfigGet(context, globals, name),
  });
  addCommand(config, 'list', {
    summary: 'the settings that are set',
    description: 'Prints what is set, a line each.',
    flags: { names: namesFlags, facts: factFlags },
    run: async ({ globals, names, facts }) =>
      (await settings()).runConfigList(context, { ...globals, ...names, ...facts }),
  });
  addCommand(config, 'path', {
    summary: 'the file that holds profiles and settings',
    description: 'Prints the name of the file that holds profiles and settings, whether or not it exists.',
    run: async () => (await settings()).runConfigPath(context),
  });
  addCommand(config, 'set', {
    summary: 'set a default for a flag',
    description: 'Sets a default, after checking the value as the flag would.',
    arguments: [
      ['<setting>', ''],
      ['<value>', ''],
    ],
    run: async ({ globals }, [name, value]) =>
      (await settings()).runConfigSet(context, globals, { name, value }),
  });
  addCommand(config, 'unset', {
    summary: 'remove a setting',
    description: 'Removes a setting.',
    arguments: [['<setting>', '']],
    run: async ({ globals }, [name]) => (await settings()).runConfigUnset(context, globals, name),
  });
}
