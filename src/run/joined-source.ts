import { PROFILE_COLUMN } from '../invoices/fields.ts';
import { sliceRecords, type RecordBatch } from '../json/records.ts';
import { withOwnColumn } from '../json/scan-records.ts';
import { RecordSpool } from '../output/spool.ts';
import { ownersOf } from '../query/exports/read-export.ts';
import { hasRecords, outcomeOf, passUnknownIds, wordsOfProfiles } from './completeness.ts';
import { checkPart, forEachPart, inPart, recordsOf, type LocalSource, type OpenSource } from './part.ts';
import type { PartState } from './part-state.ts';
import type { Run } from './run.ts';

/**
 * The records of several organizations as one source, one after the other, each put aside until it is whole, with the name of its
 * profile as a column. One that fails is left out, and named at the end. Memory does not grow with the records. Opening and
 * closing the source of each is up to the caller.
 *
 * @param most how many records of a listing are wanted, of all profiles together
 */
export function joinedSource(run: Run, source: OpenSource, most = Infinity): LocalSource {
  const { name, records, resource, order, fiscalIds, export: exported } = source;
  return {
    kind: 'local',
    name,
    records,
    resource,
    order,
    ...(fiscalIds && { fiscalIds }),
    ...(exported && { export: exported }),
    hasProfileColumn: true,
    /** The limit is that of each profile: the most records to read of it. */
    async *read({ status, lacks }, wanted) {
      const { limit } = wanted;
      const open = new Set<RecordSpool>();
      const collect = async ({ name: profile = '' }: PartState, signal: AbortSignal) => {
        const collected = new RecordSpool();
        open.add(collected);
        const state = await inPart(run, { source, name: profile, profile, signal }, async (part) => {
          for await (const batch of recordsOf(part, wanted)) await collected.add(batch);
          checkPart(part);
        });
        return { state, collected };
      };
      const read: PartState[] = [];
      let left = limit === undefined ? Infinity : most;
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
        if (source.isStrict !== true) passUnknownIds(read);
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

/** Whether nothing could be read of the profile of a record. Called when all was read. */
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
