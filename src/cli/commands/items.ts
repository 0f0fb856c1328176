import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { fundDocuments } from '../../resources/fund-documents.ts';
import type { ItemFlags } from '../../run/items.ts';
import { declareLater } from '../declare-later.ts';
import { addOutputFlags, addRequestFlags, flagsOf, type GlobalFlags } from '../flags.ts';
import { parameter } from '../parse-values.ts';
import { addExamples, addListing } from './listing.ts';

/** `customers get` and `customers portal-link`. */
export function addCustomerItems(customers: Command, context: Context): void {
  addGet(customers.command('get'), context);
  addPortalLink(customers.command('portal-link'), context);
}

function addGet(command: Command, context: Context): void {
  command.summary('one customer').description('One customer, from GET /customers/{id}.');
  command.argument('<id>', 'the identifier of the customer, as in the listing');
  addExamples(command, [
    ['folio customers get 4711', 'the customer, as a table on a terminal and as JSON off one'],
    ['folio customers get 4711 --format jsonl', 'the same on one line'],
  ]);
  declareLater(command, () => {
    addOutputFlags(command);
    addRequestFlags(command);
  });
  command.action(async (id: string) => {
    const { getCustomer } = await import('../../run/items.ts');
    await getCustomer(context, id, flagsOf<ItemFlags & GlobalFlags>(command));
  });
}

function addPortalLink(command: Command, context: Context): void {
  command.summary('the link to a customer’s portal');
  command.description(
    'The link to a customer’s portal, from GET /customers/portal-link. The specification does not show its parameters.',
  );
  command.argument('[id]', 'the customer, sent as customerId');
  addExamples(command, [
    ['folio customers portal-link 4711', 'the link of the customer 4711'],
    ['folio customers portal-link 86345678-9 --id-param fiscalId', 'the same by another parameter'],
  ]);
  command.option('--id-param <name>', 'the parameter that carries the id', 'customerId');
  command.option(
    '--param <name=value>',
    'any further parameter of the service, sent as it is',
    parameter('--param'),
  );
  declareLater(command, () => {
    addOutputFlags(command);
    addRequestFlags(command);
  });
  command.action(async (id: string | undefined) => {
    const { getPortalLink } = await import('../../run/items.ts');
    await getPortalLink(context, id, flagsOf<ItemFlags & GlobalFlags>(command));
  });
}

const FUND_ID = ['<id>', 'the identifier of the fund, as in the listing'] as const;

/** `funds get` and `funds documents`. */
export function addFundItems(funds: Command, context: Context): void {
  const get = funds.command('get').argument(...FUND_ID);
  get.summary('one fund with all its documents');
  get.description(
    `One fund with every document assigned to it, all pages merged, from GET ${fundDocuments.path}.`,
  );
  addExamples(get, [
    ['folio funds get 4711', 'the fund, as a table on a terminal and as JSON off one'],
    ['folio funds get 4711 -o fund.json', 'the same as a file'],
  ]);
  declareLater(get, () => {
    addOutputFlags(get);
    addRequestFlags(get);
  });
  get.action(async (id: string) => {
    const { getFund } = await import('../../run/items.ts');
    await getFund(context, id, flagsOf<ItemFlags & GlobalFlags>(get));
  });
  addListing(funds.command('documents'), fundDocuments, context, FUND_ID);
}
