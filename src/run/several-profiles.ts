import { join } from 'node:path';
import { isFailure } from '../errors.ts';
import { PROFILE_COLUMN } from '../invoices/fields.ts';
import { sliceRecords, type RecordBatch } from '../json/records.ts';
import { withOwnColumn } from '../json/scan-records.ts';
import { endingsOf, type Format } from '../output/formats.ts';
import { RecordSpool } from '../output/spool.ts';
import type { ConfigStore } from '../profiles/profile.ts';
import { ownersOf } from '../query/exports/export-file.ts';
import { oneWordName } from '../resources/resource.ts';
import {
  checkResults,
  hasRecords,
  keptFiles,
  outcomeOf,
  passUnknownIds,
  wordsOfProfiles,
} from './outcome.ts';
import type { ExportFlags } from './flags.ts';
import { impliedFormat } from './output-plan.ts';
import type { WrittenPath } from './paths.ts';
import { stateOf, type PartState } from './run-state.ts';
import { receiptPathOf, withReceipt } from './receipt.ts';
import {
  forEachPart,
  inPart,
  recordsOf,
  type OpenSource,
  type Part,
  type PartEnd,
  type Run,
  type Source,
} from './run.ts';
import { flagDefaults } from './settings.ts';

/**
 * Joins the records of several organizations into one source, one organization after the other, with the profile as a column. The
 * records of each are spooled until all are read; one that fails is left out and named at the end. Memory is bounded. Opening and
 * closing the source of each is up to the caller.
 *
 * @param limitOfAll the most records of a listing that are wanted, of all profiles together
 */
export function joinedSource(run: Run, source: OpenSource, limitOfAll = Infinity): OpenSource {
  return {
    ...source,
    kind: 'local',
    isStrict: false,
    hasProfileColumn: true,
    async *read({ status, lacks }, wanted) {
      const { limit: limitOfEach } = wanted;
      const open = new Set<RecordSpool>();
      const collect = async ({ name: profile = '' }: PartState, signal: AbortSignal) => {
        const collected = new RecordSpool();
        open.add(collected);
        const state = await inPart(run, { source, name: profile, profile, signal }, async (part) => {
          for await (const batch of recordsOf(part, wanted)) await collected.add(batch);
        });
        return { state, collected };
      };
      const read: PartState[] = [];
      let left = limitOfEach === undefined ? Infinity : limitOfAll;
      try {
        for await (const { state, collected } of forEachPart(run, run.parts, collect)) {
          read.push(state);
          const own = { name: PROFILE_COLUMN, value: JSON.stringify(state.name) };
          for await (const batch of hasRecords(state) ? collected.read() : []) {
            if (left === 0) break;
            const some = sliceRecords(batch, 0, left);
            left -= some.count;
            status.records += some.count;
            // The records of an export of several have that column already.
            yield { records: source.hasProfileColumn ? some : withOwnColumn(some, own) };
          }
          await collected.close();
          open.delete(collected);
        }
      } finally {
        for (const collected of open) await collected.close();
        // Also where the reader has enough: what failed until then is missing in the answer.
        if (source.isStrict !== true) passUnknownIds(read);
        const failure = outcomeOf(read, wordsOfProfiles(read, { isOfService: source.kind === 'service' }));
        if (failure !== undefined) lacks.push(failure);
      }
      const parts = read.filter(hasRecords);
      if (parts.length === 0) throw lacks[0]!;
      status.totalAtEnd = totalOf(parts, limitOfEach);
    },
  };
}

/** The sum of the totals; undefined if a part that reached the limit has no total. */
function totalOf(parts: readonly PartState[], limit = Infinity): number | undefined {
  let sum = 0;
  for (const { status } of parts) {
    const total = status.totalAtEnd ?? (status.records < limit ? status.records : undefined);
    if (total === undefined) return undefined;
    sum += total;
  }
  return sum;
}

/** Tests whether nothing could be read of the profile of a record. Call it after all was read. */
export function unreadTest({ parts }: Run): (record: RecordBatch) => boolean {
  return (record) => {
    const [owner] = ownersOf(record);
    return parts.some((part) => part.name === owner && !hasRecords(part));
  };
}

/** The same records or rows; each is counted for the receipt of its profile. */
export async function* countedByProfile(
  { parts }: Run,
  answer: AsyncIterable<RecordBatch>,
): AsyncGenerator<RecordBatch> {
  const states = new Map(parts.map((part) => [part.name, part]));
  for await (const batch of answer) {
    for (const owner of ownersOf(batch)) {
      const state = states.get(owner);
      if (state !== undefined) state.records++;
    }
    yield batch;
  }
}

/** The file of a profile in the folder of --output-dir. */
interface FileOfProfile {
  readonly profile: string;
  readonly format: Format;
  readonly output: string;
  readonly receipt: string | undefined;
  /** The two, for the check of paths. */
  readonly writes: readonly WrittenPath[];
}

interface FilesRequest {
  readonly flags: ExportFlags;
  readonly source: Source;
  readonly sheet?: string;
}

/**
 * A file for each profile in a folder, `<profile>.<listing>.<ending>`, with its receipt where there is one; the format is that of
 * the flags, else the profile's own, else csv.
 */
export function filesOfProfiles(
  { flags, source, sheet }: FilesRequest,
  folder: string,
  { profiles, store }: { readonly profiles: readonly string[]; readonly store: ConfigStore | undefined },
): readonly FileOfProfile[] {
  const listing = [...(sheet === undefined ? [] : [sheet]), oneWordName(source, '-')].join('-');
  return profiles.map((profile) => {
    const defaults = flagDefaults(store, profile, source.resource);
    const format = flags.format ?? impliedFormat(flags, defaults) ?? 'csv';
    const output = join(folder, `${profile}.${listing}.${endingsOf(format)[0]!}`);
    const receipt = flags.receipt && receiptPathOf(output);
    const writes = [{ path: output, flag: '--output-dir:', what: `where the records of ${profile} go` }];
    if (receipt !== undefined)
      writes.push({ path: receipt, flag: '--receipt:', what: `where the receipt of ${profile} goes` });
    return { profile, format, output, receipt, writes };
  });
}

/**
 * Writes the files, each as `--profile <name> -o <file>` does. One that fails stays as it was, and the error names it; so it is
 * where a profile has none of the fiscal IDs.
 */
export async function exportEach(
  run: Run,
  { source, files }: { readonly source: OpenSource; readonly files: readonly FileOfProfile[] },
  exportPart: (part: Part, file: FileOfProfile) => Promise<PartEnd | void>,
): Promise<void> {
  const all = forEachPart(run, files, async (file, signal) => {
    const { profile, output, receipt } = file;
    const state = stateOf(run, profile);
    const write = async (): Promise<void> => {
      await inPart(run, { source, name: profile, profile, signal }, (part) => exportPart(part, file));
      if (state.failure !== undefined) throw state.failure;
    };
    const { name } = source;
    const own = { ...run, name, output, folder: undefined, whole: state, notices: state.notices, parts: [] };
    try {
      await (receipt === undefined ? write() : withReceipt(own, receipt, write));
    } catch (error) {
      if (!isFailure(error)) throw error;
      state.failure = error;
    }
    return { name: profile, failure: state.failure, output };
  });
  const results = [];
  for await (const result of all) results.push(result);
  const words = wordsOfProfiles(results, { isOfService: source.kind === 'service' });
  checkResults(results, { ...words, kept: keptFiles(results) });
}
