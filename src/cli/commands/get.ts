import type { Context } from '../../context.ts';
import { ruled, type Flags, type Values } from '../../run/flag.ts';
import { outputFlags, paramFlag, requestFlags, type ExportFlags } from '../../run/flags.ts';
import type { Part } from '../../run/run.ts';
import { declareCommand } from '../command.ts';

const getFlags = {
  paginate: { syntax: '--paginate', about: 'walk all pages, like the listing that the path names' },
  param: { ...paramFlag, about: 'a parameter, sent as it is' },
  ...ruled(outputFlags, {
    needs: ['--paginate'],
    why: 'needs --paginate: without it, get prints the body as served',
  }),
  output: outputFlags.output,
  ...requestFlags,
} as const satisfies Flags;

export const getCommand = declareCommand({
  description: 'The body of any GET under the base address, as it was served.',
  arguments: [['<path>', 'below the base address, such as /customers/4711; may carry a query']],
  examples: [
    ['folio get /invoices/issued', 'the first page, as it was served'],
    ['folio get "/invoices/issued?status=OVERDUE" --paginate', 'every record, all pages'],
  ],
  flags: getFlags,
  run: runGet,
});

/** Writes the body as it was served, or with --paginate the records of the listing that the path names. */
async function runGet(
  context: Context,
  flags: Values<typeof getFlags> & ExportFlags,
  [typed]: readonly [string],
): Promise<void> {
  const { bodySource, listingAt, readAddress } = await import('../../run/sources/item-sources.ts');
  const address = readAddress(typed, flags.param ?? []);
  if (flags.paginate) {
    const { exportRecords } = await import('../../run/pipeline.ts');
    return exportRecords(context, { flags, source: listingAt(address) });
  }
  const source = bodySource(address);
  const { name, records } = source;
  const { output } = flags;
  const { inPart, inRun } = await import('../../run/run.ts');
  const { Notices } = await import('../../run/notices.ts');
  const notices = new Notices(context, flags);
  await inRun(context, { flags, name, records, output, notices }, async (run) => {
    const opened = await source.open(run, []);
    const { failure } = await inPart(run, { source: opened }, (part) => deliverBody(part, output));
    if (failure !== undefined) throw failure;
  });
}

async function deliverBody(part: Part, output: string | undefined): Promise<void> {
  const { openDestination, writeAndCommit } = await import('../../output/files/destination.ts');
  const { recordsOf } = await import('../../run/run.ts');
  const destination = await openDestination(output, part.context);
  await writeAndCommit(destination, async () => {
    for await (const { bytes } of recordsOf(part)) await destination.write(bytes);
  });
}
