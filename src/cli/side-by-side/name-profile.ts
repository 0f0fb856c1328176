import { prependMember } from '../../json/prepend-member.ts';
import type { RecordBatch } from '../../json/record-batch.ts';

/** The name of the column that says of which organization a record is. */
export const PROFILE_COLUMN = '_profile';

/** The records with the name of their profile as first member, so that every filter, sum and writer sees it. */
export async function* nameProfile(
  records: AsyncIterable<RecordBatch>,
  profile: string,
): AsyncGenerator<RecordBatch> {
  const member = `${JSON.stringify(PROFILE_COLUMN)}:${JSON.stringify(profile)}`;
  for await (const batch of records) yield prependMember(batch, member);
}
