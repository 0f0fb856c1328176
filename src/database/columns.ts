import { OutputError } from '../errors.ts';
import { MINUS, QUOTE } from '../json/ascii.ts';
import { ABSENT, CellReader, ESCAPED_TEXT, JSON_TEXT, PLAIN_TEXT } from '../json/cells.ts';
import { ColumnFacts } from '../json/column-facts.ts';
import { recordBytes, type RecordBatch } from '../json/records.ts';
import { cutBytes } from '../output/files/side-files.ts';
import {
  columnTypes,
  storableText,
  type ColumnType,
  type Database,
  type Dialect,
  type StoredRow,
  type StoredValue,
} from './database.ts';
import { DOCUMENT_COLUMNS, type DocumentColumns } from './document-columns.ts';

/*
 * The columns of a table of records: one for each field of the records, with a name that the database can have and a type that
 * holds all that the field ever held. The table `_columns` keeps both. No column is ever dropped.
 */

export interface TableColumn {
  /** The field's flat name: `customer.fiscalId`. */
  readonly field: string;
  /** The column's name: the same, unless the database cannot have it. */
  readonly name: string;
  readonly type: ColumnType;
  /** The type that it has in the database so far; undefined for a new one. */
  readonly before: ColumnType | undefined;
}

/** The most columns that a table gets: SQLite ends at 2,000, PostgreSQL at 1,600. `_raw` has all fields of a record. */
const MAX_COLUMNS = 1_500;

const NAMELESS = '(empty)';

/** Reads all fields. A column means the same field in every run, whichever records that run writes. */
function fieldReader(): CellReader {
  return new CellReader(undefined, true);
}

/**
 * The columns of a table that has columns of these names, in their order; empty without such a table. Throws OutputError if it
 * has lost one.
 */
export async function readColumns(
  database: Database,
  table: string,
  names: readonly string[],
): Promise<readonly TableColumn[]> {
  const { shown } = database;
  const rows = await database.query(
    `SELECT "column", type, field FROM ${database.table('_columns')} WHERE resource = ?`,
    [table],
  );
  const columns = rows.map((cells): TableColumn => {
    const [name = '', typed = '', field = ''] = cells.map(String);
    const type = columnTypes.find((one) => one === typed);
    if (type === undefined) {
      throw new OutputError(`_columns of ${shown} names the type ${typed}, which folio does not know`, {
        hint: 'Sync into another database, or undo what changed that table.',
      });
    }
    if (!names.includes(name)) {
      throw new OutputError(`the table ${table} of ${shown} has lost its column ${name}`, {
        hint:
          `Run \`DROP VIEW IF EXISTS ${table}_current; DROP TABLE ${table}; DELETE FROM _columns WHERE resource = '${table}';\`` +
          ' in the database, then folio sync again, which makes them anew.',
      });
    }
    return { name, type, field, before: type };
  });
  const position = new Map(names.map((name, at) => [name, at]));
  return columns.toSorted((a, b) => position.get(a.name)! - position.get(b.name)!);
}

/** Whether the text that begins there is certainly neither empty nor a date. */
function isFarFromDate(bytes: Buffer, start: number): boolean {
  return bytes[start] !== QUOTE && bytes[start + 4] !== MINUS;
}

/** Collects facts about the values of the fields. */
export class FieldSurvey {
  readonly #reader = fieldReader();
  readonly #facts: ColumnFacts[] = [];

  add(batch: RecordBatch, index: number): void {
    const reader = this.#reader;
    reader.moveTo(batch, index);
    const { kinds, starts } = reader.spans;
    for (let at = 0; at < reader.columns.length; at++) {
      const facts = (this.#facts[at] ??= new ColumnFacts());
      const kind = kinds[at];
      // For most values only the kind counts. Decoding them, too, would take a tenth of a first sync.
      if (kind === JSON_TEXT) facts.nested++;
      else if (kind === PLAIN_TEXT && isFarFromDate(reader.view.bytes, starts[at]!)) facts.texts++;
      else if (kind !== ABSENT) facts.add(reader.cell(at)!);
    }
  }

  /** By flat name, in order of first appearance. */
  facts(): ReadonlyMap<string, ColumnFacts> {
    return new Map(this.#reader.columns.map((field, at) => [field, this.#facts[at]!]));
  }
}

/**
 * Decides which columns a table has to have, and which fields get none.
 *
 * @param known the columns of fields that it has
 * @param facts facts about the records to write, by flat name
 * @param names names that other columns have
 */
export function planColumns(
  { nameBytes, reservedNames }: Dialect,
  known: readonly TableColumn[],
  facts: ReadonlyMap<string, ColumnFacts>,
  names: readonly string[],
): { readonly columns: readonly TableColumn[]; readonly withoutColumn: readonly string[] } {
  const taken = new Set([...names.map((name) => name.toLowerCase()), ...reservedNames]);
  const columns = new Map(known.map((column) => [column.field, column]));
  const withoutColumn: string[] = [];
  for (const [flatName, held] of facts) {
    const field = storableText(flatName);
    const column = columns.get(field);
    if (column === undefined && columns.size >= MAX_COLUMNS) withoutColumn.push(field);
    else {
      const name = column?.name ?? freeName(field, taken, nameBytes);
      const type = contentsOf(held).reduce(widened, column?.type ?? 'null');
      columns.set(field, { field, name, type, before: column?.before });
    }
  }
  return { columns: [...columns.values()], withoutColumn };
}

/** The field's name, cut if it is too long for the database; with a number if it was cut, or another column has it. */
function freeName(field: string, taken: Set<string>, nameBytes: number): string {
  const whole = field || NAMELESS;
  for (let number = 1; ; number++) {
    let name = number === 1 ? whole : `${whole}_${number}`;
    const suffix = `_${number}`;
    if (Buffer.byteLength(name) > nameBytes) name = cutBytes(whole, nameBytes - suffix.length) + suffix;
    if (taken.has(name.toLowerCase())) continue;
    taken.add(name.toLowerCase());
    return name;
  }
}

/** The types of a field's values. A number with too many digits is kept as text, as sent. */
function contentsOf({ texts, numbers, tooLong, booleans, nested }: ColumnFacts): ColumnType[] {
  const held = { text: texts + tooLong, numeric: numbers - tooLong, boolean: booleans, json: nested };
  return columnTypes.filter((type) => type !== 'null' && held[type] > 0);
}

function widened(type: ColumnType, content: ColumnType): ColumnType {
  if (type === content) return type;
  return type === 'null' ? content : 'text';
}

/** Reads records as rows: the record itself, a cell for each column, then those that folio works out. */
export class RowReader {
  /** The names of the columns of its rows. */
  readonly names: readonly string[];
  /** Columns with a text in which U+FFFD stands for NUL. */
  readonly withNul = new Set<string>();
  readonly #cells = fieldReader();
  readonly #dialect: Dialect;
  readonly #columns: readonly TableColumn[];
  readonly #documents: DocumentColumns | undefined;
  readonly #empty: readonly null[];
  readonly #indexOf: ReadonlyMap<string, number>;
  /** The index among `columns` of each column of the records; undefined for those that the table has no room for. */
  readonly #indexes: (number | undefined)[] = [];

  constructor(dialect: Dialect, columns: readonly TableColumn[], documents?: DocumentColumns) {
    this.names = [
      '_raw',
      ...columns.map(({ name }) => name),
      ...(documents === undefined ? [] : DOCUMENT_COLUMNS.keys()),
    ];
    this.#dialect = dialect;
    this.#columns = columns;
    this.#documents = documents;
    this.#empty = columns.map(() => null);
    this.#indexOf = new Map(columns.map(({ field }, at) => [field, at]));
  }

  read(batch: RecordBatch, index: number): StoredRow {
    const cells = this.#cells;
    cells.moveTo(batch, index);
    for (let known = this.#indexes.length; known < cells.columns.length; known++)
      this.#indexes.push(this.#indexOf.get(storableText(cells.columns[known]!)));
    const row: StoredValue[] = [recordBytes(batch, index).toString('utf8'), ...this.#empty];
    for (let at = 0; at < cells.columns.length; at++) {
      const column = this.#indexes[at];
      const kind = cells.spans.kinds[at];
      if (kind === ABSENT || column === undefined) continue;
      let { text } = cells.cell(at)!;
      // NUL comes as an escape. PostgreSQL cannot store it, and readers of SQLite may end the text there.
      if (kind === ESCAPED_TEXT && text.includes('\0')) {
        text = text.replaceAll('\0', '\uFFFD');
        this.withNul.add(this.#columns[column]!.name);
      }
      row[column + 1] = this.#dialect.value(this.#columns[column]!.type, text);
    }
    if (this.#documents !== undefined) row.push(...this.#documents.read(batch, index));
    return row;
  }
}
