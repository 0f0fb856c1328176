import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { fundDocuments } from '../resources/fund-documents.ts';
import type { GlobalFlags } from './global-flags.ts';
import { addExamples, addListing } from './listing.ts';
import { addOutputFlags } from './output-flags.ts';
import { addRequestFlags } from './request-flags.ts';
import type { ItemFlags } from './run-item.ts';
import { flagsOf } from './flags-of.ts';
import { declareLater } from './declare-later.ts';

const ID = ['<id>', 'the identifier of the fund, as in the listing'] as const;

/** `funds get` and `funds documents`. */
export function addFundItems(funds: Command, context: Context): void {
  const get = funds.command('get').argument(...ID);
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
    const { getFund } = await import('./run-item.ts');
    await getFund(context, id, flagsOf<ItemFlags & GlobalFlags>(get));
  });
  addListing(funds.command('documents'), fundDocuments, context, ID);
}
