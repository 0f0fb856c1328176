import { UsageError } from '../errors.ts';
import type { Finding } from '../findings.ts';
import { columnsNamed, namesMeaning, roleNamed, ofAll } from '../invoices/fields.ts';
import type { DocumentReader } from '../invoices/document-reader.ts';
import type { RecordBatch } from '../json/records.ts';
import { RecordSpool } from '../output/spool.ts';
import { countOf } from '../output/terminal/number-text.ts';
import { CALENDAR_UNITS } from '../invoices/periods.ts';
import { nearestNames } from './nearest-names.ts';
import { groupColumn } from './question-syntax.ts';
import { BAR } from './result-rows.ts';

interface MissingOptions {
  readonly what?: string | undefined;
  /** The reader's names that come from the flag; by default all. */
  readonly names?: readonly string[];
  /** Whether a missing column only leaves an empty column in the output: then only near misses are refused. */
  readonly isShown?: boolean;
  /** Whether the number of records is added. */
  readonly isCounted?: boolean;
}

/** A warning for each column that no record had, not even null. `flag` named them. */
export function missingColumns(
  reader: DocumentReader,
  flag: string,
  { what, isCounted = false, names }: MissingOptions = {},
): Finding[] {
  const count = isCounted ? ` (${countOf(reader.records, 'record')} read)` : '';
  return missingOf(reader, names).map((column) => ({
    level: 'warning',
    text: `${flag}: ${noValueIn(column, reader, what)}${count}`,
  }));
}

function missingOf({ missingNames }: DocumentReader, names?: readonly string[]): readonly string[] {
  return names === undefined ? missingNames : missingNames.filter((name) => names.includes(name));
}

/** The message that no record has a value in the column, with the names that may have been meant. */
export function noValueIn(column: string, reader: DocumentReader, what = 'record'): string {
  const headed = reader.meanings.byHeading?.get(column);
  const near = headed === undefined ? nearNames(column, reader) : [headed];
  const suggestion = near.length === 0 ? otherPlace(column, reader) : `Did you mean ${near.join(' or ')}?`;
  const end = suggestion && `; ${suggestion[0]!.toLowerCase()}${suggestion.slice(1).replace(/\.$/, '')}`;
  return `no ${what} has a value in ${column}${end}`;
}

/** Where to find what a name stands for that is not a misspelling of a column; empty if that is unknown. */
function otherPlace(column: string, reader: DocumentReader): string {
  if (/^(?:days?[-_.]?(?:late|overdue|past[-_.]?due)|dias[-_.]?atraso|atraso)$/i.test(column))
    return '`folio statement --all --overdue` shows how many days late each is.';
  if (!/^(?:client|customer|cliente|supplier|vendor|proveedor)(?:[-_.]?name)?$/i.test(column)) return '';
  const name = reader.columnThere('counterpartyName');
  return name === undefined ? '' : `Did you mean ${name}?`;
}

/**
 * Throws UsageError for a column that no record had: an answer without it would be wrong. Columns that few records have are
 * declared, by the listing or by the setting `known.<listing>`, and may be missing: `missingColumns` warns of them. But of the
 * columns of a role, every record has one. `flag` named the columns.
 */
export function refuseMissing(reader: DocumentReader, flag: string, options: MissingOptions = {}): void {
  const { what = 'record', isShown = false, names } = options;
  for (const column of missingOf(reader, names)) {
    const headed = reader.meanings.byHeading?.get(column);
    if (headed !== undefined)
      throw new UsageError(`${flag}: ${column} is the heading of ${headed}`, { hint: `Write ${headed}.` });
    const hint = isShown ? hintOfName(column, reader) : hintOfQuestion(column, reader, { flag, what });
    if (hint !== undefined) throw new UsageError(`${flag}: no ${what} has a column ${column}`, { hint });
  }
}

/** What to write in place of a name that no record had; undefined if it is like no name of a column. */
function hintOfName(column: string, reader: DocumentReader): string | undefined {
  const { column: dated, unit } = groupColumn(column);
  if (unit !== undefined && allNames(reader).includes(dated))
    return `Only --group-by takes a unit: name ${dated} alone. --where ${dated}=2026-10 keeps a month.`;
  const near = nearNames(column, reader);
  return near.length === 0 ? undefined : `Did you mean ${near.join(' or ')}?`;
}

/** What to do about a column of a question that no record had; undefined if it may be missing. Throws UsageError for a role. */
function hintOfQuestion(
  column: string,
  reader: DocumentReader,
  { flag, what }: { readonly flag: string; readonly what: string },
): string | undefined {
  const { meanings } = reader;
  const all = ofAll(meanings.fields);
  const role = all.map((fields) => roleNamed(column, meanings, fields)).find((one) => one !== undefined);
  const other = role && reader.columnThere(role);
  if (other !== undefined) return `Did you mean ${other}?`;
  if (role !== undefined) reader.refuseWithout([role], flag, what);
  const columns = [column, ...all.flatMap((fields) => columnsNamed(column, meanings, fields) ?? [])];
  if (all.some(({ declared }) => declared.some(([name]) => columns.includes(name)))) return undefined;
  const hint = hintOfName(column, reader) ?? otherPlace(column, reader);
  if (hint !== '') return hint;
  const period = CALENDAR_UNITS.find((one) => one === column.toLowerCase());
  if (period !== undefined) return `To group by ${period}, write --group-by date:${period}.`;
  if (column.includes(':'))
    return `After a column and a colon, --group-by takes ${CALENDAR_UNITS.join(', ')}.`;
  if (what !== 'record') return `There are ${reader.columnsThere.filter((name) => name !== BAR).join(', ')}.`;
  const { known: setting } = meanings;
  const declare = `To declare a column that few records have: \`folio config set ${setting} ${column}\`.`;
  return `--list-columns prints the names of the columns.${setting === undefined ? '' : ` ${declare}`}`;
}

/** Throws UsageError for a column within the objects of a list, where each record must have a single value. */
export function refuseLists(reader: DocumentReader, flag: string, names?: readonly string[]): void {
  const hint = flag === '--expand' ? 'Write' : 'Add';
  for (const [column, list] of reader.namesInLists) {
    if (names?.includes(column) === false) continue;
    throw new UsageError(
      `${flag}: ${column} is within the list ${list}, which may have several objects in a record`,
      { hint: `${hint} --expand ${list}: then each is a row.` },
    );
  }
}

/**
 * Passes the records on, and looks for the reader's columns until all were found. At the end it warns of columns that no record
 * had, and throws UsageError for a near miss of another column. `flag` named the columns.
 */
export async function* watchColumns(
  records: AsyncIterable<RecordBatch>,
  { reader, flag, warn }: { reader: DocumentReader; flag: string; warn: (finding: Finding) => void },
): AsyncGenerator<RecordBatch> {
  const watched = async function* (): AsyncGenerator<RecordBatch> {
    for await (const batch of records) {
      reader.findNames(batch);
      yield batch;
    }
  };
  yield* unlessRefused(watched(), () => {
    if (flag !== '--field') refuseLists(reader, flag);
    refuseMissing(reader, flag, { isShown: true });
  });
  for (const finding of missingColumns(reader, flag, { isCounted: true })) warn(finding);
}

/**
 * Passes the records on, and calls `refuse` at the end. While `refuse` would throw for the records so far, they wait: no part of
 * a refused answer may be written.
 */
export async function* unlessRefused(
  records: AsyncIterable<RecordBatch>,
  refuse: () => void,
): AsyncGenerator<RecordBatch> {
  let waiting: RecordSpool | undefined = new RecordSpool();
  try {
    for await (const batch of records) {
      if (waiting !== undefined && isRefused(refuse)) await waiting.add(batch);
      else {
        if (waiting !== undefined) yield* waiting.read();
        await waiting?.close();
        waiting = undefined;
        yield batch;
      }
    }
    refuse();
    if (waiting !== undefined) yield* waiting.read();
  } finally {
    await waiting?.close();
  }
}

function isRefused(check: () => void): boolean {
  try {
    check();
    return false;
  } catch (error) {
    if (error instanceof UsageError) return true;
    throw error;
  }
}

function allNames({ columnsThere, meanings }: DocumentReader): string[] {
  return [...new Set([...columnsThere, ...namesMeaning(columnsThere, meanings)])];
}

function nearNames(column: string, reader: DocumentReader): string[] {
  return nearestNames(column, allNames(reader)).filter((name) => name !== column);
}
