import * as ascii from './ascii.ts';
import { endOfPlainText, WordView } from './bytes.ts';
import { BadBody } from '../errors.ts';

/*
 * Reads parts of JSON that the scanner has checked. Nothing here checks the text again.
 */

/** Where the text of a value is in a body: `bytes[start .. end)`. */
export type Span = readonly [start: number, end: number];

/** The most bytes of a value that is parsed: parsed, it may take thirty times as much memory. */
const MAX_PARSED = 64 * 1024;

/** Parses the value at the span. Only for small parts of a body, because numbers become doubles. Throws BadBody for a large value. */
export function readJson(bytes: Buffer, span: Span): unknown {
  if (span[1] - span[0] > MAX_PARSED) {
    throw new BadBody(`expected a small value, found one of ${span[1] - span[0]} bytes`, span[0]);
  }
  return JSON.parse(bytes.toString('utf8', span[0], span[1]));
}

/** The count at the span. Undefined when there is none, or anything but a whole number from 0 on. */
export function readCount(bytes: Buffer, span: Span | undefined): number | undefined {
  const value = span && readJson(bytes, span);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

const CHANGES_NESTING = new Uint8Array(256);
for (const byte of [
  ascii.QUOTE,
  ascii.OPEN_BRACE,
  ascii.OPEN_BRACKET,
  ascii.CLOSE_BRACE,
  ascii.CLOSE_BRACKET,
])
  CHANGES_NESTING[byte] = 1;

const IN_NUMBER = new Uint8Array(256);
for (const byte of '+-.0123456789Ee') IN_NUMBER[byte.charCodeAt(0)] = 1;

/** The position of the closing quote of a string, from `start` in its text on. */
export function endOfString(view: WordView, start: number): number {
  let at = endOfPlainText(view, start);
  while (view.bytes[at] === ascii.BACKSLASH) at = endOfPlainText(view, at + 2);
  return at;
}

/** The position after the object or array that begins at `start`. */
export function endOfNested(view: WordView, start: number): number {
  const { bytes } = view;
  let depth = 0;
  let at = start;
  do {
    while (CHANGES_NESTING[bytes[at]!] === 0) at++;
    const byte = bytes[at++];
    if (byte === ascii.QUOTE) at = endOfString(view, at) + 1;
    else depth += byte === ascii.OPEN_BRACE || byte === ascii.OPEN_BRACKET ? 1 : -1;
  } while (depth > 0);
  return at;
}

/** The position after the number that begins at `start`, within an object. */
export function endOfNumber(bytes: Buffer, start: number): number {
  let at = start;
  while (IN_NUMBER[bytes[at]!] === 1) at++;
  return at;
}

/** The position of the first byte at or after `start` that is not white space, within an object. */
export function endOfSpace(bytes: Buffer, start: number): number {
  let at = start;
  while (bytes[at]! <= ascii.SPACE) at++;
  return at;
}

/** The JSON text `bytes[start .. end)` without the white space between its tokens. */
export function compact(bytes: Buffer, start: number, end: number): Buffer {
  const result = Buffer.allocUnsafe(end - start);
  return result.subarray(0, compactInto(bytes, [start, end], result));
}

/** Writes the same text into `to`. Returns its number of bytes, which is never more than the span has. */
export function compactInto(bytes: Buffer, span: Span, to: Buffer): number {
  const end = span[1];
  let out = 0;
  let inString = false;
  for (let at = span[0]; at < end; at++) {
    const byte = bytes[at]!;
    if (!inString && byte <= ascii.SPACE) continue;
    to[out++] = byte;
    if (byte === ascii.QUOTE) inString = !inString;
    else if (byte === ascii.BACKSLASH) to[out++] = bytes[++at]!;
  }
  return out;
}

/** The control character that a letter after a backslash means. Letters that mean themselves are left out. */
const CONTROLS: Readonly<Record<number, number>> = {
  0x62: 0x08,
  0x66: 0x0c,
  0x6e: 0x0a,
  0x72: 0x0d,
  0x74: 0x09,
};
const REPLACEMENT = 0xfffd;

/**
 * Writes the text of a string as UTF-8 into `to`. The span is what is between the quotes. Returns the number of bytes, which
 * is never more than the span has. Half a surrogate pair becomes U+FFFD, as when Node writes a string.
 */
export function unescape(bytes: Buffer, span: Span, to: Buffer): number {
  const end = span[1];
  let from = span[0];
  let out = 0;
  while (from < end) {
    const byte = bytes[from++]!;
    if (byte !== ascii.BACKSLASH) {
      to[out++] = byte;
      continue;
    }
    const letter = bytes[from++]!;
    if (letter !== ascii.LETTER_U) {
      to[out++] = CONTROLS[letter] ?? letter;
      continue;
    }
    const unit = readHexUnit(bytes, from);
    from += 4;
    const low =
      isHighSurrogate(unit) && bytes[from] === ascii.BACKSLASH && bytes[from + 1] === ascii.LETTER_U
        ? readHexUnit(bytes, from + 2)
        : 0;
    if (low >= 0xdc00 && low <= 0xdfff) {
      from += 6;
      out = putCodePoint(to, out, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
    } else out = putCodePoint(to, out, unit >= 0xd800 && unit <= 0xdfff ? REPLACEMENT : unit);
  }
  return out;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** The number that the four hexadecimal digits at `start` mean. */
function readHexUnit(bytes: Buffer, start: number): number {
  let unit = 0;
  for (let at = start; at < start + 4; at++) {
    const digit = bytes[at]!;
    // The value of a letter, in either case, is its low four bits plus 9.
    unit = (unit << 4) | ((digit & 0xf) + (digit > 0x39 ? 9 : 0));
  }
  return unit;
}

function putCodePoint(to: Buffer, start: number, code: number): number {
  let at = start;
  if (code < 0x80) to[at++] = code;
  else {
    if (code < 0x800) to[at++] = 0xc0 | (code >> 6);
    else {
      if (code < 0x10000) to[at++] = 0xe0 | (code >> 12);
      else {
        to[at++] = 0xf0 | (code >> 18);
        to[at++] = 0x80 | ((code >> 12) & 0x3f);
      }
      to[at++] = 0x80 | ((code >> 6) & 0x3f);
    }
    to[at++] = 0x80 | (code & 0x3f);
  }
  return at;
}

/** Throws BadBody: the byte at `at` is not what was expected there. */
export function failAt(bytes: Buffer, at: number, expected: string): never {
  throw new BadBody(`expected ${expected}, found ${describe(bytes[at])}`, Math.min(at, bytes.length));
}

function describe(byte: number | undefined): string {
  if (byte === undefined) return 'the end of the body';
  if (byte > 0x20 && byte < 0x7f) return `"${String.fromCharCode(byte)}"`;
  return `byte 0x${byte.toString(16).padStart(2, '0')}`;
}
