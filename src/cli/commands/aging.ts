import { Option, type Command } from 'commander';
import type { Context } from '../../context.ts';
import type { AgingOptions, Buckets } from '../../query/aging.ts';
import {
  ISSUED_COLUMNS,
  KNOWN_FIELDS,
  mapKnownColumns,
  RECEIVED_COLUMNS,
} from '../../query/known-columns.ts';
import { parseBuckets } from '../../query/question-syntax.ts';
import { issued } from '../../resources/issued.ts';
import { received } from '../../resources/received.ts';
import { declareLater } from '../declare-later.ts';
import { addOutputFlags, addRequestFlags, flagsOf, type GlobalFlags, type ListingFlags } from '../flags.ts';
import { day, parameter } from '../parse-values.ts';
import { whereOption } from '../question-flags.ts';
import { fieldMap } from '../settings.ts';
import { addExamples } from './listing.ts';

interface AgingFlags extends ListingFlags, GlobalFlags {
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
  command.action(() => runAging(context, flagsOf<AgingFlags>(command)));
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

/** From the service, or offline from an export. */
async function runAging(context: Context, flags: AgingFlags): Promise<void> {
  const run = {
    resource: flags.payable ? received : issued,
    id: undefined,
    flags,
    sheet: 'aging',
    makeResult: async ({ profile }: { readonly profile: string | undefined }) => {
      const { agingQuestion } = await import('../../query/aging-rows.ts');
      const options = await agingOptionsOf(context, flags, profile);
      return (site: Parameters<typeof agingQuestion>[1]) => agingQuestion(options, site);
    },
  };
  if (flags.from !== undefined) {
    const { answerFromExport } = await import('../../run/from-export.ts');
    return answerFromExport(context, run, flags.from);
  }
  const { runListing } = await import('../../run/pipeline.ts');
  await runListing(context, run);
}

/** What the flags say, and where they say nothing the settings' map of fields. Throws UsageError. */
async function agingOptionsOf(
  context: Context,
  { payable, field = [], buckets, asOf, sandbox }: AgingFlags,
  profile: string | undefined,
): Promise<AgingOptions> {
  const { DEFAULT_BUCKETS } = await import('../../query/aging.ts');
  const { localDay } = await import('../../json/calendar-day.ts');
  // The sandbox takes no settings, as it takes no profile.
  const stored = sandbox ? {} : fieldMap(await context.config(), profile);
  return {
    fields: mapKnownColumns(payable ? RECEIVED_COLUMNS : ISSUED_COLUMNS, {
      ...stored,
      ...Object.fromEntries(field),
    }),
    buckets: buckets ?? DEFAULT_BUCKETS,
    asOf: asOf ?? localDay(context.clock.now()),
  };
}
