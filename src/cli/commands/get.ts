import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import type { GetFlags } from '../../run/raw-get.ts';
import { addCommand } from '../command.ts';
import { flagGroup, yes } from '../flag-group.ts';
import { outputFlags, paramFlag, requestFlags } from '../flags.ts';

/** `get`: any address of the service. */
export function addRawGet(program: Command, context: Context): void {
  addCommand(program, 'get', {
    summary: 'any address of the service',
    description: 'The body of any GET under the base address, as it was served.',
    arguments: [['<path>', 'below the base address, such as /customers/4711; may carry a query']],
    examples: [
      ['folio get /invoices/issued', 'the first page, as it was served'],
      ['folio get "/invoices/issued?status=OVERDUE" --paginate', 'every record, all pages'],
    ],
    flags: { get: getFlags, output: outputFlags, request: requestFlags },
    run: async (values, [path]) => {
      const { rawGet } = await import('../../run/raw-get.ts');
      await rawGet(context, path, values);
    },
  });
}

const getFlags = flagGroup<GetFlags>('Which records:', {
  paginate: yes('--paginate', 'walk all pages, like the listing that the path names'),
  param: paramFlag('a parameter, sent as it is'),
});
