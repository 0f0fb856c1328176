import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { factFormat, type ConfigFlags } from '../profile-flags.ts';
import { declareLater } from '../declare-later.ts';
import { addExamples } from './listing.ts';
import { flagsOf } from '../flags.ts';

/** Declares `folio config` and its commands. */
export function addConfig(program: Command, context: Context): void {
  const config = program.command('config').summary('defaults for flags');
  config.description('Settings: defaults for flags, for all profiles or, with --profile, for one.');
  addExamples(config, [
    ['folio config set format jsonl', 'unless a command says otherwise'],
    ['folio config set page-size.received 250 --profile acme', 'for one organization'],
    ['folio config list --profile acme', 'what that profile holds; never its token'],
  ]);
  declareLater(config, () => {
    addReading(config, context);
    addWriting(config, context);
  });
}

function addReading(config: Command, context: Context): void {
  config
    .command('get')
    .argument('<setting>')
    .description('Prints the value of a setting; exit code 4 when it is not set.')
    .action(async (name: string, _flags, command: Command) => {
      const { runConfigGet } = await import('./config-runs.ts');
      await runConfigGet(context, flagsOf<ConfigFlags>(command), name);
    });
  config
    .command('list')
    .description('Prints what is set, a line each.')
    .option('--names', 'print the settings that there are instead')
    .addOption(factFormat())
    .action(async (_flags, command: Command) => {
      const { runConfigList } = await import('./config-runs.ts');
      await runConfigList(context, flagsOf<ConfigFlags & { names?: boolean }>(command));
    });
  config
    .command('path')
    .description('Prints the name of the file that holds profiles and settings, whether or not it exists.')
    .action(async () => {
      const { runConfigPath } = await import('./config-runs.ts');
      await runConfigPath(context);
    });
}

function addWriting(config: Command, context: Context): void {
  config
    .command('set')
    .argument('<setting>')
    .argument('<value>')
    .description('Sets a default, after checking the value as the flag would.')
    .action(async (name: string, value: string, _flags, command: Command) => {
      const { runConfigSet } = await import('./config-runs.ts');
      await runConfigSet(context, flagsOf<ConfigFlags>(command), { name, value });
    });
  config
    .command('unset')
    .argument('<setting>')
    .description('Removes a setting.')
    .action(async (name: string, _flags, command: Command) => {
      const { runConfigUnset } = await import('./config-runs.ts');
      await runConfigUnset(context, flagsOf<ConfigFlags>(command), name);
    });
}
