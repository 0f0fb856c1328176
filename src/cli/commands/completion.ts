import { Argument, type Command } from 'commander';
import type { Context } from '../../context.ts';
import { addExamples } from './listing.ts';
import { oneOf } from '../parse-values.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** `completion`, and the hidden command that its scripts ask for the names of profiles. */
export function addCompletion(program: Command, context: Context): void {
  const command = program.command('completion').summary('completion for a shell');
  command.description(
    'Prints the script with which a shell completes commands, flags, their values and the names of profiles. ' +
      'The network is never touched.',
  );
  addExamples(command, [
    ['source <(folio completion bash)', 'in ~/.bashrc'],
    ['source <(folio completion zsh)', 'in ~/.zshrc, after compinit'],
    ['folio completion fish > ~/.config/fish/completions/folio.fish', 'once'],
  ]);
  command.addArgument(new Argument('<shell>', shells.join(', ')).argParser(oneOf('completion', shells)));
  command.action(async (shell: Shell) => {
    const { runCompletion } = await import('../completion/script.ts');
    await runCompletion(context, program, shell);
  });
  program.command('__profiles', { hidden: true }).action(async () => {
    const { printProfiles } = await import('../completion/script.ts');
    await printProfiles(context);
  });
}
