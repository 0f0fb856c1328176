import { isUtf8 } from 'node:buffer';
import {
  BACKSLASH,
  CARRIAGE_RETURN,
  CLOSE_BRACE,
  COLON,
  COMMA,
  DIGIT_NINE,
  DIGIT_ZERO,
  LETTER_E,
  LETTER_U,
  LINE_FEED,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  PLUS,
  POINT,
  QUOTE,
  SPACE,
  TAB,
} from './ascii.ts';
import { BadBody, failAt } from './bad-body.ts';
import { endOfPlainText, viewWords, type WordView } from './word-search.ts';

/** A scanner of a body that is UTF-8. Throws BadBody for one that is not. */
export function openBody(bytes: Buffer): JsonScanner {
  if (!isUtf8(bytes)) throw new BadBody('the body is not UTF-8 text', firstInvalid(bytes));
  return new JsonScanner(bytes);
}

/** A byte order mark is no part of JSON, yet some servers send one: it is passed over (RFC 8259, section 8.1). */
export function bodyStart(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** The first byte that decoding would replace; only ever asked of a body that is refused. */
function firstInvalid(bytes: Buffer): number {
  const decoded = Buffer.from(bytes.toString('utf8'));
  return bytes.findIndex((byte, at) => byte !== decoded[at]);
}

/** Throws BadBody where more than white space stands behind the value. */
export function expectEnd(scanner: JsonScanner, end: number): void {
  const at = scanner.skipSpace(end);
  if (at < scanner.bytes.length) scanner.fail('the end of the body', at);
}

/** Checks that a whole body is one JSON value, within the limits of a page, and builds nothing from it. Throws BadBody. */
export function checkJson(bytes: Buffer): void {
  const scanner = openBody(bytes);
  expectEnd(scanner, scanner.skipValue(scanner.skipSpace(bodyStart(bytes))));
}

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
  readonly arrays = new SpanList();
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

/*
 * The tokens of JSON (RFC 8259, strictly) in bytes that are known to be UTF-8. Each function takes the position where its
 * token begins and returns the position behind it, or throws BadBody naming the byte.
 *
 * A position at or behind the end reads as undefined, which equals no byte: each check that fails says so.
 */

/** Bytes that one string may have. */
const MAX_STRING = 16 * 1024 * 1024;

/** 1 for each byte that may follow a backslash, but `u`. */
const ESCAPES = new Uint8Array(256);
for (const letter of '"\\/bfnrt') ESCAPES[letter.charCodeAt(0)] = 1;

/** 1 for each hexadecimal digit. */
const HEX = new Uint8Array(256);
for (const digit of '0123456789abcdefABCDEF') HEX[digit.charCodeAt(0)] = 1;

/** Four letters as they read from memory as one word. */
const [NULL, TRUE, FALS] = ['null', 'true', 'fals'].map((letters) => Buffer.from(letters).readInt32LE());

/** A string, from its opening quote. */
function checkString(view: WordView, start: number): number {
  const { bytes } = view;
  if (bytes[start] !== QUOTE) failAt(bytes, start, 'a string');
  let at = endOfPlainText(view, start + 1);
  while (bytes[at] !== QUOTE) at = endOfPlainText(view, checkEscape(bytes, at));
  if (at - start > MAX_STRING) throw new BadBody(`a string is longer than ${MAX_STRING} bytes`, start);
  return at + 1;
}

/** A number, or one of null, true and false. */
function checkScalar(view: WordView, start: number): number {
  const { bytes } = view;
  const byte = bytes[start]!;
  if (byte === MINUS || (byte >= DIGIT_ZERO && byte <= DIGIT_NINE)) return checkNumber(bytes, start);
  if (start + 4 <= bytes.length) {
    const word = view.words.getInt32(start, true);
    if (word === NULL || word === TRUE) return start + 4;
    if (word === FALS && bytes[start + 4] === LETTER_E) return start + 5;
  }
  return failInLiteral(bytes, start);
}

function checkNumber(bytes: Buffer, start: number): number {
  let at = bytes[start] === MINUS ? start + 1 : start;
  // A zero stands alone: what follows "0" in "01" is then refused as no comma.
  at = bytes[at] === DIGIT_ZERO ? at + 1 : checkDigits(bytes, at);
  if (bytes[at] === POINT) at = checkDigits(bytes, at + 1);
  if ((bytes[at]! | SPACE) === LETTER_E) {
    at++;
    if (bytes[at] === PLUS || bytes[at] === MINUS) at++;
    at = checkDigits(bytes, at);
  }
  return at;
}

function checkDigits(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at]! >= DIGIT_ZERO && bytes[at]! <= DIGIT_NINE) at++;
  if (at === start) failAt(bytes, at, 'a digit');
  return at;
}

function checkEscape(bytes: Buffer, at: number): number {
  if (bytes[at] !== BACKSLASH) failAt(bytes, at, 'the string to go on');
  const letter = bytes[at + 1]!;
  if (ESCAPES[letter] === 1) return at + 2;
  if (letter !== LETTER_U) failAt(bytes, at + 1, 'an escape');
  for (let digit = at + 2; digit < at + 6; digit++) {
    if (HEX[bytes[digit]!] !== 1) failAt(bytes, digit, 'a hexadecimal digit');
  }
  return at + 6;
}

/** Throws: names the first letter that is wrong. */
function failInLiteral(bytes: Buffer, start: number): never {
  const literal = ['null', 'true', 'false'].find((word) => word.charCodeAt(0) === bytes[start]);
  if (literal === undefined) return failAt(bytes, start, 'a value');
  let at = start;
  while (bytes[at] === literal.charCodeAt(at - start)) at++;
  return failAt(bytes, at, literal);
}

const INITIAL_CAPACITY = 1024;

/** Stretches of a text that do not overlap, in order, each noted when it begins and again when it ends. */
class SpanList {
  #table = new Int32Array(INITIAL_CAPACITY);
  #used = 0;

  begin(at: number): void {
    if (this.#used === this.#table.length) {
      const larger = new Int32Array(2 * this.#used);
      larger.set(this.#table);
      this.#table = larger;
    }
    this.#table[this.#used] = at;
  }

  end(at: number): void {
    this.#table[this.#used + 1] = at;
    this.#used += 2;
  }

  /** The first position of each and the one behind its last, in turn. */
  get table(): Int32Array {
    return this.#table.subarray(0, this.#used);
  }
}
