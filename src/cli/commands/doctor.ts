import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { factFormat, type FactFlags } from '../profile-flags.ts';
import { flagsOf } from '../flags.ts';
import type { GlobalFlags } from '../flags.ts';
import { addExamples } from './listing.ts';

/** `doctor`: whether all is set up, and what to mend. */
export function addDoctor(program: Command, context: Context): void {
  const command = program.command('doctor').summary('whether all is set up, and what to mend');
  command.description(
    'Looks at the store, the base address, the way to the service step by step, the clock and the token, and makes one ' +
      'call to each of the four listings. A line each, with what to mend. The exit code is that of the first failure.',
  );
  addExamples(command, [
    ['folio doctor', 'for the commands that you run here'],
    ['folio doctor --profile acme', 'for one organization'],
    ['folio doctor --format json', 'for a script; nothing secret is in it'],
  ]);
  command.addOption(factFormat());
  command.action(async () => {
    const { runDoctor } = await import('./doctor-runs.ts');
    await runDoctor(context, flagsOf<GlobalFlags & FactFlags>(command));
  });
}
