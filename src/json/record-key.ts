import { QUOTE } from './ascii.ts';
import { endOfPlainText, type WordView } from './bytes.ts';
import { CellReader } from './cells.ts';
import type { RecordBatch } from './records.ts';

/** What the user can do where records have no key that is theirs alone. */
export const KEY_HINT =
  'Name the columns that tell records apart with the setting key.<listing>, as in folio config set key.issued number,documentType.';

/** The columns that tell records apart where they have no `id`, or where the user names other columns. */
export interface KeyColumns {
  /** The columns that the user named: they take the place of `id`. */
  readonly named?: readonly string[] | undefined;
  /** The columns to use where a record has no `id`; the first of them must have a text. */
  readonly natural?: readonly string[] | undefined;
  /** True where no total counts the records, so that equal fast hashes do not prove that two of them are one. */
  readonly exact?: boolean | undefined;
}

/**
 * Reads the key of records, the text that tells one from all others: of the columns that the user named; else the `id`; else of
 * the natural columns. Each named column must have a text, and the first natural one; of several the texts are put into a JSON
 * array. The number 7 and the text "7" are one key, since a database, csv and the next version of a service may have the one
 * for the other.
 */
export class RecordKeys {
  /** Undefined where the key is the `id`, which is found as records are scanned. */
  readonly #named: CellReader | undefined;
  readonly #natural: CellReader | undefined;

  constructor({ named, natural }: KeyColumns = {}) {
    const isId = named === undefined || (named.length === 1 && named[0] === 'id');
    this.#named = isId ? undefined : new CellReader(named);
    this.#natural = natural && new CellReader(natural);
  }

  /** The key of record `index`; undefined where it has none. */
  read(batch: RecordBatch, index: number): string | undefined {
    const key =
      this.#named === undefined
        ? (idOf(batch, index) ?? textsOf(this.#natural, batch, index, 1))
        : textsOf(this.#named, batch, index, Infinity);
    // PostgreSQL cannot hold NUL, and half a character has no UTF-8: there, keys that differ in nothing else would be equal.
    return key === undefined || /^[\x01-\xFF]*$/.test(key)
      ? key
      : Buffer.from(key.replaceAll('\0', '\uFFFD')).toString('utf8');
  }

  /** Whether the key is the `id`, and this is written without escapes: then its text is in the bytes of the batch, which `view` is of. */
  isPlainId({ ids }: RecordBatch, index: number, view: WordView): boolean {
    const start = ids[2 * index]!;
    if (this.#named !== undefined || start < 0) return false;
    return view.bytes[start] !== QUOTE || endOfPlainText(view, start + 1) === ids[2 * index + 1]! - 1;
  }
}

function idOf({ bytes, ids }: RecordBatch, index: number): string | undefined {
  const [start, end] = [ids[2 * index]!, ids[2 * index + 1]!];
  if (start < 0) return undefined;
  const literal = bytes.toString('utf8', start, end);
  if (bytes[start] !== QUOTE) return literal;
  return literal.includes('\\') ? (JSON.parse(literal) as string) : literal.slice(1, -1);
}

/** @param needed how many of the columns, from the first on, must have a text */
function textsOf(
  reader: CellReader | undefined,
  batch: RecordBatch,
  index: number,
  needed: number,
): string | undefined {
  if (reader === undefined) return undefined;
  const texts: string[] = [];
  for (const cell of reader.read(batch, index)) {
    const { text } = cell ?? { text: '' };
    if (text === '' && texts.length < needed) return undefined;
    texts.push(text);
  }
  return texts.length === 1 ? texts[0] : JSON.stringify(texts);
}
