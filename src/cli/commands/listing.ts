import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import type { Resource } from '../../resources/resource.ts';
import type { GlobalFlags } from '../flags.ts';
import { addListingFlags, type ListingFlags } from '../flags.ts';
import { addQuestionFlags } from '../question-flags.ts';
import { flagsOf } from '../flags.ts';
import { declareLater } from '../declare-later.ts';
import { addProfilesFlags } from '../flags.ts';

/**
 * Turns a resource into a command: its flags, help and examples come from the declaration.
 *
 * @param argument the positional argument that takes the place of `{id}` in the path
 */
export function addListing(
  command: Command,
  resource: Resource,
  context: Context,
  argument?: readonly [name: string, description: string],
): Command {
  const first = resource.records.slice(0, 1).toUpperCase() + resource.records.slice(1);
  command.description(`${first}, from GET ${resource.path}, ${resource.defaultOrder} unless said otherwise.`);
  command.summary(resource.records);
  addExamples(command, resource.examples);
  if (argument !== undefined) command.argument(...argument);
  declareLater(command, () => {
    addListingFlags(command, resource);
    addQuestionFlags(command);
    addProfilesFlags(command);
  });
  return command.action(async (...received: unknown[]) => {
    const id = argument === undefined ? undefined : (received[0] as string);
    const { runListing } = await import('../../run/pipeline.ts');
    await runListing(context, { resource, id, flags: flagsOf<ListingFlags & GlobalFlags>(command) });
  });
}

/** Shows examples under the command's description, before its flags. */
export function addExamples(command: Command, examples: Resource['examples']): void {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, answer]) => `  ${line.padEnd(width)}  ${answer}`);
  command.description(`${command.description()}\n\nExamples:\n${lines.join('\n')}`);
}
