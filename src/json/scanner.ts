import { isUtf8 } from 'node:buffer';
import * as ascii from './ascii.ts';
import { endOfPlainText, failAt, WordView, zeroBytes } from './bytes.ts';
import { BadBody } from '../errors.ts';

/** A scanner for a body. Throws BadBody when the body is not UTF-8. */
export function openBody(bytes: Buffer): JsonScanner {
  if (!isUtf8(bytes)) throw new BadBody('the body is not UTF-8 text', firstInvalid(bytes));
  return new JsonScanner(bytes);
}

/** Where the JSON begins: after the byte order mark that some servers send (RFC 8259, section 8.1). */
export function bodyStart(bytes: Buffer): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** The first byte that decoding would replace. Slow, but only used for a body that is refused. */
function firstInvalid(bytes: Buffer): number {
  const decoded = Buffer.from(bytes.toString('utf8'));
  return bytes.findIndex((byte, at) => byte !== decoded[at]);
}

/** Throws BadBody when anything but white space follows the value. */
export function expectEnd(scanner: JsonScanner, end: number): void {
  const at = scanner.skipSpace(end);
  if (at < scanner.bytes.length) scanner.fail('the end of the body', at);
}

/** Checks that a whole body is one JSON value within the limits of a page. Throws BadBody. */
export function checkJson(bytes: Buffer): void {
  const scanner = openBody(bytes);
  expectEnd(scanner, scanner.skipValue(scanner.skipSpace(bodyStart(bytes))));
}

/** The most levels of nesting in a value. A deeper one is an attack or a fault. */
const MAX_DEPTH = 1000;

/** The distance in ASCII from an opening bracket to its closing one, for both `[]` and `{}`. */
const CLOSES = 2;

/**
 * Steps over the parts of a JSON text and checks them. Every method takes the position where its part begins and returns
 * the position after it, or throws a BadBody that names the byte.
 */
export class JsonScanner {
  readonly bytes: Buffer;
  /** Set to true when white space is stepped over. */
  spaced = false;
  /** Where each text that may be a link begins and ends, in order: it may begin with "http", or is that of a `fileUrl`. */
  readonly links: number[] = [];
  readonly view: WordView;
  readonly #closers = new Uint8Array(MAX_DEPTH + 1);

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.view = new WordView(bytes);
  }

  skipSpace(start: number): number {
    const { bytes } = this;
    let at = start;
    // To read behind the end of a buffer makes V8 compile all callers again.
    for (const { length } = bytes; at < length; at++) {
      const byte = bytes[at];
      if (
        byte !== ascii.SPACE &&
        byte !== ascii.LINE_FEED &&
        byte !== ascii.CARRIAGE_RETURN &&
        byte !== ascii.TAB
      )
        break;
    }
    if (at > start) this.spaced = true;
    return at;
  }

  /** The name of a member, its colon and the white space before its value. */
  skipName(start: number): number {
    let at = this.skipSpace(checkString(this.view, start));
    if (this.bytes[at++] !== ascii.COLON) this.fail('":"', at - 1);
    return this.bytes[at]! <= ascii.SPACE ? this.skipSpace(at) : at;
  }

  /** Any value, with `level` levels around it. It uses no recursion, so that deep nesting cannot exhaust the stack. */
  skipValue(start: number, level = 0): number {
    const { bytes } = this;
    const closers = this.#closers;
    let depth = level;
    let at = start;
    for (;;) {
      const byte = bytes[at]!;
      if (byte === ascii.QUOTE) at = this.skipRest(at, endOfPlainText(this.view, at + 1));
      else if (byte === ascii.OPEN_BRACE || byte === ascii.OPEN_BRACKET) {
        if (++depth > MAX_DEPTH) throw new BadBody(`more than ${MAX_DEPTH} levels of nesting`, at);
        closers[depth] = byte + CLOSES;
        at = bytes[at + 1]! <= ascii.SPACE ? this.skipSpace(at + 1) : at + 1;
        if (bytes[at] !== byte + CLOSES) {
          if (byte === ascii.OPEN_BRACE) at = this.skipName(at);
          continue;
        }
      } else at = checkScalar(this.view, at);

      // After a value: close what ends here, then go on to the next value or return.
      for (;;) {
        if (depth === level) return at;
        if (bytes[at]! <= ascii.SPACE) at = this.skipSpace(at);
        const next = bytes[at];
        if (next === ascii.COMMA) {
          at = bytes[at + 1]! <= ascii.SPACE ? this.skipSpace(at + 1) : at + 1;
          if (closers[depth] === ascii.CLOSE_BRACE) at = this.skipName(at);
          break;
        }
        if (next !== closers[depth]) this.fail(`"," or "${String.fromCharCode(closers[depth]!)}"`, at);
        at++;
        depth--;
      }
    }
  }

  /** The rest of a string that is a value, from `plain` on, where its plain text ends. Notes it where it may be a link. */
  skipRest(start: number, plain: number): number {
    const { view } = this;
    const end = checkRest(view, start, plain);
    // The quotes are outside: a word of a shorter string may be beyond the end of the body.
    const isAddress = end - start >= 6 && mayBeginAddress(view.words.getInt32(start + 1, true));
    if (isAddress || isCalledFileUrl(view, start)) this.links.push(start, end);
    return end;
  }

  fail(expected: string, at: number): never {
    failAt(this.bytes, at, expected);
  }
}

/*
 * The tokens of JSON, strictly as in RFC 8259, in bytes that are known to be UTF-8. Each function takes the position where
 * its token begins and returns the position after it, or throws a BadBody that names the byte.
 *
 * A position after the end reads as undefined, which equals no byte, so that every check fails there.
 */

const MAX_STRING = 16 * 1024 * 1024;

const ESCAPES = new Uint8Array(256);
for (const letter of '"\\/bfnrt') ESCAPES[letter.charCodeAt(0)] = 1;

const HEX = new Uint8Array(256);
for (const digit of '0123456789abcdefABCDEF') HEX[digit.charCodeAt(0)] = 1;

/** The literals, how a link begins, and the name of a member that is one, as words of four bytes. */
const [NULL, TRUE, FALS, HTTP, FILE, URL_END] = ['null', 'true', 'fals', 'http', 'file', 'Url"'].map(
  (letters) => Buffer.from(letters).readInt32LE(),
);

/** In each of four bytes: the bit by which a small letter differs from its capital, and a backslash. */
const [SMALL_LETTERS, BACKSLASHES] = [0x20202020, 0x5c5c5c5c];

/** Whether a text may begin with "http" in any case, or with an escape, whose backslash may stand for a letter of it. */
function mayBeginAddress(word: number): boolean {
  return (word | SMALL_LETTERS) === HTTP || zeroBytes(word ^ BACKSLASHES) !== 0;
}

/** Whether the value that begins at `start` is that of a member called `fileUrl`. */
export function isCalledFileUrl({ bytes, words }: WordView, start: number): boolean {
  let at = start - 1;
  while (at > 0 && bytes[at]! <= ascii.SPACE) at--;
  if (at < 9 || bytes[at] !== ascii.COLON) return false;
  do at--;
  while (bytes[at]! <= ascii.SPACE);
  // The white space may be more than what stands before it: `{""        :`.
  if (at < 9) return false;
  if (words.getInt32(at - 3, true) !== URL_END || words.getInt32(at - 7, true) !== FILE) return false;
  // A quote within a name has a backslash before it.
  return bytes[at - 8] === ascii.QUOTE && bytes[at - 9] !== ascii.BACKSLASH;
}

function checkString(view: WordView, start: number): number {
  const { bytes } = view;
  if (bytes[start] !== ascii.QUOTE) failAt(bytes, start, 'a string');
  return checkRest(view, start, endOfPlainText(view, start + 1));
}

/** The rest of a string, from the first position on that is not plain text. */
function checkRest(view: WordView, start: number, plain: number): number {
  const { bytes } = view;
  let at = plain;
  while (bytes[at] !== ascii.QUOTE) at = endOfPlainText(view, checkEscape(bytes, at));
  if (at - start > MAX_STRING) throw new BadBody(`a string is longer than ${MAX_STRING} bytes`, start);
  return at + 1;
}

/** The position after the number or literal at `start`. Throws BadBody for anything else. */
export function checkScalar(view: WordView, start: number): number {
  const { bytes } = view;
  const byte = bytes[start]!;
  if (byte === ascii.MINUS || (byte >= ascii.DIGIT_ZERO && byte <= ascii.DIGIT_NINE))
    return checkNumber(bytes, start);
  if (start + 4 <= bytes.length) {
    const word = view.words.getInt32(start, true);
    if (word === NULL || word === TRUE) return start + 4;
    if (word === FALS && bytes[start + 4] === ascii.LETTER_E) return start + 5;
  }
  return failInLiteral(bytes, start);
}

function checkNumber(bytes: Buffer, start: number): number {
  let at = bytes[start] === ascii.MINUS ? start + 1 : start;
  // A zero at the start is alone: the "1" of "01" is refused later, because it is not a comma.
  at = bytes[at] === ascii.DIGIT_ZERO ? at + 1 : checkDigits(bytes, at);
  if (bytes[at] === ascii.POINT) at = checkDigits(bytes, at + 1);
  if ((bytes[at]! | ascii.SPACE) === ascii.LETTER_E) {
    at++;
    if (bytes[at] === ascii.PLUS || bytes[at] === ascii.MINUS) at++;
    at = checkDigits(bytes, at);
  }
  return at;
}

function checkDigits(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at]! >= ascii.DIGIT_ZERO && bytes[at]! <= ascii.DIGIT_NINE) at++;
  if (at === start) failAt(bytes, at, 'a digit');
  return at;
}

function checkEscape(bytes: Buffer, at: number): number {
  if (bytes[at] !== ascii.BACKSLASH) failAt(bytes, at, 'the string to go on');
  const letter = bytes[at + 1]!;
  if (ESCAPES[letter] === 1) return at + 2;
  if (letter !== ascii.LETTER_U) failAt(bytes, at + 1, 'an escape');
  for (let digit = at + 2; digit < at + 6; digit++) {
    if (HEX[bytes[digit]!] !== 1) failAt(bytes, digit, 'a hexadecimal digit');
  }
  return at + 6;
}

function failInLiteral(bytes: Buffer, start: number): never {
  const literal = ['null', 'true', 'false'].find((word) => word.charCodeAt(0) === bytes[start]);
  if (literal === undefined) return failAt(bytes, start, 'a value');
  let at = start;
  while (bytes[at] === literal.charCodeAt(at - start)) at++;
  return failAt(bytes, at, literal);
}
