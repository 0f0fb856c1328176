import type { Context } from '../../context.ts';
import { fundDocuments } from '../../resources/listings.ts';
import { outputFlags, paramFlag, requestFlags, type ExportFlags } from '../../run/flags.ts';
import type { Source } from '../../run/run.ts';
import { declareCommand, type CommandGroup } from '../command.ts';
import { listCommand } from './listing.ts';

/** Loaded when one of the commands runs. */
const sources = () => import('../../run/sources/item-sources.ts');

async function exportItem(context: Context, flags: ExportFlags, source: Source): Promise<void> {
  const { exportRecords } = await import('../../run/pipeline.ts');
  await exportRecords(context, { flags, source, single: true });
}

export const customerItems: CommandGroup = {
  get: declareCommand({
    summary: 'one customer',
    description: 'One customer, from GET /customers/{id}.',
    arguments: [['<id>', 'the identifier of the customer, as in the listing']],
    examples: [
      ['folio customers get 4711', 'the customer, as a table on a terminal and as JSON off one'],
      ['folio customers get 4711 --format jsonl', 'the same on one line'],
    ],
    flags: { ...outputFlags, ...requestFlags },
    run: async (context, flags, [id]) => exportItem(context, flags, (await sources()).customerSource(id)),
  }),
  'portal-link': declareCommand({
    summary: 'the link to a customer’s portal',
    description:
      'The link to a customer’s portal, from GET /customers/portal-link. The specification does not show its parameters.',
    arguments: [['[id]', 'the customer, sent as customerId']],
    examples: [
      ['folio customers portal-link 4711', 'the link of the customer 4711'],
      ['folio customers portal-link 4711 --id-param id', 'where the service calls the parameter id'],
    ],
    flags: {
      idParam: {
        syntax: '--id-param <name>',
        about: 'the parameter that carries the id (default customerId)',
      },
      param: paramFlag,
      ...outputFlags,
      ...requestFlags,
    },
    run: async (context, flags, [id]) =>
      exportItem(context, flags, (await sources()).portalLinkSource(id, flags)),
  }),
};

const FUND_ID = ['<id>', 'the identifier of the fund, as in the listing'] as const;

export const fundItems: CommandGroup = {
  get: declareCommand({
    summary: 'one fund with all its documents',
    description: `One fund with every document assigned to it, all pages merged, from GET ${fundDocuments.path}.`,
    arguments: [FUND_ID],
    examples: [
      ['folio funds get 4711', 'the fund, as a table on a terminal and as JSON off one'],
      ['folio funds get 4711 -o fund.json', 'the same as a file'],
    ],
    flags: { ...outputFlags, ...requestFlags },
    run: async (context, flags, [id]) => exportItem(context, flags, (await sources()).fundSource(id)),
  }),
  documents: listCommand(fundDocuments, FUND_ID),
};
