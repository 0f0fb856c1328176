import { DEFAULT_BUCKETS } from '../../query/aging-buckets.ts';
import { ISSUED_COLUMNS, mapKnownColumns, RECEIVED_COLUMNS } from '../../query/known-columns.ts';
import type { AgingOptions } from '../../query/aging.ts';
import { localDay } from '../../json/calendar-day.ts';
import { readExport } from '../../query/exports/read-export.ts';
import { chooseProfile } from '../../profiles/connection.ts';
import type { Context } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { issued } from '../../resources/issued.ts';
import { received } from '../../resources/received.ts';
import type { AgingFlags } from './aging.ts';
import { fieldMap, flagDefaults } from '../settings.ts';
import { deliver } from '../../run/pipeline.ts';
import { discardNotice } from '../../run/output-plan.ts';
import { listColumns } from '../run/list-columns.ts';
import { Notices } from '../../run/notices.ts';
import { planOutput } from '../../run/output-plan.ts';
import { makeAging } from '../../query/aging-rows.ts';
import { openQuestions } from '../run/open-questions.ts';
import { refuseOverwriting } from '../run/refuse-overwriting.ts';
import { runListing } from '../../run/pipeline.ts';

/** `aging`: from the service, or offline from an export. */
export async function runAging(context: Context, flags: AgingFlags): Promise<void> {
  if (flags.from !== undefined) return ageExport(context, flags, flags.from);
  const resource = flags.payable ? received : issued;
  await runListing(context, {
    resource,
    id: undefined,
    flags,
    makeResult: async ({ profile }) => {
      // The sandbox takes no settings, as it takes no profile.
      const stored = flags.sandbox ? {} : fieldMap(await context.config(), profile);
      const options = optionsOf(context, flags, stored);
      return (site) => makeAging(options, site);
    },
  });
}

async function ageExport(context: Context, flags: AgingFlags, from: string): Promise<void> {
  const given = (['param', 'report', 'sandbox'] as const).find((name) => flags[name] !== undefined);
  if (given !== undefined) {
    throw new UsageError(`--from and --${given} do not go together: a file is read, and no service asked`);
  }
  if (flags.listColumns) return listColumns(context, readExport(from));
  await refuseOverwriting('--from', from, flags.output);
  const resource = flags.payable ? received : issued;
  const store = await context.config();
  const profile = chooseProfile(flags.profile, context.env, store)?.name;
  const options = optionsOf(context, flags, fieldMap(store, profile));
  const notices = new Notices(context, flags);
  const output = await planOutput(context, {
    flags,
    defaults: flagDefaults(store, profile, resource),
    sheet: 'aging',
  });
  const questions = await openQuestions(context, {
    ...{ flags, resource, notices, plan: output },
    makeResult: (site) => makeAging(options, site),
  });
  const plan = { ...output, openWriter: questions.writer(output.openWriter) };
  await deliver(context, plan, questions.answer(readExport(from)), discardNotice(notices, plan.target));
  questions.announce(0, false);
}

/** What the flags say, and where they say nothing the stored map of fields. Throws UsageError. */
function optionsOf(
  context: Context,
  { payable, field = [], buckets = DEFAULT_BUCKETS, asOf = localDay(context.clock.now()) }: AgingFlags,
  stored: Readonly<Record<string, string>>,
): AgingOptions {
  const map = { ...stored, ...Object.fromEntries(field) };
  return { fields: mapKnownColumns(payable ? RECEIVED_COLUMNS : ISSUED_COLUMNS, map), buckets, asOf };
}
