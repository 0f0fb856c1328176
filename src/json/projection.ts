import {
  CLOSE_BRACE,
  COMMA,
  LETTER_F,
  LETTER_N,
  LETTER_T,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './ascii.ts';
import { endOfNested, endOfNumber, endOfSpace, endOfString } from './checked-text.ts';
import { Columns, Members, type Member } from './columns.ts';
import type { RecordBatch } from './records.ts';
import { endOfPlainText, viewWords, type WordView } from './word-search.ts';

/** What a column holds in the record at hand: null or nothing. */
export const ABSENT = 0;
/** A string without escapes; the span is that of its text, without the quotes. */
export const PLAIN_TEXT = 1;
export const NUMBER_LITERAL = 2;
export const BOOLEAN_LITERAL = 3;
/** A string with escapes; the span is again that of its text. */
export const ESCAPED_TEXT = 4;
/** An array, or an object that was asked for as a whole: JSON text, with the white space that was sent. */
export const JSON_TEXT = 5;

/** Where the value of each column is in the record at hand, and of what kind: in tables, since objects would be made by the million. */
class CellSpans {
  kinds = new Uint8Array(64);
  starts = new Int32Array(64);
  ends = new Int32Array(64);

  /** Makes the first `columns` ABSENT, and room for them. */
  clear(columns: number): void {
    this.growTo(columns);
    this.kinds.fill(ABSENT, 0, columns);
  }

  /** A negative column is one that nobody wants. */
  set(column: number, kind: number, start: number, end: number): void {
    if (column < 0) return;
    this.kinds[column] = kind;
    this.starts[column] = start;
    this.ends[column] = end;
  }

  /** The column `to` shows what `from` does. */
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

const NONE: Int32Array = new Int32Array(0);

/** Members that a record may leave out at one place and still be read by expectation. */
const LOOK_AHEAD = 8;

/**
 * Finds, record by record, where the value of each column is in the bytes of the page: objects flatten to columns
 * with dots, null and missing are ABSENT, of several members of one name in one object the last counts.
 *
 * Records of one listing name the same members in the same order, as a rule. So each member remembers which one
 * followed it, and the next name is compared with that one's bytes; only a surprise is decoded and looked up.
 */
export class Projection {
  readonly columns: Columns;
  /** The bytes that the spans are in. */
  view: WordView = viewWords(Buffer.alloc(0));
  readonly cells = new CellSpans();
  readonly #root: Members;
  readonly #twins: readonly [number, number][];
  #arrays = NONE;
  #nextArray = 0;
  #record = 0;

  /** @param given The columns, in order; without them, they grow as fields appear. */
  constructor(given?: readonly string[]) {
    this.columns = new Columns(given);
    this.#root = new Members(this.columns);
    this.#twins = this.columns.twins();
  }

  /** Fills `cells` for the record `index`. Throws ServiceError at too many columns or levels. */
  project(batch: RecordBatch, index: number): void {
    if (this.view.bytes !== batch.bytes) {
      this.view = viewWords(batch.bytes);
      this.#arrays = batch.arrays ?? NONE;
      this.#nextArray = 0;
    }
    this.#record++;
    this.cells.clear(this.columns.names.length);
    this.#walk(this.#root, batch.bounds[2 * index]!);
    for (const [first, again] of this.#twins) this.cells.repeat(first, again);
  }

  /** The object that opens at `start`, to the position behind it. Recursion ends at the limit of levels. */
  #walk(fields: Members, start: number): number {
    const { bytes } = this.view;
    let previous: Member | undefined;
    let at = endOfSpace(bytes, start + 1);
    while (bytes[at] !== CLOSE_BRACE) {
      const field = this.#expected(fields, previous, at) ?? this.#lookUp(fields, previous, at);
      at += field.length;
      if (field.seen === this.#record) this.#forget(field);
      field.seen = this.#record;
      previous = field;
      at = endOfSpace(bytes, this.#value(fields, field, endOfSpace(bytes, at)));
      if (bytes[at] === COMMA) at = endOfSpace(bytes, at + 1);
    }
    return at + 1;
  }

  /** The value of `field` that begins at `start`, to the position behind it. */
  #value(fields: Members, field: Member, start: number): number {
    const { bytes } = this.view;
    const byte = bytes[start]!;
    if (byte === OPEN_BRACE) return this.#object(fields, field, start);
    const column = (field.column ??= this.#columnOf(field));
    if (byte === QUOTE) {
      const run = endOfPlainText(this.view, start + 1);
      const end = bytes[run] === QUOTE ? run : endOfString(this.view, run);
      this.cells.set(column, end === run ? PLAIN_TEXT : ESCAPED_TEXT, start + 1, end);
      return end + 1;
    }
    if (byte === OPEN_BRACKET) {
      const end = this.#endOfArray(start);
      this.cells.set(column, JSON_TEXT, start, end);
      return end;
    }
    if (byte === LETTER_N) return start + 4;
    if (byte === LETTER_T || byte === LETTER_F) {
      const end = start + (byte === LETTER_T ? 4 : 5);
      this.cells.set(column, BOOLEAN_LITERAL, start, end);
      return end;
    }
    const end = endOfNumber(bytes, start);
    this.cells.set(column, NUMBER_LITERAL, start, end);
    return end;
  }

  #object(fields: Members, field: Member, start: number): number {
    const members = fields.within(field);
    const end = members ? this.#walk(members, start) : endOfNested(this.view, start);
    // Only a column that was asked for by this name shows a whole object.
    if (this.columns.fixed) this.cells.set((field.column ??= this.#columnOf(field)), JSON_TEXT, start, end);
    return end;
  }

  /** Records come in order, as a rule, and so do their arrays: the next one is most likely the one that was noted next. */
  #endOfArray(start: number): number {
    const arrays = this.#arrays;
    let next = this.#nextArray;
    while (arrays[next]! < start) next += 2;
    this.#nextArray = next;
    return arrays[next] === start ? arrays[next + 1]! : endOfNested(this.view, start);
  }

  /** The member at `at`, if it is among the next few that came behind `previous` before. */
  #expected(fields: Members, previous: Member | undefined, at: number): Member | undefined {
    let field = previous === undefined ? fields.first : previous.next;
    for (let tries = 0; tries < LOOK_AHEAD && field !== undefined; tries++) {
      if (field.isAt(this.view, at)) return field;
      field = field.next;
    }
    return undefined;
  }

  /** The member at `at`, by its name; from now on expected behind `previous`. */
  #lookUp(fields: Members, previous: Member | undefined, at: number): Member {
    const { bytes } = this.view;
    const quote = endOfString(this.view, at + 1);
    const field = fields.find(JSON.parse(bytes.toString('utf8', at, quote + 1)) as string);
    if (!field.isAt(this.view, at)) field.spell(bytes.subarray(at, endOfSpace(bytes, quote + 1) + 1));
    if (previous === undefined) fields.first = field;
    else previous.next = field;
    return field;
  }

  #columnOf(field: Member): number {
    const column = this.columns.find(field.path);
    this.cells.growTo(this.columns.names.length);
    return column;
  }

  /** The member came before in the same object: what was found under it does not count. */
  #forget(field: Member): void {
    if (field.column !== undefined && field.column >= 0) this.cells.kinds[field.column] = ABSENT;
    for (const inner of field.members?.all() ?? []) this.#forget(inner);
  }
}
