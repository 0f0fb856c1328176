import {
  CellReader,
  ABSENT,
  BOOLEAN_LITERAL,
  JSON_TEXT,
  NUMBER_LITERAL,
  Projection,
  type Cell,
} from '../json/cells.ts';
import { recordBytes, type RecordBatch } from '../json/records.ts';
import {
  quoteName,
  type CellContent,
  type Database,
  type RowUpdate,
  type StoredRow,
  type StoredValue,
} from './database.ts';
import { INSERT, LEAVE, UPDATE, type Differences } from './differences.ts';
import type { SpooledListing } from './spooled-listing.ts';
import { fitsNumeric } from './stored-numbers.ts';
import { TableColumns, type TableColumn } from './table-columns.ts';
import { OWN_COLUMNS, changeColumns, makeRecordTables, readColumns } from './tables.ts';

/** One listing, and what it changes. */
export interface RecordsToWrite {
  readonly table: string;
  readonly profile: string;
  readonly run: number;
  readonly listing: SpooledListing;
  readonly differences: Differences;
}

/** What the user is to know of how the records were written. */
export interface WrittenRecords {
  /** Columns that have become text. */
  readonly retyped: readonly TableColumn[];
  /** Fields that are in `_raw` alone, since the table has no room for more columns. */
  readonly withoutColumn: readonly string[];
  /** Records whose text holds NUL, which the database's columns show as U+FFFD. */
  readonly withNul: number;
}

/** Makes the table equal to the listing, within a transaction that is open. */
export async function writeRecords(database: Database, written: RecordsToWrite): Promise<WrittenRecords> {
  const { table, profile, run, differences } = written;
  await makeRecordTables(database, table);
  const columns = await fitColumns(database, written);
  await keepHistory(database, written);
  const rows = database.table(table);
  await database.forKeys(
    `UPDATE ${rows} SET _gone_run = ? WHERE _profile = ?`,
    [run, profile],
    differences.gone,
  );
  await database.forKeys(
    `UPDATE ${rows} SET _gone_run = NULL WHERE _profile = ?`,
    [profile],
    differences.asTheyWere,
  );
  const writer = new RowMaker(database, written, columns);
  if (differences.changed.length + differences.back.length > differences.asTheyWere.length) {
    await database.update({ table, columns: writer.updatedColumns }, writer.updates());
  }
  if (differences.added > 0) await database.insert({ table, columns: writer.columns }, writer.inserts());
  return {
    retyped: columns.retyped
      .filter(({ from, to }) => from.type !== 'null' && to.type === 'text')
      .map(({ to }) => to),
    withoutColumn: columns.left,
    withNul: writer.withNul,
  };
}

/** What the rows were, before they are something else. */
async function keepHistory(
  database: Database,
  { table, profile, run, differences }: RecordsToWrite,
): Promise<void> {
  const [history, rows] = [database.table(`${table}_history`), database.table(table)];
  for (const change of ['changed', 'gone', 'back'] as const) {
    const sql =
      `INSERT INTO ${history} (_profile, _key, _run, _change, _raw)` +
      ` SELECT _profile, _key, ${run}, '${change}', _raw FROM ${rows} WHERE _profile = ?`;
    await database.forKeys(sql, [profile], differences[change]);
  }
}

/** Gives the table the columns that the records which are to be written need. */
async function fitColumns(database: Database, written: RecordsToWrite): Promise<TableColumns> {
  const { table, run, listing, differences } = written;
  const { known, names } = await readColumns(database, table);
  const columns = new TableColumns(database.dialect, known, names);
  if (differences.actions.some((action) => action !== LEAVE)) {
    for (const [field, contents] of await surveyFields(listing, differences.actions)) {
      columns.see(field, 'null');
      for (const content of contents) columns.see(field, content);
    }
  }
  await changeColumns(database, {
    table,
    run,
    ...{ added: columns.added, retyped: columns.retyped, all: columns.all },
  });
  if (database.dialect.engine === 'SQLite') {
    for (const { from, to } of columns.retyped)
      if (/^(?:numeric|boolean)$/.test(from.type)) await retextCells(database, table, to);
  }
  return columns;
}

/** What each field holds in the records that are to be written, in the order of first appearance. */
async function surveyFields(
  listing: SpooledListing,
  actions: Uint8Array,
): Promise<Map<string, Set<CellContent>>> {
  const projection = new Projection();
  const { names } = projection.columns;
  const contents: Set<CellContent>[] = [];
  for await (const { batch, index } of recordsWith(listing, actions, (action) => action !== LEAVE)) {
    projection.project(batch, index);
    const { kinds, starts, ends } = projection.cells;
    while (contents.length < names.length) contents.push(new Set());
    for (let column = 0; column < names.length; column++) {
      const kind = kinds[column]!;
      if (kind === ABSENT) continue;
      const held = contents[column]!;
      if (kind === NUMBER_LITERAL)
        held.add(fitsNumeric(batch.bytes, starts[column]!, ends[column]!) ? 'numeric' : 'text');
      else held.add(kind === BOOLEAN_LITERAL ? 'boolean' : kind === JSON_TEXT ? 'json' : 'text');
    }
  }
  return new Map(names.map((name, column) => [name, contents[column] ?? new Set()]));
}

interface RecordAt {
  readonly batch: RecordBatch;
  readonly index: number;
}

async function* recordsWith(
  listing: SpooledListing,
  actions: Uint8Array,
  isWanted: (action: number) => boolean,
): AsyncGenerator<RecordAt> {
  for await (const { batch, indices } of batchesWith(listing, actions, isWanted)) {
    for (const index of indices) yield { batch, index };
  }
}

interface WantedRecords {
  readonly batch: RecordBatch;
  /** Of the records that are wanted. */
  readonly indices: readonly number[];
  /** The place in the listing of the batch's first record. */
  readonly first: number;
}

/** Records whose rows are in memory at a time. */
const ROWS_TOGETHER = 200;

async function* batchesWith(
  listing: SpooledListing,
  actions: Uint8Array,
  isWanted: (action: number) => boolean,
): AsyncGenerator<WantedRecords> {
  let first = 0;
  for await (const batch of listing.read()) {
    let indices: number[] = [];
    for (let index = 0; index < batch.count; index++) {
      if (isWanted(actions[first + index]!)) indices.push(index);
      if (indices.length < ROWS_TOGETHER) continue;
      yield { batch, indices, first };
      indices = [];
    }
    if (indices.length > 0) yield { batch, indices, first };
    first += batch.count;
  }
}

/** Makes rows of records, each cell as its column holds it. */
class RowMaker {
  withNul = 0;
  readonly columns: readonly string[];
  readonly #database: Database;
  readonly #written: RecordsToWrite;
  readonly #fields: readonly TableColumn[];
  readonly #reader = new CellReader();
  readonly #known: TableColumns;
  /** Where the cell of each column is in what the reader reads, as far as it has read. */
  #places: Int32Array;
  #placed = 0;

  constructor(database: Database, written: RecordsToWrite, columns: TableColumns) {
    this.#database = database;
    this.#written = written;
    this.#known = columns;
    this.#fields = columns.all;
    this.columns = [...OWN_COLUMNS, ...this.#fields.map(({ name }) => name)];
    this.#places = new Int32Array(this.#fields.length).fill(-1);
  }

  get updatedColumns(): readonly string[] {
    const kept = ['_profile', '_key', '_first_run'];
    return this.columns.filter((name) => !kept.includes(name));
  }

  async *inserts(): AsyncGenerator<readonly StoredRow[]> {
    const { listing, profile, run, differences } = this.#written;
    for await (const { batch, indices, first } of batchesWith(
      listing,
      differences.actions,
      (action) => action === INSERT,
    )) {
      yield indices.map((index) => [
        ...[profile, listing.keyOf(batch, index), listing.index.contentText(first + index)],
        ...[run, run, null, recordBytes(batch, index).toString('utf8')],
        ...this.#cells(batch, index),
      ]);
    }
  }

  async *updates(): AsyncGenerator<readonly RowUpdate[]> {
    const { listing, profile, run, differences } = this.#written;
    for await (const { batch, indices, first } of batchesWith(
      listing,
      differences.actions,
      (action) => action === UPDATE,
    )) {
      yield indices.map((index) => ({
        ...{ profile, key: listing.keyOf(batch, index) },
        values: [
          ...[
            listing.index.contentText(first + index),
            run,
            null,
            recordBytes(batch, index).toString('utf8'),
          ],
          ...this.#cells(batch, index),
        ],
      }));
    }
  }

  #cells(batch: RecordBatch, index: number): StoredValue[] {
    const cells = this.#reader.read(batch, index);
    this.#place();
    let hasNul = false;
    const values = this.#fields.map(({ type }, at) => {
      const cell = this.#places[at]! < 0 ? undefined : cells[this.#places[at]!];
      if (cell === undefined) return null;
      hasNul ||= cell.kind === 'string' && cell.text.includes('\0');
      return storedCell(this.#database, type, cell);
    });
    if (hasNul) this.withNul++;
    return values;
  }

  /** Finds the columns of the fields that the reader has met since. */
  #place(): void {
    const { columns } = this.#reader;
    for (; this.#placed < columns.length; this.#placed++) {
      const column = this.#known.of(columns[this.#placed]!);
      const at = column === undefined ? -1 : this.#fields.findIndex(({ name }) => name === column.name);
      if (at >= 0) this.#places[at] = this.#placed;
    }
  }
}

/** NUL, which PostgreSQL cannot hold and programs that read SQLite take for the end of the text, is shown as U+FFFD. */
function storedCell(database: Database, type: TableColumn['type'], { kind, text }: Cell): StoredValue {
  return database.dialect.value(type, kind === 'string' ? text.replaceAll('\0', '\uFFFD') : text);
}

/** Rows that are read together, while others of the same table are written. */
const TOGETHER = 1_000;

/** Writes the column's numbers and truths anew, as the text that the records have; for all profiles. */
async function retextCells(database: Database, table: string, column: TableColumn): Promise<void> {
  const [rows, name] = [database.table(table), quoteName(column.name)];
  const reader = new CellReader([column.field]);
  const sql = `SELECT rowid, _profile, _key, _raw FROM ${rows} WHERE rowid > ? AND ${name} IS NOT NULL ORDER BY rowid LIMIT ${TOGETHER}`;
  for (let last: StoredValue = -1; ;) {
    const group: StoredRow[] = await database.query(sql, [last]);
    if (group.length === 0) return;
    last = group.at(-1)![0]!;
    const updates = group.map(([, profile, key, raw]) => {
      const cell = reader.read(oneRecord(String(raw)), 0)[0];
      return { profile: String(profile), key: String(key), values: [cell?.text ?? null] };
    });
    await database.update({ table, columns: [column.name] }, only(updates));
  }
}

function oneRecord(text: string): RecordBatch {
  const bytes = Buffer.from(text);
  return {
    ...{ bytes, count: 1, bounds: new Int32Array([0, bytes.length]), ids: new Int32Array([-1, -1]) },
    spaced: true,
  };
}

async function* only<T>(value: T): AsyncGenerator<T> {
  yield value;
}
