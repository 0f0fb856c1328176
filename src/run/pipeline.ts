import type { Context } from '../context.ts';
import { PROFILE_COLUMN } from '../invoices/fields.ts';
import { exportPart, knownColumns, runOf, writeColumns, type Export } from './export-part.ts';
import type { ExportFlags } from './flags.ts';
import { Notices } from './notices.ts';
import { askPart, type PartOptions } from './part.ts';
import { asksSeveral, chooseProfiles } from './session.ts';
import { asksForTotals, checkOrderOfTotals, checkSumsOfRows } from './question-checks.ts';
import { inRun } from './run.ts';

/**
 * Exports what a source yields: source, then questions, then a format in a file or on a stream. Every command whose
 * records leave in a format is this call, whatever the source: a listing, an item, the results of downloads, an export.
 *
 * In this order:
 *
 * 1. Questions that have no answer are refused, before anything is opened or asked.
 * 2. The run begins (`inRun`): receipt opened, progress shown; both end with it, whatever the end.
 * 3. The source gets ready (`Source.open`), once.
 * 4. A part is opened (`askPart`) for each organization: session, token, settings, and what is counted.
 * 5. The output is planned, and the destination opened before the first request (`exportPart`).
 * 6. Records flow: a page at a time from the source, through the questions, into the writer. Memory does not grow with them.
 * 7. The destination is committed: a file appears whole, or not at all.
 * 8. What is missing is told: fiscal IDs that nobody has, records that could not be read (`checkPart`, IncompleteError).
 *
 * Several organizations, which the flags name or the source itself has (`Source.profiles`), are one source that joins them
 * (`several/joined-source.ts`), which opens a part for each; with --output-dir each takes steps 4 to 8 (`several/apart.ts`).
 * Runs with another sink, such as a database or a report, use `inRun`, `forEachPart` and `tryPart` in the same way.
 *
 * @throws UsageError, AuthError, NotFoundError, ServiceError, OutputError, Interrupted: nothing was delivered
 * @throws IncompleteError after everything that could be had was delivered
 */
export async function exportRecords(context: Context, asked: Export): Promise<void> {
  const { source, flags } = asked;
  await checkOrderOfTotals(flags);
  checkSumsOfRows(flags);
  try {
    const own = (await source.profiles?.(context)) ?? [];
    const names = await severalOf(context, asked, own);
    const folder = flags.outputDir;
    if (names !== undefined && folder !== undefined)
      return await (await import('./several/apart.ts')).exportApart(context, asked, { names, folder });
    await inRun(context, { ...(await runOf(asked)), parts: names }, async (run) => {
      const columns = flags.listColumns ? await knownColumns(run.context, asked, names) : undefined;
      if (columns !== undefined) return writeColumns(run.context, columns, flags.output);
      const part = async (): Promise<PartOptions> => {
        if (names === undefined) return { source, profile: own[0] };
        const { JoinedSource } = await import('./several/joined-source.ts');
        return { source: new JoinedSource(run, { source, names, limit: flags.limit ?? Infinity }) };
      };
      await source.open?.(run);
      await askPart(run, await part(), (open) => exportPart(open, asked));
    });
  } finally {
    await source.close?.();
  }
}

/**
 * The organizations whose records come, where there are several: those of the source, else of the service, which the flags name.
 * Undefined where one is asked, or the form of several is not.
 */
async function severalOf(
  context: Context,
  asked: Export,
  own: readonly string[],
): Promise<readonly string[] | undefined> {
  // An export without records says nothing of profiles.
  const isNobodys = asked.source.kind === 'local' && own.length === 0;
  if (own.length < 2 && (!asksSeveral(asked.flags) || isNobodys)) return undefined;
  warnOfAll(context, asked.flags, own);
  return own.length > 0 ? own : chooseProfiles(context, asked.flags);
}

/** Warns of figures over several organizations where nothing says that they are meant together. */
function warnOfAll(context: Context, flags: ExportFlags, own: readonly string[]): void {
  const isAsked = flags.profile !== undefined || flags.allProfiles === true;
  if (isAsked || own.length < 2 || !asksForTotals(flags) || flags.groupBy?.includes(PROFILE_COLUMN)) return;
  const text = `the figures are of ${own.join(', ')} together; --profile names whose are meant, --all-profiles says that all are`;
  new Notices(context, flags).warn(text);
}
