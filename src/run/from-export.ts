import { flagDefaults } from '../cli/settings.ts';
import type { Context } from '../context.ts';
import { UsageError } from '../errors.ts';
import { chooseProfile } from '../profiles/connection.ts';
import { readExport } from '../query/exports/read-export.ts';
import type { ListingRun } from './listing-query.ts';
import { Notices } from './notices.ts';
import { openQuestions, refuseOverwriting } from './open-questions.ts';
import { discardNotice, planOutput } from './output-plan.ts';
import { deliver } from './pipeline.ts';

/** What only a service can be asked, or its run can tell. */
const OF_SERVICE = ['param', 'report', 'sandbox'] as const;

/** Answers from an export what would be asked of the listing. Nothing is sent. Throws UsageError for a file that is none. */
export async function answerFromExport(context: Context, run: ListingRun, from: string): Promise<void> {
  const { flags, resource } = run;
  const given = OF_SERVICE.find((name) => flags[name] !== undefined);
  if (given !== undefined) {
    throw new UsageError(`--from and --${given} do not go together: a file is read, and no service asked`, {
      hint: `Leave out one of the two.`,
    });
  }
  await refuseOverwriting('--from', from, flags.output);
  const store = await context.config();
  const profile = chooseProfile(flags.profile, context.env, store)?.name;
  if (flags.listColumns) {
    const { listColumns } = await import('./list-columns.ts');
    const questions = await openQuestions(context, { flags, resource, plan: undefined });
    return listColumns(context, readExport(from), { questions, output: flags.output });
  }
  const makeResult = await run.makeResult?.({ profile });
  const notices = new Notices(context, flags);
  const defaults = flagDefaults(store, profile, resource);
  const output = await planOutput(context, { flags, defaults, sheet: run.sheet ?? resource.records });
  const questions = await openQuestions(context, { flags, resource, plan: output, makeResult });
  const plan = { ...output, openWriter: questions.writer(output.openWriter) };
  await deliver(context, plan, questions.answer(readExport(from)), discardNotice(notices, plan.target));
  notices.tell(questions.notes(0, false));
}
