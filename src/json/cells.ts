import {
  compact,
  endOfNested,
  endOfPlainText,
  endOfSpace,
  endOfString,
  endOfValue,
  WordView,
} from './bytes.ts';
import type { RecordBatch } from './records.ts';
import * as ascii from './ascii.ts';
import { Columns, UNWANTED, type Member } from './columns.ts';

type CellKind = 'string' | 'number' | 'boolean' | 'array';

/** One value of a record as text: a string decoded, a number as it was sent, an array or a whole object as compact JSON. */
export interface Cell {
  readonly kind: CellKind;
  readonly text: string;
}

/** Whether there is a value: null, a missing cell, empty text and an empty list do not count. */
export function isFilled(cell: Cell | undefined): cell is Cell {
  return cell !== undefined && cell.text !== '' && !(cell.kind === 'array' && cell.text === '[]');
}

export function firstFilled(cells: readonly (Cell | undefined)[]): Cell | undefined {
  return cells.find(isFilled);
}

/** The JSON text of a cell. Numbers and arrays stay as they came; a missing cell is `null`. */
export function cellJson(cell: Cell | undefined): string {
  if (cell === undefined) return 'null';
  return cell.kind === 'string' ? JSON.stringify(cell.text) : cell.text;
}

const MAX_QUOTED = 40;
/** Up to three letters, then digits: currencies, dates, amounts, numbers of documents. Such text cannot be a sentence. */
const CODE = /^\p{L}{0,3}-?[\dK/.-]{0,30}$/u;

/**
 * How messages quote the text of a record: in double quotes, cut to 40 characters. Assistants might take it for folio's words,
 * so their messages lack the quoted text.
 */
export function quoteText(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED - 1)}…` : text);
}

/** The same, but a code, such as `CLP` or `2026-10-31`, is not quoted. */
export function quoteUnlessCode(text: string): string {
  return CODE.test(text) ? text : quoteText(text);
}

/** The first texts of a list of `count`, and how many more there are: `a, b and 4 more`, or `a is b; c is d; and 4 more`. */
export function firstOf(first: readonly string[], count: number, between: ', ' | '; ' = ', '): string {
  const rest = count - first.length;
  const and = between === '; ' ? '; and' : ' and';
  return first.join(between) + (rest > 0 ? `${and} ${rest} more` : '');
}

/** The kind of a cell where the record has null or nothing. */
export const ABSENT = 0;
/** A string without escapes. Its span is the text between the quotes. */
export const PLAIN_TEXT = 1;
export const NUMBER_LITERAL = 2;
export const BOOLEAN_LITERAL = 3;
/** A string with escapes. Its span is the text between the quotes. */
export const ESCAPED_TEXT = 4;
/** An array, or an object that is a column as a whole. Its span is JSON text, with the white space that was sent. */
export const JSON_TEXT = 5;

const KINDS: Readonly<Record<number, CellKind>> = {
  [PLAIN_TEXT]: 'string',
  [NUMBER_LITERAL]: 'number',
  [BOOLEAN_LITERAL]: 'boolean',
  [ESCAPED_TEXT]: 'string',
  [JSON_TEXT]: 'array',
};

/**
 * Where the value of each column is in the current record, and of which kind. It keeps tables of numbers: one object for each
 * cell would be millions of objects.
 */
class CellSpans {
  kinds = new Uint8Array(64);
  starts = new Int32Array(64);
  ends = new Int32Array(64);

  clear(columns: number): void {
    this.growTo(columns);
    this.kinds.fill(ABSENT, 0, columns);
  }

  /** Sets the cell of a column. Ignores a negative column, which stands for an unwanted one. */
  set(column: number, kind: number, start: number, end: number): void {
    if (column < 0) return;
    this.kinds[column] = kind;
    this.starts[column] = start;
    this.ends[column] = end;
  }

  repeat(from: number, to: number): void {
    this.set(to, this.kinds[from]!, this.starts[from]!, this.ends[from]!);
  }

  growTo(columns: number): void {
    if (columns <= this.kinds.length) return;
    const size = Math.max(columns, 2 * this.kinds.length);
    const [kinds, starts, ends] = [new Uint8Array(size), new Int32Array(size), new Int32Array(size)];
    kinds.set(this.kinds);
    starts.set(this.starts);
    ends.set(this.ends);
    Object.assign(this, { kinds, starts, ends });
  }
}

/** The kind of a value by its first byte; numbers have many. Null is not a cell. */
const KIND_OF = new Uint8Array(256).fill(NUMBER_LITERAL);
KIND_OF[ascii.LETTER_N] = ABSENT;
KIND_OF[ascii.LETTER_T] = BOOLEAN_LITERAL;
KIND_OF[ascii.LETTER_F] = BOOLEAN_LITERAL;
KIND_OF[ascii.OPEN_BRACKET] = JSON_TEXT;
KIND_OF[ascii.QUOTE] = PLAIN_TEXT;

/** The column of a value, and where the value begins. */
type Found = readonly [column: number, start: number];

const NONE: Int32Array = new Int32Array(0);

/** How many expected members are compared with a name before it is searched by name: a record may leave out some. */
const LOOK_AHEAD = 8;

/**
 * Reads records as rows of flat cells. Objects become columns with dots in their names. Null and missing values are not cells. Of
 * several members with the same name in an object, the last counts.
 *
 * It finds where the value of each column is in the bytes of the page; `cell` makes a string of one, and fast writers read
 * `spans` instead.
 *
 * The records of a listing usually have the same members in the same order. So each member remembers which one followed
 * it, and the next name is compared with the bytes of that one. Only another name is decoded and searched.
 */
export class CellReader {
  readonly columns: readonly string[];
  /** The bytes that `spans` are of: those of the batch, and behind them the value of folio's own column. */
  view: WordView = new WordView(Buffer.alloc(0));
  readonly spans = new CellSpans();
  readonly #columns: Columns;
  /** Whether there may be white space in JSON_TEXT. */
  spaced = false;
  readonly #duplicates: readonly [number, number][];
  #bytes = this.view.bytes;
  #valueEnds = NONE;
  /** By the shape of a record: for each value its column, and how many bytes precede it; null without such a list. */
  #shapes: (Int32Array | null | undefined)[] = [];
  /** The values with a column of the record that is being read name by name, where its shape is to be learned. */
  #found: Found[] | undefined;
  /** False where the columns of that record do not follow from its shape. */
  #isPlain = true;
  #own: Member | undefined;
  #record = 0;

  /**
   * @param columns which columns, in which order; without them all columns, in the order in which they first appear
   * @param stable as for `Columns`
   */
  constructor(columns?: readonly string[], stable = false) {
    this.#columns = new Columns(columns, stable);
    this.columns = this.#columns.names;
    this.#duplicates = this.#columns.duplicates();
  }

  /** The cells of record `index`, one for each column that is known so far. Throws as `moveTo` does. */
  read(batch: RecordBatch, index: number): (Cell | undefined)[] {
    this.moveTo(batch, index);
    return Array.from(this.columns, (_, column) => this.cell(column));
  }

  /** Whether some record so far had the column, which is one of those chosen, even as null. */
  had(column: string): boolean {
    return this.#columns.had(column);
  }

  /** The cell in the place of an object that a chosen column would be within: that of `payments`, for `payments.date`. */
  above(column: string): (Cell & { readonly path: string }) | undefined {
    for (const [path, at] of this.#columns.above(column)) {
      const cell = this.cell(at);
      if (cell !== undefined) return { ...cell, path };
    }
    return undefined;
  }

  /** Moves to record `index`, of which `cell` then reads a column. Throws ServiceError for too many columns or levels. */
  moveTo(batch: RecordBatch, index: number): void {
    // The same bytes may come with the ends of values and without.
    if (this.#bytes !== batch.bytes || this.#valueEnds !== (batch.valueEnds ?? NONE)) this.#enter(batch);
    this.spaced = batch.spaced;
    this.#record++;
    this.spans.clear(this.#columns.size);
    if (this.#own !== undefined) this.#value(this.#own, this.#bytes.length);
    const start = batch.bounds[2 * index]!;
    const shapeAt = batch.valueEndsAt?.[index] ?? -1;
    if (shapeAt < 0) this.#walk(this.#columns.root, start);
    else this.#readShaped(start, shapeAt);
    for (const [first, again] of this.#duplicates) this.spans.repeat(first, again);
  }

  /** The cell of the column with this index in the current record; undefined where it has null or nothing. */
  cell(column: number): Cell | undefined {
    const kind = this.spans.kinds[column]!;
    return kind === ABSENT ? undefined : { kind: KINDS[kind]!, text: this.#text(kind, column) };
  }

  #text(kind: number, column: number): string {
    const { bytes } = this.view;
    const [start, end] = [this.spans.starts[column]!, this.spans.ends[column]!];
    if (kind === JSON_TEXT && this.spaced) return compact(bytes, start, end).toString('utf8');
    const text = bytes.toString('utf8', start, end);
    return kind === ESCAPED_TEXT ? (JSON.parse(`"${text}"`) as string) : text;
  }

  #readShaped(start: number, shapeAt: number): void {
    const shape = this.#valueEnds[shapeAt]!;
    const values = this.#shapes[shape];
    if (values) return this.#fill(values, start, shapeAt);
    const found: Found[] = [];
    this.#found = values === null ? undefined : found;
    this.#isPlain = true;
    this.#walk(this.#columns.root, start);
    this.#found = undefined;
    if (values === undefined)
      this.#shapes[shape] = this.#isPlain ? this.#valuesOf(found, start, shapeAt) : null;
  }

  /** For each value of the record, up to the last one with a column: its column, and how many bytes precede it. */
  #valuesOf(found: readonly Found[], start: number, shapeAt: number): Int32Array {
    const valueEnds = this.#valueEnds;
    const values: number[] = [];
    let end = start;
    let next = shapeAt;
    for (const [column, begin] of found) {
      for (;;) {
        const before = end;
        const ending = valueEnds[++next]!;
        end = ending < 0 ? ~ending : ending;
        if (end > begin) {
          values.push(column, begin - before);
          break;
        }
        values.push(UNWANTED, 0);
      }
    }
    return Int32Array.from(values);
  }

  #fill(values: Int32Array, start: number, shapeAt: number): void {
    const { bytes } = this.view;
    const valueEnds = this.#valueEnds;
    const { kinds, starts, ends } = this.spans;
    let before = start;
    let next = shapeAt + 1;
    for (let at = 0; at < values.length; at += 2) {
      const column = values[at]!;
      const ending = valueEnds[next++]!;
      const end = ending < 0 ? ~ending : ending;
      if (column >= 0) {
        const begin = before + values[at + 1]!;
        const kind = KIND_OF[bytes[begin]!]!;
        const quote = kind === PLAIN_TEXT ? 1 : 0;
        kinds[column] = ending < 0 ? ESCAPED_TEXT : kind;
        starts[column] = begin + quote;
        ends[column] = end - quote;
      }
      before = end;
    }
  }

  #enter({ bytes, valueEnds = NONE, own }: RecordBatch): void {
    this.view = new WordView(own === undefined ? bytes : Buffer.concat([bytes, Buffer.from(own.value)]));
    this.#bytes = bytes;
    this.#valueEnds = valueEnds;
    this.#shapes = [];
    this.#own = own && this.#columns.member(this.#columns.root, own.name);
  }

  /** Reads the object that begins at `start` and returns the position after it. The limit of levels limits the recursion. */
  #walk(parent: Member, start: number): number {
    const { bytes } = this.view;
    let previous: Member | undefined;
    let at = endOfSpace(bytes, start + 1);
    while (bytes[at] !== ascii.CLOSE_BRACE) {
      const member = this.#expected(parent, previous, at) ?? this.#lookUp(parent, previous, at);
      at += member.length;
      if (member.seen === this.#record) this.#forget(member);
      member.seen = this.#record;
      previous = member;
      at = endOfSpace(bytes, this.#value(member, endOfSpace(bytes, at)));
      if (bytes[at] === ascii.COMMA) at = endOfSpace(bytes, at + 1);
    }
    return at + 1;
  }

  #value(member: Member, start: number): number {
    const { bytes } = this.view;
    const byte = bytes[start]!;
    if (byte === ascii.OPEN_BRACE) return this.#object(member, start);
    const column = (member.column ??= this.#columnOf(member));
    if (column !== UNWANTED) this.#found?.push([column, start]);
    if (byte === ascii.QUOTE) {
      const run = endOfPlainText(this.view, start + 1);
      const end = bytes[run] === ascii.QUOTE ? run : endOfString(this.view, run);
      this.spans.set(column, end === run ? PLAIN_TEXT : ESCAPED_TEXT, start + 1, end);
      return end + 1;
    }
    const end = endOfValue(this.view, start);
    this.spans.set(column, KIND_OF[byte]!, start, end);
    return end;
  }

  #object(member: Member, start: number): number {
    const isRead = this.#columns.reachesInto(member);
    const end = isRead ? this.#walk(member, start) : endOfNested(this.view, start);
    // A whole object is shown only in a column that was chosen by its name.
    if (!this.#columns.fixed) return end;
    const column = (member.column ??= this.#columnOf(member));
    if (column === UNWANTED || column >= this.columns.length) return end;
    this.#isPlain = false;
    this.spans.set(column, JSON_TEXT, start, end);
    return end;
  }

  /** The member at `at`, where it is among the few that followed `previous` in earlier records, or came first in `parent`. */
  #expected(parent: Member, previous: Member | undefined, at: number): Member | undefined {
    let member = previous === undefined ? parent.first : previous.next;
    for (let tries = 0; tries < LOOK_AHEAD && member !== undefined; tries++) {
      if (member.isAt(this.view, at)) return member;
      member = member.next;
    }
    return undefined;
  }

  /** Finds the member at `at` by its name. From now on it is expected after `previous`. */
  #lookUp(parent: Member, previous: Member | undefined, at: number): Member {
    const { bytes } = this.view;
    const quote = endOfString(this.view, at + 1);
    const member = this.#columns.member(parent, JSON.parse(bytes.toString('utf8', at, quote + 1)) as string);
    if (!member.isAt(this.view, at)) member.spell(bytes.subarray(at, endOfSpace(bytes, quote + 1) + 1));
    if (previous === undefined) parent.first = member;
    else previous.next = member;
    return member;
  }

  #columnOf(member: Member): number {
    const column = this.#columns.find(member.path);
    this.spans.growTo(this.#columns.size);
    return column;
  }

  #forget(member: Member): void {
    this.#isPlain = false;
    if (member.column !== undefined && member.column >= 0) this.spans.kinds[member.column] = ABSENT;
    for (const inner of this.#columns.forgotten(member)) this.#forget(inner);
  }
}
