import { UsageError, errorCode } from '../../errors.ts';
import { PLAIN_MEANINGS } from '../../invoices/fields.ts';
import { DocumentReader } from '../../invoices/document-reader.ts';
import { DigestReader } from '../../json/digest-identity.ts';
import { KEY_HINT } from '../../json/identity.ts';
import { RecordIndex } from '../../json/record-index.ts';
import { recordBytes, type RecordBatch } from '../../json/records.ts';
import { scanRecord } from '../../json/scan-records.ts';
import { noValueIn } from '../missing-columns.ts';
import { ExportFile, ofProfiles } from './export-file.ts';
import { FISCAL_ID_FILTER, shownFlags, withoutFilterOf, type DeliveredFile } from './read-receipt.ts';

/** The earlier export, and the current records that it is compared with. */
export interface EarlierOptions {
  /** The earlier export, jsonl or json. */
  readonly path: string;
  /** The export with the current records; undefined if they come from the service or a database. */
  readonly newer?: { readonly shown: string; readonly delivered: DeliveredFile | undefined } | undefined;
  /** The columns that together identify a record. */
  readonly key: readonly string[];
  /** The profiles whose records are compared; undefined if the current records have no profile column. */
  readonly profiles?: readonly string[] | undefined;
  /** The listing whose records are compared, as receipts name it. */
  readonly listing: string;
  /** The owner of the current records; undefined if it is unknown, or for several profiles. */
  readonly profile?: string | undefined;
  /** The flags that leave out records regardless of their contents: `--limit <n>`. */
  readonly extents?: readonly string[] | undefined;
  /** The fiscal IDs whose records are compared; empty for all. */
  readonly fiscalIds?: readonly string[] | undefined;
  /** Selects the earlier records that count; without it all do. */
  readonly keep?: ((batch: RecordBatch) => RecordBatch) | undefined;
}

const WORD = 2 ** 32;

/**
 * Opens the earlier export that current records are compared with. Its records are found by their key, and stay in the file. The
 * caller closes it. Throws UsageError where it cannot be read, is of other records, or has none with the key.
 */
export async function openEarlier(options: EarlierOptions) {
  const { path } = options;
  const file = await ExportFile.open(path, 'Compare with an export that was written with --format jsonl.');
  try {
    return await readEarlier(file, options);
  } catch (error) {
    await file.close();
    if (!(error instanceof UsageError) || errorCode(error.cause) !== 'ENOENT') throw error;
    throw new UsageError(error.message, {
      hint: `Check the name. For a first night, make an empty file to compare with: \`[ -e ${path} ] || : > ${path}\`.`,
      cause: error.cause,
    });
  }
}

async function readEarlier(file: ExportFile, options: EarlierOptions) {
  const { path, newer, key, keep, profiles } = options;
  const { finding, delivered } = await file.check();
  const parts = checkReceipts(options, delivered);
  const held = await file.profiles();
  if (profiles === undefined) refuseSeveral(path, held);
  const others = held?.filter((name) => profiles?.includes(name) === false) ?? [];
  const [keys, identity] = [keyReader(key), new DigestReader({ named: key })];
  /** Beside each record: how many bytes it has, and where it begins in the file, in two words. */
  const index = new RecordIndex(3);
  let [withoutKey, repeatedKeys] = [0, 0];
  /** The members that all of its first records have, and none of the current records so far. */
  let missing: readonly string[] = [];
  /** The members of the current records, until none is missing. */
  const current = new Set<string>();
  for await (const { batch, offset } of file.parts()) {
    const own = others.length === 0 ? batch : ofProfiles(batch, profiles!);
    const kept = keep?.(own) ?? own;
    keys.findNames(kept);
    if (index.count === 0 && kept.count > 0)
      missing = membersOf(kept).reduce((all, members) => all.filter((name) => members.includes(name)));
    for (let record = 0; record < kept.count; record++) {
      const { hasKey, words } = identity.read(kept, record);
      if (!hasKey) withoutKey++;
      else if (index.find(words) >= 0) repeatedKeys++;
      const [start, end] = [kept.bounds[2 * record]!, kept.bounds[2 * record + 1]!];
      const place = offset + start;
      index.add(words, [end - start, place % WORD, Math.floor(place / WORD)]);
    }
  }
  refuseWithoutKey(keys, ` with ${path}:`);
  /** Which records were taken, 1 for each. */
  const taken = new Uint8Array(index.count);
  const recordAt = (record: number): RecordBatch => {
    const [length, low, high] = [0, 1, 2].map((word) => index.more(record, word));
    const start = high! * WORD + low!;
    return scanRecord(file.read(start, start + length!));
  };
  return {
    ...parts,
    /** What its receipt says against it. */
    finding,
    /** The profiles whose records are not compared, since their listings are not read. */
    others,
    withoutKey,
    repeatedKeys,
    close: () => file.close(),

    /** To be called with all current records. */
    noteColumns(batch: RecordBatch): void {
      if (missing.length === 0) return;
      for (const member of membersOf(batch).flat()) current.add(member);
      missing = missing.filter((member) => !current.has(member));
    },

    /** Throws UsageError if whole records would be compared with records of --columns: missing columns would look changed. */
    refuseColumns(): void {
      if (missing.length === 0 || current.size === 0) return;
      const flat = missing.find((name) => name.includes('.') && current.has(name.split('.')[0]!));
      if (flat !== undefined) {
        throw new UsageError(
          `cannot compare with ${path}: it has the column ${flat}, and not whole records`,
          { hint: WHOLE_RECORDS },
        );
      }
      // A receipt reports whether the current records were written with --columns.
      if (newer === undefined || newer.delivered !== undefined) return;
      throw new UsageError(
        `cannot compare ${newer.shown} with ${path}: no record has ${missing[0]} now, and the first ones there have it`,
        { hint: 'Export whole records, without --columns, and with --receipt beside, which says so.' },
      );
    },

    /** The earlier record with this key, which is taken: the second record of a key gets the second earlier one. */
    take({ words }: DigestReader): 'none' | 'same' | RecordBatch {
      const record = index.rotate(words);
      // A taken record comes first again only when all records of the key were taken.
      if (record < 0 || taken[record] === 1) return 'none';
      taken[record] = 1;
      return index.hasContent(record, words) ? 'same' : recordAt(record);
    },

    /** The records that were not taken, in their order. */
    *rest(): Generator<RecordBatch> {
      for (let record = 0; record < index.count; record++) if (taken[record] === 0) yield recordAt(record);
    },
  };
}

/** Looks in records for the columns of a key. */
export function keyReader(key: readonly string[]): DocumentReader {
  return new DocumentReader(PLAIN_MEANINGS, { roles: [], names: key });
}

/** Throws UsageError if no record has a value in a column of the key. `where` names the records. */
export function refuseWithoutKey(reader: DocumentReader, where: string): void {
  for (const column of reader.namesWithoutValue)
    throw new UsageError(`cannot compare${where} ${noValueIn(column, reader)}`, { hint: KEY_HINT });
}

function membersOf(batch: RecordBatch): readonly (readonly string[])[] {
  return Array.from({ length: batch.count }, (_, index) =>
    Object.keys(JSON.parse(recordBytes(batch, index).toString()) as object),
  );
}

const WHOLE_RECORDS = 'Keep an export without --columns to compare with: its records are whole.';

/**
 * Throws UsageError if the receipts of the two exports show that they have different records, or only
 * chosen columns: the missing ones would look changed or gone. Returns the flags that make the earlier export alone a part,
 * and the conditions that make both exports parts.
 */
function checkReceipts(options: EarlierOptions, form: DeliveredFile | undefined) {
  const { path, listing, profile, extents = [], fiscalIds = [] } = options;
  const { shown, delivered } = options.newer ?? {};
  const refuse = (reason: string, hint: string): never => {
    throw new UsageError(`cannot compare with ${path}: ${reason}`, { hint });
  };
  for (const [name, one] of [
    ['it', form],
    [shown, delivered],
  ] as const) {
    const chosen = one?.chosen ?? [];
    if (chosen.length > 0)
      refuse(
        `${name} was written with --columns ${chosen.join(',')}, and has no whole records`,
        WHOLE_RECORDS,
      );
  }
  const [earlierOnly, only] = [form?.only ?? [], delivered?.only ?? []];
  const isExtent = (typed: string): boolean =>
    extents.some((syntax) => syntax.split(' ', 1)[0] === typed.split(' ', 1)[0]);
  const isSamePart = earlierOnly.toSorted().join() === only.toSorted().join();
  if (only.length > 0 && (!isSamePart || only.some(isExtent)))
    refuse(
      `${shown} has only a part of its listing (${shownFlags(only)}): the others would show as gone`,
      'Export all of it, or both with the same conditions.',
    );
  if (form === undefined) return { only: [], conditions: [] };
  if (form.expanded !== undefined)
    refuse(`it has a row for each of ${form.expanded}`, 'Keep an export without --expand to compare with.');
  const { resource, profiles } = form;
  if (resource !== '' && resource !== listing)
    refuse(
      `its receipt says that it is of ${resource}, not of ${listing}`,
      'Name the export of this listing.',
    );
  const [owner] = profiles;
  if (profile !== undefined && profiles.length === 1 && owner !== profile)
    refuse(`its receipt says that it is of ${owner}, not of ${profile}`, 'Name the export of this profile.');
  return isSamePart
    ? { only: [], conditions: only.filter((one) => !FISCAL_ID_FILTER.test(one)) }
    : { only: withoutFilterOf(fiscalIds, earlierOnly), conditions: [] };
}

/** Throws UsageError for an export of several profiles: the records of one would be compared with those of all. */
function refuseSeveral(path: string, held: readonly string[] = []): void {
  if (held.length === 0) return;
  throw new UsageError(
    `cannot compare with ${path}: its records are of ${held.join(', ')}, and those of the listing do not say whose they are`,
    {
      hint: 'Add --all-profiles; with --where _profile=<name>, it compares one. Or keep an export of this profile alone.',
    },
  );
}
