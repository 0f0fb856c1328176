import { UsageError } from '../../errors.ts';
import { CellReader } from '../../json/cells.ts';
import { selectRecords, type RecordBatch } from '../../json/records.ts';
import { renameMembers } from '../../json/scan-records.ts';
import { PROFILE_COLUMN } from '../../invoices/fields.ts';
import { Collected } from '../../output/collected.ts';
import { deliveredForm } from './read-receipt.ts';
import { ExportFile } from './export-file.ts';

/**
 * The records of an export, in their order, from a file that may be larger than memory. Throws UsageError where the file cannot be
 * read, is neither jsonl nor json or is not whole.
 *
 * @param from a file, or one that is open and stays so
 */
export async function* readExport(from: string | ExportFile): AsyncGenerator<RecordBatch> {
  if (from instanceof ExportFile) {
    for await (const { batch } of from.parts()) yield batch;
    return;
  }
  const headings = (await deliveredForm(from))?.headings ?? new Map<string, string>();
  const file = await ExportFile.open(from);
  try {
    for await (const { batch } of file.parts())
      yield headings.size === 0 ? batch : renameMembers(batch, headings);
  } finally {
    await file.close();
  }
}

/**
 * The profiles whose records an export holds, in the order in which they come; undefined where its records do not say whose they
 * are. None where it has no records.
 *
 * @param tolerant whether an export that cannot be read, which whoever reads it tells of, has those of its readable beginning
 * @throws UsageError where it cannot be read, and where only some of its records say whose they are
 */
export async function profilesInExport(
  from: string | ExportFile,
  { tolerant = false } = {},
): Promise<readonly string[] | undefined> {
  // A column of that name in the records of one profile is the service's own.
  if (typeof from === 'string' && (await deliveredForm(from))?.isOfSeveral === false) return undefined;
  const reader = new CellReader([PROFILE_COLUMN]);
  const held = new Set<string>();
  let isUnsaid = false;
  try {
    for await (const batch of readExport(from)) {
      for (let index = 0; index < batch.count; index++) {
        const [cell] = reader.read(batch, index);
        if (cell === undefined) isUnsaid = true;
        else held.add(cell.text);
        if (isUnsaid && held.size === 0) return undefined;
      }
    }
  } catch (error) {
    if (!tolerant || !(error instanceof UsageError)) throw error;
  }
  if (!isUnsaid) return [...held];
  throw new UsageError(
    `${typeof from === 'string' ? from : from.path} does not say of all its records of which profile they are`,
    {
      hint: 'Export it again with --all-profiles.',
    },
  );
}

/** The records that say that they are of the profile. */
export async function* recordsOfProfile(
  records: AsyncIterable<RecordBatch>,
  profile: string,
): AsyncGenerator<RecordBatch> {
  for await (const batch of records) {
    const own = ofProfiles(batch, [profile]);
    if (own.count > 0) yield own;
  }
}

/** Those of the records that say that they are of one of the profiles. */
export function ofProfiles(batch: RecordBatch, profiles: readonly string[]): RecordBatch {
  const reader = new CellReader([PROFILE_COLUMN]);
  const own: number[] = [];
  for (let index = 0; index < batch.count; index++) {
    const name = reader.read(batch, index)[0]?.text;
    if (name !== undefined && profiles.includes(name)) own.push(index);
  }
  return selectRecords(batch, own);
}

/** The records of each of the profiles, put aside, so that the file is read once. The caller closes them. */
export async function recordsByProfile(
  records: AsyncIterable<RecordBatch>,
  profiles: readonly string[],
): Promise<ReadonlyMap<string, Collected>> {
  const reader = new CellReader([PROFILE_COLUMN]);
  const all = new Map(profiles.map((profile) => [profile, new Collected()]));
  try {
    for await (const batch of records) {
      const places = new Map<string, number[]>(profiles.map((profile) => [profile, []]));
      for (let index = 0; index < batch.count; index++)
        places.get(reader.read(batch, index)[0]?.text ?? '')?.push(index);
      for (const [profile, own] of places)
        if (own.length > 0) await all.get(profile)!.add(selectRecords(batch, own));
    }
    return all;
  } catch (error) {
    for (const collected of all.values()) await collected.close();
    throw error;
  }
}
