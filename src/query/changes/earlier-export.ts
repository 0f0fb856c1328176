import { UsageError, errorCode } from '../../errors.ts';
import { PLAIN_NAMES } from '../../invoices/column-names.ts';
import { DocumentReader } from '../../invoices/document-reader.ts';
import { DigestReader } from '../../json/digest-identity.ts';
import { RecordIndex } from '../../json/record-index.ts';
import { KEY_HINT } from '../../json/record-key.ts';
import { recordBytes, type RecordBatch } from '../../json/records.ts';
import { scanRecord } from '../../json/scan-records.ts';
import { noValueIn } from '../missing-columns.ts';
import { ExportFile } from '../exports/export-file.ts';
import { ofProfiles, profilesInExport } from '../exports/read-export.ts';
import { deliveredForm, type DeliveredFile } from '../exports/read-receipt.ts';

/** Which earlier export to compare with. */
export interface EarlierExportOptions {
  /** The file, jsonl or json. */
  readonly path: string;
  /** The columns that together tell records apart. */
  readonly key: readonly string[];
  /** The profiles whose records are compared; undefined where those of the listing do not say of which they are. */
  readonly profiles?: readonly string[] | undefined;
  /** The export whose records are compared with it; undefined for those of the service or of a database. */
  readonly newer?: { readonly shown: string; readonly delivered: DeliveredFile | undefined } | undefined;
  /** The listing whose records are compared, as receipts name it. */
  readonly listing: string;
  /** The one profile whose they are; undefined where nothing says it, or for several. */
  readonly profile?: string | undefined;
  /** Selects the records that count; without it all do. */
  readonly keep?: ((batch: RecordBatch) => RecordBatch) | undefined;
}

/** What a record was in the earlier export: missing, the same, or the other record that is returned. */
type EarlierRecord = 'none' | 'same' | { readonly record: RecordBatch };

/** Finds the records of an earlier export by their key. They stay in the file; a changed one is read again. */
export class EarlierExport {
  /** Records that lack a part of the key. */
  withoutKey = 0;
  /** Records that share their key with an earlier one. */
  repeatedKeys = 0;
  /** The profiles whose records are not compared, since nobody asked for them. */
  others: readonly string[] = [];
  /** The flags with which a part of the listing was exported, as its receipt has them. */
  only: readonly string[] = [];
  readonly #file: ExportFile;
  readonly #identity: DigestReader;
  /** Beside each record: how many bytes it has, and where it begins in the file, in two words. */
  readonly #index = new RecordIndex(3);
  /** For each record, whether another one was matched with it. */
  #taken = new Uint8Array(0);
  readonly #path: string;
  /** A member of its first record that is named as a column within an object is: `customer.name`. */
  #flat: string | undefined;
  /** The members that all of its first records have, where the newer ones may lack some and no receipt says so. */
  #common: ReadonlySet<string> = new Set();
  readonly #newer: EarlierExportOptions['newer'];

  private constructor(file: ExportFile, { path, key, newer }: EarlierExportOptions) {
    this.#file = file;
    this.#path = path;
    this.#newer = newer;
    this.#identity = new DigestReader({ named: key });
  }

  /** Reads the file once. Throws UsageError when it is no export, or when no record of it has the key. */
  static async open(options: EarlierExportOptions): Promise<EarlierExport> {
    const { path, key, keep, profiles } = options;
    const file = await ExportFile.open(path).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
      throw new UsageError(error.message, {
        hint: `Write this before it, so that a first night compares with an empty file: \`[ -e ${path} ] || : > ${path}\`.`,
        cause: error.cause,
      });
    });
    const earlier = new EarlierExport(file, options);
    const reader = keyReader(key);
    try {
      earlier.only = await refuseOthers(options);
      const held = await profilesInExport(path, { tolerant: true });
      if (profiles === undefined) refuseSeveral(path, held);
      else earlier.others = held?.filter((name) => !profiles.includes(name)) ?? [];
      const own = earlier.others.length === 0 ? undefined : profiles;
      for await (const { batch, offset } of file.parts()) {
        const read = own === undefined ? batch : ofProfiles(batch, own);
        const kept = keep?.(read) ?? read;
        reader.look(kept);
        earlier.#add(kept, offset);
      }
      earlier.#taken = new Uint8Array(earlier.#index.count);
      refuseWithoutKey(reader, ` with ${path}:`);
    } catch (error) {
      await earlier.close();
      throw error;
    }
    return earlier;
  }

  /** Throws UsageError where the records of --columns would be compared with whole ones: what they lack would look changed. */
  refuseColumns(listed: RecordBatch): void {
    if (listed.count === 0) return;
    this.#refuseLack(listed);
    if (this.#flat === undefined) return;
    const members = membersOf(listed);
    if (members.includes(this.#flat) || !members.includes(this.#flat.split('.')[0]!)) return;
    throw new UsageError(
      `cannot compare with ${this.#path}: it has the column ${this.#flat}, and not whole records`,
      {
        hint: WHOLE_RECORDS,
      },
    );
  }

  #refuseLack(listed: RecordBatch): void {
    if (this.#common.size === 0) return;
    const had = new Set(allMembersOf(listed).flat());
    const lacking = [...this.#common].find((member) => !had.has(member));
    this.#common = new Set();
    if (lacking === undefined) return;
    throw new UsageError(
      `cannot compare ${this.#newer!.shown} with ${this.#path}: no record has ${lacking} now, and all had it`,
      { hint: 'Export whole records, without --columns, and with --receipt beside, which says so.' },
    );
  }

  /** Finds the earlier record with this key, and takes it: the second record of a key finds the second earlier one. */
  take({ words }: DigestReader): EarlierRecord {
    const record = this.#index.rotate(words);
    // One that was taken comes first again when all of the key were.
    if (record < 0 || this.#taken[record] === 1) return 'none';
    this.#taken[record] = 1;
    return this.#index.hasContent(record, words) ? 'same' : { record: this.#read(record) };
  }

  /** The records that were not taken, in their order. */
  *rest(): Generator<RecordBatch> {
    for (let record = 0; record < this.#index.count; record++) {
      if (this.#taken[record] === 0) yield this.#read(record);
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  #add(batch: RecordBatch, offset: number): void {
    if (this.#index.count === 0 && batch.count > 0) {
      this.#flat = membersOf(batch).find((name) => name.includes('.'));
      if (this.#newer !== undefined && this.#newer.delivered === undefined)
        this.#common = new Set(
          allMembersOf(batch).reduce((all, own) => all.filter((member) => own.includes(member))),
        );
    }
    for (let index = 0; index < batch.count; index++) {
      const { hasKey, words } = this.#identity.read(batch, index);
      if (!hasKey) this.withoutKey++;
      else if (this.#index.find(words) >= 0) this.repeatedKeys++;
      const start = offset + batch.bounds[2 * index]!;
      const length = batch.bounds[2 * index + 1]! - batch.bounds[2 * index]!;
      this.#index.add(words, [length, start % WORD, Math.floor(start / WORD)]);
    }
  }

  #read(record: number): RecordBatch {
    const [length, low, high] = [0, 1, 2].map((word) => this.#index.more(record, word));
    const start = high! * WORD + low!;
    return scanRecord(this.#file.read(start, start + length!));
  }
}

const WORD = 2 ** 32;

/** Looks in records for the columns of a key. */
export function keyReader(key: readonly string[]): DocumentReader {
  return new DocumentReader(PLAIN_NAMES, { roles: [], names: key });
}

/** Throws UsageError where none of these records has a value in a column of the key. `where` says which they are. */
export function refuseWithoutKey(reader: DocumentReader, where: string): void {
  for (const column of reader.namesNeverFound)
    throw new UsageError(`cannot compare${where} ${noValueIn(column, reader)}`, { hint: KEY_HINT });
}

const WHOLE_RECORDS = 'Keep an export without --columns to compare with: its records are whole.';

/** The names of the members of a record. */
function membersOf(batch: RecordBatch, index = 0): readonly string[] {
  return Object.keys(JSON.parse(recordBytes(batch, index).toString()) as object);
}

function allMembersOf(batch: RecordBatch): readonly (readonly string[])[] {
  return Array.from({ length: batch.count }, (_, index) => membersOf(batch, index));
}

/**
 * Throws UsageError for exports whose receipts say that one has other records than the other, or columns of theirs that were chosen:
 * what they lack would look changed or gone. Returns the flags by which the earlier one alone is a part of the listing.
 */
async function refuseOthers(options: EarlierExportOptions): Promise<readonly string[]> {
  const { path, listing, profile, newer: { shown, delivered } = {} } = options;
  const form = await deliveredForm(path);
  const refuse = (says: string, hint: string): never => {
    throw new UsageError(`cannot compare with ${path}: ${says}`, { hint });
  };
  for (const [is, one] of [
    ['it', form],
    [shown, delivered],
  ] as const) {
    // Older receipts have the headings alone.
    const chosen =
      one === undefined ? [] : (one.chosen ?? Array.from(one.headings, (names) => names.join('=')));
    if (chosen.length > 0)
      refuse(`${is} was written with --columns ${chosen.join(',')}, and has no whole records`, WHOLE_RECORDS);
  }
  const [earlierOnly, only] = [form?.only ?? [], delivered?.only ?? []];
  const isSamePart = earlierOnly.toSorted().join() === only.toSorted().join();
  if (only.length > 0 && (!isSamePart || only.some((flag) => /^--(?:limit|page|next-token) /.test(flag))))
    refuse(
      `${shown} has a part of its listing alone, by ${only.join(' ')}: the others would show as gone`,
      'Export all of it, or both with the same conditions.',
    );
  if (form === undefined) return [];
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
  return isSamePart ? [] : earlierOnly;
}

/** Throws UsageError for an export of several profiles: those of one listing would be compared with the records of all. */
function refuseSeveral(path: string, held: readonly string[] = []): void {
  if (held.length === 0) return;
  throw new UsageError(
    `cannot compare with ${path}: its records are of ${held.join(', ')}, and those of the listing do not say whose they are`,
    {
      hint: 'Add --all-profiles; with --where _profile=<name>, it compares one. Or keep an export of this profile alone.',
    },
  );
}

function isMissing(error: unknown): error is Error {
  return error instanceof Error && errorCode(error.cause) === 'ENOENT';
}
