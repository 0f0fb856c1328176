import { PROFILE_COLUMN } from '../invoices/fields.ts';
import { CellReader } from '../json/cells.ts';
import { sliceRecords, type RecordBatch } from '../json/records.ts';
import { withOwnColumn } from '../json/scan-records.ts';
import { RecordSpool } from '../output/spool.ts';
import type { Delivery } from '../paging/page.ts';
import { hasRecords, outcomeOf, wordsOfProfiles } from './completeness.ts';
import { checkPart, forEachPart, recordsOf, tryPart, type Source } from './part.ts';
import type { PartState } from './progress.ts';
import type { Run } from './run.ts';

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
export function joinedSource(run: Run, { source, profiles, limit: most }: JoinedOptions): Source {
  const { name, records, resource, order } = source;
  return {
    kind: 'local',
    name,
    records,
    resource,
    order,
    export: source.export,
    hasProfileColumn: true,
    isJoined: true,
    /** The limit is that of each profile: the most records to read of it. */
    async *read({ status, lacks }, wanted): AsyncGenerator<Delivery> {
      const { limit } = wanted;
      const open = new Set<RecordSpool>();
      const collect = async (profile: string, signal: AbortSignal) => {
        const collected = new RecordSpool();
        open.add(collected);
        const state = await tryPart(run, { source, name: profile, profile, signal }, async (part) => {
          for await (const batch of recordsOf(part, wanted)) await collected.add(batch);
          checkPart(part);
        });
        return { state, collected };
      };
      const read: PartState[] = [];
      let left = limit === undefined ? Infinity : most;
      try {
        for await (const { state, collected } of forEachPart(run, profiles, collect)) {
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
        const failure = outcomeOf(read, wordsOfProfiles(read));
        if (failure !== undefined) lacks.push(failure);
      }
      const parts = read.filter(hasRecords);
      if (parts.length === 0) throw lacks[0]!;
      status.totalAtEnd = totalOf(parts, limit);
    },
  };
}

/** The sum of the totals; undefined where one that was read as far as the limit has none. */
function totalOf(parts: readonly PartState[], limit = Infinity): number | undefined {
  const totals = parts.map(({ status: { records, totalAtEnd } }) =>
    totalAtEnd === undefined && records < limit ? records : totalAtEnd,
  );
  return totals.some((total) => total === undefined)
    ? undefined
    : totals.reduce<number>((sum, one) => sum + one!, 0);
}

/** Reads of which profile a record is. */
function profileReader(): (batch: RecordBatch, index: number) => string | undefined {
  const cells = new CellReader([PROFILE_COLUMN]);
  return (batch, index) => cells.read(batch, index)[0]?.text;
}

/** Whether nothing could be read of the profile of a record. Called when all was read. */
export function unreadTest({ parts }: Run): (record: RecordBatch) => boolean {
  const profileOf = profileReader();
  return (record) => {
    const profile = profileOf(record, 0);
    return parts.some((part) => part.name === profile && !hasRecords(part));
  };
}

/** The same records or rows; each is counted for the receipt of its profile. */
export async function* countedByProfile(
  { parts }: Run,
  answer: AsyncIterable<RecordBatch>,
): AsyncGenerator<RecordBatch> {
  const profileOf = profileReader();
  const states = new Map(parts.map((part) => [part.name, part]));
  for await (const batch of answer) {
    for (let index = 0; index < batch.count; index++) {
      const state = states.get(profileOf(batch, index));
      if (state !== undefined) state.records++;
    }
    yield batch;
  }
}
