import type { FolioError } from '../errors.ts';
import { PROFILE_COLUMN } from '../invoices/fields.ts';
import { CellReader } from '../json/cells.ts';
import { sliceRecords, type RecordBatch } from '../json/records.ts';
import { withOwnColumn } from '../json/scan-records.ts';
import { RecordSpool } from '../output/spool.ts';
import type { Delivery } from '../paging/page.ts';
import { hasRecords, outcomeOf, wordsOfProfiles } from './completeness.ts';
import { checkPart, forEachPart, recordsOf, tryPart, type LocalSource, type Source } from './part.ts';
import type { PartState } from './progress.ts';
import { stateOf, type Run } from './run.ts';

interface JoinedOptions {
  /** What is read of each. The caller has opened it, and closes it. */
  readonly source: Source;
  /** The profiles, in the order in which their records come. */
  readonly profiles: readonly string[];
  /** The most records of a listing that are wanted, of all profiles together. */
  readonly limit: number;
}

/**
 * The records of several organizations as one source, one after the other, each put aside until it is whole, with the name of its
 * profile as a column. One that fails is left out, and named at the end. Memory does not grow with the records.
 */
export function joinedSource(run: Run, { source, profiles, limit: most }: JoinedOptions): LocalSource {
  const { name, records, resource } = source;
  const profileCells = new CellReader([PROFILE_COLUMN]);
  const profileOf = (batch: RecordBatch, index: number): string | undefined =>
    profileCells.read(batch, index)[0]?.text;
  const read: PartState[] = [];
  const had = (): readonly string[] => read.filter(hasRecords).map((state) => state.name!);
  const failure = (): FolioError | undefined => outcomeOf(read, wordsOfProfiles(read));
  return {
    kind: 'local',
    name,
    records,
    resource,
    export: source.export,
    hasProfileColumn: true,
    joined: {
      profiles,
      had,
      isUnread: (record) => {
        const profile = profileOf(record, 0);
        return profiles.some((one) => one === profile && !had().includes(one));
      },
      counted: (answer) => (run.flags.receipt === undefined ? answer : counted(answer)),
    },
    // Of each profile.
    begins: (prefersNewest) => source.begins?.(prefersNewest),
    failure,
    /** @param limit the most records to read of each profile; undefined for all of them */
    async *read({ status }, limit): AsyncGenerator<Delivery> {
      const open = new Set<RecordSpool>();
      const collect = async (profile: string, signal: AbortSignal) => {
        const collected = new RecordSpool();
        open.add(collected);
        const state = await tryPart(run, { source, name: profile, profile, signal }, async (part) => {
          for await (const batch of recordsOf(part, limit)) await collected.add(batch);
          checkPart(part);
        });
        return { profile, state, collected };
      };
      let left = limit === undefined ? Infinity : most;
      try {
        for await (const { profile, state, collected } of forEachPart(run, profiles, collect)) {
          read.push(state);
          const own = { name: PROFILE_COLUMN, value: JSON.stringify(profile) };
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
      }
      const parts = read.filter(hasRecords);
      const reason = parts.length === 0 ? failure() : undefined;
      if (reason !== undefined) throw reason;
      status.totalAtEnd = totalOf(parts, limit);
    },
  };

  async function* counted(answer: AsyncIterable<RecordBatch>): AsyncGenerator<RecordBatch> {
    const states = new Map(profiles.map((profile) => [profile, stateOf(run, profile)]));
    for await (const batch of answer) {
      for (let index = 0; index < batch.count; index++) {
        const state = states.get(profileOf(batch, index) ?? '');
        if (state !== undefined) state.records++;
      }
      yield batch;
    }
  }
}

/** The sum of the totals; undefined where one that was read as far as the limit has none. */
function totalOf(parts: readonly PartState[], limit = Infinity): number | undefined {
  let total = 0;
  for (const { status } of parts) {
    const { records, totalAtEnd = records < limit ? records : undefined } = status;
    if (totalAtEnd === undefined) return undefined;
    total += totalAtEnd;
  }
  return total;
}
