import { ServiceError } from '../errors.ts';
import { toWords, type WordView } from './word-search.ts';

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
    if (this.#taken.has(name)) name = escapeDots(path);
    // Only names with a dot can meet, so that more backslashes make a name that is free in the end.
    for (let slashes = '\\'; this.#taken.has(name); slashes += '\\')
      name = plain.replaceAll('.', `${slashes}.`);
    return name;
  }

  #chosen(path: readonly string[], given: ReadonlyMap<string, number>): string | undefined {
    const plain = path.join('.');
    const names = [plain, escapeDots(path)];
    if (this.#taken.has(plain)) names.push(plain.replaceAll('.', '\\.'));
    return names.find((name) => given.has(name) && !this.#taken.has(name));
  }
}

/** With a backslash before each dot that is part of a member's own name. */
function escapeDots(path: readonly string[]): string {
  return path.map((part) => part.replaceAll('.', '\\.')).join('.');
}

/** Levels of objects that become columns with dots. */
const MAX_LEVELS = 64;

/** Different members of all records that are remembered. */
const MAX_MEMBERS = 100_000;

/** A member that records have at one place. */
export class Member {
  readonly path: readonly string[];
  /** Its name as it was last sent, from the opening quote to the colon, in words: recognized without being decoded. */
  private token = new Int32Array(0);
  /** Bytes of that name. */
  length = 0;
  /** Its column when it holds no object; looked up when that first happens. */
  column: number | undefined;
  /** When it holds an object: the members of that object, or null where no column is within. */
  members: Members | null | undefined;
  /** The member that came behind it in the record before: likely the next one of this record too. */
  next: Member | undefined;
  /** The number of the record in which it was last seen. */
  seen = 0;

  constructor(path: readonly string[]) {
    this.path = path;
  }

  /** Remembers how its name is spelled: `"name":`, as bytes. */
  spell(name: Buffer): void {
    this.length = name.length;
    this.token = toWords(name);
  }

  /** Whether its name stands at `start`, spelled as it was last. */
  isAt({ bytes, words }: WordView, start: number): boolean {
    const { length, token } = this;
    if (length < 4 || start + length > bytes.length) return false;
    const last = token.length - 1;
    for (let index = 0; index < last; index++) {
      if (words.getInt32(start + 4 * index, true) !== token[index]) return false;
    }
    return words.getInt32(start + length - 4, true) === token[last];
  }
}

/** The members of the objects at one path, over all records. */
export class Members {
  readonly path: readonly string[];
  /** The member that came first in the record before. */
  first: Member | undefined;
  readonly #byName = new Map<string, Member>();
  readonly #columns: Columns;
  readonly #tally: { fields: number };

  constructor(columns: Columns, path: readonly string[] = [], tally = { fields: 0 }) {
    this.path = path;
    this.#columns = columns;
    this.#tally = tally;
  }

  /** The member of this name. Throws ServiceError when records have too many. */
  find(name: string): Member {
    const known = this.#byName.get(name);
    if (known) return known;
    const field = new Member([...this.path, name]);
    if (this.#tally.fields < MAX_MEMBERS) {
      this.#tally.fields++;
      this.#byName.set(name, field);
    } else if (!this.#columns.fixed) {
      tooManyForRows(`the records have more than ${MAX_MEMBERS} different members`);
    }
    return field;
  }

  /** The members of the object that `field` holds; null where no column lies within. Throws ServiceError when too deep. */
  within(field: Member): Members | null {
    if (field.members !== undefined) return field.members;
    field.members = null;
    if (!this.#columns.reachesInto(field.path)) return null;
    if (field.path.length === MAX_LEVELS)
      tooManyForRows(`the records have objects more than ${MAX_LEVELS} levels deep`);
    return (field.members = new Members(this.#columns, field.path, this.#tally));
  }

  all(): Iterable<Member> {
    return this.#byName.values();
  }
}

function tooManyForRows(message: string): never {
  throw new ServiceError(message, {
    hint: 'Name the columns you want with --columns, or use --format jsonl.',
  });
}
