import type { Command } from 'commander';
import type { Context } from '../context.ts';
import type { GlobalFlags } from './global-flags.ts';
import { addExamples } from './listing.ts';
import { addOutputFlags } from './output-flags.ts';
import { parameter } from './parse-values.ts';
import { addRequestFlags } from './request-flags.ts';
import type { ItemFlags } from './run-item.ts';
import { flagsOf } from './flags-of.ts';
import { declareLater } from './declare-later.ts';

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
    const { getCustomer } = await import('./run-item.ts');
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
    const { getPortalLink } = await import('./run-item.ts');
    await getPortalLink(context, id, flagsOf<ItemFlags & GlobalFlags>(command));
  });
}
