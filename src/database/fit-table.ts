import type { FieldsOf } from '../invoices/fields.ts';
import { CellReader } from '../json/cells.ts';
import type { ColumnFacts, ColumnSurvey } from '../json/column-facts.ts';
import { scanRecord } from '../json/scan-records.ts';
import type { CurrentView, UnreadableColumn } from './current-view.ts';
import { quoteName, type Database, type StoredValue } from './database.ts';
import { contentsOf, RecordCells } from './record-rows.ts';
import { TableColumns, type TableColumn } from './table-columns.ts';
import { changeColumns, readColumns } from './tables.ts';

/** What the user is to know of how rows were written. */
export interface WrittenRecords {
  /** Columns that have become text. */
  readonly retyped: readonly TableColumn[];
  /** Fields that are in `_raw` alone, since the table has no room for more columns. */
  readonly withoutColumn: readonly string[];
  /** Records whose text holds NUL, which the database's columns show as U+FFFD. */
  readonly withNul: number;
  /** Columns whose values the view cannot show. */
  readonly unreadable: readonly UnreadableColumn[];
}

interface RowsToFit {
  readonly table: string;
  readonly run: number;
  /** What each field holds in the rows that are to be written; undefined where there are none. */
  readonly survey: ColumnSurvey | undefined;
  /** What the columns mean in the records of each profile. */
  readonly fields: FieldsOf;
}

/** A table with the columns that the rows need which are to be written, and with its view. */
export class TableWithColumns {
  /** Puts what the rows hold into the columns. */
  readonly cells: RecordCells;
  readonly #columns: TableColumns;
  readonly #view: CurrentView;
  readonly #options: RowsToFit;

  private constructor(columns: TableColumns, view: CurrentView, options: RowsToFit) {
    this.cells = new RecordCells(columns);
    this.#columns = columns;
    this.#view = view;
    this.#options = options;
  }

  /** Gives the table the columns that it lacks, within a transaction that is open. */
  static async of(database: Database, options: RowsToFit): Promise<TableWithColumns> {
    const { table, run, survey, fields } = options;
    const { known, names } = await readColumns(database, table);
    const columns = new TableColumns(database.dialect, known, names);
    const facts = new Map<string, ColumnFacts>();
    for (const [column, field] of survey?.columns.entries() ?? []) {
      const held = survey!.factsOf(column);
      facts.set(field, held);
      columns.note(field, 'null');
      for (const content of contentsOf(held)) columns.note(field, content);
    }
    const view = await changeColumns(database, {
      ...{ table, run, added: columns.added, retyped: columns.retyped, all: columns.all },
      meaning: { fields, factsOf: (field) => facts.get(field) },
    });
    if (database.dialect.engine === 'SQLite') {
      for (const { from, to } of columns.retyped)
        if (/^(?:numeric|boolean)$/.test(from.type)) await rewriteAsText(database, table, to);
    }
    return new TableWithColumns(columns, view, options);
  }

  /** The names of the columns of fields, in the order in which `cells` puts them. */
  get names(): readonly string[] {
    return this.#columns.all.map(({ name }) => name);
  }

  /** What the user is to know, once the rows of the profile are written. */
  async written(profile: string): Promise<WrittenRecords> {
    const { survey, run } = this.#options;
    const { retyped, withoutColumn } = this.#columns;
    return {
      retyped: retyped
        .filter(({ from, to }) => from.type !== 'null' && to.type === 'text')
        .map(({ to }) => to),
      withoutColumn,
      withNul: this.cells.withNul,
      unreadable: survey === undefined ? [] : await this.#view.unreadable(profile, run),
    };
  }
}

/** Rows that are read by one query; then those rows are written, which no open query could stand. */
const ROWS_A_QUERY = 1_000;

/** Replaces the numbers and booleans of a column by the text that the records have; for all profiles. In SQLite. */
async function rewriteAsText(database: Database, table: string, column: TableColumn): Promise<void> {
  const [rows, name] = [database.table(table), quoteName(column.name)];
  const reader = new CellReader([column.field]);
  const sql = `SELECT rowid, _raw FROM ${rows} WHERE rowid > ? AND ${name} IS NOT NULL ORDER BY rowid LIMIT ${ROWS_A_QUERY}`;
  for (let last: StoredValue = -1; ;) {
    const values: StoredValue[] = [];
    // A stream gives the event loop its turns.
    for await (const group of database.stream(sql, [last])) {
      for (const [row, raw] of group) {
        const [cell] = reader.read(scanRecord(Buffer.from(String(raw))), 0);
        values.push((last = row!), cell?.text ?? null);
      }
    }
    if (values.length === 0) return;
    const pairs = Array.from({ length: values.length / 2 }, () => '(?, ?)').join(', ');
    await database.query(
      `WITH texts (row, text) AS (VALUES ${pairs}) UPDATE ${rows} SET ${name} = texts.text FROM texts WHERE ${rows}.rowid = texts.row`,
      values,
    );
  }
}
