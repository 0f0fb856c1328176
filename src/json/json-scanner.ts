import {
  BACKSLASH,
  CARRIAGE_RETURN,
  CLOSE_BRACE,
  COLON,
  COMMA,
  LETTER_E,
  LETTER_U,
  LINE_FEED,
  MINUS,
  NINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
  POINT,
  QUOTE,
  SPACE,
  TAB,
  ZERO,
} from './ascii.ts';
import { BadBody } from './bad-body.ts';
import { endOfRun, viewWords, type WordView } from './word-search.ts';

/** Levels of nesting that a value may have. Deeper is an attack or a fault, and nothing downstream could show it. */
const MAX_DEPTH = 1000;

/** Bytes that one string may have. */
const MAX_STRING = 16 * 1024 * 1024;

/** What a closing bracket is more than its opening one, in ASCII: both `]` and `}`. */
const CLOSES = 2;

/** 1 for each byte that may follow a backslash, but `u`. */
const ESCAPES = new Uint8Array(256);
for (const letter of '"\\/bfnrt') ESCAPES[letter.charCodeAt(0)] = 1;

/** 1 for each hexadecimal digit. */
const HEX = new Uint8Array(256);
for (const digit of '0123456789abcdefABCDEF') HEX[digit.charCodeAt(0)] = 1;

/**
 * Steps over the parts of a JSON text (RFC 8259, strictly) in bytes that are known to be UTF-8. Every method takes the
 * position where its part begins and returns the position behind it, or throws BadBody naming the byte.
 *
 * A position at or behind the end reads as undefined, which equals no byte: each check that fails says so.
 */
export class JsonScanner {
  readonly bytes: Buffer;
  /** Becomes true when white space is stepped over. */
  spaced = false;
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

  /** A string, from its opening quote. */
  skipString(start: number): number {
    const { bytes } = this;
    if (bytes[start] !== QUOTE) this.fail('a string', start);
    let at = endOfRun(this.#view, start + 1);
    while (bytes[at] !== QUOTE) at = endOfRun(this.#view, this.#skipEscape(at));
    if (at - start > MAX_STRING) this.#refuse(`a string is longer than ${MAX_STRING} bytes`, start);
    return at + 1;
  }

  /** A member's name, its colon and the white space up to its value. */
  skipName(start: number): number {
    let at = this.skipString(start);
    if (this.bytes[at] !== COLON) {
      at = this.skipSpace(at);
      if (this.bytes[at] !== COLON) this.fail('":"', at);
    }
    return this.bytes[at + 1]! <= SPACE ? this.skipSpace(at + 1) : at + 1;
  }

  /** Any value. Without recursion, so that no depth can exhaust the stack. */
  skipValue(start: number): number {
    const { bytes } = this;
    const closers = this.#closers;
    let depth = 0;
    let at = start;
    for (;;) {
      const byte = bytes[at]!;
      if (byte === QUOTE) at = this.skipString(at);
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (++depth > MAX_DEPTH) this.#refuse(`more than ${MAX_DEPTH} levels of nesting`, at);
        closers[depth] = byte + CLOSES;
        at = bytes[at + 1]! <= SPACE ? this.skipSpace(at + 1) : at + 1;
        if (bytes[at] !== byte + CLOSES) {
          if (byte === OPEN_BRACE) at = this.skipName(at);
          continue;
        }
      } else at = this.#skipScalar(at);

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
        depth--;
        at++;
      }
    }
  }

  /** Throws: what stands at `at` is not what JSON, or the shape asked for, wants there. */
  fail(expected: string, at: number): never {
    throw new BadBody(`expected ${expected}, found ${this.#describe(at)}`, Math.min(at, this.bytes.length));
  }

  #refuse(reason: string, at: number): never {
    throw new BadBody(reason, at);
  }

  #describe(at: number): string {
    const byte = this.bytes[at];
    if (byte === undefined) return 'the end of the body';
    if (byte > SPACE && byte < 0x7f) return `"${String.fromCharCode(byte)}"`;
    return `byte 0x${byte.toString(16).padStart(2, '0')}`;
  }

  #skipScalar(start: number): number {
    const byte = this.bytes[start]!;
    if (byte === MINUS || (byte >= ZERO && byte <= NINE)) return this.#skipNumber(start);
    for (const literal of ['null', 'true', 'false']) {
      if (literal.charCodeAt(0) !== byte) continue;
      for (let index = 1; index < literal.length; index++) {
        if (this.bytes[start + index] !== literal.charCodeAt(index)) this.fail(literal, start + index);
      }
      return start + literal.length;
    }
    return this.fail('a value', start);
  }

  #skipNumber(start: number): number {
    const { bytes } = this;
    let at = bytes[start] === MINUS ? start + 1 : start;
    // A zero stands alone: what follows "0" in "01" is then refused as no comma.
    at = bytes[at] === ZERO ? at + 1 : this.#skipDigits(at);
    if (bytes[at] === POINT) at = this.#skipDigits(at + 1);
    if ((bytes[at]! | SPACE) === LETTER_E) {
      at++;
      if (bytes[at] === PLUS || bytes[at] === MINUS) at++;
      at = this.#skipDigits(at);
    }
    return at;
  }

  #skipDigits(start: number): number {
    const { bytes } = this;
    let at = start;
    while (bytes[at]! >= ZERO && bytes[at]! <= NINE) at++;
    if (at === start) this.fail('a digit', at);
    return at;
  }

  #skipEscape(at: number): number {
    const { bytes } = this;
    if (bytes[at] !== BACKSLASH) this.fail('the string to go on', at);
    const letter = bytes[at + 1]!;
    if (ESCAPES[letter] === 1) return at + 2;
    if (letter !== LETTER_U) this.fail('an escape', at + 1);
    for (let digit = at + 2; digit < at + 6; digit++) {
      if (HEX[bytes[digit]!] !== 1) this.fail('a hexadecimal digit', digit);
    }
    return at + 6;
  }
}
