import * as ascii from './ascii.ts';
import { endOfPlainText, endOfSpace, endOfValue, sameBytes, type Span } from './bytes.ts';
import { checkScalar, type JsonScanner } from './scanner.ts';

/** How many steps the shapes of a body have together, at most: records may leave out members in a million ways. */
const MAX_STEPS = 4096;

/** How many steps there may be behind one value. */
const MAX_WAYS = 8;

/** How many records in a row may have an unknown shape before shapes are abandoned. */
const MAX_MISSES = 64;

const LEAST_CAPACITY = 64;

/** 1 for each byte that may stand between names and values. */
const BETWEEN = new Uint8Array(256);
for (const sign of '{}:, \n\r\t') BETWEEN[sign.charCodeAt(0)] = 1;

/** The bytes before a value of a record, or after the last one: braces, commas and names. */
class Step {
  /** Where it stood in the first record that had it. */
  readonly start: number;
  readonly length: number;
  /** How many objects are open behind it, within that of the record. */
  readonly level: number;
  /** The number of the shape that ends with it; -1 where a value follows. */
  shape = -1;
  /** Whether the value behind it is an id of the record. */
  isId = false;
  /** The first of the steps that may follow the next value. */
  next: Step | undefined;
  /** The next alternative to this step. */
  other: Step | undefined;

  constructor(start: number, length: number, level: number) {
    this.start = start;
    this.length = length;
    this.level = level;
  }
}

/**
 * The shapes of the records in one body. Two records have the same shape when they differ only in their values other than
 * objects; an array is one value. A shape is checked once: in later records of it, the bytes between the values are compared with
 * those of the first one, and only the values are checked.
 */
export class RecordShapes {
  /** Where the last record begins in `valueEnds`; -1 where its shape is not known. */
  firstEnd = -1;
  /** Where the id of the last record begins and ends; -1 without one. The caller sets it for an unknown shape. */
  id = -1;
  idEnd = -1;
  readonly #scanner: JsonScanner;
  #valueEnds: Int32Array;
  #used = 0;
  #first: Step | undefined;
  #steps = 0;
  #shapes = 0;
  #mostValues = 0;
  #misses = 0;

  constructor(scanner: JsonScanner) {
    this.#scanner = scanner;
    this.#valueEnds = new Int32Array(Math.max(LEAST_CAPACITY, scanner.bytes.length >> 5));
  }

  /** For each record of a known shape: the shape's number, then the end of each value; `~end` for a string with escapes. */
  get valueEnds(): Int32Array {
    return this.#valueEnds.subarray(0, this.#used);
  }

  /**
   * Scans a record of a known shape. Returns the position after it, or -1 where its shape is not known. Throws BadBody as the
   * scanner does, for the same byte.
   */
  scan(start: number): number {
    this.firstEnd = -1;
    if (this.#first === undefined || this.#misses === MAX_MISSES) return -1;
    const scanner = this.#scanner;
    const { view } = scanner;
    const { bytes } = view;
    const links = scanner.links.length;
    const first = this.#used;
    const valueEnds = this.#withRoom();
    let last = first;
    this.id = -1;
    let at = start;
    let step: Step | undefined = this.#first;
    while (step !== undefined) {
      const value = at + step.length;
      // An object, or white space, belongs to another step.
      if (
        !sameBytes(view, step.start, at, step.length) ||
        (step.shape < 0 && (bytes[value] === ascii.OPEN_BRACE || bytes[value]! <= ascii.SPACE))
      ) {
        step = step.other;
        continue;
      }
      if (step.shape >= 0) {
        valueEnds[first] = step.shape;
        this.firstEnd = first;
        this.#used = last + 1;
        this.#misses = 0;
        return value;
      }
      if (bytes[value] === ascii.QUOTE) {
        const plain = endOfPlainText(view, value + 1);
        at = scanner.skipRest(value, plain);
        valueEnds[++last] = at === plain + 1 ? at : ~at;
      } else {
        const isList = bytes[value] === ascii.OPEN_BRACKET;
        at = isList ? scanner.skipValue(value, step.level) : checkScalar(view, value);
        valueEnds[++last] = at;
      }
      if (step.isId) {
        this.id = value;
        this.idEnd = at;
      }
      step = step.next;
    }
    scanner.links.length = links;
    this.#misses++;
    return -1;
  }

  /** Remembers the shape of a record that has been checked, and whose `id` is set. */
  learn(start: number, end: number): void {
    const { bytes, view } = this.#scanner;
    const { id } = this;
    // An id that is an object is not a value, and replaces one that came before.
    if (this.#misses === MAX_MISSES || (id >= 0 && bytes[id] === ascii.OPEN_BRACE)) return;
    let before: Step | undefined;
    let level = -1;
    let values = 0;
    let from = start;
    for (let at = start, behind = at; at < end; at = behind) {
      const byte = bytes[at]!;
      if (byte === ascii.OPEN_BRACE) level++;
      if (byte === ascii.CLOSE_BRACE) level--;
      behind = BETWEEN[byte] === 1 ? at + 1 : endOfValue(view, at);
      const isName = byte === ascii.QUOTE && bytes[endOfSpace(bytes, behind)] === ascii.COLON;
      if (BETWEEN[byte] === 1 || isName) continue;
      before = this.#stepBehind(before, [from, at], level);
      if (before === undefined) return;
      if (at === id) before.isId = true;
      values++;
      from = behind;
    }
    const ending = this.#stepBehind(before, [from, end], level);
    if (ending === undefined || ending.shape >= 0) return;
    ending.shape = this.#shapes++;
    this.#mostValues = Math.max(this.#mostValues, values);
  }

  /** The step from `start` to `end` behind the step `before`, which may be a new one; undefined where there are too many. */
  #stepBehind(before: Step | undefined, [start, end]: Span, level: number): Step | undefined {
    const first = before === undefined ? this.#first : before.next;
    const { view } = this.#scanner;
    let ways = 0;
    for (let step = first; step !== undefined; step = step.other) {
      if (step.length === end - start && sameBytes(view, step.start, start, step.length)) return step;
      ways++;
    }
    if (ways === MAX_WAYS || this.#steps === MAX_STEPS) return undefined;
    this.#steps++;
    const step = new Step(start, end - start, level);
    step.other = first;
    if (before === undefined) this.#first = step;
    else before.next = step;
    return step;
  }

  #withRoom(): Int32Array {
    if (this.#used + this.#mostValues + 1 > this.#valueEnds.length) {
      const larger = new Int32Array(2 * this.#valueEnds.length + this.#mostValues);
      larger.set(this.#valueEnds);
      this.#valueEnds = larger;
    }
    return this.#valueEnds;
  }
}
