import { isUtf8 } from 'node:buffer';
import { open, type FileHandle } from 'node:fs/promises';
import { UsageError } from '../../errors.ts';
import { CellReader } from '../../json/cells.ts';
import { selectRecords, type RecordBatch } from '../../json/records.ts';
import { renameMembers } from '../../json/scan-records.ts';
import { PROFILE_COLUMN } from '../../invoices/fields.ts';
import { Collected } from '../../output/collected.ts';
import { batchOfRows } from '../rows.ts';
import { SAMPLE_BYTES, formOf, type FormFlags } from './csv-form.ts';
import { CsvReader } from './csv-reader.ts';
import { deliveredForm } from './read-receipt.ts';
import { ExportFile, unreadableFile } from './export-file.ts';

const CHUNK_BYTES = 1 << 18;

/** How files of other kinds begin, and what they are. */
const OTHER_FILES: readonly (readonly [start: string, what: string])[] = [
  ['PK\u0003\u0004', 'a workbook or another zip archive'],
  ['PAR1', 'a parquet file'],
  ['\u001F\u008B', 'compressed with gzip'],
  ['%PDF', 'a PDF'],
  ['SQLite format 3\0', 'a SQLite database'],
];

interface ReadOptions extends FormFlags {
  /** Whether text must be told from numbers, which csv does not. */
  readonly exact?: boolean;
  /** The columns by which records are grouped: there, what is text must be told from numbers. */
  readonly groupedBy?: readonly string[];
}

/**
 * The records of an export, in their order, from a file that may be larger than memory: jsonl or json, else csv.
 * Throws UsageError where the file cannot be read, is of another kind or is not whole, or where it must be said how it was
 * written.
 *
 */
export async function* readExport(
  path: string,
  { exact = false, groupedBy, ...flags }: ReadOptions = {},
): AsyncGenerator<RecordBatch> {
  const file = await open(path).catch((error: unknown) => {
    throw unreadableFile(path, error);
  });
  try {
    const start = await startOf(file, path);
    refuseOtherFile(path, start);
    const form = await formOf(path, start, flags);
    if (form === undefined) yield* readJson(path);
    else if (exact) throw notExact(path);
    else yield* readCsv({ file, path, start }, new CsvReader(path, form, groupedBy));
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
  file: string,
  { tolerant = false, ...flags }: FormFlags & { readonly tolerant?: boolean } = {},
): Promise<readonly string[] | undefined> {
  // A column of that name in the records of one profile is the service's own.
  if ((await deliveredForm(file))?.isOfSeveral === false) return undefined;
  const reader = new CellReader([PROFILE_COLUMN]);
  const held = new Set<string>();
  let isUnsaid = false;
  try {
    for await (const batch of readExport(file, flags)) {
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
  throw new UsageError(`${file} does not say of all its records of which profile they are`, {
    hint: 'Export it again with --all-profiles.',
  });
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

async function startOf(file: FileHandle, path: string): Promise<Buffer> {
  const { buffer, bytesRead } = await file
    .read(Buffer.alloc(SAMPLE_BYTES), 0, SAMPLE_BYTES, 0)
    .catch((error: unknown) => {
      throw unreadableFile(path, error);
    });
  return buffer.subarray(0, bytesRead);
}

function refuseOtherFile(path: string, start: Buffer): void {
  const text = start.toString('latin1', 0, 16);
  const other = OTHER_FILES.find(([begin]) => text.startsWith(begin));
  if (other === undefined) return;
  throw new UsageError(`${path} is ${other[1]}, and records are read from jsonl, json and csv`, {
    hint: 'Export with -o <file>.jsonl, which keeps every record as it was sent.',
  });
}

/** The error for a csv file where an exact comparison is needed: everything in it would look changed. */
function notExact(path: string): UsageError {
  return new UsageError(`${path} is neither jsonl nor json: in csv, text and numbers look the same`, {
    hint: 'Export with --format jsonl to have a file to compare with.',
  });
}

async function* readJson(path: string): AsyncGenerator<RecordBatch> {
  const headings = (await deliveredForm(path))?.headings ?? new Map<string, string>();
  const file = await ExportFile.open(path);
  try {
    for await (const { batch } of file.parts())
      yield headings.size === 0 ? batch : renameMembers(batch, headings);
  } finally {
    await file.close();
  }
}

/**
 * Throws UsageError where the file is no UTF-8, as after a spreadsheet wrote it anew: its letters would be others, and no condition
 * would find them.
 */
async function* readCsv(
  { file, path, start }: { readonly file: FileHandle; readonly path: string; readonly start: Buffer },
  reader: CsvReader,
): AsyncGenerator<RecordBatch> {
  // The parser knows UTF-16 by its mark.
  const isUtf16 = start.toString('latin1', 0, 2) === '\u00ff\u00fe';
  let cut: Uint8Array = Buffer.alloc(0);
  for (let position = 0; ;) {
    // A new buffer each time: the parser keeps the ends of rows that are not whole.
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await file.read(chunk, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    const bytes = Buffer.concat([cut, chunk.subarray(0, bytesRead)]);
    const end = endOfWholeCharacters(bytes);
    if (!isUtf16 && !isUtf8(bytes.subarray(0, end))) throw notUtf8(path);
    cut = bytes.subarray(end);
    yield batchOfRows(await reader.read(chunk.subarray(0, bytesRead)));
  }
  if (!isUtf16 && cut.length > 0) throw notUtf8(path);
  yield batchOfRows(await reader.end());
}

/** Where the last character begins, if more of it is to come; else the end of the bytes. */
function endOfWholeCharacters(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= Math.max(0, bytes.length - 3); at--) {
    const byte = bytes[at]!;
    // It begins no character of several bytes.
    if (byte < 0xc0) continue;
    const length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    return at + length > bytes.length ? at : bytes.length;
  }
  return bytes.length;
}

function notUtf8(path: string): UsageError {
  return new UsageError(`${path} is not the UTF-8 that folio writes: another program saved it`, {
    hint: 'Have a spreadsheet save it as "CSV UTF-8", or export it again.',
  });
}
