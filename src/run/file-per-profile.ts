import { existsSync, statSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import type { Context } from '../context.ts';
import { isFailure } from '../errors.ts';
import { localMinute } from '../json/calendar-day.ts';
import { endingsOf, type Format } from '../output/formats.ts';
import { oneWordName } from '../resources/resource.ts';
import { checkResults, hasRecords, wordsOfProfiles } from './completeness.ts';
import type { ExportFlags } from './flags.ts';
import { impliedFormat } from './output-plan.ts';
import { forEachPart, inPart, storeOf, type OpenSource, type Part, type Source } from './part.ts';
import type { WrittenPath } from './paths.ts';
import { stateOf, type Run } from './run.ts';
import { flagDefaults } from './settings.ts';

/** The file of a profile in the folder of --output-dir. */
interface FileOfProfile {
  readonly profile: string;
  readonly format: Format;
  readonly output: string;
  readonly receipt: string | undefined;
}

/**
 * A file for each profile in a folder, `<profile>.<listing>.<ending>`; the format is that of the flags, else the profile's own,
 * else csv. Returns what is written, and a function that writes it in a run.
 */
export async function filePerProfile(
  context: Context,
  { flags, source, sheet }: { flags: ExportFlags; source: Source; sheet?: string },
  { profiles, folder }: { profiles: readonly string[]; folder: string },
) {
  const listing = [...(sheet === undefined ? [] : [sheet]), oneWordName(source, '-')].join('-');
  const store = await storeOf({ flags, context });
  const { receiptPathOf } = flags.receipt === undefined ? {} : await import('./receipt.ts');
  const writes: WrittenPath[] = [];
  const files = profiles.map((profile): FileOfProfile => {
    const format =
      flags.format ?? impliedFormat(flags, flagDefaults(store, profile, source.resource)) ?? 'csv';
    const output = join(folder, `${profile}.${listing}.${endingsOf(format)[0]!}`);
    const receipt = receiptPathOf?.(output);
    writes.push({ path: output, flag: '--output-dir:', is: `where the records of ${profile} go` });
    if (receipt !== undefined)
      writes.push({ path: receipt, flag: '--receipt:', is: `where the receipt of ${profile} goes` });
    return { profile, format, output, receipt };
  });
  return {
    writes,
    exportEach: (run: Run, opened: OpenSource, exportPart: ExportFile) =>
      exportEach(run, { source: opened, files }, exportPart),
  };
}

type ExportFile = (part: Part, file: FileOfProfile) => Promise<void>;

/** Writes the files, each as `--profile <name> -o <file>` does. One that fails stays as it was, and the error names it. */
async function exportEach(
  run: Run,
  { source, files }: { source: OpenSource; files: readonly FileOfProfile[] },
  exportPart: ExportFile,
): Promise<void> {
  for (const { profile, output } of files) {
    // Its name in earlier versions, which was one for all listings.
    const older = join(dirname(output), `${profile}${extname(output)}`);
    if (!existsSync(older)) continue;
    run.notices.warn(`${older} is of an earlier version of folio; these records are in ${output} now`);
  }
  const kept: string[] = [];
  const all = forEachPart(run, files, async (file, signal) => {
    const { profile, output, receipt } = file;
    const state = stateOf(run, profile);
    const write = async (): Promise<void> => {
      await inPart(run, { source, name: profile, profile, signal }, (part) => exportPart(part, file));
      if (state.failure !== undefined) throw state.failure;
    };
    try {
      if (receipt === undefined) await write();
      else {
        const { withReceipt } = await import('./receipt.ts');
        const { notices } = state;
        const own = {
          ...run,
          name: source.name,
          output,
          folder: undefined,
          whole: state,
          notices,
          parts: [],
        };
        await withReceipt(own, receipt, write);
      }
    } catch (error) {
      if (!isFailure(error)) throw error;
      state.failure = error;
    }
    return { state, output };
  });
  for await (const { state, output } of all) {
    const stats = hasRecords(state) ? undefined : statSync(output, { throwIfNoEntry: false });
    if (!stats?.isFile()) continue;
    kept.push(`${state.name}: ${output} stays as it was, of ${localMinute(stats.mtime.toISOString())}`);
  }
  checkResults(run.parts, { ...wordsOfProfiles(run.parts), kept });
}
