import type { Command } from 'commander';

const waiting = new WeakMap<Command, (() => void)[]>();

/**
 * Has flags of a command, and commands under it, declared when it is about to be read or shown, and not before. There are
 * some 700 flags in 30 commands, of which one run reads 50; declaring all of them took a third of what `--help` takes
 * beyond an empty program.
 */
export function declareLater(command: Command, declare: () => void): void {
  waiting.set(command, [...(waiting.get(command) ?? []), declare]);
}

/** Declares what waits for a command, which is about to be shown. */
export function declareNow(command: Command): void {
  const declarations = waiting.get(command) ?? [];
  waiting.delete(command);
  for (const declare of declarations) declare();
}

/** Declares everything under a command, for what reads the whole command line: completion, the manual. */
export function declareAll(command: Command): void {
  declareNow(command);
  for (const child of command.commands) declareAll(child);
}

/** Has the commands right under this one declared when it finds their names. */
export function declareWhenNamed(command: Command): void {
  command.hook('preSubcommand', (_, child) => declareNow(child));
}
