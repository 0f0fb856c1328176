import * as ascii from './ascii.ts';
import { endOfPlainText, sameBytes } from './bytes.ts';
import { endOfSpace, endOfValue, type Span } from './checked-text.ts';
import { checkScalar, type JsonScanner } from './scanner.ts';

/** How many steps the shapes of a body have together, at most: records may leave out members in a million ways. */
const MAX_STEPS = 4096;

/** How many ways to go on there may be behind a value. */
const MAX_WAYS = 8;

/** How many records in a row may have no known shape before shapes are given up. */
const MAX_MISSES = 64;

const LEAST_CAPACITY = 64;

/** 1 for each byte that may stand between names and values. */
const BETWEEN = new Uint8Array(256);
for (const sign of '{}:, \n\r\t') BETWEEN[sign.charCodeAt(0)] = 1;

/** What stands before a value of a record, or behind its last one: braces, commas and names. */
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
  /** What may stand behind the next value. */
  next: Step | undefined;
  /** What may stand here instead. */
  other: Step | undefined;

  constructor(start: number, length: number, level: number) {
    this.start = start;
    this.length = length;
    this.level = level;
  }
}

/**
 * The shapes of the records in one body. Two records have the same shape when they differ in nothing but their values that are no
 * objects; an array is one value. So a shape needs to be checked once: in each further record of it, the bytes between the values are
 * compared with those of the first one, and only the values are checked.
 *
 * Of each record it notes the number of its shape, then the position after each value; `~end` for a string with escapes.
 */
export class RecordShapes {
  /** Where the notes of the last record begin; -1 where its shape is not known. */
  place = -1;
  /** Where the id of the last record begins and ends, whatever it is; -1 where it has none. Of a record without a known shape, the reader notes it. */
  id = -1;
  idEnd = -1;
  readonly #scanner: JsonScanner;
  #notes: Int32Array;
  #used = 0;
  #first: Step | undefined;
  #steps = 0;
  #shapes = 0;
  /** The most values of a shape. */
  #most = 0;
  #misses = 0;

  constructor(scanner: JsonScanner) {
    this.#scanner = scanner;
    this.#notes = new Int32Array(Math.max(LEAST_CAPACITY, scanner.bytes.length >> 5));
  }

  get notes(): Int32Array {
    return this.#notes.subarray(0, this.#used);
  }

  /**
   * Scans a record of a known shape and notes it. Returns the position after it, or -1 where its shape is not known. Throws BadBody as
   * the scanner does, for the same byte.
   */
  scan(start: number): number {
    this.place = -1;
    if (this.#first === undefined || this.#misses === MAX_MISSES) return -1;
    const scanner = this.#scanner;
    const { view } = scanner;
    const { bytes } = view;
    const links = scanner.links.length;
    const place = this.#used;
    const notes = this.#withRoom();
    let note = place;
    this.id = -1;
    let at = start;
    let step: Step | undefined = this.#first;
    while (step !== undefined) {
      const value = at + step.length;
      // What goes on with an object, or with white space, is another step.
      if (
        !sameBytes(view, step.start, at, step.length) ||
        (step.shape < 0 && (bytes[value] === ascii.OPEN_BRACE || bytes[value]! <= ascii.SPACE))
      ) {
        step = step.other;
        continue;
      }
      if (step.shape >= 0) {
        notes[place] = step.shape;
        this.place = place;
        this.#used = note + 1;
        this.#misses = 0;
        return value;
      }
      if (bytes[value] === ascii.QUOTE) {
        const plain = endOfPlainText(view, value + 1);
        at = scanner.skipRest(value, plain);
        notes[++note] = at === plain + 1 ? at : ~at;
      } else {
        const isList = bytes[value] === ascii.OPEN_BRACKET;
        at = isList ? scanner.skipValue(value, step.level) : checkScalar(view, value);
        notes[++note] = at;
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

  /**
   * Remembers the shape of a record that has been checked, and whose id is noted.
   */
  learn(start: number, end: number): void {
    const { bytes, view } = this.#scanner;
    const { id } = this;
    // An id that is an object is no value, and takes the place of one that came before.
    if (this.#misses === MAX_MISSES || (id >= 0 && bytes[id] === ascii.OPEN_BRACE)) return;
    let before: Step | undefined;
    let level = -1;
    let values = 0;
    let from = start;
    let at = start;
    while (at < end) {
      const byte = bytes[at]!;
      if (BETWEEN[byte] === 1) {
        if (byte === ascii.OPEN_BRACE) level++;
        if (byte === ascii.CLOSE_BRACE) level--;
        at++;
        continue;
      }
      const behind = endOfValue(view, at);
      const isName = byte === ascii.QUOTE && bytes[endOfSpace(bytes, behind)] === ascii.COLON;
      if (!isName) {
        before = this.#stepBehind(before, [from, at], level);
        if (before === undefined) return;
        if (at === id) before.isId = true;
        values++;
        from = behind;
      }
      at = behind;
    }
    const last = this.#stepBehind(before, [from, end], level);
    if (last === undefined || last.shape >= 0) return;
    last.shape = this.#shapes++;
    this.#most = Math.max(this.#most, values);
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
    if (this.#used + this.#most + 1 > this.#notes.length) {
      const larger = new Int32Array(2 * this.#notes.length + this.#most);
      larger.set(this.#notes);
      this.#notes = larger;
    }
    return this.#notes;
  }
}
