import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import type { QueryPair } from '../../api/address.ts';
import type { Export } from '../../run/export-part.ts';
import type { Part } from '../../run/part.ts';
import { addCommand } from '../command.ts';
import { flagGroup, yes } from '../flag-group.ts';
import { outputFlags, paramFlag, requestFlags } from '../flags.ts';

/** `get`: any address of the service. */
export function addRawGet(program: Command, context: Context): void {
  addCommand(program, 'get', {
    description: 'The body of any GET under the base address, as it was served.',
    arguments: [['<path>', 'below the base address, such as /customers/4711; may carry a query']],
    examples: [
      ['folio get /invoices/issued', 'the first page, as it was served'],
      ['folio get "/invoices/issued?status=OVERDUE" --paginate', 'every record, all pages'],
    ],
    flags: { get: getFlags, output: outputFlags, request: requestFlags },
    run: (values, [address]) => runGet(context, address, values),
  });
}

interface GetFlags {
  readonly paginate?: boolean;
  readonly param?: readonly QueryPair[];
}

const getFlags = flagGroup<GetFlags>('Which records:', {
  paginate: yes('--paginate', 'walk all pages, like the listing that the path names'),
  param: paramFlag('a parameter, sent as it is'),
});

/** Writes the body as it was served, or with --paginate the records of the listing that the path names. */
async function runGet(
  context: Context,
  given: string,
  { get, ...asked }: Omit<Export, 'source'> & { readonly get: GetFlags },
): Promise<void> {
  const { bodySource, listingAt, readAddress } = await import('../../run/sources/address-source.ts');
  const address = readAddress(given, get.param ?? []);
  if (get.paginate) {
    const { exportRecords } = await import('../../run/pipeline.ts');
    return exportRecords(context, { ...asked, source: listingAt(address) });
  }
  const { globals, request, output: flags } = asked;
  const source = bodySource(address);
  const { name, records } = source;
  const { output } = flags;
  const { inRun } = await import('../../run/run.ts');
  const { askPart } = await import('../../run/part.ts');
  await inRun(context, { globals, request, name, records, output }, (run) =>
    askPart(run, { source }, (part) => deliverBody(part, output)),
  );
}

async function deliverBody({ context, read }: Part, output: string | undefined): Promise<void> {
  const { written } = await import('../../output/files/destination.ts');
  const { openDestination } = await import('../../output/files/open-destination.ts');
  const destination = await openDestination(output, context);
  await written(destination, async () => {
    for await (const { records } of read(undefined)) await destination.write(records.bytes);
  });
}
