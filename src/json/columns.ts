import { ServiceError } from '../errors.ts';

/** Columns that a table may have; records with more are not rows but dictionaries. */
const MAX_COLUMNS = 10_000;

/** What `Columns.find` says of a field that no column wants. */
const UNWANTED = -1;

/**
 * Which column each field of a record goes to. A field is known by its path, the names of the members that lead to it;
 * its column is named by these joined with dots. Where that name is taken by another path (a literal member `a.b` beside a
 * member `b` within `a`), the later one is written with a backslash before its dots: `a\.b`.
 */
export class Columns {
  /** In order: as given, else by first appearance. Grows as fields appear, unless the columns were given. */
  readonly names: readonly string[];
  readonly #names: string[];
  readonly #given: ReadonlyMap<string, number> | undefined;
  /** The paths of all objects that hold a field of a given column. */
  readonly #parents = new Set<string>();
  readonly #taken = new Set<string>();

  constructor(given?: readonly string[]) {
    this.#names = given ? [...given] : [];
    this.names = this.#names;
    if (!given) return;
    this.#given = new Map(given.map((name, index) => [name, index] as const).toReversed());
    for (const name of given) {
      const path = name.replaceAll('\\.', '.');
      for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
        this.#parents.add(path.slice(0, dot));
      }
    }
  }

  /** Whether the columns were given, so that none is added. */
  get fixed(): boolean {
    return this.#given !== undefined;
  }

  /** The column of the field at `path`, added if need be; or UNWANTED. To be asked once for each path. Throws ServiceError. */
  find(path: readonly string[]): number {
    const name = this.#given ? this.#chosen(path, this.#given) : this.#free(path);
    if (name === undefined) return UNWANTED;
    this.#taken.add(name);
    return this.#given ? this.#given.get(name)! : this.#add(name);
  }

  /** Whether any column lies within the object at `path`. */
  reachesInto(path: readonly string[]): boolean {
    return this.#given === undefined || this.#parents.has(path.join('.'));
  }

  /** For columns that were given twice: pairs of the column that is found and one more that shows the same. */
  twins(): [first: number, again: number][] {
    return this.#names.flatMap((name, index): [number, number][] => {
      const first = this.#given?.get(name) ?? index;
      return first === index ? [] : [[first, index]];
    });
  }

  #add(name: string): number {
    if (this.#names.length === MAX_COLUMNS) {
      throw new ServiceError(`the records have more than ${MAX_COLUMNS} different fields`, {
        hint: 'Name the ones you want with --columns, or use --format jsonl.',
      });
    }
    return this.#names.push(name) - 1;
  }

  #free(path: readonly string[]): string {
    const plain = path.join('.');
    let name = plain;
    if (this.#taken.has(name)) name = escaped(path);
    // Only names with a dot can meet, so that more backslashes make a name that is free in the end.
    for (let slashes = '\\'; this.#taken.has(name); slashes += '\\')
      name = plain.replaceAll('.', `${slashes}.`);
    return name;
  }

  #chosen(path: readonly string[], given: ReadonlyMap<string, number>): string | undefined {
    const plain = path.join('.');
    const names = [plain, escaped(path)];
    if (this.#taken.has(plain)) names.push(plain.replaceAll('.', '\\.'));
    return names.find((name) => given.has(name) && !this.#taken.has(name));
  }
}

/** With a backslash before each dot that is part of a member's own name. */
function escaped(path: readonly string[]): string {
  return path.map((part) => part.replaceAll('.', '\\.')).join('.');
}
