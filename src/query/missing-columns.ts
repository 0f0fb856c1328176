import { UsageError } from '../errors.ts';
import { namesMeaning } from '../invoices/column-names.ts';
import type { DocumentReader } from '../invoices/document-reader.ts';
import type { RecordBatch } from '../json/records.ts';
import { countOf } from '../output/terminal/number-text.ts';
import { nearestNames } from './nearest-names.ts';
import { groupColumn } from './question-syntax.ts';

interface MissingOptions {
  /** The name for one record in sentences. */
  readonly what?: string | undefined;
  /** Columns that records may lack: these are not missing. */
  readonly known?: readonly string[];
}

/** The names of columns that are not even there with null: they may be misspelt. */
function missingNames(reader: DocumentReader, known: readonly string[] = []): string[] {
  const isThere = (column: string): boolean => reader.columnsThere.includes(column) || known.includes(column);
  return reader.namesNeverFound.filter((column) => !isThere(column));
}

/** A sentence for each of these. */
export function missingColumns(reader: DocumentReader, { what, known }: MissingOptions = {}): string[] {
  return missingNames(reader, known).map((column) => noValueIn(column, reader, what));
}

/** Says that no record has a value in the column, and which names may have been meant. */
export function noValueIn(column: string, reader: DocumentReader, what = 'record'): string {
  const headed = reader.meanings.given?.get(column);
  const near = headed === undefined ? nearNames(column, reader) : [headed];
  const suggestion = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
  return `no ${what} has a value in ${column}${suggestion}`;
}

/** Throws UsageError where a column that no record has was meant for one that is there. `flag` named it. */
export function refuseNearMisses(
  reader: DocumentReader,
  flag: string,
  { what = 'record', known }: MissingOptions = {},
): void {
  for (const column of missingNames(reader, known)) {
    const headed = reader.meanings.given?.get(column);
    if (headed !== undefined)
      throw new UsageError(`${flag}: ${column} is the heading of ${headed}`, { hint: `Write ${headed}.` });
    const { column: dated, unit } = groupColumn(column);
    const near =
      unit === undefined ? nearNames(column, reader) : namesThere(reader).filter((name) => name === dated);
    if (near.length === 0) continue;
    throw new UsageError(`${flag}: no ${what} has a column ${column}`, {
      hint:
        unit === undefined
          ? `Did you mean ${near.join(' or ')}?`
          : `Only --group-by takes a unit: name ${dated} alone. --where ${dated}=2026-10 keeps a month.`,
    });
  }
}

/**
 * Passes the records on, and looks for columns of the reader until each was found. At the end it tells which no record had. Throws
 * UsageError there for one that is a near miss of one that is there. `flag` named them.
 */
export async function* watchColumns(
  records: AsyncIterable<RecordBatch>,
  { reader, flag, tell }: WatchOptions,
): AsyncGenerator<RecordBatch> {
  for await (const batch of records) {
    reader.look(batch);
    yield batch;
  }
  refuseNearMisses(reader, flag);
  for (const complaint of missingColumns(reader))
    tell(`${complaint} (${countOf(reader.records, 'record')} read)`);
}

interface WatchOptions {
  readonly reader: DocumentReader;
  readonly flag: string;
  readonly tell: (sentence: string) => void;
}

/** The names of the columns that there are, and what these mean. */
function namesThere({ columnsThere, meanings }: DocumentReader): string[] {
  return [...new Set([...columnsThere, ...namesMeaning(columnsThere, meanings)])];
}

function nearNames(column: string, reader: DocumentReader): string[] {
  return nearestNames(column, namesThere(reader)).filter((name) => name !== column);
}
