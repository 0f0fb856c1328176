import * as ascii from './ascii.ts';
import { endOfNested, endOfSpace, endOfString, endOfValue, type Span, WordView } from './bytes.ts';
import { CellReader, quoteText, type Cell } from './cells.ts';
import { batchWithoutIds, type RecordBatch } from './records.ts';

interface FoundMember {
  readonly name: number;
  /** Where the comma before it is; undefined for the first one of its object. */
  readonly comma: number | undefined;
  readonly value: Span;
}

/** What a record has in the place of a list of objects. */
export interface RecordList {
  readonly member: FoundMember;
  /** Where the objects are, to be read once; none in an empty list, for null, and where there is something else. */
  readonly objects: Iterable<Span>;
  readonly count: number;
  /** What else is there: `the text "x"`; undefined for a list of objects. */
  readonly other: string | undefined;
}

/** Reads the cells of a column in the objects of a list. */
export class ListReader {
  #hadInner = false;
  #isList = false;
  #hasObjects = false;
  readonly #column: string;
  readonly #reader: CellReader;
  readonly #inner = new Map<string, ListReader>();

  /** @param column as seen from the objects: `date` for `payments.date` */
  constructor(column: string) {
    this.#column = column;
    this.#reader = new CellReader([column]);
  }

  /** The cell of each object in the JSON text of a list, or in lists within it; undefined if it is not a list of objects. */
  read(text: string): (Cell | undefined)[] | undefined {
    const batch = objectsIn(text);
    if (batch === undefined) return undefined;
    this.#isList = true;
    this.#hasObjects ||= batch.count > 0;
    const cells: (Cell | undefined)[] = [];
    for (let index = 0; index < batch.count; index++) {
      this.#reader.moveTo(batch, index);
      cells.push(...(this.#innerCells() ?? [this.#reader.cell(0)]));
    }
    return cells;
  }

  /** Whether any object so far had the column, even as null, or lists had no objects at all. */
  get had(): boolean {
    return (this.#isList && !this.#hasObjects) || this.#hadInner || this.#reader.had(this.#column);
  }

  #innerCells(): (Cell | undefined)[] | undefined {
    const above = this.#reader.above(this.#column);
    if (above === undefined) return undefined;
    let inner = this.#inner.get(above.path);
    if (inner === undefined)
      this.#inner.set(above.path, (inner = new ListReader(this.#column.slice(above.path.length + 1))));
    const cells = inner.read(above.text);
    this.#hadInner ||= inner.had;
    return cells;
  }
}

/** The objects in the text of a list, perhaps none; undefined for any other cell, and for a list of something else. */
export function objectsIn(text: string): RecordBatch | undefined {
  if (!text.startsWith('[')) return undefined;
  const bytes = Buffer.from(text);
  const spans = [...objectsFrom(new WordView(bytes), 0)];
  const isAll = bytes[spans.at(-1)?.[1] ?? 1] === ascii.CLOSE_BRACKET;
  return isAll ? batchWithoutIds(bytes, Int32Array.from(spans.flat()), false) : undefined;
}

/** Where the objects are with which the list begins that begins at `start`. */
function* objectsFrom(view: WordView, start: number): Generator<Span> {
  const { bytes } = view;
  for (let at = endOfSpace(bytes, start + 1); bytes[at] === ascii.OPEN_BRACE;) {
    const behind = endOfNested(view, at);
    yield [at, behind];
    at = endOfSpace(bytes, behind);
    if (bytes[at] === ascii.COMMA) at = endOfSpace(bytes, at + 1);
  }
}

/**
 * The list of the record that begins at `start`; undefined where it has no such member. Of several, the last counts.
 *
 * @param path names joined with dots: `payments`, `sale.payments`. A name may itself have dots in it.
 */
export function findList(view: WordView, start: number, path: string): RecordList | undefined {
  const member = findMember(view, start, path);
  return member && { member, ...readList(view, member.value) };
}

function findMember(view: WordView, object: number, path: string): FoundMember | undefined {
  const { bytes } = view;
  const first = path.charCodeAt(0);
  let found: FoundMember | undefined;
  let comma: number | undefined;
  let at = endOfSpace(bytes, object + 1);
  while (bytes[at] !== ascii.CLOSE_BRACE) {
    const quote = endOfString(view, at + 1);
    const start = endOfSpace(bytes, endOfSpace(bytes, quote + 1) + 1);
    const end = endOfValue(view, start);
    // Most names begin with another letter, and need not be decoded.
    if (first > 0x7f || bytes[at + 1] === first || bytes[at + 1] === ascii.BACKSLASH) {
      const name = JSON.parse(bytes.toString('utf8', at, quote + 1)) as string;
      if (name === path) found = { name: at, comma, value: [start, end] };
      else if (bytes[start] === ascii.OPEN_BRACE && path.startsWith(`${name}.`))
        found = findMember(view, start, path.slice(name.length + 1)) ?? found;
    }
    at = endOfSpace(bytes, end);
    if (bytes[at] !== ascii.COMMA) break;
    comma = at;
    at = endOfSpace(bytes, at + 1);
  }
  return found;
}

function readList(view: WordView, [start, end]: Span): Omit<RecordList, 'member'> {
  const { bytes } = view;
  const first = bytes[start]!;
  if (first === ascii.OPEN_BRACE) return { objects: [], count: 0, other: 'an object' };
  if (first !== ascii.OPEN_BRACKET) {
    const text = bytes.toString('utf8', start, end);
    const shown =
      first === ascii.QUOTE
        ? `the text ${quoteText(JSON.parse(text) as string)}`
        : `the value ${quoteText(text)}`;
    return { objects: [], count: 0, other: text === 'null' ? undefined : shown };
  }
  let [count, behind] = [0, start + 1];
  for (const [, objectEnd] of objectsFrom(view, start)) [count, behind] = [count + 1, objectEnd];
  const isAll = bytes[endOfSpace(bytes, behind)] === ascii.CLOSE_BRACKET;
  if (!isAll) return { objects: [], count: 0, other: 'a list with other values' };
  // A list may have very many of them.
  return { objects: objectsFrom(view, start), count, other: undefined };
}

/** The record without that member: its bytes, in parts. */
export function withoutMember(
  bytes: Buffer,
  [start, end]: Span,
  { name, comma, value }: FoundMember,
): Buffer[] {
  if (comma !== undefined) return [bytes.subarray(start, comma), bytes.subarray(value[1], end)];
  const behind = endOfSpace(bytes, value[1]);
  const next = bytes[behind] === ascii.COMMA ? endOfSpace(bytes, behind + 1) : value[1];
  return [bytes.subarray(start, name), bytes.subarray(next, end)];
}
