import { UsageError } from '../errors.ts';
import type { FieldsOf } from '../invoices/fields.ts';
import { compact, type Span } from '../json/checked-text.ts';
import { ColumnSurvey } from '../json/column-facts.ts';
import { digestOf } from '../json/digest-identity.ts';
import { RecordLists } from '../json/record-lists.ts';
import { batchWithoutIds, type RecordBatch } from '../json/records.ts';
import type { ViewRows } from './current-view.ts';
import type { Database, RowSink } from './database.ts';
import { TableWithColumns, type WrittenRecords } from './fit-table.ts';
import { STABLE_NAMES, type RecordCells } from './record-rows.ts';
import type { SpooledListing } from './spooled-listing.ts';
import { makeElementTable, requireElementTable } from './tables.ts';

/*
 * A table of the objects in a list of records, such as `issued_payments`. It has what the lists of the records in `issued` hold,
 * each as it was last written: the rows of a record are written anew where its list is another. Of a record that is gone they stay,
 * as the record does. What a list was before is in the history of the records.
 */

/** The name of the table: `issued_payments`. Dots stay, as they do in the names of columns. */
export function elementTable(table: string, list: string): string {
  return `${table}_${list}`;
}

/** The lists of a listing that have a table in the database, also where it has no row yet. */
export async function listsWithTables(database: Database, table: string): Promise<readonly string[]> {
  const columns = database.table('_columns');
  const named = await database.query(`SELECT DISTINCT resource FROM ${columns}`);
  const fields = await database.query(`SELECT field FROM ${columns} WHERE resource = ? AND type = 'json'`, [
    table,
  ]);
  const start = elementTable(table, '');
  const lists = new Set([
    ...named
      .map(([name]) => String(name))
      .flatMap((name) => (name.startsWith(start) ? [name.slice(start.length)] : [])),
    ...fields.map(([field]) => String(field)),
  ]);
  const found: string[] = [];
  for (const list of lists) {
    const relation = await database.relation(elementTable(table, list));
    if (relation?.columns.includes('_index')) found.push(list);
  }
  return found;
}

/** Checks that tables of lists which exist are folio's, and that the others can be made. Changes nothing. Throws UsageError. */
export async function checkElementTables(
  database: Database,
  tables: readonly string[],
  lists: readonly string[],
): Promise<void> {
  for (const name of tables.flatMap((table) => lists.map((list) => elementTable(table, list)))) {
    const { nameBytes, engine } = database.dialect;
    if (Buffer.byteLength(`${name}_current`) > nameBytes) {
      throw new UsageError(`--tables: ${engine} takes no name as long as ${name}_current`, {
        hint: `A name has at most ${nameBytes} bytes.`,
      });
    }
    await requireElementTable(database, name);
  }
}

interface ElementsToWrite {
  /** The table of the records. */
  readonly table: string;
  /** The column that holds the list. */
  readonly list: string;
  readonly profile: string;
  readonly run: number;
  readonly listing: SpooledListing;
  readonly fields: FieldsOf;
}

/** What the user is to know of how a list was written. */
export interface WrittenElements extends WrittenRecords {
  readonly list: string;
  /** Records that have such a list, be it empty. */
  readonly found: number;
  /** Records that have something else there, and so no rows; and what the first of them has. */
  readonly others: number;
  readonly firstOther: string | undefined;
}

/** Makes the table of a list equal to the lists of the listing, within a transaction that is open. */
export async function writeElements(database: Database, options: ElementsToWrite): Promise<WrittenElements> {
  const { list, profile, run, fields } = options;
  const table = elementTable(options.table, list);
  const expected = await ListHashes.of(options);
  const { found, others, firstOther } = expected;
  const nothing = { retyped: [], withoutColumn: [], withNul: 0, unreadable: [] };
  const said = { list, found, others, firstOther };
  const isThere = (await database.relation(table)) !== undefined;
  if (!isThere && found === 0) return { ...said, ...nothing };
  if (!isThere) await makeElementTable(database, table);
  const stale = isThere ? await staleKeys(database, options, expected) : [];
  const survey = await surveyElements(options, expected);
  const rows = rowsOfCurrent(database, options.table, table);
  const fitted = await TableWithColumns.of(database, { table, run, survey, fields, rows });
  await database.forKeys(`DELETE FROM ${database.table(table)} WHERE _profile = ?`, [profile], stale);
  if (survey !== undefined) {
    const names = ['_profile', '_key', '_index', '_hash', '_changed_run', '_raw'];
    const target = { table, columns: [...names, ...fitted.names] };
    await database.insert(target, (sink) => putElements(sink, fitted.cells, options, expected));
  }
  return { ...said, ...(await fitted.written(profile)) };
}

const HASH_BYTES = 16;

/** What the list of each record holds, by 16 bytes of its hash, and which of them the table has already. */
class ListHashes {
  found = 0;
  others = 0;
  firstOther: string | undefined;
  readonly #hashes: Buffer;
  /** For each record: whether it has rows to be written. */
  readonly #isWanted: Uint8Array;

  private constructor(records: number) {
    this.#hashes = Buffer.alloc(records * HASH_BYTES);
    this.#isWanted = new Uint8Array(records);
  }

  static async of({ listing, list }: ElementsToWrite): Promise<ListHashes> {
    const hashes = new ListHashes(listing.index.count);
    const lists = new RecordLists(list);
    let record = 0;
    for await (const batch of listing.read()) {
      for (let index = 0; index < batch.count; index++, record++) {
        const found = lists.find(batch.bytes, batch.bounds[2 * index]!);
        if (found === undefined) continue;
        if (found.other !== undefined) {
          hashes.others++;
          hashes.firstOther ??= `in record ${record + 1} it is ${found.other}`;
          continue;
        }
        if (!found.isNull) hashes.found++;
        if (found.count === 0) continue;
        const [start, end] = found.member.value;
        hashes.#hashes.write(digestOf(compact(batch.bytes, start, end)), record * HASH_BYTES, 'latin1');
        hashes.#isWanted[record] = 1;
      }
    }
    return hashes;
  }

  isWanted(record: number): boolean {
    return this.#isWanted[record] === 1;
  }

  get hasRowsToWrite(): boolean {
    return this.#isWanted.includes(1);
  }

  textOf(record: number): string {
    return this.#hashes.toString('hex', record * HASH_BYTES, (record + 1) * HASH_BYTES);
  }

  /** Whether the table has rows of just this list. Then they need not be written. */
  takeStored(record: number, hash: string): boolean {
    const isSame = this.isWanted(record) && this.textOf(record) === hash;
    if (isSame) this.#isWanted[record] = 0;
    return isSame;
  }
}

/** The keys of records whose rows are of another list than they have now. */
async function staleKeys(
  database: Database,
  { table, list, profile, listing }: ElementsToWrite,
  expected: ListHashes,
): Promise<readonly string[]> {
  const rows = database.table(elementTable(table, list));
  const stale: string[] = [];
  const sql = `SELECT _key, _hash FROM ${rows} WHERE _profile = ? AND _index = 0`;
  for await (const group of database.stream(sql, [profile])) {
    for (const [keyCell, hash] of group) {
      const key = String(keyCell);
      const record = listing.find(key);
      // Of a record that is gone the rows stay.
      if (record >= 0 && !expected.takeStored(record, String(hash))) stale.push(key);
    }
  }
  return stale;
}

interface RecordElements {
  readonly batch: RecordBatch;
  readonly index: number;
  /** The place of the record in the listing. */
  readonly record: number;
  /** Some of its objects, as records of a batch, and the place of the first of them in the list. */
  readonly elements: RecordBatch;
  readonly first: number;
}

/** Objects of a list that are looked at together. */
const OBJECTS_TOGETHER = 200;

/** The lists that are to be written, record by record and part by part. */
async function* listsToWrite(
  { listing, list }: ElementsToWrite,
  expected: ListHashes,
): AsyncGenerator<RecordElements> {
  const lists = new RecordLists(list);
  let record = 0;
  for await (const batch of listing.read()) {
    for (let index = 0; index < batch.count; index++, record++) {
      if (!expected.isWanted(record)) continue;
      let spans: Span[] = [];
      let first = 0;
      for (const span of lists.objectsOf(lists.find(batch.bytes, batch.bounds[2 * index]!)!)) {
        spans.push(span);
        if (spans.length < OBJECTS_TOGETHER) continue;
        yield { batch, index, record, elements: batchOfSpans(batch, spans), first };
        first += spans.length;
        spans = [];
      }
      if (spans.length > 0) yield { batch, index, record, elements: batchOfSpans(batch, spans), first };
    }
  }
}

function batchOfSpans({ bytes, spaced }: RecordBatch, spans: readonly Span[]): RecordBatch {
  return batchWithoutIds(bytes, Int32Array.from(spans.flat()), spaced);
}

/** What each field holds in the rows that are to be written; undefined where there are none. */
async function surveyElements(
  options: ElementsToWrite,
  expected: ListHashes,
): Promise<ColumnSurvey | undefined> {
  if (!expected.hasRowsToWrite) return undefined;
  const survey = new ColumnSurvey(undefined, STABLE_NAMES);
  for await (const { elements } of listsToWrite(options, expected))
    for (let index = 0; index < elements.count; index++) survey.add(elements, index);
  return survey;
}

/** The view has the rows of records that are not gone. */
function rowsOfCurrent(database: Database, records: string, table: string): ViewRows {
  const [own, all] = [database.table(table), database.table(records)];
  return {
    own: ['_profile', '_key', '_index'],
    condition: `EXISTS (SELECT 1 FROM ${all} AS records WHERE records._profile = ${own}._profile AND records._key = ${own}._key AND records._gone_run IS NULL)`,
  };
}

/** Rows that are put before the database takes them. */
const ROWS_TOGETHER = 200;

async function* putElements(
  rows: RowSink,
  cells: RecordCells,
  options: ElementsToWrite,
  expected: ListHashes,
): AsyncGenerator<void> {
  let put = 0;
  for await (const { batch, index, record, elements, first } of listsToWrite(options, expected)) {
    const key = options.listing.keyOf(batch, index);
    for (let place = 0; place < elements.count; place++) {
      rows.put(options.profile);
      rows.put(key);
      rows.put(BigInt(first + place));
      rows.put(expected.textOf(record));
      rows.put(BigInt(options.run));
      cells.putInto(rows, elements, place);
      if (++put % ROWS_TOGETHER === 0) yield;
    }
  }
  yield;
}
