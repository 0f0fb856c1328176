import type { Command } from 'commander';
import type { Context } from '../context.ts';

/** What the help of `folio` says of its topics; their texts are loaded when one is asked for. */
export const ABOUT_TOPICS = 'Topics: folio help exit-codes, folio help environment, folio help formats';

/** `help`: of a command, or on a topic. */
export function addHelp(program: Command, context: Context): void {
  program.helpCommand(false);
  const command = program.command('help').summary('help on a command or a topic');
  command.description(
    'Help on a command, such as `folio help funds get`, or on a topic; alone it lists both.',
  );
  command.argument('[words...]', 'a command or a topic');
  command.action(async (words: readonly string[]) => {
    const { runHelp } = await import('./help-topics.ts');
    await runHelp(context, program, words);
  });
  // For the build, which puts the page into the package.
  program.command('__man', { hidden: true }).action(async () => {
    const { manPage } = await import('./man-page.ts');
    await context.stdout.write(manPage(program));
  });
}
