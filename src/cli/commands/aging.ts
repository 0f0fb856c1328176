import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
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
import type { Export } from '../../run/export-part.ts';
import type { Source } from '../../run/part.ts';
import { day, parameter } from '../../run/parse-values.ts';
import { fieldMap } from '../../run/settings.ts';
import { addCommand } from '../command.ts';
import { flagGroup, text, valued, yes } from '../flag-group.ts';
import { outputFlags, paramFlag, reportFlags, requestFlags } from '../flags.ts';
import { whereFlags } from '../question-flags.ts';

/** `aging`: who owes how much, and for how long. */
export function addAging(program: Command, context: Context): void {
  addCommand(program, 'aging', {
    summary: 'open amounts by how long they are overdue',
    description:
      'Open amounts of issued invoices by how long they are overdue: a row for each counterparty, totals for each currency. ' +
      'A credit note takes away from what is owed.',
    examples: [
      ['folio aging', 'who owes you, as of today'],
      ['folio aging --payable', 'whom you owe'],
      ['folio aging --as-of 2026-10-31 -o aging.xlsx', 'as it was at the end of a month'],
      ['folio aging --from issued.jsonl --buckets 15,30', 'of an export, offline'],
      ['folio aging --field due=paymentDate', 'with the due date in another column'],
      ['folio aging --field currency==CLP', 'with a currency that no record says'],
    ],
    flags: {
      aging: agingFlags,
      questions: whereFlags,
      output: outputFlags,
      report: reportFlags,
      request: requestFlags,
    },
    run: (values) => runAging(context, values),
  });
}

interface AgingFlags {
  readonly payable?: boolean;
  /** In days since 1970-01-01. */
  readonly asOf?: number;
  readonly buckets?: Buckets;
  /** An export, instead of the service. */
  readonly from?: string;
  readonly field?: readonly (readonly [field: string, column: string])[];
  readonly param?: readonly (readonly [name: string, value: string])[];
}

const agingFlags = flagGroup<AgingFlags>('Questions:', {
  payable: yes('--payable', 'of received invoices instead of issued ones'),
  asOf: valued('--as-of <date>', 'the day to count to, such as 2026-10-31 (default: today)', day('--as-of')),
  buckets: valued(
    '--buckets <days>',
    'where one bucket ends and the next begins (default 30,60,90)',
    (days) => parseBuckets(days),
  ),
  from: text('--from <file>', 'of an export in jsonl, json or csv, without asking the service'),
  field: valued(
    '--field <name=column>',
    `the column of ${KNOWN_FIELDS.join(', ')}; for good: folio config set fields.<name>`,
    parameter('--field'),
  ),
  param: paramFlag('any parameter of the service, sent as it is'),
});

/** From the service, or offline from an export. */
async function runAging(
  context: Context,
  { aging, ...asked }: Omit<Export, 'source'> & { readonly aging: AgingFlags },
): Promise<void> {
  const { exportRecords } = await import('../../run/pipeline.ts');
  await exportRecords(context, {
    ...asked,
    source: await sourceOf(aging, asked),
    sheet: 'aging',
    makeResult: async ({ profile }) => {
      const { agingQuestion } = await import('../../query/aging-rows.ts');
      // The sandbox takes no settings, as it takes no profile.
      const stored = asked.everywhere.sandbox ? {} : fieldMap(await context.config(), profile);
      const options = await agingOptionsOf(context, aging, stored);
      return (site) => agingQuestion(options, site);
    },
  });
}

async function sourceOf(
  { payable, from, param }: AgingFlags,
  { everywhere, output, report }: Omit<Export, 'source'>,
): Promise<Source> {
  const resource = payable ? received : issued;
  if (from === undefined) {
    const { ListingSource } = await import('../../run/listing-source.ts');
    return new ListingSource({ resource, filters: param === undefined ? {} : { param } });
  }
  refuseService({ param, report: report?.report, sandbox: everywhere.sandbox });
  const { exportSource } = await import('../../run/export-source.ts');
  return exportSource(from, { resource, output: output.output });
}

/** A file is read: what concerns the service has no place beside it. */
function refuseService(flags: Readonly<Record<string, unknown>>): void {
  const given = Object.keys(flags).find((name) => flags[name] !== undefined);
  if (given === undefined) return;
  throw new UsageError(`--from and --${given} do not go together: a file is read, and no service asked`, {
    hint: 'Leave out one of the two.',
  });
}

/** What the flags say, and where they say nothing the settings' map of fields. Throws UsageError. */
async function agingOptionsOf(
  context: Context,
  { payable, field = [], buckets, asOf }: AgingFlags,
  stored: Readonly<Record<string, string>>,
): Promise<AgingOptions> {
  const { DEFAULT_BUCKETS } = await import('../../query/aging.ts');
  const { localDay } = await import('../../json/calendar-day.ts');
  return {
    fields: mapKnownColumns(payable ? RECEIVED_COLUMNS : ISSUED_COLUMNS, {
      ...stored,
      ...Object.fromEntries(field),
    }),
    buckets: buckets ?? DEFAULT_BUCKETS,
    asOf: asOf ?? localDay(context.clock.now()),
  };
}
