import type { Resource } from '../../resources/resource.ts';
import {
  extentFlags,
  filterFlags,
  outputFlags,
  profilesFlags,
  receiptFlags,
  requestFlags,
  fromFlags,
  questionFlags,
} from '../../run/flags.ts';
import { recordFilters } from '../../run/filters.ts';
import { declareCommand, type CommandGroup, type Declaration } from '../command.ts';

/** The command of a resource, such as `issued`, with `list` and others under it. */
export function listingCommand(resource: Resource, others: CommandGroup = {}): Declaration {
  const list = listCommand(resource);
  return { ...list, commands: { list, ...others } };
}

/** Lists a resource. For one within another, such as the documents of a fund, the argument replaces `{id}` in the path. */
export function listCommand(resource: Resource, argument?: readonly [string, string]): Declaration {
  const { records, path, defaultOrder, newestFirst, examples } = resource;
  const first = records.slice(0, 1).toUpperCase() + records.slice(1);
  const newest = newestFirst ? ' A table on a terminal begins with the newest.' : '';
  return declareCommand({
    summary: records,
    description: `${first}, from GET ${path}. Order: ${defaultOrder}.${newest}`,
    examples,
    resource,
    arguments: argument === undefined ? [] : [argument],
    flags: {
      ...filterFlags(resource),
      ...extentFlags(resource),
      ...outputFlags,
      ...receiptFlags,
      ...requestFlags,
      ...recordFilters(resource),
      ...questionFlags,
      ...fromFlags,
      ...profilesFlags,
    },
    run: async (context, flags, [id]) => {
      const { exportRecords, sourceFor } = await import('../../run/pipeline.ts');
      const source = await sourceFor(flags, { resource, id, ifPartial: 'accept' });
      await exportRecords(context, { flags, source });
    },
  });
}
