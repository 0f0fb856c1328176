import { ServiceError } from '../errors.ts';
import type { Columns } from './columns.ts';
import { wordsOf, type WordView } from './word-search.ts';

/** Levels of objects that become columns with dots. */
const MAX_LEVELS = 64;

/** Different members of all records that are remembered. */
const MAX_FIELDS = 100_000;

/** A member that records have at one place. */
export class Field {
  readonly path: readonly string[];
  /** Its name as it was last sent, from the opening quote to the colon, in words: recognized without being decoded. */
  private token = new Int32Array(0);
  /** Bytes of that name. */
  length = 0;
  /** Its column when it holds no object; looked up when that first happens. */
  column: number | undefined;
  /** When it holds an object: the members of that object, or null where no column is within. */
  members: Fields | null | undefined;
  /** The member that came behind it in the record before: likely the next one of this record too. */
  next: Field | undefined;
  /** The number of the record in which it was last seen. */
  seen = 0;

  constructor(path: readonly string[]) {
    this.path = path;
  }

  /** Remembers how its name is spelled: `"name":`, as bytes. */
  spell(name: Buffer): void {
    this.length = name.length;
    this.token = wordsOf(name);
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
export class Fields {
  readonly path: readonly string[];
  /** The member that came first in the record before. */
  first: Field | undefined;
  readonly #byName = new Map<string, Field>();
  readonly #columns: Columns;
  readonly #tally: { fields: number };

  constructor(columns: Columns, path: readonly string[] = [], tally = { fields: 0 }) {
    this.path = path;
    this.#columns = columns;
    this.#tally = tally;
  }

  /** The member of this name. Throws ServiceError when records have too many. */
  find(name: string): Field {
    const known = this.#byName.get(name);
    if (known) return known;
    const field = new Field([...this.path, name]);
    if (this.#tally.fields < MAX_FIELDS) {
      this.#tally.fields++;
      this.#byName.set(name, field);
    } else if (!this.#columns.fixed) {
      refuse(`the records have more than ${MAX_FIELDS} different members`);
    }
    return field;
  }

  /** The members of the object that `field` holds; null where no column lies within. Throws ServiceError when too deep. */
  within(field: Field): Fields | null {
    if (field.members !== undefined) return field.members;
    field.members = null;
    if (!this.#columns.reachesInto(field.path)) return null;
    if (field.path.length === MAX_LEVELS)
      refuse(`the records have objects more than ${MAX_LEVELS} levels deep`);
    return (field.members = new Fields(this.#columns, field.path, this.#tally));
  }

  all(): Iterable<Field> {
    return this.#byName.values();
  }
}

function refuse(message: string): never {
  throw new ServiceError(message, {
    hint: 'Name the columns you want with --columns, or use --format jsonl.',
  });
}
