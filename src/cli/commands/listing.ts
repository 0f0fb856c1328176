import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import type { Resource } from '../../resources/resource.ts';
import { addCommand, type CommandHelp, type GroupValues } from '../command.ts';
import {
  extentFlags,
  filterFlags,
  outputFlags,
  profilesFlags,
  receiptFlags,
  requestFlags,
  fromFlags,
  questionFlags,
} from '../flags.ts';

/**
 * Adds the command of a resource, such as `issued`, and `list` under it. Flags, help and examples come from the declaration
 * in `resources`.
 */
export function addListing(program: Command, resource: Resource, context: Context): Command {
  const spec = { ...listingHelp(resource), ...listing(resource, context) };
  const command = addCommand(program, resource.name, spec);
  addCommand(command, 'list', spec);
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
  addCommand(parent, name, {
    ...listingHelp(resource),
    flags,
    arguments: [argument],
    run: (values, [id]) => run(values, [], id),
  });
}

const NEWEST = ' A table on a terminal begins with the newest.';

/** What the help says of a listing. */
function listingHelp({ records, path, defaultOrder, newestFirst, examples }: Resource): CommandHelp {
  const first = records.slice(0, 1).toUpperCase() + records.slice(1);
  return {
    summary: records,
    description: `${first}, from GET ${path}, ${defaultOrder} unless said otherwise.${newestFirst ? NEWEST : ''}`,
    examples,
  };
}

/** The flags of a listing, declared in `flags.ts`, and the run that hands each group to its reader. */
function listing(resource: Resource, context: Context) {
  const flags = {
    filters: filterFlags(resource),
    extent: extentFlags(resource),
    output: outputFlags,
    receipt: receiptFlags,
    request: requestFlags,
    questions: questionFlags,
    from: fromFlags,
    profiles: profilesFlags,
  };
  const run = async (values: GroupValues<typeof flags>, _: readonly [], id?: string): Promise<void> => {
    const { from, filters, extent, questions, ...others } = values;
    const asked = { ...others, filters, extent, questions };
    const { exportRecords } = await import('../../run/pipeline.ts');
    const { askedSource } = await import('../../run/sources/asked-source.ts');
    const source = await askedSource(asked, { resource, id, from, rowsToo: true });
    await exportRecords(context, { ...asked, source });
  };
  return { flags, run };
}
