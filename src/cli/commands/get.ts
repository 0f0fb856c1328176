import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import type { GlobalFlags } from '../flags.ts';
import { addExamples } from './listing.ts';
import { addOutputFlags } from '../flags.ts';
import { parameter } from '../parse-values.ts';
import { addRequestFlags } from '../flags.ts';
import type { RawFlags } from '../../run/raw-get.ts';
import { flagsOf } from '../flags.ts';
import { declareLater } from '../declare-later.ts';

/** `get`: any address of the service. */
export function addRawGet(program: Command, context: Context): void {
  const command = program.command('get').summary('any address of the service');
  command.description('The body of any GET under the base address, as it was served.');
  command.argument('<path>', 'below the base address, such as /customers/4711; may carry a query');
  addExamples(command, [
    ['folio get /invoices/issued', 'the first page, as it was served'],
    ['folio get "/invoices/issued?status=OVERDUE" --paginate', 'every record, all pages'],
  ]);
  command.option('--paginate', 'walk all pages, like the listing that the path names');
  command.option('--param <name=value>', 'a parameter, sent as it is', parameter('--param'));
  declareLater(command, () => {
    addOutputFlags(command);
    addRequestFlags(command);
  });
  command.action(async (path: string) => {
    const { rawGet } = await import('../../run/raw-get.ts');
    await rawGet(context, path, flagsOf<RawFlags & GlobalFlags>(command));
  });
}
