import { quoteName, type CellContent, type ColumnType, type Database, type Dialect } from './database.ts';

/** The column of a field. */
export interface TableColumn {
  /** The field's flat name: `customer.fiscalId`. */
  readonly field: string;
  /** The column's name: the same, but where the database cannot have that. */
  readonly name: string;
  readonly type: ColumnType;
}

/** What a column was, and what it has to become. */
export interface Retyping {
  readonly from: TableColumn;
  readonly to: TableColumn;
}

/** Columns that a table gets at most; records keep all of their fields in `_raw`. SQLite ends at 2,000, PostgreSQL at 1,600. */
const MOST_COLUMNS = 1_500;

/** What a field without a name is called. */
const NAMELESS = '(empty)';

/** Which column each field of a resource has, what it holds, and what has to change for records that were not seen before. */
export class TableColumns {
  readonly #dialect: Dialect;
  readonly #byField = new Map<string, TableColumn>();
  readonly #taken: Set<string>;
  readonly #added = new Set<string>();
  readonly #before = new Map<string, TableColumn>();
  /** Fields for which the table has no room. */
  readonly left: string[] = [];

  /**
   * @param known in the order of the table
   * @param taken the names of all columns that the table has
   */
  constructor(dialect: Dialect, known: readonly TableColumn[], taken: readonly string[]) {
    this.#dialect = dialect;
    for (const column of known) this.#byField.set(column.field, column);
    this.#taken = new Set([...taken.map((name) => name.toLowerCase()), ...dialect.reservedNames]);
  }

  /** The column of a field that was seen; undefined where the table has no room for it. */
  of(flatName: string): TableColumn | undefined {
    return this.#byField.get(storableName(flatName));
  }

  get all(): readonly TableColumn[] {
    return [...this.#byField.values()];
  }

  get added(): readonly TableColumn[] {
    return this.all.filter(({ field }) => this.#added.has(field));
  }

  get retyped(): readonly Retyping[] {
    return [...this.#before].map(([field, from]) => ({ from, to: this.#byField.get(field)! }));
  }

  /** Records hold such a thing in the field; `null` where all of them hold nothing there. */
  see(flatName: string, content: CellContent | 'null'): void {
    const field = storableName(flatName);
    const column = this.#byField.get(field);
    if (column === undefined) return this.#add(field, content);
    const type = widened(column.type, content);
    if (type === column.type) return;
    if (!this.#added.has(field) && !this.#before.has(field)) this.#before.set(field, column);
    this.#byField.set(field, { ...column, type });
  }

  #add(field: string, type: ColumnType): void {
    if (this.#byField.size >= MOST_COLUMNS) {
      if (!this.left.includes(field)) this.left.push(field);
      return;
    }
    this.#byField.set(field, { field, name: this.#freeName(field), type });
    this.#added.add(field);
  }

  /** The field's name, with a number behind it where another column has it, and cut where the database allows no longer one. */
  #freeName(field: string): string {
    const plain = field || NAMELESS;
    for (let number = 1; ; number++) {
      const name = cutToBytes(plain, this.#dialect.nameBytes, number === 1 ? '' : `_${number}`);
      if (this.#taken.has(name.toLowerCase())) continue;
      this.#taken.add(name.toLowerCase());
      return name;
    }
  }
}

/** The name as text that every database can hold. */
function storableName(flatName: string): string {
  return Buffer.from(flatName).toString('utf8').replaceAll('\0', '\uFFFD');
}

function widened(type: ColumnType, content: CellContent | 'null'): ColumnType {
  if (content === 'null' || type === content) return type;
  return type === 'null' ? content : 'text';
}

/** The text with the suffix, no more than so many bytes of UTF-8; a text that has to be cut gets a suffix in any case. */
function cutToBytes(text: string, most: number, suffix: string): string {
  if (Buffer.byteLength(text + suffix) <= most) return text + suffix;
  const behind = suffix === '' ? '_1' : suffix;
  let room = most - behind.length;
  let kept = '';
  for (const character of text) {
    room -= Buffer.byteLength(character);
    if (room < 0) break;
    kept += character;
  }
  return kept + behind;
}

/** The view of the records that are not gone, with the columns that the table has now. */
export async function remakeCurrentView(
  database: Database,
  table: string,
  columns: readonly TableColumn[],
): Promise<void> {
  const view = database.table(`${table}_current`);
  const shown = columns.map(({ name }) => name).filter((name) => !name.startsWith('_'));
  const list = ['_profile', ...shown].map(quoteName).join(', ');
  // Where views of the user read this one it can be given more columns, but not be dropped.
  const isReplaced = database.dialect.engine === 'PostgreSQL';
  if (!isReplaced) await database.query(`DROP VIEW IF EXISTS ${view}`);
  await database.query(
    `CREATE ${isReplaced ? 'OR REPLACE ' : ''}VIEW ${view} AS SELECT ${list} FROM ${database.table(table)} WHERE _gone_run IS NULL`,
  );
}
