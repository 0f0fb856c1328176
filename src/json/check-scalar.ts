import { BACKSLASH, LETTER_E, LETTER_U, MINUS, NINE, PLUS, POINT, QUOTE, SPACE, ZERO } from './ascii.ts';
import { BadBody, failAt } from './bad-body.ts';
import { endOfRun, type WordView } from './word-search.ts';

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
export function checkString(view: WordView, start: number): number {
  const { bytes } = view;
  if (bytes[start] !== QUOTE) failAt(bytes, start, 'a string');
  let at = endOfRun(view, start + 1);
  while (bytes[at] !== QUOTE) at = endOfRun(view, checkEscape(bytes, at));
  if (at - start > MAX_STRING) throw new BadBody(`a string is longer than ${MAX_STRING} bytes`, start);
  return at + 1;
}

/** A number, or one of null, true and false. */
export function checkScalar(view: WordView, start: number): number {
  const { bytes } = view;
  const byte = bytes[start]!;
  if (byte === MINUS || (byte >= ZERO && byte <= NINE)) return checkNumber(bytes, start);
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
  at = bytes[at] === ZERO ? at + 1 : checkDigits(bytes, at);
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
  while (bytes[at]! >= ZERO && bytes[at]! <= NINE) at++;
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
