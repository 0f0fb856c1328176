import { CellReader } from '../../json/cells.ts';
import type { RecordBatch } from '../../json/records.ts';

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
export function* ofNewShape({ count, valueEndsAt }: RecordBatch): Generator<number> {
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
