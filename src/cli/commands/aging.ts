import { Option, type Command } from 'commander';
import { parseBuckets, type Buckets } from '../../query/aging-buckets.ts';
import { KNOWN_FIELDS } from '../../query/known-columns.ts';
import type { Context } from '../../context.ts';
import type { GlobalFlags } from '../flags.ts';
import { declareLater } from '../declare-later.ts';
import { addExamples } from './listing.ts';
import type { ListingFlags } from '../flags.ts';
import { addOutputFlags } from '../flags.ts';
import { day, parameter } from '../parse-values.ts';
import { whereOption } from '../question-flags.ts';
import { addRequestFlags } from '../flags.ts';
import { flagsOf } from '../flags.ts';

export interface AgingFlags extends ListingFlags, GlobalFlags {
  readonly payable?: boolean;
  /** In days since 1970-01-01. */
  readonly asOf?: number;
  readonly buckets?: Buckets;
  readonly from?: string;
  readonly field?: readonly (readonly [field: string, column: string])[];
}

/** `aging`: who owes how much, and for how long. */
export function addAging(program: Command, context: Context): void {
  const command = program.command('aging').summary('open amounts by how long they are overdue');
  command.description(
    'Open amounts of issued invoices by how long they are overdue: a row for each counterparty, totals for each currency. ' +
      'A credit note takes away from what is owed.',
  );
  addExamples(command, [
    ['folio aging', 'who owes you, as of today'],
    ['folio aging --payable', 'whom you owe'],
    ['folio aging --as-of 2026-10-31 -o aging.xlsx', 'as it was at the end of a month'],
    ['folio aging --from issued.jsonl --buckets 15,30', 'of an export, offline'],
    ['folio aging --field due=paymentDate', 'with the due date in another column'],
    ['folio aging --field currency==CLP', 'with a currency that no record says'],
  ]);
  declareLater(command, () => addAgingFlags(command));
  command.action(async () => {
    const { runAging } = await import('./run-aging.ts');
    await runAging(context, flagsOf<AgingFlags>(command));
  });
}

function addAgingFlags(command: Command): void {
  for (const option of agingOptions()) command.addOption(option.helpGroup('Questions:'));
  addOutputFlags(command);
  const report = new Option(
    '--report <file>',
    'write what the run did, as one JSON object; see folio verify',
  );
  command.addOption(report.helpGroup('What comes out:'));
  addRequestFlags(command);
}

function agingOptions(): Option[] {
  return [
    new Option('--payable', 'of received invoices instead of issued ones'),
    new Option('--as-of <date>', 'the day to count to, such as 2026-10-31 (default: today)').argParser(
      day('--as-of'),
    ),
    new Option('--buckets <days>', 'where one bucket ends and the next begins (default 30,60,90)').argParser(
      parseBuckets,
    ),
    new Option('--from <file>', 'of an export in jsonl, json or csv, without asking the service'),
    new Option(
      '--field <name=column>',
      `the column of ${KNOWN_FIELDS.join(', ')}; for good: folio config set fields.<name>`,
    ).argParser(parameter('--field')),
    whereOption(),
    new Option('--param <name=value>', 'any parameter of the service, sent as it is').argParser(
      parameter('--param'),
    ),
  ];
}
