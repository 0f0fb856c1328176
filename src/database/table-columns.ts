import { cutBytes } from '../output/files/side-files.ts';
import type { CellContent, ColumnType, Dialect } from './database.ts';

/** The column of a field. */
export interface TableColumn {
  /** The field's flat name: `customer.fiscalId`. */
  readonly field: string;
  /** The column's name: the same, but where the database cannot have that. */
  readonly name: string;
  readonly type: ColumnType;
}

/** What a column was, and what it has to become. */
interface Retyping {
  readonly from: TableColumn;
  readonly to: TableColumn;
}

/** The most columns that a table gets: SQLite ends at 2,000, PostgreSQL at 1,600. `_raw` has all fields of a record. */
const MAX_COLUMNS = 1_500;

/** What a field without a name is called. */
const NAMELESS = '(empty)';

/** Which column each field of a resource has, what it holds, and how the table has to change for new records. */
export class TableColumns {
  readonly #dialect: Dialect;
  readonly #byField = new Map<string, TableColumn>();
  readonly #taken: Set<string>;
  readonly #added = new Set<string>();
  readonly #retypedFrom = new Map<string, TableColumn>();
  /** Fields for which the table has no room. */
  readonly withoutColumn: string[] = [];

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
    return [...this.#retypedFrom].map(([field, from]) => ({ from, to: this.#byField.get(field)! }));
  }

  /** Notes what records hold in a field; `null` where all of them hold nothing there. */
  note(flatName: string, content: CellContent | 'null'): void {
    const field = storableName(flatName);
    const column = this.#byField.get(field);
    if (column === undefined) return this.#add(field, content);
    const type = widened(column.type, content);
    if (type === column.type) return;
    if (!this.#added.has(field) && !this.#retypedFrom.has(field)) this.#retypedFrom.set(field, column);
    this.#byField.set(field, { ...column, type });
  }

  #add(field: string, type: ColumnType): void {
    if (this.#byField.size >= MAX_COLUMNS) {
      if (!this.withoutColumn.includes(field)) this.withoutColumn.push(field);
      return;
    }
    this.#byField.set(field, { field, name: this.#freeName(field), type });
    this.#added.add(field);
  }

  /** The field's name: with a number behind it where another column has it, cut where it is too long for the database. */
  #freeName(field: string): string {
    const plain = field || NAMELESS;
    for (let number = 1; ; number++) {
      const name = cutWithSuffix(plain, this.#dialect.nameBytes, number === 1 ? '' : `_${number}`);
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

/** The text with the suffix, in at most `limit` bytes of UTF-8. A text that has to be cut gets a suffix in any case. */
function cutWithSuffix(text: string, limit: number, suffix: string): string {
  if (Buffer.byteLength(text + suffix) <= limit) return text + suffix;
  const ending = suffix === '' ? '_1' : suffix;
  return cutBytes(text, limit - ending.length) + ending;
}
