import * as ascii from './ascii.ts';
import { WordView } from './bytes.ts';
import { CellReader, type Cell } from './cells.ts';
import { endOfNested, endOfNumber, endOfSpace, endOfString, type Span } from './checked-text.ts';
import { batchWithoutIds, type RecordBatch } from './records.ts';

interface FoundMember {
  readonly name: number;
  /** Where the comma before it is; undefined for the first one of its object. */
  readonly comma: number | undefined;
  readonly value: Span;
}

/** What a record has in the place of a list of objects. */
export interface RecordList {
  /** How many objects there are; none in an empty list, for null, and where there is something else. */
  readonly count: number;
  /** What else is there: `the text "x"`; undefined for a list of objects. */
  readonly other: string | undefined;
  readonly isNull: boolean;
  readonly member: FoundMember;
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

  /** The cell of each object in the JSON text of a list, or those in a list within it; undefined where it is no list of objects. */
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

  /** Whether any object so far had the column, be it null, or lists had none at all. */
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

/** The objects in the text of a cell that is a list, be there none; undefined for any other, and for a list of something else. */
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

const MAX_CHARACTERS_SHOWN = 40;

export class RecordLists {
  readonly #path: string;
  #view = new WordView(Buffer.alloc(0));

  /** @param column as columns are named: `payments`, `sale.payments` */
  constructor(column: string) {
    this.#path = column.replaceAll('\\.', '.');
  }

  /** The list of the record that begins at `start`; undefined where it has no such member. Of several, the last counts. */
  find(bytes: Buffer, start: number): RecordList | undefined {
    if (this.#view.bytes !== bytes) this.#view = new WordView(bytes);
    const member = this.#find(start, this.#path);
    return member && { ...this.#read(member.value), member };
  }

  /** The name of a member may itself have dots in it. */
  #find(object: number, path: string): FoundMember | undefined {
    const { bytes } = this.#view;
    const first = path.charCodeAt(0);
    let found: FoundMember | undefined;
    let comma: number | undefined;
    let at = endOfSpace(bytes, object + 1);
    while (bytes[at] !== ascii.CLOSE_BRACE) {
      const quote = endOfString(this.#view, at + 1);
      const start = endOfSpace(bytes, endOfSpace(bytes, quote + 1) + 1);
      const end = this.#endOfValue(start);
      // Most names begin with another letter, and need not be decoded.
      if (first > 0x7f || bytes[at + 1] === first || bytes[at + 1] === ascii.BACKSLASH) {
        const name = JSON.parse(bytes.toString('utf8', at, quote + 1)) as string;
        if (name === path) found = { name: at, comma, value: [start, end] };
        else if (bytes[start] === ascii.OPEN_BRACE && path.startsWith(`${name}.`))
          found = this.#find(start, path.slice(name.length + 1)) ?? found;
      }
      at = endOfSpace(bytes, end);
      if (bytes[at] !== ascii.COMMA) break;
      comma = at;
      at = endOfSpace(bytes, at + 1);
    }
    return found;
  }

  #endOfValue(start: number): number {
    const byte = this.#view.bytes[start]!;
    if (byte === ascii.QUOTE) return endOfString(this.#view, start + 1) + 1;
    if (byte === ascii.OPEN_BRACE || byte === ascii.OPEN_BRACKET) return endOfNested(this.#view, start);
    if (byte === ascii.LETTER_N || byte === ascii.LETTER_T) return start + 4;
    return byte === ascii.LETTER_F ? start + 5 : endOfNumber(this.#view.bytes, start);
  }

  /** Where the objects of a list are that was found last. A list may have very many of them. */
  *objectsOf({ member }: RecordList): Generator<Span> {
    const { bytes } = this.#view;
    const [start] = member.value;
    if (bytes[start] !== ascii.OPEN_BRACKET) return;
    yield* objectsFrom(this.#view, start);
  }

  #read([start, end]: Span): Omit<RecordList, 'member'> {
    const { bytes } = this.#view;
    const shown = bytes.toString('utf8', start, Math.min(end, start + MAX_CHARACTERS_SHOWN));
    if (shown === 'null') return { count: 0, other: undefined, isNull: true };
    const other = (kind: string): Omit<RecordList, 'member'> => ({
      count: 0,
      other: `${kind} ${shown}`,
      isNull: false,
    });
    if (bytes[start] === ascii.QUOTE) return other('the text');
    if (bytes[start] === ascii.OPEN_BRACE) return other('the object');
    if (bytes[start] !== ascii.OPEN_BRACKET) return other('the value');
    let count = 0;
    for (let at = endOfSpace(bytes, start + 1); bytes[at] !== ascii.CLOSE_BRACKET; count++) {
      if (bytes[at] !== ascii.OPEN_BRACE) return other('the list');
      at = endOfSpace(bytes, endOfNested(this.#view, at));
      if (bytes[at] === ascii.COMMA) at = endOfSpace(bytes, at + 1);
    }
    return { count, other: undefined, isNull: false };
  }
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
