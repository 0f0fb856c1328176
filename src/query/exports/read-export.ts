import { UsageError } from '../../errors.ts';
import { CellReader } from '../../json/cells.ts';
import { selectRecords, type RecordBatch } from '../../json/records.ts';
import { renameMembers } from '../../json/scan-records.ts';
import { PROFILE_COLUMN } from '../../invoices/fields.ts';
import { ExportFile } from './export-file.ts';
import { deliveredForm } from './read-receipt.ts';

/**
 * The records of an export, in order, from a file (also an open one, which stays open) that may be larger than memory. Throws
 * UsageError where it cannot be read, is neither jsonl nor json or is not whole.
 */
export async function* readExport(from: string | ExportFile): AsyncGenerator<RecordBatch> {
  const isOpen = from instanceof ExportFile;
  const { headings } = (isOpen ? undefined : await deliveredForm(from)) ?? {};
  const file = isOpen ? from : await ExportFile.open(from);
  try {
    for await (const { batch } of file.parts())
      yield headings === undefined || headings.size === 0 ? batch : renameMembers(batch, headings);
  } finally {
    if (!isOpen) await file.close();
  }
}

/**
 * The profiles of an export: first those in the receipt of a whole export, even without records, then those of its records.
 * Undefined for records without a profile column; empty for an export without records and receipt. Ends where the export
 * cannot be read, which its reader reports. Throws UsageError where only some records have a profile.
 */
export async function profilesInExport(from: string | ExportFile): Promise<readonly string[] | undefined> {
  const isOpen = from instanceof ExportFile;
  const { isOfSeveral, complete, profiles = [] } = (isOpen ? undefined : await deliveredForm(from)) ?? {};
  // A column of that name in the records of one profile is the service's own.
  if (isOfSeveral === false) return undefined;
  const held = new Set<string | undefined>();
  try {
    for await (const batch of readExport(from)) {
      const names = ownersOf(batch);
      if (held.size === 0 && names.length > 0 && names[0] === undefined) return undefined;
      for (const name of names) held.add(name);
    }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
  }
  const names = [...held].filter((name) => name !== undefined);
  if (names.length === held.size) return [...new Set([...(complete ? profiles : []), ...names])];
  throw new UsageError(
    `${isOpen ? from.path : from} does not say of all its records of which profile they are`,
    { hint: 'Export it again with --all-profiles.' },
  );
}

/** The name of a list that is an object in some record, as in rows of --expand; else undefined. The batch is as scanned. */
export function objectInPlaceOf(batch: RecordBatch, lists: readonly string[]): string | undefined {
  const reader = new CellReader();
  for (const index of ofNewShape(batch)) {
    reader.moveTo(batch, index);
    const found = lists.find((list) => hasColumnsOf(reader, list));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether the record that is read has a column such as `payments.amount` of the list `payments`. */
function hasColumnsOf(reader: CellReader, list: string): boolean {
  return reader.columns.some((column, at) => column.startsWith(`${list}.`) && reader.cell(at) !== undefined);
}

/** The records whose member names differ from those of all earlier records. */
function* ofNewShape({ count, valueEndsAt }: RecordBatch): Generator<number> {
  for (let index = 0; index < count; index++) if ((valueEndsAt?.[index] ?? -1) < 0) yield index;
}

/** A name with a dot in it, before its value. */
const DOTTED_NAME = /"[^"\\]*\.[^"\\]*"\s*:/;

/**
 * The name of a list that a record has beside columns of its objects, `payments` beside `payments.amount`: another program made
 * rows of the list, and left all of it in each row. Undefined without such a record. The batch is as it was scanned.
 */
export function listBesideItsColumns(batch: RecordBatch): string | undefined {
  // Few records have names with dots: without them, no cell is read.
  if (!hasDottedNames(batch)) return undefined;
  const reader = new CellReader();
  for (let index = 0; index < batch.count; index++) {
    reader.moveTo(batch, index);
    const found = reader.columns.find(
      (column, at) => reader.cell(at)?.text.startsWith('[{') && hasColumnsOf(reader, column),
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

function hasDottedNames(batch: RecordBatch): boolean {
  const { bytes, bounds } = batch;
  for (const index of ofNewShape(batch))
    if (DOTTED_NAME.test(bytes.toString('latin1', bounds[2 * index], bounds[2 * index + 1]))) return true;
  return false;
}

export function ownersOf(batch: RecordBatch): readonly (string | undefined)[] {
  const reader = new CellReader([PROFILE_COLUMN]);
  return Array.from({ length: batch.count }, (_, index) => reader.read(batch, index)[0]?.text);
}

/** The records whose profile column has one of the profiles. */
export function ofProfiles(batch: RecordBatch, profiles: readonly string[]): RecordBatch {
  const own = ownersOf(batch).flatMap((name, index) =>
    name !== undefined && profiles.includes(name) ? [index] : [],
  );
  return selectRecords(batch, own);
}
