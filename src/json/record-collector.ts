import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  LETTER_D,
  LETTER_I,
  MINUS,
  NINE,
  OPEN_BRACE,
  QUOTE,
  SPACE,
  ZERO,
} from './ascii.ts';
import type { JsonScanner } from './json-scanner.ts';
import type { RecordBatch } from './record-batch.ts';

/** Bytes of a string without any text. */
const EMPTY = 2;

/** Gathers the records that a scanner finds in one body, and where the identity of each is. */
export class RecordCollector {
  readonly #scanner: JsonScanner;
  #bounds = new Int32Array(1024);
  #ids = new Int32Array(1024);
  #count = 0;
  #spaced = false;

  constructor(scanner: JsonScanner) {
    this.#scanner = scanner;
  }

  /** The array whose opening bracket is at `start`; returns the position behind it. Throws BadBody. */
  scanArray(start: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    let at = scanner.skipSpace(start + 1);
    if (bytes[at] === CLOSE_BRACKET) return at + 1;
    for (;;) {
      at = scanner.skipSpace(this.scanRecord(at));
      if (bytes[at] === CLOSE_BRACKET) return at + 1;
      if (bytes[at] !== COMMA) scanner.fail('"," or "]" behind a record', at);
      at = scanner.skipSpace(at + 1);
    }
  }

  /** The record whose opening brace is at `start`; returns the position behind it. Throws BadBody. */
  scanRecord(start: number): number {
    const scanner = this.#scanner;
    const { bytes } = scanner;
    if (bytes[start] !== OPEN_BRACE) scanner.fail('a record, which is an object', start);
    const slot = this.#openSlot();
    // White space between records is of no concern, only that within.
    scanner.spaced = false;
    scanner.beginNames();
    let at = bytes[start + 1]! <= SPACE ? scanner.skipSpace(start + 1) : start + 1;
    while (bytes[at] !== CLOSE_BRACE) {
      const name = at;
      const value = scanner.skipName(name);
      at = scanner.skipValue(value);
      if (isId(bytes, name)) this.#noteId(slot, value, at);
      if (bytes[at]! <= SPACE) at = scanner.skipSpace(at);
      if (bytes[at] === CLOSE_BRACE) break;
      if (bytes[at] !== COMMA) scanner.fail('"," or "}"', at);
      at = bytes[at + 1]! <= SPACE ? scanner.skipSpace(at + 1) : at + 1;
      if (bytes[at] !== QUOTE) scanner.fail('a string', at);
    }
    at++;
    this.#bounds[slot] = start;
    this.#bounds[slot + 1] = at;
    this.#spaced ||= scanner.spaced;
    return at;
  }

  batch(): RecordBatch {
    const used = 2 * this.#count;
    return {
      bytes: this.#scanner.bytes,
      count: this.#count,
      bounds: this.#bounds.subarray(0, used),
      ids: this.#ids.subarray(0, used),
      arrays: this.#scanner.arrays.table,
      spaced: this.#spaced,
    };
  }

  #openSlot(): number {
    const slot = 2 * this.#count++;
    if (slot === this.#bounds.length) {
      this.#bounds = doubled(this.#bounds);
      this.#ids = doubled(this.#ids);
    }
    this.#ids[slot] = -1;
    this.#ids[slot + 1] = -1;
    return slot;
  }

  /** Only a string, not an empty one, or a number tells records apart; of several members with this name the last counts. */
  #noteId(slot: number, start: number, end: number): void {
    const first = this.#scanner.bytes[start]!;
    const tells =
      (first === QUOTE && end - start > EMPTY) || first === MINUS || (first >= ZERO && first <= NINE);
    this.#ids[slot] = tells ? start : -1;
    this.#ids[slot + 1] = tells ? end : -1;
  }
}

/** Whether the name whose opening quote is at `at` reads `id`, however it is escaped. */
function isId(bytes: Buffer, at: number): boolean {
  const first = bytes[at + 1]!;
  const second = bytes[at + 2]!;
  if (first === LETTER_I && second === LETTER_D) return bytes[at + 3] === QUOTE;
  if (first !== BACKSLASH && !(first === LETTER_I && second === BACKSLASH)) return false;
  return /^"(?:i|\\u0069)(?:d|\\u0064)"/.test(bytes.toString('latin1', at, at + 14));
}

function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2);
  larger.set(array);
  return larger;
}
