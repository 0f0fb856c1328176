import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../context.ts';
import { endingsOf, type Format } from '../../output/formats.ts';
import { oneWordName } from '../../resources/resource.ts';
import { exportPart, runOf, type Export } from '../export-part.ts';
import { bareCount } from '../open-questions.ts';
import { impliedFormat } from '../output-plan.ts';
import { forEachPart, tryPart } from '../part.ts';
import type { PartState } from '../part-state.ts';
import { inRun } from '../run.ts';
import { flagDefaults } from '../settings.ts';
import { checkProfiles } from './joined-source.ts';

/**
 * Writes the records of each profile into a file of its own: what `--profile <name> -o <file>` writes. One that fails leaves its
 * file as it was, and is named in the error at the end.
 *
 * @param folder as --output-dir names it
 */
export async function exportApart(
  context: Context,
  asked: Export,
  { names, folder }: { readonly names: readonly string[]; readonly folder: string },
): Promise<void> {
  const { source } = asked;
  const apart = await planFiles(context, { asked, folder, names });
  const files = apart.map(({ profile, path }) => {
    return { flag: '--output-dir:', path, is: `where the records of ${profile} go` };
  });
  await inRun(context, { ...(await runOf(asked)), folder, files, parts: names }, async (run) => {
    const results: PartState[] = [];
    await source.open?.(run);
    for (const { older, path } of apart) {
      if (older === undefined) continue;
      run.notices.warn(`${older} is of an earlier version of folio; these records are in ${path} now`);
    }
    const all = forEachPart(run, apart, ({ profile, format, path }, signal) =>
      tryPart(run, { source, name: profile, profile, signal }, (part) =>
        exportPart(part, asked, { format, output: path }),
      ),
    );
    for await (const result of all) results.push(result);
    checkProfiles(results);
  });
}

/** The file of one profile in the folder of --output-dir. */
interface FileApart {
  readonly profile: string;
  readonly path: string;
  readonly format: Format;
  /** The file as earlier versions called it, which had one name for all listings; undefined where there is none. */
  readonly older: string | undefined;
}

/** The files of --output-dir: `<profile>.<listing>.<ending>`. The format is that of the flags, else the profile's own, else csv. */
async function planFiles(
  context: Context,
  { asked, folder, names }: { asked: Export; folder: string; names: readonly string[] },
): Promise<readonly FileApart[]> {
  const { flags, source, sheet } = asked;
  const listing = [...(sheet === undefined ? [] : [sheet]), oneWordName(source, '-')].join('-');
  const store = flags.sandbox ? undefined : await context.config();
  return Promise.all(
    names.map(async (profile) => {
      const defaults = store ? flagDefaults(store, profile, source.resource) : {};
      const format = flags.format ?? bareCount(flags).format ?? impliedFormat(flags, defaults) ?? 'csv';
      const ending = endingsOf(format)[0]!;
      const older = join(folder, `${profile}.${ending}`);
      const path = join(folder, `${profile}.${listing}.${ending}`);
      return { profile, path, format, older: existsSync(older) ? older : undefined };
    }),
  );
}
