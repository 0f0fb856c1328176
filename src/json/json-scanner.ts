import {
  CARRIAGE_RETURN,
  CLOSE_BRACE,
  COLON,
  COMMA,
  LINE_FEED,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  SPACE,
  TAB,
} from './ascii.ts';
import { BadBody, failAt } from './bad-body.ts';
import { checkScalar, checkString } from './check-scalar.ts';
import { Spans } from './spans.ts';
import { viewWords, type WordView } from './word-search.ts';

/** Levels of nesting that a value may have. Deeper is an attack or a fault, and nothing downstream could show it. */
const MAX_DEPTH = 1000;

/** Names of a record that are remembered: comparing one with that of the record before is faster than checking it. */
const NAMES = 512;

/** What a closing bracket is more than its opening one, in ASCII: both `]` and `}`. */
const CLOSES = 2;

/**
 * Steps over the parts of a JSON text, checking them. Every method takes the position where its part begins and returns
 * the position behind it, or throws BadBody naming the byte.
 */
export class JsonScanner {
  readonly bytes: Buffer;
  /** Becomes true when white space is stepped over. */
  spaced = false;
  /** Where each array begins and ends that is in no other, in order. */
  readonly arrays = new Spans();
  /** Where the names of the record before began, one after the other, and their bytes up to the colon. */
  readonly #starts = new Int32Array(NAMES);
  readonly #lengths = new Int32Array(NAMES);
  #name = 0;
  readonly #view: WordView;
  readonly #closers = new Uint8Array(MAX_DEPTH + 1);

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.#view = viewWords(bytes);
  }

  skipSpace(start: number): number {
    const { bytes } = this;
    let at = start;
    for (;;) {
      const byte = bytes[at];
      if (byte !== SPACE && byte !== LINE_FEED && byte !== CARRIAGE_RETURN && byte !== TAB) break;
      at++;
    }
    if (at > start) this.spaced = true;
    return at;
  }

  /** From here on members are likely named as they were from here on the last time. */
  beginNames(): void {
    this.#name = 0;
  }

  /** A member's name, its colon and the white space up to its value. */
  skipName(start: number): number {
    const name = this.#name++;
    const behind = start + this.#lengths[name]!;
    if (this.#isName(name, start)) return this.bytes[behind]! <= SPACE ? this.skipSpace(behind) : behind;
    let at = checkString(this.#view, start);
    if (this.bytes[at] !== COLON) {
      at = this.skipSpace(at);
      if (this.bytes[at] !== COLON) this.fail('":"', at);
    }
    at++;
    this.#starts[name] = start;
    this.#lengths[name] = at - start;
    return this.bytes[at]! <= SPACE ? this.skipSpace(at) : at;
  }

  /** Whether the name at `start`, with its colon, is spelled as the one in this place was, which has been checked. */
  #isName(name: number, start: number): boolean {
    const { words, bytes } = this.#view;
    const length = this.#lengths[name]!;
    // Undefined beyond the names that are remembered.
    if (!(length >= 4) || start + length > bytes.length) return false;
    const before = this.#starts[name]!;
    for (let at = length - 4; at > 0; at -= 4) {
      if (words.getInt32(before + at, true) !== words.getInt32(start + at, true)) return false;
    }
    return words.getInt32(before, true) === words.getInt32(start, true);
  }

  /** Any value. Without recursion, so that no depth can exhaust the stack. */
  skipValue(start: number): number {
    const { bytes } = this;
    const closers = this.#closers;
    let depth = 0;
    // The level of the array that is in no other, while within one.
    let outermost = 0;
    let at = start;
    for (;;) {
      const byte = bytes[at]!;
      if (byte === QUOTE) at = checkString(this.#view, at);
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (++depth > MAX_DEPTH) throw new BadBody(`more than ${MAX_DEPTH} levels of nesting`, at);
        closers[depth] = byte + CLOSES;
        if (byte === OPEN_BRACKET && outermost === 0) {
          outermost = depth;
          this.arrays.begin(at);
        }
        at = bytes[at + 1]! <= SPACE ? this.skipSpace(at + 1) : at + 1;
        if (bytes[at] !== byte + CLOSES) {
          if (byte === OPEN_BRACE) at = this.skipName(at);
          continue;
        }
      } else at = checkScalar(this.#view, at);

      // Behind a value: close what ends here, then go to the next value or out.
      for (;;) {
        if (depth === 0) return at;
        if (bytes[at]! <= SPACE) at = this.skipSpace(at);
        const next = bytes[at];
        if (next === COMMA) {
          at = bytes[at + 1]! <= SPACE ? this.skipSpace(at + 1) : at + 1;
          if (closers[depth] === CLOSE_BRACE) at = this.skipName(at);
          break;
        }
        if (next !== closers[depth]) this.fail(`"," or "${String.fromCharCode(closers[depth]!)}"`, at);
        at++;
        if (depth === outermost) {
          outermost = 0;
          this.arrays.end(at);
        }
        depth--;
      }
    }
  }

  /** Throws BadBody: something else was expected at `at`. */
  fail(expected: string, at: number): never {
    failAt(this.bytes, at, expected);
  }
}
