import { CLOSE_BRACE, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './ascii.ts';
import { Columns } from './columns.ts';
import { Fields, type Field } from './fields.ts';
import type { RecordBatch } from './record-batch.ts';
import { endOfNested, endOfRun, endOfScalar, endOfSpace, endOfString } from './skip-value.ts';

/** What a column holds in the record at hand. */
export const ABSENT = 0;
/** A string without escapes; the span is that of its text, without the quotes. */
export const PLAIN = 1;
/** A string with escapes; likewise. */
export const ESCAPED = 2;
export const NUMBER = 3;
export const BOOLEAN = 4;
/** An array, or an object that was asked for as a whole: JSON text, with the white space that was sent. */
export const JSON_TEXT = 5;

/**
 * Finds, record by record, where the value of each column is in the bytes of the page: objects flatten to columns
 * with dots, null and missing are ABSENT, of several members of one name in one object the last counts.
 *
 * Records of one listing name the same members in the same order, as a rule. So each member remembers which one
 * followed it, and the next name is compared with that one's bytes; only a surprise is decoded and looked up.
 */
export class Projection {
  readonly columns: Columns;
  kinds = new Uint8Array(64);
  starts = new Int32Array(64);
  ends = new Int32Array(64);
  readonly #root: Fields;
  readonly #twins: readonly [number, number][];
  #bytes: Buffer = Buffer.alloc(0);
  #record = 0;

  /** @param given The columns, in order; without them, they grow as fields appear. */
  constructor(given?: readonly string[]) {
    this.columns = new Columns(given);
    this.#root = new Fields(this.columns);
    this.#twins = this.columns.twins();
    this.#grow();
  }

  /** Fills `kinds`, `starts` and `ends` for the record `index`. Throws ServiceError at too many columns or levels. */
  project(batch: RecordBatch, index: number): void {
    this.#bytes = batch.bytes;
    this.#record++;
    this.kinds.fill(ABSENT, 0, this.columns.names.length);
    this.#walk(this.#root, batch.bounds[2 * index]!);
    for (const [first, again] of this.#twins)
      this.#set(again, this.kinds[first]!, this.starts[first]!, this.ends[first]!);
  }

  /** The object that opens at `start`, to the position behind it. Recursion ends at the limit of levels. */
  #walk(fields: Fields, start: number): number {
    const bytes = this.#bytes;
    let previous: Field | undefined;
    let at = endOfSpace(bytes, start + 1);
    while (bytes[at] !== CLOSE_BRACE) {
      let field = previous === undefined ? fields.first : previous.next;
      if (field !== undefined && startsWith(bytes, at, field.token)) at += field.token.length;
      else {
        const quote = endOfString(bytes, at + 1);
        const colon = endOfSpace(bytes, quote + 1);
        field = this.#lookUp(fields, at, quote, colon);
        if (previous === undefined) fields.first = field;
        else previous.next = field;
        at = colon + 1;
      }
      if (field.seen === this.#record) this.#forget(field);
      field.seen = this.#record;
      previous = field;
      at = endOfSpace(bytes, this.#value(fields, field, endOfSpace(bytes, at)));
      if (bytes[at] === COMMA) at = endOfSpace(bytes, at + 1);
    }
    return at + 1;
  }

  /** The value of `field` that begins at `start`, to the position behind it. */
  #value(fields: Fields, field: Field, start: number): number {
    const bytes = this.#bytes;
    const byte = bytes[start]!;
    if (byte === OPEN_BRACE) return this.#object(fields, field, start);
    const column = (field.column ??= this.#columnOf(field));
    if (byte === QUOTE) {
      const run = endOfRun(bytes, start + 1);
      const end = bytes[run] === QUOTE ? run : endOfString(bytes, run);
      this.#set(column, end === run ? PLAIN : ESCAPED, start + 1, end);
      return end + 1;
    }
    if (byte === OPEN_BRACKET) {
      const end = endOfNested(bytes, start);
      this.#set(column, JSON_TEXT, start, end);
      return end;
    }
    const end = endOfScalar(bytes, start);
    if (byte === 0x74 /* t */ || byte === 0x66 /* f */) this.#set(column, BOOLEAN, start, end);
    else if (byte !== 0x6e /* n */) this.#set(column, NUMBER, start, end);
    return end;
  }

  #object(fields: Fields, field: Field, start: number): number {
    const members = fields.within(field);
    const end = members ? this.#walk(members, start) : endOfNested(this.#bytes, start);
    // Only a column that was asked for by this name shows a whole object.
    if (this.columns.fixed) this.#set((field.column ??= this.#columnOf(field)), JSON_TEXT, start, end);
    return end;
  }

  #set(column: number, kind: number, start: number, end: number): void {
    if (column < 0) return;
    this.kinds[column] = kind;
    this.starts[column] = start;
    this.ends[column] = end;
  }

  #lookUp(fields: Fields, start: number, quote: number, colon: number): Field {
    const bytes = this.#bytes;
    const name = JSON.parse(bytes.toString('utf8', start, quote + 1)) as string;
    // A copy: a view would keep the whole page in memory.
    return fields.find(name, Buffer.from(bytes.subarray(start, colon + 1)));
  }

  #columnOf(field: Field): number {
    const column = this.columns.find(field.path);
    this.#grow();
    return column;
  }

  /** The member came before in the same object: what was found under it does not count. */
  #forget(field: Field): void {
    if (field.column !== undefined && field.column >= 0) this.kinds[field.column] = ABSENT;
    for (const inner of field.members?.all() ?? []) this.#forget(inner);
  }

  #grow(): void {
    const wanted = this.columns.names.length;
    if (wanted <= this.kinds.length) return;
    const size = Math.max(wanted, 2 * this.kinds.length);
    const [kinds, starts, ends] = [new Uint8Array(size), new Int32Array(size), new Int32Array(size)];
    kinds.set(this.kinds);
    starts.set(this.starts);
    ends.set(this.ends);
    Object.assign(this, { kinds, starts, ends });
  }
}

function startsWith(bytes: Buffer, start: number, token: Buffer): boolean {
  for (let index = 0; index < token.length; index++) if (bytes[start + index] !== token[index]) return false;
  return true;
}
