import type { Command } from 'commander';
import { wholeProgram } from '../../src/cli/program.ts';
import { fakeContext } from '../support/fake-context.ts';

/** What a command asks for that names nobody. */
const FLAGS: Readonly<Record<string, readonly string[]>> = { statement: ['--all'] };

/** The arguments of every command that there is, its own among them; `folder` is where paths lead. */
export async function everyCommand(folder: string): Promise<string[][]> {
  const program = await wholeProgram(fakeContext());
  return commandsOf(program).flatMap(({ path, command }) => {
    // It serves until it is stopped, and asks nobody.
    if (path[0] === 'sandbox') return [];
    const values = command.registeredArguments
      .filter(({ required }) => required)
      .map((argument) => valueOf(argument.name(), folder));
    return [[...path, ...values, ...(FLAGS[path.join(' ')] ?? [])]];
  });
}

function commandsOf(parent: Command, path: readonly string[] = []): { path: string[]; command: Command }[] {
  return parent.commands.flatMap((command) => {
    const own = [...path, command.name()];
    return [{ path: own, command }, ...commandsOf(command, own)];
  });
}

function valueOf(name: string, folder: string): string {
  if (name === 'path') return '/customers/x';
  return /dir|file|folder/.test(name) ? `${folder}/argument` : 'x';
}
