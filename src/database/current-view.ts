import { declaredType, ofAny, type FieldsOf } from '../invoices/fields.ts';
import type { ColumnFacts } from '../json/column-facts.ts';
import { quoteName, type Database, type Dialect } from './database.ts';
import type { TableColumn } from './record-columns.ts';

/**
 * The view of the records that are not gone, for people and programs that draw and add up. The table keeps each text as it
 * came; the view has days as days and money as numbers, and nothing where a text is none. In PostgreSQL a column keeps the type
 * that it began with, so that views of the user which read this one stand.
 */

interface ViewColumn {
  readonly name: string;
  /** The type of the view's column, as PostgreSQL writes it. */
  readonly shownAs: string;
  readonly expression: string;
  /** The condition in SQL of a cell that the view does not show; undefined where it shows all that is being written. */
  readonly lost: string | undefined;
}

/** What decides the types of columns that the view does not have yet. */
export interface ViewMeaning {
  readonly fields: FieldsOf;
  /** What the records that are being written hold in a field; undefined for a field that none of them has. */
  readonly factsOf: (field: string) => ColumnFacts | undefined;
  /** Names of columns that folio works out. */
  readonly own: readonly string[];
}

/** A column of the view that shows nothing for some records, although they hold something. */
export interface UnreadableColumn {
  readonly name: string;
  readonly shownAs: 'date' | 'number' | 'time';
  readonly records: number;
}

const DAY = String.raw`[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])`;
const CLOCK = String.raw`([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]+)?`;
const ZONE = String.raw`(Z|[+-]([01][0-9]|2[0-3]):?[0-5][0-9])`;
const NUMBER = String.raw`^-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]{1,4})?$`;

export class CurrentView {
  readonly #database: Database;
  readonly #table: string;
  readonly #columns: readonly ViewColumn[];
  /** The names of the columns that it has so far. */
  readonly #kept: ReadonlyMap<string, string>;

  private constructor(
    database: Database,
    table: string,
    columns: readonly ViewColumn[],
    kept: ReadonlyMap<string, string>,
  ) {
    this.#database = database;
    this.#table = table;
    this.#columns = columns;
    this.#kept = kept;
  }

  /** Whether there is such a view, with all of its columns. */
  get isWhole(): boolean {
    return this.#columns.every(({ name }) => this.#kept.has(name));
  }

  /** Finds out which types the view's columns have, or are to have. */
  static async of(
    database: Database,
    table: string,
    fields: readonly TableColumn[],
    meaning: ViewMeaning,
  ): Promise<CurrentView> {
    const kept = (await database.relation(`${table}_current`))?.columns ?? new Map<string, string>();
    const { dialect } = database;
    const shown = fields.flatMap((column) => {
      const shownAs = kept.get(column.name) || typeFor(dialect, column, meaning);
      if (shownAs === undefined) return [];
      const expression = expressionOf(dialect, column, shownAs);
      const view = { ...column, shownAs, expression };
      return [{ ...view, lost: lostWhere(dialect, view, meaning.factsOf(column.field)) }];
    });
    const all = [
      ...['_profile', '_key', ...meaning.own].map((name) => ({
        name,
        shownAs: '',
        expression: quoteName(name),
        lost: undefined,
      })),
      ...shown,
    ];
    // A view can be given columns at its end alone.
    const names = [...kept.keys()];
    const placeOf = ({ name }: ViewColumn): number => (kept.has(name) ? names.indexOf(name) : names.length);
    const columns = all.toSorted((a, b) => placeOf(a) - placeOf(b));
    return new CurrentView(database, table, columns, kept);
  }

  /** Makes the view, or gives it the columns that it lacks. */
  async make(): Promise<void> {
    await this.#make(this.#columns);
  }

  /** Has the view show NULL in columns, so that their types can be changed, and for now none that it did not have. */
  async hide(columns: readonly TableColumn[]): Promise<void> {
    const hidden = new Set(columns.map(({ name }) => name));
    const there = this.#columns.filter(({ name }) => this.#kept.has(name));
    await this.#make(
      there.map((column) =>
        hidden.has(column.name) ? { ...column, expression: `NULL::${column.shownAs}` } : column,
      ),
    );
  }

  async #make(columns: readonly ViewColumn[]): Promise<void> {
    const view = this.#database.table(`${this.#table}_current`);
    const list = columns.map(({ name, expression }) => `${expression} AS ${quoteName(name)}`);
    // Where views of the user read this one it can be given more columns, but not be dropped.
    const isReplaced = this.#database.dialect.engine === 'PostgreSQL';
    if (!isReplaced) await this.#database.query(`DROP VIEW IF EXISTS ${view}`);
    await this.#database.query(
      `CREATE ${isReplaced ? 'OR REPLACE ' : ''}VIEW ${view} AS SELECT ${list.join(', ')}` +
        ` FROM ${this.#database.table(this.#table)} WHERE _gone_run IS NULL`,
    );
  }

  /** The columns that show nothing for records of the profile which the run has written, although these hold something. */
  async unreadable(profile: string, run: number): Promise<readonly UnreadableColumn[]> {
    const strict = this.#columns.filter(({ lost }) => lost !== undefined);
    if (strict.length === 0) return [];
    const counts = strict.map(({ lost }) => `sum(CASE WHEN ${lost} THEN 1 ELSE 0 END)`);
    const [row] = await this.#database.query(
      `SELECT ${counts.join(', ')} FROM ${this.#database.table(this.#table)}` +
        ` WHERE _profile = ? AND _changed_run = ? AND _gone_run IS NULL`,
      [profile, run],
    );
    return strict.flatMap(({ name, shownAs }, at) => {
      const records = Number(row![at] ?? 0);
      return records === 0 ? [] : [{ name, shownAs: WORDS.get(shownAs)!, records }];
    });
  }
}

function lostWhere(
  { engine }: Dialect,
  { name, shownAs, expression }: Omit<ViewColumn, 'lost'>,
  facts: ColumnFacts | undefined,
): string | undefined {
  const cell = quoteName(name);
  if (!WORDS.has(shownAs) || expression === cell || facts?.cells === 0) return undefined;
  // To test each text takes a database as long as to write a tenth of the rows. The survey has seen already what they are.
  if (shownAs !== 'date' || facts === undefined || facts.cells !== facts.days + facts.times + facts.empty)
    return `${cell} IS NOT NULL AND CAST(${cell} AS text) <> '' AND ${expression} IS NULL`;
  // PostgreSQL has no year 0.
  return engine === 'SQLite' ? undefined : `${cell} LIKE '0000%'`;
}

/** What the view shows of a column, in SQL. */
function expressionOf({ engine, types }: Dialect, { name, type }: TableColumn, shownAs: string): string {
  const cell = quoteName(name);
  if (engine === 'SQLite') return shownAs === 'date' ? sqliteDay(cell) : cell;
  if (shownAs === types[type]) return cell;
  if (shownAs === 'text') return `${cell}::text`;
  if (shownAs === 'json') return `to_json(${cell})`;
  // What is no text is of another kind than the column was.
  if (type !== 'text') return `NULL::${shownAs}`;
  switch (shownAs) {
    case 'date':
      return `CASE WHEN ${startsWithDay(cell, '([T ].*)?$')} THEN substr(${cell}, 1, 10)::date END`;
    case 'timestamp with time zone':
      return `CASE WHEN ${startsWithDay(cell, `[T ]${CLOCK}${ZONE}$`)} THEN ${cell}::timestamptz END`;
    case 'numeric':
      return `CASE WHEN ${cell} ~ '${NUMBER}' THEN ${cell}::numeric END`;
    case 'boolean':
      return `CASE ${cell} WHEN 'true' THEN true WHEN 'false' THEN false END`;
    default:
      return `NULL::${shownAs}`;
  }
}

const WORDS: ReadonlyMap<string, UnreadableColumn['shownAs']> = new Map([
  ['date', 'date'],
  ['numeric', 'number'],
  ['timestamp with time zone', 'time'],
]);

/** Undefined for a column that held nothing yet: its type is that of the first values, and kept, so it cannot be said before. */
function typeFor(
  dialect: Dialect,
  { field, type }: TableColumn,
  { fields, factsOf }: ViewMeaning,
): string | undefined {
  const isDay = ofAny(fields).some(
    ({ columns: { date, due } }) => date.includes(field) || due.includes(field),
  );
  if (isDay) return 'date';
  if (declaredType(fields, field) === 'money') return 'numeric';
  if (type === 'null' && dialect.engine === 'PostgreSQL') return undefined;
  const facts = factsOf(field);
  const areInstants =
    facts !== undefined && facts.cells > 0 && facts.times === facts.cells && !facts.zones.has('');
  return type === 'text' && areInstants ? 'timestamp with time zone' : dialect.types[type];
}

/** PostgreSQL: whether the text begins with a day that the calendar has, followed by what the expression says. */
function startsWithDay(cell: string, rest: string): string {
  const monthEnd = `(substr(${cell}, 1, 7) || '-01')::date + interval '1 month' - interval '1 day'`;
  return (
    `CASE WHEN ${cell} ~ '^${DAY}${rest}' AND ${cell} !~ '^0000'` +
    ` THEN substr(${cell}, 9, 2)::int <= extract(day FROM ${monthEnd}) ELSE false END`
  );
}

function sqliteDay(cell: string): string {
  return `CASE WHEN date(substr(${cell}, 1, 10)) = substr(${cell}, 1, 10) THEN substr(${cell}, 1, 10) END`;
}
