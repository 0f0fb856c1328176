import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import type { Resource } from '../../resources/resource.ts';
import type { Values } from '../../run/flag.ts';
import {
  extentFlags,
  filterFlags,
  outputFlags,
  profilesFlags,
  receiptFlags,
  requestFlags,
  fromFlags,
  questionFlags,
  type GlobalFlags,
} from '../../run/flags.ts';
import { addCommand, type CommandHelp } from '../command.ts';

/** Adds the command of a resource, such as `issued`, and `list` under it, as `resources` declares them. */
export function addListing(program: Command, resource: Resource, context: Context): Command {
  const spec = { ...listingHelp(resource), ...listing(resource, context) };
  const command = addCommand(program, context, resource.name, spec);
  addCommand(command, context, 'list', spec);
  return command;
}

/** Adds a listing within something else, such as the documents of a fund. The argument takes the place of `{id}` in the path. */
export function addListingOf(
  parent: Command,
  name: string,
  {
    resource,
    argument,
    context,
  }: { resource: Resource; argument: readonly [string, string]; context: Context },
): void {
  const { flags, run } = listing(resource, context);
  addCommand(parent, context, name, {
    ...listingHelp(resource),
    flags,
    arguments: [argument],
    run: (values, [id]) => run(values, [], id),
  });
}

const NEWEST = ' A table on a terminal begins with the newest.';

function listingHelp({ records, path, defaultOrder, newestFirst, examples }: Resource): CommandHelp {
  const first = records.slice(0, 1).toUpperCase() + records.slice(1);
  return {
    summary: records,
    description: `${first}, from GET ${path}, ${defaultOrder} unless said otherwise.${newestFirst ? NEWEST : ''}`,
    examples,
  };
}

function listing(resource: Resource, context: Context) {
  const flags = {
    ...filterFlags(resource),
    ...extentFlags(resource),
    ...outputFlags,
    ...receiptFlags,
    ...requestFlags,
    ...questionFlags,
    ...fromFlags,
    ...profilesFlags,
  };
  const run = async (
    values: Values<typeof flags> & GlobalFlags,
    _: readonly [],
    id?: string,
  ): Promise<void> => {
    const { exportRecords, sourceFor } = await import('../../run/pipeline.ts');
    const source = await sourceFor(values, { resource, id, acceptsParts: true });
    await exportRecords(context, { flags: values, source });
  };
  return { flags, run };
}
