import { UsageError } from '../errors.ts';
import { CellReader, type Cell } from '../json/cells.ts';
import type { RecordBatch } from '../json/records.ts';
import {
  fixedValue,
  mapProfiles,
  ofAny,
  ofProfile,
  placesAmong,
  PROFILE_COLUMN,
  roleOfColumn,
  ROLES,
  type ByProfile,
  type Fields,
  type FieldsOf,
  type Role,
} from '../invoices/fields.ts';

/** What the names of columns stand for besides themselves: what a column means, and what a table prints above it. */
export interface ColumnNames {
  readonly fields: FieldsOf;
  /** For each heading the role of its column; or, where it has none, the columns that it may be in. */
  readonly headings: ReadonlyMap<string, Role | readonly string[]>;
  /** The headings of --columns and of the export that is read, each with its column. They name columns of a file, not of records. */
  readonly given?: ReadonlyMap<string, string> | undefined;
}

/** The columns that a name stands for in records of some fields; undefined for a name that stands for itself alone. */
export function columnsNamed(
  name: string,
  { headings }: ColumnNames,
  fields: Fields,
): readonly string[] | undefined {
  const role = ROLES.find((one) => one === name);
  const meant = role ?? headings.get(name);
  if (meant === undefined) return undefined;
  const columns = typeof meant === 'string' ? fields.columns[meant] : meant;
  return columns.length === 1 && columns[0] === name ? undefined : columns;
}

/** The names besides their own that stand for some of these columns. */
export function namesMeaning(columns: readonly string[], names: ColumnNames): readonly string[] {
  const isThere = (name: string): boolean =>
    ofAny(names.fields).some((fields) =>
      columnsNamed(name, names, fields)?.some((column) => columns.includes(column)),
    );
  return [...ROLES, ...names.headings.keys()].filter(isThere);
}

/** The role of a column by any of its names; undefined for a column without a meaning. */
export function roleNamed(name: string, { headings }: ColumnNames, fields: Fields): Role | undefined {
  const meant = ROLES.find((one) => one === name) ?? roleOfColumn(fields, name) ?? headings.get(name);
  return typeof meant === 'string' ? meant : undefined;
}

/** Where the cells of a name are: of its own column, and of those that it stands for. */
interface NamePlaces {
  readonly own: number;
  readonly meant: readonly (number | Cell)[];
  readonly columns: readonly string[];
}

/**
 * Reads the cells of columns by the names that people have for them: `open` and the heading `due` are read where the fields
 * of the record's profile say. Throws UsageError where records have a column of such a name that is another one.
 */
export class NamedCells {
  readonly #asked: readonly string[];
  readonly #reader: CellReader;
  readonly #places: ByProfile<readonly (NamePlaces | undefined)[]>;
  readonly #profileAt: number;
  readonly #furtherAt: readonly number[];
  readonly #askedAt: readonly number[];
  /** For each name: whether some record has a column of its own, and in which other column its meaning was found. */
  readonly #seen: { own: boolean; meant: string | undefined }[];

  /**
   * @param asked names as people give them
   * @param names what they stand for; without it, each stands for itself
   * @param further columns that are read as they are, after the others
   */
  constructor(asked: readonly string[], names?: ColumnNames, further: readonly string[] = []) {
    this.#asked = asked;
    const named = names
      ? mapProfiles(names.fields, (fields) => asked.map((name) => columnsNamed(name, names, fields)))
      : { usual: asked.map(() => undefined) };
    const meant = ofAny(named).flatMap((ofNames) => ofNames.flatMap((columns) => columns ?? []));
    const own = named.byProfile === undefined ? [] : [PROFILE_COLUMN];
    const columns = [
      ...new Set([...asked, ...further, ...own, ...meant.filter((name) => fixedValue(name) === undefined)]),
    ];
    this.#reader = new CellReader(columns);
    this.#askedAt = asked.map((name) => columns.indexOf(name));
    this.#furtherAt = further.map((name) => columns.indexOf(name));
    this.#profileAt = columns.indexOf(PROFILE_COLUMN);
    this.#places = mapProfiles(named, (ofNames) =>
      ofNames.map((one, at) => one && placesOf(asked[at]!, one, columns)),
    );
    this.#seen = asked.map(() => ({ own: false, meant: undefined }));
  }

  /** How many cells there are in all. */
  get count(): number {
    return this.#asked.length + this.#furtherAt.length;
  }

  /** The cells of the names, in their order, and then those of the further columns. */
  read(batch: RecordBatch, index: number): (Cell | undefined)[] {
    const cells = this.#reader.read(batch, index);
    const profile = this.#places.byProfile && cells[this.#profileAt]?.text;
    const asked = ofProfile(this.#places, profile).map((place, at) =>
      place === undefined ? cells[this.#askedAt[at]!] : this.#meantCell(at, place, cells),
    );
    return [...asked, ...this.#furtherAt.map((at) => cells[at])];
  }

  #meantCell(at: number, places: NamePlaces, cells: readonly (Cell | undefined)[]): Cell | undefined {
    const own = cells[places.own];
    const cellAt = (place: number | Cell): Cell | undefined =>
      typeof place === 'number' ? cells[place] : place;
    const found = places.meant.findIndex((place) => (cellAt(place)?.text ?? '') !== '');
    const seen = this.#seen[at]!;
    // An object of that name, such as the customer, holds what the heading means.
    const isOwn = own !== undefined && !(own.kind === 'array' && own.text.startsWith('{'));
    if (isOwn && places.meant[found] !== places.own) seen.own = true;
    if (found >= 0 && places.meant[found] !== places.own) seen.meant = places.columns[found]!;
    if (seen.own && seen.meant !== undefined) throw clash(this.#asked[at]!, seen.meant);
    return found < 0 ? own : cellAt(places.meant[found]!);
  }
}

function placesOf(name: string, named: readonly string[], columns: readonly string[]): NamePlaces {
  return { own: columns.indexOf(name), columns: named, meant: placesAmong(named, columns) };
}

function clash(name: string, meant: string): UsageError {
  return new UsageError(
    `${name} can mean two columns: the records have one of that name, and it also stands for ${meant}`,
    {
      hint: `Write ${meant} for that one. For the other, say that it is meant with --field <field>=${name}.`,
    },
  );
}
