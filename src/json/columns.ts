import { ServiceError } from '../errors.ts';
import { toWords, type WordView } from './bytes.ts';

/** The most columns of a table. Records with more fields than that are not rows. */
const MAX_COLUMNS = 10_000;

/** The most characters that the names of all columns have together. */
const MAX_NAMES = 4 * 2 ** 20;

const MAX_LEVELS = 64;

const MAX_MEMBERS = 100_000;

/** How often a value may be dropped because the same record repeats its object. No real service sends such records. */
const MAX_FORGOTTEN = 20_000_000;

/** What `Columns.find` returns for a field that is in no column. */
export const UNWANTED = -1;

/** A member that records have in one place, or the record itself. */
export class Member {
  readonly path: readonly string[];
  /** The bytes of its name as it was last sent, from the opening quote to the colon, as words for comparison. */
  private token = new Int32Array(0);
  length = 0;
  /** Its column. It is looked up when the member first has something other than an object. */
  column: number | undefined;
  /** The members of the object in it, or null when no column is within. */
  members: Map<string, Member> | null | undefined;
  /** The one of them that came first in the last record. */
  first: Member | undefined;
  /** The member that followed it in the last record, and probably follows it in this record too. */
  next: Member | undefined;
  /** The last record that had it, as `CellReader` numbers them. */
  seen = 0;

  constructor(path: readonly string[]) {
    this.path = path;
  }

  /** Remembers how its name is written: the bytes of `"name":`. */
  spell(name: Buffer): void {
    this.length = name.length;
    this.token = toWords(name);
  }

  /** Whether its name is at `start`, written as it was last time. */
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

/**
 * Maps each field of the records to a column. The path of a field is the names of the members that lead to it, and its
 * column has these names joined with dots. Two paths may give the same name: a member `a.b`, and a member `b` within `a`.
 * Then the later one gets a backslash before the dots in its members' names, `a\.b`, or, where that name is taken too, before
 * all its dots, and any later one a number: `a.b#4`.
 */
export class Columns {
  /** The names in order: as they were chosen, or else as they first appear. */
  readonly names: readonly string[];
  readonly #names: string[];
  readonly #stable: boolean;
  readonly #chosen: ReadonlyMap<string, number> | undefined;
  /**
   * The paths that lead to a chosen column, such as `payments` to `payments.date`. Where one is not chosen itself, it has a column
   * behind the chosen ones, for a value there that is not an object.
   */
  readonly #parents = new Map<string, number>();
  readonly #above = new Map<string, readonly (readonly [path: string, column: number])[]>();
  readonly #taken = new Set<string>();
  /** The next number to try for names that more than three paths have. */
  readonly #numbers = new Map<string, number>();
  #characters = 0;
  readonly root = new Member([]);
  #members = 0;
  #forgotten = 0;

  /** @param stable whether names must not depend on earlier fields: dots in members' names always get a backslash */
  constructor(chosen?: readonly string[], stable = false) {
    this.#stable = stable;
    this.#names = chosen ? [...chosen] : [];
    this.names = this.#names;
    this.root.members = new Map();
    if (!chosen) return;
    this.#chosen = new Map(chosen.map((name, index) => [name, index] as const).toReversed());
    for (const name of chosen) {
      const path = name.replaceAll('\\.', '.');
      const parents = parentsOf(path);
      for (const parent of parents) {
        if (!this.#parents.has(parent))
          this.#parents.set(parent, this.#chosen.get(parent) ?? chosen.length + this.#parents.size);
      }
      this.#above.set(
        name,
        parents.map((parent) => [parent, this.#parents.get(parent)!]),
      );
    }
  }

  /** How many columns there are, with those behind the chosen ones. */
  get size(): number {
    return this.#names.length + this.#parents.size;
  }

  /** The columns of the paths that lead to a chosen one, the shortest first. */
  above(name: string): readonly (readonly [path: string, column: number])[] {
    return this.#above.get(name) ?? [];
  }

  /** Whether some record had the chosen column, even as null. */
  had(name: string): boolean {
    return this.#taken.has(name);
  }

  /** True when the columns were chosen; then none is added. */
  get fixed(): boolean {
    return this.#chosen !== undefined;
  }

  /** The column of the field at `path`, which may be a new one, or UNWANTED. Call it once for each path. Throws ServiceError. */
  find(path: readonly string[]): number {
    const name = this.#chosen ? this.#chosenName(path, this.#chosen) : this.#free(path);
    if (name === undefined) return this.#parents.get(path.join('.')) ?? UNWANTED;
    this.#taken.add(name);
    return this.#chosen ? this.#chosen.get(name)! : this.#add(name);
  }

  /** The member of this name of the object in `parent`. Throws ServiceError when records have too many. */
  member(parent: Member, name: string): Member {
    const known = parent.members!.get(name);
    if (known) return known;
    const member = new Member([...parent.path, name]);
    if (this.#members < MAX_MEMBERS) {
      this.#members++;
      parent.members!.set(name, member);
    } else if (!this.fixed) tooManyForRows(`the records have more than ${MAX_MEMBERS} different members`);
    return member;
  }

  /** Whether a column is within the object in `member`. Throws ServiceError when it is too deep. */
  reachesInto(member: Member): boolean {
    if (member.members === undefined) {
      const isWanted = this.#chosen === undefined || this.#parents.has(member.path.join('.'));
      if (isWanted && member.path.length === MAX_LEVELS)
        tooManyForRows(`the records have objects more than ${MAX_LEVELS} levels deep`);
      member.members = isWanted ? new Map() : null;
    }
    return member.members !== null;
  }

  /** All members within `member`; the caller drops their values. Throws ServiceError where that happens too often. */
  forgotten({ members }: Member): Iterable<Member> {
    this.#forgotten += members?.size ?? 0;
    if (this.#forgotten > MAX_FORGOTTEN)
      tooManyForRows('the records have the same fields with objects again and again');
    return members?.values() ?? [];
  }

  /** The columns that were chosen twice: pairs of the first one, which `find` returns, and another one. */
  duplicates(): [first: number, again: number][] {
    return this.#names.flatMap((name, index): [number, number][] => {
      const first = this.#chosen?.get(name) ?? index;
      return first === index ? [] : [[first, index]];
    });
  }

  #add(name: string): number {
    if (this.#names.length === MAX_COLUMNS)
      tooManyForRows(`the records have more than ${MAX_COLUMNS} different fields`);
    this.#characters += name.length;
    if (this.#characters > MAX_NAMES)
      tooManyForRows(`the names of the records' fields have more than ${MAX_NAMES} characters`);
    return this.#names.push(name) - 1;
  }

  #free(path: readonly string[]): string {
    const plain = this.#stable ? escapeDots(path) : path.join('.');
    if (!this.#taken.has(plain)) return plain;
    const escaped = [escapeDots(path), plain.replaceAll('.', '\\.')];
    const free = escaped.find((name) => !this.#taken.has(name));
    if (free !== undefined) return free;
    // A number that was used once is not tried again, so that many equal names take no more time than others.
    let number = this.#numbers.get(plain) ?? 4;
    while (this.#taken.has(`${plain}#${number}`)) number++;
    this.#numbers.set(plain, number + 1);
    return `${plain}#${number}`;
  }

  #chosenName(path: readonly string[], chosen: ReadonlyMap<string, number>): string | undefined {
    const plain = path.join('.');
    const names = [plain, escapeDots(path)];
    if (this.#taken.has(plain)) names.push(plain.replaceAll('.', '\\.'));
    return names.find((name) => chosen.has(name) && !this.#taken.has(name));
  }
}

function parentsOf(path: string): string[] {
  const parts = path.split('.');
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('.'));
}

/** The path joined with dots, with a backslash before each dot in the name of a member. */
function escapeDots(path: readonly string[]): string {
  return path.map((part) => part.replaceAll('.', '\\.')).join('.');
}

function tooManyForRows(message: string): never {
  throw new ServiceError(message, {
    hint: 'Name the columns you want with --columns, or use --format jsonl.',
  });
}
