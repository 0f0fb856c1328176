import { declaredType, ofAny, type FieldsOf } from '../invoices/fields.ts';
import type { ColumnFacts } from '../json/column-facts.ts';
import { quoteName, type Database, type Dialect } from './database.ts';
import type { TableColumn } from './record-columns.ts';

/**
 * The view of the records that are not gone, for people and programs that draw and add up. The table keeps each text as it
 * came; the view has days as days and money as numbers, and nothing where a text is none. In PostgreSQL a column keeps the type
 * that it began with, so that views of the user which read this one stand.
 */

export interface ViewColumn {
  readonly name: string;
  /** The type of the view's column, as PostgreSQL writes it. */
  readonly shownAs: string;
  readonly expression: string;
  /** The condition in SQL of a cell that the view does not show; undefined where it shows all that is being written. */
  readonly lost?: string | undefined;
  /** Whether the view does not have it yet. */
  readonly isNew: boolean;
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

/** Types whose columns may show nothing for a text, and how messages call their cells. */
const STRICT: ReadonlyMap<string, UnreadableColumn['shownAs']> = new Map([
  ['date', 'date'],
  ['numeric', 'number'],
  ['timestamp with time zone', 'time'],
]);

export interface ViewPlan {
  readonly table: string;
  readonly fields: FieldsOf;
  readonly columns: readonly TableColumn[];
  /** What the records that are being written hold, by field. */
  readonly facts: ReadonlyMap<string, ColumnFacts>;
  /** Names of columns that folio works out. */
  readonly own: readonly string[];
}

/** Finds out whether there is a view, and which columns it is to have: those that it has, then new ones. */
export async function planView(
  database: Database,
  { table, fields, columns, facts, own }: ViewPlan,
): Promise<{ readonly exists: boolean; readonly columns: readonly ViewColumn[] }> {
  const { dialect } = database;
  const relation = await database.relation(`${table}_current`);
  const kept = relation?.columns ?? new Map<string, string>();
  const shown = columns.flatMap((column): ViewColumn[] => {
    const { name, field } = column;
    const held = facts.get(field);
    const shownAs = kept.get(name) || typeFor(dialect, column, { fields, held });
    if (shownAs === undefined) return [];
    const view = {
      name,
      shownAs,
      expression: expressionOf(dialect, column, shownAs),
      isNew: !kept.has(name),
    };
    return [{ ...view, lost: lostWhere(dialect, view, held) }];
  });
  const others = ['_profile', '_key', ...own].map((name): ViewColumn => {
    return { name, shownAs: '', expression: quoteName(name), isNew: !kept.has(name) };
  });
  // A view can be given columns at its end alone.
  const names = [...kept.keys()];
  const positionOf = ({ name, isNew }: ViewColumn): number => (isNew ? names.length : names.indexOf(name));
  const all = [...others, ...shown].toSorted((a, b) => positionOf(a) - positionOf(b));
  return { exists: relation !== undefined, columns: all };
}

/** The columns that the view has so far, those of `hidden` with NULL in place of their values. */
export function withoutValues(
  columns: readonly ViewColumn[],
  hidden: readonly TableColumn[],
): readonly ViewColumn[] {
  return columns
    .filter(({ isNew }) => !isNew)
    .map((column) =>
      hidden.some(({ name }) => name === column.name)
        ? { ...column, expression: `NULL::${column.shownAs}` }
        : column,
    );
}

/** Makes the view, or gives it other columns. */
export async function makeView(
  database: Database,
  table: string,
  columns: readonly ViewColumn[],
): Promise<void> {
  const view = database.table(`${table}_current`);
  const list = columns.map(({ name, expression }) => `${expression} AS ${quoteName(name)}`);
  // Where views of the user read this one it can be given more columns, but not be dropped.
  const isReplaced = database.dialect.engine === 'PostgreSQL';
  if (!isReplaced) await database.query(`DROP VIEW IF EXISTS ${view}`);
  await database.query(
    `CREATE ${isReplaced ? 'OR REPLACE ' : ''}VIEW ${view} AS SELECT ${list.join(', ')}` +
      ` FROM ${database.table(table)} WHERE _gone_run IS NULL`,
  );
}

/** The columns that show nothing for records of the profile which the run has written, although these hold something. */
export async function unreadableColumns(
  database: Database,
  { table, profile, run }: { readonly table: string; readonly profile: string; readonly run: number },
  columns: readonly ViewColumn[],
): Promise<readonly UnreadableColumn[]> {
  const strict = columns.filter(({ lost }) => lost !== undefined);
  if (strict.length === 0) return [];
  const counts = strict.map(({ lost }) => `sum(CASE WHEN ${lost} THEN 1 ELSE 0 END)`);
  const [row] = await database.query(
    `SELECT ${counts.join(', ')} FROM ${database.table(table)}` +
      ` WHERE _profile = ? AND _changed_run = ? AND _gone_run IS NULL`,
    [profile, run],
  );
  return strict.flatMap(({ name, shownAs }, at) => {
    const records = Number(row![at] ?? 0);
    return records === 0 ? [] : [{ name, shownAs: STRICT.get(shownAs)!, records }];
  });
}

function lostWhere(
  { engine }: Dialect,
  { name, shownAs, expression }: ViewColumn,
  held: ColumnFacts | undefined,
): string | undefined {
  const cell = quoteName(name);
  if (!STRICT.has(shownAs) || expression === cell || held?.cells === 0) return undefined;
  // To test each text takes a database as long as to write a tenth of the rows. The survey has seen already what they are.
  if (shownAs !== 'date' || held === undefined || held.cells !== held.days + held.times + held.empty)
    return `${cell} IS NOT NULL AND CAST(${cell} AS text) <> '' AND ${expression} IS NULL`;
  // PostgreSQL has no year 0.
  return engine === 'SQLite' ? undefined : `${cell} LIKE '0000%'`;
}

/** What the view shows of a column, in SQL. */
function expressionOf({ engine, types }: Dialect, { name, type }: TableColumn, shownAs: string): string {
  const cell = quoteName(name);
  if (engine === 'SQLite') {
    const day = `substr(${cell}, 1, 10)`;
    return shownAs === 'date' ? `CASE WHEN date(${day}) = ${day} THEN ${day} END` : cell;
  }
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

/** Undefined for a column that held nothing yet: its type is that of the first values, and kept, so it cannot be said before. */
function typeFor(
  { engine, types }: Dialect,
  { field, type }: TableColumn,
  { fields, held }: { readonly fields: FieldsOf; readonly held: ColumnFacts | undefined },
): string | undefined {
  const isDay = ofAny(fields).some(
    ({ columns: { date, due } }) => date.includes(field) || due.includes(field),
  );
  if (isDay) return 'date';
  if (declaredType(fields, field) === 'money') return 'numeric';
  if (type === 'null' && engine === 'PostgreSQL') return undefined;
  const areInstants =
    held !== undefined && held.cells > 0 && held.times === held.cells && !held.zones.has('');
  return type === 'text' && areInstants ? 'timestamp with time zone' : types[type];
}

/** PostgreSQL: whether the text begins with a day that the calendar has, followed by what the expression matches. */
function startsWithDay(cell: string, rest: string): string {
  const monthEnd = `(substr(${cell}, 1, 7) || '-01')::date + interval '1 month' - interval '1 day'`;
  return (
    `CASE WHEN ${cell} ~ '^${DAY}${rest}' AND ${cell} !~ '^0000'` +
    ` THEN substr(${cell}, 9, 2)::int <= extract(day FROM ${monthEnd}) ELSE false END`
  );
}
